// Rows of a source as the folded pipeline reads them: pixel after pixel, the channels of one group each, as float32 with
// nothing between. Neighbouring taps of a filter row are then one run of floats, however few the channels are.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/conv/strip.hpp"
#include "tw/simd.hpp"

namespace tw {

template <class T>
class FoldedStrip {
 public:
  struct Extents {
    int64_t z, y, x, low, width;  // of the source; the first pixel of a staged row, which may lie before it; its pixels
  };
  FoldedStrip() = default;
  FoldedStrip(float* base, int64_t* tags, int64_t slots_z, int64_t slots_y, int64_t row_floats, const Extents& size)
      : base_(base), tags_(tags), slots_z_(slots_z), slots_y_(slots_y), floats_(row_floats), size_(size) {}

  // Whole registers are stored, the last of which may reach past the row.
  static int64_t row_floats(int64_t width, int64_t channels) { return round_up(width * channels, lanes) + lanes; }

  // Turns to other pixels; what was copied of the same ones is kept.
  void begin(const PixelSource<T>& source) {
    if (source.is(source_)) return;
    source_ = source, channels_ = source.count;
    for (int64_t i = 0; i < slots_z_ * slots_y_; ++i) tags_[i] = -1;
  }
  // Row (z, y), copied unless it is here; null if it lies outside.
  const float* row(int64_t z, int64_t y) {
    if (uint64_t(z) >= uint64_t(size_.z) || uint64_t(y) >= uint64_t(size_.y)) return nullptr;
    const int64_t slot = z % slots_z_ * slots_y_ + y % slots_y_, tag = z * size_.y + y;
    float* at = base_ + slot * floats_;
    if (tags_[slot] != tag) {
      copy(at, source_.data + z * source_.z + y * source_.y);
      tags_[slot] = tag;
    }
    return at;
  }

 private:
  void copy(float* to, const T* row) const {
    const int64_t begin = min(size_.width, max<int64_t>(0, -size_.low));
    const int64_t end = max(begin, min(size_.width, size_.x - size_.low));
    clear(to, begin * channels_);
    const T* from = row + (size_.low + begin) * source_.x;
    pixels(to + begin * channels_, from, end - begin);
    clear(to + end * channels_, (size_.width - end) * channels_);
  }
  void pixels(float* to, const T* from, int64_t count) const {
    const bool dense = source_.channel == 1 || channels_ == 1;
    if (dense && source_.x == channels_) {
      run(to, from, count * channels_);
      return;
    }
    for (int64_t i = 0; i < count; ++i, to += channels_, from += source_.x) {
      if (dense) run(to, from, channels_);
      else for (int64_t c = 0; c < channels_; ++c) to[c] = to_float(from[c * source_.channel]);
    }
  }
  static TW_INLINE void run(float* to, const T* from, int64_t count) {
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) store_bits(to + i, load(from + i));
    if (i < count) store_bits(to + i, load_partial(from + i, int(count - i)));  // the rest is overwritten later
  }
  static void clear(float* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = 0.0f;
  }

  float* base_ = nullptr;
  int64_t* tags_ = nullptr;
  int64_t slots_z_ = 0, slots_y_ = 0, floats_ = 0;
  Extents size_{};
  int64_t channels_ = 1;
  PixelSource<T> source_{};
};

}  // namespace tw
