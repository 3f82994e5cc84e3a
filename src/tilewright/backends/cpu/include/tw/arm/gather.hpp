// Tiles of direct convolutions that multiply by lanes: a register of a strip holds four channels of a pixel, so a quad of
// channels takes one load per pixel, and no broadcast. Units for Arm include this before a pipeline.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/conv/gather_tiles.hpp"

namespace tw {

#if defined(TW_NEON)
template <int Columns>
struct QuadProducts<Columns, false> {
  static constexpr int nv = Columns / lanes;
  template <int Pixels>
  static constexpr bool fits = nv > 1 && Pixels * nv + Pixels + nv <= vector_registers;

  // Adds the products of `quads` quads of channels, `chunk` floats apart; pixels are `step` floats apart. Leaves the
  // pointers behind them.
  template <int T, int U>
  static TW_INLINE void add(vf (&acc)[U][T][nv], const float* (&p)[U], const float*& w, int64_t quads, int64_t step,
                            int64_t chunk) {
    for (; quads > 0; --quads, w += quad * Columns) {
      vf x[U][T];
      TW_UNROLL
      for (int u = 0; u < U; ++u) {
        TW_UNROLL
        for (int t = 0; t < T; ++t) x[u][t] = load_quad<vf>(p[u] + t * step);
        p[u] += chunk;
      }
      for_constants<quad>([&](auto r) __attribute__((always_inline)) {
        vf weight[nv];
        TW_UNROLL
        for (int c = 0; c < nv; ++c) weight[c] = load_bits<vf>(w + r.value * Columns + c * lanes);
        TW_UNROLL
        for (int u = 0; u < U; ++u) {
          TW_UNROLL
          for (int t = 0; t < T; ++t) {
            TW_UNROLL
            for (int c = 0; c < nv; ++c) LaneFma::add_product<r.value>(acc[u][t][c], weight[c], x[u][t]);
          }
        }
      });
    }
  }
};
#endif

}  // namespace tw
