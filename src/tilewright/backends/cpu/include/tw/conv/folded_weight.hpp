// Backward weight for few channels: the sums of a row of taps and its channels are one run, cut into register tiles.
//
// Work is cut into units: a block of output channels times a share of the output rows. Each unit owns its sums, laid out
// [tap][input channel][columns]; the shares of a block are added in ascending order, so the result does not depend on the
// threads. A band of rows is staged, then each tile of sums stays in registers while the pixels of the band go by.
#pragma once
#include "tw/conv/folded_strip.hpp"
#include "tw/conv/folded_tiles.hpp"
#include "tw/conv/run.hpp"
#include "tw/gemm/epilogue.hpp"
#include "tw/transpose.hpp"

namespace tw {

template <class Config>
class FoldedWeight {
  using Input = typename Config::Input;
  using Output = typename Config::Output;
  static constexpr int columns = Config::nr, nv = columns / lanes;
  static constexpr int64_t strip_bytes = Config::strip_kb * 1024, band_bytes = 24 * 1024;  // of gradients: they stay in L1

 public:
  static int64_t workspace(const tw_args& args) { return InArena<FoldedWeight>::bytes(args); }
  static int run(tw_args* args) { return InArena<FoldedWeight>::run(args); }

 private:
  friend InArena<FoldedWeight>;
  FoldedWeight(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), in_(args, slot_input), out_(args, slot_output),
        row_(args, Config::D::size) {
    const Launch launch(args);
    const int threads = max(1, launch.threads);
    const Axis &z = size_.axis[0], &y = size_.axis[1], &x = size_.axis[2];
    per_group_ = ceil_div(size_.k, columns);
    blocks_ = size_.g * per_group_;
    rows_ = size_.n * z.out * y.out;
    parts_ = min(launch.split_k > 1 ? launch.split_k : ceil_div(threads, blocks_), rows_);
    sums_ = size_.taps() * size_.c * columns;
    width_ = (x.out - 1) * x.stride + (x.filter - 1) * x.dilation + 1;
    const int64_t floats = FoldedStrip<Input>::row_floats(width_, size_.c), row = x.out * columns * int64_t(sizeof(float));
    slots_z_ = min(z.in, (z.filter - 1) * z.dilation + 1);
    const int64_t fits = strip_bytes / (slots_z_ * floats * int64_t(sizeof(float))), reach = (y.filter - 1) * y.dilation + 1;
    const int64_t held = y.in <= fits ? y.out : (fits - reach) / y.stride + 1;
    band_ = max<int64_t>(1, min(min(y.out, band_bytes / row), held));
    slots_y_ = min(y.in, (band_ - 1) * y.stride + reach);
    total_ = arena.take<float>(blocks_ * parts_ * sums_);
    for (int t = 0; t < threads; ++t) {
      float* strip = arena.take<float>(slots_z_ * slots_y_ * floats);
      int64_t* tags = arena.take<int64_t>(slots_z_ * slots_y_);
      float* gradient = arena.take<float>(band_ * x.out * columns);
      const float** at = arena.take<const float*>(2 * band_);
      if (t != team.index) continue;
      gradient_ = gradient, band_in_ = at, band_out_ = at + band_;
      strip_ = {strip, tags, slots_z_, slots_y_, floats, {z.in, y.in, x.in, -x.pad, width_}};
    }
  }

  int work() {
    const Range units = partition(blocks_ * parts_, 1, team_.count, team_.index);
    for (int64_t i = units.begin * sums_; i < units.end * sums_; ++i) total_[i] = 0.0f;
    for (int64_t u = units.begin; u < units.end; ++u) share(u / parts_, u % parts_);
    team_.barrier();
    const int64_t taps = size_.taps();
    const Range mine = partition(blocks_ * taps, 1, team_.count, team_.index);
    for (int64_t i = mine.begin; i < mine.end; ++i) finish(i / taps, i % taps);
    return 0;
  }

