// Pixels of channels-first images as rows of channels (conv/stage.hpp), for one tap that reads every pixel in its place:
// squares of channels and pixels are turned in registers, which takes a sixth of the time of one element after the other.
#pragma once
#include "tw/transpose.hpp"

namespace tw {

// Whether the pixels of an image lie side by side in each channel, and the rows ask for all of them in that order.
template <class Stager>
bool whole_planes(const Stager& p) {
  const auto same = [](const auto& a) { return a.taps == 1 && a.move == 1 && a.start == 0 && a.count == a.source; };
  return same(p.az) && same(p.ay) && same(p.ax) && p.s.channel != 1 && p.s.x == 1 &&
         (p.ay.count == 1 || p.s.y == p.ax.count) && (p.az.count == 1 || p.s.z == p.ax.count * p.ay.count);
}

// `count` pixels of one image, the first of them at `from`.
template <class T>
TW_NOINLINE void turn_pixels(T* to, int64_t ld, const T* from, int64_t channel, int64_t channels, int64_t count) {
  constexpr int64_t block = 64;  // channels whose lines stay near while pixels pass by
  for (int64_t first = 0; first < channels; first += block) {
    const int64_t end = min(channels, first + block);
    for (int64_t i = 0; i < count; i += lanes) {
      for (int64_t c = first; c < end; c += lanes) {
        if (i + lanes <= count && c + lanes <= end) {
          vu square[lanes];
          for (int q = 0; q < lanes; ++q) square[q] = load_bits<vu>(from + (c + q) * channel + i);
          transpose(square);
          for (int q = 0; q < lanes; ++q) store_bits(to + (i + q) * ld + c, square[q]);
        } else {
          for (int64_t x = i; x < min(count, i + lanes); ++x)
            for (int64_t q = c; q < min(end, c + lanes); ++q) to[x * ld + q] = from[q * channel + x];
        }
      }
    }
  }
}

// Rows [first, first + count) of a stager whose planes are whole; elements behind the channels become zero.
template <class Stager, class T>
void turned_rows(const Stager& p, T* to, int64_t ld, int64_t first, int64_t count) {
  const int64_t plane = p.az.count * p.ay.count * p.ax.count;
  while (count > 0) {
    const int64_t at = first % plane, some = min(count, plane - at);
    turn_pixels(to, ld, p.data + first / plane * p.s.outer + at, p.s.channel, p.channels, some);
    for (int64_t i = 0; i < some; ++i)
      __builtin_memset(to + i * ld + p.channels, 0, uint64_t(ld - p.channels) * sizeof(T));
    first += some, count -= some, to += some * ld;
  }
}

}  // namespace tw
