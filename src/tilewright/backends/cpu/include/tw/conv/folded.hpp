// Forward and backward data: a row of taps and its channels are summed as one run of floats.
//
// Weights are copied into [residue][filter row][run][columns] per block of columns. If all of them stay in L2, that is
// done once, and the blocks take turns on a band of result rows. Otherwise a block keeps its weights for all images, and
// where even those are too many, as much as fits of the channels at a time, with the sums kept in a buffer meanwhile.
// Taps that are further apart than one pixel are runs of their own; a tile leaves out those that it meets only in the
// padding.
#pragma once
#include "tw/conv/folded_strip.hpp"
#include "tw/conv/folded_tiles.hpp"
#include "tw/conv/run.hpp"
#include "tw/gemm/epilogue.hpp"
#include "tw/transpose.hpp"

namespace tw {

template <class Config>
class Folded {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr int columns = Config::nr, nv = columns / lanes, max_rows = 128;
  static constexpr int source_slot = forward ? slot_input : slot_output;
  static constexpr int result_slot = forward ? slot_output : slot_input;
  static constexpr int64_t strip_bytes = Config::strip_kb * 1024, most_rows = 14, units_per_thread = 4;
  static constexpr int64_t kept_weights = 640 * 1024, own_weights = 256 * 1024, pack_pixels = 32;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Weight = typename Config::Weight;
  using Result = typename Config::Out;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<Folded>::bytes(args); }

  static int run(tw_args* args) {
    const ConvSizes size(*args);
    const int64_t rows = size.axis[0].filter * size.axis[1].filter;
    if (rows > max_rows) {
      return fail(args, "the filter has % rows but this pipeline takes %: use the implicit pipeline", rows, max_rows);
    }
    return InArena<Folded>::run(args);
  }

 private:
  friend InArena<Folded>;
  Folded(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), from_(args, source_slot), to_(args, result_slot),
        reduced_(forward ? size_.c : size_.k), results_(forward ? size_.k : size_.c), row_(args, Config::D::size) {
    const int threads = max(1, Launch(args).threads);
    per_group_ = ceil_div(results_, columns), blocks_ = size_.g * per_group_;
    const int64_t channel = size_.taps() * columns * int64_t(sizeof(float));
    turns_ = blocks_ * reduced_ * channel <= kept_weights;
    chunk_ = turns_ || reduced_ * channel <= own_weights ? reduced_ : max<int64_t>(1, own_weights / channel / lanes) * lanes;
    chunk_ = min(chunk_, reduced_);
    panel_ = size_.taps() * chunk_ * columns;
    shared_ = arena.take<float>(turns_ ? blocks_ * panel_ : 0);
    for (int i = 0; i < 3; ++i) reach(i);
    const GatherAxis x = axis(2, 0), y = axis(1, 0);
    int64_t end = low_[2] + (x.count - 1) * x.move + range_[2];
    if (gap_ > 1) {  // a tile meets no more of the padding
      const int64_t aside = (Config::mr - 1) * x.move;
      low_[2] = max(low_[2], -aside), end = min(end, x.source + aside);
    }
    const int64_t width = max<int64_t>(1, end - low_[2]), floats = FoldedStrip<Source>::row_floats(width, chunk_);
    plan_bands(floats, threads);
    for (int t = 0; t < threads; ++t) {
      float* rows = arena.take<float>(slots_z_ * slots_ * floats);
      int64_t* tags = arena.take<int64_t>(slots_z_ * slots_);
      float* panel = arena.take<float>(turns_ ? 0 : panel_);
      float* sums = arena.take<float>(chunk_ < reduced_ ? band_ * x.count * columns : 0);
      if (t != team.index) continue;
      own_ = panel, sums_ = sums;
      strip_ = {rows, tags, slots_z_, slots_, floats, {axis(0, 0).source, y.source, x.source, low_[2], width}};
    }
  }

  GatherAxis axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  // Source positions that the residues of one result position reach.
  void reach(int i) {
    const Reach all = reach_of(residues(i), [&](int64_t r) { return axis(i, r); });
    low_[i] = all.low, range_[i] = all.range;
    for (int64_t r = 0; r < residues(i); ++r) {
      const GatherAxis a = axis(i, r);
      if (a.taps > 0) gap_ = max<int64_t>(1, a.start_step < 0 ? -a.start_step : a.start_step);
    }
  }

