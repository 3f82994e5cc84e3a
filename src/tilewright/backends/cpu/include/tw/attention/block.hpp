// Blocks of query rows and the softmax over them. Scores are [key][row]: lanes are rows, so a running maximum and sum
// are plain vector operations, and every kernel shares what stands between its two products.
#pragma once
#include "tw/attention/rows.hpp"
#include "tw/math.hpp"

namespace tw {

// The score of a key that a row does not see. A bias may hold it too, or the most negative number of its type, which is
// a score like any other: it decides where a row has nothing greater.
constexpr float hidden = -__builtin_inff();
constexpr float log2_e = 1.44269504f;

// What a score is multiplied by to become an exponent of 2.
template <class C>
TW_INLINE float exponent_rate(const tw_args& a) {
  return log2_e * (scaled_late<C>(a) ? float(a.scalars[0]) : 1.0f);
}
// A maximum as it may be subtracted: 0 for a row that has seen nothing, as -inf minus -inf is no number.
TW_INLINE vf safe_maximum(vf top) { return (top > splat<vf>(hidden)) ? top : vf{}; }

// 2^(rate * (score - top)) in two steps. The first is done once for each row, and saves a subtraction where scores are
// products alone; a biased score times the rate could overflow.
template <class C>
TW_INLINE vf origin_of(vf top, float rate) {
  return C::bias == Bias::none ? top * splat<vf>(rate) : top;
}
template <class C>
TW_INLINE vf exponent(vf score, vf origin, vf rate) {
  if constexpr (C::bias == Bias::none) return score * rate - origin;
  else return (score - origin) * rate;
}
template <class C>
TW_INLINE vf power(vf score, vf origin, vf rate) { return vexp2(exponent<C>(score, origin, rate)); }

// Rows [0, count): row r is query row i0 + (r0 + r) % rows of head h0 + (r0 + r) / rows.
struct RowBlock {
  Sequence q;
  int64_t kv_head, h0, i0, rows, count, r0;
  int64_t head(int64_t r) const { return h0 + (r0 + r) / rows; }
  int64_t row(int64_t r) const { return i0 + (r0 + r) % rows; }
  RowBlock part(int64_t from, int64_t most) const {
    RowBlock b = *this;
    b.r0 += from, b.count = max<int64_t>(0, min(most, count - from));
    return b;
  }
};

// How many blocks of `size` rows the rows of one key head make. Where a sequence has few rows (decoding), a block takes
// those of several query heads of the group, so that K and V are read once for all of them.
TW_INLINE int64_t row_blocks(const AttentionSizes& n, int64_t rows, int size) {
  if (rows >= size) return n.group() * ceil_div(rows, size);
  return rows > 0 ? ceil_div(n.group(), max<int64_t>(1, size / rows)) : 0;
}
TW_INLINE RowBlock row_block(const AttentionSizes& n, const Sequence& q, int64_t kv_head, int64_t index, int size) {
  RowBlock b{q, kv_head, kv_head * n.group(), 0, q.rows, 0, 0};
  if (q.rows >= size) {
    const int64_t each = ceil_div(q.rows, size);
    b.h0 += index / each;
    b.i0 = index % each * size;
    b.rows = b.count = min<int64_t>(size, q.rows - b.i0);
  } else {
    const int64_t heads = max<int64_t>(1, size / q.rows);
    b.h0 += index * heads;
    b.count = min(heads, n.group() - index * heads) * q.rows;
  }
  return b;
}

// Which keys some row of a block sees, [first, last) and those below `sink`; and which every row sees.
struct Extent {
  int64_t first, last, all_low, all_high, sink;
};
template <class C>
TW_INLINE Extent extent_of(const AttentionSizes& n, const RowBlock& b) {
  Extent e{b.q.keys, 0, 0, b.q.keys, 0};
  for (int64_t r = 0; r < b.count; ++r) {
    const Seen seen = seen_by<C>(n, b.q, b.row(r));
    e.first = min(e.first, seen.low), e.last = max(e.last, seen.high), e.sink = max(e.sink, seen.sink);
    e.all_low = max(e.all_low, seen.low), e.all_high = min(e.all_high, seen.high);
  }
  return e;
}

// Products become scores: the factor, and the soft cap with its slopes.
template <class C>
TW_INLINE void scale_scores(const tw_args& a, int count, float* scores, float* slopes = nullptr) {
  const vf factor = splat<vf>(float(a.scalars[0]));
  const vf cap = splat<vf>(float(a.scalars[1])), per_cap = splat<vf>(C::soft_cap ? 1.0f / float(a.scalars[1]) : 0.0f);
  for (int i = 0; i < count; i += lanes) {
    vf x = factor * load_bits<vf>(scores + i);
    if constexpr (C::soft_cap) {
      const vf t = vtanh(x * per_cap);
      x = cap * t;
      if (slopes) store_bits(slopes + i, splat<vf>(1.0f) - t * t);
    }
    store_bits(scores + i, x);
  }
}

// The running softmax of R rows, and what the mask and ALiBi need of them. `top` is of scores before their factor.
template <class C, int R>
struct RowState {
  static constexpr int NV = R / lanes;
  alignas(64) float top[R], sum[R], slope[R];
  alignas(64) int32_t low[R], high[R], sink[R], position[R];

