// Strips: the rows of source pixels that a row of results reads, copied to float32 with their padding.
//
// A strip row is [chunks][width] registers. `channels`: a chunk is `lanes` consecutive channels of one group.
// `interleaved`: one chunk with the channels of several groups, channel 0 of each group first, then channel 1 of each; a
// broadcast of as many floats as there are groups then brings each lane its own group's channel. Rows stay until another
// row takes their slot, so a walk over neighbouring result rows copies each source row once.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/parallel.hpp"
#include "tw/simd.hpp"
#include "tw/transpose.hpp"

namespace tw {

TW_INLINE vf permute(vf x, vi index) {
#if defined(TW_AVX512) || defined(TW_AVX2)
  vf r;
  asm("vpermps %1, %2, %0" : "=v"(r) : "v"(x), "v"(index));
  return r;
#else
  alignas(64) float from[lanes], to[lanes];
  alignas(64) int32_t at[lanes];
  store_bits(from, x);
  store_bits(at, index);
  for (int i = 0; i < lanes; ++i) to[i] = from[at[i]];
  return load_bits<vf>(to);
#endif
}

// N floats again and again, until the register is full. In one instruction from memory: left to itself, a compiler
// keeps what it read for another use and broadcasts it on the port of the multiplications.
template <int N>
TW_INLINE vf repeat(const float* p) {
  if constexpr (N >= lanes) return load_bits<vf>(p);
  vf r{};
#if defined(TW_AVX512)
  using Floats = const float (*)[N];
  if constexpr (N == 1) asm("vbroadcastss %1, %0" : "=v"(r) : "m"(*Floats(p)));
  if constexpr (N == 2) asm("vbroadcastsd %1, %0" : "=v"(r) : "m"(*Floats(p)));
  if constexpr (N == 4) asm("vbroadcastf32x4 %1, %0" : "=v"(r) : "m"(*Floats(p)));
  if constexpr (N == 8) asm("vbroadcastf32x8 %1, %0" : "=v"(r) : "m"(*Floats(p)));
#else
  if constexpr (N == 1) return splat<vf>(*p);
  if constexpr (N == 2) {
    double pair;
    __builtin_memcpy(&pair, p, sizeof pair);
    return bit_cast<vf>(splat<vec<double, lanes / 2>>(pair));
  }
  for (int i = 0; i < lanes; ++i) r[i] = p[i % N];
#endif
  return r;
}

// Memory that will be needed next, asked for a few cache lines at a time between other work.
struct Ahead {
  const char* at = nullptr;
  const char* end = nullptr;
  int64_t lines = 0;  // at a time
  Ahead() = default;
  // [from, to) within so many steps.
  Ahead(const void* from, const void* to, int64_t steps)
      : at(static_cast<const char*>(from)), end(static_cast<const char*>(to)),
        lines(ceil_div(end - at, 64 * max<int64_t>(1, steps))) {}
  template <bool Write>
  TW_INLINE void step() {
    if (at >= end) return;
    const char* p = at;
    for (int64_t i = 0; i < lines; ++i, p += 64) {
      if (Write) prefetch_write(p);
      else __builtin_prefetch(p, 0, 2);
    }
    at = p;
  }
};

enum class Staging { channels, interleaved };

// How the channels of merged groups lie in a register: `merged` groups of `out` result channels each.
struct Merge {
  int in, out, merged;
  alignas(64) int32_t interleave[lanes];  // which source channel comes to each place of an interleaved register
  alignas(64) int32_t spread[lanes];      // the same for result channels
  alignas(64) int32_t restore[lanes];     // and which interleaved lane holds each result channel
  Merge(int64_t in_channels, int64_t out_channels, int groups = 0) : in(int(in_channels)), out(int(out_channels)) {
    merged = groups > 0 ? groups : lanes / max(in, out);
    for (int l = 0; l < lanes; ++l) {
      interleave[l] = l / merged < in ? l % merged * in + l / merged : 0;
      spread[l] = l / merged < out ? l % merged * out + l / merged : 0;
      restore[l] = l / out < merged ? l % out * merged + l / out : 0;
    }
  }
  int columns() const { return merged * out; }
  int span() const { return merged * in; }
};

// Where a pixel's channels are: `count` of them from `data` on, `channel` apart; pixels are x, rows y, planes z apart.
template <class T>
struct PixelSource {
  const T* data;
  int64_t channel, x, y, z;
  int count;
  // Whether a strip of the one serves the other. With a stride of 0, several blocks of channels begin at one address,
  // and the last one may have fewer channels.
  bool is(const PixelSource& other) const { return data == other.data && count == other.count; }
};

template <class T>
TW_INLINE vf load_channels(const T* p, int64_t step, int n) {
  if (step != 1 && n > 1) return load_strided(p, step, n);
  return n == lanes ? load(p) : load_partial(p, n);
}

// sink(register of n <= lanes channels, pixel; zeros beyond them) for `count` pixels side by side, of channels that are `channel` apart.
template <class T, class Sink>
TW_INLINE void each_pixel(const T* from, int64_t channel, int n, int64_t count, const Sink& sink) {
  int64_t x = 0;
#if defined(TW_NEON)  // squares of four channels and four pixels; the last one may overlap another
  for (; n > 1 && count >= lanes && x < count; x += lanes) {
    const int64_t at = min(x, count - lanes);
    vu square[lanes];
    for (int i = 0; i < lanes; ++i) square[i] = i < n ? bit_cast<vu>(load(from + at + i * channel)) : vu{};
    transpose(square);
    for (int i = 0; i < lanes; ++i) sink(bit_cast<vf>(square[i]), at + i);
  }
#endif
  for (; x < count; ++x) sink(n > 0 ? load_channels(from + x, channel, n) : vf{}, x);
}

// Copies pixels [x0, x0 + width) of one source row; pixels outside [0, size) become zero.
template <Staging How, class T>
void copy_row(float* dst, const PixelSource<T>& s, const T* row, int64_t x0, int64_t width, int64_t size, const Merge& m) {
  const int64_t begin = min(width, max<int64_t>(0, -x0)), end = max(begin, min(width, size - x0));
  const int chunks = int(ceil_div(s.count, lanes));
  const vi index = load_bits<vi>(m.interleave);
  const int64_t pixel = s.x, channel = s.channel;
  for (int q = 0; q < chunks; ++q) {
    const int n = min(lanes, s.count - q * lanes);
    const T* from = row + q * lanes * channel + (x0 + begin) * pixel;
    float* to = dst + q * width * lanes;
    for (int64_t x = 0; x < begin; ++x) store_bits(to + x * lanes, vf{});
    const auto copy = [&](vf v, int64_t x) { store_bits(to + x * lanes, How == Staging::interleaved ? permute(v, index) : v); };
    if (n == lanes && channel == 1) {
      for (int64_t x = begin; x < end; ++x, from += pixel) copy(load(from), x);
    } else if (pixel == 1) {  // channels-first
      each_pixel(from, channel, n, end - begin, [&](vf v, int64_t x) { copy(v, begin + x); });
    } else {
      for (int64_t x = begin; x < end; ++x, from += pixel) copy(load_channels(from, channel, n), x);
    }
    for (int64_t x = end; x < width; ++x) store_bits(to + x * lanes, vf{});
  }
}

// The rows of one channel block, by slot. A row that lies outside the source is null: it contributes nothing.
template <Staging How, class T>
class Strip {
 public:
  struct Extents {
    int64_t z, y, x, width;  // of the source, and the pixels of a staged row
  };
  Strip() = default;
  Strip(float* base, int64_t* tags, int64_t slots_z, int64_t slots_y, int64_t row_floats, const Extents& size,
        const Merge* merge)
      : base_(base), tags_(tags), slots_z_(slots_z), slots_y_(slots_y), floats_(row_floats), size_(size), merge_(merge) {}

