// The register tiles of the folded pipeline: T pixels (or T values of a row of taps) x one block of columns.
#pragma once
#include "tw/conv/strip.hpp"
#include "tw/simd.hpp"

namespace tw {

// acc + a * b in the register of acc: left to itself, gcc moves the sums of a full register file around, and spills some.
TW_INLINE void add_product(vf& acc, vf a, vf b) {
#if defined(TW_AVX512)
  asm("vfmadd231ps %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
#else
  acc = acc + a * b;
#endif
}

template <int T, int nv>
TW_INLINE void clear_tile(vf (&acc)[T][nv]) {
  TW_UNROLL
  for (int t = 0; t < T; ++t) {
    TW_UNROLL
    for (int v = 0; v < nv; ++v) acc[t][v] = vf{};
  }
}

// Rows of a tile are side by side in memory.
template <int T, int nv>
TW_INLINE void add_tile(vf (&acc)[T][nv], const float* from) {
  TW_UNROLL
  for (int t = 0; t < T; ++t) {
    TW_UNROLL
    for (int v = 0; v < nv; ++v) acc[t][v] = acc[t][v] + load_bits<vf>(from + (t * nv + v) * lanes);
  }
}
template <int T, int nv>
TW_INLINE void store_tile(const vf (&acc)[T][nv], float* to) {
  TW_UNROLL
  for (int t = 0; t < T; ++t) {
    TW_UNROLL
    for (int v = 0; v < nv; ++v) store_bits(to + (t * nv + v) * lanes, acc[t][v]);
  }
}

// acc[t] += value i of pixel t x row i of the weights, for i < length. Pixels are `step` floats apart. Three of them
// share a pointer: their distances fit the addressing of x86, which has too few registers for one each.
template <int T, int nv>
TW_INLINE void add_run(vf (&acc)[T][nv], const float* x, int64_t step, const float* w, int64_t length) {
  constexpr int pointers = int(ceil_div(T, 3)), unroll = 2;
  const float* p[pointers];
  TW_UNROLL
  for (int i = 0; i < pointers; ++i) {
    p[i] = x + 3 * i * step;
    keep_in_register(p[i]);
  }
  const auto one = [&](int at) __attribute__((always_inline)) {
    vf weight[nv];
    TW_UNROLL
    for (int v = 0; v < nv; ++v) weight[v] = load_bits<vf>(w + (at * nv + v) * lanes);
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      const vf value = repeat<1>(p[t / 3] + t % 3 * step + at);
      TW_UNROLL
      for (int v = 0; v < nv; ++v) add_product(acc[t][v], value, weight[v]);
    }
  };
  const auto advance = [&](int by) __attribute__((always_inline)) {
    TW_UNROLL
    for (int i = 0; i < pointers; ++i) p[i] += by;
    w += by * nv * lanes;
  };
  for (; length >= unroll; length -= unroll) {
    TW_UNROLL
    for (int u = 0; u < unroll; ++u) one(u);
    advance(unroll);
  }
  for (; length > 0; --length) {
    one(0);
    advance(1);
  }
}

// body.tile<size>(at), size <= T.
template <int T, class Body>
TW_INLINE void tile_of(const Body& body, int64_t size, int64_t at) {
  if (size == T) {
    body.template tile<T>(at);
    return;
  }
  if constexpr (T > 1) tile_of<T - 1>(body, size, at);
}
// body.tile<T>(at) for pieces of [0, count) of T <= Most each, which differ by one at most.
template <int Most, class Body>
TW_INLINE void in_tiles(int64_t count, const Body& body) {
  const int64_t pieces = ceil_div(count, Most);
  for (int64_t i = 0; i < pieces; ++i) {
    const int64_t begin = count * i / pieces;
    tile_of<Most>(body, count * (i + 1) / pieces - begin, begin);
  }
}

}  // namespace tw
