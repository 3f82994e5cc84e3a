// The register tiles of backward weight: which sums are kept in registers while the pixels of a band go by.
#pragma once
#include "tw/conv/strip.hpp"

#define TW_LAMBDA __attribute__((always_inline))

namespace tw {

// Products of four input channels at a time, on CPUs that multiply by a lane of a register: tw/arm/weight.hpp.
template <bool Merged>
struct QuadSums {
  static constexpr bool fits = false;
};

template <class Config>
struct WeightTiles {
  static constexpr bool merged = Config::pipeline == ConvPipeline::lanes;
  static constexpr int columns = merged ? lanes : Config::nr, nv = columns / lanes, group = merged ? Config::merge : 1;
  static constexpr bool few = vector_registers < 32;
  using Quads = QuadSums<merged>;
  using Input = typename Config::Input;
  using Output = typename Config::Output;

  // Rows of staged input and of staged gradients that belong together.
  struct Band {
    static constexpr int limit = 64;
    const float* grad;
    int64_t width, pixels, stride, dilation, taps, channels;
    Ahead *input, *output;  // what the next band reads
    int count;
    const float* in[limit];
    const float* out[limit];
    TW_INLINE void add(const float* x, const float* g) { in[count] = x, out[count++] = g; }
  };

  // Adds to sum[tap along x][channel][columns].
  static void accumulate(float* sum, const Band& b) {
    if constexpr (nv == 1) {
      if (b.stride == 1) windows<1>(sum, b);
      else if (b.stride == 2) windows<2>(sum, b);
      else windows<0>(sum, b);
    } else {
      for (int64_t k = 0; k < b.taps; ++k)
        for (int64_t c = 0; c < b.channels; c += lanes) chunk(sum, b, k, c);
    }
  }

