// The register tiles of forward and backward data: a few pixels of one or two rows of results, one block of channels.
#pragma once
#include "tw/conv/strip.hpp"
#include "tw/gemm/epilogue.hpp"
#include "tw/transpose.hpp"

namespace tw {

// Products of four channels at a time, on CPUs that multiply by a lane of a register: tw/arm/gather.hpp.
template <int Columns, bool Merged>
struct QuadProducts {
  template <int Pixels>
  static constexpr bool fits = false;
  template <int Pixels, int FX>
  static constexpr bool fits_window = false;
};

template <class Config>
struct GatherTiles {
  static constexpr bool merged = Config::pipeline == ConvPipeline::lanes;
  static constexpr int columns = merged ? lanes : Config::nr, nv = columns / lanes, max_rows = 128;

  using Quads = QuadProducts<columns, merged>;

  // The staged source rows that meet one or two rows of results, and the weights of their first taps.
  struct Rows {
    int count = 0;
    const float* data[2][max_rows];
    const float* weights[max_rows];
  };
  const GatherAxis* ax = nullptr;
  const Merge* merge = nullptr;
  int64_t reduced = 0, width = 0, low_x = 0;  // channels that are summed over; pixels of a staged row, the first one
  int64_t x0 = 0;                             // the first result of the row at hand
  int cols = 0;                               // columns of this block that exist
  Rows rows;
  Ahead ahead, written;  // what the next band reads and writes

  // How often fetch() is called for a row of taps.
  static int64_t steps(int64_t taps, int64_t channels) {
    const int64_t each = Quads::template fits_window<1, 1> ? ceil_div(channels, lanes) : channels;
    return nv == 1 ? ceil_div(taps, 3) * each : taps;
  }
  TW_INLINE void fetch() {
    ahead.template step<false>();
    written.template step<true>();
  }

  // Full tiles of T pixels of U rows, then tiles of half the size for what is left.
  template <int T, int U, int Move>
  void run(const Epilogue<Config>* epilogue, int64_t at, int64_t count) {
    for (; at + T <= count; at += T) tile<T, U, Move>(epilogue, at);
    if constexpr (T > 1) {
      if (at < count) run<T / 2, U, Move>(epilogue, at, count);
    }
  }

