// Rows of one channel of a channels-first image, copied to float32 with their padding.
//
// The pixels of a stride lie in one piece for each remainder, so that neighbouring results read neighbouring floats.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/simd.hpp"

namespace tw {

template <class Source>
struct PlaneRows {
  int64_t low_y, low_x, range_y;  // the first pixel that the first result reads; rows that a result reads
  int64_t move_y, move_x, size_y, size_x;  // pixels from one result to the next; pixels of the image
  int64_t piece, floats;                   // of a row, for `wide` results
  float* rows = nullptr;
  float* line = nullptr;

  PlaneRows(const Reach& y, const Reach& x, const GatherAxis& ay, const GatherAxis& ax)
      : low_y(y.low), low_x(x.low), range_y(y.range), move_y(ay.move), move_x(ax.move), size_y(ay.source),
        size_x(ax.source), piece(ceil_div((round_up(ax.count, lanes) - 1) * move_x + x.range, move_x)),
        floats(piece * move_x) {}

  int64_t rows_of(int64_t results) const { return (results - 1) * move_y + range_y; }
  // Results whose rows take so many bytes.
  int64_t fit(int64_t bytes) const { return (bytes / 4 / floats - range_y) / move_y + 1; }
  // Memory for the rows of `results` results; `beyond` more floats may be read, for results that nobody wants.
  void take(Arena& arena, int64_t results, int64_t beyond, bool mine) {
    float* all = arena.take<float>(rows_of(results) * floats + beyond);
    float* one = arena.take<float>(move_x > 1 ? floats : 0);
    if (mine) rows = all, line = one;
  }

  // Where pixel (y, x) lies, from the rows of the first result on; it may be any that this result reads.
  int64_t offset(int64_t y, int64_t x) const {
    y -= low_y, x -= low_x;
    return y * floats + x % move_x * piece + x / move_x;
  }

  // The rows of `count` results from `first` on, of a plane whose rows are `step` elements apart.
  void stage(const Source* plane, int64_t step, int64_t first, int64_t count) const {
    float* to = rows;
    for (int64_t r = 0, y = low_y + first * move_y; r < rows_of(count); ++r, ++y, to += floats) {
      if (y < 0 || y >= size_y) __builtin_memset(to, 0, uint64_t(floats) * sizeof(float));
      else if (move_x == 1) copy(to, plane + y * step);
      else split(to, plane + y * step);
    }
  }

 private:
  void copy(float* to, const Source* from) const {
    const int64_t begin = min(floats, max<int64_t>(0, -low_x)), end = max(begin, min(floats, size_x - low_x));
    for (int64_t x = 0; x < begin; ++x) to[x] = 0.0f;
    from += low_x;
    int64_t x = begin;
    for (; x + lanes <= end; x += lanes) store_bits(to + x, load(from + x));
    for (; x < end; ++x) to[x] = to_float(from[x]);
    for (; x < floats; ++x) to[x] = 0.0f;
  }
  void split(float* to, const Source* from) const {
    copy(line, from);
    if (move_x == 2) {
      int64_t j = 0;
      for (; j + lanes <= piece; j += lanes) {
        const vf a = load_bits<vf>(line + 2 * j), b = load_bits<vf>(line + 2 * j + lanes);
        store_bits(to + j, every_second<0>(a, b));
        store_bits(to + piece + j, every_second<1>(a, b));
      }
      for (; j < piece; ++j) to[j] = line[2 * j], to[piece + j] = line[2 * j + 1];
      return;
    }
    for (int64_t p = 0; p < move_x; ++p)
      for (int64_t j = 0; j < piece; ++j) *to++ = line[j * move_x + p];
  }
  template <int First>
  static TW_INLINE vf every_second(vf a, vf b) {
#if TW_LANES == 4
    return __builtin_shufflevector(a, b, First, First + 2, First + 4, First + 6);
#else
    vf r{};
    for (int i = 0; i < lanes; ++i) r[i] = 2 * i + First < lanes ? a[2 * i + First] : b[2 * i + First - lanes];
    return r;
#endif
  }
};

}  // namespace tw
