// The instruction set of the translation unit, by the names that the library tests.
//
//   TW_X86      any x86-64 (SSE2); TW_AVX2 or TW_AVX512 where the unit may use them, TW_F16C for its conversions
//   TW_NEON     64-bit Arm with registers of 128 bits
//   TW_SVE      64-bit Arm with registers of 256 or 512 bits, as fixed by -msve-vector-bits; TW_SVE_ASM where asm
//               statements can have them as operands
//   none        plain C++ for any CPU: TW_GENERIC asks for it, and it serves CPUs that are not named here
//
// TW_LANES is the number of 32-bit lanes of a vector register, TW_VECTOR_REGISTERS how many registers there are.
#pragma once

#if defined(TW_GENERIC)
#define TW_LANES 4
#define TW_VECTOR_REGISTERS 16
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define TW_X86 1
#define TW_AVX512 1
#define TW_F16C 1
#define TW_LANES 16
#define TW_VECTOR_REGISTERS 32
#elif defined(__x86_64__)
#define TW_X86 1
#define TW_VECTOR_REGISTERS 16
#if defined(__AVX2__)
#define TW_AVX2 1
#define TW_LANES 8
#else
#define TW_LANES 4
#endif
#if defined(__F16C__)
#define TW_F16C 1
#endif
#elif defined(__aarch64__)
#define TW_VECTOR_REGISTERS 32
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS >= 256
#define TW_SVE 1
#define TW_LANES (__ARM_FEATURE_SVE_BITS / 32)
#if !defined(__clang__)  // which takes no vectors of more than 128 bits as operands of asm statements
#define TW_SVE_ASM 1
#endif
#else
#define TW_NEON 1
#define TW_LANES 4
#endif
#else
#define TW_LANES 4
#define TW_VECTOR_REGISTERS 16
#endif

#if TW_LANES != 4 && TW_LANES != 8 && TW_LANES != 16
#error "vector registers must have 128, 256 or 512 bits"
#endif
