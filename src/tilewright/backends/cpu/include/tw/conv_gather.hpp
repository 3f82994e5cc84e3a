// Forward and backward data with vector code: each result pixel gathers source pixels, tap by tap.
//
// Weights are copied once per call into [block][tap][reduced channel][columns]. Threads share blocks x images x rows. Per
// row of results: the source rows come from a strip, a register tile of `mr` pixels sums over rows, taps and channels.
// Backward data with a stride: the positions of one residue meet the same taps; all residues of a row take turns on one
// strip.
#pragma once
#include "tw/conv_run.hpp"
#include "tw/conv_strip.hpp"
#include "tw/epilogue.hpp"

namespace tw {

template <class Config>
class Gather {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr bool merged = Config::pipeline == ConvPipeline::lanes;
  static constexpr int columns = merged ? lanes : Config::nr, nv = columns / lanes;
  static constexpr int source_slot = forward ? slot_input : slot_output, result_slot = forward ? slot_output : slot_input;
  static constexpr int max_rows = 128, band_rows = 14, kept_axes = 4;
  static constexpr Staging how = merged ? Staging::interleaved : Staging::channels;
  static constexpr int64_t strip_bytes = Config::strip_kb * 1024;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Result = typename Config::Out;
  using Weight = typename Config::Weight;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<Gather>::bytes(args); }

  static int run(tw_args* args) {
    const ConvSizes size(*args);
    if (size.axis[0].filter * size.axis[1].filter > max_rows) {
      return fail(args, "the filter has % rows but this pipeline takes %: use the implicit pipeline",
                  size.axis[0].filter * size.axis[1].filter, max_rows);
    }
    return InArena<Gather>::run(args);
  }

 private:
  friend InArena<Gather>;
  Gather(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), reduced_(forward ? size_.c : size_.k),
        results_(forward ? size_.k : size_.c), merge_(merged ? reduced_ : 1, merged ? results_ : 1, Config::merge),
        row_(args, Config::D::size) {
    blocks_per_group_ = merged ? 1 : ceil_div(results_, columns);
    blocks_ = merged ? ceil_div(size_.g, merge_.merged) : size_.g * blocks_per_group_;
    panel_ = size_.taps() * reduced_ * columns;
    weights_ = arena.take<float>(blocks_ * panel_);
    plan_strips();
    // Every thread has strips of its own; all of them are counted, so that the size does not depend on the index.
    const int threads = max(1, Launch(args).threads);
    for (int t = 0; t < threads; ++t) {
      float* strip = arena.take<float>(slots_ * row_floats_);
      int64_t* tags = arena.take<int64_t>(slots_);
      if (t == team.index) strip_ = strip, tags_ = tags;
    }
  }

