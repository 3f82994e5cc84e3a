// Packs lines of a matrix into panels (panel.hpp), converting elements on the way.
//
// All work is done on 32-bit words: a word holds one f32, two bf16 or four bytes, consecutive along k. A square of
// `lanes` lines x `lanes` words is fetched along whichever dimension is contiguous in the source, transposed in
// registers if the panel wants the other direction, and stored. Any other stride is first gathered into such a square.
#pragma once
#include "tw/gemm/args.hpp"
#include "tw/gemm/panel.hpp"
#include "tw/transpose.hpp"

namespace tw {

// ---- words from source elements ---------------------------------------------------------------------------------
template <class Stored>
constexpr int per_word = 4 / int(sizeof(Stored));

// bf16 codes of x, which has at most 11 significant bits. Of two planes, plane 1 is what plane 0 left over; together
// they are exact. Infinities and NaNs (quiet, so that their upper half is one) live in plane 0 alone.
template <int Planes>
TW_INLINE vu bf16_plane(vf x, int plane) {
  const vu bits = bit_cast<vu>(x);
  if (Planes == 1) return bits >> 16;  // 8-bit floats fit
  const vu special = bit_cast<vu>((bits & splat<vu>(0x7F800000u)) == splat<vu>(0x7F800000u));
  const vu rounded = bits + ((splat<vu>(0x7FFFu) + ((bits >> 16) & splat<vu>(1u))) & ~special);
  if (plane == 0) return rounded >> 16;
  return (bit_cast<vu>(x - bit_cast<vf>(rounded & splat<vu>(0xFFFF0000u))) & ~special) >> 16;
}

// What plane 1 holds, as float32.
TW_INLINE vf bf16_rest(vf x) {
  const vf rest = x - bit_cast<vf>(widen(fast_bf16(x)) << 16);
  return (rest == rest) ? rest : vf{};
}

template <class Src, class P>
struct Fetch {
  using Stored = typename P::Stored;
  static constexpr int per = per_word<Stored>;
  static constexpr bool same_bits = sizeof(Src) == sizeof(Stored) && P::planes == 1;
  static constexpr uint32_t flip = is_same<Stored, biased_u8> ? 0x80808080u : 0u;

  // `lanes` words of one line that is contiguous along k.
  static TW_INLINE vu along_k(const Src* p, int plane) {
    if constexpr (is_same<Stored, float>) {
      return bit_cast<vu>(load(p));
    } else if constexpr (same_bits) {
      return load_bits<vu>(p) ^ splat<vu>(flip);
    } else {
      const vf low = load(p), high = load(p + lanes);
      return plane == 0 ? fast_bf16(low, high) : fast_bf16(bf16_rest(low), bf16_rest(high));
    }
  }

  // One word of each of `lanes` neighbouring lines.
  static TW_INLINE vu across(const Src* p, int64_t k_stride, int plane) {
    if constexpr (per == 1) {
      return bit_cast<vu>(load(p));
    } else {
      vu word = splat<vu>(flip);
      TW_UNROLL
      for (int r = 0; r < per; ++r) word ^= code(p + r * k_stride, plane) << (r * (32 / per));
      return word;
    }
  }

 private:
  static TW_INLINE vu code(const Src* p, int plane) {
    if constexpr (same_bits) return widen(load_bits<raw_of<Src>>(p));
    else return bf16_plane<P::planes>(load(p), plane);
  }
};

// ---- panels -----------------------------------------------------------------------------------------------------
// Packs `lines` lines of k elements into consecutive panels, `panel_stride` stored elements apart. src is seen as
// lines x k. Along: the source is expected to be contiguous along k, otherwise across the lines; where it is not, and
// at the edges, squares are gathered element by element first. Fetched: somebody else has brought the source near.
template <class Src, class P, bool Along, bool Fetched = false>
class PanelPacker {
 public:
  static TW_NOINLINE void pack(typename P::Stored* out, int64_t panel_stride, View<const Src> src, int64_t lines,
                               int64_t k) {
    const PanelPacker packer{src, lines, k, P::padded_k(k) / per};
    const int64_t panels = P::panels(lines);
    if constexpr (Along) {  // few lines at a time, far along k: so many streams the hardware can prefetch
      for (int64_t panel = 0; panel < panels; ++panel) {
        uint32_t* dst = reinterpret_cast<uint32_t*>(out + panel * panel_stride);
        for (int line = 0; line < P::width; line += lanes) {
          for (int64_t w = 0; w < packer.words; w += lanes) packer.square(dst, panel * P::width, line, w);
        }
      }
    } else {  // all lines of a few k at a time
      for (int64_t w = 0; w < packer.words; w += lanes) {
        for (int64_t panel = 0; panel < panels; ++panel) {
          uint32_t* dst = reinterpret_cast<uint32_t*>(out + panel * panel_stride);
          for (int line = 0; line < P::width; line += lanes) packer.square(dst, panel * P::width, line, w);
        }
      }
    }
  }

