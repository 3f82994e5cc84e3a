// Skinny GEMM where n is contiguous in B, or B was packed ahead in panels of nr columns (panel.hpp).
//
// acc[row][columns] += broadcast(a[row][k]) * b[k][columns]. A plain B is read kc rows at a time along all of n, so
// that memory sees kc long streams instead of a new page per k; the sums of the k blocks so far wait in a buffer (L2).
// A panel is one stream from its first to its last k and needs no such buffer.
//
// Where several passes (more rows of A than mr) or an interleaving of rows (bytes) reuse a block, it is staged first:
// rows that lie a power of two apart would evict each other from the cache between the passes.
#pragma once
#include "tw/gemm/panel.hpp"
#include "tw/parallel.hpp"
#include "tw/gemm/skinny_stage.hpp"

namespace tw {

// One step along k: a 32-bit unit of A (1 float or 4 bytes) broadcast over `lanes` units of B.
template <Inner I>
struct RowStep {
  using Staged = float;
  using Lane = float;
  static constexpr int depth = 1;
  static constexpr bool offset = false;
  static_assert(I == Inner::fma || I == Inner::portable, "this inner kernel has no row form for these types");
  template <class S>
  static TW_INLINE vf units(const S* p) { return load(p); }
  static TW_INLINE vf add_product(vf acc, float a, vf b) { return acc + b * a; }
};
#if defined(__AVX512VNNI__) && defined(TW_AVX512)
// As in DotStep: B is made unsigned by adding 128, and the sums of the rows of A correct for it.
template <>
struct RowStep<Inner::vnni> {
  using Staged = int8_t;
  using Lane = int32_t;
  static constexpr int depth = 4;
  static constexpr bool offset = true;
  static TW_INLINE vi units(const int32_t* p) { return load_bits<vi>(p) ^ splat<vi>(int32_t(0x80808080u)); }
  static TW_INLINE vi add_product(vi acc, int32_t a, vi b) {
    asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(b), "v"(splat<vi>(a)));
    return acc;
  }
};
#endif

template <class Traits>
struct SkinnyRows {
  using A = typename Traits::A;
  using B = typename Traits::B;
  using Acc = typename Traits::Acc;
  using Step = RowStep<Traits::inner>;
  using Lane = typename Step::Lane;
  using Staged = typename Step::Staged;
  static constexpr bool packed = Traits::packed;
  static constexpr int mr = Traits::mr, nr = Traits::nr, vectors = nr / lanes, Q = Step::depth;
  // Rows of B at a time: as many streams as the hardware follows, or a block of a panel that stays in L1.
  static constexpr int kc = k_block(Traits::kc, packed ? 4096 / nr * Q : Q == 1 ? 32 : 64, 4);
  using Panels = Panel<Staged, nr, Q, Q>;
  static constexpr int rows = int(round_up(16, mr));
  static constexpr int unit_n = nr, unit_k = kc;
  static constexpr int lines = int(ceil_div(nr * (packed ? 4 / Q : sizeof(B)), 64));  // cache lines of a row of a panel
  static constexpr int width = int(round_up(512 / sizeof(B), nr));  // columns staged at a time: half a kilobyte per row
  static constexpr int streams = packed && mr == 1 ? 4 : 1;          // panels that take turns
  static constexpr int fetches = Q * lines;                          // cache lines of one step
  static constexpr bool reorder = reorders<Staged, B, nr>;
  static_assert(nr % lanes == 0, "nr must be a multiple of the lanes of a register");
  static_assert(kc % Q == 0, "kc must be a multiple of the k elements of one step");
  static_assert(is_same<Acc, Lane> || kc <= 1024, "bytes through float32 are exact up to kc = 1024");

  static int64_t units(int64_t k) { return ceil_div(k, Q) * rows; }
  static int64_t staged_bytes(int64_t k) { return round_up(units(k) * 4, 64) + rows * ceil_div(k, kc) * 4; }
  static int64_t leading(int64_t n) { return round_up(n, nr) + 16; }
  static int64_t scratch_bytes(int64_t n) { return packed ? 0 : rows * leading(n) * int64_t(sizeof(Acc)); }
  static int32_t* row_sums(const void* staged, int64_t k) {
    return reinterpret_cast<int32_t*>(const_cast<char*>(static_cast<const char*>(staged)) + round_up(units(k) * 4, 64));
  }

