// Channels-first images with one channel per group, backward weight: a register holds pixels of one row.
//
// Per plane and band of gradient rows: the input rows are copied with their padding (plane_rows.hpp). A few taps at a
// time have a register of sums each, over all pixels of the band. A thread has planes of its own, whose images it takes
// in order, so the result does not depend on the threads.
#pragma once
#include "tw/arm/plane_rows.hpp"
#include "tw/conv/run.hpp"
#include "tw/gemm/epilogue.hpp"

namespace tw {

template <class Config>
class StencilWeight {
  static constexpr int64_t band_bytes = 32 * 1024;
  using Input = typename Config::Input;
  using Output = typename Config::Output;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<StencilWeight>::bytes(args); }
  static int run(tw_args* args) { return InArena<StencilWeight>::run(args); }

 private:
  friend InArena<StencilWeight>;
  StencilWeight(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), in_(args, slot_input), out_(args, slot_output),
        ay_(forward_axis(size_.axis[1])), ax_(forward_axis(size_.axis[2])),
        rows_({ay_.low(), ay_.range()}, {ax_.low(), ax_.range()}, ay_, ax_), row_(args, Config::D::size) {
    band_ = max<int64_t>(1, min(ay_.count, rows_.fit(band_bytes)));
    const int threads = max(1, Launch(args).threads);
    for (int t = 0; t < threads; ++t) {
      const bool mine = t == team.index;
      rows_.take(arena, band_, 0, mine);
      float* sums = arena.take<float>(size_.taps() * lanes);
      int64_t* offsets = arena.take<int64_t>(size_.taps());
      if (mine) sums_ = sums, offsets_ = offsets;
    }
  }

  int work() {
    int64_t* at = offsets_;
    for (int64_t y = 0; y < ay_.taps; ++y)
      for (int64_t x = 0; x < ax_.taps; ++x)
        *at++ = rows_.offset(ay_.start + y * ay_.start_step, ax_.start + x * ax_.start_step);
    const Range mine = partition(size_.g, 1, team_.count, team_.index);
    for (int64_t g = mine.begin; g < mine.end; ++g) plane(g);
    return 0;
  }

  void plane(int64_t g) {
    const Input* in = static_cast<const Input*>(args_.tensors[slot_input]) + g * in_.group;
    const Output* out = static_cast<const Output*>(args_.tensors[slot_output]) + g * out_.group;
    for (int64_t i = 0; i < size_.taps() * lanes; ++i) sums_[i] = 0.0f;
    for (int64_t n = 0; n < size_.n; ++n)
      for (int64_t y = 0; y < ay_.count; y += band_) {
        const int64_t count = min(band_, ay_.count - y);
        rows_.stage(in + n * in_.outer, in_.y, y, count);
        band(out + n * out_.outer + y * out_.y, count);
      }
    finish(g);
  }

  void band(const Output* out, int64_t count) const {
    int64_t tap = 0;
    for (; tap + 9 <= size_.taps(); tap += 9) taps<9>(out, count, tap);
    for (; tap + 8 <= size_.taps(); tap += 8) taps<8>(out, count, tap);
    for (; tap + 3 <= size_.taps(); tap += 3) taps<3>(out, count, tap);
    for (; tap < size_.taps(); ++tap) taps<1>(out, count, tap);
  }

  template <int T>
  TW_NOINLINE void taps(const Output* out, int64_t count, int64_t tap) const {
    vf acc[T];
    int64_t offset[T];
    TW_UNROLL
    for (int t = 0; t < T; ++t) acc[t] = load_bits<vf>(sums_ + (tap + t) * lanes), offset[t] = offsets_[tap + t];
    const int64_t wide = ax_.count, whole = wide / lanes * lanes, step = rows_.move_y * rows_.floats;
    const vu inside = bit_cast<vu>(load_partial(ones(), int(wide - whole)));
    const float* row = rows_.rows;
    for (int64_t y = 0; y < count; ++y, row += step, out += out_.y) {
      for (int64_t x = 0; x < whole; x += lanes) {
        const vf grad = load(out + x);
        TW_UNROLL
        for (int t = 0; t < T; ++t) acc[t] = acc[t] + grad * load_bits<vf>(row + x + offset[t]);
      }
      if (whole == wide) continue;
      // Pixels that no result reads with this tap may be infinite.
      const vf grad = load_partial(out + whole, int(wide - whole));
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        acc[t] = acc[t] + grad * bit_cast<vf>(load_bits<vu>(row + whole + offset[t]) & inside);
      }
    }
    TW_UNROLL
    for (int t = 0; t < T; ++t) store_bits(sums_ + (tap + t) * lanes, acc[t]);
  }
  static const float* ones() {  // all bits
    alignas(64) static const uint32_t bits[16] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
                                                  ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    return reinterpret_cast<const float*>(bits);
  }

  void finish(int64_t g) {
    const ConvStrides s(args_, slot_weight);
    point<typename Config::Out>(slot_out, s, args_.tensors[slot_weight], g);
    point_d<0>(typename Config::D{}, g);
    const Epilogue<Config> epilogue(row_.args, 0);
    float* to = sums_;  // tap i is read before it is overwritten: its lanes come after place i
    for (int64_t i = 0; i < size_.taps(); ++i) {
      float sum = 0.0f;
      for (int l = 0; l < lanes; ++l) sum += sums_[i * lanes + l];
      to[i] = sum;
    }
    for (int64_t y = 0; y < ay_.taps; ++y) epilogue.row(sums_ + y * ax_.taps, y, 0, int(ax_.taps));
  }
  template <class T>
  void point(int to, const ConvStrides& s, void* tensor, int64_t g) {
    row_.set(to, static_cast<T*>(tensor) + g * s.outer, s.y, s.x);
  }
  template <int I>
  void point_d(List<>, int64_t) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, int64_t g) {
    point<T>(slot_d + I, ConvStrides(args_, slot_conv_d + I), args_.tensors[slot_conv_d + I], g);
    point_d<I + 1>(List<Rest...>{}, g);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const ConvStrides in_, out_;
  const GatherAxis ay_, ax_;
  PlaneRows<Input> rows_;
  RowArgs row_;
  int64_t band_;  // rows of gradients at a time
  float* sums_ = nullptr;
  int64_t* offsets_ = nullptr;
};

}  // namespace tw
