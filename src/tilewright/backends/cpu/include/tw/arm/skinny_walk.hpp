// Skinny GEMM on Arm where n is contiguous in B: `depth` rows of B at a time along all of n.
//
// Memory sees that many long streams, and the sums so far wait in a buffer (L1, L2). Strips of nr columns of all rows in
// turn, as skinny_rows.hpp takes them, would be a new page per step of k: Arm's cores follow fewer streams, and hold
// fewer pages, than those which that order was made for. Rows of A are lanes of registers. A strip serves all rows of A
// before the next one comes, so B is read from memory once.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/gemm/skinny_rows.hpp"

namespace tw {

template <class Traits>
struct SkinnyWalk {
  using A = typename Traits::A;
  static constexpr int mr = Traits::mr, nr = Traits::nr, vectors = nr / lanes;
  // Rows of B in a pass: more of them touch the sums less often, fewer are better streams.
  static constexpr int depth = k_block(Traits::kc, 64, quad);
  static constexpr int rows = 16, held = rows + mr, unit_n = nr, unit_k = depth;
  // Numbers from what is read to what is asked for: along a row, or to the rows of the next pass where those are near, or
  // where rows are so short that much of what lies ahead along them is in the next one.
  static int64_t ahead_of(int64_t row, int64_t columns) {
    return columns < 512 || depth * row <= 6144 ? depth * row : 128;
  }
  static constexpr int width = int(round_up(128, nr));  // columns handed to the epilogue at a time
  static_assert(nr % lanes == 0 && mr <= rows, "a strip is made of whole registers, and a tile of at most 16 rows");
  static_assert(depth % quad == 0, "kc must be a multiple of the lanes that an instruction can name");

  static int64_t staged_bytes(int64_t k) { return round_up(k, depth) * held * int64_t(sizeof(float)); }
  static int64_t leading(int64_t n) { return round_up(n, nr) + 16; }
  static int64_t scratch_bytes(int64_t n) { return held * leading(n) * int64_t(sizeof(float)); }

  // Rows of the next tile if `left` are left: mr, or the fewest that hold the rest and keep eight products on their way.
  static constexpr int tile_rows(int left) {
    for (int tall = 1; tall < mr; tall *= 2)
      if (tall >= left && tall * vectors >= 8) return tall;
    return mr;
  }
  // Registers hold one k of four rows (A is staged k-major), or four k of one row where a pass has few of either.
  static constexpr bool k_major(int tall) { return tall % quad == 0 && (tall > quad || depth > quad); }

  // [pass][tile][k][row], or [row][k] where registers hold k of one row.
  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(ceil_div(k, depth), 1, team.count, team.index);
    for (int64_t block = part.begin; block < part.end; ++block) {
      float* out = static_cast<float*>(staged) + block * depth * held;
      const int64_t some = min<int64_t>(depth, k - block * depth);
      for (int i = 0; i < count; i += tile_rows(count - i)) {
        const int tall = tile_rows(count - i), present = min(tall, count - i);
        const View<const A> columns = a.transposed();
        if (k_major(tall)) stage_interleaved(columns, block * depth, some, 1, m + i, present, out + i * depth, tall);
        else stage_lines(columns, block * depth, some, m + i, present, out + i * depth, depth, tall);
      }
    }
  }

