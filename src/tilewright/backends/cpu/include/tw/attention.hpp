// Attention forward: blocks of query rows against blocks of keys, with a running maximum and sum for each row.
//
// A block of rows belongs to one key head. Where a sequence has few query rows (decoding), the rows of all query heads
// of the group are one block, so that K and V are read once for all of them.
#pragma once
#include "tw/attention_rows.hpp"
#include "tw/attention_tile.hpp"

namespace tw {

template <class C>
class Attention {
  using E = typename C::Element;
  static constexpr int NV = C::row_vectors, R = NV * lanes, BC = 96, D = C::hdim_q, DV = C::hdim_v;
  static constexpr int width = int(round_up(DV, lanes));
  // Accumulators of a tile: many, so that operands are used often, but with registers left for these.
  static constexpr bool wide = lanes == 16;
  static constexpr int tile_keys = (wide ? 24 : 8) / NV, tile_rows = wide ? 6 : 4, tile_columns = wide ? 4 : 2;
  static constexpr int padded_rows = int(round_up(R, tile_rows));
  static constexpr bool convert = !is_same<E, float>;
  static constexpr float least = -3.0e38f;
  static_assert(BC % tile_keys == 0 && BC % 4 == 0, "tiles divide blocks, and so do the words of dropout");

  // Rows [0, count): row r is query row i0 + r % rows of head h0 + r / rows.
  struct Block {
    Sequence q;
    int64_t kv_head, h0, i0, rows, count;
    int64_t head(int64_t r) const { return h0 + r / rows; }
    int64_t row(int64_t r) const { return i0 + r % rows; }
  };
  struct Scratch {
    float *qt, *row, *scores, *out, *keys, *values;  // `row`: the queries of a single row, not transposed
    alignas(64) float top[R], sum[R], slope[R];
    alignas(64) int32_t low[R], high[R], sink[R], position[R];
    const float *k[BC], *v[BC];        // rows in float32
    const E *own_k[BC], *own_v[BC];  // rows where they lie: what a single row reads
  };

 public:
  static int64_t workspace(const tw_args& args) {
    Arena arena(nullptr);
    const int threads = int(max<int64_t>(1, args.launch[0]));
    for (int t = 0; t < threads; ++t) carve(arena);
    return arena.used();
  }

  static int run(tw_args* args) {
    const AttentionSizes n(*args);
    const int64_t per_head = blocks(n, n.seqlen_q), items = n.batch * n.heads_kv * per_head;
    const int wanted = args->runtime ? int(max<int64_t>(1, args->launch[0])) : 1;
    const int threads = int(min<int64_t>(wanted, max<int64_t>(items, 1)));
    if (args->workspace_bytes < workspace(*args))
      return fail(args, "workspace of % bytes, % needed", args->workspace_bytes, workspace(*args));
    int64_t next = 0;
    parallel(args->runtime, threads, [&](const Team& team) {
      Arena arena(args->workspace);
      Scratch s;
      for (int t = 0; t <= team.index; ++t) s = carve(arena);
      for (;;) {  // blocks differ in work, so each thread takes the next one; the longest rows of a mask come first
        const int64_t item = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
        if (item >= items) return;
        const int64_t b = item / (per_head * n.heads_kv), rest = item % (per_head * n.heads_kv);
        work(*args, n, sequence_of<C>(*args, n, b), rest / per_head, per_head - 1 - rest % per_head, s);
      }
    });
    return 0;
  }

 private:
  static Scratch carve(Arena& arena) {
    Scratch s;
    s.qt = arena.take<float>(D * R);
    s.row = arena.take<float>(D);
    s.scores = arena.take<float>(BC * R + padded_rows);  // rows past the end belong to the next key: read, never used
    s.out = arena.take<float>(padded_rows * width);
    s.keys = arena.take<float>(BC * D);
    s.values = arena.take<float>(BC * width);
    return s;
  }

  // How many blocks the rows of one key head make.
  static int64_t blocks(const AttentionSizes& n, int64_t rows) {
    if (rows >= R) return n.group() * ceil_div(rows, R);
    return rows > 0 ? ceil_div(n.group(), max<int64_t>(1, R / rows)) : 0;
  }

