// Forward and backward data of a depthwise convolution (one channel in, one out per group), channels-last, in place.
//
// A register holds `lanes` neighbouring channels; a tile is `mr` pixels x `nr` channels. Channels are the inner loop, so
// memory is read and written in long runs. Pixels whose taps all lie inside the image go in tiles; the others one by one.
#pragma once
#include "tw/conv_run.hpp"
#include "tw/epilogue.hpp"
#include "tw/parallel.hpp"

namespace tw {

template <class Config>
class Depthwise {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr int nv = Config::nr / lanes, max_rows = 128;
  static constexpr int source_slot = forward ? slot_input : slot_output, result_slot = forward ? slot_output : slot_input;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Weight = typename Config::Weight;

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
        weights_(static_cast<float*>(args.workspace)), source_(args, source_slot), row_(args, Config::D::size) {}

  GatherAxis axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  void work() {
    pack_weights();
    team_.barrier();
    rows_of_results();
    if (Config::stream) asm volatile("sfence" : : : "memory");  // streamed stores are seen before the team is done
  }

  void rows_of_results() {
    for (int64_t z = 0; z < residues(0); ++z)
      for (int64_t y = 0; y < residues(1); ++y) {
        az_ = axis(0, z), ay_ = axis(1, y);
        const int64_t rows = size_.n * az_.count * ay_.count;
        const Range mine = partition(rows, 1, team_.count, team_.index);
        for (int64_t row = mine.begin; row < mine.end; ++row) {
          for (int64_t x = 0; x < residues(2); ++x) {
            ax_ = axis(2, x);
            result_row(row / (az_.count * ay_.count), row / ay_.count % az_.count, row % ay_.count);
          }
        }
      }
  }

