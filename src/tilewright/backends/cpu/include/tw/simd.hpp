// One SIMD register of 32-bit lanes for the instruction set of the translation unit, and loads and stores that convert.
//
// Written with compiler vector extensions and a few single-instruction asm statements instead of <immintrin.h>, which
// alone would double the compile time of a kernel. Everything is inlined, so no vector crosses a call.
//
// tw/isa.hpp says which instruction set that is. Every asm statement stands under one of its names; the last branch is
// plain C++, which is also all that TW_GENERIC allows.
#pragma once
#include "tw/isa.hpp"
#include "tw/types.hpp"

namespace tw {

constexpr int lanes = TW_LANES;
constexpr int vector_registers = TW_VECTOR_REGISTERS;

template <class T, int N>
struct VectorOf { typedef T type __attribute__((vector_size(N * sizeof(T)))); };
template <class T, int N = lanes>
using vec = typename VectorOf<T, N>::type;
using vf = vec<float>;
using vi = vec<int32_t>;
using vu = vec<uint32_t>;
using vu16 = vec<uint16_t>;  // half a register: as many lanes, 16 bits each
using vu8 = vec<uint8_t>;

template <class V>
TW_INLINE V load_bits(const void* p) { V v; __builtin_memcpy(&v, p, sizeof v); return v; }
template <class V>
TW_INLINE void store_bits(void* p, V v) { __builtin_memcpy(p, &v, sizeof v); }

// Left alone, the compiler reads a value from memory for each use, and loads take longer than products; pointers that
// advance it turns into one register for each step.
TW_INLINE void keep_in_register([[maybe_unused]] vf& x) {
#if defined(TW_AVX512)
  asm("" : "+v"(x));
#elif defined(TW_X86)
  asm("" : "+x"(x));
#elif defined(TW_NEON) || defined(TW_SVE_ASM)
  asm("" : "+w"(x));
#endif
}
// A pointer or a whole number of its size.
template <class T>
TW_INLINE void keep_in_register([[maybe_unused]] T& p) {
#if defined(TW_X86) || defined(TW_NEON) || defined(TW_SVE_ASM)
  asm("" : "+r"(p));
#endif
}

// Asks for a cache line that will be written.
TW_INLINE void prefetch_write(const void* p) {
#if defined(TW_AVX512) || defined(TW_AVX2)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

// Rows of memory that will be written soon, asked for one row at a time between other work.
struct WriteAhead {
  char* row;
  int64_t stride, bytes;  // from row to row, and of one row
  int rows;
  TW_INLINE void fetch_row() {
    if (rows <= 0) return;
    for (int64_t c = 0; c < bytes; c += 64) prefetch_write(row + c);
    row += stride;
    --rows;
  }
};

// ---- widths: 8 and 16-bit codes to and from 32-bit lanes --------------------------------------------------------
TW_INLINE vu widen(vu16 h) {
#if defined(TW_AVX512) || defined(TW_AVX2)
  vu r;
  asm("vpmovzxwd %1, %0" : "=v"(r) : "v"(h));
  return r;
#elif defined(TW_NEON)  // left alone, the compiler takes vectors of 64 and 32 bits apart
  vu r;
  asm("ushll %0.4s, %1.4h, #0" : "=w"(r) : "w"(h));
  return r;
#else
  return __builtin_convertvector(h, vu);
#endif
}
TW_INLINE vu widen(vu8 h) {
#if defined(TW_AVX512)
  vu r;
  asm("vpmovzxbd %1, %0" : "=v"(r) : "v"(h));
  return r;
#elif defined(TW_AVX2)
  vu r;
  const vec<uint64_t, 2> wide = {bit_cast<uint64_t>(h), 0};
  asm("vpmovzxbd %1, %0" : "=x"(r) : "x"(wide));
  return r;
#elif defined(TW_NEON)
  vu r;
  const vec<uint32_t, 2> wide = {bit_cast<uint32_t>(h), 0};
  asm("ushll %0.8h, %1.8b, #0\n\tushll %0.4s, %0.4h, #0" : "=w"(r) : "w"(wide));
  return r;
#else
  return __builtin_convertvector(h, vu);
#endif
}
TW_INLINE vu16 narrow16(vu u) {
#if defined(TW_AVX512)
  vu16 r;
  asm("vpmovdw %1, %0" : "=v"(r) : "v"(u));
  return r;
#else
  return __builtin_convertvector(u, vu16);
#endif
}
TW_INLINE vu8 narrow8(vu u) {
#if defined(TW_NEON)
  vec<uint32_t, 2> r;
  asm("xtn %0.4h, %1.4s\n\txtn %0.8b, %0.8h" : "=w"(r) : "w"(u));
  return bit_cast<vu8>(r[0]);
#else
  return __builtin_convertvector(u, vu8);
#endif
}

// ---- the first n lanes only: never touches memory past them; the other lanes read as zero ------------------------
#if defined(TW_AVX2)
TW_INLINE vi first_lanes(int n) { return vi{0, 1, 2, 3, 4, 5, 6, 7} < splat<vi>(n); }
#elif defined(TW_SVE_ASM)
TW_INLINE __SVBool_t first_lanes(int n) {
  __SVBool_t first;
  asm("whilelt %0.s, wzr, %w1" : "=Upl"(first) : "r"(n) : "cc");
  return first;
}
#elif defined(TW_NEON)
// Copies n of four elements: two of them, then one.
template <int Element>
TW_INLINE void copy_first(char* to, const char* from, int n) {
  if (n >= 4) {
    __builtin_memcpy(to, from, 4 * Element);
    return;
  }
  if (n & 2) __builtin_memcpy(to, from, 2 * Element);
  if (n & 1) __builtin_memcpy(to + (n & 2) * Element, from + (n & 2) * Element, Element);
}
#endif
template <class V>
TW_INLINE V load_bits_partial(const void* p, int n) {
  constexpr int element = sizeof(V) / lanes;
#if defined(TW_AVX512)
  V v;
  const uint16_t mask = uint16_t((1u << n) - 1);
  using Memory = const char (*)[sizeof(V)];
  if constexpr (element == 4) asm("vmovdqu32 %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*Memory(p)), "Yk"(mask));
  if constexpr (element == 2) asm("vmovdqu16 %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*Memory(p)), "Yk"(mask));
  if constexpr (element == 1) asm("vmovdqu8 %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*Memory(p)), "Yk"(mask));
  return v;
#else
#if defined(TW_AVX2)
  if constexpr (element == 4) {
    V v;
    asm("vmaskmovps %1, %2, %0" : "=x"(v) : "m"(*static_cast<const char (*)[sizeof(V)]>(p)), "x"(first_lanes(n)));
    return v;
  }
#endif
#if defined(TW_SVE_ASM)
  if constexpr (element == 4) {
    V v;
    asm("ld1w {%0.s}, %1/z, [%2]"
        : "=w"(v) : "Upl"(first_lanes(n)), "r"(p), "m"(*static_cast<const char (*)[sizeof(V)]>(p)));
    return v;
  }
#endif
  char buffer[sizeof(V)] = {};
#if defined(TW_NEON)
  copy_first<element>(buffer, static_cast<const char*>(p), n);
#else
  for (int i = 0; i < n * element; ++i) buffer[i] = static_cast<const char*>(p)[i];
#endif
  return load_bits<V>(buffer);
#endif
}
template <class V>
TW_INLINE void store_bits_partial(void* p, V v, int n) {
  constexpr int element = sizeof(V) / lanes;
#if defined(TW_AVX512)
  const uint16_t mask = uint16_t((1u << n) - 1);
  using Memory = char (*)[sizeof(V)];
  if constexpr (element == 4) asm("vmovdqu32 %1, %0%{%2%}" : "+m"(*Memory(p)) : "v"(v), "Yk"(mask));
  if constexpr (element == 2) asm("vmovdqu16 %1, %0%{%2%}" : "+m"(*Memory(p)) : "v"(v), "Yk"(mask));
  if constexpr (element == 1) asm("vmovdqu8 %1, %0%{%2%}" : "+m"(*Memory(p)) : "v"(v), "Yk"(mask));
#else
#if defined(TW_AVX2)
  if constexpr (element == 4) {
    asm("vmaskmovps %1, %2, %0" : "+m"(*static_cast<char (*)[sizeof(V)]>(p)) : "x"(v), "x"(first_lanes(n)));
    return;
  }
#endif
#if defined(TW_SVE_ASM)
  if constexpr (element == 4) {
    asm("st1w {%1.s}, %2, [%3]"
        : "+m"(*static_cast<char (*)[sizeof(V)]>(p)) : "w"(v), "Upl"(first_lanes(n)), "r"(p));
    return;
  }
#endif
  char buffer[sizeof(V)];
  store_bits(buffer, v);
#if defined(TW_NEON)
  copy_first<element>(static_cast<char*>(p), buffer, n);
#else
  for (int i = 0; i < n * element; ++i) static_cast<char*>(p)[i] = buffer[i];
#endif
#endif
}

// ---- f16 has instructions of its own ----------------------------------------------------------------------------
TW_INLINE vf decode_f16(vu16 h) {
#if defined(TW_F16C)
  vf r;
  asm("vcvtph2ps %1, %0" : "=v"(r) : "v"(h));
  return r;
#elif defined(TW_NEON)
  vf r;
  asm("fcvtl %0.4s, %1.4h" : "=w"(r) : "w"(h));
  return r;
#else
  return decode_minifloat<f16, vf>(widen(h));
#endif
}
TW_INLINE vu16 encode_f16(vf x) {
#if defined(TW_F16C)
  vu16 r;
  asm("vcvtps2ph $0, %1, %0" : "=v"(r) : "v"(x));
  return r;
#elif defined(TW_NEON)
  vu16 r;
  asm("fcvtn %0.4h, %1.4s" : "=w"(r) : "w"(x));
  return r;
#else
  return narrow16(encode_minifloat<f16, vu>(x));
#endif
}

#if defined(TW_NEON)
TW_INLINE vf decode_bf16(vu16 h) {
  vf r;
  asm("shll %0.4s, %1.4h, #16" : "=w"(r) : "w"(h));
  return r;
}
#endif

// bf16 by instruction, where there is one: rounds as encode_bf16 does, but takes denormals for zero. So for AMX, which
// does the same, and for values that are no denormals in float32.
TW_INLINE vu16 fast_bf16(vf x) {
#if defined(__AVX512BF16__) && defined(TW_AVX512)
  vu16 r;
  asm("vcvtneps2bf16 %1, %0" : "=v"(r) : "v"(x));
  return r;
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && defined(TW_NEON)
  vu16 r;
  asm("bfcvtn %0.4h, %1.4s" : "=w"(r) : "w"(x));
  return r;
#else
  return narrow16(encode_bf16<vu>(x));
#endif
}

// Two registers of floats as one of bf16, the first in the lower half.
TW_INLINE vu fast_bf16(vf low, vf high) {
#if defined(__AVX512BF16__) && defined(TW_AVX512)
  vu r;
  asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(r) : "v"(low), "v"(high));
  return r;
#else
  const vu16 halves[2] = {fast_bf16(low), fast_bf16(high)};
  return load_bits<vu>(halves);
#endif
}

// ---- typed loads and stores: `lanes` elements of T as float32 -----------------------------------------------------
template <int Bytes> struct RawOf;
template <> struct RawOf<4> { using type = vu; };
template <> struct RawOf<2> { using type = vu16; };
template <> struct RawOf<1> { using type = vu8; };
template <class T>
using raw_of = typename RawOf<sizeof(T)>::type;

template <class T>
TW_INLINE vf decode(raw_of<T> bits) {
  if constexpr (is_same<T, float>) return bit_cast<vf>(bits);
  else if constexpr (is_same<T, int32_t>) return __builtin_convertvector(bit_cast<vi>(bits), vf);
  else if constexpr (is_same<T, int8_t>) return __builtin_convertvector(bit_cast<vi>(widen(bits) << 24) >> 24, vf);
#if defined(TW_NEON)
  else if constexpr (is_same<T, bf16>) return decode_bf16(bits);
#else
  else if constexpr (is_same<T, bf16>) return bit_cast<vf>(widen(bits) << 16);
#endif
  else if constexpr (is_same<T, f16>) return decode_f16(bits);
  else return decode_minifloat<T, vf>(widen(bits));
}

#if !defined(TW_X86) && !defined(TW_NEON)
// Adding 2^23 rounds a smaller magnitude to an integer, to nearest even; larger ones are integers.
TW_INLINE vi round_to_int(vf x) {
  const vu sign = bit_cast<vu>(x) & splat<vu>(0x80000000u);
  const vf magnitude = bit_cast<vf>(bit_cast<vu>(x) ^ sign), shifter = splat<vf>(8388608.0f);
  const vf rounded = (magnitude < shifter) ? (magnitude + shifter) - shifter : magnitude;
  return __builtin_convertvector(bit_cast<vf>(bit_cast<vu>(rounded) | sign), vi);
}
#endif
template <class I>
TW_INLINE vi round_saturate(vf x) {
  constexpr bool byte = is_same<I, int8_t>;
  const vf low = splat<vf>(byte ? -128.0f : -2147483648.0f), high = splat<vf>(byte ? 127.0f : 2147483520.0f);
  const vi above = x >= splat<vf>(2147483648.0f);
  x = (x > low) ? x : low;  // a NaN fails every comparison and becomes `low`
  x = (x < high) ? x : high;
  vi r;
#if defined(TW_AVX512) || defined(TW_AVX2)
  asm("vcvtps2dq %1, %0" : "=v"(r) : "v"(x));
#elif defined(TW_X86)
  asm("cvtps2dq %1, %0" : "=x"(r) : "x"(x));
#elif defined(TW_NEON)
  asm("fcvtns %0.4s, %1.4s" : "=w"(r) : "w"(x));
#else
  r = round_to_int(x);
#endif
  if constexpr (!byte) r = above ? splat<vi>(0x7FFFFFFF) : r;
  return r;
}

template <class T>
TW_INLINE raw_of<T> encode(vf x) {
  if constexpr (is_same<T, float>) return bit_cast<vu>(x);
  else if constexpr (is_same<T, int32_t>) return bit_cast<vu>(round_saturate<int32_t>(x));
  else if constexpr (is_same<T, int8_t>) return narrow8(bit_cast<vu>(round_saturate<int8_t>(x)));
  else if constexpr (is_same<T, bf16>) return narrow16(encode_bf16<vu>(x));
  else if constexpr (is_same<T, f16>) return encode_f16(x);
  else return narrow8(encode_minifloat<T, vu>(x));
}

#if defined(TW_SVE_ASM)
// SVE widens while it loads: one element of T in each 32-bit lane.
template <class T>
TW_INLINE vu load_wide(const T* p) {
  vu v;
  __SVBool_t all;
  using Memory = const char (*)[sizeof(T) * lanes];
  asm("ptrue %0.s" : "=Upl"(all));
  if constexpr (sizeof(T) == 2) asm("ld1h {%0.s}, %1/z, [%2]" : "=w"(v) : "Upl"(all), "r"(p), "m"(*Memory(p)));
  else asm("ld1b {%0.s}, %1/z, [%2]" : "=w"(v) : "Upl"(all), "r"(p), "m"(*Memory(p)));
  return v;
}
template <class T>
TW_INLINE vf decode_wide(vu bits) {
  if constexpr (is_same<T, int8_t>) return __builtin_convertvector(bit_cast<vi>(bits << 24) >> 24, vf);
  else if constexpr (is_same<T, bf16>) return bit_cast<vf>(bits << 16);
  else if constexpr (!is_same<T, f16>) return decode_minifloat<T, vf>(bits);
  vf r;
  __SVBool_t all;
  asm("ptrue %0.s" : "=Upl"(all));
  asm("fcvt %0.s, %1/m, %2.h" : "=w"(r) : "Upl"(all), "w"(bits));
  return r;
}
#endif
template <class T>
TW_INLINE vf load(const T* p) {
#if defined(TW_SVE_ASM)
  if constexpr (sizeof(T) < 4) return decode_wide<T>(load_wide(p));
#endif
  return decode<T>(load_bits<raw_of<T>>(p));
}
template <class T>
TW_INLINE vf load_partial(const T* p, int n) { return decode<T>(load_bits_partial<raw_of<T>>(p, n)); }
template <class T>
TW_INLINE void store(T* p, vf x) { store_bits(p, encode<T>(x)); }
template <class T>
TW_INLINE void store_partial(T* p, vf x, int n) { store_bits_partial(p, encode<T>(x), n); }

// Any stride, n <= lanes elements; the slow but complete way.
template <class T>
TW_INLINE vf load_strided(const T* p, int64_t stride, int n) {
  alignas(64) float buffer[lanes] = {};
  for (int i = 0; i < n; ++i) buffer[i] = to_float(p[i * stride]);
  return load_bits<vf>(buffer);
}
template <class T>
TW_INLINE void store_strided(T* p, int64_t stride, vf x, int n) {
  alignas(64) T buffer[lanes];
  store(buffer, x);
  for (int i = 0; i < n; ++i) p[i * stride] = buffer[i];
}

TW_INLINE vf vmax(vf a, vf b) { return (a > b) ? a : b; }
TW_INLINE vf vmin(vf a, vf b) { return (a < b) ? a : b; }

}  // namespace tw
