// Packs lines into panels whose groups are one or two 32-bit words of bytes or bf16 (arm/panel.hpp).
//
// A source that is contiguous across the lines is read 16 bytes of a row at a time, and words form by interleaving rows:
// no element is widened on the way. Edges and other strides go through a zero-padded copy.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/arm/panel.hpp"
#include "tw/gemm/pack_rows.hpp"

namespace tw {

template <class V>
TW_INLINE V zip_low(V a, V b) {
  constexpr int n = sizeof(V) / sizeof(a[0]);
  if constexpr (n == 16) return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  else if constexpr (n == 8) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  else if constexpr (n == 4) return __builtin_shufflevector(a, b, 0, 4, 1, 5);
  else return __builtin_shufflevector(a, b, 0, 2);
}
template <class V>
TW_INLINE V zip_high(V a, V b) {
  constexpr int n = sizeof(V) / sizeof(a[0]);
  if constexpr (n == 16)
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  else if constexpr (n == 8) return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  else if constexpr (n == 4) return __builtin_shufflevector(a, b, 2, 6, 3, 7);
  else return __builtin_shufflevector(a, b, 1, 3);
}

// The same word of 4 * registers neighbouring lines, four lines in a register of 128 bits.
using Words128 = vec<uint32_t, 4>;
template <class Src, class Stored>
struct AcrossLines {
  static constexpr int per = per_word<Stored>;
  static constexpr bool same_bits = sizeof(Src) == sizeof(Stored);
  static constexpr int registers = same_bits ? 4 / int(sizeof(Src)) : 1, lines = 4 * registers;

  static TW_INLINE void words(const Src* p, int64_t k_stride, Words128 (&out)[registers]) {
    if constexpr (same_bits && sizeof(Src) == 1) {
      using V = vec<uint8_t, 16>;
      using W = vec<uint16_t, 8>;
      V r[4];
      TW_UNROLL
      for (int q = 0; q < 4; ++q) r[q] = load_bits<V>(p + q * k_stride);
      const W low01 = bit_cast<W>(zip_low(r[0], r[1])), high01 = bit_cast<W>(zip_high(r[0], r[1]));
      const W low23 = bit_cast<W>(zip_low(r[2], r[3])), high23 = bit_cast<W>(zip_high(r[2], r[3]));
      out[0] = bit_cast<Words128>(zip_low(low01, low23)), out[1] = bit_cast<Words128>(zip_high(low01, low23));
      out[2] = bit_cast<Words128>(zip_low(high01, high23)), out[3] = bit_cast<Words128>(zip_high(high01, high23));
    } else if constexpr (same_bits) {
      using V = vec<uint16_t, 8>;
      const V even = load_bits<V>(p), odd = load_bits<V>(p + k_stride);
      out[0] = bit_cast<Words128>(zip_low(even, odd)), out[1] = bit_cast<Words128>(zip_high(even, odd));
    } else {  // 8-bit floats, which bf16 holds exactly
      out[0] = Fetch<Src, Panel<Stored, 4, per, per>>::across(p, k_stride, 0);
    }
  }
};

// Lines that are contiguous across, or of any strides, into panels of groups of one or two words.
template <class Src, class P>
class AcrossPacker {
  using Stored = typename P::Stored;
  using Across = AcrossLines<Src, Stored>;
  static constexpr int per = per_word<Stored>, group = P::group / per, lines_at_once = Across::lines;
  static constexpr int depth = P::group;  // k elements of a step
  static_assert(P::width % 4 == 0 && P::planes == 1 && P::block == P::group, "groups of whole registers of lines");

 public:
  static TW_NOINLINE void pack(Stored* out, int64_t panel_stride, View<const Src> src, int64_t lines, int64_t k) {
    const int64_t all = P::panels(lines) * P::width;
    for (int64_t at = 0; at < k; at += depth) {
      for (int64_t line = 0; line < all; line += lines_at_once) {
        const Src* p = src.at(line, at);
        int64_t stride = src.col;
        alignas(16) Src gathered[depth * lines_at_once];
        if (__builtin_expect(lines - line < lines_at_once || k - at < depth || src.row != 1, 0)) {
          gather(gathered, src, line, at, lines, k);
          p = gathered;
          stride = lines_at_once;
        }
        step(out, panel_stride, p, stride, line, all, at / depth);
      }
    }
  }

 private:
  static TW_INLINE void step(Stored* out, int64_t panel_stride, const Src* p, int64_t stride, int64_t line, int64_t all,
                             int64_t at) {
    Words128 w[group][Across::registers];
    TW_UNROLL
    for (int g = 0; g < group; ++g) Across::words(p + g * per * stride, stride, w[g]);
    TW_UNROLL
    for (int i = 0; i < Across::registers; ++i) {
      const int64_t first = line + 4 * i;
      if (first >= all) break;  // 16 lines are read where the last panel is narrower
      Stored* to = out + first / P::width * panel_stride + (at * P::width + first % P::width) * P::group;
      if constexpr (group == 1) {
        store_bits(to, w[0][i]);
      } else {
        store_bits(to, zip_low(w[0][i], w[1][i]));
        store_bits(to + 2 * P::group, zip_high(w[0][i], w[1][i]));
      }
    }
  }