  static void work(const tw_args& a, const AttentionSizes& n, const Sequence& q, int64_t kv_head, int64_t index,
                   Scratch& s) {
    if (index >= blocks(n, q.rows)) return;
    Block b{q, kv_head, kv_head * n.group(), 0, q.rows, 0};
    if (q.rows >= R) {
      const int64_t each = ceil_div(q.rows, R);
      b.h0 += index / each;
      b.i0 = index % each * R;
      b.rows = min<int64_t>(R, q.rows - b.i0);
      b.count = b.rows;
    } else {
      const int64_t heads = max<int64_t>(1, R / q.rows);
      b.h0 += index * heads;
      b.count = min(heads, n.group() - index * heads) * q.rows;
    }
    attend(a, n, b, s);
  }

  static void attend(const tw_args& a, const AttentionSizes& n, const Block& b, Scratch& s) {
    int64_t first = b.q.keys, last = 0, all_low = 0, all_high = b.q.keys, sinks = 0;
    begin(a, n, b, s);
    for (int64_t r = 0; r < b.count; ++r) {
      const Seen seen = seen_by<C>(n, b.q, b.row(r));
      first = min(first, seen.low), last = max(last, seen.high), sinks = max(sinks, seen.sink);
      all_low = max(all_low, seen.low), all_high = min(all_high, seen.high);
    }
    for (int64_t j = sinks > 0 ? 0 : first / BC * BC; j < last; j += BC) {
      const int64_t end = min<int64_t>(j + BC, last);
      if (j >= sinks && end <= first) continue;  // between the sink tokens and the window
      gather(a, n, b, j, int(end - j), s);
      if (b.count == 1) {
        score_row<D, R>(s.own_k, int(end - j), s.row, s.scores);
      } else {
        for (int t = 0; t < end - j; t += tile_keys)
          score_keys<D, NV, tile_keys>(s.k + t, s.qt, s.scores + t * R);
      }
      finish_scores(a, n, b, j, int(end - j), j >= all_low && end <= all_high, s);
      softmax(a, n, b, j, int(end - j), s);
      if (b.count == 1) {
        add_all_values<1, 2 * tile_columns, DV, R>(s.own_v, int(end - j), s.scores, s.out);
      } else {
        for (int r = 0; r < b.count; r += tile_rows)
          add_all_values<tile_rows, tile_columns, DV, R>(s.v, int(end - j), s.scores + r, s.out + r * width);
      }
    }
    finish(a, b, s);
  }

  // Queries transposed and scaled; the state of the running softmax; what each row sees.
  static void begin(const tw_args& a, const AttentionSizes& n, const Block& b, Scratch& s) {
    const float scale = float(a.scalars[0]);
    for (int r = 0; r < R; ++r) {
      s.top[r] = least, s.sum[r] = 0.0f;
      const bool there = r < b.count;
      const Seen seen = there ? seen_by<C>(n, b.q, b.row(r)) : Seen{0, 0, 0};
      s.low[r] = int32_t(seen.low), s.high[r] = int32_t(seen.high), s.sink[r] = int32_t(seen.sink);
      const E* q = there ? static_cast<const E*>(a.tensors[at_q]) + query_offset<C>(a, at_q, b.q, b.head(r), b.row(r))
                         : nullptr;
      for (int d = 0; d < D; ++d) s.qt[d * R + r] = there ? scale * to_float(q[d]) : 0.0f;
      if constexpr (C::bias == Bias::alibi) {
        s.position[r] = int32_t(there ? b.row(r) + (C::top_left ? 0 : b.q.keys - b.q.rows) : 0);
        const float* slopes = static_cast<const float*>(a.tensors[at_bias]) + b.q.b * a.strides[at_bias][0];
        s.slope[r] = there ? slopes[b.head(r) * a.strides[at_bias][1]] : 0.0f;
      }
    }
    for (int d = 0; d < D; ++d) s.row[d] = s.qt[d * R];
    for (int64_t i = 0; i < int64_t(padded_rows) * width; i += lanes) store_bits(s.out + i, vf{});
  }