  static constexpr int64_t none = -1;

  // Turns to the pixels of a source from x0 on; what was copied of them is kept. With a `part`, what was copied of the
  // other sources is kept, too: there is memory for several strips side by side, and every source has one of its own.
  void begin(const PixelSource<T>& source, int64_t x0, int64_t part = none) {
    if (part == none && source.is(source_) && x0 == x0_) return;
    source_ = source, x0_ = x0;
    if (part == none) return forget(1);
    base_ += (part - part_) * slots_z_ * slots_y_ * floats_;
    tags_ += (part - part_) * slots_z_ * slots_y_;
    part_ = part;
  }
  // Forgets what was copied into the first `parts` strips.
  void forget(int64_t parts) {
    for (int64_t i = 0; i < parts * slots_z_ * slots_y_; ++i) tags_[i] = -1;
  }
  // Row (z, y); copied unless it is here.
  TW_INLINE const float* row(int64_t z, int64_t y) {
    if (uint64_t(z) >= uint64_t(size_.z) || uint64_t(y) >= uint64_t(size_.y)) return nullptr;
    int64_t slot = uint32_t(y) % uint32_t(slots_y_), tag = y;
    if (slots_z_ > 1) slot += z % slots_z_ * slots_y_;
    if (size_.z > 1) tag += z * size_.y;
    float* at = base_ + slot * floats_;
    if (tags_[slot] != tag) {
      copy_row<How>(at, source_, source_.data + z * source_.z + y * source_.y, x0_, size_.width, size_.x, *merge_);
      tags_[slot] = tag;
    }
    return at;
  }

 private:
  float* base_ = nullptr;
  int64_t* tags_ = nullptr;
  int64_t slots_z_ = 0, slots_y_ = 0, floats_ = 0, x0_ = 0, part_ = 0;
  Extents size_{};
  PixelSource<T> source_{};
  const Merge* merge_ = nullptr;
};

}  // namespace tw
