// The two products of an attention tile. Lanes are query rows in the first and columns of V in the second, so that
// neither K nor V is ever transposed or packed, and the softmax between them works on whole registers of rows.
#pragma once
#include "tw/math.hpp"

namespace tw {

// scores[key][row] = sum over d of k[key][d] * qt[d][row], for `Keys` keys and NV registers of rows.
template <int D, int NV, int Keys>
TW_INLINE void score_keys(const float* const* keys, const float* qt, float* scores) {
  constexpr int rows = NV * lanes;
  vf acc[Keys][NV] = {};
  for (int d = 0; d < D; ++d) {
    vf q[NV];
    TW_UNROLL for (int v = 0; v < NV; ++v) q[v] = load_bits<vf>(qt + d * rows + v * lanes);
    TW_UNROLL for (int j = 0; j < Keys; ++j) {
      const vf k = splat<vf>(keys[j][d]);
      TW_UNROLL for (int v = 0; v < NV; ++v) acc[j][v] = k * q[v] + acc[j][v];
    }
  }
  TW_UNROLL for (int j = 0; j < Keys; ++j) {
    TW_UNROLL for (int v = 0; v < NV; ++v) store_bits(scores + j * rows + v * lanes, acc[j][v]);
  }
}

// The sum of the lanes.
TW_INLINE float lane_sum(vf x) {
#if defined(__clang__)  // has no shuffle by a vector, and makes one of this loop
  float sum = 0.0f;
  for (int i = 0; i < lanes; ++i) sum += x[i];
  return sum;
#else
  TW_UNROLL for (int half = lanes / 2; half > 0; half /= 2) {
    vi other;
    TW_UNROLL for (int i = 0; i < lanes; ++i) other[i] = (i + half) % lanes;
    x = x + __builtin_shuffle(x, other);
  }
  return x[0];
#endif
}

// scores[key] = sum over d of k[key][d] * q[d], lanes along d: for a single row, whose register of rows would be empty.
template <int D, int Stride, class T>
TW_INLINE void score_row(const T* const* keys, int count, const float* q, float* scores) {
  constexpr int whole = D / lanes, last = D - whole * lanes;
  for (int j = 0; j < count; ++j) {
    vf sum[2] = {};
    TW_UNROLL for (int i = 0; i < whole; ++i)
      sum[i % 2] = load_bits<vf>(q + i * lanes) * load(keys[j] + i * lanes) + sum[i % 2];
    if constexpr (last > 0)
      sum[0] = load_partial(q + whole * lanes, last) * load_partial(keys[j] + whole * lanes, last) + sum[0];
    scores[j * Stride] = lane_sum(sum[0] + sum[1]);
  }
}

// out[row][column] += sum over keys of weights[key][row] * v[key][column], for `Rows` rows and `Columns` registers
// from column `from` on. Only the first `Last` columns of the last register are read.
template <int Rows, int Columns, int RowStride, int Last, class T>
TW_INLINE void add_values(const T* const* values, int from, int keys, const float* weights, float* out, int width) {
  vf acc[Rows][Columns];
  TW_UNROLL for (int r = 0; r < Rows; ++r) {
    TW_UNROLL for (int c = 0; c < Columns; ++c) acc[r][c] = load_bits<vf>(out + r * width + from + c * lanes);
  }
  for (int j = 0; j < keys; ++j) {
    const T* value = values[j] + from;
    vf v[Columns];
    TW_UNROLL for (int c = 0; c + 1 < Columns; ++c) v[c] = load(value + c * lanes);
    if constexpr (Last < lanes) v[Columns - 1] = load_partial(value + (Columns - 1) * lanes, Last);
    else v[Columns - 1] = load(value + (Columns - 1) * lanes);
    TW_UNROLL for (int r = 0; r < Rows; ++r) {
      const vf w = splat<vf>(weights[j * RowStride + r]);
      TW_UNROLL for (int c = 0; c < Columns; ++c) acc[r][c] = w * v[c] + acc[r][c];
    }
  }
  TW_UNROLL for (int r = 0; r < Rows; ++r) {
    TW_UNROLL for (int c = 0; c < Columns; ++c) store_bits(out + r * width + from + c * lanes, acc[r][c]);
  }
}

// All columns of V for `Rows` rows, at most `Step` registers at a time.
template <int Rows, int Step, int DV, int RowStride, class T>
TW_INLINE void add_all_values(const T* const* values, int keys, const float* weights, float* out) {
  constexpr int vectors = int(ceil_div(DV, lanes)), last = DV - (vectors - 1) * lanes, width = vectors * lanes;
  constexpr int ahead = (vectors - 1) / Step * Step;  // the last step is apart: it may end within a register
  for (int c = 0; c < ahead; c += Step)
    add_values<Rows, Step, RowStride, lanes>(values, c * lanes, keys, weights, out, width);
  add_values<Rows, vectors - ahead, RowStride, last>(values, ahead * lanes, keys, weights, out, width);
}

TW_INLINE bool any(vi mask) {
  int32_t seen = 0;
  TW_UNROLL for (int i = 0; i < lanes; ++i) seen |= mask[i];
  return seen != 0;
}

}  // namespace tw
