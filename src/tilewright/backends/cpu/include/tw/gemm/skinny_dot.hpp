// Skinny GEMM where k is contiguous in B (weights stored [N, K]) and few rows of A: dot products along k.
//
// mr rows of A times nr columns of B are accumulated lane by lane; between k blocks the lanes wait in a buffer, and are
// added up once at the end. nr columns are nr streams from memory. A is staged as [k block][row][kc], so that a block
// of A stays in the first-level cache while the columns of B pass by, and every row of A lies at a constant offset.
#pragma once
#include "tw/parallel.hpp"
#include "tw/gemm/skinny_stage.hpp"

namespace tw {

template <class T, int N>
TW_INLINE T sum_lanes(vec<T, N> v) {
  if constexpr (N == 2) {
    return v[0] + v[1];
  } else {
    struct Halves { vec<T, N / 2> low, high; };
    const Halves h = bit_cast<Halves>(v);
    return sum_lanes<T, N / 2>(h.low + h.high);
  }
}

// One step along k: `depth` elements of a row of A (as staged) times as many of a column of B (as in memory).
// Bytes are multiplied as float32 too: sums of at most 1024 products of bytes are exact.
template <class T, Inner I>
struct DotStep {
  using Staged = float;
  using Lane = float;
  static constexpr int depth = lanes;
  static constexpr bool offset = false;
  static_assert(I == Inner::fma || I == Inner::portable, "this inner kernel has no dot-product form for these types");
  static TW_INLINE vf column(const T* p) { return load(p); }
  static TW_INLINE vf row(const float* p) { return load_bits<vf>(p); }
  static TW_INLINE vf add_product(vf acc, vf a, vf b) { return acc + a * b; }
};

#if defined(__AVX512VNNI__) && defined(TW_AVX512)
// The instruction wants one unsigned operand: B is taken as b + 128, and 128 * (sum of the row of A) is subtracted.
// This way the correction belongs to A, which is small and staged anyway.
template <>
struct DotStep<int8_t, Inner::vnni> {
  using Staged = int8_t;
  using Lane = int32_t;
  static constexpr int depth = 4 * lanes;
  static constexpr bool offset = true;
  static TW_INLINE vi column(const int8_t* p) { return load_bits<vi>(p) ^ splat<vi>(int32_t(0x80808080u)); }
  static TW_INLINE vi row(const int8_t* p) { return load_bits<vi>(p); }
  static TW_INLINE vi add_product(vi acc, vi a, vi b) {
    asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(b), "v"(a));
    return acc;
  }
};
#endif

template <class Traits>
struct SkinnyDot {
  using A = typename Traits::A;
  using B = typename Traits::B;
  using Acc = typename Traits::Acc;
  using Step = DotStep<B, Traits::inner>;
  using Lane = typename Step::Lane;
  using Staged = typename Step::Staged;
  static constexpr int mr = Traits::mr, nr = Traits::nr, kc = Traits::kc;
  static constexpr int rows = int(round_up(16, mr));   // rows of A that share one pass over B
  static constexpr int unit_n = nr, unit_k = kc;       // threads may share a line of the result: a balanced cut gains more
  static constexpr int tile_n = int(round_up(16, nr)) * 4;  // columns handed to the epilogue at a time
  static constexpr int piece = 4 * Step::depth;        // of a block that has to be staged
  // Columns that a pass fetches of a later block: two passes half of them each. A single pass runs ahead of the hardware
  // prefetcher, which stops at the end of each page; longer blocks would crowd L1.
  static constexpr int half = (nr + 1) / 2;
#if defined(TW_AVX512) || defined(TW_AVX2)
  static constexpr int alone = is_same<B, float> && nr * kc <= 4096 ? nr : 0;
#else
  static constexpr int alone = 0;
#endif
  static_assert(kc % Step::depth == 0, "kc must be a multiple of the k elements of one step");
  static_assert(is_same<Acc, Lane> || kc <= 1024, "bytes through float32 are exact up to kc = 1024");

