// Forward and backward data of a depthwise convolution (one channel in, one out per group), channels-last, in place.
//
// Filters of the usual widths go through the register tiles of depthwise_tile.hpp, which leave out what reaches
// over the image's edge; other widths, strides and dilations through tiles of `mr` pixels inside, one by one at edges.
#pragma once
#include "tw/conv/depthwise_tile.hpp"
#include "tw/conv/run.hpp"
#include "tw/parallel.hpp"
#include "tw/transpose.hpp"

namespace tw {

template <class Config>
class Depthwise {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr int nv = Config::nr / lanes, max_rows = 128, tall = Config::tall;
  static constexpr int64_t far_bytes = 2 << 20, none = -1;  // a result of so many bytes leaves L2
  static constexpr int source_slot = forward ? slot_input : slot_output, result_slot = forward ? slot_output : slot_input;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Weight = typename Config::Weight;
  using Write = Epilogue<Config>;

 public:
  static int64_t workspace(const tw_args& args) {
    const ConvSizes size(args);
    return size.taps() * round_up(size.g, lanes) * int64_t(sizeof(float));
  }

  static int run(tw_args* args) {
    const ConvSizes size(*args);
    if (size.axis[0].filter * size.axis[1].filter > max_rows || size.c != 1 || size.k != 1) {
      return fail(args, "a depthwise kernel takes one channel per group and up to % filter rows, not %", max_rows,
                  size.axis[0].filter * size.axis[1].filter);
    }
    if (int status = check_workspace(args, workspace(*args))) return status;
    parallel(args->runtime, Launch(*args).threads, [&](const Team& team) { Depthwise(*args, team).work(); });
    return 0;
  }

 private:
  Depthwise(const tw_args& args, const Team& team)
      : args_(args), team_(team), size_(args), channels_(size_.g), padded_(round_up(size_.g, lanes)),
        taps_(size_.taps()), weights_(static_cast<float*>(args.workspace)), source_(args, source_slot),
        row_(args, Config::D::size),
        far_(result_pixels() * channels_ * int64_t(sizeof(typename Config::Out)) > far_bytes) {}

  int64_t result_pixels() const {
    int64_t pixels = size_.n;
    for (const Axis& a : size_.axis) pixels *= forward ? a.out : a.in;
    return pixels;
  }

  GatherAxis axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  void work() {
    pack_weights();
    team_.barrier();
    for (int64_t z = 0; z < residues(0); ++z)
      for (int64_t y = 0; y < residues(1); ++y) {
        az_ = axis(0, z), ay_ = axis(1, y), ax_ = axis(2, 0);
        result_rows();
      }
#if defined(TW_X86)
    if (Config::stream) asm volatile("sfence" : : : "memory");  // streamed stores are seen before the team is done
#endif
  }