  // What comes of B from memory, and whether a copy of the strip is kept. Rows that lie a power of two apart would evict
  // each other from the cache before the next tile reads them.
  enum class Reads { strip, memory, memory_and_keep };
  // Adds R rows x nr columns over `count` rows of B to c; all `depth` of them if Whole.
  template <int R, bool Whole, Reads How>
  static TW_INLINE void tile(const float* b, int64_t ld, int64_t ahead, const float* a, int64_t count, float* c,
                             int64_t ldc, bool first, float* kept = nullptr) {
    vf acc[R][vectors];
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) acc[r][v] = first ? vf{} : load_bits<vf>(c + r * ldc + v * lanes);
      if constexpr (How != Reads::memory) prefetch_write(c + r * ldc + 2 * nr);
    }
    if constexpr (k_major(R)) {
      constexpr int registers = R / quad;
      const int64_t steps = Whole ? depth : count;
#if !defined(__clang__)
#pragma GCC unroll 4
#endif
      for (int64_t k = 0; k < steps; ++k, b += ld, a += R) {
        vf row[vectors], lane[registers];
        load_row<How>(row, b, ahead, kept);
        TW_UNROLL
        for (int i = 0; i < registers; ++i) lane[i] = load_quad<vf>(a + i * quad);
        for_constants<R>([&](auto r) __attribute__((always_inline)) {
          TW_UNROLL
          for (int v = 0; v < vectors; ++v)
            LaneFma::template add_product<r.value % quad>(acc[r.value][v], row[v], lane[r.value / quad]);
        });
      }
    } else {
      int64_t k = 0;
      for (; k + quad <= (Whole ? depth : count); k += quad) {
        vf lane[R];
        TW_UNROLL
        for (int r = 0; r < R; ++r) lane[r] = load_quad<vf>(a + r * depth + k);
        for_constants<quad>([&](auto s) __attribute__((always_inline)) {
          vf row[vectors];
          load_row<How>(row, b, ahead, kept);
          b += ld;
          TW_UNROLL
          for (int r = 0; r < R; ++r) {
            TW_UNROLL
            for (int v = 0; v < vectors; ++v) LaneFma::template add_product<s.value>(acc[r][v], row[v], lane[r]);
          }
        });
      }
      for (; !Whole && k < count; ++k, b += ld) {
        vf row[vectors];
        load_row<How>(row, b, ahead, kept);
        for (int r = 0; r < R; ++r)
          for (int v = 0; v < vectors; ++v)
            LaneFma::template add_product<0>(acc[r][v], row[v], splat<vf>(a[r * depth + k]));
      }
    }
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) store_bits(c + r * ldc + v * lanes, acc[r][v]);
    }
  }

  template <Reads How>
  static TW_INLINE void load_row(vf (&row)[vectors], const float* b, int64_t ahead, float*& kept) {
    TW_UNROLL
    for (int v = 0; v < vectors; ++v) row[v] = load_bits<vf>(b + v * lanes);
    if constexpr (How != Reads::strip) {
      TW_UNROLL
      for (int v = 0; v < vectors; v += quad) __builtin_prefetch(b + ahead + v * lanes);
    }
    if constexpr (How == Reads::memory_and_keep) {
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) store_bits(kept + v * lanes, row[v]);
      kept += nr;
    }
  }

  // f(Constant<tall>) for a height that tile_rows returns.
  template <class F>
  static TW_INLINE void with_rows(int tall, const F& f) {
    if (tall == mr) return f(Constant<mr>{});
    if constexpr (tile_rows(8) == 8) {
      if (tall == 8) return f(Constant<8>{});
    }
    if constexpr (tile_rows(4) == 4) {
      if (tall == 4) return f(Constant<4>{});
    }
    if constexpr (tile_rows(2) == 2) {
      if (tall == 2) return f(Constant<2>{});
    }
    if constexpr (tile_rows(1) == 1) f(Constant<1>{});
  }

  // `strips` strips that lie side by side over `steps` rows of B: each serves all rows of A before the next one comes.
  template <bool Whole>
  static TW_NOINLINE void strips_of(const float* b, int64_t ld, int64_t ahead, const float* a, int64_t steps, int count,
                                    float* c, int64_t ldc, bool first, int64_t strips) {
    const int tall = tile_rows(count);
    if (tall >= count) {
      with_rows(tall, [&](auto r) __attribute__((always_inline)) {
        for (int64_t s = 0; s < strips; ++s, b += nr, c += nr)
          tile<r.value, Whole, Reads::memory>(b, ld, ahead, a, steps, c, ldc, first);
      });
      return;
    }
    alignas(64) float strip[depth * nr];
    for (int64_t s = 0; s < strips; ++s, b += nr, c += nr) {
      tile<mr, Whole, Reads::memory_and_keep>(b, ld, ahead, a, steps, c, ldc, first, strip);
      for (int i = mr; i < count; i += tile_rows(count - i)) {
        with_rows(tile_rows(count - i), [&](auto r) __attribute__((always_inline)) {
          tile<r.value, Whole, Reads::strip>(strip, nr, 0, a + i * depth, steps, c + i * ldc, ldc, first);
        });
      }
    }
  }

  // All columns of `steps` rows of B, of `rows_left` from there on. Strips that memory does not hold whole, or not in this
  // order, are copied first. Where rows follow each other without a gap, a last strip may end in the next ones: the sums
  // of these columns are nobody's.
  static void pass(View<const float> b, int64_t k, int64_t steps, int64_t rows_left, Range ns, const float* a, int count,
                   float* c, int64_t ldc, bool first) {
    const bool runs_on = b.row == ns.end && (rows_left - steps) * b.row >= nr;
    const int64_t direct = b.col != 1 ? 0 : runs_on ? ceil_div(ns.size(), nr) : ns.size() / nr;
    const float* at = b.at(k, ns.begin);
    const int64_t ahead = ahead_of(b.row, ns.size());
    if (steps == depth) strips_of<true>(at, b.row, ahead, a, steps, count, c, ldc, first, direct);
    else strips_of<false>(at, b.row, ahead, a, steps, count, c, ldc, first, direct);
    alignas(64) float strip[(depth + 1) * nr];
    for (int64_t n = direct * nr; n < ns.size(); n += nr) {
      const int columns = int(min<int64_t>(nr, ns.size() - n));
      stage_interleaved(b, k, steps, 1, ns.begin + n, columns, strip, nr);
      strips_of<false>(strip, nr, 0, a, steps, count, c + n, ldc, first, 1);
    }
  }

  template <class Sink>
  static void sweep(View<const float> b, const void* staged, int count, int64_t all_k, Range ns, Range ks, void* scratch,
                    const Sink& sink) {
    const int64_t ldc = leading(ns.size());
    float* c = static_cast<float*>(scratch);
    for (int64_t i = 0; i < held * ldc && ks.size() <= 0; ++i) c[i] = 0;
    for (int64_t k = ks.begin; k < ks.end; k += depth)
      pass(b, k, min<int64_t>(depth, ks.end - k), all_k - k, ns, static_cast<const float*>(staged) + k * held, count,
           c, ldc, k == ks.begin);
    for (int64_t n = ns.begin; n < ns.end; n += width)
      sink(c + n - ns.begin, ldc, count, n, int(min<int64_t>(width, ns.end - n)));
  }
};

#if defined(TW_NEON)
template <class A, class B, class Acc, Inner I, bool KContiguous, bool Packed, int MR, int NR, int KC>
struct SkinnyTraits;
template <class A, int MR, int NR, int KC>
struct SkinnyRows<SkinnyTraits<A, float, float, Inner::fma, false, false, MR, NR, KC>>
    : SkinnyWalk<SkinnyTraits<A, float, float, Inner::fma, false, false, MR, NR, KC>> {};
#endif

}  // namespace tw