  static int64_t staged_bytes(int64_t k) {
    const int64_t blocks = ceil_div(k, kc);
    return round_up(blocks * rows * kc * int64_t(sizeof(Staged)), 64) + blocks * rows * int64_t(sizeof(int32_t));
  }
  static int64_t scratch_bytes(int64_t) { return 0; }

  static const int32_t* row_sums(const void* staged, int64_t k) {
    return reinterpret_cast<const int32_t*>(static_cast<const char*>(staged) +
                                            round_up(ceil_div(k, kc) * rows * kc * int64_t(sizeof(Staged)), 64));
  }

  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const int64_t padded = round_up(count, mr);
    const Range part = partition(ceil_div(k, kc) * padded, 1, team.count, team.index);
    int32_t* sums = const_cast<int32_t*>(row_sums(staged, k));
    for (int64_t i = part.begin; i < part.end; ++i) {
      const int64_t block = i / padded, r = i % padded, depth = min<int64_t>(kc, k - block * kc);
      Staged* line = static_cast<Staged*>(staged) + (block * rows + r) * kc;
      stage_lines(a.transposed(), block * kc, depth, m + r, r < count ? 1 : 0, line, round_up(depth, Step::depth), 1);
      if constexpr (Step::offset) {
        int32_t sum = 0;
        for (int64_t q = 0; q < depth; ++q) sum += line[q];
        sums[block * rows + r] = sum * 128;
      }
    }
  }

#if defined(TW_NEON)
  // The same for one row of A, a cache line of each column at a time, as far as there are whole ones: one request per
  // line, and several sums per column, which would wait for each other otherwise. Returns where it stopped.
  static TW_INLINE int64_t whole_lines(const B* const (&b)[nr], const Staged* a, int64_t depth, vec<Lane> (&acc)[nr]) {
    constexpr int line = 64 / int(sizeof(B)), steps = line / Step::depth, sums = nr == 1 ? 4 : 2;
    constexpr int distance = 16 * line;  // from what is read to what is asked for
    vec<Lane> sum[nr][sums] = {};
    int64_t k = 0;
    for (; k + line <= depth; k += line) {
      vec<Lane> row[steps];
      TW_UNROLL
      for (int s = 0; s < steps; ++s) row[s] = Step::row(a + k + s * Step::depth);
      TW_UNROLL
      for (int j = 0; j < nr; ++j) {
        __builtin_prefetch(b[j] + k + distance);
        TW_UNROLL
        for (int s = 0; s < steps; ++s)
          sum[j][s % sums] = Step::add_product(sum[j][s % sums], row[s], Step::column(b[j] + k + s * Step::depth));
      }
    }
    TW_UNROLL
    for (int j = 0; j < nr; ++j) {
      TW_UNROLL
      for (int s = 0; s < sums; ++s) acc[j] = acc[j] + sum[j][s];
    }
    return k;
  }
