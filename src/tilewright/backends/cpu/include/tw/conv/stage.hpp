// Pixels as rows of a matrix: what each result pixel reads, tap after tap, side by side (the im2col of a block).
#pragma once
#include "tw/conv/args.hpp"
#include "tw/simd.hpp"

namespace tw {

// Copies `bytes`; never touches memory outside of either range.
TW_INLINE void copy_bytes(void* to, const void* from, int64_t bytes) {
  char* d = static_cast<char*>(to);
  const char* s = static_cast<const char*>(from);
  for (; bytes >= int64_t(sizeof(vu)); bytes -= sizeof(vu), d += sizeof(vu), s += sizeof(vu)) {
    store_bits(d, load_bits<vu>(s));
  }
  if (bytes > 0) __builtin_memcpy(d, s, uint64_t(bytes));
}
TW_INLINE void zero_bytes(void* to, int64_t bytes) { __builtin_memset(to, 0, uint64_t(bytes)); }

// Result pixels of one class in the order (image, z, y, x), and where each of them reads.
template <class T>
struct PixelStager {
  const T* data;  // image 0, the group's first channel
  ConvStrides s;
  GatherAxis az, ay, ax;
  int64_t channels;

  int64_t taps() const { return az.taps * ay.taps * ax.taps; }
  int64_t length() const { return taps() * channels; }

  // Rows [first, first + count) into dst, `ld` elements apart; elements [length(), ld) become zero.
  void rows(T* dst, int64_t ld, int64_t first, int64_t count) const {
    int64_t x = first % ax.count, rest = first / ax.count, y = rest % ay.count, z = rest / ay.count % az.count;
    int64_t image = rest / ay.count / az.count;
    for (int64_t i = 0; i < count; ++i, dst += ld) {
      pixel(dst, data + image * s.outer, z, y, x);
      zero_bytes(dst + length(), (ld - length()) * int64_t(sizeof(T)));
      if (++x < ax.count) continue;
      x = 0;
      if (++y < ay.count) continue;
      y = 0;
      if (++z < az.count) continue;
      z = 0, ++image;
    }
  }

 private:
  TW_INLINE void pixel(T* dst, const T* image, int64_t jz, int64_t jy, int64_t jx) const {
    const int64_t row = ax.taps * channels;
    for (int64_t iz = 0; iz < az.taps; ++iz)
      for (int64_t iy = 0; iy < ay.taps; ++iy, dst += row) {
        const int64_t z = az.start + iz * az.start_step + jz * az.move, y = ay.start + iy * ay.start_step + jy * ay.move;
        if (z < 0 || z >= az.source || y < 0 || y >= ay.source) zero_bytes(dst, row * int64_t(sizeof(T)));
        else taps_along_x(dst, image + z * s.z + y * s.y, ax.start + jx * ax.move);
      }
  }
  TW_INLINE void taps_along_x(T* dst, const T* row, int64_t x) const {
    if (ax.start_step == 1 && s.x == channels && s.channel == 1) {  // taps lie side by side: one copy
      const int64_t begin = min(ax.taps, max<int64_t>(0, -x)), end = max(begin, min(ax.taps, ax.source - x));
      zero_bytes(dst, begin * channels * int64_t(sizeof(T)));
      copy_bytes(dst + begin * channels, row + (x + begin) * s.x, (end - begin) * channels * int64_t(sizeof(T)));
      zero_bytes(dst + end * channels, (ax.taps - end) * channels * int64_t(sizeof(T)));
      return;
    }
    for (int64_t i = 0; i < ax.taps; ++i, dst += channels, x += ax.start_step) {
      if (x < 0 || x >= ax.source) zero_bytes(dst, channels * int64_t(sizeof(T)));
      else if (s.channel == 1 || channels == 1) copy_bytes(dst, row + x * s.x, channels * int64_t(sizeof(T)));
      else for (int64_t c = 0; c < channels; ++c) dst[c] = row[x * s.x + c * s.channel];
    }
  }
};

}  // namespace tw
