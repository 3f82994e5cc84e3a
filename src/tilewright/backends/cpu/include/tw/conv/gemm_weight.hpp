// Backward weight as a matrix product per group: (gradients of a block of pixels)^T x (what these pixels read).
//
// Units are groups times shares of the pixels, of the input channels and of the output channels. Each adds its blocks to
// float32 sums of its own; those of the shares of pixels are then added in ascending order and rounded once.
#pragma once
#include "tw/conv/gemm.hpp"
#include "tw/transpose.hpp"

namespace tw {

#if defined(TW_NEON)
constexpr bool weight_reads_planes = true, weight_writes_first = true;
#else
constexpr bool weight_reads_planes = false, weight_writes_first = false;  // not timed
#endif

// Planes: both operands are images with channels first, whose pixels are contiguous. Adds: to sums that are there.
template <class Config, bool Planes = false, bool Adds = true>
struct ConvWeightProduct {
  using A = typename Config::Output;
  using B = typename Config::Input;
  using Out = float;
  using Acc = float;
  using Sums = List<DTensor<float, Broadcast::none>>;  // each block is added in place
  using D = typename ReadType<Adds, Sums, List<>>::type;
  static constexpr Layout layout_a = Planes ? Layout::row : Layout::col, layout_b = Planes ? Layout::col : Layout::row;
  static constexpr Layout layout_out = Layout::row;
  static constexpr Pipeline pipeline = Pipeline::tiled;
  static constexpr Inner inner = Config::inner;
  static constexpr int mr = Config::mr, nr = Config::nr, kc = Config::kc, mc = 192, nc = 4096;
  static constexpr bool pack_a = true, pack_b = true;
  static constexpr BFormat b_format = BFormat::plain;
  static constexpr Scale scale_a = Scale::none, scale_b = Scale::none;
  static constexpr Combine combine = Combine::add;
  static constexpr Activation activation = Activation::none;
  static constexpr const char* digest = Config::digest;
};

// How many shares of the pixels, of the input channels and of the output channels a group is cut into.
struct WeightShares {
  int64_t pixels = 1, inputs = 1, outputs = 1;
};

template <class Config>
class ConvGemmWeight {
  using Input = typename Config::Input;
  using Output = typename Config::Output;
  using Product = ConvWeightProduct<Config>;
  using First = ConvWeightProduct<Config, false, !weight_writes_first>;
  using PlaneProduct = ConvWeightProduct<Config, weight_reads_planes>;
  using FirstPlane = ConvWeightProduct<Config, weight_reads_planes, !weight_reads_planes>;
  static constexpr int64_t rows = Config::rows;
  static constexpr int64_t copy_price = 24, add_price = 64;  // of an element, in multiply-adds of the product

 public:
  static int64_t workspace(const tw_args& args) { return InArena<ConvGemmWeight>::bytes(args); }

  static int run(tw_args* args) {
    if (int status = MicroKernel<Product>::prepare(args)) return status;
    return InArena<ConvGemmWeight>::run(args);
  }

 private:
  friend InArena<ConvGemmWeight>;
  ConvGemmWeight(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), row_(args, Config::D::size) {
    const Launch launch(args);
    const int threads = max(1, launch.threads);
    pixels_ = size_.n * size_.axis[0].out * size_.axis[1].out * size_.axis[2].out;
    shares_ = best_shares(threads, launch.split_k);
    inputs_ = inputs_of(shares_.inputs), outputs_ = outputs_of(shares_.outputs);
    shares_.inputs = ceil_div(size_.c, inputs_), shares_.outputs = ceil_div(size_.k, outputs_);
    width_ = round_up(size_.taps() * inputs_, 16);
    sums_ = arena.take<float>(size_.g * shares_.pixels * unit_sums());
    tw_args sub = sizes_of(rows, size_.taps() * inputs_, outputs_);
    inner_bytes_ = max(Tiled<Product>::workspace(sub), Tiled<First>::workspace(sub));
    if constexpr (weight_reads_planes) {
      inner_bytes_ = max(inner_bytes_, max(Tiled<PlaneProduct>::workspace(sub), Tiled<FirstPlane>::workspace(sub)));
    }
    for (int t = 0; t < threads; ++t) {
      Input* in = arena.take<Input>(rows * width_);
      Output* out = arena.take<Output>(rows * outputs_);
      char* work = arena.take<char>(inner_bytes_);
      if (t == team.index) in_ = in, out_ = out, work_ = work;
    }
  }