#endif

  // Multiplies mr staged rows and nr columns into lanes[i][j], lane by lane. Meanwhile the first `Ahead` columns of a
  // later block are fetched: the passes that reuse a block leave the memory idle otherwise.
  template <int Ahead>
  static TW_NOINLINE void block(const B* const* columns, const B* const* ahead, const Staged* a, int64_t depth,
                                bool first, Acc* out) {
    vec<Lane> acc[mr][nr] = {};
    const B* b[nr];
    for (int j = 0; j < nr; ++j) b[j] = columns[j];
    int64_t k = 0;
#if defined(TW_NEON)
    if constexpr (mr == 1 && nr <= 4) k = whole_lines(b, a, depth, acc[0]);
#endif
    for (; k < depth; k += Step::depth) {
      vec<Lane> column[nr];
      TW_UNROLL
      for (int j = 0; j < nr; ++j) column[j] = Step::column(b[j] + k);
      TW_UNROLL
      for (int j = 0; j < Ahead; ++j) __builtin_prefetch(ahead[j] + k);
      TW_UNROLL
      for (int i = 0; i < mr; ++i) {
        const vec<Lane> row = Step::row(a + i * kc + k);
        TW_UNROLL
        for (int j = 0; j < nr; ++j) acc[i][j] = Step::add_product(acc[i][j], row, column[j]);
      }
    }
    TW_UNROLL
    for (int i = 0; i < mr; ++i) {
      TW_UNROLL
      for (int j = 0; j < nr; ++j) put(out + (i * nr + j) * lanes, acc[i][j], first);
    }
  }

  // One k block for all rows: the part that can be read in place, then the rest through a small buffer.
  static void panel(View<const B> b, int64_t n, int columns, int64_t k, int64_t depth, bool first, const B* next,
                    const Staged* a, int count, Acc* sums) {
    const int64_t direct = b.row == 1 ? depth / Step::depth * Step::depth : 0;
    const B* column[nr];
    const B* ahead[nr];
    for (int j = 0; j < nr; ++j) {
      column[j] = b.at(k, n + min(j, columns - 1));
      ahead[j] = next + j * b.col;
    }
    for (int i = 0; i < count && direct; i += mr) {
      const int pass = i / mr;
      Acc* out = sums + i * (nr * lanes);
      if (count > mr && pass < 2) block<half>(column, ahead + pass * (nr / 2), a + i * kc, direct, first, out);
      else if (count <= mr) block<alone>(column, ahead, a + i * kc, direct, first, out);
      else block<0>(column, ahead, a + i * kc, direct, first, out);
    }
    alignas(64) B buffer[nr * piece];
    for (int j = 0; j < nr; ++j) column[j] = buffer + j * piece;
    for (int64_t at = direct; at < depth; at += piece) {
      const int64_t some = min<int64_t>(piece, depth - at), padded = round_up(some, Step::depth);
      stage_lines(b, k + at, some, n, columns, buffer, piece, nr);
      for (int i = 0; i < count; i += mr)
        block<0>(column, column, a + i * kc + at, padded, first && at == 0, sums + i * (nr * lanes));
    }
  }

  // The nr columns from n over all k blocks, added up into tile[row * tile_n + column].
  static void columns_of(View<const B> b, int64_t n, int columns, const void* staged, int count, int64_t k, Range ks,
                         Acc* tile) {
    alignas(64) Acc sums[rows * nr * lanes];
    for (int64_t k0 = ks.begin; k0 < ks.end; k0 += kc) {
      const B* next = k0 + kc < ks.end ? b.at(k0 + kc, n) : b.at(ks.begin, n + nr);
      panel(b, n, columns, k0, min<int64_t>(kc, ks.end - k0), k0 == ks.begin, next,
            static_cast<const Staged*>(staged) + k0 * rows, count, sums);
    }
    for (int i = 0; i < count; ++i) {
      Acc offset = 0;
      if constexpr (Step::offset)
        for (int64_t k0 = ks.begin; k0 < ks.end; k0 += kc) offset += row_sums(staged, k)[k0 / kc * rows + i];
      for (int j = 0; j < columns; ++j) {
        const Acc* lane = sums + (i * nr + j) * lanes;
        tile[i * tile_n + j] = ks.size() > 0 ? sum_lanes<Acc, lanes>(load_bits<vec<Acc>>(lane)) - offset : Acc(0);
      }
    }
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, void*,
                    const Sink& sink) {
    alignas(64) Acc tile[rows * tile_n];
    for (int64_t n0 = ns.begin; n0 < ns.end; n0 += tile_n) {
      const int width = int(min<int64_t>(tile_n, ns.end - n0));
      for (int j = 0; j < width; j += nr)
        columns_of(b, n0 + j, min(nr, width - j), staged, count, k, ks, tile + j);
      sink(tile, tile_n, count, n0, width);
    }
  }
};

}  // namespace tw
