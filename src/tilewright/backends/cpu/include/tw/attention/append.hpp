// New keys and values into a cache, contiguous or in pages, and the rotary embedding of keys and queries on the way.
#pragma once
#include "tw/attention/rows.hpp"

namespace tw {

template <class C>
class AttentionAppend {
  using E = typename C::Element;
  using Out = typename C::Out;
  using At = typename C::Slots;
  static constexpr int D = C::hdim_q, DV = C::hdim_v;

 public:
  static int64_t workspace(const tw_args&) { return 0; }

  static int run(tw_args* args) {
    const AttentionSizes n(*args);
    const int wanted = args->runtime ? int(max<int64_t>(1, args->launch[0])) : 1;
    parallel(args->runtime, wanted, [&](const Team& team) {
      const Range own = partition(n.batch * n.seqlen_new, 1, team.count, team.index);
      for (int64_t i = own.begin; i < own.end; ++i) append(*args, n, i / n.seqlen_new, i % n.seqlen_new);
      if constexpr (C::rope != Rope::none) {
        const Range queries = partition(n.batch * n.seqlen_q, 1, team.count, team.index);
        for (int64_t i = queries.begin; i < queries.end; ++i) turn_queries(*args, n, i / n.seqlen_q, i % n.seqlen_q);
      }
    });
    return 0;
  }

 private:
  static int64_t length(const tw_args& a, int64_t b) {
    return static_cast<const int32_t*>(a.tensors[At::seqlens_k])[b];
  }
  static Sequence cache_of(const tw_args& a, const AttentionSizes& n, int64_t b) {
    const int64_t first = C::lookup == Lookup::sglang ? static_cast<const int32_t*>(a.tensors[At::indptr])[b] : 0;
    return {b, 0, n.seqlen_q, first, n.seqlen_k};
  }

  static void append(const tw_args& a, const AttentionSizes& n, int64_t b, int64_t i) {
    const Sequence q = cache_of(a, n, b);
    const int64_t at = length(a, b) + i, *k_new = a.strides[At::k_new], *v_new = a.strides[At::v_new];
    for (int64_t h = 0; h < n.heads_kv; ++h) {
      turn(a, n, at, static_cast<const E*>(a.tensors[At::k_new]) + b * k_new[0] + i * k_new[1] + h * k_new[2],
           static_cast<E*>(a.tensors[At::k]) + key_offset<C>(a, n, At::k, q, h, at));
      const E* from = static_cast<const E*>(a.tensors[At::v_new]) + b * v_new[0] + i * v_new[1] + h * v_new[2];
      __builtin_memcpy(static_cast<E*>(a.tensors[At::v]) + key_offset<C>(a, n, At::v, q, h, at), from, DV * sizeof(E));
    }
  }
  // Under a causal mask queries stand one after another; without one they all stand where the cache ends.
  static void turn_queries(const tw_args& a, const AttentionSizes& n, int64_t b, int64_t i) {
    const int64_t at = length(a, b) + (C::masked ? i : 0), *from = a.strides[At::q], *to = a.strides[At::out];
    for (int64_t h = 0; h < n.heads_q; ++h)
      turn(a, n, at, static_cast<const E*>(a.tensors[At::q]) + b * from[0] + i * from[1] + h * from[2],
           static_cast<Out*>(a.tensors[At::out]) + b * to[0] + i * to[1] + h * to[2]);
  }
  // A row turned by the angles of its position. `from` may be `to`. Queries may get another type than keys.
  template <class To>
  static void turn(const tw_args& a, const AttentionSizes& n, int64_t position, const E* from, To* to) {
    int64_t done = 0;
    if constexpr (C::rope != Rope::none) {
      const int64_t half = n.rotary_dim / 2;
      const E* cos = static_cast<const E*>(a.tensors[At::cos]) + position * a.strides[At::cos][0];
      const E* sin = static_cast<const E*>(a.tensors[At::sin]) + position * a.strides[At::sin][0];
      for (int64_t i = 0; i < half; ++i) {
        const int64_t x = C::rope == Rope::half ? i : 2 * i, y = C::rope == Rope::half ? i + half : 2 * i + 1;
        const float c = to_float(cos[i * a.strides[At::cos][1]]), s = to_float(sin[i * a.strides[At::sin][1]]);
        const float u = to_float(from[x]), v = to_float(from[y]);
        to[x] = from_float<To>(u * c - v * s);
        to[y] = from_float<To>(u * s + v * c);
      }
      done = n.rotary_dim;
    }
    for (; done < D; ++done) to[done] = from_float<To>(to_float(from[done]));
  }
};

}  // namespace tw
