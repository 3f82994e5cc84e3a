// Copies of small blocks of a matrix in the order and type that an inner loop of the skinny pipeline reads.
//
// Both operands use the same two orders. With P the staged type and Q = 4 / sizeof(P) elements per 32-bit unit:
//   lines        buffer[j * ld + k]                                  k is contiguous for each column j
//   interleaved  buffer[(k / Q * width + j) * Q + k % Q]             j is contiguous, in units of Q consecutive k
// A is staged through its transposed view (its "columns" are the rows of A), once per call; B only where it cannot be
// read in place: edges, foreign strides, types that need a conversion which several passes share.
#pragma once
#include "tw/gemm/pack.hpp"
#include "tw/gemm/skinny_fp8.hpp"

namespace tw {

// The k block of a core that stages blocks of B: kc, but no more than a stage on the stack and the first-level cache
// bear. A larger kc is no error, so that one configuration serves cores that differ in this.
constexpr int k_block(int kc, int limit, int unit) { return kc <= limit ? kc : int(max(1, limit / unit) * unit); }

template <class P, class T>
TW_INLINE P convert_one(T x) {
  if constexpr (is_same<P, T>) return x;
  else return from_float<P>(to_float(x));
}

// `lanes` consecutive elements, as the bits of P.
template <class P, class T>
TW_INLINE raw_of<P> convert_lanes(const T* p) {
  if constexpr (is_same<P, T>) return load_bits<raw_of<P>>(p);
#if defined(TW_AVX512)
  else if constexpr (is_same<P, bf16> && is_fp8_family<T>) return bf16_of_fp8<T, lanes>(load_bits<vu8>(p));
#endif
  else return encode<P>(load(p));
}

// The first n of them; the others are zero.
template <class P, class T>
TW_INLINE raw_of<P> convert_some(const T* p, int n) {
  if constexpr (is_same<P, T>) return load_bits_partial<raw_of<P>>(p, n);
  else return encode<P>(load_partial(p, n));
}

template <class P, class T>
TW_INLINE void convert_run(P* out, const T* in, int64_t stride, int64_t count) {
  int64_t i = 0;
  if (stride == 1) {
#if defined(TW_AVX512)
    if constexpr (is_same<P, bf16> && is_fp8_family<T>) {
      for (; i + 32 <= count; i += 32) store_bits(out + i, bf16_of_fp8<T, 32>(load_bits<vec<uint8_t, 32>>(in + i)));
    }
#endif
    for (; i + lanes <= count; i += lanes) store_bits(out + i, convert_lanes<P>(in + i));
  }
  for (; i < count; ++i) out[i] = convert_one<P>(in[i * stride]);
}

// Lines for columns n .. n+columns-1 of b, rows k .. k+depth-1, zero up to `ld` rows and `width` columns. With Ahead,
// as many rows that follow are requested meanwhile.
template <class P, bool Ahead = false, class T>
TW_NOINLINE void stage_lines(View<const T> b, int64_t k, int64_t depth, int64_t n, int columns, P* buffer, int64_t ld,
                             int width) {
  for (int j = 0; j < width; ++j) {
    P* line = buffer + j * ld;
    const int64_t filled = j < columns ? depth : 0;
    if constexpr (Ahead) {
      for (int64_t i = 0; i < filled; i += 64 / int(sizeof(T))) __builtin_prefetch(b.at(k + depth + i, n + j));
    }
    convert_run(line, b.at(k, n + j), b.row, filled);
    for (int64_t i = filled; i < ld; ++i) line[i] = P{};
  }
}

// Units of one row of units (Q rows of b that are contiguous along n, of which `present` exist), in natural order.
template <class P, class T>
TW_INLINE void interleave_units(const T* row, int64_t ld, int present, int columns, uint32_t* out) {
  constexpr int Q = 4 / int(sizeof(P));
  for (int j = 0; j < columns; j += lanes) {
    vu unit = {};
    TW_UNROLL
    for (int q = 0; q < Q; ++q) {
      if (q >= present) continue;
      const T* p = row + q * ld + j;
      const raw_of<P> bits = j + lanes <= columns ? convert_lanes<P>(p) : convert_some<P>(p, columns - j);
      if constexpr (Q == 1) unit = bits;
      else unit |= widen(bits) << (q * 32 / Q);
    }
    store_bits(out + j, unit);
  }
}

// Interleaving whole registers of Q rows is cheap inside pieces of 128 bits, but leaves the columns of a register
// group (Q registers of `lanes` columns) in another order, which restore_order undoes in the sums.
template <class P, class T, int Width>
#if defined(TW_AVX512)
constexpr bool reorders = is_same<P, T> && sizeof(P) < 4 && Width % (64 / int(sizeof(P))) == 0;
#else
constexpr bool reorders = false;
#endif
template <class P, class Acc>
TW_NOINLINE void restore_order(Acc* sums, int columns) {
  constexpr int Q = 4 / int(sizeof(P)), group = lanes * Q;
  for (int j = 0; j + group <= columns; j += group, sums += group) {
    Acc natural[group];
    for (int i = 0; i < group; ++i) natural[(i % lanes / 4 * Q + i / lanes) * 4 + i % 4] = sums[i];
    __builtin_memcpy(sums, natural, sizeof natural);
  }
}

#if defined(TW_AVX512)
#define TW_UNPACK(name, instruction)                                     \
  TW_INLINE vu name(vu a, vu b) {                                         \
    vu r;                                                                 \
    asm(instruction " %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));            \
    return r;                                                             \
  }
TW_UNPACK(unpack_low8, "vpunpcklbw")
TW_UNPACK(unpack_high8, "vpunpckhbw")
TW_UNPACK(unpack_low16, "vpunpcklwd")
TW_UNPACK(unpack_high16, "vpunpckhwd")
#undef TW_UNPACK

// A register group of Q rows.
template <class P>
TW_INLINE void interleave_registers(const P* row, int64_t ld, int present, uint32_t* out) {
  constexpr int Q = 4 / int(sizeof(P));
  static_assert(Q > 1, "a single row needs no interleaving");
  vu r[Q];
  TW_UNROLL
  for (int q = 0; q < Q; ++q) r[q] = q < present ? load_bits<vu>(row + q * ld) : vu{};
  if constexpr (Q == 2) {
    store_bits(out, unpack_low16(r[0], r[1]));
    store_bits(out + lanes, unpack_high16(r[0], r[1]));
  } else {
    const vu low01 = unpack_low8(r[0], r[1]), high01 = unpack_high8(r[0], r[1]);
    const vu low23 = unpack_low8(r[2], r[3]), high23 = unpack_high8(r[2], r[3]);
    store_bits(out, unpack_low16(low01, low23));
    store_bits(out + lanes, unpack_high16(low01, low23));
    store_bits(out + 2 * lanes, unpack_low16(high01, high23));
    store_bits(out + 3 * lanes, unpack_high16(high01, high23));
  }
}
#endif

// One row of units over several panels of `width` columns, `panel` units apart.
template <class P, bool Reorder, class T>
TW_INLINE void interleave_row(const T* row, int64_t ld, int present, int columns, uint32_t* out, int width,
                              int64_t panel) {
  for (int j = 0; j < columns; j += width, out += panel) {
    const int some = min(width, columns - j);
#if defined(TW_AVX512)
    if constexpr (Reorder) {
      constexpr int group = 64 / int(sizeof(P));
      if (some == width) {
        for (int g = 0; g < width; g += group) interleave_registers<P>(row + j + g, ld, present, out + g);
        continue;
      }
    }
#endif
    interleave_units<P>(row + j, ld, present, some, out);
    for (int q = int(round_up(some, lanes)); q < width; ++q) out[q] = 0;
  }
}

// Up to `lanes` columns of any strides (`columns` exist, `width` are written): registers along k, then a transposition.
template <class P, class T>
TW_INLINE void gather_columns(View<const T> b, int64_t depth, int64_t padded, int columns, uint32_t* out, int width,
                              int64_t ld) {
  constexpr int Q = 4 / int(sizeof(P)), run = lanes * Q;
  for (int64_t i = 0; i < padded; i += run) {
    const int64_t some = min<int64_t>(run, depth - i);
    vu v[lanes];
    for (int j = 0; j < lanes; ++j) {
      alignas(64) P values[run] = {};
      if (j < columns) convert_run(values, b.at(i, j), b.row, some);
      v[j] = load_bits<vu>(values);
    }
    transpose(v);
    const int count = int(min<int64_t>(lanes, (padded - i) / Q));
    for (int u = 0; u < count; ++u) store_bits_partial(out + (i / Q + u) * ld, v[u], width);
  }
}

// Panels of `width` columns, one after the other, each interleaved: columns n .. n+columns-1 of b and rows
// k .. k+depth-1. Rows are zero up to a multiple of `pad`, columns up to whole panels. With Reorder (see `reorders`),
// whole panels of a b that is contiguous along n have reordered columns. With Ahead, the cache lines that follow (later
// rows, then the same rows of the columns to come) are requested meanwhile.
template <class P, bool Reorder = false, bool Ahead = false, class T>
TW_NOINLINE void stage_interleaved(View<const T> b, int64_t k, int64_t depth, int64_t pad, int64_t n, int columns,
                                   P* buffer, int width) {
  constexpr int Q = 4 / int(sizeof(P)), distance = 4, line = 64 / int(sizeof(T));
  uint32_t* units = reinterpret_cast<uint32_t*>(buffer);
  const int64_t padded = round_up(depth, pad), panel = padded / Q * width;
  if (b.col == 1 && width % lanes == 0) {
    for (int64_t i = 0; i < padded; i += Q) {
      const T* row = b.at(k + i, n);
      if constexpr (Ahead) {
        const T* next = i + distance < depth ? row + distance * b.row : row + columns + (distance - depth) * b.row;
        for (int q = 0; q < Q; ++q)
          for (int j = 0; j < columns; j += line) __builtin_prefetch(next + q * b.row + j);
      }
      const int present = int(max<int64_t>(0, min<int64_t>(Q, depth - i)));
      interleave_row<P, Reorder>(row, b.row, present, columns, units + i / Q * width, width, panel);
    }
    return;
  }
  for (int j = 0; j < columns; j += width)
    for (int c = 0; c < width; c += lanes)
      gather_columns<P>(View<const T>{b.at(k, n + j + c), b.row, b.col}, depth, padded, min(columns, j + width) - j - c,
                        units + j / width * panel + c, min(lanes, width - c), width);
}

// p[0 .. lanes-1] = v, or += v, converting sums of products of bytes to the integers that they are.
template <class Acc, class V>
TW_INLINE void put(Acc* p, V v, bool first) {
  vec<Acc> x;
  if constexpr (is_same<V, vec<Acc>>) x = v;
  else x = __builtin_convertvector(v, vec<Acc>);
  if (!first) x += load_bits<vec<Acc>>(p);
  store_bits(p, x);
}

}  // namespace tw
