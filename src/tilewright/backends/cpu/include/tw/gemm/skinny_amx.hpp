// Skinny GEMM with AMX tiles (bf16, 8-bit integers; 8-bit floats are converted to bf16 on the way).
//
// SkinnyTiles: k contiguous in B. The operands change places: 16 columns of B, which lie in memory as rows of 64 bytes,
// are the left tile, straight from memory; the few rows of A, interleaved, are the right one. B is never copied.
// SkinnyTileRows: n contiguous in B (blocks are interleaved into a small buffer first), or B packed ahead (panel.hpp),
// which already is a sequence of right tiles; rows of A are the left tile.
#pragma once
#include "tw/amx.hpp"
#include "tw/gemm/panel.hpp"
#include "tw/parallel.hpp"
#include "tw/gemm/skinny_stage.hpp"

namespace tw {

template <bool Bytes>
struct ChooseStaged { using type = bf16; };
template <>
struct ChooseStaged<true> { using type = int8_t; };

// What both cores know: types, sizes of one tile step, the tiles' numbers.
template <class Traits>
struct SkinnyAmx {
  using A = typename Traits::A;
  using B = typename Traits::B;
  using Acc = typename Traits::Acc;
  static constexpr bool bytes = is_same<A, int8_t> && is_same<B, int8_t>;
  template <class T>
  static constexpr bool fits_bf16 = is_same<T, bf16> || is_fp8_family<T>;
  static_assert(bytes || (fits_bf16<A> && fits_bf16<B>), "AMX multiplies int8, or floats that fit into bf16");
  using Staged = typename ChooseStaged<bytes>::type;
  static constexpr int mr = Traits::mr, nr = Traits::nr, rows = mr;
  static constexpr bool lines = Traits::k_contiguous && !Traits::packed;  // or rows, which are as many streams
  static constexpr int kc = k_block(Traits::kc, (lines ? 512 : 128) / int(sizeof(Staged)), 64);
  static constexpr int Q = 4 / int(sizeof(Staged)), depth = 16 * Q, tiles = nr / 16;
  static constexpr int left = 6, right = 7;
  static constexpr int unit_n = nr, unit_k = kc;
  static_assert(mr == 16, "AMX: mr must be 16, the rows of a tile");
  static_assert(nr % 16 == 0 && tiles <= 6, "AMX: nr must be 16, 32, ..., 96: one tile per 16 columns");
  static_assert(kc % depth == 0, "AMX: kc must be a multiple of the k elements of a tile (32 bf16, 64 bytes)");

  // Accumulators of acc_rows x acc_columns; 16 rows of 64 bytes for the large operand, as many as needed for the small.
  static TileConfig tile_config(int acc_rows, int acc_columns, int left_rows, int right_columns) {
    TileConfig c;
    for (int t = 0; t < left; ++t) c.set(t, acc_rows, acc_columns * 4);
    c.set(left, left_rows, 64);
    c.set(right, 16, right_columns * 4);
    return c;
  }
  template <int Tile>
  static TW_INLINE void multiply() {
    if constexpr (bytes) tile_dot_i8<Tile, left, right>();
    else tile_dot_bf16<Tile, left, right>();
  }
};

template <class Traits>
struct SkinnyTiles : SkinnyAmx<Traits> {
  using Base = SkinnyAmx<Traits>;
  using typename Base::A, typename Base::Acc, typename Base::B, typename Base::Staged;
  using Base::depth, Base::kc, Base::left, Base::mr, Base::nr, Base::Q, Base::right, Base::rows, Base::tiles;

  static int64_t staged_bytes(int64_t k) { return round_up(k, depth) * mr * int64_t(sizeof(Staged)); }
  static int64_t scratch_bytes(int64_t) { return 0; }

  // [k / Q][count][Q]: `count` columns of a right tile.
  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(k, depth, team.count, team.index);
    Staged* out = static_cast<Staged*>(staged) + part.begin * count;
    if (part.size() > 0) stage_interleaved(a.transposed(), part.begin, part.size(), depth, m, count, out, count);
  }

