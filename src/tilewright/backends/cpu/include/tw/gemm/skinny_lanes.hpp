// Skinny GEMM where k is contiguous in B and A has about as many rows as a register has lanes: the rows are the lanes.
//
// acc[column] += a_k * broadcast(b[column][k]): one load of A and nr multiply-adds per k, and no sum across lanes at
// the end. Each block of nr columns x kc is first copied (and converted) to a small buffer, because columns that lie a
// power of two apart fall into one cache set and would evict each other sixteen times per cache line. Blocks to come
// are fetched while the current one is multiplied.
#pragma once
#include "tw/parallel.hpp"
#include "tw/gemm/skinny_stage.hpp"

namespace tw {

template <class Traits>
struct SkinnyLanes {
  using A = typename Traits::A;
  using B = typename Traits::B;
  using Acc = typename Traits::Acc;
  static constexpr int mr = Traits::mr, nr = Traits::nr;
  static constexpr int kc = k_block(Traits::kc, 64, nr % lanes == 0 ? nr : lanes % nr == 0 ? lanes : nr * lanes);
  static constexpr int rows = mr, vectors = mr / lanes;
  static constexpr int unit_n = int(round_up(16, nr)), unit_k = kc;
  static constexpr int tile_n = unit_n * 4;
  static constexpr int lines = int(ceil_div(kc * sizeof(B), 64));  // cache lines of one column in one block
  static constexpr int distance = 2;                                // blocks fetched ahead
  static_assert(mr % lanes == 0, "mr must be a multiple of the lanes of a register");
  static_assert(kc % nr == 0 && kc % lanes == 0 && nr % 2 == 0, "kc must be a multiple of nr and of the lanes");
  static_assert(is_same<Acc, float> || kc <= 1024, "bytes through float32 are exact up to kc = 1024");
  static_assert(lines * nr <= kc, "kc steps must be enough to fetch a block: one cache line per step");

  static int64_t staged_bytes(int64_t k) { return round_up(k, kc) * mr * int64_t(sizeof(float)); }
  static int64_t scratch_bytes(int64_t) { return 0; }

  static void stage(View<const A> a, int64_t m, int count, int64_t k, void* staged, const Team& team) {
    const Range part = partition(k, kc, team.count, team.index);
    float* out = static_cast<float*>(staged) + part.begin * mr;
    if (part.size() > 0) stage_interleaved(a.transposed(), part.begin, part.size(), kc, m, count, out, mr);
  }

  // Multiplies one staged block (nr lines of kc) and adds it to out[column][row]; touches one cache line of `ahead`
  // per step.
  static TW_NOINLINE void block(const float* b, const float* a, const B* ahead, int64_t ahead_stride, Acc* out) {
    vf acc[nr][vectors] = {};
    for (int group = 0; group < kc / nr; ++group) {
      const B* fetch = ahead + (group < lines ? group * (64 / int(sizeof(B))) : 0);
      for (int k = 0; k < nr; k += 2) {
        TW_UNROLL
        for (int u = 0; u < 2; ++u) {
          if (lines == kc / nr || group < lines) __builtin_prefetch(fetch);
          fetch += ahead_stride;
          vf row[vectors];
          TW_UNROLL
          for (int v = 0; v < vectors; ++v) row[v] = load_bits<vf>(a + v * lanes);
          a += mr;
          TW_UNROLL
          for (int j = 0; j < nr; ++j) {
            TW_UNROLL
            for (int v = 0; v < vectors; ++v) acc[j][v] += row[v] * b[j * kc + u];
          }
        }
        b += 2;
      }
    }
    TW_UNROLL
    for (int j = 0; j < nr; ++j) {
      TW_UNROLL
      for (int v = 0; v < vectors; ++v) put(out + j * mr + v * lanes, acc[j][v], false);
    }
  }

  static TW_INLINE void copy_block(View<const B> b, int64_t k, int64_t depth, int64_t n, int columns, float* buffer) {
    if (b.row != 1 || depth != kc || columns != nr) {
      stage_lines(b, k, depth, n, columns, buffer, kc, nr);
      return;
    }
    const B* line = b.at(k, n);
    for (int j = 0; j < nr; ++j, line += b.col) {
      TW_UNROLL
      for (int i = 0; i < kc; i += lanes) store_bits(buffer + j * kc + i, load(line + i));
    }
  }

  template <class Sink>
  static void sweep(View<const B> b, const void* staged, int count, int64_t k, Range ns, Range ks, void*,
                    const Sink& sink) {
    alignas(64) float buffer[nr * kc];
    alignas(64) Acc acc[nr * mr];
    alignas(64) Acc tile[rows * tile_n];
    (void)k;
    for (int64_t n0 = ns.begin; n0 < ns.end; n0 += tile_n) {
      const int width = int(min<int64_t>(tile_n, ns.end - n0));
      for (int j = 0; j < width; j += nr) {
        const int columns = min(nr, width - j);
        for (int i = 0; i < nr * mr; ++i) acc[i] = 0;
        for (int64_t k0 = ks.begin; k0 < ks.end; k0 += kc) {
          copy_block(b, k0, min<int64_t>(kc, ks.end - k0), n0 + j, columns, buffer);
          const int64_t over = k0 + distance * kc - ks.end;
          const B* ahead = over < 0 ? b.at(k0 + distance * kc, n0 + j) : b.at(ks.begin + over, n0 + j + nr);
          block(buffer, static_cast<const float*>(staged) + k0 * mr, ahead, b.col, acc);
        }
        for (int i = 0; i < count; ++i)
          for (int q = 0; q < columns; ++q) tile[i * tile_n + j + q] = acc[q * mr + i];
      }
      sink(tile, tile_n, count, n0, width);
    }
  }
};

}  // namespace tw