  void pack_weights() const {
    const ConvStrides s(args_, slot_weight);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]);
    const Range mine = partition(padded_, lanes, team_.count, team_.index);
    for (int64_t c = mine.begin; c < mine.end; ++c) {
      float* to = weights_ + c;
      for (int64_t z = 0; z < size_.axis[0].filter; ++z)
        for (int64_t y = 0; y < size_.axis[1].filter; ++y)
          for (int64_t x = 0; x < size_.axis[2].filter; ++x, to += padded_)
            *to = c < channels_ ? to_float(w[c * s.outer + z * s.z + y * s.y + x * s.x]) : 0.0f;
    }
  }

  void result_row(int64_t image, int64_t jz, int64_t jy) {
    const Source* data = static_cast<const Source*>(args_.tensors[source_slot]) + image * source_.outer;
    rows_ = 0;
    for (int64_t iz = 0; iz < az_.taps; ++iz)
      for (int64_t iy = 0; iy < ay_.taps; ++iy) {
        const int64_t z = az_.start + iz * az_.start_step + jz * az_.move;
        const int64_t y = ay_.start + iy * ay_.start_step + jy * ay_.move;
        if (z < 0 || z >= az_.source || y < 0 || y >= ay_.source) continue;
        const int64_t tap = ((az_.tap + iz * az_.tap_step) * size_.axis[1].filter + ay_.tap + iy * ay_.tap_step) *
                                size_.axis[2].filter + ax_.tap;
        data_[rows_] = data + z * source_.z + y * source_.y;
        tap_weights_[rows_++] = weights_ + tap * padded_;
      }
    if (ax_.taps == 0) rows_ = 0;
    const int64_t place[3] = {az_.first + jz * az_.step, ay_.first + jy * ay_.step, ax_.first};
    point<typename Config::Out>(slot_out, result_slot, image, place);
    point_d<0>(typename Config::D{}, image, place);
    const Epilogue<Config> epilogue(row_.args, 0);
    if (!window_row(epilogue)) pixels(epilogue);
  }

  // Filter widths with a register tile of their own; taps must lie side by side.
  bool window_row(const Epilogue<Config>& epilogue) const {
    if (rows_ == 0 || (ax_.taps > 1 && ax_.start_step != 1 && ax_.start_step != -1)) return false;
    if (ax_.move == 2) {
      switch (ax_.taps) {
        case 3: windows<3, 2>(epilogue); return true;
        case 5: windows<5, 2>(epilogue); return true;
        case 7: windows<7, 2>(epilogue); return true;
        default: return false;
      }
    }
    if (ax_.move != 1) return false;
    switch (ax_.taps) {
      case 1: windows<1, 1>(epilogue); return true;
      case 2: windows<2, 1>(epilogue); return true;
      case 3: windows<3, 1>(epilogue); return true;
      case 4: windows<4, 1>(epilogue); return true;
      case 5: windows<5, 1>(epilogue); return true;
      case 7: windows<7, 1>(epilogue); return true;
      default: return false;
    }
  }

  // Tiles of mr pixels along the row. A tile that reaches over the image's edge leaves out what lies outside, one that
  // reaches over the row's end computes more than it writes.
  template <int FX, int Move>
  void windows(const Epilogue<Config>& epilogue) const {
    constexpr int reach = (Config::mr - 1) * Move + FX;
    for (int64_t j = 0; j < ax_.count; j += Config::mr) {
      const int64_t x = ax_.low() + j * Move;
      const int begin = int(max<int64_t>(0, -x)), end = int(min<int64_t>(reach, ax_.source - x));
      window<FX, Move>(epilogue, j, x, begin, end, int(min<int64_t>(Config::mr, ax_.count - j)));
    }
  }

  // Each source pixel is read once and meets every tap of its row while it is in a register.
  template <int FX, int Move>
  TW_NOINLINE void window(const Epilogue<Config>& epilogue, int64_t j, int64_t x, int begin, int end, int count) const {
    const Epilogue<Config> local(epilogue);
    int64_t c = 0;
    for (; c + lanes <= channels_; c += lanes) window_channels<FX, Move, false>(local, j, x, begin, end, count, c);
    if (c < channels_) window_channels<FX, Move, true>(local, j, x, begin, end, count, c);
  }
  template <int FX, int Move, bool Partial>
  TW_INLINE void window_channels(const Epilogue<Config>& epilogue, int64_t j, int64_t x, int begin, int end, int count,
                                 int64_t c) const {
    constexpr int T = Config::mr, reach = (T - 1) * Move + FX;
    vf acc[T];
    TW_UNROLL
    for (int t = 0; t < T; ++t) acc[t] = vf{};
    const int n = Partial ? int(channels_ - c) : lanes;
    const int64_t step = ax_.tap_step * padded_, ascending = ax_.start_step < 0 ? -step : step;
    for (int i = 0; i < rows_; ++i) {
      const float* w = tap_weights_[i] + c + (ax_.start_step < 0 ? (FX - 1) * step : 0);
      const Source* p = data_[i] + x * source_.x + c;
      vf weight[FX];
      TW_UNROLL
      for (int f = 0; f < FX; ++f) weight[f] = load_bits<vf>(w + f * ascending);
      TW_UNROLL
      for (int s = 0; s < reach; ++s) {
        if (s < begin || s >= end) continue;
        const Source* at = p + s * source_.x;
        const vf v = Partial ? load_partial(at, n) : load(at);
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          if ((s - f) % Move == 0 && s - f >= 0 && (s - f) / Move < T) acc[(s - f) / Move] += weight[f] * v;
        }
      }
    }
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      if (t < count) write<Partial>(epilogue, acc[t], j + t, c, n);
    }
  }

  template <bool Partial>
  TW_INLINE void write(const Epilogue<Config>& epilogue, vf x, int64_t pixel, int64_t c, int n) const {
#if defined(TW_AVX512)
    if constexpr (Config::stream && !Partial) {
      auto* p = epilogue.address(pixel, c);
      if (epilogue.is_copy() && (reinterpret_cast<uintptr_t>(p) & 63) == 0) {
        asm volatile("vmovntps %1, %0" : "=m"(*reinterpret_cast<vf*>(p)) : "v"(x));
        return;
      }
    }
#endif
    epilogue.finish(x, pixel, c, n, false);
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
  void pixels(const Epilogue<Config>& epilogue) const {
    const int64_t low = ax_.low(), high = low + ax_.range() - 1;
    int64_t inside = low < 0 ? ceil_div(-low, ax_.move) : 0;
    int64_t outside = ax_.source - 1 - high < 0 ? 0 : (ax_.source - 1 - high) / ax_.move + 1;
    inside = min(inside, ax_.count);
    outside = max(inside, min(outside, ax_.count));
    for (int64_t j = 0; j < inside; ++j) edge(epilogue, j);
    tiles<Config::mr>(epilogue, inside, outside);
    for (int64_t j = outside; j < ax_.count; ++j) edge(epilogue, j);
  }

  void edge(const Epilogue<Config>& epilogue, int64_t j) const {
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
  void tiles(const Epilogue<Config>& epilogue, int64_t j, int64_t end) const {
    for (; j + T <= end; j += T) tile<T>(epilogue, j, 0, ax_.taps);
    if constexpr (T > 1) {
      if (j < end) tiles<T / 2>(epilogue, j, end);
    }
  }

  template <int T>
  TW_NOINLINE void tile(const Epilogue<Config>& epilogue, int64_t j, int64_t begin, int64_t end) const {
    constexpr int wide = T == 1 ? 4 : nv;  // a single pixel needs more independent sums
    const Epilogue<Config> local(epilogue);
    int64_t c = 0;
    for (; c + wide * lanes <= channels_; c += wide * lanes) channels<T, wide, false>(local, j, begin, end, c);
    for (; c + lanes <= channels_; c += lanes) channels<T, 1, false>(local, j, begin, end, c);
    if (c < channels_) channels<T, 1, true>(local, j, begin, end, c);
  }

  template <int T, int V, bool Partial>
  TW_INLINE void channels(const Epilogue<Config>& epilogue, int64_t j, int64_t begin, int64_t end, int64_t c) const {
    vf acc[T][V];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) acc[t][v] = vf{};
    }
    const int n = Partial ? int(channels_ - c) : lanes;
    const int64_t pixel = ax_.move * source_.x, tap = ax_.start_step * source_.x, weight_step = ax_.tap_step * padded_;
    const int64_t first = (ax_.start + begin * ax_.start_step + j * ax_.move) * source_.x + c;
    for (int i = 0; i < rows_; ++i) {
      const Source* p = data_[i] + first;
      const float* w = tap_weights_[i] + begin * weight_step + c;
      for (int64_t k = begin; k < end; ++k, p += tap, w += weight_step) {
        TW_UNROLL
        for (int v = 0; v < V; ++v) {
          const vf weight = load_bits<vf>(w + v * lanes);
          TW_UNROLL
          for (int t = 0; t < T; ++t) {
            const Source* at = p + t * pixel + v * lanes;
            acc[t][v] = acc[t][v] + weight * (Partial ? load_partial(at, n) : load(at));
          }
        }
      }
    }
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) epilogue.finish(acc[t][v], j + t, c + v * lanes, n, false);
    }
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const int64_t channels_, padded_;
  float* const weights_;  // [tap][padded channels]
  const ConvStrides source_;
  RowArgs row_;
  GatherAxis az_{}, ay_{}, ax_{};
  int rows_ = 0;
  const Source* data_[max_rows];
  const float* tap_weights_[max_rows];
};

}  // namespace tw
