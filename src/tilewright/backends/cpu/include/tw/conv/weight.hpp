// Backward weight with vector code: sums over output pixels of (output gradient) x (input), in float32.
//
// Work is cut into units: a block of output channels times a share of the output rows. Each unit owns its sums, laid out
// [tap][input channel][columns]; the shares of a block are added in ascending order, so the result does not depend on the
// threads. Rows are taken in bands, so that the sums of a register tile stay in registers over many pixels.
#pragma once
#include "tw/conv/run.hpp"
#include "tw/conv/strip.hpp"
#include "tw/conv/weight_tiles.hpp"
#include "tw/gemm/epilogue.hpp"
#include "tw/transpose.hpp"

namespace tw {

template <class Config>
class WeightGradient {
  using Tiles = WeightTiles<Config>;
  using Input = typename Config::Input;
  using Output = typename Config::Output;
  static constexpr bool merged = Config::pipeline == ConvPipeline::lanes;
  static constexpr bool depthwise = Config::pipeline == ConvPipeline::depthwise;
  static constexpr int columns = merged ? lanes : Config::nr;
  static constexpr int64_t band_pixels = 256, band_bytes = 384 * 1024, sums_together = 768 * 1024;
  static constexpr Staging how = merged ? Staging::interleaved : Staging::channels;
#if defined(TW_NEON)
  static constexpr bool narrow = true;
#else
  static constexpr bool narrow = false;
#endif
  static constexpr int64_t kept_strips = 640 * 1024;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<WeightGradient>::bytes(args); }

  static int run(tw_args* args) {
    return InArena<WeightGradient>::run(args);
  }

 private:
  friend InArena<WeightGradient>;
  WeightGradient(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), merge_(merged ? size_.c : 1, merged ? size_.k : 1, Config::merge),
        in_(args, slot_input), out_(args, slot_output), row_(args, Config::D::size) {
    const Launch launch(args);
    const int threads = max(1, launch.threads);
    per_group_ = merged || depthwise ? 1 : ceil_div(size_.k, columns);
    blocks_ = merged ? ceil_div(size_.g, merge_.merged) : depthwise ? ceil_div(size_.g, columns) : size_.g * per_group_;
    rows_ = size_.n * size_.axis[0].out * size_.axis[1].out;
    parts_ = launch.split_k > 1 ? launch.split_k : ceil_div(threads, blocks_);
    parts_ = min(parts_, rows_);
    reduced_ = depthwise ? 1 : size_.c;
    sums_ = size_.taps() * reduced_ * columns;
    const Axis &x = size_.axis[2], &y = size_.axis[1];
    band_ = min(y.out, max<int64_t>(1, ceil_div(band_pixels, x.out)));
    if (size_.g > 1) {  // every block takes its turn: the band stays in L2, and is worth the walk over the sums
      const int64_t in = x.in * size_.g * size_.c * int64_t(sizeof(Input)) * y.stride;
      const int64_t out = x.out * size_.g * size_.k * int64_t(sizeof(Output));
      const int64_t bytes = max(band_bytes, 2 * min(sums_together, blocks_ * sums_ * int64_t(sizeof(float))));
      band_ = max<int64_t>(1, min(band_, bytes / (in + out)));
    }
    width_ = (x.out - 1) * x.stride + (x.filter - 1) * x.dilation + 1;
    slots_z_ = (size_.axis[0].filter - 1) * size_.axis[0].dilation + 1;
    slots_y_ = (band_ - 1) * size_.axis[1].stride + (size_.axis[1].filter - 1) * size_.axis[1].dilation + 1;
    row_floats_ = (merged ? 1 : ceil_div(reduced_, lanes)) * width_ * lanes;
    keep_strips();
    together_ = size_.g > 1 ? max<int64_t>(1, sums_together / (sums_ * int64_t(sizeof(float)))) : 1;
    total_ = arena.take<float>(blocks_ * parts_ * sums_);
    for (int t = 0; t < threads; ++t) {
      const int64_t slots = slots_z_ * slots_y_ * max<int64_t>(1, kept_);
      float* strip = arena.take<float>(depthwise ? 0 : slots * row_floats_);
      int64_t* tags = arena.take<int64_t>(slots);
      float* grad = arena.take<float>(depthwise ? 0 : band_ * x.out * columns);
      if (t != team.index) continue;
      strip_ = {strip, tags, slots_z_, slots_y_, row_floats_, {size_.axis[0].in, y.in, x.in, width_}, &merge_};
      grad_ = grad;
    }
  }

