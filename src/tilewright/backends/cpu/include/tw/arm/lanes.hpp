// Multiplication by one lane of a register: Arm's own way to broadcast an operand.
//
// A register of A holds one word of four rows. NEON loads it as it lies; SVE repeats these 16 bytes in every 128 bits of
// a longer register, because its instructions count lanes inside of 128 bits. Lane numbers are part of the instruction,
// hence template parameters. Written as asm statements: from a lane that is asked for in C++ the compiler makes a scalar
// load, and <arm_neon.h> costs 0.4 s of compile time.
#pragma once
#include "tw/simd.hpp"

namespace tw {

constexpr int quad = 4;  // 32-bit lanes that an instruction can name

// f(Constant<0>), ..., f(Constant<Count - 1>).
template <int I>
struct Constant { static constexpr int value = I; };
template <int Count, int I = 0, class F>
TW_INLINE void for_constants(const F& f) {
  if constexpr (I < Count) {
    f(Constant<I>{});
    for_constants<Count, I + 1>(f);
  }
}

// 16 bytes as they lie, in every 128 bits of a register.
template <class V>
TW_INLINE V load_quad(const void* p) {
  V v;
#if defined(TW_SVE_ASM)
  __SVBool_t all;
  asm("ptrue %0.s" : "=Upl"(all));
  asm("ld1rqw {%0.s}, %1/z, [%2]" : "=w"(v) : "Upl"(all), "r"(p), "m"(*static_cast<const char (*)[16]>(p)));
#else
  TW_UNROLL
  for (int i = 0; i < lanes / quad; ++i) __builtin_memcpy(reinterpret_cast<char*>(&v) + 16 * i, p, 16);
#if defined(TW_NEON)
  asm("" : "+w"(v));  // else the compiler loads each lane by itself
#endif
#endif
  return v;
}

// ---- acc += b * a[Lane], for each way to multiply words of 32 bits. SVE can name lanes of registers 0 to 7 only. ----
struct LaneFma {
  using A = float;
  using B = float;
  using Lane = float;
  static constexpr int per = 1;
  template <int I>
  static TW_INLINE void add_product(vf& acc, vf b, vf a) {
#if defined(TW_SVE_ASM)
    asm("fmla %0.s, %1.s, %2.s[%3]" : "+w"(acc) : "w"(b), "y"(a), "i"(I));
#elif defined(TW_NEON)
    asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(acc) : "w"(b), "w"(a), "i"(I));
#else
    acc = acc + b * a[I];
#endif
  }
};

// acc + the dot products of four bytes, without an instruction for them.
template <class Bytes>
TW_INLINE vi plain_dot(vi acc, Bytes b, vi words) {
  const Bytes a = bit_cast<Bytes>(words);
  TW_UNROLL
  for (int i = 0; i < 4 * lanes; ++i) acc[i / 4] += int32_t(a[i]) * int32_t(b[i]);
  return acc;
}

// Four signed bytes per word.
struct LaneDot {
  using A = int8_t;
  using B = int8_t;
  using Lane = int32_t;
  static constexpr int per = 4;
  template <int I>
  static TW_INLINE void add_product(vi& acc, [[maybe_unused]] vi b, [[maybe_unused]] vi a) {
#if defined(TW_SVE_ASM)
    asm("sdot %0.s, %1.b, %2.b[%3]" : "+w"(acc) : "w"(b), "y"(a), "i"(I));
#elif defined(TW_NEON) && defined(__ARM_FEATURE_DOTPROD)
    asm("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(acc) : "w"(b), "w"(a), "i"(I));
#elif defined(TW_SVE)
    acc = plain_dot(acc, bit_cast<vec<int8_t, 4 * lanes>>(b), splat<vi>(a[I]));
#else
    static_assert(I < 0, "inner dot needs SVE or the dot products of Armv8.2");
#endif
  }
};

// Two bf16 per word. Products and sums are rounded to odd, denormals are zero: see `product_error` of the CPU backend.
struct LaneBf16Dot {
  using A = bf16;
  using B = bf16;
  using Lane = float;
  static constexpr int per = 2;
  template <int I>
  static TW_INLINE void add_product(vf& acc, [[maybe_unused]] vf b, [[maybe_unused]] vf a) {
#if defined(TW_NEON) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
    asm("bfdot %0.4s, %1.8h, %2.2h[%3]" : "+w"(acc) : "w"(b), "w"(a), "i"(I));
#else
    static_assert(I < 0, "bf16 dot products need FEAT_BF16 and registers of 128 bits");
#endif
  }
};

}  // namespace tw