  View<const Src> src;
  int64_t lines, k, words;

 private:
  using F = Fetch<Src, P>;
  static constexpr int per = F::per, side = lanes * per;
  static constexpr int group_words = P::group / per, block_words = P::block / per;
  static_assert(group_words == 1 || group_words == lanes, "a group is one word or one register");
  static_assert(P::planes == 1 || block_words == lanes, "split panels need 512-bit registers");

  // Packs `lanes` lines x `lanes` words. Squares that are not wholly there are completed with zeros first.
  TW_INLINE void square(uint32_t* dst, int64_t first, int line, int64_t w) const {
    constexpr int wanted = min(lanes, P::width);
    const int64_t present = lines - first - line;
    const Src* p = src.at(first + line, w * per);
    int64_t stride = Along ? src.row : src.col;
    if (!Fetched) prefetch_next(p, line, stride);
    // Across, a whole register is loaded even where the panel is narrower.
    const bool whole = present >= (Along ? wanted : lanes) && k - w * per >= side && (Along ? src.col : src.row) == 1;
    alignas(64) Src gathered[lanes * side];
    if (__builtin_expect(!whole, 0)) {
      gather(gathered, p, int(max<int64_t>(0, min<int64_t>(min(lanes, P::width - line), present))),
             int(min<int64_t>(side, k - w * per)));
      p = gathered;
      stride = Along ? side : lanes;
    }
    for (int plane = 0; plane < P::planes; ++plane) {
      vu v[lanes];
      TW_UNROLL
      for (int i = 0; i < lanes; ++i) {
        if (Along) v[i] = i < wanted ? F::along_k(p + i * stride, plane) : vu{};
        else v[i] = F::across(p + i * per * stride, stride, plane);
      }
      if constexpr (Along == (group_words == 1)) transpose(v);
      put(dst, v, line, w, plane);
    }
  }

  // Asks the second-level cache for the square that follows: the same words of the next panel, or the next words of the
  // same lines. Far enough ahead, and never a fault if it does not exist.
  TW_INLINE void prefetch_next(const Src* p, int line, int64_t stride) const {
    if (!Along && line * sizeof(Src) % 64 != 0) return;  // the lines before it share the cache line
    constexpr int count = Along ? min(lanes, P::width) : side;
    const int64_t ahead = (Along ? P::width : side) * stride;
    TW_UNROLL
    for (int i = 0; i < count; ++i) __builtin_prefetch(p + ahead + i * stride, 0, 2);
  }

  // A zero-padded copy of a square, in the order the fast path expects.
  TW_NOINLINE void gather(Src* to, const Src* p, int count, int rest) const {
    __builtin_memset(to, 0, sizeof(Src) * lanes * side);
    for (int i = 0; i < count; ++i) {
      for (int q = 0; q < rest; ++q) to[Along ? i * side + q : q * lanes + i] = p[i * src.row + q * src.col];
    }
  }

  TW_INLINE void put(uint32_t* dst, const vu (&v)[lanes], int line, int64_t w, int plane) const {
    const int stored = int(min<int64_t>(lanes, words - w));
    if constexpr (group_words == 1) {
      uint32_t* to = dst + (w * P::planes + plane * block_words) * P::width + line;
      const int n = min(lanes, P::width - line);
      TW_UNROLL
      for (int i = 0; i < lanes; ++i) {
        if (i < stored && P::width % lanes == 0) store_bits(to + i * P::width, v[i]);
        else if (i < stored) store_bits_partial(to + i * P::width, v[i], n);
      }
    } else {
      uint32_t* to = dst + (w * P::planes + plane * lanes) * P::width + line * lanes;
      TW_UNROLL
      for (int i = 0; i < lanes; ++i) {
        if (i < P::width - line) store_bits(to + i * lanes, v[i]);
      }
    }
  }
};

// -128 times the sums of the columns of one 8-bit panel of `words` words per column.
template <int Width>
TW_INLINE void panel_corrections(int32_t* out, const int8_t* panel, int64_t words) {
  for (int c = 0; c < Width; c += lanes) {
    vi sum{};
    for (int64_t w = 0; w < words; ++w) {
      const vi word = load_bits<vi>(panel + (w * Width + c) * 4);
      sum = sum + (word << 24 >> 24) + (word << 16 >> 24) + (word << 8 >> 24) + (word >> 24);
    }
    store_bits(out + c, sum * -128);
  }
}

}  // namespace tw
