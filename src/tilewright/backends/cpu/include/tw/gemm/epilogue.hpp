// From accumulators to the output: out = activation(alpha * scale_a * scale_b * acc combine beta*d0 combine d1 ...).
// With Combine::gradient the sum of all but d0 goes back through the activation, which was applied to d0.
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
  TW_INLINE bool in_rows() const { return true; }
  template <class Config, bool Whole>
  struct Cursor {
    Cursor(const DChain&, int64_t, int64_t, int, bool) {}
    TW_INLINE vf apply(vf x, float) { return x; }
  };
};
template <int Index, class T, Broadcast B, class... Rest>
struct DChain<Index, List<DTensor<T, B>, Rest...>> {
  using Next = DChain<Index + 1, List<Rest...>>;
  View<const T> d;
  Next rest;
  DChain(const tw_args& args, int64_t batch) : d(view<const T>(args, slot_d + Index, batch)), rest(args, batch) {
    if (B == Broadcast::row) d.row = 0;
    if (B == Broadcast::col) d.col = 0;
  }
  // Whether the elements of a row lie side by side, or are one.
  TW_INLINE bool in_rows() const { return (B == Broadcast::col || d.col == 1) && rest.in_rows(); }

  // Combines registers with elements, one after the other: see Epilogue::Cursor.
  template <class Config, bool Whole>
  struct Cursor {
    const T* p;
    int64_t step, next;
    int n;
    vf at;  // of a gradient: the register of d0
    typename Next::template Cursor<Config, Whole> rest;
    TW_INLINE Cursor(const DChain& c, int64_t i, int64_t j, int n, bool down)
        : p(c.d.at(i, j)), step(down ? c.d.row : c.d.col), next(down ? c.d.col : c.d.row), n(n),
          rest(c.rest, i, j, n, down) {}
    TW_INLINE vf apply(vf x, float beta) {
      constexpr bool adds = Config::combine == Combine::add || (Config::combine != Combine::multiply && Index > 0);
      vf y = read();
      p += next;
      if constexpr (Config::combine == Combine::gradient && Index == 0) {
        at = y;
      } else {
        if (Index == 0) y = y * beta;
        x = adds ? x + y : x * y;
      }
      return rest.apply(x, beta);
    }
    TW_INLINE vf read() const {
      if constexpr (Whole) return B == Broadcast::col ? splat<vf>(to_float(*p)) : load(p);
      if (step == 0) return splat<vf>(to_float(*p));
      if (step != 1) return load_strided(p, step, n);
      return n == lanes ? load(p) : load_partial(p, n);
    }
  };
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

  // Registers of accumulators, one after the other, to rows of `out` from element (i, j) on: n elements of a row; down: of
  // a column, and on to the next one. Whole: n is `lanes`, and what is read and written there lies side by side.
  template <bool Whole>
  class Cursor {
   public:
    TW_INLINE Cursor(const Epilogue& e, int64_t i, int64_t j, int n = lanes, bool down = false)
        : out_(e.out_.at(i, j)), step_(down ? e.out_.row : e.out_.col), next_(down ? e.out_.col : e.out_.row), n_(n),
          down_(down), d_(e.d_, i, j, n, down), factor_(e.factor_), beta_(e.beta_),
          scale_a_(Config::scale_a == Scale::row ? e.scale_a_ + i * e.stride_a_ : nullptr),
          scale_b_(Config::scale_b == Scale::row ? e.scale_b_ + j * e.stride_b_ : nullptr), stride_a_(e.stride_a_),
          stride_b_(e.stride_b_) {}

    TW_INLINE void put(vec<Acc> acc) {
      const auto bits = rounded(value(acc));
      if constexpr (Whole) store_bits(out_, bits);
      else write<Out>(out_, step_, bits, n_);
      out_ += next_;
    }

   private:
    TW_INLINE vf value(vec<Acc> acc) {
      vf x;
      if constexpr (is_same<Acc, float>) x = acc;
      else x = __builtin_convertvector(acc, vf);
      x = x * factor_;
      const bool down = !Whole && down_;
      if (Config::scale_a == Scale::row) x = x * scale(scale_a_, stride_a_, n_, down);
      if (Config::scale_b == Scale::row) x = x * scale(scale_b_, stride_b_, n_, !down);
      if (Config::scale_a == Scale::row && !down) scale_a_ += stride_a_;
      if (Config::scale_b == Scale::row && down) scale_b_ += stride_b_;
      x = d_.apply(x, beta_);
      if constexpr (Config::combine == Combine::gradient) return gone_back<Config::activation>(x, d_.at);
      else return activate<Config::activation>(x);
    }
    static TW_INLINE vf scale(const float* p, int64_t stride, int n, bool along) {
      if (!along || stride == 0) return splat<vf>(*p);
      if (stride != 1) return load_strided(p, stride, n);
      return Whole || n == lanes ? load(p) : load_partial(p, n);
    }

    Out* out_;
    int64_t step_, next_;
    int n_;
    bool down_;
    typename DChain<0, D>::template Cursor<Config, Whole> d_;
    float factor_, beta_;
    const float *scale_a_, *scale_b_;
    int64_t stride_a_, stride_b_;
  };

  // Whether whole registers of a row can be read and written: Cursor<true>.
  TW_INLINE bool in_rows() const {
    return !keeps_integers && out_.col == 1 && d_.in_rows() && (Config::scale_b != Scale::row || stride_b_ == 1);
  }

  // Writes out[i .. i+rows-1][j .. j+cols-1] from acc[r * ld + c].
  TW_INLINE void tile(const Acc* acc, int64_t ld, int64_t i, int64_t j, int rows, int cols) const {
    const Epilogue local(*this);  // in registers: as far as the compiler knows, stores to `out` could change *this
    int c = 0;
    if (in_rows()) {
      for (; c + lanes <= cols; c += lanes) {
        Cursor<true> cursor(local, i, j + c);
        for (int r = 0; r < rows; ++r) cursor.put(load_bits<vec<Acc>>(acc + r * ld + c));
      }
    }
    if (out_.col == 1 || out_.row != 1) {
      for (int r = 0; c < cols && r < rows; ++r) local.row(acc + r * ld + c, i + r, j + c, cols - c);
    } else {
      for (; c < cols; ++c) local.column(acc + c, ld, i, j + c, rows);
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
    if constexpr (keeps_integers) {
      if (exact_) {
        if (Config::activation == Activation::relu) acc = (acc > vi{}) ? acc : vi{};
        const int64_t step = down ? out_.row : out_.col;
        write<int32_t>(reinterpret_cast<int32_t*>(out_.at(i, j)), step, bit_cast<vu>(acc), n);
        return;
      }
    }
    Cursor<false>(*this, i, j, n, down).put(acc);
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

  // AMX flushes denormals of bf16 already, so the fast instruction loses nothing there.
  static TW_INLINE raw_of<Out> rounded(vf x) {
    if constexpr (is_amx(Config::inner) && is_same<Out, bf16>) return fast_bf16(x);
    else return encode<Out>(x);
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