  static TW_NOINLINE void gather(Src* to, View<const Src> src, int64_t line, int64_t at, int64_t lines, int64_t k) {
    __builtin_memset(to, 0, sizeof(Src) * depth * lines_at_once);
    const int count = int(max<int64_t>(0, min<int64_t>(lines_at_once, lines - line)));
    const int rows = int(min<int64_t>(depth, k - at));
    for (int q = 0; q < rows; ++q) {
      for (int i = 0; i < count; ++i) to[q * lines_at_once + i] = *src.at(line + i, at + q);
    }
  }
};

// Lines that are contiguous along k into groups of two words: two lines at a time are two groups of one register each.
template <class Src, class P>
class AlongPacker {
  using Stored = typename P::Stored;
  using F = Fetch<Src, P>;
  using Pair = vec<uint64_t, 2>;
  static constexpr int side = 16 / int(sizeof(Stored));  // k elements of a register
  static_assert(P::width % 2 == 0 && P::group * sizeof(Stored) == 8, "pairs of lines of eight bytes");
  static_assert(lanes == 4 || P::width == 0, "registers of 128 bits");

 public:
  static TW_NOINLINE void pack(Stored* out, int64_t panel_stride, View<const Src> src, int64_t lines, int64_t k) {
    const int64_t padded = P::padded_k(k);
    for (int64_t line = 0; line < P::panels(lines) * P::width; line += 2) {
      Stored* to = out + line / P::width * panel_stride + line % P::width * P::group;
      for (int64_t at = 0; at < padded; at += side, to += 2 * P::width * P::group) {
        const Src* p = src.at(line, at);
        int64_t stride = src.row;
        alignas(16) Src gathered[2 * side];
        if (__builtin_expect(lines - line < 2 || k - at < side || src.col != 1, 0)) {
          gather(gathered, src, line, at, lines, k);
          p = gathered;
          stride = side;
        }
        const Pair a = bit_cast<Pair>(F::along_k(p, 0)), b = bit_cast<Pair>(F::along_k(p + stride, 0));
        store_bits(to, zip_low(a, b));
        if (padded - at > P::group) store_bits(to + P::width * P::group, zip_high(a, b));
      }
    }
  }

 private:
  static TW_NOINLINE void gather(Src* to, View<const Src> src, int64_t line, int64_t at, int64_t lines, int64_t k) {
    __builtin_memset(to, 0, sizeof(Src) * 2 * side);
    const int count = int(max<int64_t>(0, min<int64_t>(2, lines - line)));
    const int rest = int(max<int64_t>(0, min<int64_t>(side, k - at)));
    for (int i = 0; i < count; ++i) {
      for (int q = 0; q < rest; ++q) to[i * side + q] = *src.at(line + i, at + q);
    }
  }
};

// Rows of floats into panels of single words: some panels at a time, so that few streams are written, asking for rows
// ahead, because a row is a page of its own.
template <int Width>
class FloatRows {
  static constexpr int together = max(1, 64 / Width), few = max(1, 16 / Width), ahead = 8;  // panels, panels, rows

 public:
  static TW_NOINLINE void pack(float* out, int64_t panel_stride, View<const float> src, int64_t lines, int64_t k) {
    int64_t line = 0;
    for (; src.row == 1 && line + together * Width <= lines; line += together * Width)
      some<together>(out + line / Width * panel_stride, panel_stride, src.at(line, 0), src.col, k);
    for (; src.row == 1 && line + few * Width <= lines; line += few * Width)
      some<few>(out + line / Width * panel_stride, panel_stride, src.at(line, 0), src.col, k);
    for (; src.row == 1 && line + Width <= lines; line += Width)
      some<1>(out + line / Width * panel_stride, panel_stride, src.at(line, 0), src.col, k);
    for (; line < lines; line += Width)
      edge(out + line / Width * panel_stride, src, line, min<int64_t>(Width, lines - line), k);
  }