  void begin(const tw_args& a, const AttentionSizes& n, const RowBlock& b) {
    for (int r = 0; r < R; ++r) {
      top[r] = hidden, sum[r] = 0.0f;
      const bool there = r < b.count;
      const Seen seen = there ? seen_by<C>(n, b.q, b.row(r)) : Seen{0, 0, 0};
      low[r] = int32_t(seen.low), high[r] = int32_t(seen.high), sink[r] = int32_t(seen.sink);
      if constexpr (C::bias == Bias::alibi) {
        position[r] = int32_t(there ? b.row(r) + (C::top_left ? 0 : b.q.keys - b.q.rows) : 0);
        const int64_t* s = a.strides[C::Slots::bias];
        const float* slopes = static_cast<const float*>(a.tensors[C::Slots::bias]) + b.q.b * s[0];
        slope[r] = there ? slopes[b.head(r) * s[1]] : 0.0f;
      }
    }
  }

  // Scores become logits: factor, soft cap, bias and mask, in this order. A factor alone is left to the exponential.
  // The backward pass keeps the slopes of the cap.
  void finish_scores(const tw_args& a, const AttentionSizes& n, const RowBlock& b, const Extent& e, int64_t j0,
                     int count, float* scores, float* slopes = nullptr) const {
    const int64_t end = j0 + count;
    if (scaled_late<C>(a)) {
      mask_scores(j0, 0, int(max<int64_t>(0, min<int64_t>(e.all_low, end) - j0)), scores);
      mask_scores(j0, int(max<int64_t>(e.all_high, j0) - j0), count, scores);
      return;
    }
    scale_scores<C>(a, count * R, scores, slopes);
    if constexpr (C::bias == Bias::elementwise) add_bias(a, n, b, j0, count, scores);
    mask_scores(j0, 0, count, scores);
  }

  // The maxima with these scores. Answers whether earlier sums and output must be brought to them by `shrink`.
  TW_INLINE bool raise_tops(const float* scores, int count, float rate, vf (&shrink)[NV]) {
    const vf none = splat<vf>(hidden);
    vi changed{};
    vf tops[NV];
    greatest(scores, count, tops);
    TW_UNROLL for (int v = 0; v < NV; ++v) {
      const vf old = load_bits<vf>(top + v * lanes), now = tops[v];
      const vi raised = (old > none) & (now > old);  // else exactly 1, which 2^0 is not on every CPU
      shrink[v] = raised ? vexp2((old - now) * splat<vf>(rate)) : splat<vf>(1.0f);
      store_bits(top + v * lanes, now);
      store_bits(sum + v * lanes, load_bits<vf>(sum + v * lanes) * shrink[v]);
      changed = changed | raised;
    }
    return any(changed);
  }
  TW_INLINE vf origin(int v, float rate) const {
    return origin_of<C>(safe_maximum(load_bits<vf>(top + v * lanes)), rate);
  }

