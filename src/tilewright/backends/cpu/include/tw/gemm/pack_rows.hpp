// Packs a B that is contiguous along n into panels of words that hold two or four k elements each (panel.hpp).
//
// Rows are read far along n, a few at a time: such streams the hardware prefetches, and rows a power of two apart do
// not fight for the same cache sets, which whole squares of them would.
#pragma once
#include "tw/gemm/pack.hpp"

namespace tw {

template <class Src, class P>
class RowPacker {
 public:
  static constexpr int per = per_word<typename P::Stored>;
  static_assert(P::group == per && P::width % lanes == 0, "panels of whole words, whole registers wide");

  // `lines` columns of k elements into consecutive panels, `panel_stride` stored elements apart. src is lines x k.
  static TW_NOINLINE void pack(typename P::Stored* out, int64_t panel_stride, View<const Src> src, int64_t lines,
                               int64_t k) {
    const RowPacker packer{src, k, P::padded_k(k) / per};
    for (int64_t w = 0; w < packer.words; w += strip) {
      for (int64_t line = 0; line < P::panels(lines) * P::width; line += lanes) {
        uint32_t* panel = reinterpret_cast<uint32_t*>(out + line / P::width * panel_stride);
        packer.pack_strip(panel + line % P::width, line, w, min<int64_t>(lanes, lines - line));
      }
    }
  }

  View<const Src> src;
  int64_t k, words;

 private:
  static constexpr int strip = 4, rows = strip * per, block = P::block / per;  // in words, rows of B, words
  static_assert(P::planes == 1 || block % strip == 0, "a strip lies in one block");

  // `strip` words of `lanes` lines, `present` of which exist.
  TW_INLINE void pack_strip(uint32_t* panel, int64_t line, int64_t w, int64_t present) const {
    const Src* p = src.at(line, w * per);
    int64_t stride = src.col;
    alignas(64) Src gathered[rows * lanes];
    if (__builtin_expect(present < lanes || k - w * per < rows || src.row != 1, 0)) {
      gather(gathered, p, int(present), int(min<int64_t>(rows, k - w * per)));
      p = gathered;
      stride = lanes;
    }
    uint32_t* to = panel + (w / block * P::planes * block + w % block) * P::width;
    TW_UNROLL
    for (int i = 0; i < strip; ++i) {
      if (w + i >= words) break;
      TW_UNROLL
      for (int plane = 0; plane < P::planes; ++plane) {
        store_bits(to + (plane * block + i) * P::width, Fetch<Src, P>::across(p + i * per * stride, stride, plane));
      }
    }
  }

  // A zero-padded copy.
  TW_NOINLINE void gather(Src* to, const Src* p, int columns, int count) const {
    __builtin_memset(to, 0, sizeof(Src) * rows * lanes);
    for (int r = 0; r < count; ++r) {
      for (int c = 0; c < columns; ++c) to[r * lanes + c] = p[c * src.row + r * src.col];
    }
  }
};

}  // namespace tw