  // Channels of a share; at least one, also where there are none.
  int64_t inputs_of(int64_t shares) const {
    return max<int64_t>(1, min(size_.c, round_up(ceil_div(size_.c, shares), 4)));
  }
  int64_t outputs_of(int64_t shares) const { return max<int64_t>(1, ceil_div(size_.k, shares)); }

  // The cheapest way to give every thread a unit. Shares of pixels have sums of their own, which must be added; those of
  // channels copy the other operand again, and their tiles are cut off earlier.
  WeightShares best_shares(int threads, int64_t asked) const {
    const int64_t blocks = max<int64_t>(1, ceil_div(pixels_, rows)), needed = ceil_div(threads, size_.g);
    if (threads == 1) return {max<int64_t>(1, min<int64_t>(asked, blocks)), 1, 1};
    const int64_t first = max<int64_t>(1, min<int64_t>(asked, blocks)), last = asked > 1 ? first : min(needed, blocks);
    WeightShares best;
    double least = 1e300;
    for (int64_t pixels = first; pixels <= last; pixels *= 2)
      for (int64_t inputs = 1; inputs == 1 || (inputs <= 2 * needed && inputs * 4 <= size_.c); inputs *= 2)
        for (int64_t times = 1; times <= 2; ++times) {
          const WeightShares now{pixels, inputs, max<int64_t>(1, min(size_.k, ceil_div(times * needed, pixels * inputs)))};
          const double price = price_of(now, threads);
          if (price < least) least = price, best = now;
        }
    return best;
  }
  double price_of(const WeightShares& s, int threads) const {
    const int64_t inputs = inputs_of(s.inputs), outputs = outputs_of(s.outputs);
    const int64_t units = size_.g * s.pixels * ceil_div(size_.c, inputs) * ceil_div(size_.k, outputs);
    const int64_t columns = round_up(size_.taps() * inputs, Config::nr), height = round_up(outputs, Config::mr);
    const double pixels = double(min(pixels_, ceil_div(ceil_div(pixels_, rows), s.pixels) * rows));
    const double unit = pixels * double(columns * height + copy_price * (columns + height));
    const double added = s.pixels > 1 ? double(size_.g * s.pixels * size_.k * size_.taps() * size_.c) : 0.0;
    return double(ceil_div(units, threads)) * unit + added * double(add_price) / threads;
  }

  // Sums of a share of the pixels: [output channel][share of the input channels][tap][input channel]. If there is one
  // share, and the sums are the weights, they are where those belong.
  int64_t line() const { return in_weights_ ? ConvStrides(args_, slot_weight).group : shares_.inputs * width_; }
  int64_t unit_sums() const { return size_.k * line(); }

  tw_args sizes_of(int64_t count, int64_t columns, int64_t outputs) const {
    tw_args sub{};
    sub.sizes[0] = outputs, sub.sizes[1] = columns, sub.sizes[2] = count, sub.sizes[3] = 1;
    sub.scalars[0] = sub.scalars[1] = 1.0;
    sub.strides[slot_a][1] = 1, sub.strides[slot_a][2] = outputs;
    sub.strides[slot_b][1] = width_, sub.strides[slot_b][2] = 1;
    sub.strides[slot_out][1] = sub.strides[slot_d][1] = line();
    sub.strides[slot_out][2] = sub.strides[slot_d][2] = 1;
    return sub;
  }

  // What a unit computes.
  struct Unit {
    int64_t group;
    Range inputs, outputs;
    float* sum;
  };

  int work() {
    const int64_t parts = size_.g * shares_.pixels, per_part = shares_.inputs * shares_.outputs;
    const Range units = partition(parts * per_part, 1, team_.count, team_.index);
    const bool planes = weight_reads_planes && reads_planes();
    in_weights_ = weight_writes_first && (planes || weights_are_rows()) && parts == size_.g && keeps_sums();
    for (int64_t u = units.begin; u < units.end; ++u) {
      const int64_t part = u / per_part, in = u % per_part / shares_.outputs, out = u % shares_.outputs;
      const Range inputs{in * inputs_, min(size_.c, (in + 1) * inputs_)};
      const Range outputs{out * outputs_, min(size_.k, (out + 1) * outputs_)};
      const Unit unit{part / shares_.pixels, inputs, outputs, sums_of(part, inputs.begin, outputs.begin)};
      const Range mine = partition(pixels_, rows, int(shares_.pixels), int(part % shares_.pixels));
      if constexpr (weight_reads_planes) {
        if (planes && mine.size() > 0) {
          walk_planes(unit, mine.begin, mine.size());
          continue;
        }
      }
      const int64_t wide = in_weights_ ? size_.taps() * inputs.size() : width_;
      if (!weight_writes_first || mine.size() == 0) {
        for (int64_t k = 0; k < outputs.size(); ++k) zero_bytes(unit.sum + k * line(), wide * int64_t(sizeof(float)));
      }
      for (int64_t first = mine.begin; first < mine.end; first += rows) {
        const int64_t count = min(rows, mine.end - first);
        if (weight_writes_first && first == mine.begin) block<First>(unit, first, count);
        else block<Product>(unit, first, count);
      }
    }
    if (in_weights_) return 0;
    team_.barrier();
    const Range mine = partition(size_.g * size_.k, 1, team_.count, team_.index);
    for (int64_t i = mine.begin; i < mine.end; ++i) finish(i / size_.k, i % size_.k);
    return 0;
  }

