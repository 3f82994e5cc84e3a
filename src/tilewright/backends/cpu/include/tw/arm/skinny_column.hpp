// Skinny GEMM on Arm, one row of A at a time, where k is contiguous in B: whole columns, one after the other.
//
// That is one stream from the first to the last number of B, two lines at a time: with one, columns of 3,072 numbers come
// from memory at 14 instead of 16.5 GB/s. Short columns come as two streams, one per half of the columns: 31 instead of
// 27 GB/s from the caches of a Neoverse-N1, and as fast from memory (18 GB/s). Long ones are slower that way from memory,
// 12 instead of 15 GB/s, so only those of a B that L2 holds do so.
#pragma once
#include "tw/gemm/skinny_dot.hpp"

namespace tw {

template <class Traits>
struct SkinnyColumn {
  using A = typename Traits::A;
  using B = typename Traits::B;
  using Acc = typename Traits::Acc;
  using Step = DotStep<B, Traits::inner>;
  using Lane = typename Step::Lane;
  using Staged = typename Step::Staged;
  static constexpr int rows = 16, unit_n = 1, unit_k = Traits::kc;
  static constexpr int tile_n = 32;  // columns of a stream that are handed to the epilogue at a time
  static constexpr int line = 64 / int(sizeof(B)), steps = line / Step::depth, sums = 4;
  static constexpr int distance = 12 * line;  // of a single stream: from what is read to what is asked for
  static constexpr int64_t short_bytes = 6144, l2_bytes = 1 << 20;  // of a column, and of all of them
  // Bytes through float32 are exact up to this many.
  static constexpr int64_t longest = is_same<Acc, Lane> ? int64_t(1) << 62 : 1024;
  static_assert(unit_k % line == 0 && !Step::offset, "a part of k is made of whole cache lines");

  static int64_t leading(int64_t k) { return round_up(k, 64); }
  static int64_t staged_bytes(int64_t k) { return rows * leading(k) * int64_t(sizeof(Staged)); }
  static int64_t scratch_bytes(int64_t) { return 0; }

  // [row][k], zero up to a multiple of 64.
  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(leading(k), 64, team.count, team.index);
    for (int i = 0; i < count && part.size() > 0; ++i)
      stage_lines(a.transposed(), part.begin, min(part.size(), k - part.begin), m + i, 1,
                  static_cast<Staged*>(staged) + i * leading(k) + part.begin, part.size(), 1);
  }

  // One row of A times S columns that lie `apart` elements from each other.
  template <int S>
  static TW_INLINE void dot(const B* b, int64_t apart, const Staged* a, int64_t depth, Acc (&out)[S]) {
    vec<Lane> acc[S][sums] = {};
    int64_t k = 0;
    const auto add_line = [&]() __attribute__((always_inline)) {
      vec<Lane> row[steps];
      TW_UNROLL
      for (int q = 0; q < steps; ++q) row[q] = Step::row(a + k + q * Step::depth);
      TW_UNROLL
      for (int s = 0; s < S; ++s) {
        if constexpr (S == 1) __builtin_prefetch(b + k + distance);
        TW_UNROLL
        for (int q = 0; q < steps; ++q)
          acc[s][q % sums] = Step::add_product(acc[s][q % sums], row[q], Step::column(b + s * apart + k + q * Step::depth));
      }
      k += line;
    };
    while (S == 1 && k + 2 * line <= depth) {
      add_line();
      add_line();
    }
    while (k + line <= depth) add_line();
    for (; k + Step::depth <= depth; k += Step::depth) {
      TW_UNROLL
      for (int s = 0; s < S; ++s) acc[s][0] = Step::add_product(acc[s][0], Step::row(a + k), Step::column(b + s * apart + k));
    }
    for (int s = 0; s < S && k < depth; ++s) {
      alignas(16) B rest[Step::depth] = {};
      for (int64_t q = k; q < depth; ++q) rest[q - k] = b[s * apart + q];
      acc[s][0] = Step::add_product(acc[s][0], Step::row(a + k), Step::column(rest));
    }
    TW_UNROLL
    for (int s = 0; s < S; ++s)
      out[s] = Acc(sum_lanes<Lane, lanes>((acc[s][0] + acc[s][1]) + (acc[s][2] + acc[s][3])));
  }

  // S columns over all of ks; those that are not contiguous along k are copied, a piece at a time.
  template <int S>
  static TW_INLINE void column(View<const B> b, int64_t n, int64_t apart, const Staged* a, Range ks, Acc (&total)[S]) {
    constexpr int piece = 256;
    const bool direct = b.row == 1;
    const int64_t some = direct ? longest : piece;
    for (Acc& t : total) t = 0;
    for (int64_t k = ks.begin; k < ks.end; k += some) {
      const int64_t depth = min(some, ks.end - k);
      Acc sum[S];
      if (direct) {
        dot<S>(b.at(k, n), apart * b.col, a + k, depth, sum);
      } else {
        alignas(64) B copy[S * piece];
        for (int s = 0; s < S; ++s)
          for (int64_t q = 0; q < depth; ++q) copy[s * piece + q] = *b.at(k + q, n + s * apart);
        dot<S>(copy, piece, a + k, depth, sum);
      }
      for (int s = 0; s < S; ++s) total[s] += sum[s];
    }
  }

  // `width` columns of each of S streams, which begin `apart` columns from each other.
  template <int S, class Sink>
  static TW_NOINLINE void columns(View<const B> b, int64_t n, int width, int64_t apart, const Staged* a, int64_t ld,
                                  int count, Range ks, const Sink& sink) {
    alignas(64) Acc tile[rows * S * tile_n];
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < width; ++j) {
        Acc total[S];
        column<S>(b, n + j, apart, a + i * ld, ks, total);
        for (int s = 0; s < S; ++s) tile[(i * S + s) * tile_n + j] = total[s];
      }
    for (int s = 0; s < S; ++s) sink(tile + s * tile_n, S * tile_n, count, n + s * apart, width);
  }

  // The columns from n on, in S parts of the same size; returns the first that is left.
  template <int S, class Sink>
  static int64_t streams(View<const B> b, int64_t n, Range ns, const Staged* a, int64_t ld, int count, Range ks,
                         const Sink& sink) {
    const int64_t part = (ns.end - n) / S;
    for (int64_t i = 0; i < part; i += tile_n)
      columns<S>(b, n + i, int(min<int64_t>(tile_n, part - i)), part, a, ld, count, ks, sink);
    return n + S * part;
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, void*,
                    const Sink& sink) {
    const Staged* a = static_cast<const Staged*>(staged);
    const int64_t bytes = ks.size() * int64_t(sizeof(B));
    const bool two = bytes <= short_bytes || bytes * ns.size() <= l2_bytes;
    const int64_t n = two ? streams<2>(b, ns.begin, ns, a, leading(k), count, ks, sink) : ns.begin;
    streams<1>(b, n, ns, a, leading(k), count, ks, sink);
  }
};

#if defined(TW_NEON)
template <class A, class B, class Acc, Inner I, bool KContiguous, bool Packed, int MR, int NR, int KC>
struct SkinnyTraits;
template <class A, class B, class Acc, Inner I, int KC>
struct SkinnyDot<SkinnyTraits<A, B, Acc, I, true, false, 1, 1, KC>>
    : SkinnyColumn<SkinnyTraits<A, B, Acc, I, true, false, 1, 1, KC>> {};
#endif

}  // namespace tw