  void pack_weights() const {
    const ConvStrides s(args_, slot_weight);
    const Axis(&f)[3] = size_.axis;
    const bool side_by_side = (f[2].filter == 1 || s.x == 1) && (f[1].filter == 1 || s.y == f[2].filter) &&
                              (f[0].filter == 1 || s.z == f[1].filter * f[2].filter);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]);
    const Range mine = partition(padded_, lanes, team_.count, team_.index);
    for (int64_t c = mine.begin; c < mine.end; c += lanes) {
      const int n = int(min<int64_t>(lanes, channels_ - c));
      if (side_by_side && n == lanes) pack_squares(w + c * s.outer, s.outer, weights_ + c * taps_);
      else pack_elements(w + c * s.outer, s, n, weights_ + c * taps_);
    }
  }
  void pack_squares(const Weight* w, int64_t channel, float* to) const {
    for (int64_t t = 0; t < taps_; t += lanes) {
      const int some = int(min<int64_t>(lanes, taps_ - t));
      vu square[lanes];
      TW_UNROLL
      for (int k = 0; k < lanes; ++k) square[k] = bit_cast<vu>(load_partial(w + k * channel + t, some));
      transpose(square);
      TW_UNROLL
      for (int k = 0; k < lanes; ++k)
        if (k < some) store_bits(to + (t + k) * lanes, square[k]);
    }
  }
  void pack_elements(const Weight* w, const ConvStrides& s, int n, float* to) const {
    for (int64_t z = 0; z < size_.axis[0].filter; ++z)
      for (int64_t y = 0; y < size_.axis[1].filter; ++y)
        for (int64_t x = 0; x < size_.axis[2].filter; ++x, to += lanes)
          for (int k = 0; k < lanes; ++k)
            to[k] = k < n ? to_float(w[k * s.outer + z * s.z + y * s.y + x * s.x]) : 0.0f;
  }

  // Groups of `tall` rows of every image, each through all planes before the next: what a plane brings into L2 is still
  // there when the planes after it read it again.
  void result_rows() {
    const int64_t groups = ceil_div(ay_.count, tall);
    const Range mine = partition(size_.n * groups * az_.count, 1, team_.count, team_.index);
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      const int64_t image = i / az_.count / groups, y = i / az_.count % groups * tall;
      for (int64_t x = 0; x < residues(2); ++x) {
        ax_ = axis(2, x);
        group(image, i % az_.count, {y, min(ay_.count, y + tall)});
      }
    }
  }
  void group(int64_t image, int64_t jz, Range y) {
    const int step = is_tall() ? tall : 1;
    for (int64_t jy = y.begin; jy < y.end; jy += step) {
      const int count = int(min<int64_t>(step, y.end - jy));
      source_rows(image, jz, jy, count);
      const Write writes[2] = {write_of(image, jz, jy), write_of(image, jz, jy + count - 1)};
      if (!has_windows()) pixels(writes[0]);
      else if (step == 1) window_row<1>(writes, 1);
      else window_row<tall>(writes, count);
    }
  }

  // The source rows that result row jy meets, and with count == 2 those of the next one: only the first, both, only it.
  void source_rows(int64_t image, int64_t jz, int64_t jy, int count) {
    // Where the first row has tap i, the second has tap i - down.
    const int64_t down = ay_.start_step == 0 ? 0 : ay_.move / ay_.start_step;
    const bool share = count == 2 && down != 0 && down * ay_.start_step == ay_.move;
    const auto met = [&](int64_t tap) { return share && tap >= 0 && tap < ay_.taps; };
    both_ = rows_end_ = 0;
    each_tap([&](int64_t z, int64_t y) { if (!met(y - down)) add_row(image, jz, jy, z, y, y, none); });
    only_first_ = rows_end_;
    if (count == 1) return;
    each_tap([&](int64_t z, int64_t y) { if (met(y - down)) add_row(image, jz, jy, z, y, y, y - down); });
    both_ = rows_end_ - only_first_;
    each_tap([&](int64_t z, int64_t y) { if (!met(y + down)) add_row(image, jz, jy + 1, z, y, none, y); });
  }
  template <class Body>
  void each_tap(const Body& body) const {
    for (int64_t z = 0; z < az_.taps && ax_.taps > 0; ++z)
      for (int64_t y = 0; y < ay_.taps; ++y) body(z, y);
  }
  // The row that taps iz and iy of result row jy read, unless it lies outside of the image.
  void add_row(int64_t image, int64_t jz, int64_t jy, int64_t iz, int64_t iy, int64_t first, int64_t second) {
    const int64_t z = az_.start + iz * az_.start_step + jz * az_.move;
    const int64_t y = ay_.start + iy * ay_.start_step + jy * ay_.move;
    if (z < 0 || z >= az_.source || y < 0 || y >= ay_.source) return;
    const Source* data = static_cast<const Source*>(args_.tensors[source_slot]);
    rows_[rows_end_++] = {data + image * source_.outer + z * source_.z + y * source_.y,
                          {row_weights(iz, first), row_weights(iz, second)}};
  }
  const float* row_weights(int64_t iz, int64_t iy) const {
    if (iy == none) return nullptr;
    const int64_t row = (az_.tap + iz * az_.tap_step) * size_.axis[1].filter + ay_.tap + iy * ay_.tap_step;
    return weights_ + (row * size_.axis[2].filter + ax_.tap) * lanes;
  }

  // Filter widths with a register tile of their own; taps must lie side by side.
  bool has_windows() const {
    if (ax_.taps > 1 && ax_.start_step != 1 && ax_.start_step != -1) return false;
    return ax_.move == 1 ? (ax_.taps >= 1 && ax_.taps <= 5) || ax_.taps == 7 : ax_.move == 2 && is_odd();
  }
  bool is_odd() const { return ax_.taps == 3 || ax_.taps == 5 || ax_.taps == 7; }
  bool is_tall() const { return tall > 1 && is_odd() && has_windows(); }  // even widths: mostly between strided outputs

  template <int Tall>
  void window_row(const Write* writes, int count) {
    const bool mirrored = ax_.start_step < 0;  // then the last tap is the leftmost
    const int64_t step = ax_.tap_step * lanes, leftmost = mirrored ? (ax_.taps - 1) * step : 0;
    for (int i = 0; i < rows_end_; ++i) {
      for (const float*& w : rows_[i].weights) w = w ? w + leftmost : nullptr;
    }
    const DepthwiseTile<Config, Source, Tall> tile{
        rows_, only_first_, both_, rows_end_ - only_first_ - both_, source_.x, mirrored ? -step : step, taps_,
        channels_, writes, count, far_};
    if constexpr (Tall == tall) {
      switch (ax_.taps) {
        case 3: return ax_.move == 2 ? windows<3, 2>(tile) : windows<3, 1>(tile);
        case 5: return ax_.move == 2 ? windows<5, 2>(tile) : windows<5, 1>(tile);
        case 7: return ax_.move == 2 ? windows<7, 2>(tile) : windows<7, 1>(tile);
      }
    }
    if constexpr (Tall == 1) {
      switch (ax_.taps) {
        case 1: return windows<1, 1>(tile);
        case 2: return windows<2, 1>(tile);
        case 4: return windows<4, 1>(tile);
      }
    }
  }

  // Tiles of mr pixels along the row. A tile that reaches over the image's edge leaves out what lies outside, one that
  // reaches over the row's end computes more than it writes.
  template <int FX, int Move, class Tile>
  void windows(const Tile& tile) const {
    constexpr int reach = (Config::mr - 1) * Move + FX;
    static_assert(reach <= 64, "a window is a word of bits");
    for (int64_t j = 0; j < ax_.count; j += Config::mr) {
      const int64_t x = ax_.low() + j * Move;
      const uint64_t inside = bits(min<int64_t>(reach, ax_.source - x)) & ~bits(-x);
      tile.template window<FX, Move>({j, x, int(min<int64_t>(Config::mr, ax_.count - j)), inside});
    }
  }

  Write write_of(int64_t image, int64_t jz, int64_t jy) {
    const int64_t place[3] = {az_.first + jz * az_.step, ay_.first + jy * ay_.step, ax_.first};
    point<typename Config::Out>(slot_out, result_slot, image, place);
    point_d<0>(typename Config::D{}, image, place);
    return Write(row_.args, 0);
  }
  template <class T>
  void point(int to, int slot, int64_t image, const int64_t (&p)[3]) {
    const ConvStrides s(args_, slot);
    T* base = static_cast<T*>(args_.tensors[slot]) + image * s.outer + p[0] * s.z + p[1] * s.y + p[2] * s.x;
    row_.set(to, base, s.x * ax_.step, s.group);
  }
  template <int I>
  void point_d(List<>, int64_t, const int64_t (&)[3]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, int64_t image, const int64_t (&p)[3]) {
    point<T>(slot_d + I, slot_conv_d + I, image, p);
    point_d<I + 1>(List<Rest...>{}, image, p);
  }

  // Pixels [inside, outside) meet only taps inside the image.
  void pixels(const Write& epilogue) const {
    const int64_t low = ax_.low(), high = low + ax_.range() - 1;
    int64_t inside = low < 0 ? ceil_div(-low, ax_.move) : 0;
    int64_t outside = ax_.source - 1 - high < 0 ? 0 : (ax_.source - 1 - high) / ax_.move + 1;
    inside = min(inside, ax_.count);
    outside = max(inside, min(outside, ax_.count));
    for (int64_t j = 0; j < inside; ++j) edge(epilogue, j);
    tiles<Config::mr>(epilogue, inside, outside);
    for (int64_t j = outside; j < ax_.count; ++j) edge(epilogue, j);
  }

  void edge(const Write& epilogue, int64_t j) const {
    int64_t begin = 0, end = ax_.taps;
    const auto valid = [&](int64_t i) {
      const int64_t x = ax_.start + i * ax_.start_step + j * ax_.move;
      return x >= 0 && x < ax_.source;
    };
    while (begin < end && !valid(begin)) ++begin;
    while (end > begin && !valid(end - 1)) --end;
    tile<1>(epilogue, j, begin, end);
  }

  template <int T>
  void tiles(const Write& epilogue, int64_t j, int64_t end) const {
    for (; j + T <= end; j += T) tile<T>(epilogue, j, 0, ax_.taps);
    if constexpr (T > 1) {
      if (j < end) tiles<T / 2>(epilogue, j, end);
    }
  }

  template <int T>
  TW_NOINLINE void tile(const Write& epilogue, int64_t j, int64_t begin, int64_t end) const {
    constexpr int wide = T == 1 ? 4 : nv;  // a single pixel needs more independent sums
    const Write local(epilogue);
    int64_t c = 0;
    for (; c + wide * lanes <= channels_; c += wide * lanes) channels<T, wide, false>(local, j, begin, end, c);
    for (; c + lanes <= channels_; c += lanes) channels<T, 1, false>(local, j, begin, end, c);
    if (c < channels_) channels<T, 1, true>(local, j, begin, end, c);
  }

  template <int T, int V, bool Partial>
  TW_INLINE void channels(const Write& epilogue, int64_t j, int64_t begin, int64_t end, int64_t c) const {
    vf acc[T][V];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) acc[t][v] = vf{};
    }
    const int n = Partial ? int(channels_ - c) : lanes;
    const int64_t pixel = ax_.move * source_.x, tap = ax_.start_step * source_.x, weight_step = ax_.tap_step * lanes;
    const int64_t first = (ax_.start + begin * ax_.start_step + j * ax_.move) * source_.x + c;
    for (int i = 0; i < only_first_; ++i) {
      const Source* p = rows_[i].data + first;
      const float* w = rows_[i].weights[0] + begin * weight_step + c * taps_;
      for (int64_t k = begin; k < end; ++k, p += tap, w += weight_step) {
        TW_UNROLL
        for (int v = 0; v < V; ++v) {
          const vf weight = load_bits<vf>(w + v * lanes * taps_);
          TW_UNROLL
          for (int t = 0; t < T; ++t) {
            const Source* at = p + t * pixel + v * lanes;
            acc[t][v] = acc[t][v] + weight * (Partial ? load_partial(at, n) : load(at));
          }
        }
      }
    }
    const bool whole = !Partial && epilogue.in_rows();
    TW_UNROLL
    for (int v = 0; v < V; ++v) {
      typename Write::template Cursor<true> cursor(epilogue, j, c + v * lanes);
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        if (whole) cursor.put(acc[t][v]);
        else epilogue.finish(acc[t][v], j + t, c + v * lanes, n, false);
      }
    }
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const int64_t channels_, padded_, taps_;
  float* const weights_;  // [register of channels][tap][lanes]
  const ConvStrides source_;
  RowArgs row_;
  const bool far_;
  GatherAxis az_{}, ay_{}, ax_{};
  SourceRow<Source> rows_[2 * max_rows];
  int only_first_ = 0, both_ = 0, rows_end_ = 0;
};

}  // namespace tw
