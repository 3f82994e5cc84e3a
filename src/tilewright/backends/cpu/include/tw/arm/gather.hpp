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

  // Sums of neighbouring taps that share what they read: one register of columns.
  template <int Pixels, int FX>
  static constexpr bool fits_window = nv == 1 && Pixels + FX * quad + (FX == 1 ? 4 : 2) <= vector_registers;

  // Adds the products of a quad of channels with FX taps, whose weights are `tap` floats apart. A sum waits for its last
  // product, so the pixels are taken in a few strands: rows, or parts of one row.
  template <int Move, int FX, int T, int U>
  static TW_INLINE void add_window(vf (&acc)[U][T][nv], const float* const (&p)[U], const float* w, int64_t tap) {
    constexpr int wanted = FX == 1 ? 4 : 2, parts = U >= wanted ? 1 : T % (wanted / U) == 0 ? wanted / U : 1;
    constexpr int length = T / parts, reach = (length - 1) * Move + FX;
    vf weight[FX][quad];
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      TW_UNROLL
      for (int r = 0; r < quad; ++r) weight[f][r] = load_bits<vf>(w + f * tap + r * Columns);
    }
    TW_UNROLL
    for (int s = 0; s < reach; ++s) {
      if (Move > FX && s % Move >= FX) continue;  // between the taps of neighbouring results
      vf x[U][parts];
      TW_UNROLL
      for (int i = 0; i < U * parts; ++i) {
        const float* at = p[i / parts] + (i % parts * length * Move + s) * lanes;
        // Left alone, the compiler loads all pixels first, and has no registers for them.
        if (s > FX) asm("" : "+r"(at) : "w"(acc[i / parts][i % parts * length + (s - FX - 1) / Move][0]));
        x[i / parts][i % parts] = load_quad<vf>(at);
      }
      for_constants<quad>([&](auto r) __attribute__((always_inline)) {
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          if (s < f || (s - f) % Move != 0 || (s - f) / Move >= length) continue;
          TW_UNROLL
          for (int i = 0; i < U * parts; ++i) {
            LaneFma::add_product<r.value>(acc[i / parts][i % parts * length + (s - f) / Move][0], weight[f][r.value],
                                          x[i / parts][i % parts]);
          }
        }
      });
    }
  }

  // Adds the products of `channels` channels: quads of them are `chunk` floats apart, pixels `step` floats.
  template <int T, int U>
  static TW_INLINE void add(vf (&acc)[U][T][nv], const float* (&p)[U], const float* w, int64_t channels, int64_t step,
                            int64_t chunk) {
    for (; channels >= quad; channels -= quad) {
      vf x[U][T];
      load(x, p, step, chunk);
      for_constants<quad>([&](auto r) __attribute__((always_inline)) { channel<r.value>(acc, x, w); });
    }
    if (channels == 0) return;
    vf x[U][T];
    load(x, p, step, chunk);
    channel<0>(acc, x, w);
    if (channels > 1) channel<1>(acc, x, w);
    if (channels > 2) channel<2>(acc, x, w);
  }

 private:
  template <int T, int U>
  static TW_INLINE void load(vf (&x)[U][T], const float* (&p)[U], int64_t step, int64_t chunk) {
    TW_UNROLL
    for (int u = 0; u < U; ++u) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) x[u][t] = load_quad<vf>(p[u] + t * step);
      p[u] += chunk;
    }
  }
  template <int R, int T, int U>
  static TW_INLINE void channel(vf (&acc)[U][T][nv], const vf (&x)[U][T], const float*& w) {
    vf weight[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) weight[c] = load_bits<vf>(w + c * lanes);
    w += Columns;
    TW_UNROLL
    for (int u = 0; u < U; ++u) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        TW_UNROLL
        for (int c = 0; c < nv; ++c) LaneFma::add_product<R>(acc[u][t][c], weight[c], x[u][t]);
      }
    }
  }
};
#endif

}  // namespace tw
