// The skinny pipeline on Arm: its own walk along rows of B, and 8-bit dot products, where both operands are signed, so
// that nothing needs a correction.
#pragma once
#include "tw/arm/skinny_column.hpp"
#include "tw/arm/skinny_walk.hpp"
#include "tw/gemm/skinny_dot.hpp"
#include "tw/gemm/skinny_rows.hpp"

namespace tw {

#if defined(TW_SVE) || (defined(TW_NEON) && defined(__ARM_FEATURE_DOTPROD))
TW_INLINE vi add_dot(vi acc, vi a, vi b) {
#if defined(TW_SVE_ASM)
  asm("sdot %0.s, %1.b, %2.b" : "+w"(acc) : "w"(a), "w"(b));
#elif defined(TW_SVE)
  return plain_dot(acc, bit_cast<vec<int8_t, 4 * lanes>>(b), a);
#else
  asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(acc) : "w"(a), "w"(b));
#endif
  return acc;
}

template <>
struct DotStep<int8_t, Inner::dot> {
  using Staged = int8_t;
  using Lane = int32_t;
  static constexpr int depth = 4 * lanes;
  static constexpr bool offset = false;
  static TW_INLINE vi column(const int8_t* p) { return load_bits<vi>(p); }
  static TW_INLINE vi row(const int8_t* p) { return load_bits<vi>(p); }
  static TW_INLINE vi add_product(vi acc, vi a, vi b) { return add_dot(acc, a, b); }
};

template <>
struct RowStep<Inner::dot> {
  using Staged = int8_t;
  using Lane = int32_t;
  static constexpr int depth = 4;
  static constexpr bool offset = false;
  static TW_INLINE vi units(const int32_t* p) { return load_bits<vi>(p); }
  static TW_INLINE vi add_product(vi acc, int32_t a, vi b) { return add_dot(acc, splat<vi>(a), b); }
};
#endif

}  // namespace tw
