// Forward and backward data with vector code: each result pixel gathers source pixels, tap by tap.
//
// Weights are copied once per call into [block][tap][reduced channel][columns]. Threads share blocks x images x rows.
// Per row of results: the source rows come from a strip, a register tile of `mr` pixels sums over rows, taps and
// channels. Two rows that are short enough share a tile.
// Backward data with a stride: the positions of one residue meet the same taps; all residues of a row take turns on one
// strip.
#pragma once
#include "tw/conv/run.hpp"
#include "tw/conv/gather_tiles.hpp"
#include "tw/transpose.hpp"

namespace tw {

template <class Config>
class Gather {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr bool merged = Config::pipeline == ConvPipeline::lanes;
  static constexpr int columns = merged ? lanes : Config::nr, nv = columns / lanes;
  static constexpr int source_slot = forward ? slot_input : slot_output;
  static constexpr int result_slot = forward ? slot_output : slot_input;
  static constexpr int band_rows = 14, kept_axes = 4;
  static constexpr int64_t none = INT64_MIN;  // no offset of a tensor
  static constexpr Staging how = merged ? Staging::interleaved : Staging::channels;
  static constexpr int64_t strip_bytes = Config::strip_kb * 1024, band_bytes = 384 * 1024, kept_weights = 1536 * 1024;
#if defined(TW_NEON)
  static constexpr bool narrow = true;
#else
  static constexpr bool narrow = false;
#endif
  static constexpr int64_t shared_bytes = 384 * 1024, near_weights = 640 * 1024, shared_pixels = 112;
  static constexpr int64_t kept_strips = 640 * 1024;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Tiles = GatherTiles<Config>;
  using Result = typename Config::Out;
  using Weight = typename Config::Weight;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<Gather>::bytes(args); }

  static int run(tw_args* args) {
    const ConvSizes size(*args);
    if (size.axis[0].filter * size.axis[1].filter > Tiles::max_rows) {
      return fail(args, "the filter has % rows but this pipeline takes %: use the implicit pipeline",
                  size.axis[0].filter * size.axis[1].filter, Tiles::max_rows);
    }
    return InArena<Gather>::run(args);
  }

 private:
  friend InArena<Gather>;
  Gather(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), from_(args, source_slot), to_(args, result_slot),
        reduced_(forward ? size_.c : size_.k), results_(forward ? size_.k : size_.c),
        merge_(merged ? reduced_ : 1, merged ? results_ : 1, Config::merge), row_(args, Config::D::size) {
    blocks_per_group_ = merged ? 1 : ceil_div(results_, columns);
    blocks_ = merged ? ceil_div(size_.g, merge_.merged) : size_.g * blocks_per_group_;
    panel_ = size_.taps() * reduced_ * columns;
    one_group_ = narrow && size_.g == 1 && blocks_ > 1;
    near_ = blocks_ * panel_ * int64_t(sizeof(float)) <= near_weights;
    plan_strips();
    weights_ = arena.take<float>(turns() ? blocks_ * panel_ : 0);
    // Every thread has strips of its own; all of them are counted, so that the size does not depend on the index.
    const int threads = max(1, Launch(args).threads);
    for (int t = 0; t < threads; ++t) {
      const int64_t slots = range_[0] * slots_ * max<int64_t>(1, kept_);
      float* rows = arena.take<float>(slots * row_floats_);
      float* zeros = arena.take<float>(pair_ ? row_floats_ : 0);
      int64_t* tags = arena.take<int64_t>(slots);
      float* panel = arena.take<float>(turns() ? 0 : panel_);
      if (t != team.index) continue;
      zeros_ = zeros, block_weights_ = own_panel_ = panel;
      strip_ = {rows, tags, range_[0], slots_, row_floats_,
                {axis(0, 0).source, axis(1, 0).source, axis(2, 0).source, width_}, &merge_};
    }
    tiles_.merge = &merge_, tiles_.reduced = reduced_;
    tiles_.width = width_, tiles_.low_x = low_[2];
  }

