// Element types as they lie in memory, and their conversion to and from float32.
//
// The conversions are written once, over an "unsigned lanes" type U and a "float lanes" type F, so that the same code
// serves one element (uint32_t, float) and a whole SIMD register. All of them round to nearest even and keep
// denormals. Overflow follows the format: f16 and bf8 go to infinity, fp8 and the fnuz types (no infinity) to NaN.
#pragma once
#include <stdint.h>

#include "tw/config.hpp"

namespace tw {

using f32 = float;
using i8 = int8_t;
using i32 = int32_t;
struct bf16 { uint16_t bits; };
struct f16 { uint16_t bits; };
struct fp8 { uint8_t bits; };        // OCP e4m3fn
struct bf8 { uint8_t bits; };        // OCP e5m2
struct fp8_fnuz { uint8_t bits; };   // e4m3, bias 8, one NaN (0x80), no infinity, no negative zero
struct bf8_fnuz { uint8_t bits; };   // e5m2, bias 16, likewise

enum class Specials { ieee, fn, fnuz };

template <int MantissaBits, int Bias, int Width, Specials S>
struct MinifloatFormat {
  static constexpr int mantissa = MantissaBits, bias = Bias, width = Width;
  static constexpr Specials specials = S;
  static constexpr uint32_t sign_bit = 1u << (Width - 1), magnitude_mask = sign_bit - 1;
  static constexpr uint32_t infinity = magnitude_mask & ~((1u << MantissaBits) - 1);  // ieee only
};
template <class T>
struct Format;
template <> struct Format<f16> : MinifloatFormat<10, 15, 16, Specials::ieee> {};
template <> struct Format<fp8> : MinifloatFormat<3, 7, 8, Specials::fn> {};
template <> struct Format<bf8> : MinifloatFormat<2, 15, 8, Specials::ieee> {};
template <> struct Format<fp8_fnuz> : MinifloatFormat<3, 8, 8, Specials::fnuz> {};
template <> struct Format<bf8_fnuz> : MinifloatFormat<2, 16, 8, Specials::fnuz> {};

template <class T>
constexpr bool is_minifloat = is_same<T, f16> || is_same<T, fp8> || is_same<T, bf8> || is_same<T, fp8_fnuz> ||
                              is_same<T, bf8_fnuz>;
template <class T>
constexpr bool is_fp8_family = is_minifloat<T> && !is_same<T, f16>;

// ---- one body for scalars and vectors -------------------------------------------------------------------------
template <class To, class From>
TW_INLINE To bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
// x - 0 is x even for -0.0 (x + 0 is not), so the compiler drops the subtraction and only broadcasts.
template <class V, class S>
TW_INLINE V splat(S x) { return x - V{}; }

constexpr float exp2_int(int e) { return e < 0 ? 0.5f * exp2_int(e + 1) : e > 0 ? 2.0f * exp2_int(e - 1) : 1.0f; }

// Codes (one per 32-bit lane) to float32. Exact.
template <class T, class F, class U>
TW_INLINE F decode_minifloat(U code) {
  using M = Format<T>;
  const U magnitude = code & splat<U>(M::magnitude_mask);
  const U sign = (code & splat<U>(M::sign_bit)) << (32 - M::width);
  const U normal = (magnitude << (23 - M::mantissa)) + splat<U>(uint32_t(127 - M::bias) << 23);
  // A denormal is a small integer times the spacing. The integer becomes a float by or-ing it under 2^23.
  const F integer = bit_cast<F>(magnitude | splat<U>(0x4B000000u)) - splat<F>(8388608.0f);
  const U denormal = bit_cast<U>(integer * splat<F>(exp2_int(1 - M::bias - M::mantissa)));
  U bits = (magnitude < splat<U>(1u << M::mantissa)) ? denormal : normal;
  if constexpr (M::specials == Specials::ieee) {
    const U special = (magnitude << (23 - M::mantissa)) | splat<U>(0x7F800000u);
    bits = (magnitude >= splat<U>(M::infinity)) ? special : bits;
  } else if constexpr (M::specials == Specials::fn) {
    bits = (magnitude == splat<U>(M::magnitude_mask)) ? splat<U>(0x7FC00000u) : bits;
  } else {
    bits = (code == splat<U>(M::sign_bit)) ? splat<U>(0x7FC00000u) : bits;
  }
  return bit_cast<F>(bits | sign);
}

// float32 to codes, one per 32-bit lane.
template <class T, class U, class F>
TW_INLINE U encode_minifloat(F x) {
  using M = Format<T>;
  constexpr int shift = 23 - M::mantissa;
  const U bits = bit_cast<U>(x);
  const U magnitude = bits & splat<U>(0x7FFFFFFFu);
  const U sign = (bits >> (32 - M::width)) & splat<U>(M::sign_bit);
  const U even = (magnitude >> shift) & splat<U>(1u);
  const U rounded = (magnitude + even + splat<U>((1u << (shift - 1)) - 1)) >> shift;
  const U normal = rounded - splat<U>(uint32_t(127 - M::bias) << M::mantissa);
  // Below the smallest normal, adding a float whose spacing is that of the format's denormals rounds correctly.
  const F magic = splat<F>(exp2_int(24 - M::bias - M::mantissa));
  const U denormal = bit_cast<U>(bit_cast<F>(magnitude) + magic) - bit_cast<U>(magic);
  U code = (magnitude < splat<U>(uint32_t(128 - M::bias) << 23)) ? denormal : normal;
  const auto is_nan = magnitude > splat<U>(0x7F800000u);
  if constexpr (M::specials == Specials::fnuz) {
    const auto no_number = (code > splat<U>(M::magnitude_mask)) | is_nan;
    const U number = (code == splat<U>(0u)) ? splat<U>(0u) : (code | sign);
    return no_number ? splat<U>(M::sign_bit) : number;
  } else {
    constexpr uint32_t top = M::specials == Specials::ieee ? M::infinity : M::magnitude_mask;
    code = (code > splat<U>(top)) ? splat<U>(top) : code;
    code = is_nan ? splat<U>(M::magnitude_mask) : code;
    return code | sign;
  }
}

template <class U, class F>
TW_INLINE U encode_bf16(F x) {
  const U bits = bit_cast<U>(x);
  const U rounded = (bits + splat<U>(0x7FFFu) + ((bits >> 16) & splat<U>(1u))) >> 16;
  const U quiet = (bits >> 16) | splat<U>(0x40u);  // rounding must not turn a NaN into an infinity
  return ((bits & splat<U>(0x7FFFFFFFu)) > splat<U>(0x7F800000u)) ? quiet : rounded;
}

// ---- one element ------------------------------------------------------------------------------------------------
template <class T>
TW_INLINE float to_float(T x) {
  if constexpr (is_same<T, float> || is_same<T, int8_t> || is_same<T, int32_t>) {
    return float(x);
  } else if constexpr (is_same<T, bf16>) {
    return bit_cast<float>(uint32_t(x.bits) << 16);
  } else {
    return decode_minifloat<T, float>(uint32_t(x.bits));
  }
}

// Integers are rounded to nearest even and saturated; a NaN becomes the smallest integer.
template <class T>
TW_INLINE T from_float(float x) {
  if constexpr (is_same<T, float>) {
    return x;
  } else if constexpr (is_same<T, int32_t> || is_same<T, int8_t>) {
    constexpr float high = is_same<T, int8_t> ? 127.0f : 2147483520.0f;
    constexpr float low = is_same<T, int8_t> ? -128.0f : -2147483648.0f;
    if (is_same<T, int32_t> && x >= 2147483648.0f) return T(0x7FFFFFFF);
    x = x < high ? x : (x >= high ? high : low);
    return T(__builtin_rintf(x > low ? x : low));
  } else if constexpr (is_same<T, bf16>) {
    return bf16{uint16_t(encode_bf16<uint32_t>(x))};
  } else {
    T y;
    y.bits = decltype(y.bits)(encode_minifloat<T, uint32_t>(x));
    return y;
  }
}

}  // namespace tw
