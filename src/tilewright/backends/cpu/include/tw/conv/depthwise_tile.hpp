// The register tile of a depthwise convolution: up to `tall` result rows x `mr` pixels of one register of channels.
//
// A source row is read once for all the result rows that it meets, and each of its pixels meets all its taps while it
// is in a register. Channels are the loop around that: memory is read in long runs, which the hardware sees coming.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/gemm/epilogue.hpp"

namespace tw {

// A row of the source: its first pixel, and the taps that it meets in the first and the second result row.
template <class Source>
struct SourceRow {
  const Source* data;
  const float* weights[2];
};

// Result pixels [j, j + count), whose window begins at source pixel x; bit i of `inside`: its pixel i is in the image.
struct Window {
  int64_t j, x;
  int count;
  uint64_t inside;
};
constexpr uint64_t bits(int64_t n) { return n >= 64 ? ~uint64_t(0) : n <= 0 ? 0 : (uint64_t(1) << n) - 1; }

template <class Config, class Source, int Tall>
struct DepthwiseTile {
  static constexpr int T = Config::mr;
  using Row = SourceRow<Source>;
  using Sums = vf[Tall][T];
  using Write = Epilogue<Config>;

  const Row* rows;  // those that only the first result row meets, then both, then only the second
  int only_first, both, only_second;
  int64_t pixel, tap, taps, channels;  // elements from one source pixel or tap to the next; taps of the whole filter
  const Write* writes;                 // one for each result row
  int result_rows;
  bool far;  // the result is no longer in a cache of this core

  template <int FX, int Move>
  TW_NOINLINE void window(const Window& w) const {
    const DepthwiseTile local(*this);
    const Window at(w);
    int64_t c = 0;
    if (at.inside == bits(reach<FX, Move>)) {
      for (; c + lanes <= channels; c += lanes) local.template one<FX, Move, true>(at, c, lanes);
    }
    for (; c < channels; c += lanes) {
      local.template one<FX, Move, false>(at, c, int(min<int64_t>(lanes, local.channels - c)));
    }
  }

 private:
#if defined(TW_NEON)
  static constexpr bool asks = false;  // it would ask for every line four times, which costs more than it brings
#else
  static constexpr bool asks = true;
#endif
  static constexpr int ahead = 2 * lanes;  // a line that is to be written is asked for so many channels before
  template <int FX, int Move>
  static constexpr int reach = (T - 1) * Move + FX;

  // The n channels from c. Inside: the whole window lies in the image, and n is `lanes`.
  template <int FX, int Move, bool Inside>
  TW_INLINE void one(const Window& at, int64_t c, int n) const {
    Sums sums;
    TW_UNROLL
    for (int r = 0; r < Tall; ++r) {
      TW_UNROLL
      for (int t = 0; t < T; ++t) sums[r][t] = vf{};
    }
    if (asks && !Config::stream && far) ask_for_result(at, c);
    const Row* row = rows;
    for (int i = 0; i < only_first; ++i, ++row) meet<FX, Move, Inside, true, false>(sums, *row, at, c, n);
    if constexpr (Tall == 2) {
      for (int i = 0; i < both; ++i, ++row) meet<FX, Move, Inside, true, true>(sums, *row, at, c, n);
      for (int i = 0; i < only_second; ++i, ++row) meet<FX, Move, Inside, false, true>(sums, *row, at, c, n);
    }
    TW_UNROLL
    for (int r = 0; r < Tall; ++r) {
      if (r >= result_rows) break;
      const Write write(writes[r]);
      if (n == lanes && write.in_rows() && !(Config::stream && write.is_copy())) {
        typename Write::template Cursor<true> cursor(write, at.j, c);
        TW_UNROLL
        for (int t = 0; t < T; ++t) {
          if (t < at.count) cursor.put(sums[r][t]);
        }
        continue;
      }
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        if (t < at.count) put(write, sums[r][t], at.j + t, c, n);
      }
    }
  }

  TW_INLINE void ask_for_result(const Window& at, int64_t c) const {
    for (int r = 0; r < result_rows; ++r)
      for (int t = 0; t < at.count; ++t) prefetch_write(writes[r].address(at.j + t, c + ahead));
  }

  template <int FX, int Move, bool Inside, bool First, bool Second>
  TW_INLINE void meet(Sums& sums, const Row& row, const Window& w, int64_t c, int n) const {
    vf first[FX], second[FX];
    if constexpr (First) load_taps<FX>(first, row.weights[0] + c * taps);
    if constexpr (Second) load_taps<FX>(second, row.weights[1] + c * taps);
    const Source* at = row.data + w.x * pixel + c;
    TW_UNROLL
    for (int s = 0; s < reach<FX, Move>; ++s, at += pixel) {
      keep_in_register(at);
      if (!Inside && !(w.inside >> s & 1)) continue;
      vf v = Inside ? load(at) : load_some(at, n);
      keep_in_register(v);
      TW_UNROLL
      for (int f = 0; f < FX; ++f) {
        if ((s - f) % Move != 0 || s < f || (s - f) / Move >= T) continue;
        if constexpr (First) sums[0][(s - f) / Move] += first[f] * v;
        if constexpr (Second) sums[Tall - 1][(s - f) / Move] += second[f] * v;
      }
    }
  }

  template <int FX>
  TW_INLINE void load_taps(vf (&weights)[FX], const float* w) const {
    TW_UNROLL
    for (int f = 0; f < FX; ++f, w += tap) {
      keep_in_register(w);
      weights[f] = load_bits<vf>(w);
      keep_in_register(weights[f]);
    }
  }
  static TW_INLINE vf load_some(const Source* p, int n) {
#if !defined(TW_AVX512)  // where a mask costs more than a branch
    if (n == lanes) return load(p);
#endif
    return load_partial(p, n);
  }

  static TW_INLINE void put(const Write& write, vf x, int64_t pixel, int64_t c, int n) {
#if defined(TW_AVX512)
    if constexpr (Config::stream) {
      auto* p = write.address(pixel, c);
      if (n == lanes && write.is_copy() && (reinterpret_cast<uintptr_t>(p) & 63) == 0) {
        asm volatile("vmovntps %1, %0" : "=m"(*reinterpret_cast<vf*>(p)) : "v"(x));
        return;
      }
    }
#endif
    write.finish(x, pixel, c, n, false);
  }
};

}  // namespace tw