  // [k block][pass][k / Q][mr][Q]
  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(ceil_div(k, kc), 1, team.count, team.index);
    for (int64_t block = part.begin; block < part.end; ++block) {
      const int64_t depth = min<int64_t>(kc, k - block * kc), size = round_up(depth, Q);
      Staged* out = static_cast<Staged*>(staged) + block * kc * rows;
      for (int i = 0; i < count; i += mr)
        stage_interleaved(a.transposed(), block * kc, depth, Q, m + i, min(mr, count - i), out + i * size, mr);
      if constexpr (Step::offset) add_up(out, count, size, row_sums(staged, k) + block * rows);
    }
  }
  static void add_up(const Staged* staged, int count, int64_t size, int32_t* sums) {
    for (int i = 0; i < count; ++i) {
      const Staged* pass = staged + i / mr * mr * size;
      int32_t sum = 0;
      for (int64_t k = 0; k < size; ++k) sum += pass[(k / Q * mr + i % mr) * Q + k % Q];
      sums[i] = sum * 128;
    }
  }

  // Adds mr rows x nr columns over `depth` steps to c. S: the elements of B as they lie at b, or staged units.
  // Meanwhile `Fetch` cache lines per step are requested at ahead + offsets[...].
  template <class S, int Fetch>
  static TW_NOINLINE void block(const S* b, int64_t ld, const Lane* a, int64_t depth, Acc* c, int64_t ldc, bool first,
                                const char* ahead, const int64_t* offsets, int64_t ahead_step) {
    vec<Lane> acc[mr][vectors] = {};
    for (int64_t k = 0; k < depth; ++k) {
      vec<Lane> row[vectors];
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) row[v] = Step::units(b + v * lanes);
      b += ld;
      TW_UNROLL
      for (int f = 0; f < Fetch; ++f) __builtin_prefetch(ahead + offsets[f]);
      ahead += ahead_step;
      TW_UNROLL
      for (int i = 0; i < mr; ++i) {
        TW_UNROLL
        for (int v = 0; v < vectors; ++v) acc[i][v] = Step::add_product(acc[i][v], a[i], row[v]);
      }
      a += mr;
    }
    TW_UNROLL
    for (int i = 0; i < mr; ++i) {
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) put(c + i * ldc + v * lanes, acc[i][v], first);
    }
  }

  // All rows of A over one block. `ahead` is where the block of B to fetch meanwhile begins, with `ahead_row` bytes
  // between its rows. A single pass over a block in place fetches all of it, of several passes the first two fetch one
  // half each.
  template <bool InPlace, class S>
  static void passes(const S* b, int64_t ld, const Staged* a, int64_t size, int count, Acc* c, int64_t ldc, bool first,
                     const char* ahead, int64_t ahead_row) {
    constexpr int alone = InPlace && mr > 1 ? fetches : 0, half = (fetches + 1) / 2;
    int64_t offsets[fetches + 1];
    for (int f = 0; f < fetches; ++f) offsets[f] = f / lines * ahead_row + f % lines * 64;
    for (int i = 0; i < count; i += mr) {
      const Lane* rows_of_a = reinterpret_cast<const Lane*>(a + i * size);
      Acc* out = c + i * ldc;
      const int64_t* fetch = offsets + (i == mr ? fetches - half : 0);
      if (count <= mr) block<S, alone>(b, ld, rows_of_a, size / Q, out, ldc, first, ahead, fetch, ahead_row * Q);
      else if (i < 2 * mr) block<S, half>(b, ld, rows_of_a, size / Q, out, ldc, first, ahead, fetch, ahead_row * Q);
      else block<S, 0>(b, ld, rows_of_a, size / Q, out, ldc, first, ahead, fetch, ahead_row * Q);
    }
  }

  static void correct(Acc* c, int columns, int64_t ldc, int count, const int32_t* sums) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < columns; ++j) c[i * ldc + j] -= Acc(sums[i]);
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, void* scratch,
                    const Sink& sink) {
    if constexpr (packed) sweep_panels(reinterpret_cast<const Lane*>(b.data), staged, count, k, ns, ks, sink);
    else sweep_plain(b, staged, count, k, ns, ks, static_cast<Acc*>(scratch), sink);
  }

  // Columns n .. n+columns-1 of one k block of a plain B; read in place where one pass suffices, else staged.
  static void plain_block(View<const B> b, int64_t k, int64_t depth, int64_t n, int columns, const Staged* a, int count,
                          Acc* c, int64_t ldc, bool first, const B* next, Staged* buffer) {
    const char* ahead = reinterpret_cast<const char*>(next);
    const int64_t ahead_row = b.row * int64_t(sizeof(B)), size = round_up(depth, Q);
    int j = 0;
    if constexpr (Q == 1) {
      for (; count <= mr && b.col == 1 && j + nr <= columns; j += nr) {
        const B* here = b.at(k, n + j);
        const char* soon = reinterpret_cast<const char*>(here) + 256;
        passes<true>(here, b.row, a, size, count, c + j, ldc, first, soon, ahead_row);
      }
    }
    if (j == columns) return;
    if (count <= mr) stage_interleaved<Staged, reorder, true>(b, k, depth, Q, n + j, columns - j, buffer, nr);
    else stage_interleaved<Staged, reorder>(b, k, depth, Q, n + j, columns - j, buffer, nr);
    for (; j < columns; j += nr, buffer += size * nr, ahead += nr * sizeof(B))
      passes<false>(reinterpret_cast<const Lane*>(buffer), nr, a, size, count, c + j, ldc, first, ahead, ahead_row);
  }

  template <class Sink>
  static void sweep_plain(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, Acc* c,
                          const Sink& sink) {
    const int64_t ldc = leading(ns.size());
    alignas(64) Staged buffer[kc * width];
    for (int64_t i = 0; i < rows * ldc && ks.size() <= 0; ++i) c[i] = 0;
    for (int64_t k0 = ks.begin; k0 == ks.begin || k0 < ks.end; k0 += kc) {
      const int64_t depth = min<int64_t>(kc, ks.end - k0);
      const Staged* a = static_cast<const Staged*>(staged) + k0 * rows;
      for (int64_t n = ns.begin; n < ns.end; n += width) {
        const int columns = int(min<int64_t>(width, ns.end - n));
        const B* next = n + width < ns.end ? b.at(k0, n + width) : b.at(k0 + kc, ns.begin);
        Acc* out = c + n - ns.begin;
        if (depth > 0) plain_block(b, k0, depth, n, columns, a, count, out, ldc, k0 == ks.begin, next, buffer);
        if constexpr (Step::offset) {
          if (depth > 0) correct(out, columns, ldc, count, row_sums(staged, k) + k0 / kc * rows);
        }
        if (k0 + kc < ks.end) continue;
        if (reorder && b.col == 1)
          for (int i = 0; i < count; ++i) restore_order<Staged>(out + i * ldc, columns / nr * nr);
        sink(out, ldc, count, n, columns);
      }
    }
  }

  // `streams` panels take turns, one k block each. With one row of A it takes that to keep the memory busy; with more
  // rows, fetching ahead of a single stream is as good.
  template <class Sink>
  static void sweep_panels(const Lane* b, const void* staged, int count, int64_t k, Range ns, Range ks,
                           const Sink& sink) {
    constexpr int wide = nr * streams;
    alignas(64) Acc tile[rows * wide];
    for (int64_t n = ns.begin; n < ns.end; n += wide) {
      const int columns = int(min<int64_t>(wide, ns.end - n));
      const Lane* panel = b + n / nr * (Panels::elements(k) / Q);
      if (ks.size() <= 0)
        for (Acc& x : tile) x = 0;
      for (int64_t k0 = ks.begin; k0 < ks.end; k0 += kc) {
        const int64_t size = round_up(min<int64_t>(kc, ks.end - k0), Q);
        const Staged* a = static_cast<const Staged*>(staged) + k0 * rows;
        for (int j = 0; j < columns; j += nr) {
          const Lane* at = panel + j / nr * (Panels::elements(k) / Q) + k0 / Q * nr;
          // A single pass fetches two pages ahead of itself, several passes the block that comes next.
          const char* ahead = reinterpret_cast<const char*>(count <= mr ? at + 2048 : at + size / Q * nr);
          passes<true>(at, nr, a, size, count, tile + j, wide, k0 == ks.begin, ahead, nr * 4 / Q);
        }
        if constexpr (Step::offset) correct(tile, columns, wide, count, row_sums(staged, k) + k0 / kc * rows);
      }
      sink(tile, wide, count, n, columns);
    }
  }
};

}  // namespace tw