  // Adds `size` k elements of nr lines (`ld` elements apart) times the staged rows to the accumulator tiles.
  static TW_INLINE void multiply_lines(const Staged* b, int64_t ld, const Staged* a, int64_t size, int count) {
    for (int64_t k = 0; k < size; k += depth) {
      tile_load<right>(a + k * count, count * 4);
      for_tiles<tiles>([&](auto t) {
        tile_load<left>(b + t.value * 16 * ld + k, ld * int64_t(sizeof(Staged)));
        Base::template multiply<t.value>();
      });
    }
  }

  // Sums of one tile, [column][row], to rows of the output tile.
  static TW_INLINE void turn(const Acc* sums, int count, Acc* tile) {
    vu v[16];
    for (int j = 0; j < 16; ++j) v[j] = load_bits<vu>(sums + j * 16);
    transpose(v);
    for (int i = 0; i < count; ++i) store_bits(tile + i * nr, v[i]);
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t, Range ns, Range ks, void*,
                    const Sink& sink) {
    const TileScope scope(Base::tile_config(16, count, 16, count));
    const Staged* a = static_cast<const Staged*>(staged);
    alignas(64) Staged buffer[nr * kc];
    alignas(64) Acc sums[16 * mr] = {};
    alignas(64) Acc tile[mr * nr];
    for (int64_t n = ns.begin; n < ns.end; n += nr) {
      const int columns = int(min<int64_t>(nr, ns.end - n));
      for_tiles<tiles>([](auto t) { tile_zero<t.value>(); });
      int64_t k = ks.begin;
      if constexpr (is_same<B, Staged>) {
        if (b.row == 1 && columns == nr) {
          const int64_t whole = ks.size() / depth * depth;
          multiply_lines(b.at(k, n), b.col, a + k * count, whole, count);
          k += whole;
        }
      }
      for (; k < ks.end; k += kc) {
        const int64_t some = min<int64_t>(kc, ks.end - k), padded = round_up(some, depth);
        stage_lines<Staged, true>(b, k, some, n, columns, buffer, padded, nr);
        multiply_lines(buffer, padded, a + k * count, padded, count);
      }
      for_tiles<tiles>([&](auto t) {
        tile_store<t.value>(sums, 64);
        turn(sums, count, tile + t.value * 16);
      });
      sink(tile, nr, count, n, columns);
    }
  }
};

template <class Traits>
struct SkinnyTileRows : SkinnyAmx<Traits> {
  using Base = SkinnyAmx<Traits>;
  using typename Base::A, typename Base::Acc, typename Base::B, typename Base::Staged;
  using Base::depth, Base::kc, Base::left, Base::mr, Base::nr, Base::Q, Base::right, Base::rows, Base::tiles;
  static constexpr bool packed = Traits::packed;
  using Panels = Panel<Staged, nr, Q, depth>;
  static constexpr int width = int(round_up(512 / sizeof(B), nr));  // columns staged at a time: half a kilobyte per row
  static constexpr bool reorder = reorders<Staged, B, nr>;
  static constexpr int streams = packed && tiles < 4 ? 4 / tiles : 1;  // panels read side by side

  static int64_t staged_bytes(int64_t k) { return round_up(k, depth) * mr * int64_t(sizeof(Staged)); }
  static int64_t leading(int64_t n) { return round_up(n, nr) + 16; }
  static int64_t scratch_bytes(int64_t n) { return packed ? 0 : rows * leading(n) * int64_t(sizeof(Acc)); }