  // As many result rows as the strip holds, but enough units for all threads.
  void plan_bands(int64_t floats, int threads) {
    const GatherAxis y = axis(1, 0);
    slots_z_ = min(range_[0], axis(0, 0).source);
    const int64_t fits = strip_bytes * (chunk_ < reduced_ ? 2 : 1) / (slots_z_ * floats * int64_t(sizeof(float)));
    const int64_t units = size_.n * axis(0, 0).count * (turns_ ? size_.g : blocks_);
    const int64_t fair = threads == 1 ? y.count
                         : turns_     ? units * y.count / (threads * units_per_thread)
                                      : fair_rows(units, y.count, max<int64_t>(1, axis(2, 0).count), threads);
    const int64_t held = y.source <= fits ? y.count : (fits - range_[1]) / y.move + 1;
    band_ = max<int64_t>(1, min(min(turns_ ? most_rows : y.count, fair), min(y.count, held)));
    bands_ = ceil_div(y.count, band_);
    slots_ = min(y.source, (band_ - 1) * y.move + range_[1]);
  }

  // Rows of a band with which the busiest thread is done first, where each band packs its weights: as long as so many
  // pixels take.
  static int64_t fair_rows(int64_t units, int64_t rows, int64_t width, int threads) {
    int64_t best = rows;
    double least = 1e300;
    for (int64_t bands = 1; bands <= min<int64_t>(rows, 2 * threads); ++bands) {
      const int64_t each = ceil_div(rows, bands), turns = ceil_div(units * ceil_div(rows, each), threads);
      const double price = double(turns) * (double(each) + double(pack_pixels) / double(width));
      if (price < least) least = price, best = each;
    }
    return best;
  }

  // body(axes, taps of the residues before this one)
  template <class F>
  void each_residue(const F& body) const {
    int64_t taps = 0;
    for (int64_t z = 0; z < residues(0); ++z)
      for (int64_t y = 0; y < residues(1); ++y)
        for (int64_t x = 0; x < residues(2); ++x) {
          const GatherAxis a[3] = {axis(0, z), axis(1, y), axis(2, x)};
          body(a, taps);
          taps += a[0].taps * a[1].taps * a[2].taps;
        }
  }

  int work() {
    if (turns_) {
      const Range mine = partition(blocks_, 1, team_.count, team_.index);
      for (int64_t b = mine.begin; b < mine.end; ++b) pack_block(b, {0, reduced_}, shared_ + b * panel_);
    }
    team_.barrier();
    const int64_t depth = axis(0, 0).count, places = size_.n * depth * bands_, outer = turns_ ? size_.g : blocks_;
    const Range units = partition(places * outer, 1, team_.count, team_.index);
    for (int64_t u = units.begin; u < units.end; ++u) {
      const int64_t which = turns_ ? u % outer : u / places, place = turns_ ? u / outer : u % places;
      const Place at{place / bands_ / depth, place / bands_ % depth, place % bands_ * band_};
      if (!turns_) block(at, which);
      for (int64_t b = 0; turns_ && b < per_group_; ++b) block(at, which * per_group_ + b);
    }
    return 0;
  }

  struct Place {
    int64_t image, jz, jy;  // a band of result rows from row jy on
  };

  void block(const Place& at, int64_t b) {
    each_residue([&](const GatherAxis(&a)[3], int64_t taps) {
      if (at.jz >= a[0].count || a[2].count == 0) return;
      for (int64_t c = 0; c < reduced_; c += chunk_) {
        const Range channels{c, min(reduced_, c + chunk_)};
        if (chunk_ < reduced_) pack_block(b, channels, own_, taps);
        else if (!turns_ && packed_ != b) pack_block(packed_ = b, channels, own_);
        const float* panel = (turns_ ? shared_ + b * panel_ : own_) + taps * channels.size() * columns;
        band(a, at, b, channels, panel);
      }
    });
  }