  GatherAxis make_axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  // Good until another axis past the kept ones is asked for.
  const GatherAxis& axis(int i, int64_t residue) {
    return residue < kept_axes ? axes_[i][residue] : (further_[i] = make_axis(i, residue));
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  // How many result pixels one strip serves, and the rows that it holds.
  void plan_strips() {
    for (int i = 0; i < 3; ++i) {
      for (int64_t r = 0; r < min<int64_t>(kept_axes, residues(i)); ++r) axes_[i][r] = make_axis(i, r);
      reach(i);
    }
    const int64_t count = axis(2, 0).count, move = axis(2, 0).move;  // residue 0 has the most positions
    pair_ = count <= Config::mr / 2 && move <= 2 && axis(1, 0).count > 1;
    slots_ = range_[1] + (pair_ ? axis(1, 0).move : 0);
    const int64_t chunks = merged ? 1 : ceil_div(reduced_, lanes);
    const int64_t fits = strip_bytes / max<int64_t>(1, slots_ * range_[0] * chunks * lanes * 4 * move);
    chunk_ = min(count, max<int64_t>(Config::mr, fits / Config::mr * Config::mr));
    chunk_ = min(count, round_up(ceil_div(count, ceil_div(count, chunk_)), Config::mr));
    if (keeps_strips(chunks * lanes * ((count - 1) * move + range_[2]))) {
      chunk_ = count, kept_ = size_.n, slots_ = axis(1, 0).source;
    }
    chunks_ = ceil_div(count, chunk_);
    width_ = (chunk_ - 1) * move + range_[2];
    row_floats_ = chunks * width_ * lanes;
    if (one_group_ && kept_ == 0) share_strips();
    plan_bands();
  }

  // Narrow blocks of one group would copy the same rows again and again. If all weights stay in L2, blocks take turns on
  // the strip of each row of results. Otherwise the strips of all images are kept, so that every block reads its
  // weights once; if those are too many, blocks take turns on so many rows that reading the weights again costs less.
  bool keeps_strips(int64_t row) const {
    const bool flat = size_.axis[0].in == 1 && size_.axis[0].out == 1;
    return one_group_ && !near_ && flat && size_.n * axes_[1][0].source * row * int64_t(sizeof(float)) <= kept_strips;
  }
  void share_strips() {
    const GatherAxis& a = axis(1, 0);
    const int64_t step = pair_ ? 2 : 1, rows = near_ ? step : round_up(ceil_div(shared_pixels, chunk_), step);
    const int64_t slots = range_[1] + (rows - 1) * a.move;
    if (!near_ && rows > a.count) return;
    if (range_[0] * slots * row_floats_ * int64_t(sizeof(float)) > shared_bytes) return;
    shared_ = rows, slots_ = slots;
  }

  // Rows of results whose source and results stay in L2 while every block takes its turn.
  void plan_bands() {
    const GatherAxis& a = axis(1, 0);
    const int64_t source = a.move * axis(2, 0).source * range_[0] * size_.g * reduced_ * int64_t(sizeof(Source));
    const int64_t result = residues(1) * residues(2) * axis(2, 0).count * size_.g * results_ * int64_t(sizeof(Result));
    const int64_t row = max<int64_t>(1, source + result);
    const int64_t most = turns() ? min<int64_t>(band_rows, max<int64_t>(pair_ ? 2 : 1, band_bytes / row)) : a.count;
    band_ = min(a.count, shared_ > 0 ? shared_ : pair_ ? round_up(most, 2) : most);
    bands_ = ceil_div(a.count, band_) * axis(0, 0).count;
    int64_t steps = 0;
    for (int64_t y = 0; y < residues(1); ++y)
      for (int64_t x = 0; x < residues(2); ++x) steps += axis(1, y).taps * Tiles::steps(axis(2, x).taps, reduced_);
    row_steps_ = max<int64_t>(1, steps * ceil_div(chunk_, Config::mr));
  }

  void reach(int i) {
    const Reach all = reach_of(residues(i), [&](int64_t r) { return axis(i, r); });
    low_[i] = all.low, range_[i] = all.range;
  }

  // Blocks that take turns have their weights packed before; otherwise each thread packs those of the block at hand.
  int work() {
    if (turns()) {
      const Range mine = partition(blocks_, 1, team_.count, team_.index);
      for (int64_t b = mine.begin; b < mine.end; ++b) pack_block(b, weights_ + b * panel_);
    }
    for (int64_t i = 0; pair_ && i < row_floats_; ++i) zeros_[i] = 0.0f;
    if (kept_ > 0) strip_.forget(kept_);
    team_.barrier();
    walk();
    return 0;
  }

  void pack_block(int64_t b, float* to) const {
    const ConvStrides s(args_, slot_weight);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]);
    const int64_t fz = size_.axis[0].filter, fy = size_.axis[1].filter, fx = size_.axis[2].filter;
    const int64_t along_column = forward ? s.group : s.channel, along_reduced = forward ? s.channel : s.group;
    int64_t offset[columns];  // of each column's weights, which may be negative; `none` where there are none
    for (int l = 0; l < columns; ++l) {
      const int64_t group = merged ? b * merge_.merged + l % merge_.merged : b / blocks_per_group_;
      const int64_t o = merged ? l / merge_.merged : b % blocks_per_group_ * columns + l;
      offset[l] = group < size_.g && o < results_ ? group * s.outer + o * along_column : none;
    }
    if (narrow && s.x == 1 && s.y == fx && (fz == 1 || s.z == fy * fx) && size_.taps() >= lanes) {
      return pack_taps(to, w, offset, along_reduced);
    }
    for (int64_t z = 0; z < fz; ++z)
      for (int64_t y = 0; y < fy; ++y)
        for (int64_t x = 0; x < fx; ++x, to += reduced_ * columns) {
          const Weight* from = w + z * s.z + y * s.y + x * s.x;
          for (int l = 0; l < columns; l += lanes) pack_square(to + l, from, offset + l, along_column, along_reduced);
        }
  }

  // Weights whose taps lie side by side: squares of taps and columns; the last one of a channel may overlap another.
  void pack_taps(float* to, const Weight* w, const int64_t (&offset)[columns], int64_t along_reduced) const {
    const int64_t taps = size_.taps(), tap = reduced_ * columns;
    for (int64_t r = 0; r < reduced_; ++r, to += columns, w += along_reduced)
      for (int64_t t = 0; t < taps; t += lanes) {
        const int64_t at = min(t, taps - lanes);
        for (int c = 0; c < columns; c += lanes) {
          vu square[lanes];
          TW_UNROLL
          for (int l = 0; l < lanes; ++l) {
            square[l] = bit_cast<vu>(offset[c + l] == none ? vf{} : load(w + offset[c + l] + at));
          }
          transpose(square);
          TW_UNROLL
          for (int i = 0; i < lanes; ++i) store_bits(to + (at + i) * tap + c, square[i]);
        }
      }
  }

  // One register of columns: all reduced channels of a tap. Whole registers are read along whichever is contiguous.
  TW_INLINE void pack_square(float* to, const Weight* from, const int64_t* offset, int64_t along_column,
                             int64_t along_reduced) const {
    if (along_reduced == 1) {
      for (int64_t r = 0; r < reduced_; r += lanes) {
        const int n = int(min<int64_t>(lanes, reduced_ - r));
        alignas(64) float rows[lanes * lanes];
        for (int l = 0; l < lanes; ++l) {
          store_bits(rows + l * lanes, offset[l] == none ? vf{} : load_channels(from + offset[l] + r, 1, n));
        }
        vu square[lanes];
        TW_UNROLL
        for (int l = 0; l < lanes; ++l) square[l] = load_bits<vu>(rows + l * lanes);
        transpose(square);
        TW_UNROLL
        for (int i = 0; i < lanes; ++i) {
          if (i < n) store_bits(to + (r + i) * columns, square[i]);
        }
      }
      return;
    }
    const bool rows = !merged && along_column == 1 && offset[lanes - 1] != none;
    for (int64_t r = 0; r < reduced_; ++r, to += columns, from += along_reduced) {
      if (rows) {
        store_bits(to, load(from + offset[0]));
      } else {
        for (int l = 0; l < lanes; ++l) to[l] = offset[l] == none ? 0.0f : to_float(from[offset[l]]);
      }
    }
  }

  // Result rows of one plane, pixels from x0 on, of a block of channels.
  struct Unit {
    int64_t block, image, band, x0, jz, jy, rows;
  };

  // Groups lie side by side in memory, so their blocks take turns on a band of rows that stays in cache, as far as
  // all weights do. Otherwise, and where there is one group, a block keeps its weights for all images.
  bool turns() const {
    return blocks_ == 1 || shared_ > 0 || (size_.g > 1 && blocks_ * panel_ * int64_t(sizeof(float)) <= kept_weights);
  }

  // All result rows.
  void walk() {
    const Range mine = partition(blocks_ * size_.n * chunks_ * bands_ * band_, 1, team_.count, team_.index);
    int64_t last = -1;
    for (int64_t at = mine.begin; at < mine.end; at = (at / band_ + 1) * band_) {
      const Unit now = unit(at, mine.end);
      if (turns() && now.image * bands_ + now.band != last) look_ahead(now.image, now.band);
      last = now.image * bands_ + now.band;
      block_rows(now);
    }
  }

  Unit unit(int64_t at, int64_t end) {
    const int64_t number = at / band_, others = size_.n * bands_ * chunks_;
    const int64_t block = turns() ? number % blocks_ : number / others;
    const int64_t rest = turns() ? number / blocks_ : number % others;
    const int64_t part = rest / chunks_, band = part % bands_, per_plane = ceil_div(axis(1, 0).count, band_);
    const int64_t first = band % per_plane * band_, stop = min(axis(1, 0).count, first + band_), jy = first + at % band_;
    return {block, part / bands_, band, rest % chunks_ * chunk_, band / per_plane, jy, min(stop - jy, end - at)};
  }

  // Asks for the source of the next band while this one is computed, and for the memory of its results.
  void look_ahead(int64_t image, int64_t at) {
    tiles_.ahead = tiles_.written = {};
    const bool flat = size_.axis[0].in == 1 && size_.axis[0].out == 1 && from_.channel == 1;
    if (!flat || from_.x != size_.g * reduced_ || from_.y != from_.x * axis(2, 0).source) return;
    const bool other = at + 1 == bands_;
    if (other) ++image, at = -1;
    if (image >= size_.n) return;
    const GatherAxis& ay = axis(1, 0);
    const auto end = [&](int64_t b) {
      return max<int64_t>(0, min(ay.source, low_[1] + range_[1] + ((b + 1) * band_ - 1) * ay.move));
    };
    const Source* from = static_cast<const Source*>(args_.tensors[source_slot]) + image * from_.outer;
    const Result* to = static_cast<const Result*>(args_.tensors[result_slot]) + image * to_.outer;
    const int64_t size = forward ? size_.axis[1].out : size_.axis[1].in, step = band_ * residues(1);
    const int64_t steps = blocks_ * (pair_ ? ceil_div(band_, 2) : band_) * row_steps_;
    tiles_.ahead = Ahead(from + (other ? 0 : end(at)) * from_.y, from + end(at + 1) * from_.y, steps);
    tiles_.written = Ahead(to + (at + 1) * step * to_.y, to + min(size, (at + 2) * step) * to_.y, steps);
  }

  void block_rows(const Unit& u) {
    image_ = u.image, x0_ = tiles_.x0 = u.x0;
    group_ = merged ? u.block * merge_.merged : u.block / blocks_per_group_;
    channel_ = merged ? 0 : u.block % blocks_per_group_ * columns;
    if (turns()) block_weights_ = weights_ + u.block * panel_;
    else if (packed_ != u.block) pack_block(packed_ = u.block, own_panel_);
    const int64_t groups = min<int64_t>(merge_.merged, size_.g - group_);
    tiles_.cols = int(merged ? groups * merge_.out : min<int64_t>(columns, results_ - channel_));
    const Source* source = static_cast<const Source*>(args_.tensors[source_slot]);
    strip_.begin({source + image_ * from_.outer + group_ * from_.group, from_.along(merged && reduced_ == 1), from_.x,
                  from_.y, from_.z, int(merged ? groups * merge_.in : reduced_)}, low_[2] + x0_ * axis(2, 0).move,
                 kept_ > 0 ? image_ : Strip<how, Source>::none);
    for (int64_t j = 0; j < u.rows;) {
      const int count = pair_ && j + 1 < u.rows ? 2 : 1;
      every_residue(u.jz, u.jy + j, count);
      j += count;
    }
  }

  void every_residue(int64_t jz, int64_t jy, int count) {
    for (int64_t z = 0; z < residues(0); ++z)
      for (int64_t y = 0; y < residues(1); ++y)
        for (int64_t x = 0; x < residues(2); ++x) {
          const GatherAxis &az = axis(0, z), &ay = axis(1, y), &ax = axis(2, x);
          if (jz >= az.count || jy >= ay.count || x0_ >= ax.count) continue;
          const int rows = int(min<int64_t>(count, ay.count - jy));
          tiles_.ax = &ax;
          stage_rows(az, ay, ax, jz, jy, rows);
          const int64_t place[3] = {az.first + jz * az.step, ay.first + jy * ay.step, ax.first + x0_ * ax.step};
          compute_rows(place, ay.step, min(chunk_, ax.count - x0_), rows);
        }
  }

  // The source rows that `count` (one or two) rows of results meet. Where only one of a pair has a row, it is zeros to
  // the other.
  void stage_rows(const GatherAxis& az, const GatherAxis& ay, const GatherAxis& ax, int64_t jz, int64_t jy, int count) {
    auto& rows = tiles_.rows;
    rows.count = 0;
    if (ax.taps == 0) return;
    for (int64_t iz = 0; iz < az.taps; ++iz) {
      const int64_t z = az.start + iz * az.start_step + jz * az.move;
      const int64_t plane = (az.tap + iz * az.tap_step) * size_.axis[1].filter + ay.tap;
      for (int64_t iy = 0; iy < ay.taps; ++iy) {
        const int64_t y = ay.start + iy * ay.start_step + jy * ay.move;
        const float* one = strip_.row(z, y);
        const float* two = count == 2 ? strip_.row(z, y + ay.move) : nullptr;
        if (!one && !two) continue;
        rows.data[0][rows.count] = one ? one : zeros_;
        rows.data[1][rows.count] = two ? two : zeros_;
        const int64_t tap = (plane + iy * ay.tap_step) * size_.axis[2].filter + ax.tap;
        rows.weights[rows.count++] = block_weights_ + tap * reduced_ * columns;
      }
    }
  }

  void compute_rows(const int64_t (&place)[3], int64_t step_y, int64_t count, int rows) {
    const auto row = [&](int64_t y) {
      const int64_t at[3] = {place[0], place[1] + y, place[2]};
      point<Result>(slot_out, to_, args_.tensors[result_slot], at);
      point_d<0>(typename Config::D{}, at);
      return Epilogue<Config>(row_.args, 0);
    };
    if (rows == 2) {
      const Epilogue<Config> epilogue[2] = {row(0), row(step_y)};
      run<max(1, Config::mr / 2), 2>(epilogue, count);
    } else {
      const Epilogue<Config> epilogue[1] = {row(0)};
      run<Config::mr, 1>(epilogue, count);
    }
  }
  template <int T, int U>
  void run(const Epilogue<Config>* epilogue, int64_t count) {
    const int64_t move = tiles_.ax->move;
    if (move == 1) tiles_.template run<T, U, 1>(epilogue, 0, count);
    if constexpr (forward) {  // backward data steps from pixel to pixel of the output
      if (move == 2) tiles_.template run<T, U, 2>(epilogue, 0, count);
      if constexpr (U == 1) {
        if (move > 2) tiles_.template run<T, U, 0>(epilogue, 0, count);
      }
    }
  }

  template <class T>
  void point(int to, const ConvStrides& s, void* tensor, const int64_t (&p)[3]) {
    T* base = static_cast<T*>(tensor) + image_ * s.outer + group_ * s.group + channel_ * s.channel;
    row_.set(to, base + p[0] * s.z + p[1] * s.y + p[2] * s.x, s.x * tiles_.ax->step, s.along(merged && results_ == 1));
  }
  template <int I>
  void point_d(List<>, const int64_t (&)[3]) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, const int64_t (&p)[3]) {
    point<T>(slot_d + I, ConvStrides(args_, slot_conv_d + I), args_.tensors[slot_conv_d + I], p);
    point_d<I + 1>(List<Rest...>{}, p);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const ConvStrides from_, to_;
  const int64_t reduced_, results_;  // channels of one group that are summed over, and that are computed
  const Merge merge_;
  RowArgs row_;
  GatherAxis axes_[3][kept_axes], further_[3];
  int64_t low_[3], range_[3];  // source positions that the residues of one result position reach
  int64_t blocks_per_group_, blocks_, panel_, slots_, width_, row_floats_, chunk_, chunks_, band_, bands_, row_steps_;
  int64_t shared_ = 0, kept_ = 0;  // rows of results whose strip all blocks share; images whose strips are kept
  int64_t image_ = 0, group_ = 0, channel_ = 0, x0_ = 0, packed_ = -1;
  bool pair_, one_group_, near_;  // near: all weights stay in L2
  float* weights_;
  float* own_panel_ = nullptr;
  const float* block_weights_ = nullptr;
  float* zeros_ = nullptr;
  Strip<how, Source> strip_;
  Tiles tiles_;
};

}  // namespace tw