 private:
  template <int Panels>
  static TW_INLINE void some(float* out, int64_t panel_stride, const float* from, int64_t row, int64_t k) {
    constexpr int pieces = Width / quad;
    for (int64_t at = 0; at < k; ++at, from += row, out += Width) {
      TW_UNROLL
      for (int i = 0; i < Panels * Width; i += 16) __builtin_prefetch(from + ahead * row + i);
      TW_UNROLL
      for (int p = 0; p < Panels; ++p) {
        TW_UNROLL
        for (int i = 0; i < pieces; ++i)
          store_bits(out + p * panel_stride + i * quad, load_bits<Words128>(from + p * Width + i * quad));
      }
    }
  }
  static TW_NOINLINE void edge(float* out, View<const float> src, int64_t line, int64_t present, int64_t k) {
    for (int64_t at = 0; at < k; ++at, out += Width)
      for (int i = 0; i < Width; ++i) out[i] = i < present ? *src.at(line + i, at) : 0.0f;
  }
};

#if defined(TW_NEON)
// Lines of floats that are contiguous along k into panels of single words: a cache line of every line of a panel at a
// time, so that what is written is one stream.
template <int Width>
class FloatLines {
  static constexpr int depth = 16, ahead = 32;  // k of a step, and from what is read to what is asked for

 public:
  static TW_NOINLINE void pack(float* out, int64_t panel_stride, View<const float> src, int64_t lines, int64_t k) {
    for (int64_t line = 0; line < lines; line += Width, out += panel_stride) {
      const int present = int(min<int64_t>(Width, lines - line));
      if (src.col != 1) gather(out, src, line, present, k);
      else if (present == Width) panel<true>(out, src.at(line, 0), src.row, Width, k);
      else panel<false>(out, src.at(line, 0), src.row, present, k);
    }
  }

 private:
  template <bool Whole>
  static TW_INLINE void panel(float* out, const float* p, int64_t row, int present, int64_t k) {
    int64_t at = 0;
    for (; at + depth <= k; at += depth, p += depth, out += depth * Width) {
      TW_UNROLL
      for (int i = 0; i < Width; ++i) __builtin_prefetch(p + (Whole ? i : min(i, present - 1)) * row + ahead);
      words<Whole, depth>(out, p, row, present);
    }
    for (; at + quad <= k; at += quad, p += quad, out += quad * Width) words<Whole, quad>(out, p, row, present);
    for (; at < k; ++at, ++p, out += Width)
      for (int i = 0; i < Width; ++i) out[i] = i < present ? p[i * row] : 0.0f;
  }
  // `Depth` k of all lines of a panel; lines that are not there are zero.
  template <bool Whole, int Depth>
  static TW_INLINE void words(float* out, const float* p, int64_t row, int present) {
    TW_UNROLL
    for (int line = 0; line < Width; line += quad) {
      TW_UNROLL
      for (int at = 0; at < Depth; at += quad) {
        Words128 v[quad];
        TW_UNROLL
        for (int i = 0; i < quad; ++i)
          v[i] = Whole || line + i < present ? load_bits<Words128>(p + (line + i) * row + at) : Words128{};
        transpose(v);
        TW_UNROLL
        for (int i = 0; i < quad; ++i) store_bits(out + (at + i) * Width + line, v[i]);
      }
    }
  }
  static TW_NOINLINE void gather(float* out, View<const float> src, int64_t line, int present, int64_t k) {
    for (int64_t at = 0; at < k; ++at, out += Width)
      for (int i = 0; i < Width; ++i) out[i] = i < present ? *src.at(line + i, at) : 0.0f;
  }
};
#endif

// ---- which packer a panel has ------------------------------------------------------------------------------------
#if defined(TW_NEON)
template <int Width>
class RowPacker<float, Panel<float, Width, 1, 1>> : public FloatRows<Width> {};
template <int Width, bool Fetched>
class PanelPacker<float, Panel<float, Width, 1, 1>, true, Fetched> : public FloatLines<Width> {};
#endif
#if defined(TW_NEON) || defined(TW_SVE)
template <int Width>
class RowPacker<int8_t, Panel<int8_t, Width, 4, 4>> : public AcrossPacker<int8_t, Panel<int8_t, Width, 4, 4>> {};
template <int Width>
class PanelPacker<int8_t, Panel<int8_t, Width, 4, 4>, false>
    : public AcrossPacker<int8_t, Panel<int8_t, Width, 4, 4>> {};
template <int Width>
class RowPacker<bf16, Panel<bf16, Width, 2, 2>> : public AcrossPacker<bf16, Panel<bf16, Width, 2, 2>> {};
template <int Width>
class PanelPacker<bf16, Panel<bf16, Width, 2, 2>, false> : public AcrossPacker<bf16, Panel<bf16, Width, 2, 2>> {};
template <class Src, class Stored, int Width>
class RowPacker<Src, PairPanel<Stored, Width>> : public AcrossPacker<Src, PairPanel<Stored, Width>> {};
template <class Src, class Stored, int Width>
class PanelPacker<Src, PairPanel<Stored, Width>, false> : public AcrossPacker<Src, PairPanel<Stored, Width>> {};
template <class Src, class Stored, int Width>
class PanelPacker<Src, PairPanel<Stored, Width>, true> : public AlongPacker<Src, PairPanel<Stored, Width>> {};
#endif

}  // namespace tw
