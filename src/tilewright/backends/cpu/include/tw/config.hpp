// The vocabulary of a kernel configuration: the names a generated `struct Config` is written in.
#pragma once
#include <stdint.h>

#include "tilewright_abi.h"

#define TW_INLINE inline __attribute__((always_inline))
#define TW_NOINLINE __attribute__((noinline))
#define TW_RESTRICT __restrict__
// Full unrolling of loops over registers, so that arrays of vectors become registers.
#if defined(__clang__)
#define TW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TW_UNROLL _Pragma("GCC unroll 64")
#endif

namespace tw {

// Which stride of a matrix is the small one. Only a hint: strides in tw_args are the truth, a wrong hint costs time.
enum class Layout { row, col };
enum class Pipeline { tiled, skinny };
// How products are formed: vector code, FMA, 8-bit dot products, AMX tiles, AMX on a hi/lo split of 16-bit floats.
#if !defined(__aarch64__)
enum class Inner { portable, fma, vnni, amx, amx_bf16x3 };
#else  // and of Arm: dot products by the lanes of A, products of 2 x 2 blocks
enum class Inner { portable, fma, vnni, amx, amx_bf16x3, dot, mm };
#endif
constexpr bool is_amx(Inner inner) { return inner == Inner::amx || inner == Inner::amx_bf16x3; }
// Where B comes from: a matrix with strides, or panels that tw_pack_b of the same format wrote (see gemm/panel.hpp).
enum class BFormat { plain, packed };
// none: factor 1. tensor: one float32. row: one float32 per m (scale_a) or per n (scale_b).
enum class Scale { none, tensor, row };
enum class Combine { add, multiply, multiply_add, gradient };
enum class Activation { none, relu, gelu_erf, gelu_tanh, sigmoid, tanh, silu, relu6, hard_swish };
// none: an m x n matrix. row: one row vector of length n for all rows. col: one column vector of length m.
enum class Broadcast { none, row, col };

template <class T, Broadcast B>
struct DTensor {
  using type = T;
  static constexpr Broadcast broadcast = B;
};

template <class... Ts>
struct List {
  static constexpr int size = sizeof...(Ts);
};

// Tensor slots of tw_args for a GEMM.
enum Slot : int { slot_a = 0, slot_b = 1, slot_out = 2, slot_scale_a = 3, slot_scale_b = 4, slot_d = 5 };
constexpr int max_d = 8;

TW_INLINE constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
TW_INLINE constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
template <class T>
TW_INLINE constexpr T min(T a, T b) { return a < b ? a : b; }
template <class T>
TW_INLINE constexpr T max(T a, T b) { return a > b ? a : b; }

template <class X, class Y>
constexpr bool is_same = false;
template <class X>
constexpr bool is_same<X, X> = true;

}  // namespace tw