  // One share of the rows of one block.
  void share(int64_t block, int64_t part) {
    const Range rows = partition(rows_, 1, int(parts_), int(part));
    const int64_t height = size_.axis[1].out, depth = size_.axis[0].out;
    float* sum = total_ + (block * parts_ + part) * sums_;
    for (int64_t row = rows.begin; row < rows.end;) {
      const int64_t y = row % height, z = row / height % depth, image = row / height / depth;
      const int64_t count = min(band_, min(height - y, rows.end - row));
      band(sum, block, image, z, y, count);
      row += count;
    }
  }

  void band(float* sum, int64_t block, int64_t image, int64_t z, int64_t y, int64_t count) {
    const Axis &az = size_.axis[0], &ay = size_.axis[1], &ax = size_.axis[2];
    const int64_t group = block / per_group_, channel = block % per_group_ * columns;
    const Input* in = static_cast<const Input*>(args_.tensors[slot_input]) + image * in_.outer + group * in_.group;
    const Output* out = static_cast<const Output*>(args_.tensors[slot_output]) + image * out_.outer +
                        group * out_.group + channel * out_.channel + z * out_.z + y * out_.y;
    strip_.begin({in, in_.channel, in_.x, in_.y, in_.z, int(size_.c)});
    copy_gradient(out, count, int(min<int64_t>(columns, size_.k - channel)));
    const bool apart = ax.filter > 1 && ax.dilation > 1;
    const int64_t runs = apart ? ax.filter : 1, length = (apart ? 1 : ax.filter) * size_.c;
    for (int64_t fz = 0; fz < az.filter; ++fz)
      for (int64_t fy = 0; fy < ay.filter; ++fy) {
        int64_t met = 0;
        for (int64_t r = 0; r < count; ++r) {
          const float* x = strip_.row(z * az.stride + fz * az.dilation - az.pad,
                                      (y + r) * ay.stride + fy * ay.dilation - ay.pad);
          if (x) band_in_[met] = x, band_out_[met++] = gradient_ + r * ax.out * columns;
        }
        for (int64_t f = 0; f < runs; ++f, sum += length * columns) {
          const Range met_by = apart ? pixels_of(ax, f) : Range{0, ax.out};
          in_tiles<Config::mr>(length, Band{sum, band_in_, band_out_, met, f * ax.dilation * size_.c,
                                            ax.stride * size_.c, met_by});
        }
      }
  }

  // The pixels for which tap f is not in the padding.
  static Range pixels_of(const Axis& a, int64_t f) {
    const int64_t at = f * a.dilation - a.pad, begin = at < 0 ? min(a.out, ceil_div(-at, a.stride)) : 0;
    return {begin, at >= a.in ? begin : max(begin, min(a.out, (a.in - 1 - at) / a.stride + 1))};
  }

  // Rows of staged input and of gradients that belong together.
  struct Band {
    float* sum;
    const float* const* in;
    const float* const* out;
    int64_t count, offset, step;
    Range pixels;

    // Adds to sums at .. at + T - 1.
    template <int T>
    TW_NOINLINE void tile(int64_t at) const {
      vf acc[T][nv];
      float* to = sum + at * columns;
      clear_tile(acc);
      for (int64_t i = 0; i < count; ++i) {
        const float* x = in[i] + offset + at + pixels.begin * step;
        const float* g = out[i] + pixels.begin * columns;
        for (int64_t p = pixels.begin; p < pixels.end; ++p, x += step, g += columns) {
          vf gradient[nv];
          TW_UNROLL
          for (int v = 0; v < nv; ++v) gradient[v] = load_bits<vf>(g + v * lanes);
          TW_UNROLL
          for (int t = 0; t < T; ++t) {
            const vf value = repeat<1>(x + t);
            TW_UNROLL
            for (int v = 0; v < nv; ++v) add_product(acc[t][v], value, gradient[v]);
          }
        }
      }
      add_tile(acc, to);
      store_tile(acc, to);
    }
  };

