// Tiles of backward weight that multiply by lanes: a register of a strip holds four input channels of a pixel, so four
// sums take one load, and no broadcast. Units for Arm include this before a pipeline.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/conv/weight_tiles.hpp"

namespace tw {

#if defined(TW_NEON)
template <>
struct QuadSums<false> {
  static constexpr bool fits = true;

  // acc[channel][register of columns] += gradient of the columns * input channel, of one pixel.
  template <int T, int NV>
  static TW_INLINE void add_pixel(vf (&acc)[T][NV], const vf (&grad)[NV], const float* x) {
    const vf in = load_quad<vf>(x);
    for_constants<T>([&](auto t) __attribute__((always_inline)) {
      TW_UNROLL
      for (int v = 0; v < NV; ++v) LaneFma::add_product<t.value>(acc[t.value][v], grad[v], in);
    });
  }

  // acc[tap][channel] += gradient * input channel, of a pixel that meets `FX` taps of T results.
  template <int Move, int T, int FX, int R>
  static TW_INLINE void add_taps(vf (&acc)[FX][R], const vf (&grad)[T], const float* x) {
    TW_UNROLL
    for (int s = 0; s < (T - 1) * Move + FX; ++s) {
      const vf in = load_quad<vf>(x + s * lanes);
      for_constants<R>([&](auto r) __attribute__((always_inline)) {
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          if (s < f || (s - f) % Move != 0 || (s - f) / Move >= T) continue;
          LaneFma::add_product<r.value>(acc[f][r.value], grad[(s - f) / Move], in);
        }
      });
    }
  }
};
#endif

}  // namespace tw
