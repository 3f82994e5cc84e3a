// Split-KV: the keys of a sequence in several parts, and the step that combines what the parts computed.
#pragma once
#include "tw/attention/block.hpp"

namespace tw {

TW_INLINE int split_count(const tw_args& a) { return int(max<int64_t>(1, a.launch[1])); }

// Part `index` of the keys of a sequence, cut at multiples of `unit`.
TW_INLINE Range key_part(const Sequence& q, int index, int splits, int unit) {
  if (splits == 1) return {0, q.keys};
  return partition(q.keys, unit, splits, index);
}

// For each part and query row: the largest score, the sum of weights, and the output before its division.
template <class C>
struct Partials {
  static constexpr int DV = C::hdim_v, width = int(round_up(DV, lanes));
  float *top, *sum, *out;
  int64_t rows;
  int splits;

  static Partials carve(Arena& arena, const AttentionSizes& n, int splits) {
    const int64_t rows = (C::varlen ? n.total_q : n.batch * n.seqlen_q) * n.heads_q;
    if (splits == 1) return {nullptr, nullptr, nullptr, 0, 1};
    float* top = arena.take<float>(rows * splits);
    float* sum = arena.take<float>(rows * splits);
    return {top, sum, arena.take<float>(rows * splits * width), rows, splits};
  }
  static int64_t row_of(const AttentionSizes& n, const RowBlock& b, int r) {
    return ((C::varlen ? b.q.q_begin : b.q.b * n.seqlen_q) + b.row(r)) * n.heads_q + b.head(r);
  }

  void keep(const AttentionSizes& n, const RowBlock& b, int r, int split, float largest, float total,
            const float* row) const {
    const int64_t at = row_of(n, b, r) * splits + split;
    top[at] = largest, sum[at] = total;
    for (int c = 0; c < width; c += lanes) store_bits(out + at * width + c, load_bits<vf>(row + c));
  }

  // Every thread takes a share of the sequences' rows.
  void combine(const tw_args& a, const AttentionSizes& n, const Team& team) const {
    for (int64_t b = 0; b < n.batch; ++b) {
      const Sequence q = sequence_of<C>(a, n, b);
      const Range own = partition(q.rows * n.heads_q, 1, team.count, team.index);
      for (int64_t i = own.begin; i < own.end; ++i) {
        const RowBlock one{q, 0, i % n.heads_q, i / n.heads_q, 1, 1, 0};
        combine_row(a, one, row_of(n, one, 0) * splits);
      }
    }
  }

 private:
  void combine_row(const tw_args& a, const RowBlock& b, int64_t at) const {
    using O = typename C::Out;
    float best = hidden, total = 0.0f;
    const float rate = exponent_rate<C>(a);
    for (int s = 0; s < splits; ++s)
      if (sum[at + s] != 0.0f) best = max(best, top[at + s]);
    vf acc[width / lanes] = {};
    for (int s = 0; s < splits; ++s) {
      if (sum[at + s] == 0.0f) continue;
      const vf weight = vexp2(splat<vf>((top[at + s] - best) * rate));
      total += weight[0] * sum[at + s];
      TW_UNROLL for (int c = 0; c < width / lanes; ++c)
        acc[c] = weight * load_bits<vf>(out + (at + s) * width + c * lanes) + acc[c];
    }
    const vf factor = splat<vf>(total != 0.0f ? 1.0f / total : 0.0f);
    O* to = query_row<C, O>(a, C::Slots::out, b.q, b.head(0), b.row(0));
    TW_UNROLL for (int c = 0; c < width / lanes; ++c) {
      if (DV - c * lanes >= lanes) store(to + c * lanes, factor * acc[c]);
      else store_partial(to + c * lanes, factor * acc[c], DV - c * lanes);
    }
    if constexpr (C::lse) RowState<C, lanes>::store_lse(a, b, 0, best * (rate / log2_e), total);
  }
};

}  // namespace tw