  GatherAxis make_axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  GatherAxis axis(int i, int64_t residue) const {
    return residue < kept_axes ? axes_[i][residue] : make_axis(i, residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  // The source positions that the residues of one result position reach, and how many result pixels one strip serves.
  void plan_strips() {
    int64_t low[3], range[3];
    for (int i = 0; i < 3; ++i) {
      for (int64_t r = 0; r < min<int64_t>(kept_axes, residues(i)); ++r) axes_[i][r] = make_axis(i, r);
      reach(i, low[i], range[i]);
    }
    slots_of_[0] = range[0], slots_of_[1] = range[1], slots_ = range[0] * range[1], low_x_ = low[2];
    const int64_t chunks = merged ? 1 : ceil_div(reduced_, lanes);
    const int64_t count = axis(2, 0).count, move = axis(2, 0).move;  // residue 0 has the most positions
    const int64_t fits = strip_bytes / max<int64_t>(1, slots_ * chunks * lanes * 4 * move);
    chunk_ = min(count, max<int64_t>(Config::mr, fits / Config::mr * Config::mr));
    chunk_ = min(count, round_up(ceil_div(count, ceil_div(count, chunk_)), Config::mr));
    width_ = (chunk_ - 1) * move + range[2];
    row_floats_ = chunks * width_ * lanes;
  }

  void reach(int i, int64_t& low, int64_t& range) const {
    int64_t high = 0;
    bool any = false;
    for (int64_t r = 0; r < residues(i); ++r) {
      const GatherAxis a = axis(i, r);
      if (a.taps == 0) continue;
      low = any ? min(low, a.low()) : a.low();
      high = any ? max(high, a.low() + a.range()) : a.low() + a.range();
      any = true;
    }
    if (!any) low = 0, high = 1;
    range = high - low;
  }

  int work() {
    pack_weights();
    team_.barrier();
    walk();
    return 0;
  }

  void pack_weights() {
    const ConvStrides s(args_, slot_weight);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]);
    const int64_t fz = size_.axis[0].filter, fy = size_.axis[1].filter, fx = size_.axis[2].filter;
    const int64_t along_column = forward ? s.group : s.channel, along_reduced = forward ? s.channel : s.group;
    const Range mine = partition(blocks_, 1, team_.count, team_.index);
    for (int64_t b = mine.begin; b < mine.end; ++b) {
      float* to = weights_ + b * panel_;
      int64_t offset[columns];  // of each column's weights; -1 where there is none
      for (int l = 0; l < columns; ++l) {
        const int64_t group = merged ? b * merge_.merged + l % merge_.merged : b / blocks_per_group_;
        const int64_t o = merged ? l / merge_.merged : b % blocks_per_group_ * columns + l;
        offset[l] = group < size_.g && o < results_ ? group * s.outer + o * along_column : -1;
      }
      for (int64_t z = 0; z < fz; ++z)
        for (int64_t y = 0; y < fy; ++y)
          for (int64_t x = 0; x < fx; ++x, to += reduced_ * columns) {
            for (int64_t first = 0; first < reduced_; first += 32) {  // lines that are written stay in L1 meanwhile
              for (int l = 0; l < columns; ++l) {
                const Weight* from = w + z * s.z + y * s.y + x * s.x + offset[l];
                for (int64_t r = first; r < min(reduced_, first + 32); ++r)
                  to[r * columns + l] = offset[l] < 0 ? 0.0f : to_float(from[r * along_reduced]);
              }
            }
          }
    }
  }

  // All result rows. Groups lie side by side in memory, so their blocks take turns on a band of rows that stays in
  // cache; where there is one group, a block keeps its weights for as many rows as there are.
  void walk() {
    const bool turns = size_.g > 1;
    const int64_t rows_y = axis(1, 0).count, rows = axis(0, 0).count * rows_y;
    const int64_t chunks = ceil_div(axis(2, 0).count, chunk_);
    const int64_t band = turns ? min<int64_t>(rows, band_rows) : rows, bands = ceil_div(rows, band);
    const Range mine = partition(blocks_ * size_.n * chunks * bands * band, 1, team_.count, team_.index);
    int64_t last = -1;
    Strip<how, Source> strip(strip_, tags_, slots_of_[0], slots_of_[1], row_floats_);
    for (int64_t at = mine.begin; at < mine.end; ++at) {
      const int64_t unit = at / band;
      const int64_t block = turns ? unit % blocks_ : unit / (bands * chunks * size_.n);
      const int64_t rest = turns ? unit / blocks_ : unit % (bands * chunks * size_.n);
      const int64_t row = rest % bands * band + at % band, part = rest / bands;
      if (unit != last) strip.forget();
      last = unit;
      if (row < rows) {
        every_residue(strip, block, part / chunks, part % chunks * chunk_, row / rows_y, row % rows_y);
      }
    }
  }

  void every_residue(Strip<how, Source>& strip, int64_t block, int64_t image, int64_t x0, int64_t jz, int64_t jy) {
    for (int64_t z = 0; z < residues(0); ++z)
      for (int64_t y = 0; y < residues(1); ++y)
        for (int64_t x = 0; x < residues(2); ++x) {
          az_ = axis(0, z), ay_ = axis(1, y), ax_ = axis(2, x);
          if (jz >= az_.count || jy >= ay_.count || x0 >= ax_.count) continue;
          if (ax_.taps == 0) az_.taps = 0;
          block_row(strip, block, image, x0, jz, jy);
        }
  }