  // Where the rows of a block of keys are; those of 16 and 8 bits are widened first. Past the end the last repeats.
  static void gather(const tw_args& a, const AttentionSizes& n, const Block& b, int64_t j0, int count, Scratch& s) {
    const E* k = static_cast<const E*>(a.tensors[at_k]);
    const E* v = static_cast<const E*>(a.tensors[at_v]);
    const int ahead = b.count <= lanes ? int(min<int64_t>(b.q.keys - j0 - BC, BC)) : 0;  // few rows: memory decides
    for (int j = 0; j < ahead; ++j) {
      prefetch_row<D>(k + key_offset<C>(a, n, at_k, b.q, b.kv_head, j0 + BC + j));
      prefetch_row<DV>(v + key_offset<C>(a, n, at_v, b.q, b.kv_head, j0 + BC + j));
    }
    for (int j = 0; j < BC; ++j) {
      const int64_t at = j0 + min(j, count - 1);
      const E* key = k + key_offset<C>(a, n, at_k, b.q, b.kv_head, at);
      const E* value = v + key_offset<C>(a, n, at_v, b.q, b.kv_head, at);
      s.own_k[j] = key, s.own_v[j] = value;
      if (b.count == 1) continue;
      if constexpr (convert) {
        s.k[j] = s.keys + min(j, count - 1) * D, s.v[j] = s.values + min(j, count - 1) * width;
        if (j >= count) continue;
        widen_row<D>(key, s.keys + j * D);
        widen_row<DV>(value, s.values + j * width);
      } else {
        s.k[j] = key, s.v[j] = value;
        if (b.count <= lanes) continue;
        // Many rows read the block: copies that are aligned and lie together pay for themselves.
        s.k[j] = s.keys + min(j, count - 1) * D, s.v[j] = s.values + min(j, count - 1) * width;
        if (j >= count) continue;
        widen_row<D>(key, s.keys + j * D);
        widen_row<DV>(value, s.values + j * width);
      }
    }
  }
  template <int N>
  static void prefetch_row(const E* row) {
    for (int i = 0; i < N * int(sizeof(E)); i += 64) __builtin_prefetch(reinterpret_cast<const char*>(row) + i);
  }
  template <int N>
  static void widen_row(const E* from, float* to) {
    constexpr int whole = N / lanes * lanes;
    for (int i = 0; i < whole; i += lanes) store_bits(to + i, load(from + i));
    for (int i = whole; i < N; ++i) to[i] = to_float(from[i]);
  }

  // Bias, soft cap and mask, on scores[key][row].
  static void finish_scores(const tw_args& a, const AttentionSizes& n, const Block& b, int64_t j0, int count,
                            bool all_seen, Scratch& s) {
    if constexpr (C::bias == Bias::elementwise) add_bias(a, n, b, j0, count, s);
    const vf cap = splat<vf>(float(a.scalars[1])), per_cap = splat<vf>(C::soft_cap ? 1.0f / float(a.scalars[1]) : 0.0f);
    if (C::bias != Bias::alibi && !C::soft_cap && all_seen) return;
    for (int j = 0; j < count; ++j) {
      const vi key = splat<vi>(int32_t(j0 + j));
      TW_UNROLL for (int v = 0; v < NV; ++v) {
        float* at = s.scores + j * R + v * lanes;
        vf x = load_bits<vf>(at);
        if constexpr (C::bias == Bias::alibi) {
          const vf distance = __builtin_convertvector(load_bits<vi>(s.position + v * lanes) - key, vf);
          x = x - load_bits<vf>(s.slope + v * lanes) * vabs(distance);
        }
        if constexpr (C::soft_cap) x = cap * vtanh(x * per_cap);
        if (!all_seen) {
          const vi low = load_bits<vi>(s.low + v * lanes), high = load_bits<vi>(s.high + v * lanes);
          const vi sink = load_bits<vi>(s.sink + v * lanes);
          const vi seen = (key < high) & ((key >= low) | (key < sink));
          x = seen ? x : splat<vf>(least);
        }
        store_bits(at, x);
      }
    }
  }

  static void add_bias(const tw_args& a, const AttentionSizes& n, const Block& b, int64_t j0, int count, Scratch& s) {
    using B = typename C::BiasElement;
    const int64_t* st = a.strides[at_bias];
    for (int r = 0; r < b.count; ++r) {
      const int64_t row = (C::varlen ? b.q.q_begin : 0) + b.row(r);
      const B* bias = static_cast<const B*>(a.tensors[at_bias]) + (n.bias_batch > 1 ? b.q.b * st[0] : 0) +
                      (n.bias_heads > 1 ? b.head(r) * st[1] : 0) + row * st[2];
      for (int j = 0; j < count; ++j) s.scores[j * R + r] += to_float(bias[(j0 + j) * st[3]]);
    }
  }