  float* sums_of(int64_t part, int64_t input, int64_t output) {
    if (!in_weights_) return sums_ + part * unit_sums() + output * line() + input / inputs_ * width_;
    const ConvStrides s(args_, slot_weight);
    return static_cast<float*>(args_.tensors[slot_weight]) + part * s.outer + output * s.group + input;
  }
  // Whether the weights of an output channel lie as its sums do: tap after tap, without gaps.
  bool weights_are_rows() const {
    const ConvStrides s(args_, slot_weight);
    const int64_t x = size_.axis[2].filter, y = size_.axis[1].filter, z = size_.axis[0].filter;
    return shares_.inputs == 1 && (x == 1 || s.x == size_.c) && (y == 1 || s.y == x * size_.c) &&
           (z == 1 || s.z == y * x * size_.c);
  }
  // Whether input channels lie side by side and sums need nothing but a copy.
  bool keeps_sums() {
    const int64_t at[6] = {};
    point<typename Config::Out>(slot_out, slot_weight, at);
    return size_.c > 1 && Epilogue<Config>(row_.args, 0).is_copy();
  }

  // Whether a tensor has one pixel after the other, plane after plane.
  static bool is_plane(const ConvStrides& s, int64_t z, int64_t y, int64_t x) {
    return (x == 1 || s.x == 1) && (y == 1 || s.y == x) && (z == 1 || s.z == y * x);
  }
  // A 1x1 filter that moves by one pixel over planes of pixels: both operands are matrices as they lie.
  bool reads_planes() const {
    const Axis* a = size_.axis;
    for (int i = 0; i < 3; ++i) {
      const GatherAxis g = forward_axis(a[i]);
      if (g.taps != 1 || g.move != 1 || g.start != 0 || a[i].in != a[i].out) return false;
    }
    return is_plane(ConvStrides(args_, slot_input), a[0].out, a[1].out, a[2].out) &&
           is_plane(ConvStrides(args_, slot_output), a[0].out, a[1].out, a[2].out);
  }
  void walk_planes(const Unit& unit, int64_t first, int64_t count) {
    const ConvStrides is(args_, slot_input), os(args_, slot_output);
    const int64_t plane = pixels_ / size_.n, part = ceil_div(plane, ceil_div(plane, rows));  // parts of about one size
    for (int64_t at = first, some; at < first + count; at += some) {
      const int64_t image = at / plane, pixel = at % plane;
      some = min(min(part - pixel % part, plane - pixel), first + count - at);
      tw_args sub = sizes_of(some, unit.inputs.size(), unit.outputs.size());
      sub.tensors[slot_a] = const_cast<Output*>(static_cast<const Output*>(args_.tensors[slot_output]) +
          image * os.outer + unit.group * os.group + unit.outputs.begin * os.channel + pixel);
      sub.tensors[slot_b] = const_cast<Input*>(static_cast<const Input*>(args_.tensors[slot_input]) +
          image * is.outer + unit.group * is.group + unit.inputs.begin * is.channel + pixel);
      sub.strides[slot_a][1] = os.channel, sub.strides[slot_a][2] = 1;
      sub.strides[slot_b][1] = 1, sub.strides[slot_b][2] = is.channel;
      if (at == first) multiply<FirstPlane>(sub, unit);
      else multiply<PlaneProduct>(sub, unit);
    }
  }

