// Backward weight as a matrix product per group: (gradients of a block of pixels)^T x (what these pixels read).
//
// Units are groups times shares of the pixels; each adds its blocks to float32 sums of its own, which are then added in
// ascending order and rounded once.
#pragma once
#include "tw/conv/gemm.hpp"

namespace tw {

template <class Config>
struct ConvWeightProduct {
  using A = typename Config::Output;
  using B = typename Config::Input;
  using Out = float;
  using Acc = float;
  using D = List<DTensor<float, Broadcast::none>>;  // the sums themselves: each block is added in place
  static constexpr Layout layout_a = Layout::col, layout_b = Layout::row, layout_out = Layout::row;
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

template <class Config>
class ConvGemmWeight {
  using Input = typename Config::Input;
  using Output = typename Config::Output;
  using Product = ConvWeightProduct<Config>;
  static constexpr int64_t rows = Config::rows;

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
    parts_ = launch.split_k > 1 ? launch.split_k : ceil_div(threads, size_.g);
    parts_ = min(parts_, ceil_div(pixels_, rows));
    columns_ = size_.taps() * size_.c;
    padded_ = round_up(columns_, 16);
    sums_ = arena.take<float>(size_.g * parts_ * size_.k * padded_);
    tw_args sub = sizes_of(rows);
    inner_bytes_ = Tiled<Product>::workspace(sub);
    for (int t = 0; t < threads; ++t) {
      Input* in = arena.take<Input>(rows * padded_);
      Output* out = arena.take<Output>(rows * size_.k);
      char* work = arena.take<char>(inner_bytes_);
      if (t == team.index) in_ = in, out_ = out, work_ = work;
    }
  }

  tw_args sizes_of(int64_t count) const {
    tw_args sub{};
    sub.sizes[0] = size_.k, sub.sizes[1] = columns_, sub.sizes[2] = count, sub.sizes[3] = 1;
    sub.scalars[0] = sub.scalars[1] = 1.0;
    sub.strides[slot_a][1] = 1, sub.strides[slot_a][2] = size_.k;
    sub.strides[slot_b][1] = padded_, sub.strides[slot_b][2] = 1;
    sub.strides[slot_out][1] = sub.strides[slot_d][1] = padded_;
    sub.strides[slot_out][2] = sub.strides[slot_d][2] = 1;
    return sub;
  }

  int work() {
    const int64_t unit_size = size_.k * padded_;
    const Range units = partition(size_.g * parts_, 1, team_.count, team_.index);
    for (int64_t u = units.begin; u < units.end; ++u) {
      float* sum = sums_ + u * unit_size;
      for (int64_t i = 0; i < unit_size; ++i) sum[i] = 0.0f;
      const Range mine = partition(pixels_, rows, int(parts_), int(u % parts_));
      for (int64_t first = mine.begin; first < mine.end; first += rows)
        block(sum, u / parts_, first, min(rows, mine.end - first));
    }
    team_.barrier();
    const Range mine = partition(size_.g * size_.k, 1, team_.count, team_.index);
    for (int64_t i = mine.begin; i < mine.end; ++i) finish(i / size_.k, i % size_.k);
    return 0;
  }

  void block(float* sum, int64_t group, int64_t first, int64_t count) {
    const ConvStrides is(args_, slot_input), os(args_, slot_output);
    const Axis* a = size_.axis;
    const PixelStager<Input> in{static_cast<const Input*>(args_.tensors[slot_input]) + group * is.group, is,
                                forward_axis(a[0]), forward_axis(a[1]), forward_axis(a[2]), size_.c};
    in.rows(in_, padded_, first, count);
    const auto same = [](int64_t n) { return GatherAxis{0, 1, n, 1, n, 1, 0, 1, 0, 1}; };
    const PixelStager<Output> out{static_cast<const Output*>(args_.tensors[slot_output]) + group * os.group, os,
                                  same(a[0].out), same(a[1].out), same(a[2].out), size_.k};
    out.rows(out_, size_.k, first, count);
    tw_args sub = sizes_of(count);
    sub.tensors[slot_a] = out_;
    sub.tensors[slot_b] = in_;
    sub.tensors[slot_out] = sub.tensors[slot_d] = sum;
    sub.workspace = work_;
    sub.workspace_bytes = inner_bytes_;
    Tiled<Product>::run(&sub);
  }

  // Adds the shares of one output channel and writes its weights, tap after tap.
  void finish(int64_t group, int64_t k) {
    float* sum = sums_ + (group * parts_ * size_.k + k) * padded_;
    for (int64_t part = 1; part < parts_; ++part) {
      const float* next = sum + part * size_.k * padded_;
      for (int64_t i = 0; i < columns_; ++i) sum[i] += next[i];
    }
    for (int64_t z = 0; z < size_.axis[0].filter; ++z)
      for (int64_t y = 0; y < size_.axis[1].filter; ++y)
        for (int64_t x = 0; x < size_.axis[2].filter; ++x, sum += size_.c) {
          const int64_t at[5] = {group, k, z, y, x};
          point<typename Config::Out>(slot_out, slot_weight, at);
          point_d<0>(typename Config::D{}, at);
          Epilogue<Config>(row_.args, 0).row(sum, 0, 0, int(size_.c));
        }
  }
  template <class T>
  void point(int to, int slot, const int64_t (&at)[5]) {
    const ConvStrides s(args_, slot);
    T* base = static_cast<T*>(args_.tensors[slot]) + at[0] * s.outer + at[1] * s.group + at[2] * s.z;
    row_.set(to, base + at[3] * s.y + at[4] * s.x, 0, s.channel);
  }
  template <int I>
  void point_d(List<>, const int64_t (&)[5]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, const int64_t (&at)[5]) {
    point<T>(slot_d + I, slot_conv_d + I, at);
    point_d<I + 1>(List<Rest...>{}, at);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  RowArgs row_;
  int64_t pixels_, parts_, columns_, padded_, inner_bytes_ = 0;
  float* sums_;
  Input* in_ = nullptr;
  Output* out_ = nullptr;
  char* work_ = nullptr;
};

}  // namespace tw
