// Copies of small blocks of a matrix in the order and type that an inner loop of the skinny pipeline reads.
//
// Both operands use the same two orders. With P the staged type and Q = 4 / sizeof(P) elements per 32-bit unit:
//   lines        buffer[j * ld + k]                                  k is contiguous for each column j
//   interleaved  buffer[(k / Q * width + j) * Q + k % Q]             j is contiguous, in units of Q consecutive k
// A is staged through its transposed view (its "columns" are the rows of A), once per call; B only where it cannot be
// read in place: edges, foreign strides, types that need a conversion which several passes share.
#pragma once
#include "tw/args.hpp"
#include "tw/simd.hpp"

namespace tw {

template <class P, class T>
TW_INLINE P convert_one(T x) {
  if constexpr (is_same<P, T>) return x;
  else return from_float<P>(to_float(x));
}

// `lanes` consecutive elements, as the bits of P.
template <class P, class T>
TW_INLINE raw_of<P> convert_lanes(const T* p) {
  if constexpr (is_same<P, T>) return load_bits<raw_of<P>>(p);
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
    for (; i + lanes <= count; i += lanes) store_bits(out + i, convert_lanes<P>(in + i));
  }
  for (; i < count; ++i) out[i] = convert_one<P>(in[i * stride]);
}

// Lines for columns n .. n+columns-1 of b, rows k .. k+depth-1, zero up to `ld` rows and `width` columns.
template <class P, class T>
TW_NOINLINE void stage_lines(View<const T> b, int64_t k, int64_t depth, int64_t n, int columns, P* buffer, int64_t ld,
                             int width) {
  for (int j = 0; j < width; ++j) {
    P* line = buffer + j * ld;
    const int64_t filled = j < columns ? depth : 0;
    convert_run(line, b.at(k, n + j), b.row, filled);
    for (int64_t i = filled; i < ld; ++i) line[i] = P{};
  }
}

// Units of one row of units (Q rows of b that are contiguous along n, of which `present` exist).
template <class P, class T>
TW_INLINE void interleave(const T* row, int64_t ld, int present, int columns, uint32_t* out) {
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

// Panels of `width` columns, one after the other, each interleaved: columns n .. n+columns-1 of b and rows
// k .. k+depth-1. Rows are zero up to a multiple of `pad`, columns up to whole panels. With Ahead, the cache lines that
// follow (later rows, then the same rows of the columns to come) are requested meanwhile.
template <class P, bool Ahead = false, class T>
TW_NOINLINE void stage_interleaved(View<const T> b, int64_t k, int64_t depth, int64_t pad, int64_t n, int columns,
                                   P* buffer, int width) {
  constexpr int Q = 4 / int(sizeof(P)), run = lanes * Q, distance = 4, line = 64 / int(sizeof(T));
  uint32_t* units = reinterpret_cast<uint32_t*>(buffer);
  const int64_t padded = round_up(depth, pad), panel = padded / Q * width;
  if (b.col == 1 && width % lanes == 0) {
    const int whole = int(round_up(columns, width));
    for (int64_t i = 0; i < padded; i += Q) {
      const int present = int(max<int64_t>(0, min<int64_t>(Q, depth - i)));
      const T* row = b.at(k + i, n);
      if constexpr (Ahead) {
        const T* next = i + distance < depth ? row + distance * b.row : row + columns + (distance - depth) * b.row;
        for (int q = 0; q < Q; ++q)
          for (int j = 0; j < columns; j += line) __builtin_prefetch(next + q * b.row + j);
      }
      for (int j = 0; j < whole; j += width) {
        const int some = min(width, columns - j);
        uint32_t* out = units + j / width * panel + i / Q * width;
        interleave<P>(row + j, b.row, present, some, out);
        for (int q = int(round_up(some, lanes)); q < width; ++q) out[q] = 0;
      }
    }
    return;
  }
  for (int j = 0; j < round_up(columns, width); ++j) {
    uint32_t* out = units + j / width * panel + j % width;
    for (int64_t i = 0; i < padded; i += run) {
      alignas(64) P values[run] = {};
      if (j < columns && i < depth) convert_run(values, b.at(k + i, n + j), b.row, min<int64_t>(run, depth - i));
      const int count = int(min<int64_t>(lanes, (padded - i) / Q));
      for (int u = 0; u < count; ++u) {
        uint32_t unit;
        __builtin_memcpy(&unit, values + u * Q, 4);
        out[(i / Q + u) * width] = unit;
      }
    }
  }
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