  // ---- one register of columns: sums of FX taps x R channels. Move is the stride, 0 for any ----------------------
  template <int Move>
  static void windows(float* sum, const Band& b) {
    int64_t k = 0;
    if constexpr (Move > 0) {
      for (; b.dilation == 1 && k + 3 <= b.taps; k += 3) channels<3, 4, Move>(sum, b, k, 0);
    }
    // The channels of a step lie in one register of the strip.
    for (; k < b.taps; ++k) channels<1, min(lanes, few ? 8 : 16), Move>(sum, b, k, 0);
  }
  template <int FX, int R, int Move>
  static void channels(float* sum, const Band& b, int64_t k, int64_t c) {
    for (; c + R <= b.channels; c += R) window<FX, R, Move>(sum, b, k, c);
    if constexpr (R > 1) {
      if (c < b.channels) channels<FX, (R > 4 ? 4 : 1), Move>(sum, b, k, c);
    }
  }
  template <int FX, int R, int Move>
  static TW_NOINLINE void window(float* sum, const Band& b, int64_t k, int64_t c) {
    vf acc[FX][R];
    float* at = sum + (k * b.channels + c) * lanes;
    const int64_t tap = b.channels * lanes;
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      TW_UNROLL
      for (int r = 0; r < R; ++r) acc[f][r] = load_bits<vf>(at + f * tap + r * lanes);
    }
    const int64_t offset = merged ? c * group : c / lanes * b.width * lanes + c % lanes;
    for (int i = 0; i < b.count; ++i) {
      const float* x = b.in[i] + offset + k * b.dilation * lanes;
      const float* g = b.out[i];
      int64_t p = 0;
      if constexpr (Move > 0) {  // a value of the input meets several taps
        constexpr int T = few ? 2 : 4;
        for (; p + T <= b.pixels; p += T) {
          b.input->template step<false>();
          b.output->template step<false>();
          pixels<T, FX, R, Move>(acc, x + p * Move * lanes, g + p * lanes);
        }
        if constexpr (FX > 1 && R > 1 && !few) {
          for (; p + 3 <= b.pixels; p += 3) pixels<3, FX, R, Move>(acc, x + p * Move * lanes, g + p * lanes);
        }
      }
      for (; p < b.pixels; ++p) pixels<1, FX, R, 1>(acc, x + p * b.stride * lanes, g + p * lanes);
    }
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      TW_UNROLL
      for (int r = 0; r < R; ++r) store_bits(at + f * tap + r * lanes, acc[f][r]);
    }
  }
  template <int T, int FX, int R, int Move>
  static TW_INLINE void pixels(vf (&acc)[FX][R], const float* x, const float* g) {
    vf grad[T];
    TW_UNROLL
    for (int t = 0; t < T; ++t) grad[t] = load_bits<vf>(g + t * lanes);
    if constexpr (Quads::fits && R == lanes) return Quads::template add_taps<Move>(acc, grad, x);
    TW_UNROLL
    for (int s = 0; s < (T - 1) * Move + FX; ++s) {
      TW_UNROLL
      for (int r = 0; r < R; ++r) {
        const vf v = repeat<group>(x + s * lanes + r * group);
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          if (s < f || (s - f) % Move != 0 || (s - f) / Move >= T) continue;
          acc[f][r] = acc[f][r] + grad[(s - f) / Move] * v;
        }
      }
    }
  }

  // ---- several registers of columns: sums of up to mr input channels x columns ------------------------------------
  static void chunk(float* sum, const Band& b, int64_t k, int64_t c) {
    const int64_t end = min<int64_t>(b.channels, c + lanes);
    if constexpr (Quads::fits) {  // three channels in one pass: the fourth lane of a strip is there
      if (end - c == 3) return tile<3>(sum, b, k, c, c);
    }
    part<Config::mr>(sum, b, k, c, c, end);
  }
  template <int T>
  static void part(float* sum, const Band& b, int64_t k, int64_t chunk_start, int64_t c, int64_t end) {
    for (; c + T <= end; c += T) tile<T>(sum, b, k, chunk_start, c);
    if constexpr (T > 1) {
      if (c < end) part<T / 2>(sum, b, k, chunk_start, c, end);
    }
  }
  template <int T>
  static TW_NOINLINE void tile(float* sum, const Band& b, int64_t k, int64_t chunk_start, int64_t c) {
    vf acc[T][nv];
    float* at = sum + (k * b.channels + c) * columns;
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < nv; ++v) acc[t][v] = load_bits<vf>(at + t * columns + v * lanes);
    }
    const int64_t offset = chunk_start / lanes * b.width * lanes + k * b.dilation * lanes + c - chunk_start;
    for (int i = 0; i < b.count; ++i) {
      const float* x = b.in[i] + offset;
      const float* g = b.out[i];
      for (int64_t p = 0; p < b.pixels; ++p, x += b.stride * lanes, g += columns) {
        vf grad[nv];
        TW_UNROLL
        for (int v = 0; v < nv; ++v) grad[v] = load_bits<vf>(g + v * lanes);
        if constexpr (Quads::fits && T > 2) {
          Quads::add_pixel(acc, grad, x);
          continue;
        }
        TW_UNROLL
        for (int t = 0; t < T; ++t) {
          const vf in = splat<vf>(x[t]);
          TW_UNROLL
          for (int v = 0; v < nv; ++v) acc[t][v] = acc[t][v] + in * grad[v];
        }
      }
    }
    TW_UNROLL
    for (int t = 0; t < T; ++t) {
      TW_UNROLL
      for (int v = 0; v < nv; ++v) store_bits(at + t * columns + v * lanes, acc[t][v]);
    }
  }

  // ---- depthwise, in place: sums of FX taps x V registers of channels ---------------------------------------------------
  static void depthwise_band(float* sum, const Input* in, const ConvStrides& is, const Output* out,
                             const ConvStrides& os, const ConvSizes& size, int64_t z, int64_t y, int64_t count,
                             int channels) {
    const Axis &az = size.axis[0], &ay = size.axis[1];
    for (int64_t fz = 0; fz < az.filter; ++fz) {
      const int64_t iz = z * az.stride + fz * az.dilation - az.pad;
      for (int64_t fy = 0; fy < ay.filter; ++fy, sum += size.axis[2].filter * columns) {
        if (iz < 0 || iz >= az.in) continue;
        Plain b{in + iz * is.z, out, is.x, os.x, is.y * ay.stride, os.y, 0, size.axis[2]};
        int64_t first = 0, last = count;  // rows whose input row exists
        const int64_t top = y * ay.stride + fy * ay.dilation - ay.pad;
        while (first < last && top + first * ay.stride < 0) ++first;
        while (last > first && top + (last - 1) * ay.stride >= ay.in) --last;
        b.rows = last - first;
        b.in += (top + first * ay.stride) * is.y;
        b.out += first * os.y;
        if (b.rows > 0) depthwise_row(sum, b, channels);
      }
    }
  }
  struct Plain {
    const Input* in;
    const Output* out;
    int64_t in_pixel, out_pixel, in_row, out_row, rows;
    Axis x;
  };
  static void depthwise_row(float* sum, const Plain& b, int channels) {
    int64_t k = 0;
    if (b.x.dilation == 1) {
      for (; k + 7 <= b.x.filter; k += 7) depthwise_taps<7, 1>(sum, b, k, channels);
      for (; k + 5 <= b.x.filter; k += 5) depthwise_taps<5, 2>(sum, b, k, channels);
      for (; k + 3 <= b.x.filter; k += 3) depthwise_taps<3, 2>(sum, b, k, channels);
    }
    for (; k < b.x.filter; ++k) depthwise_taps<1, 4>(sum, b, k, channels);
  }
  template <int FX, int V>
  static void depthwise_taps(float* sum, const Plain& b, int64_t k, int channels) {
    int c = 0;
    for (; c + V * lanes <= channels; c += V * lanes) depthwise_tile<FX, V, false>(sum, b, k, c, lanes);
    for (; c + lanes <= channels; c += lanes) depthwise_tile<FX, 1, false>(sum, b, k, c, lanes);
    if (c < channels) depthwise_tile<FX, 1, true>(sum, b, k, c, channels - c);
  }
  template <int FX, int V, bool Partial>
  static TW_NOINLINE void depthwise_tile(float* sum, const Plain& b, int64_t k, int c, int n) {
    vf acc[FX][V];
    float* at = sum + k * columns + c;
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) acc[f][v] = load_bits<vf>(at + f * columns + v * lanes);
    }
    const int64_t low = k * b.x.dilation - b.x.pad;  // input position of tap k at pixel 0
    const int64_t inside = min(b.x.out, low < 0 ? ceil_div(-low, b.x.stride) : 0), reach = low + (FX - 1);
    const int64_t room = b.x.in - 1 - reach < 0 ? 0 : (b.x.in - 1 - reach) / b.x.stride + 1;
    const int64_t outside = max(inside, min(room, b.x.out));
    for (int64_t r = 0; r < b.rows; ++r) {
      const Input* in = b.in + r * b.in_row + c;
      const Output* out = b.out + r * b.out_row + c;
      const auto pixel = [&](int64_t p, bool safe) TW_LAMBDA {
        vf grad[V];
        TW_UNROLL
        for (int v = 0; v < V; ++v) grad[v] = read<Partial>(out + p * b.out_pixel + v * lanes, n);
        const int64_t x = p * b.x.stride + low;
        const Input* from = in + x * b.in_pixel;
        TW_UNROLL
        for (int f = 0; f < FX; ++f) {
          if (!safe && (x + f < 0 || x + f >= b.x.in)) continue;
          TW_UNROLL
          for (int v = 0; v < V; ++v) {
            acc[f][v] = acc[f][v] + grad[v] * read<Partial>(from + f * b.in_pixel + v * lanes, n);
          }
        }
      };
      for (int64_t p = 0; p < inside; ++p) pixel(p, false);
      int64_t p = inside;
      if (FX > 1 && b.x.stride == 1) p = window<FX, V, 1, Partial>(acc, in + low * b.in_pixel, out, b, p, outside, n);
      if (FX > 1 && b.x.stride == 2) p = window<FX, V, 2, Partial>(acc, in + low * b.in_pixel, out, b, p, outside, n);
      for (; p < outside; ++p) pixel(p, true);
      for (int64_t p = outside; p < b.x.out; ++p) pixel(p, false);
    }
    TW_UNROLL
    for (int f = 0; f < FX; ++f) {
      TW_UNROLL
      for (int v = 0; v < V; ++v) store_bits(at + f * columns + v * lanes, acc[f][v]);
    }
  }
  // Eight pixels at a time: their gradients stay in registers, and each input pixel is read once for all of its taps.
  template <int FX, int V, int Move, bool Partial>
  static TW_INLINE int64_t window(vf (&acc)[FX][V], const Input* in, const Output* out, const Plain& b, int64_t p,
                                  int64_t end, int n) {
    constexpr int T = 8, reach = (T - 1) * Move + FX;
    for (; p + T <= end; p += T) {
      vf grad[T][V];
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        TW_UNROLL
        for (int v = 0; v < V; ++v) grad[t][v] = read<Partial>(out + (p + t) * b.out_pixel + v * lanes, n);
      }
      const Input* from = in + p * Move * b.in_pixel;
      TW_UNROLL
      for (int s = 0; s < reach; ++s) {
        TW_UNROLL
        for (int v = 0; v < V; ++v) {
          const vf x = read<Partial>(from + s * b.in_pixel + v * lanes, n);
          TW_UNROLL
          for (int f = 0; f < FX; ++f) {
            if (s >= f && (s - f) % Move == 0 && (s - f) / Move < T) acc[f][v] += grad[(s - f) / Move][v] * x;
          }
        }
      }
    }
    return p;
  }
  template <bool Partial, class T>
  static TW_INLINE vf read(const T* p, int n) {
    if constexpr (Partial) return load_partial(p, n);
    else return load(p);
  }
};

}  // namespace tw