  void block_row(Strip<how, Source>& strip, int64_t block, int64_t image, int64_t x0, int64_t jz, int64_t jy) {
    const int64_t count = min(chunk_, ax_.count - x0);
    const ConvStrides s(args_, source_slot);
    const int64_t group = merged ? block * merge_.merged : block / blocks_per_group_;
    PixelSource<Source> source{static_cast<const Source*>(args_.tensors[source_slot]) + image * s.outer +
                                   group * s.group, s.along(merged && reduced_ == 1), s.x, s.y, s.z, int(reduced_)};
    if (merged) source.count = int(min<int64_t>(merge_.merged, size_.g - group)) * merge_.in;
    rows_.count = 0;
    for (int64_t iz = 0; iz < az_.taps; ++iz)
      for (int64_t iy = 0; iy < ay_.taps; ++iy) {
        const int64_t z = az_.start + iz * az_.start_step + jz * az_.move;
        const int64_t y = ay_.start + iy * ay_.start_step + jy * ay_.move;
        const float* strip_row = strip.row(source, z, y, az_.source, ay_.source, low_x_ + x0 * ax_.move, width_,
                                           ax_.source, merge_);
        if (!strip_row) continue;
        const int64_t tap = ((az_.tap + iz * az_.tap_step) * size_.axis[1].filter + ay_.tap + iy * ay_.tap_step) *
                                size_.axis[2].filter + ax_.tap;
        rows_.data[rows_.count] = strip_row;
        rows_.weights[rows_.count++] = weights_ + block * panel_ + tap * reduced_ * columns;
      }
    finish_row(block, group, image, x0, count, jz, jy);
  }

  void finish_row(int64_t block, int64_t group, int64_t image, int64_t x0, int64_t count, int64_t jz, int64_t jy) {
    const int64_t channel = merged ? 0 : block % blocks_per_group_ * columns;
    const int64_t place[3] = {az_.first + jz * az_.step, ay_.first + jy * ay_.step, ax_.first + x0 * ax_.step};
    point<Result>(slot_out, result_slot, image, group, channel, place);
    point_d<0>(typename Config::D{}, image, group, channel, place);
    cols_ = int(merged ? min<int64_t>(merge_.merged, size_.g - group) * merge_.out : min<int64_t>(columns, results_ - channel));
    const Epilogue<Config> epilogue(row_.args, 0);
    if (ax_.move == 1) tiles<Config::mr, 1>(epilogue, 0, count);
    else if (ax_.move == 2) tiles<Config::mr, 2>(epilogue, 0, count);
    else tiles<Config::mr, 0>(epilogue, 0, count);
  }

  template <class T>
  void point(int to, int slot, int64_t image, int64_t group, int64_t channel, const int64_t (&p)[3]) {
    const ConvStrides s(args_, slot);
    T* base = static_cast<T*>(args_.tensors[slot]) + image * s.outer + group * s.group + channel * s.channel;
    row_.set(to, base + p[0] * s.z + p[1] * s.y + p[2] * s.x, s.x * ax_.step, s.along(merged && results_ == 1));
  }
  template <int I>
  void point_d(List<>, int64_t, int64_t, int64_t, const int64_t (&)[3]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, int64_t image, int64_t group, int64_t channel, const int64_t (&p)[3]) {
    point<T>(slot_d + I, slot_conv_d + I, image, group, channel, p);
    point_d<I + 1>(List<Rest...>{}, image, group, channel, p);
  }

  // Full tiles of T pixels, then tiles of half the size for what is left.
  template <int T, int Move>
  void tiles(const Epilogue<Config>& epilogue, int64_t at, int64_t count) const {
    for (; at + T <= count; at += T) tile<T, Move>(epilogue, at);
    if constexpr (T > 1) {
      if (at < count) tiles<T / 2, Move>(epilogue, at, count);
    }
  }