  // Narrow blocks of one group would copy the same rows again and again: the strips of all images are kept, if they are
  // not too many.
  void keep_strips() {
    const bool flat = size_.axis[0].in == 1 && size_.axis[0].out == 1;
    const int64_t rows = size_.n * size_.axis[1].in;
    if (!narrow || depthwise || size_.g > 1 || blocks_ == 1 || !flat) return;
    if (rows * row_floats_ * int64_t(sizeof(float)) > kept_strips) return;
    kept_ = size_.n, slots_y_ = size_.axis[1].in;
  }

  int work() {
    const Range units = partition(blocks_ * parts_, 1, team_.count, team_.index);
    for (int64_t i = units.begin * sums_; i < units.end * sums_; ++i) total_[i] = 0.0f;
    if (!depthwise) strip_.forget(max<int64_t>(1, kept_));
    for (int64_t part = 0; part < parts_; ++part) {
      const int64_t end = ceil_div(max<int64_t>(0, units.end - part), parts_);
      for (int64_t b = ceil_div(max<int64_t>(0, units.begin - part), parts_); b < end; b += together_) {
        share({b, min(end, b + together_)}, part);
      }
    }
    team_.barrier();
    const int64_t taps = size_.taps();
    if (narrow && !merged && !depthwise && taps_together<0>(typename Config::D{})) {
      const Range mine = partition(blocks_ * reduced_, 1, team_.count, team_.index);
      for (int64_t i = mine.begin; i < mine.end; ++i) finish_taps(i / reduced_, i % reduced_);
      return 0;
    }
    const Range mine = partition(blocks_ * taps, 1, team_.count, team_.index);
    for (int64_t i = mine.begin; i < mine.end; ++i) finish(i / taps, i % taps);
    return 0;
  }

  // One share of the rows. The blocks take turns on a band of them: their channels lie side by side in memory, and
  // their sums stay in L2 meanwhile.
  void share(const Range& blocks, int64_t part) {
    const Range rows = partition(rows_, 1, int(parts_), int(part));
    for (int64_t row = rows.begin; row < rows.end;) {
      const int64_t y = row % size_.axis[1].out, plane = row / size_.axis[1].out, z = plane % size_.axis[0].out;
      const int64_t image = plane / size_.axis[0].out, count = min(band_, min(size_.axis[1].out - y, rows.end - row));
      for (int64_t block = blocks.begin; block < blocks.end; ++block) {
        sum_ = total_ + (block * parts_ + part) * sums_;
        if (block == blocks.begin) look_ahead(image, y, count, blocks.size());
        band(block, image, z, y, count);
      }
      row += count;
    }
  }

  void band(int64_t block, int64_t image, int64_t z, int64_t y, int64_t count) {
    const Axis &az = size_.axis[0], &ay = size_.axis[1], &ax = size_.axis[2];
    const int64_t group = merged ? block * merge_.merged : depthwise ? block * columns : block / per_group_;
    const int64_t channel = merged || depthwise ? 0 : block % per_group_ * columns;
    const int64_t groups = min<int64_t>(merged ? merge_.merged : columns, size_.g - group);
    const Input* in = static_cast<const Input*>(args_.tensors[slot_input]) + image * in_.outer + group * in_.group;
    const Output* out = static_cast<const Output*>(args_.tensors[slot_output]) + image * out_.outer +
                        group * out_.group + channel * out_.channel + z * out_.z + y * out_.y;
    if constexpr (depthwise) {
      Tiles::depthwise_band(sum_, in, in_, out, out_, size_, z, y, count, int(groups));
    } else {
      const int cols = int(merged ? groups * merge_.out : min<int64_t>(columns, size_.k - channel));
      copy_gradient(out, count, cols);
      PixelSource<Input> source{in, in_.along(merged && size_.c == 1), in_.x, in_.y, in_.z, int(reduced_)};
      if (merged) source.count = int(groups) * merge_.in;
      strip_.begin(source, -ax.pad, kept_ > 0 ? image : Strip<how, Input>::none);
      float* sum = sum_;
      for (int64_t fz = 0; fz < az.filter; ++fz)
        for (int64_t fy = 0; fy < ay.filter; ++fy, sum += ax.filter * reduced_ * columns) {
          typename Tiles::Band band{grad_, width_, ax.out, ax.stride, ax.dilation, ax.filter, reduced_, &ahead_in_,
                                    &ahead_out_, 0, {}, {}};
          for (int64_t r = 0; r < count; ++r) {
            const float* x = strip_.row(z * az.stride + fz * az.dilation - az.pad,
                                        (y + r) * ay.stride + fy * ay.dilation - ay.pad);
            if (x) band.add(x, grad_ + r * ax.out * columns);
            if (band.count == Tiles::Band::limit || r + 1 == count) {
              Tiles::accumulate(sum, band);
              band.count = 0;
            }
          }
        }
    }
  }

