// From accumulators to the output: out = activation(alpha * scale_a * scale_b * acc combine beta*d0 combine d1 ...).
//
// Arithmetic is float32 and the result is rounded once. `out` may be the same memory as a D tensor with the same
// strides: each element of D is read before the element of `out` at its place is written.
#pragma once
#include "tw/gemm/args.hpp"
#include "tw/math.hpp"

namespace tw {

// The D tensors as a chain of types: each link holds its view and hands the rest on.
template <int Index, class DList>
struct DChain {
  DChain(const tw_args&, int64_t) {}
  template <class Config>
  TW_INLINE vf apply(vf x, int64_t, int64_t, int, bool, float) const { return x; }
};
template <int Index, class T, Broadcast B, class... Rest>
struct DChain<Index, List<DTensor<T, B>, Rest...>> {
  View<const T> d;
  DChain<Index + 1, List<Rest...>> rest;
  DChain(const tw_args& args, int64_t batch) : d(view<const T>(args, slot_d + Index, batch)), rest(args, batch) {
    if (B == Broadcast::row) d.row = 0;
    if (B == Broadcast::col) d.col = 0;
  }
  // Combines elements (i, j .. j+n-1), or down a column (i .. i+n-1, j), with x.
  template <class Config>
  TW_INLINE vf apply(vf x, int64_t i, int64_t j, int n, bool down, float beta) const {
    const T* p = d.at(i, j);
    const int64_t step = down ? d.row : d.col;
    vf y;
    if (step == 0) y = splat<vf>(to_float(*p));
    else if (step != 1) y = load_strided(p, step, n);
    else if (n == lanes) y = load(p);
    else y = load_partial(p, n);
    if (Index == 0) y = y * beta;
    x = Config::combine == Combine::add ? x + y : x * y;
    return rest.template apply<Config>(x, i, j, n, down, beta);
  }
};

template <class Config>
class Epilogue {
 public:
  using Acc = typename Config::Acc;
  using Out = typename Config::Out;
  using D = typename Config::D;

  Epilogue(const tw_args& args, int64_t batch)
      : out_(view<Out>(args, slot_out, batch)), d_(args, batch), factor_(float(args.scalars[0])),
        beta_(float(args.scalars[1])), exact_(keeps_integers && args.scalars[0] == 1.0) {
    if (Config::scale_a != Scale::none) scale_a_ = static_cast<const float*>(args.tensors[slot_scale_a]);
    if (Config::scale_b != Scale::none) scale_b_ = static_cast<const float*>(args.tensors[slot_scale_b]);
    if (Config::scale_a == Scale::tensor) factor_ *= *scale_a_;
    if (Config::scale_b == Scale::tensor) factor_ *= *scale_b_;
    stride_a_ = args.strides[slot_scale_a][0];
    stride_b_ = args.strides[slot_scale_b][0];
  }

  // Writes out[i .. i+rows-1][j .. j+cols-1] from acc[r * ld + c].
  TW_INLINE void tile(const Acc* acc, int64_t ld, int64_t i, int64_t j, int rows, int cols) const {
    const Epilogue local(*this);  // in registers: as far as the compiler knows, stores to `out` could change *this
    if (out_.col == 1 || out_.row != 1) {
      for (int r = 0; r < rows; ++r) local.row(acc + r * ld, i + r, j, cols);
    } else {
      for (int c = 0; c < cols; ++c) local.column(acc + c, ld, i, j + c, rows);
    }
  }

  // Writes out[i][j .. j+cols-1] from consecutive accumulators.
  TW_INLINE void row(const Acc* acc, int64_t i, int64_t j, int cols) const {
    int c = 0;
    for (; c + lanes <= cols; c += lanes) finish(load_bits<vec<Acc>>(acc + c), i, j + c, lanes, false);
    if (c < cols) finish(load_bits_partial<vec<Acc>>(acc + c, cols - c), i, j + c, cols - c, false);
  }