  // Scores become weights; sums and earlier output are brought to the new maximum.
  static void softmax(const tw_args& a, const AttentionSizes& n, const Block& b, int64_t j0, int count, Scratch& s) {
    const vf none = splat<vf>(least);
    for (int v = 0; v < NV; ++v) {
      float* scores = s.scores + v * lanes;
      const vf old = load_bits<vf>(s.top + v * lanes);
      vf top = old;
      for (int j = 0; j < count; ++j) top = vmax(top, load_bits<vf>(scores + j * R));
      const vf shrink = (old > none) ? vexp(old - top) : vf{};
      vf sum = load_bits<vf>(s.sum + v * lanes) * shrink;
      for (int j = 0; j < count; ++j) {
        const vf x = load_bits<vf>(scores + j * R);
        const vf p = (x > none) ? vexp(x - top) : vf{};
        sum = sum + p;
        store_bits(scores + j * R, p);
      }
      store_bits(s.top + v * lanes, top);
      store_bits(s.sum + v * lanes, sum);
      if (any(shrink != splat<vf>(1.0f))) rescale(v, shrink, b, s);
    }
    if constexpr (C::dropout) drop(a, n, b, j0, count, s);
  }
  static void rescale(int v, vf factors, const Block& b, Scratch& s) {
    for (int i = 0; i < lanes && v * lanes + i < b.count; ++i) {
      float* out = s.out + int64_t(v * lanes + i) * width;
      const vf f = splat<vf>(factors[i]);
      for (int c = 0; c < width; c += lanes) store_bits(out + c, f * load_bits<vf>(out + c));
    }
  }
  static void drop(const tw_args& a, const AttentionSizes& n, const Block& b, int64_t j0, int count, Scratch& s) {
    const uint32_t* rng = static_cast<const uint32_t*>(a.tensors[at_rng]);
    const double p = a.scalars[2], edge = p * 4294967296.0;
    const uint32_t least_kept = edge >= 4294967295.0 ? 4294967295u : uint32_t(edge);
    const float keep = float(1.0 / (1.0 - p));
    for (int r = 0; r < b.count; ++r) {
      const uint32_t lane = uint32_t(b.q.b * n.heads_q + b.head(r));
      for (int j = 0; j < count; j += 4) {  // j0 is a multiple of 4
        const Words w = philox(uint32_t((j0 + j) >> 2), uint32_t(b.row(r)), lane, rng[2], rng[0], rng[1]);
        for (int i = 0; i < 4 && j + i < count; ++i) s.scores[(j + i) * R + r] *= w.w[i] >= least_kept ? keep : 0.0f;
      }
    }
  }

  static void finish(const tw_args& a, const Block& b, Scratch& s) {
    using O = typename C::Out;
    for (int r = 0; r < b.count; ++r) {
      const float sum = s.sum[r];
      const vf factor = splat<vf>(sum > 0.0f ? 1.0f / sum : 0.0f);
      const float* from = s.out + int64_t(r) * width;
      O* to = static_cast<O*>(a.tensors[at_out]) + query_offset<C>(a, at_out, b.q, b.head(r), b.row(r));
      for (int c = 0; c < DV; c += lanes) {
        const vf x = factor * load_bits<vf>(from + c);
        if (DV - c >= lanes) store(to + c, x);
        else store_partial(to + c, x, DV - c);
      }
      if constexpr (C::lse) {
        const int64_t* st = a.strides[at_lse];
        const int64_t at = C::varlen ? b.head(r) * st[0] + (b.q.q_begin + b.row(r)) * st[1]
                                     : b.q.b * st[0] + b.head(r) * st[1] + b.row(r) * st[2];
        static_cast<float*>(a.tensors[at_lse])[at] = sum > 0.0f ? s.top[r] + __builtin_logf(sum) : -__builtin_inff();
      }
    }
  }
};

template <class Config>
const tw_kernel_info* attention_info() {
  static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), Config::digest};
  return &info;
}

}  // namespace tw

#define TW_EXPORT_ATTENTION(Config)                                                                          \
  extern "C" __attribute__((visibility("default"))) const tw_kernel_info* tw_info(void) {                    \
    return tw::attention_info<Config>();                                                                     \
  }                                                                                                          \
  extern "C" __attribute__((visibility("default"))) int64_t tw_workspace(const tw_args* args) {              \
    return tw::Attention<Config>::workspace(*args);                                                          \
  }                                                                                                          \
  extern "C" __attribute__((visibility("default"))) int tw_run(tw_args* args) { return tw::Attention<Config>::run(args); }