  template <int T, int Move>
  TW_NOINLINE void tile(const Epilogue<Config>& epilogue, int64_t at) const {
    vf acc[T][nv];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[t][c] = vf{};
    }
    const int64_t step = (Move ? Move : ax_.move) * lanes;
    const int64_t first = ax_.start - low_x_ + at * ax_.move, chunk_floats = width_ * lanes;
    for (int i = 0; i < rows_.count; ++i) {
      const float* w = rows_.weights[i];
      for (int64_t k = 0; k < ax_.taps; ++k, w += ax_.tap_step * reduced_ * columns) {
        const float* pixel = rows_.data[i] + (first + k * ax_.start_step) * lanes;
        if constexpr (merged) sum_lanes<T>(acc, pixel, step, w);
        else sum_channels<T>(acc, pixel, step, chunk_floats, w);
      }
    }
    put<T>(acc, epilogue, at);
  }

  template <int T>
  TW_INLINE void sum_lanes(vf (&acc)[T][nv], const float* pixel, int64_t step, const float* w) const {
    for (int r = 0; r < merge_.in; ++r, pixel += Config::merge, w += lanes) {
      const vf weight = load_bits<vf>(w);
      TW_UNROLL
      for (int t = 0; t < T; ++t) acc[t][0] = acc[t][0] + weight * repeat<Config::merge>(pixel + t * step);
    }
  }

  template <int T>
  TW_INLINE void sum_channels(vf (&acc)[T][nv], const float* pixel, int64_t step, int64_t chunk_floats,
                              const float* w) const {
    for (int64_t q = 0; q < reduced_; q += lanes, pixel += chunk_floats) {
      const int n = int(min<int64_t>(lanes, reduced_ - q));
      const float* p = pixel;
      for (int r = 0; r < n; ++r, ++p, w += columns) {
        vf weight[nv];
        TW_UNROLL
        for (int c = 0; c < nv; ++c) weight[c] = load_bits<vf>(w + c * lanes);
        TW_UNROLL
        for (int t = 0; t < T; ++t) {
          const vf x = splat<vf>(p[t * step]);
          TW_UNROLL
          for (int c = 0; c < nv; ++c) acc[t][c] = acc[t][c] + x * weight[c];
        }
      }
    }
  }

  template <int T>
  TW_INLINE void put(vf (&acc)[T][nv], const Epilogue<Config>& epilogue, int64_t at) const {
    if constexpr (merged) {  // from interleaved groups to the order of the channels
      const vi restore = load_bits<vi>(merge_.restore);
      TW_UNROLL
      for (int t = 0; t < T; ++t) acc[t][0] = permute(acc[t][0], restore);
    }
    if (epilogue.is_copy() && cols_ == columns) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        auto* p = reinterpret_cast<float*>(epilogue.address(at + t, 0));
        prefetch_write(p + columns);  // the next block of channels takes its turn soon
        TW_UNROLL
        for (int c = 0; c < nv; ++c) store_bits(p + c * lanes, acc[t][c]);
      }
      return;
    }
    alignas(64) float buffer[T * columns];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) store_bits(buffer + t * columns + c * lanes, acc[t][c]);
    }
    epilogue.tile(buffer, columns, at, 0, T, cols_);
  }

  struct Rows {
    int count = 0;
    const float* data[max_rows];
    const float* weights[max_rows];
  };

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const int64_t reduced_, results_;  // channels of one group that are summed over, and that are computed
  const Merge merge_;
  RowArgs row_;
  GatherAxis az_{}, ay_{}, ax_{};
  int64_t blocks_per_group_, blocks_, panel_, slots_, slots_of_[2], chunk_, row_floats_, width_, low_x_;
  GatherAxis axes_[3][kept_axes];
  float* weights_;
  float* strip_ = nullptr;
  int64_t* tags_ = nullptr;
  Rows rows_;
  int cols_ = 0;
};

}  // namespace tw