  template <class P>
  void block(const Unit& unit, int64_t first, int64_t count) {
    const ConvStrides is(args_, slot_input), os(args_, slot_output);
    const Axis* a = size_.axis;
    const Input* input = static_cast<const Input*>(args_.tensors[slot_input]) + unit.group * is.group;
    const PixelStager<Input> in{input + unit.inputs.begin * is.channel, is, forward_axis(a[0]), forward_axis(a[1]),
                                forward_axis(a[2]), unit.inputs.size()};
    in.rows(in_, width_, first, count);
    const auto same = [](int64_t n) { return GatherAxis{0, 1, n, 1, n, 1, 0, 1, 0, 1}; };
    const Output* output = static_cast<const Output*>(args_.tensors[slot_output]) + unit.group * os.group;
    const PixelStager<Output> out{output + unit.outputs.begin * os.channel, os, same(a[0].out), same(a[1].out),
                                  same(a[2].out), unit.outputs.size()};
    out.rows(out_, unit.outputs.size(), first, count);
    tw_args sub = sizes_of(count, in.length(), unit.outputs.size());
    sub.tensors[slot_a] = out_;
    sub.tensors[slot_b] = in_;
    multiply<P>(sub, unit);
  }
  template <class P>
  TW_INLINE void multiply(tw_args& sub, const Unit& unit) {
    sub.tensors[slot_out] = sub.tensors[slot_d] = unit.sum;
    sub.workspace = work_;
    sub.workspace_bytes = inner_bytes_;
    Tiled<P>::run(&sub);
  }

  // Adds the shares of one output channel and writes its weights, tap after tap.
  void finish(int64_t group, int64_t k) {
    float* sum = sums_ + group * shares_.pixels * unit_sums() + k * line();
    add_shares(sum, line(), shares_.pixels, unit_sums());
    for (int64_t c = 0; c < size_.c; c += inputs_, sum += width_) {
      const float* from = sum;
      const int64_t count = min(inputs_, size_.c - c);
      if constexpr (weight_writes_first && Config::D::size == 0) {
        if (taps_are_runs()) {
          finish_taps(sum, group, k, c, count);
          continue;
        }
      }
      for (int64_t z = 0; z < size_.axis[0].filter; ++z)
        for (int64_t y = 0; y < size_.axis[1].filter; ++y)
          for (int64_t x = 0; x < size_.axis[2].filter; ++x, from += count) {
            const int64_t at[6] = {group, k, c, z, y, x};
            point<typename Config::Out>(slot_out, slot_weight, at);
            point_d<0>(typename Config::D{}, at);
            Epilogue<Config>(row_.args, 0).row(from, 0, 0, int(count));
          }
    }
  }
  // Whether the weights of an input channel lie side by side, enough of them for a register.
  bool taps_are_runs() const {
    const ConvStrides s(args_, slot_weight);
    const Axis* a = size_.axis;
    return s.x == 1 && size_.taps() >= lanes && (a[1].filter == 1 || s.y == a[2].filter) &&
           (a[0].filter == 1 || s.z == a[1].filter * a[2].filter);
  }
  // Writes the weights of `count` input channels from c on in squares of taps and channels.
  void finish_taps(const float* sum, int64_t group, int64_t k, int64_t c, int64_t count) {
    const ConvStrides s(args_, slot_weight);
    auto* weights = static_cast<typename Config::Out*>(args_.tensors[slot_weight]);
    row_.set(slot_out, weights + group * s.outer + k * s.group + c * s.channel, s.channel, 1);
    const Epilogue<Config> epilogue(row_.args, 0);
    const int64_t taps = size_.taps();
    for (int64_t i = 0; i < count; i += lanes)
      for (int64_t t = 0; t < taps; t += lanes) {
        const int n = int(min<int64_t>(lanes, taps - t)), channels = int(min<int64_t>(lanes, count - i));
        vu square[lanes];
        TW_UNROLL
        for (int q = 0; q < lanes; ++q) {
          const float* from = sum + (t + q) * count + i;
          square[q] = q >= n ? vu{} : bit_cast<vu>(channels == lanes ? load(from) : load_partial(from, channels));
        }
        transpose(square);
        for (int q = 0; q < channels; ++q) epilogue.finish(bit_cast<vf>(square[q]), i + q, t, n, false);
      }
  }
  template <class T>
  void point(int to, int slot, const int64_t (&at)[6]) {
    const ConvStrides s(args_, slot);
    T* base = static_cast<T*>(args_.tensors[slot]) + at[0] * s.outer + at[1] * s.group + at[2] * s.channel;
    row_.set(to, base + at[3] * s.z + at[4] * s.y + at[5] * s.x, 0, s.channel);
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
  RowArgs row_;
  WeightShares shares_;
  int64_t pixels_, inputs_, outputs_, width_, inner_bytes_ = 0;  // channels of a share; columns of its products
  bool in_weights_ = false;
  float* sums_;
  Input* in_ = nullptr;
  Output* out_ = nullptr;
  char* work_ = nullptr;
};

}  // namespace tw
