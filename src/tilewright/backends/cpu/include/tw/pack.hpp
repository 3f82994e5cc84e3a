// Packs lines of a matrix into panels (panel.hpp), converting elements on the way.
//
// All work is done on 32-bit words: a word holds one f32, two bf16 or four bytes, consecutive along k. A square of
// `lanes` lines x `lanes` words is fetched along whichever dimension is contiguous in the source, transposed in
// registers if the panel wants the other direction, and stored. Any other stride is first gathered into such a square.
#pragma once
#include "tw/args.hpp"
#include "tw/panel.hpp"
#include "tw/simd.hpp"

namespace tw {

// ---- transposition of a square of words in registers ------------------------------------------------------------
#if defined(TW_AVX512)
#define TW_SHUFFLE4(a, b, w, x, y, z)                                                                              \
  __builtin_shufflevector(a, b, w, x, y, z, w + 4, x + 4, y + 4, z + 4, w + 8, x + 8, y + 8, z + 8, w + 12, x + 12, \
                          y + 12, z + 12)
#elif defined(TW_AVX2)
#define TW_SHUFFLE4(a, b, w, x, y, z) __builtin_shufflevector(a, b, w, x, y, z, w + 4, x + 4, y + 4, z + 4)
#else
#define TW_SHUFFLE4(a, b, w, x, y, z) __builtin_shufflevector(a, b, w, x, y, z)
#endif

// In-register transpose: v[i][j] becomes v[j][i].
TW_INLINE void transpose(vu (&v)[lanes]) {
  TW_UNROLL
  for (int i = 0; i < lanes; i += 4) {  // 4 x 4 squares inside every 128-bit piece
    const vu t0 = TW_SHUFFLE4(v[i], v[i + 1], 0, lanes, 1, lanes + 1);
    const vu t1 = TW_SHUFFLE4(v[i + 2], v[i + 3], 0, lanes, 1, lanes + 1);
    const vu t2 = TW_SHUFFLE4(v[i], v[i + 1], 2, lanes + 2, 3, lanes + 3);
    const vu t3 = TW_SHUFFLE4(v[i + 2], v[i + 3], 2, lanes + 2, 3, lanes + 3);
    v[i] = TW_SHUFFLE4(t0, t1, 0, 1, lanes, lanes + 1);
    v[i + 1] = TW_SHUFFLE4(t0, t1, 2, 3, lanes + 2, lanes + 3);
    v[i + 2] = TW_SHUFFLE4(t2, t3, 0, 1, lanes, lanes + 1);
    v[i + 3] = TW_SHUFFLE4(t2, t3, 2, 3, lanes + 2, lanes + 3);
  }
#if defined(TW_AVX512)
  TW_UNROLL
  for (int i = 0; i < 16; ++i) {  // then the 128-bit pieces: exchange bit 2 of the row with bit 2 of the column
    if (i & 4) continue;
    const vu a = v[i], b = v[i + 4];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
  TW_UNROLL
  for (int i = 0; i < 8; ++i) {
    const vu a = v[i], b = v[i + 8];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    v[i + 8] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
#elif defined(TW_AVX2)
  TW_UNROLL
  for (int i = 0; i < 4; ++i) {
    const vu a = v[i], b = v[i + 4];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

// ---- words from source elements ---------------------------------------------------------------------------------
template <class Stored>
constexpr int per_word = 4 / int(sizeof(Stored));

// bf16 codes of x; plane 1 is what plane 0 left over (exact for f16). Infinities and NaNs live in plane 0 alone.
TW_INLINE vu bf16_plane(vf x, int plane) {
  const vu high = encode_bf16<vu>(x);
  if (plane == 0) return high;
  const vu infinite = bit_cast<vu>((bit_cast<vu>(x) & splat<vu>(0x7F800000u)) == splat<vu>(0x7F800000u));
  return encode_bf16<vu>(x - bit_cast<vf>(high << 16)) & ~infinite;
}

template <class Src, class P>
struct Fetch {
  using Stored = typename P::Stored;
  static constexpr int per = per_word<Stored>;
  static constexpr bool same_bits = sizeof(Src) == sizeof(Stored) && P::planes == 1;
  static constexpr uint32_t flip = is_same<Stored, biased_u8> ? 0x80808080u : 0u;

  static TW_INLINE vf floats(const Src* p, int count) {
    return count >= lanes ? load(p) : load_partial(p, max(count, 0));
  }

  // `lanes` words of one line that is contiguous along k; `count` elements exist.
  static TW_INLINE vu along_k(const Src* p, int count, int plane) {
    if constexpr (is_same<Stored, float>) {
      return bit_cast<vu>(floats(p, count));
    } else if constexpr (same_bits) {
      constexpr int whole = lanes * per;
      return (count >= whole ? load_bits<vu>(p) : load_bytes_partial(p, count * int(sizeof(Src)))) ^ splat<vu>(flip);
    } else {
      struct Halves { vu16 low, high; } halves;
      halves.low = narrow16(bf16_plane(floats(p, count), plane));
      halves.high = narrow16(bf16_plane(floats(p + (count > lanes ? lanes : 0), count - lanes), plane));
      return bit_cast<vu>(halves);
    }
  }

  // One word of each of `lanes` neighbouring lines; of its `per` rows along k only `rows` exist.
  static TW_INLINE vu across(const Src* p, int64_t k_stride, int rows, int count, int plane) {
    if constexpr (per == 1) {
      return rows > 0 ? bit_cast<vu>(floats(p, count)) : vu{};
    } else {
      vu word = splat<vu>(flip);
      TW_UNROLL
      for (int r = 0; r < per; ++r) {
        if (r < rows) word ^= code(p + r * k_stride, count, plane) << (r * (32 / per));
      }
      return word;
    }
  }

 private:
  static TW_INLINE vu code(const Src* p, int count, int plane) {
    if constexpr (same_bits) {
      return widen(count >= lanes ? load_bits<raw_of<Src>>(p) : load_bits_partial<raw_of<Src>>(p, count));
    } else {
      return bf16_plane(floats(p, count), plane);
    }
  }
};

// ---- panels -----------------------------------------------------------------------------------------------------
// Packs one panel: `lines` (<= width) lines starting at src.data, k elements each. src is seen as lines x k.
// Panels whose width is no multiple of `lanes` (narrow A panels) are written with whole-register stores that run up to
// one register past each word row: write panels in ascending order and leave 64 bytes of slack behind the last.
template <class Src, class P>
class PanelPacker {
 public:
  static void pack(typename P::Stored* out, View<const Src> src, int64_t lines, int64_t k) {
    uint32_t* dst = reinterpret_cast<uint32_t*>(out);
    const int64_t words = P::padded_k(k) / per;
    for (int64_t w = 0; w < words; w += lanes) {
      // From the last lines to the first, so that what a store spills is overwritten by the one after it.
      for (int64_t line = (P::width - 1) / lanes * lanes; line >= 0; line -= lanes) {
        const int count = int(max<int64_t>(0, min<int64_t>(lanes, lines - line)));
        const int rest = int(min<int64_t>(lanes * per, k - w * per));
        const int stored = int(min<int64_t>(lanes, words - w));
        square(dst, line, w, src.at(line, w * per), src, count, rest, stored);
      }
    }
  }

 private:
  using F = Fetch<Src, P>;
  static constexpr int per = F::per;
  // Row panels (A of AMX) keep a line's block together; all others keep the lines of one word together.
  static constexpr bool by_row = P::group == P::block && P::group > per;
  static constexpr int block_words = P::block / per;
  static_assert(!by_row || block_words == lanes, "AMX panels need 512-bit registers");
  static_assert(P::planes == 1 || block_words == lanes, "split panels need 512-bit registers");

  static TW_INLINE void square(uint32_t* dst, int64_t line, int64_t w, const Src* p, View<const Src> src, int count,
                               int rest, int stored) {
    for (int plane = 0; plane < P::planes; ++plane) {
      vu v[lanes];
      if (src.col == 1) {
        fetch_along(v, p, src.row, count, rest, plane);
        if constexpr (!by_row) transpose(v);
      } else if (src.row == 1) {
        fetch_across(v, p, src.col, count, rest, plane);
        if constexpr (by_row) transpose(v);
      } else {
        alignas(64) Src gathered[lanes * lanes * per];
        gather(gathered, p, src, count, rest);
        fetch_along(v, gathered, lanes * per, count, rest, plane);
        if constexpr (!by_row) transpose(v);
      }
      put(dst, v, line, w, plane, stored);
    }
  }

  static TW_INLINE void fetch_along(vu (&v)[lanes], const Src* p, int64_t stride, int count, int rest, int plane) {
    TW_UNROLL
    for (int i = 0; i < lanes; ++i) {
      if (P::width <= i) v[i] = vu{};
      else v[i] = i < count ? F::along_k(p + i * stride, rest, plane) : vu{};
    }
  }
  static TW_INLINE void fetch_across(vu (&v)[lanes], const Src* p, int64_t k_stride, int count, int rest, int plane) {
    TW_UNROLL
    for (int i = 0; i < lanes; ++i) {
      const int rows = rest - i * per;
      v[i] = rows > 0 && count > 0 ? F::across(p + i * per * k_stride, k_stride, rows, count, plane) : vu{};
    }
  }
  static TW_NOINLINE void gather(Src* to, const Src* p, View<const Src> src, int count, int rest) {
    for (int i = 0; i < count; ++i) {
      for (int q = 0; q < rest; ++q) to[i * lanes * per + q] = p[i * src.row + q * src.col];
    }
  }

  static TW_INLINE void put(uint32_t* dst, const vu (&v)[lanes], int64_t line, int64_t w, int plane, int stored) {
    if constexpr (by_row) {
      uint32_t* to = dst + ((w / lanes * P::planes + plane) * P::width + line) * lanes;
      TW_UNROLL
      for (int i = 0; i < lanes; ++i) {
        if (P::width > i) store_bits(to + i * lanes, v[i]);
      }
    } else {
      uint32_t* to = dst + (w * P::planes + plane * block_words) * P::width + line;
      TW_UNROLL
      for (int i = 0; i < lanes; ++i) {
        if (i < stored) store_bits(to + i * P::width, v[i]);
      }
    }
  }
};

}  // namespace tw
