// The activation functions of an epilogue on one SIMD register, within a few units in the last place of float32.
#pragma once
#include "tw/simd.hpp"

namespace tw {

// e^x = 2 * half_scale * (1 + rest). Half the scale, because e^88.7 is a float32 but 2^128 is not; and 1 apart from
// `rest`, so that expm1 keeps its precision near zero.
struct ExpParts {
  vf half_scale, rest;
};
TW_INLINE ExpParts exp_parts(vf x) {
  x = vmin(splat<vf>(89.0f), x);  // in this order a NaN stays a NaN
  x = vmax(splat<vf>(-87.33f), x);
  const vf shifter = splat<vf>(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const vf shifted = x * splat<vf>(1.44269504f) + shifter;
  const vf n = shifted - shifter;
  vf r = x - n * splat<vf>(0.693145752f);
  r = r - n * splat<vf>(1.42860677e-6f);
  vf p = splat<vf>(1.0f / 5040);
  p = p * r + splat<vf>(1.0f / 720);
  p = p * r + splat<vf>(1.0f / 120);
  p = p * r + splat<vf>(1.0f / 24);
  p = p * r + splat<vf>(1.0f / 6);
  p = p * r + splat<vf>(0.5f);
  const vf rest = (p * r) * r + r;
  const vu exponent = (bit_cast<vu>(shifted) + splat<vu>(126u)) << 23;
  return {bit_cast<vf>(exponent), rest};
}
TW_INLINE vf vexp(vf x) {
  const ExpParts e = exp_parts(x);
  return (e.half_scale * e.rest + e.half_scale) * splat<vf>(2.0f);
}
// 2^x within 2e-7 (relative), without a lower limit: what is below the normal numbers may be zero. For x up to 126.
#if defined(TW_NEON)
// constant + x * y. The constant is read from memory each time: fmla overwrites its addend, and a copy of a register would
// take the place of a product.
TW_INLINE vf constant_plus(const float (&constant)[lanes], vf x, vf y) {
  vf sum;
  asm("ldr %q0, %1\n\tfmla %0.4s, %2.4s, %3.4s" : "=&w"(sum) : "m"(constant), "w"(x), "w"(y));
  return sum;
}

// Step by step for all of x, because few instructions can wait for each other. The shifter holds the bias of an exponent
// too, and x is rounded to nearest, so that 2^0 is 1.
template <int N>
TW_INLINE void vexp2(vf (&x)[N]) {
  alignas(16) static constexpr float even[3][lanes] = {
      {1.0f, 1.0f, 1.0f, 1.0f},
      {0.240222424f, 0.240222424f, 0.240222424f, 0.240222424f},
      {0.00967151299f, 0.00967151299f, 0.00967151299f, 0.00967151299f}};
  const vf shifter = splat<vf>(12583039.0f), least = splat<vf>(-126.0f);
  vf scale[N], r[N], square[N], low[N], middle[N], high[N];
  vu small[N];
  TW_UNROLL for (int i = 0; i < N; ++i) scale[i] = x[i] + shifter;
  TW_UNROLL for (int i = 0; i < N; ++i) r[i] = scale[i] - shifter;
  TW_UNROLL for (int i = 0; i < N; ++i) r[i] = x[i] - r[i];
  TW_UNROLL for (int i = 0; i < N; ++i) high[i] = constant_plus(even[2], r[i], splat<vf>(0.00132647273f));
  TW_UNROLL for (int i = 0; i < N; ++i) middle[i] = constant_plus(even[1], r[i], splat<vf>(0.0555073358f));
  TW_UNROLL for (int i = 0; i < N; ++i) square[i] = r[i] * r[i];
  TW_UNROLL for (int i = 0; i < N; ++i) middle[i] = square[i] * high[i] + middle[i];
  TW_UNROLL for (int i = 0; i < N; ++i) low[i] = constant_plus(even[0], r[i], splat<vf>(0.693147004f));
  TW_UNROLL for (int i = 0; i < N; ++i) scale[i] = bit_cast<vf>(bit_cast<vu>(scale[i]) << 23);
  TW_UNROLL for (int i = 0; i < N; ++i) low[i] = square[i] * middle[i] + low[i];
  TW_UNROLL for (int i = 0; i < N; ++i)  // the compiler would handle a NaN, which is not small, with six more instructions
    asm("fcmgt %0.4s, %1.4s, %2.4s" : "=w"(small[i]) : "w"(least), "w"(x[i]));
  TW_UNROLL for (int i = 0; i < N; ++i) x[i] = bit_cast<vf>(bit_cast<vu>(low[i] * scale[i]) & ~small[i]);
}
TW_INLINE vf vexp2(vf x) {
  vf one[1] = {x};
  vexp2(one);
  return one[0];
}
#else
TW_INLINE vf vexp2(vf x) {
#if defined(TW_AVX512)
  vf r, y;
  asm("vreduceps $9, %1, %0" : "=v"(r) : "v"(x));  // x - floor(x)
#else
  x = vmax(splat<vf>(-150.0f), x);
  const vf shifter = splat<vf>(12582912.0f), shifted = (x - splat<vf>(0.5f)) + shifter;
  const vf n = shifted - shifter, r = x - n;  // n is floor(x), or one less where x is an integer
#endif
  vf p = splat<vf>(0.0018775765f);
  p = p * r + splat<vf>(0.008989341f);
  p = p * r + splat<vf>(0.055826318f);
  p = p * r + splat<vf>(0.24015361f);
  p = p * r + splat<vf>(0.6931531f);
  p = p * r + splat<vf>(0.99999994f);
#if defined(TW_AVX512)
  asm("vscalefps %2, %1, %0" : "=v"(y) : "v"(p), "v"(x));  // p * 2^floor(x)
  return y;
#else
  const vu exponent = (bit_cast<vu>(shifted) + splat<vu>(127u)) << 23;
  return (n < splat<vf>(-126.0f)) ? vf{} : p * bit_cast<vf>(exponent);
#endif
}
#endif
TW_INLINE vf vexpm1(vf x) {
  const ExpParts e = exp_parts(x);
  return (e.half_scale * e.rest + (e.half_scale - splat<vf>(0.5f))) * splat<vf>(2.0f);
}
TW_INLINE vf vabs(vf x) { return bit_cast<vf>(bit_cast<vu>(x) & splat<vu>(0x7FFFFFFFu)); }

TW_INLINE vf vtanh(vf x) {
  const vf e = vexpm1(vmin(splat<vf>(40.0f), vabs(x) * splat<vf>(2.0f)));
  const vf t = e / (e + splat<vf>(2.0f));
  return bit_cast<vf>(bit_cast<vu>(t) | (bit_cast<vu>(x) & splat<vu>(0x80000000u)));
}

// 1 / x within two units in the last place, for x of a usual size. A division takes as long as ten multiplications.
TW_INLINE vf reciprocal(vf x) {
#if defined(TW_AVX512)
  vf y;
  asm("vrcp14ps %1, %0" : "=v"(y) : "v"(x));
  return y + y * (splat<vf>(1.0f) - x * y);  // one step of Newton's
#else
  return splat<vf>(1.0f) / x;
#endif
}

// The normal distribution function. Its tail exp(-t^2/2) * R(t) is fitted, with R a polynomial of 1 / (1 + 0.21 t)
// that is good to 2.3e-8 (relative) for 0 <= t <= 15, so both tails keep their relative precision.
TW_INLINE vf normal_cdf(vf x) {
  const vf t = vmin(splat<vf>(20.0f), vabs(x));  // the tail is zero there; in this order a NaN stays a NaN
  const vf u = reciprocal(t * splat<vf>(0.21f) + splat<vf>(1.0f));
  vf p = splat<vf>(-0.07094462215900421f);
  p = p * u + splat<vf>(0.28007933497428894f);
  p = p * u + splat<vf>(-0.32286596298217773f);
  p = p * u + splat<vf>(0.3407425880432129f);
  p = p * u + splat<vf>(-0.08775486797094345f);
  p = p * u + splat<vf>(0.12213879823684692f);
  p = p * u + splat<vf>(0.06992675364017487f);
  p = p * u + splat<vf>(0.08495952934026718f);
  p = p * u + splat<vf>(0.08371847122907639f);
  const vf tail = vexp2(t * t * splat<vf>(-0.72134752f)) * (p * u);  // log2(e) / 2
  return (x > splat<vf>(0.0f)) ? splat<vf>(1.0f) - tail : tail;
}

TW_INLINE bool any(vi mask) {
  int32_t seen = 0;
  TW_UNROLL for (int i = 0; i < lanes; ++i) seen |= mask[i];
  return seen != 0;
}

// Keeps a NaN.
TW_INLINE vf from_0_to_6(vf x) {
  const vf low = (x < splat<vf>(0.0f)) ? splat<vf>(0.0f) : x;
  return (low > splat<vf>(6.0f)) ? splat<vf>(6.0f) : low;
}

template <Activation A>
TW_INLINE vf activate(vf x) {
  const vf one = splat<vf>(1.0f);
  if constexpr (A == Activation::relu) return (x < splat<vf>(0.0f)) ? splat<vf>(0.0f) : x;  // keeps a NaN
  else if constexpr (A == Activation::sigmoid) return one / (one + vexp(-x));
  else if constexpr (A == Activation::silu) return x / (one + vexp(-x));
  else if constexpr (A == Activation::relu6) return from_0_to_6(x);
  else if constexpr (A == Activation::hard_swish) return x * from_0_to_6(x + splat<vf>(3.0f)) / splat<vf>(6.0f);
  else if constexpr (A == Activation::tanh) return vtanh(x);
  else if constexpr (A == Activation::gelu_erf) return x * normal_cdf(x);
  else if constexpr (A == Activation::gelu_tanh) {
    // 0.5 * (1 + tanh(y)) = 1 / (1 + exp(-2y)), which does not cancel for negative y.
    const vf y = splat<vf>(0.7978845608f) * (x + splat<vf>(0.044715f) * x * x * x);
    return x / (one + vexp(splat<vf>(-2.0f) * y));
  } else {
    return x;
  }
}

// The gradient of an activation's input `x` for that of its result; where it is flat, 0 for any gradient.
template <Activation A>
TW_INLINE vf gone_back(vf gradient, vf x) {
  const vf zero = splat<vf>(0.0f), one = splat<vf>(1.0f), six = splat<vf>(6.0f);
  if constexpr (A == Activation::relu) return (x <= zero) ? zero : gradient;
  else if constexpr (A == Activation::relu6) return (x <= zero) ? zero : (x >= six) ? zero : gradient;
  else if constexpr (A == Activation::hard_swish) {
    const vf inner = (x < splat<vf>(3.0f)) ? gradient * (x / splat<vf>(3.0f) + splat<vf>(0.5f)) : gradient;
    return (x <= splat<vf>(-3.0f)) ? zero : inner;
  } else if constexpr (A == Activation::tanh) {
    const vf y = vtanh(x);
    return gradient * (one - y * y);
  } else if constexpr (A == Activation::gelu_erf) {
    const vf density = splat<vf>(0.3989422804f) * vexp2(x * x * splat<vf>(-0.72134752f));  // log2(e) / 2
    return gradient * (normal_cdf(x) + x * density);
  } else if constexpr (A == Activation::gelu_tanh) {
    // The activation is x * sigmoid(1.5957691216 * (x + 0.044715 x^3)). Beyond 10 it is a line; x^3 may overflow.
    const vf end = splat<vf>(10.0f), low = (x < -end) ? -end : x, z = (low > end) ? end : low, square = z * z;
    const vf e = vexp(splat<vf>(-1.5957691216f) * (z + splat<vf>(0.044715f) * square * z)), y = one / (one + e);
    const vf slope = splat<vf>(1.5957691216f) + splat<vf>(0.2140644488f) * square;
    return gradient * (y + z * y * (e * y) * slope);
  } else {
    const vf y = one / (one + vexp(-x));
    if constexpr (A == Activation::sigmoid) return gradient * (y * (one - y));
    static_assert(A == Activation::sigmoid || A == Activation::silu);
    return gradient * (y * (one + x * (one - y)));
  }
}

}  // namespace tw
