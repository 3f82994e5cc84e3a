// The two products of an attention tile. Lanes are query rows in the first and columns of V in the second, so that
// neither K nor V is ever transposed or packed, and the softmax between them works on whole registers of rows.
#pragma once
#include "tw/math.hpp"
#include "tw/attention/columns.hpp"
#include "tw/gemm/pack.hpp"

namespace tw {

// Accumulators of a tile: many, so that operands are used often, but with registers left for these. A single row has
// `row_columns` of V and `row_keys` sums.
template <int NV>
struct AttentionTile {
  static constexpr bool wide = vector_registers == 32;
#if defined(TW_NEON)
  static constexpr int keys = NV == 4 ? 6 : NV == 2 ? 8 : 12, rows = 4, columns = 6;
  static constexpr int row_columns = 16, row_keys = 8;
#else
  static constexpr int keys = (wide ? 24 : 8) / NV, rows = wide ? 6 : 4, columns = wide ? 4 : 2;
  static constexpr int row_columns = wide ? 8 : 4, row_keys = lanes;
#endif
};

// to[d][row] = rows[row][d] in float32, for NV registers of rows.
template <int D, int NV, class T>
TW_INLINE void transpose_rows(const T* const* rows, float* to) {
  for (int v = 0; v < NV; ++v) {
    for (int d = 0; d < D; d += lanes) {
      const int columns = min(lanes, D - d);
      vu words[lanes];
      TW_UNROLL for (int r = 0; r < lanes; ++r) {
        const T* row = rows[v * lanes + r] + d;
        words[r] = bit_cast<vu>(columns == lanes ? load(row) : load_partial(row, columns));
      }
      transpose(words);
      for (int c = 0; c < columns; ++c) store_bits(to + (d + c) * NV * lanes + v * lanes, words[c]);
    }
  }
}

// scores[key][row] = sum over d of k[key][d] * qt[d][row], for `Keys` keys and NV registers of rows.
// Not inlined, as add_values: in a large function the accumulators would not all get registers.
template <int D, int NV, int Keys>
TW_NOINLINE void score_keys(const float* const* keys, const float* qt, float* scores) {
  constexpr int rows = NV * lanes;
  vf acc[Keys][NV] = {};
#if defined(TW_NEON)
  score_lanes<D>(keys, qt, acc);
#else
  for (int d = 0; d < D; ++d) {
    vf q[NV];
    TW_UNROLL for (int v = 0; v < NV; ++v) q[v] = load_bits<vf>(qt + d * rows + v * lanes);
    TW_UNROLL for (int j = 0; j < Keys; ++j) {
      const vf k = splat<vf>(keys[j][d]);
      TW_UNROLL for (int v = 0; v < NV; ++v) acc[j][v] = k * q[v] + acc[j][v];
    }
  }
#endif
  TW_UNROLL for (int j = 0; j < Keys; ++j) {
    TW_UNROLL for (int v = 0; v < NV; ++v) store_bits(scores + j * rows + v * lanes, acc[j][v]);
  }
}

// Lane i of the answer is the sum of the lanes of v[i].
TW_INLINE vf lane_sums(vf (&v)[lanes]) {
  TW_UNROLL for (int i = 0; i < lanes; i += 2)
    v[i] = TW_SHUFFLE4(v[i], v[i + 1], 0, lanes, 1, lanes + 1) +
           TW_SHUFFLE4(v[i], v[i + 1], 2, lanes + 2, 3, lanes + 3);
  TW_UNROLL for (int i = 0; i < lanes; i += 4)
    v[i] = TW_SHUFFLE4(v[i], v[i + 2], 0, 1, lanes, lanes + 1) +
           TW_SHUFFLE4(v[i], v[i + 2], 2, 3, lanes + 2, lanes + 3);
  // Each 128 bits of v[0], v[4], ... now hold one part of the sums of four.
#if TW_LANES == 16
  TW_UNROLL for (int i = 0; i < 16; i += 8)
    v[i] = __builtin_shufflevector(v[i], v[i + 4], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(v[i], v[i + 4], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  v[0] = __builtin_shufflevector(v[0], v[8], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
         __builtin_shufflevector(v[0], v[8], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
#elif TW_LANES == 8
  v[0] = __builtin_shufflevector(v[0], v[4], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(v[0], v[4], 4, 5, 6, 7, 12, 13, 14, 15);
#endif
  return v[0];
}

// scores[j] = sum over d of k[j][d] * q[d] for `lanes` keys, lanes along d: for a single row, whose register of rows
// would be all but empty.
#if defined(TW_NEON)
// One key after another in a loop, not all at once: a CPU asks for memory early for instructions that it meets again.
template <int D, class T>
TW_INLINE void score_row(const T* const* keys, const float* q, float* scores) {
  constexpr int whole = D / lanes, last = D - whole * lanes, chains = whole < 4 ? 1 : 4;
  vf sums[2 * lanes];
#if defined(__clang__)
#pragma clang loop unroll(disable)
#else
#pragma GCC unroll 1
#endif
  for (int j = 0; j < 2 * lanes; ++j) {
    vf sum[chains] = {};
    TW_UNROLL for (int i = 0; i < whole; ++i)
      sum[i % chains] = load_bits<vf>(q + i * lanes) * load(keys[j] + i * lanes) + sum[i % chains];
    if constexpr (last > 0)
      sum[0] = load_partial(q + whole * lanes, last) * load_partial(keys[j] + whole * lanes, last) + sum[0];
    TW_UNROLL for (int i = 1; i < chains; ++i) sum[0] = sum[0] + sum[i];
    sums[j] = sum[0];
  }
  TW_UNROLL for (int i = 0; i < 2; ++i) {
    vf four[lanes];
    TW_UNROLL for (int j = 0; j < lanes; ++j) four[j] = sums[i * lanes + j];
    store_bits(scores + i * lanes, lane_sums(four));
  }
}
#else
template <int D, class T>
TW_INLINE void score_row(const T* const* keys, const float* q, float* scores) {
  constexpr int whole = D / lanes, last = D - whole * lanes;
  vf sums[lanes];
  TW_UNROLL for (int j = 0; j < lanes; ++j) {
    vf sum{};
    TW_UNROLL for (int i = 0; i < whole; ++i) sum = load_bits<vf>(q + i * lanes) * load(keys[j] + i * lanes) + sum;
    if constexpr (last > 0)
      sum = load_partial(q + whole * lanes, last) * load_partial(keys[j] + whole * lanes, last) + sum;
    sums[j] = sum;
  }
  store_bits(scores, lane_sums(sums));
}
#endif

// out[row][column] += sum over keys of weights[key][row] * v[key][column], for `Rows` rows and `Columns` registers
// from column `from` on. Weights are KeyStride and RowStride apart. Only the first `Last` columns of the last register
// are read.
template <int Rows, int Columns, int KeyStride, int RowStride, int Last, class T>
TW_NOINLINE void add_values(const T* const* values, int from, int keys, const float* weights, float* out, int width) {
  vf acc[Rows][Columns];
  TW_UNROLL for (int r = 0; r < Rows; ++r) {
    TW_UNROLL for (int c = 0; c < Columns; ++c) acc[r][c] = load_bits<vf>(out + r * width + from + c * lanes);
  }
  int j = 0;
#if defined(TW_NEON)
  j = add_lanes<KeyStride, RowStride, Last>(values, from, keys, weights, acc);
#endif
  for (; j < keys; ++j) {
    vf v[Columns];
    TW_UNROLL for (int c = 0; c < Columns; ++c) v[c] = load_columns<Last, Columns>(values[j] + from, c);
    TW_UNROLL for (int r = 0; r < Rows; ++r) {
      const vf w = splat<vf>(weights[j * KeyStride + r * RowStride]);
      TW_UNROLL for (int c = 0; c < Columns; ++c) acc[r][c] = w * v[c] + acc[r][c];
    }
  }
  TW_UNROLL for (int r = 0; r < Rows; ++r) {
    TW_UNROLL for (int c = 0; c < Columns; ++c) store_bits(out + r * width + from + c * lanes, acc[r][c]);
  }
}

// All columns of V for `count` rows, a multiple of `Rows` or rounded up to one; at most `Step` registers at a time.
// Columns change last: with many rows, a strip of V stays in the cache for all of them.
template <int Rows, int Step, int DV, int KeyStride, int RowStride = 1, class T>
TW_INLINE void add_all_values(const T* const* values, int keys, const float* weights, float* out, int count = Rows) {
  constexpr int vectors = int(ceil_div(DV, lanes)), last = DV - (vectors - 1) * lanes, width = vectors * lanes;
  constexpr int ahead = (vectors - 1) / Step * Step;  // the last step is apart: it may end within a register
  for (int c = 0; c < ahead; c += Step) {
    for (int r = 0; r < count; r += Rows)
      add_values<Rows, Step, KeyStride, RowStride, lanes>(values, c * lanes, keys, weights + r * RowStride,
                                                          out + r * width, width);
  }
  for (int r = 0; r < count; r += Rows)
    add_values<Rows, vectors - ahead, KeyStride, RowStride, last>(values, ahead * lanes, keys, weights + r * RowStride,
                                                                  out + r * width, width);
}

}  // namespace tw
