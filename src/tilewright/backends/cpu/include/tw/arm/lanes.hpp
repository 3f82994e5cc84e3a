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
#if defined(TW_SVE)
  __SVBool_t all;
  asm("ptrue %0.s" : "=Upl"(all));
  asm("ld1rqw {%0.s}, %1/z, [%2]" : "=w"(v) : "Upl"(all), "r"(p), "m"(*static_cast<const char (*)[16]>(p)));
#else
  v = load_bits<V>(p);
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
#if defined(TW_SVE)
    asm("fmla %0.s, %1.s, %2.s[%3]" : "+w"(acc) : "w"(b), "y"(a), "i"(I));
#elif defined(TW_NEON)
    asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(acc) : "w"(b), "w"(a), "i"(I));
#else
    acc = acc + b * a[I];
#endif
  }
};

}  // namespace tw