  // [k / depth][count][depth]: one left tile after another.
  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(k, depth, team.count, team.index);
    for (int64_t at = part.begin; at < part.end; at += depth)
      stage_lines(a.transposed(), at, min<int64_t>(depth, k - at), m, count,
                  static_cast<Staged*>(staged) + at * count, depth, count);
  }

  // Adds `size` k elements of Count panels, [k / Q][nr][Q] each, times the staged rows to the accumulator tiles.
  template <int Count>
  static TW_INLINE void multiply_panels(const Staged* const* panels, const Staged* a, int64_t size, int count) {
    for (int64_t k = 0; k < size; k += depth) {
      tile_load<left>(a + k * count, 64);
      for_tiles<Count * tiles>([&](auto t) {
        const Staged* b = panels[t.value / tiles] + k * nr + t.value % tiles * 16 * Q;
        if constexpr (Count == 1 && packed) {  // a single stream runs ahead of the hardware prefetcher
          TW_UNROLL
          for (int r = 0; r < 16; ++r) __builtin_prefetch(b + (r * nr * Q + 8192 / int(sizeof(Staged))), 0, 2);
        }
        tile_load<right>(b, nr * 4);
        Base::template multiply<t.value>();
      });
    }
  }
  template <int First>
  static TW_INLINE void store_tiles(Acc* c, int64_t ldc) {
    for_tiles<tiles>([&](auto t) { tile_store<First + t.value>(c + t.value * 16, ldc * 4); });
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, void* scratch,
                    const Sink& sink) {
    const TileScope scope(Base::tile_config(count, 16, count, 16));
    const Staged* a = static_cast<const Staged*>(staged);
    if constexpr (packed) sweep_panels(reinterpret_cast<const Staged*>(b.data), a, count, k, ns, ks, sink);
    else sweep_plain(b, a, count, ns, ks, static_cast<Acc*>(scratch), sink);
  }

  template <class Sink>
  static void sweep_panels(const Staged* b, const Staged* a, int count, int64_t k, Range ns, Range ks,
                           const Sink& sink) {
    alignas(64) Acc tile[mr * nr * streams];
    for (int64_t n = ns.begin; n < ns.end; n += nr * streams) {
      const int columns = int(min<int64_t>(nr * streams, ns.end - n));
      const Staged* panels[streams];
      for (int s = 0; s < streams; ++s)
        panels[s] = b + (n / nr + min(s, (columns - 1) / nr)) * Panels::elements(k) + ks.begin * nr;
      for_tiles<streams * tiles>([](auto t) { tile_zero<t.value>(); });
      multiply_panels<streams>(panels, a + ks.begin * count, round_up(ks.size(), depth), count);
      for_tiles<streams>([&](auto s) { store_tiles<s.value * tiles>(tile + s.value * nr, nr * streams); });
      sink(tile, nr * streams, count, n, columns);
    }
  }

  template <class Sink>
  static void sweep_plain(View<const B> b, const Staged* a, int count, Range ns, Range ks, Acc* c, const Sink& sink) {
    const int64_t ldc = leading(ns.size());
    alignas(64) Staged buffer[kc * width];
    for (int64_t k = ks.begin; k == ks.begin || k < ks.end; k += kc) {
      const int64_t some = max<int64_t>(0, min<int64_t>(kc, ks.end - k)), padded = round_up(some, depth);
      for (int64_t n = ns.begin; n < ns.end; n += width) {
        const int columns = int(min<int64_t>(width, ns.end - n));
        Acc* out = c + n - ns.begin;
        if (some > 0) stage_interleaved<Staged, reorder, true>(b, k, some, depth, n, columns, buffer, nr);
        for (int j = 0; j < columns; j += nr) {
          if (k == ks.begin) for_tiles<tiles>([](auto t) { tile_zero<t.value>(); });
          else for_tiles<tiles>([&](auto t) { tile_load<t.value>(out + j + t.value * 16, ldc * 4); });
          const Staged* panel = buffer + j * padded;
          multiply_panels<1>(&panel, a + k * count, padded, count);
          store_tiles<0>(out + j, ldc);
        }
        if (k + kc < ks.end) continue;
        if (reorder && b.col == 1)
          for (int i = 0; i < count; ++i) restore_order<Staged>(out + i * ldc, columns / nr * nr);
        sink(out, ldc, count, n, columns);
      }
    }
  }
};

}  // namespace tw