  // Asks for the rows that follow in memory while this band is computed.
  void look_ahead(int64_t image, int64_t y, int64_t count, int64_t blocks) {
    const Axis &ay = size_.axis[1], &ax = size_.axis[2];
    ahead_in_ = ahead_out_ = {};
    const bool flat = size_.axis[0].in == 1 && size_.axis[0].out == 1;
    const bool dense = in_.x == size_.g * size_.c && in_.y == in_.x * ax.in && out_.x == size_.g * size_.k &&
                       out_.y == out_.x * ax.out;
    if (!flat || !dense || size_.g == 1) return;
    const Input* in = static_cast<const Input*>(args_.tensors[slot_input]) + image * in_.outer;
    const Output* out = static_cast<const Output*>(args_.tensors[slot_output]) + image * out_.outer;
    const int64_t from = (y + count - 1) * ay.stride + (ay.filter - 1) * ay.dilation + 1 - ay.pad;
    const int64_t groups_of_4 = max<int64_t>(1, ax.out / 4) * ay.filter * ceil_div(ax.filter, 3) * ceil_div(size_.c, 4);
    ahead_in_ = Ahead(in + from * in_.y, in + (from + count * ay.stride) * in_.y, count * blocks * groups_of_4);
    ahead_out_ = Ahead(out + (y + count) * out_.y, out + (y + 2 * count) * out_.y, count * blocks * groups_of_4);
  }

  // The band's gradients as [row][pixel][columns] float32, zero beyond `cols`.
  void copy_gradient(const Output* out, int64_t count, int cols) const {
    const int64_t channel = out_.along(merged && size_.k == 1);
    const bool whole = cols == columns && channel == 1;
    const int64_t wide = size_.axis[2].out;
    float* to = grad_;
    const auto put = [&](float* at, vf v) {
      if constexpr (merged) v = permute(v, load_bits<vi>(merge_.spread));
      store_bits(at, v);
    };
    for (int64_t r = 0; r < count; ++r, to += wide * columns) {
      const Output* p = out + r * out_.y;
      for (int c = 0; out_.x == 1 && c < columns; c += lanes) {  // channels-first
        const int n = max(0, min(cols - c, lanes));
        each_pixel(p + c * channel, channel, n, wide, [&](vf v, int64_t x) { put(to + x * columns + c, v); });
      }
      for (int64_t x = 0; out_.x != 1 && x < wide; ++x, p += out_.x) {
        for (int c = 0; c < columns; c += lanes) {
          const int n = cols - c;
          const vf v = whole ? load(p + c) : n <= 0 ? vf{} : load_channels(p + c * channel, channel, min(n, lanes));
          put(to + x * columns + c, v);
        }
      }
    }
  }

