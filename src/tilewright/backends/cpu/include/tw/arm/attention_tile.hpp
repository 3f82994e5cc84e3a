// The two products of an attention tile by lane-indexed multiplication: no operand is broadcast on its own.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/attention/columns.hpp"

namespace tw {

// acc[key][register] += k[key][d] * qt[d][row]: a register of K holds four d of one key, as they lie.
template <int D, int Keys, int NV>
TW_INLINE void score_lanes(const float* const* keys, const float* qt, vf (&acc)[Keys][NV]) {
  constexpr int rows = NV * lanes, whole = D / quad * quad;
  const auto step = [&](auto lane, const vf (&k)[Keys], const float* q) __attribute__((always_inline)) {
    TW_UNROLL for (int v = 0; v < NV; ++v) {
      const vf x = load_bits<vf>(q + v * lanes);
      TW_UNROLL for (int j = 0; j < Keys; ++j) LaneFma::add_product<lane.value>(acc[j][v], x, k[j]);
    }
  };
  for (int d = 0; d < whole; d += quad, qt += quad * rows) {
    vf k[Keys];
    TW_UNROLL for (int j = 0; j < Keys; ++j) k[j] = load_quad<vf>(keys[j] + d);
    for_constants<quad>([&](auto lane) __attribute__((always_inline)) { step(lane, k, qt + lane.value * rows); });
  }
  for (int d = whole; d < D; ++d, qt += rows) {
    vf k[Keys];
    TW_UNROLL for (int j = 0; j < Keys; ++j) k[j] = splat<vf>(keys[j][d]);
    step(Constant<0>{}, k, qt);
  }
}

// acc[row][register] += weights[key][row] * v[key][column], for as many keys as it returns. Weights that lie row by row
// make one register of four rows; weights that lie key by key one of four keys, so keys are taken by fours.
template <int KeyStride, int RowStride, int Last, int Rows, int Columns, class T>
TW_INLINE int add_lanes(const T* const* values, int from, int keys, const float* weights, vf (&acc)[Rows][Columns]) {
  int j = 0;
  if constexpr (RowStride == 1 && Rows % quad == 0) {
    for (; j < keys; ++j, weights += KeyStride) {
      vf v[Columns], w[Rows / quad];
      TW_UNROLL for (int c = 0; c < Columns; ++c) v[c] = load_columns<Last, Columns>(values[j] + from, c);
      TW_UNROLL for (int i = 0; i < Rows / quad; ++i) w[i] = load_quad<vf>(weights + i * quad);
      for_constants<Rows>([&](auto r) __attribute__((always_inline)) {
        constexpr int row = r.value;
        TW_UNROLL for (int c = 0; c < Columns; ++c) LaneFma::add_product<row % quad>(acc[row][c], v[c], w[row / quad]);
      });
    }
  } else if constexpr (KeyStride == 1) {
    for (; j + quad <= keys; j += quad, weights += quad) {
      vf w[Rows];
      TW_UNROLL for (int r = 0; r < Rows; ++r) w[r] = load_quad<vf>(weights + r * RowStride);
      for_constants<quad>([&](auto key) __attribute__((always_inline)) {
        constexpr int lane = key.value;
        TW_UNROLL for (int c = 0; c < Columns; ++c) {  // one register of V at a time: weights take four
          const vf v = load_columns<Last, Columns>(values[j + lane] + from, c);
          TW_UNROLL for (int r = 0; r < Rows; ++r) LaneFma::add_product<lane>(acc[r][c], v, w[r]);
        }
      });
    }
  }
  return j;
}

}  // namespace tw