  template <int T, int U, int Move>
  TW_NOINLINE void tile(const Epilogue<Config>* epilogue, int64_t at) {
    vf acc[U][T][nv];
    TW_UNROLL
    for (int u = 0; u < U; ++u) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        TW_UNROLL
        for (int c = 0; c < nv; ++c) acc[u][t][c] = vf{};
      }
    }
    const int64_t first = ax->start - low_x + at * ax->move, tap = ax->tap_step * reduced * columns;
    const bool dense = nv == 1 && Move > 0 && (ax->start_step == 1 || ax->start_step == -1);
    for (int i = 0; i < rows.count; ++i) {
      const float* w = rows.weights[i];
      const float* pixel[U];
      TW_UNROLL
      for (int u = 0; u < U; ++u) pixel[u] = rows.data[u][i] + first * lanes;
      int64_t k = 0;
      if constexpr (nv == 1 && Move > 0) {  // neighbouring taps share what they read
        for (; dense && k + 3 <= ax->taps; k += 3) window<T, U, Move, 3>(acc, pixel, k, w + k * tap, tap);
        if constexpr (Config::direction == Direction::backward_data) {  // with stride 2
          for (; dense && k + 2 <= ax->taps; k += 2) window<T, U, Move, 2>(acc, pixel, k, w + k * tap, tap);
        }
      }
      for (; k < ax->taps; ++k) {
        if constexpr (Quads::template fits<U * T>) {
          if (is_outside(at, T, k)) continue;
        }
        window<T, U, Move, 1>(acc, pixel, k, w + k * tap, tap);
      }
    }
    TW_UNROLL
    for (int u = 0; u < U; ++u) put<T>(acc[u], epilogue[u], at);
  }

  // Whether tap k brings nothing but padding to `count` pixels from `at` on.
  TW_INLINE bool is_outside(int64_t at, int count, int64_t k) const {
    const int64_t x = ax->start + (x0 + at) * ax->move + k * ax->start_step;
    return x + (count - 1) * ax->move < 0 || x >= ax->source;
  }

  // Adds taps k .. k + FX - 1, whose weights are `tap` floats apart. Pixels of the source are read in ascending order.
  template <int T, int U, int Move, int FX>
  TW_INLINE void window(vf (&acc)[U][T][nv], const float* const (&row)[U], int64_t k, const float* w, int64_t tap) {
    if (nv > 1) fetch();
    const bool back = FX > 1 && ax->start_step < 0;
    const float* p[U];
    TW_UNROLL
    for (int u = 0; u < U; ++u) p[u] = row[u] + (back ? k + FX - 1 : k) * ax->start_step * lanes;
    if (back) w += (FX - 1) * tap, tap = -tap;
    const int64_t step = (Move ? Move : ax->move) * lanes, chunk_floats = width * lanes;
    if constexpr (FX == 1 && Quads::template fits<U * T>) {
      Quads::add(acc, p, w, reduced, step, chunk_floats);
      return;
    }
    int64_t q = 0;
    if constexpr (Move > 0 && Quads::template fits_window<U * T, FX>) {
      for (; q + lanes <= reduced; q += lanes, w += lanes * columns) {
        fetch();
        Quads::template add_window<Move, FX>(acc, p, w, tap);
        TW_UNROLL
        for (int u = 0; u < U; ++u) p[u] += chunk_floats;
      }
    }
    for (; q < reduced; q += lanes) {
      const int n = int(min<int64_t>(lanes, reduced - q));
      for (int r = 0; r < n; ++r, w += columns) {
        if (nv == 1) fetch();
        vf weight[FX][nv];
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          TW_UNROLL
          for (int c = 0; c < nv; ++c) weight[f][c] = load_bits<vf>(w + f * tap + c * lanes);
        }
        TW_UNROLL
        for (int u = 0; u < U; ++u) {
          const float* at = p[u] + r * (merged ? Config::merge : 1);
          if constexpr (Move > 0) {
            TW_UNROLL
            for (int s = 0; s < (T - 1) * Move + FX; ++s) spread<T, Move, FX>(acc[u], weight, at + s * lanes, s);
          } else {
            TW_UNROLL
            for (int t = 0; t < T; ++t) spread<T, 1, 1>(acc[u], weight, at + t * step, t);
          }
        }
      }
      TW_UNROLL
      for (int u = 0; u < U; ++u) p[u] += chunk_floats;
    }
  }

  // One value of source pixel s, for every tap that brings it to a pixel of the tile.
  template <int T, int Move, int FX>
  TW_INLINE void spread(vf (&acc)[T][nv], const vf (&weight)[FX][nv], const float* at, int s) const {
    const vf x = merged || FX > 1 ? repeat<merged ? Config::merge : 1>(at) : splat<vf>(*at);
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      if (s < f || (s - f) % Move != 0 || (s - f) / Move >= T) continue;
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[(s - f) / Move][c] = acc[(s - f) / Move][c] + x * weight[f][c];
    }
  }

  template <int T>
  TW_INLINE void put(vf (&acc)[T][nv], const Epilogue<Config>& epilogue, int64_t at) const {
    if constexpr (merged) {  // from interleaved groups to the order of the channels
      const vi restore = load_bits<vi>(merge->restore);
      TW_UNROLL
      for (int t = 0; t < T; ++t) acc[t][0] = permute(acc[t][0], restore);
    }
    if (epilogue.is_copy() && cols == columns) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        auto* p = reinterpret_cast<float*>(epilogue.address(at + t, 0));
        TW_UNROLL
        for (int c = 0; c < nv; ++c) store_bits(p + c * lanes, acc[t][c]);
      }
      return;
    }
#if defined(TW_NEON)
    if (epilogue.row_stride() == 1) return put_columns(acc, epilogue, at);
#endif
    alignas(64) float buffer[T * columns];
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) store_bits(buffer + t * columns + c * lanes, acc[t][c]);
    }
    epilogue.tile(buffer, columns, at, 0, T, cols);
  }

  // The pixels of a channel lie side by side: squares of channels and pixels.
  template <int T>
  TW_INLINE void put_columns(const vf (&acc)[T][nv], const Epilogue<Config>& epilogue, int64_t at) const {
    const Epilogue<Config> local(epilogue);  // in registers: stores to the result could change it otherwise
    TW_UNROLL
    for (int t = 0; t < T; t += lanes) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) {
        vu square[lanes];
        TW_UNROLL
        for (int i = 0; i < lanes; ++i) square[i] = t + i < T ? bit_cast<vu>(acc[min(t + i, T - 1)][c]) : vu{};
        transpose(square);
        TW_UNROLL
        for (int i = 0; i < lanes; ++i) {
          if (c * lanes + i < cols) local.finish(bit_cast<vf>(square[i]), at + t, c * lanes + i, min(lanes, T - t), true);
        }
      }
    }
  }
};

}  // namespace tw