  // One register of accumulators for elements (i, j .. j+n-1), n <= lanes; down: (i .. i+n-1, j).
  TW_INLINE void finish(vec<Acc> acc, int64_t i, int64_t j, int n, bool down) const {
    Out* p = out_.at(i, j);
    const int64_t step = down ? out_.row : out_.col;
    if constexpr (keeps_integers) {
      if (exact_) {
        if (Config::activation == Activation::relu) acc = (acc > vi{}) ? acc : vi{};
        write<int32_t>(reinterpret_cast<int32_t*>(p), step, bit_cast<vu>(acc), n);
        return;
      }
    }
    write<Out>(p, step, rounded(value(acc, i, j, n, down)), n);
  }

  // True where the accumulators are the output, so that a kernel may store them in place (row_stride apart).
  TW_INLINE bool is_copy() const {
    constexpr bool plain = is_same<Acc, Out> && D::size == 0 && Config::scale_a == Scale::none &&
                           Config::scale_b == Scale::none && Config::activation == Activation::none;
    return plain && factor_ == 1.0f && out_.col == 1;
  }
  // The memory that tile() will write, where that is a few long rows.
  TW_INLINE WriteAhead written_rows(int64_t i, int64_t j, int rows, int cols) const {
    if (out_.col != 1) return {};
    return {reinterpret_cast<char*>(out_.at(i, j)), out_.row * int64_t(sizeof(Out)), cols * int64_t(sizeof(Out)), rows};
  }
  TW_INLINE Out* address(int64_t i, int64_t j) const { return out_.at(i, j); }
  TW_INLINE int64_t row_stride() const { return out_.row; }

 private:
  static constexpr bool keeps_integers =
      is_same<Acc, int32_t> && is_same<Out, int32_t> && D::size == 0 && Config::scale_a == Scale::none &&
      Config::scale_b == Scale::none &&
      (Config::activation == Activation::none || Config::activation == Activation::relu);

  TW_INLINE void column(const Acc* acc, int64_t ld, int64_t i, int64_t j, int rows) const {
    for (int r = 0; r < rows; r += lanes) {
      const int n = min(lanes, rows - r);
      Acc buffer[lanes] = {};
      for (int q = 0; q < n; ++q) buffer[q] = acc[(r + q) * ld];
      finish(load_bits<vec<Acc>>(buffer), i + r, j, n, true);
    }
  }

  TW_INLINE vf value(vec<Acc> acc, int64_t i, int64_t j, int n, bool down) const {
    vf x;
    if constexpr (is_same<Acc, float>) x = acc;
    else x = __builtin_convertvector(acc, vf);
    x = x * factor_;
    if (Config::scale_a == Scale::row) x = x * scale(scale_a_, stride_a_, i, n, down);
    if (Config::scale_b == Scale::row) x = x * scale(scale_b_, stride_b_, j, n, !down);
    x = d_.template apply<Config>(x, i, j, n, down, beta_);
    return activate<Config::activation>(x);
  }

  // AMX flushes denormals of bf16 already, so the fast instruction loses nothing there.
  static TW_INLINE raw_of<Out> rounded(vf x) {
    if constexpr (is_amx(Config::inner) && is_same<Out, bf16>) return fast_bf16(x);
    else return encode<Out>(x);
  }

  static TW_INLINE vf scale(const float* values, int64_t stride, int64_t at, int n, bool along) {
    const float* p = values + at * stride;
    if (!along || stride == 0) return splat<vf>(*p);
    if (stride != 1) return load_strided(p, stride, n);
    return n == lanes ? load(p) : load_partial(p, n);
  }

  template <class T>
  static TW_INLINE void write(T* p, int64_t step, raw_of<T> bits, int n) {
    if (step == 1 && n == lanes) {
      store_bits(p, bits);
    } else if (step == 1) {
      store_bits_partial(p, bits, n);
    } else {
      alignas(64) T buffer[lanes];
      store_bits(buffer, bits);
      for (int q = 0; q < n; ++q) p[q * step] = buffer[q];
    }
  }

  View<Out> out_;
  DChain<0, D> d_;
  float factor_, beta_;
  bool exact_;
  const float* scale_a_ = nullptr;
  const float* scale_b_ = nullptr;
  int64_t stride_a_, stride_b_;
};

}  // namespace tw