  void band(const GatherAxis (&a)[3], const Place& at, int64_t b, const Range& channels, const float* panel) {
    const int64_t group = b / per_group_;
    const Source* source = static_cast<const Source*>(args_.tensors[source_slot]) + at.image * from_.outer;
    strip_.begin({source + group * from_.group + channels.begin * from_.channel, from_.channel, from_.x, from_.y, from_.z,
                  int(channels.size())});
    const int64_t end = min(at.jy + band_, a[1].count);
    for (int64_t y = at.jy; y < end; ++y) {
      float* sums = sums_ + (y - at.jy) * a[2].count * columns;
      result_row(a, panel, {at.image, at.jz, y}, b, channels, sums);
    }
  }

  // All residues, or only the one that comes after so many taps.
  void pack_block(int64_t b, const Range& channels, float* to, int64_t only = -1) const {
    const ConvStrides s(args_, slot_weight);
    const int64_t first = b % per_group_ * columns, count = channels.size(), cols = min<int64_t>(columns, results_ - first);
    const int64_t along_column = forward ? s.group : s.channel, along_reduced = forward ? s.channel : s.group;
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]) + b / per_group_ * s.outer +
                      first * along_column + channels.begin * along_reduced;
    each_residue([&](const GatherAxis(&a)[3], int64_t taps) {
      if (only >= 0 && taps != only) return;
      float* at = to + taps * count * columns;
      for (int64_t iz = 0; iz < a[0].taps; ++iz)
        for (int64_t iy = 0; iy < a[1].taps; ++iy)
          for (int64_t i = 0; i < a[2].taps; ++i, at += count * columns) {
            const int64_t ix = a[2].start_step < 0 ? a[2].taps - 1 - i : i;  // in the order of the source
            const Weight* from = w + (a[0].tap + iz * a[0].tap_step) * s.z + (a[1].tap + iy * a[1].tap_step) * s.y +
                                 (a[2].tap + ix * a[2].tap_step) * s.x;
            pack_tap(at, from, along_column, along_reduced, cols, count);
          }
    });
  }
  // `count` channels of one tap: [channel][columns], zero beyond `cols`.
  static void pack_tap(float* to, const Weight* from, int64_t along_column, int64_t along_reduced, int64_t cols,
                       int64_t count) {
    for (int64_t l = 0; l < columns; l += lanes)
      for (int64_t r = 0; r < count; r += lanes) {
        const int n = int(min<int64_t>(lanes, count - r)), m = int(max<int64_t>(0, min<int64_t>(lanes, cols - l)));
        const Weight* at = from + l * along_column + r * along_reduced;
        if (along_reduced == 1 && count >= lanes / 2) {
          pack_square(to + r * columns + l, at, along_column, m, n);
          continue;
        }
        for (int i = 0; i < n; ++i) {
          float* row = to + (r + i) * columns + l;
          const Weight* p = at + i * along_reduced;
          if (along_column == 1) store_bits(row, m == lanes ? load(p) : load_partial(p, m));
          else for (int j = 0; j < lanes; ++j) row[j] = j < m ? to_float(p[j * along_column]) : 0.0f;
        }
      }
  }
  static TW_INLINE void pack_square(float* to, const Weight* from, int64_t along_column, int cols, int channels) {
    vu square[lanes];
    TW_UNROLL
    for (int l = 0; l < lanes; ++l) {
      square[l] = bit_cast<vu>(l < cols ? load_partial(from + l * along_column, channels) : vf{});
    }
    transpose(square);
    TW_UNROLL
    for (int i = 0; i < lanes; ++i) {
      if (i < channels) store_bits(to + i * columns, square[i]);
    }
  }

  void result_row(const GatherAxis (&a)[3], const float* panel, const Place& at, int64_t b, const Range& channels,
                  float* sums) {
    const int64_t group = b / per_group_, channel = b % per_group_ * columns, count = channels.size();
    Row row{};
    for (int64_t iz = 0; iz < a[0].taps; ++iz)
      for (int64_t iy = 0; iy < a[1].taps; ++iy) {
        const float* x = strip_.row(a[0].start + iz * a[0].start_step + at.jz * a[0].move,
                                    a[1].start + iy * a[1].start_step + at.jy * a[1].move);
        if (!x || a[2].taps == 0) continue;
        row.data[row.count] = x;
        row.weights[row.count++] = panel + (iz * a[1].taps + iy) * a[2].taps * count * columns;
      }
    const bool apart = gap_ > 1;
    row.move = a[2].move, row.low = a[2].low(), row.first = low_[2], row.source = a[2].source, row.channels = count;
    row.runs = apart ? a[2].taps : 1, row.gap = gap_, row.length = (apart ? 1 : a[2].taps) * count;
    row.before = channels.begin > 0 ? sums : nullptr, row.after = channels.end < reduced_ ? sums : nullptr;
    row.cols = int(min<int64_t>(columns, results_ - channel));
    const int64_t place[6] = {at.image, group, channel, a[0].first + at.jz * a[0].step, a[1].first + at.jy * a[1].step,
                              a[2].first};
    point<Result>(slot_out, to_, args_.tensors[result_slot], place, a[2].step);
    point_d<0>(typename Config::D{}, place, a[2].step);
    const Epilogue<Config> epilogue(row_.args, 0);
    row.epilogue = &epilogue;
    in_tiles<Config::mr>(a[2].count, row);
  }

  // One row of results: the staged rows that it meets, with the weights of their taps.
  struct Row {
    int count, cols;
    int64_t move, low, first, source, channels, runs, gap, length;
    float *before, *after;  // sums of the channels that were summed already; where to leave them if there are more
    const Epilogue<Config>* epilogue;
    const float* data[max_rows];
    const float* weights[max_rows];

    template <int T>
    TW_NOINLINE void tile(int64_t at) const {
      vf acc[T][nv];
      clear_tile(acc);
      const int64_t step = move * channels;
      for (int64_t r = 0; r < runs; ++r) {
        const int64_t x = low + r * gap + at * move;  // where the first pixel of the tile meets this tap
        if (gap > 1 && (x + (T - 1) * move < 0 || x >= source)) continue;
        const int64_t from = (x - first) * channels, tap = r * length * columns;
        for (int i = 0; i < count; ++i) add_run(acc, data[i] + from, step, weights[i] + tap, length);
      }
      if (before) add_tile(acc, before + at * columns);
      if (after) store_tile(acc, after + at * columns);
      else put(acc, at);
    }
    template <int T>
    TW_INLINE void put(vf (&acc)[T][nv], int64_t at) const {
      if (epilogue->is_copy() && cols == columns) {
        TW_UNROLL
        for (int t = 0; t < T; ++t) {
          auto* p = reinterpret_cast<float*>(epilogue->address(at + t, 0));
          TW_UNROLL
          for (int v = 0; v < nv; ++v) store_bits(p + v * lanes, acc[t][v]);
        }
        return;
      }
      alignas(64) float buffer[T * columns];
      store_tile(acc, buffer);
      epilogue->tile(buffer, columns, at, 0, T, cols);
    }
  };

  template <class T>
  void point(int to, const ConvStrides& s, void* tensor, const int64_t (&p)[6], int64_t step) {
    T* base = static_cast<T*>(tensor) + p[0] * s.outer + p[1] * s.group + p[2] * s.channel;
    row_.set(to, base + p[3] * s.z + p[4] * s.y + p[5] * s.x, s.x * step, s.channel);
  }
  template <int I>
  void point_d(List<>, const int64_t (&)[6], int64_t) {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, const int64_t (&p)[6], int64_t step) {
    point<T>(slot_d + I, ConvStrides(args_, slot_conv_d + I), args_.tensors[slot_conv_d + I], p, step);
    point_d<I + 1>(List<Rest...>{}, p, step);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const ConvStrides from_, to_;
  const int64_t reduced_, results_;  // channels of one group that are summed over, and that are computed
  RowArgs row_;
  int64_t low_[3], range_[3];
  int64_t per_group_, blocks_, chunk_, panel_, band_, bands_, slots_z_, slots_, gap_ = 1, packed_ = -1;
  bool turns_;
  float* shared_;
  float *own_ = nullptr, *sums_ = nullptr;
  FoldedStrip<Source> strip_;
};

}  // namespace tw