  // The band's gradients as [row][pixel][columns] float32, zero beyond `cols`.
  void copy_gradient(const Output* out, int64_t count, int cols) const {
    const bool whole = cols == columns && out_.channel == 1;
    float* to = gradient_;
    for (int64_t r = 0; r < count; ++r) {
      const Output* p = out + r * out_.y;
      for (int64_t x = 0; x < size_.axis[2].out; ++x, p += out_.x, to += columns)
        for (int c = 0; c < columns; c += lanes) {
          const int n = cols - c;
          store_bits(to + c, whole ? load(p + c) : n <= 0 ? vf{} : load_channels(p + c * out_.channel, out_.channel, min(n, lanes)));
        }
    }
  }

  // Adds the shares of a tap of a block and writes its weights.
  void finish(int64_t block, int64_t tap) {
    const int64_t length = size_.c * columns;
    float* sum = total_ + block * parts_ * sums_ + tap * length;
    add_shares(sum, length, parts_, sums_);
    const int64_t group = block / per_group_, channel = block % per_group_ * columns;
    const int cols = int(min<int64_t>(columns, size_.k - channel));
    along_ = ConvStrides(args_, slot_weight).channel == 1 && size_.c > 1;
    const int64_t wide = size_.axis[2].filter, high = size_.axis[1].filter;
    for (int64_t c = 0; c < size_.c; c += lanes, sum += lanes * columns) {
      const int n = int(min<int64_t>(lanes, size_.c - c));
      const int64_t place[6] = {group, channel, c, tap / wide / high, tap / wide % high, tap % wide};
      point<typename Config::Out>(slot_out, slot_weight, place);
      point_d<0>(typename Config::D{}, place);
      for (int l = 0; l < cols; l += lanes) write(sum + l, l, n, min(cols - l, lanes));
    }
  }

  // `channels` rows of sums, `cols` columns from l on, to the weights; transposed in registers if those lie along the
  // channels.
  TW_INLINE void write(const float* sum, int l, int channels, int cols) const {
    vu square[lanes];
    TW_UNROLL
    for (int i = 0; i < lanes; ++i) square[i] = bit_cast<vu>(i < channels ? load_bits<vf>(sum + i * columns) : vf{});
    if (along_) transpose(square);
    alignas(64) float rows[lanes * lanes];
    TW_UNROLL
    for (int i = 0; i < lanes; ++i) store_bits(rows + i * lanes, square[i]);
    const Epilogue<Config> epilogue(row_.args, 0);
    if (along_) epilogue.tile(rows, lanes, l, 0, cols, channels);
    else epilogue.tile(rows, lanes, 0, l, channels, cols);
  }
  template <class T>
  void point(int to, int slot, const int64_t (&at)[6]) {
    const ConvStrides s(args_, slot);
    T* base = static_cast<T*>(args_.tensors[slot]) + at[0] * s.outer + at[1] * s.group + at[2] * s.channel;
    const int64_t channel = size_.c == 1 ? 0 : s.channel;
    row_.set(to, base + at[3] * s.z + at[4] * s.y + at[5] * s.x, along_ ? s.group : channel, along_ ? channel : s.group);
  }
  template <int I>
  void point_d(List<>, const int64_t (&)[6]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, const int64_t (&at)[6]) {
    point<T>(slot_d + I, slot_conv_d + I, at);
    point_d<I + 1>(List<Rest...>{}, at);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const ConvStrides in_, out_;
  RowArgs row_;
  int64_t per_group_, blocks_, parts_, rows_, sums_, width_, band_, slots_z_, slots_y_;
  float* total_;
  float* gradient_ = nullptr;
  const float** band_in_ = nullptr;
  const float** band_out_ = nullptr;
  FoldedStrip<Input> strip_;
  bool along_ = false;  // the weights lie along the input channels
};

}  // namespace tw
