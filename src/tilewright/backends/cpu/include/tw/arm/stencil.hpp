// Channels-first images with one channel per group, forward and backward data: a register holds pixels of one row.
//
// Per plane and band of result rows: the source rows are copied with their padding (plane_rows.hpp). A register tile of a
// few rows and registers then sums over the taps. Backward data with a stride: the positions of one residue meet the same
// taps.
#pragma once
#include "tw/arm/plane_rows.hpp"
#include "tw/conv/run.hpp"
#include "tw/gemm/epilogue.hpp"
#include "tw/simd.hpp"

namespace tw {

template <class Config>
class Stencil {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr int source_slot = forward ? slot_input : slot_output, result_slot = forward ? slot_output : slot_input;
  static constexpr int64_t band_bytes = 32 * 1024;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Result = typename Config::Out;
  using Weight = typename Config::Weight;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<Stencil>::bytes(args); }
  static int run(tw_args* args) { return InArena<Stencil>::run(args); }

 private:
  friend InArena<Stencil>;
  Stencil(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), from_(args, source_slot), to_(args, result_slot),
        rows_(reach(1), reach(2), axis(1, 0), axis(2, 0)), row_(args, Config::D::size) {
    const int64_t count = axis(1, 0).count;  // residue 0 has the most positions
    band_ = max<int64_t>(1, min(count, max<int64_t>(Config::tall, rows_.fit(band_bytes))));
    bands_ = ceil_div(count, band_);
    const int threads = max(1, Launch(args).threads);
    for (int t = 0; t < threads; ++t) {
      const bool mine = t == team.index;
      rows_.take(arena, band_, Config::mr * lanes, mine);
      float* weights = arena.take<float>(size_.taps());
      int64_t* offsets = arena.take<int64_t>(size_.taps());
      if (mine) weights_ = weights, offsets_ = offsets;
    }
  }

  GatherAxis axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  Reach reach(int i) const {
    return reach_of(residues(i), [&](int64_t r) { return axis(i, r); });
  }

  int work() {
    const bool whole = residues(1) * residues(2) == 1;
    if (whole) place_taps(axis(1, 0), axis(2, 0));
    const Range mine = partition(size_.n * size_.g * bands_, 1, team_.count, team_.index);
    for (int64_t u = mine.begin; u < mine.end; ++u) {
      const int64_t plane = u / bands_, first = u % bands_ * band_;
      image_ = plane / size_.g, group_ = plane % size_.g;
      const Source* images = static_cast<const Source*>(args_.tensors[source_slot]);
      rows_.stage(images + image_ * from_.outer + group_ * from_.group, from_.y, first,
                  min(band_, axis(1, 0).count - first));
      for (int64_t ry = 0; ry < residues(1); ++ry)
        for (int64_t rx = 0; rx < residues(2); ++rx) {
          const GatherAxis ay = axis(1, ry), ax = axis(2, rx);
          if (!whole) place_taps(ay, ax);
          load_weights(ay, ax);
          rows(ay, ax, first, min(band_, ay.count - first));
        }
    }
    return 0;
  }

  // Where each tap of a residue reads, from the staged position of the first result on.
  void place_taps(const GatherAxis& ay, const GatherAxis& ax) {
    taps_ = 0;
    for (int64_t iy = 0; iy < ay.taps; ++iy)
      for (int64_t ix = 0; ix < ax.taps; ++ix)
        offsets_[taps_++] = rows_.offset(ay.start + iy * ay.start_step, ax.start + ix * ax.start_step);
  }
  void load_weights(const GatherAxis& ay, const GatherAxis& ax) {
    const ConvStrides s(args_, slot_weight);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]) + group_ * s.outer;
    float* to = weights_;
    for (int64_t iy = 0; iy < ay.taps; ++iy)
      for (int64_t ix = 0; ix < ax.taps; ++ix)
        *to++ = to_float(w[(ay.tap + iy * ay.tap_step) * s.y + (ax.tap + ix * ax.tap_step) * s.x]);
  }

  void rows(const GatherAxis& ay, const GatherAxis& ax, int64_t first, int64_t count) {
    const int64_t at[2] = {ay.first + first * ay.step, ax.first}, step[2] = {ay.step, ax.step};
    point<Result>(slot_out, to_, args_.tensors[result_slot], at, step);
    point_d<0>(typename Config::D{}, at, step);
    const Epilogue<Config> epilogue(row_.args, 0);
    for (int64_t y = 0; y < count;) {
      if (Config::tall >= 4 && count - y >= 4) row<4>(epilogue, y, ax.count), y += 4;
      else if (count - y >= 2) row<2>(epilogue, y, ax.count), y += 2;
      else row<1>(epilogue, y, ax.count), y += 1;
    }
  }
  template <int T>
  void row(const Epilogue<Config>& epilogue, int64_t y, int64_t count) const {
    int64_t x = 0;
    for (; count - x > 2 * lanes; x += Config::mr * lanes) tile<T, Config::mr>(epilogue, y, x, count);
    for (; count - x > lanes; x += 2 * lanes) tile<T, 2>(epilogue, y, x, count);
    for (; x < count; x += lanes) tile<T, 1>(epilogue, y, x, count);
  }

  template <int T, int V>
  TW_NOINLINE void tile(const Epilogue<Config>& epilogue, int64_t y, int64_t x, int64_t count) const {
    vf acc[T][V];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) acc[t][v] = vf{};
    }
    const int64_t step = rows_.move_y * rows_.floats;
    const float* base = rows_.rows + y * step + x;
    for (int64_t i = 0; i < taps_; ++i) {
      const vf w = splat<vf>(weights_[i]);
      const float* p = base + offsets_[i];
      TW_UNROLL
      for (int t = 0; t < T; ++t, p += step) {
        TW_UNROLL
        for (int v = 0; v < V; ++v) acc[t][v] = acc[t][v] + w * load_bits<vf>(p + v * lanes);
      }
    }
    const Epilogue<Config> local(epilogue);  // in registers: stores to the result could change it otherwise
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) {
        const int64_t n = count - x - v * lanes;
        if (n > 0) local.finish(acc[t][v], y + t, x + v * lanes, int(min<int64_t>(n, lanes)), false);
      }
    }
  }

  template <class T>
  void point(int to, const ConvStrides& s, void* tensor, const int64_t (&at)[2], const int64_t (&step)[2]) {
    T* base = static_cast<T*>(tensor) + image_ * s.outer + group_ * s.group + at[0] * s.y + at[1] * s.x;
    row_.set(to, base, s.y * step[0], s.x * step[1]);
  }
  template <int I>
  void point_d(List<>, const int64_t (&)[2], const int64_t (&)[2]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, const int64_t (&at)[2], const int64_t (&step)[2]) {
    point<T>(slot_d + I, ConvStrides(args_, slot_conv_d + I), args_.tensors[slot_conv_d + I], at, step);
    point_d<I + 1>(List<Rest...>{}, at, step);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const ConvStrides from_, to_;
  PlaneRows<Source> rows_;
  RowArgs row_;
  int64_t band_, bands_;  // rows of results at a time
  int64_t image_ = 0, group_ = 0, taps_ = 0;
  float* weights_ = nullptr;
  int64_t* offsets_ = nullptr;
};

}  // namespace tw
