// 8-bit floats to bf16, many at a time. Every 8-bit float is a bf16, so nothing is rounded.
#pragma once
#include "tw/simd.hpp"

namespace tw {

#if defined(TW_AVX512)
// The bf16 codes of the denormals of T, by magnitude, repeated to fill a register.
template <class T>
struct DenormalTable {
  alignas(64) uint16_t codes[32];
  constexpr DenormalTable() : codes() {
    using M = Format<T>;
    for (int i = 0; i < 32; ++i) {
      const int magnitude = i % (1 << M::mantissa);
      int top = 0;
      for (int bit = 0; bit < M::mantissa; ++bit) top = magnitude >> bit & 1 ? bit : top;
      const int exponent = 127 + top + 1 - M::bias - M::mantissa, rest = magnitude ^ (1 << top);
      codes[i] = magnitude == 0 ? 0 : uint16_t(exponent << 7 | rest << (7 - top));
    }
  }
};
template <class T>
constexpr DenormalTable<T> denormal_table{};

template <class V>
TW_INLINE V permute16(V table, V index) {
  V r;
  asm("vpermw %2, %1, %0" : "=v"(r) : "v"(index), "v"(table));
  return r;
}

// N codes of T (16 or 32) as bf16 codes.
template <class T, int N>
TW_INLINE vec<uint16_t, N> bf16_of_fp8(vec<uint8_t, N> code) {
  using M = Format<T>;
  using U = vec<uint16_t, N>;
  U wide;
  asm("vpmovzxbw %1, %0" : "=v"(wide) : "v"(code));
  const U magnitude = wide & splat<U>(uint16_t(M::magnitude_mask)), sign = (wide & splat<U>(uint16_t(0x80))) << 8;
  const U normal = (magnitude << (7 - M::mantissa)) + splat<U>(uint16_t((127 - M::bias) << 7));
  const U denormal = permute16(load_bits<U>(denormal_table<T>.codes), magnitude);
  U bits = magnitude < splat<U>(uint16_t(1 << M::mantissa)) ? denormal : normal;
  if constexpr (M::specials == Specials::ieee) {
    const U special = (magnitude << (7 - M::mantissa)) | splat<U>(uint16_t(0x7F80));
    bits = magnitude >= splat<U>(uint16_t(M::infinity)) ? special : bits;
  } else if constexpr (M::specials == Specials::fn) {
    bits = magnitude == splat<U>(uint16_t(M::magnitude_mask)) ? splat<U>(uint16_t(0x7FC0)) : bits;
  } else {
    bits = wide == splat<U>(uint16_t(0x80)) ? splat<U>(uint16_t(0x7FC0)) : bits;
  }
  return bits | sign;
}
#endif

}  // namespace tw