  // Whether the taps of the weights, and of what is combined with them, are one run of elements.
  bool is_run(int slot) const {
    const ConvStrides s(args_, slot);
    const Axis* a = size_.axis;
    return (a[1].filter == 1 || s.y == a[2].filter * s.x) && (a[0].filter == 1 || s.z == a[1].filter * a[2].filter * s.x);
  }
  template <int I>
  bool taps_together(List<>) const {
    return is_run(slot_weight) && ConvStrides(args_, slot_weight).x == 1 && size_.taps() >= lanes;
  }
  template <int I, class T, Broadcast B, class... Rest>
  bool taps_together(List<DTensor<T, B>, Rest...>) const {
    return is_run(slot_conv_d + I) && taps_together<I + 1>(List<Rest...>{});
  }
  // Adds the shares of an input channel of a block and writes its weights, in squares of taps and output channels.
  void finish_taps(int64_t block, int64_t c) {
    const int64_t taps = size_.taps(), length = reduced_ * columns;
    float* sum = total_ + block * parts_ * sums_ + c * columns;
    for (int64_t t = 0; t < taps; ++t) add_shares(sum + t * length, columns, parts_, sums_);
    const int64_t channel = block % per_group_ * columns, place[3] = {block / per_group_, channel, c};
    const int cols = int(min<int64_t>(columns, size_.k - channel));
    point_run<typename Config::Out>(slot_out, slot_weight, place);
    point_runs<0>(typename Config::D{}, place);
    const Epilogue<Config> epilogue(row_.args, 0);
    for (int l = 0; l < cols; l += lanes)
      for (int64_t t = 0; t < taps; t += lanes) {
        const int n = int(min<int64_t>(lanes, taps - t));
        vu square[lanes];
        TW_UNROLL
        for (int i = 0; i < lanes; ++i) square[i] = i < n ? load_bits<vu>(sum + (t + i) * length + l) : vu{};
        transpose(square);
        TW_UNROLL
        for (int i = 0; i < lanes; ++i) {
          if (l + i < cols) epilogue.finish(bit_cast<vf>(square[i]), l + i, t, n, false);
        }
      }
  }
  template <class T>
  void point_run(int to, int slot, const int64_t (&at)[3]) {
    const ConvStrides s(args_, slot);
    row_.set(to, static_cast<T*>(args_.tensors[slot]) + at[0] * s.outer + at[1] * s.group + at[2] * s.channel, s.group,
             s.x);
  }
  template <int I>
  void point_runs(List<>, const int64_t (&)[3]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_runs(List<DTensor<T, B>, Rest...>, const int64_t (&at)[3]) {
    point_run<T>(slot_d + I, slot_conv_d + I, at);
    point_runs<I + 1>(List<Rest...>{}, at);
  }

  // Adds the shares of a tap of a block and writes its weights.
  void finish(int64_t block, int64_t tap) {
    const int64_t length = reduced_ * columns;
    float* sum = total_ + block * parts_ * sums_ + tap * length;
    add_shares(sum, length, parts_, sums_);
    const int64_t group = merged ? block * merge_.merged : depthwise ? block * columns : block / per_group_;
    const int64_t channel = merged || depthwise ? 0 : block % per_group_ * columns;
    const int64_t groups = min<int64_t>(merged ? merge_.merged : columns, size_.g - group);
    const int cols = int(merged ? groups * merge_.out : depthwise ? groups : min<int64_t>(columns, size_.k - channel));
    along_ = ConvStrides(args_, slot_weight).channel == 1 && reduced_ > 1;
    const int64_t wide = size_.axis[2].filter, high = size_.axis[1].filter;
    for (int64_t c = 0; c < reduced_; c += lanes, sum += lanes * columns) {
      const int n = int(min<int64_t>(lanes, reduced_ - c));
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
    for (int i = 0; i < lanes; ++i) {
      vf v = i < channels ? load_bits<vf>(sum + i * columns) : vf{};
      if constexpr (merged) v = permute(v, load_bits<vi>(merge_.restore));  // from interleaved groups to their order
      square[i] = bit_cast<vu>(v);
    }
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
    const int64_t column = (merged || depthwise) && size_.k == 1 ? s.outer : s.group;
    const int64_t channel = reduced_ == 1 ? 0 : s.channel;
    row_.set(to, base + at[3] * s.z + at[4] * s.y + at[5] * s.x, along_ ? column : channel, along_ ? channel : column);
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
  const Merge merge_;
  const ConvStrides in_, out_;
  RowArgs row_;
  int64_t per_group_, blocks_, parts_, rows_, reduced_, sums_, band_, together_, width_, slots_z_, slots_y_, row_floats_;
  int64_t kept_ = 0;  // images whose strips are kept
  float* total_;
  float* sum_ = nullptr;
  Strip<how, Input> strip_;
  float* grad_ = nullptr;
  Ahead ahead_in_, ahead_out_;
  bool along_ = false;  // the weights lie along the input channels
};

}  // namespace tw