  // What dropout drops of weights[key][row]. j0 is a multiple of 4.
  static void drop(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count,
                   float* weights) {
    const Dropout d(a, C::Slots::rng);
    for (int r = 0; r < b.count; ++r) {
      const uint32_t lane = uint32_t(b.q.b * n.heads_q + b.head(r));
      for (int j = 0; j < count; j += 4) {
        float keep[4];
        d.factors(uint32_t((j0 + j) >> 2), uint32_t(b.row(r)), lane, keep);
        for (int i = 0; i < 4 && j + i < count; ++i) weights[(j + i) * R + r] *= keep[i];
      }
    }
  }

  void store_lse(const tw_args& a, const RowBlock& b, float factor) const {
    for (int r = 0; r < b.count; ++r) store_lse(a, b, r, top[r] * factor, sum[r]);
  }
  static void store_lse(const tw_args& a, const RowBlock& b, int r, float logit, float sum) {
    static_cast<float*>(a.tensors[C::Slots::lse])[lse_offset<C>(a, C::Slots::lse, b.q, b.head(r), b.row(r))] =
        sum != 0.0f ? logit + __builtin_logf(sum) : -__builtin_inff();  // a NaN stays one
  }

 private:
  // The maximum of each row and of `count` scores.
  TW_INLINE void greatest(const float* scores, int count, vf (&now)[NV]) const {
#if defined(TW_NEON)
    TW_UNROLL for (int v = 0; v < NV; ++v) now[v] = load_bits<vf>(top + v * lanes);
    for (int j = 0; j < count; ++j) {
      TW_UNROLL for (int v = 0; v < NV; ++v) {
        const vf old = now[v];  // a comparison and a choice take twice as long
        asm("fmaxnm %0.4s, %1.4s, %2.4s" : "=w"(now[v]) : "w"(old), "w"(load_bits<vf>(scores + j * R + v * lanes)));
      }
    }
#else
    TW_UNROLL for (int v = 0; v < NV; ++v) {
      const vf old = load_bits<vf>(top + v * lanes);
      vf m[2] = {old, old};
      int j = 0;
      for (; j + 2 <= count; j += 2) {
        m[0] = vmax(load_bits<vf>(scores + j * R + v * lanes), m[0]);
        m[1] = vmax(load_bits<vf>(scores + (j + 1) * R + v * lanes), m[1]);
      }
      if (j < count) m[0] = vmax(load_bits<vf>(scores + j * R + v * lanes), m[0]);
      now[v] = vmax(m[0], m[1]);
    }
#endif
  }
  // Keys [from, to) of scores: ALiBi and the mask.
  void mask_scores(int64_t j0, int from, int to, float* scores) const {
    for (int j = from; j < to; ++j) {
      const vi key = splat<vi>(int32_t(j0 + j));
      TW_UNROLL for (int v = 0; v < NV; ++v) {
        float* at = scores + j * R + v * lanes;
        vf x = load_bits<vf>(at);
        if constexpr (C::bias == Bias::alibi) {
          const vf distance = __builtin_convertvector(load_bits<vi>(position + v * lanes) - key, vf);
          x = x - load_bits<vf>(slope + v * lanes) * vabs(distance);
        }
        const vi below = load_bits<vi>(high + v * lanes), above = load_bits<vi>(low + v * lanes);
        const vi seen = (key < below) & ((key >= above) | (key < load_bits<vi>(sink + v * lanes)));
        store_bits(at, seen ? x : splat<vf>(hidden));
      }
    }
  }
  static void add_bias(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count,
                       float* scores) {
    const int there = int(min<int64_t>(count, b.q.keys - j0));  // keys past the end have none
    for (int r = 0; r < b.count; ++r) {
      const BiasRow<C> bias(a, n, C::Slots::bias, b.q, b.head(r), b.row(r));
      for (int j = 0; j < there; ++j) scores[j * R + r] += bias[j0 + j];
    }
  }
};

}  // namespace tw
