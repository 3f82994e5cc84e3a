// What tw_args says about an attention: sizes, where a sequence lies, which keys a row sees, where dropout drops.
#pragma once
#include "tw/parallel.hpp"
#include "tw/simd.hpp"

namespace tw {

enum class Bias { none, elementwise, alibi };
enum class Lookup { none, vllm, sglang };

// Tensor slots and sizes of tw_args for an attention, in the order of the op's AbiLayout.
enum AttentionSlot : int {
  at_q, at_k, at_v, at_out, at_lse, at_bias, at_cu_q, at_cu_k, at_seqlens_k, at_pages, at_indptr, at_last, at_rng
};
struct AttentionSizes {
  int64_t batch, heads_q, heads_kv, seqlen_q, seqlen_k, hdim_q, hdim_v, total_q, total_k, window_left, window_right,
      sink_tokens, bias_batch, bias_heads, page_size;
  explicit AttentionSizes(const tw_args& a) { __builtin_memcpy(this, a.sizes, sizeof *this); }
  int64_t group() const { return heads_q / heads_kv; }
};

// Where the rows of sequence `b` begin, and how many there are.
struct Sequence {
  int64_t b, q_begin, rows, k_begin, keys;
};
template <class C>
TW_INLINE Sequence sequence_of(const tw_args& a, const AttentionSizes& s, int64_t b) {
  const auto ints = [&](int slot) { return static_cast<const int32_t*>(a.tensors[slot]); };
  Sequence r{b, 0, s.seqlen_q, 0, s.seqlen_k};
  if constexpr (C::varlen) {
    r.q_begin = ints(at_cu_q)[b];
    r.rows = ints(at_cu_q)[b + 1] - r.q_begin;
  }
  if constexpr (C::lookup == Lookup::sglang) {
    r.k_begin = ints(at_indptr)[b];
    const int64_t pages = ints(at_indptr)[b + 1] - r.k_begin;
    r.keys = pages > 0 ? (pages - 1) * s.page_size + ints(at_last)[b] : 0;
  } else if constexpr (C::varlen && C::lookup == Lookup::none) {
    r.k_begin = ints(at_cu_k)[b];
    r.keys = ints(at_cu_k)[b + 1] - r.k_begin;
  } else if (a.tensors[at_seqlens_k]) {
    r.keys = ints(at_seqlens_k)[b];
  }
  return r;
}

// The offset of query row i and head h in a tensor that has query rows.
template <class C>
TW_INLINE int64_t query_offset(const tw_args& a, int slot, const Sequence& q, int64_t h, int64_t i) {
  const int64_t* s = a.strides[slot];
  return C::varlen ? (q.q_begin + i) * s[0] + h * s[1] : q.b * s[0] + i * s[1] + h * s[2];
}
// The offset of key row j and head h in K or V.
template <class C>
TW_INLINE int64_t key_offset(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h,
                             int64_t j) {
  const int64_t* s = a.strides[slot];
  if constexpr (C::lookup != Lookup::none) {
    const int32_t* table = static_cast<const int32_t*>(a.tensors[at_pages]);
    const int64_t at = C::lookup == Lookup::sglang ? q.k_begin : q.b * a.strides[at_pages][0];
    const int64_t page = table[at + j / n.page_size];
    return page * s[0] + j % n.page_size * s[1] + h * s[2];
  }
  return C::varlen ? (q.k_begin + j) * s[0] + h * s[1] : q.b * s[0] + j * s[1] + h * s[2];
}

// The keys that row i sees: [low, high), and those below sink.
struct Seen {
  int64_t low, high, sink;
};
template <class C>
TW_INLINE Seen seen_by(const AttentionSizes& n, const Sequence& q, int64_t i) {
  if constexpr (!C::masked) return {0, q.keys, 0};
  const int64_t at = i + (C::top_left ? 0 : q.keys - q.rows);
  const int64_t left = C::windowed ? n.window_left : -1, right = C::windowed ? n.window_right : 0;
  const int64_t low = left < 0 ? 0 : max<int64_t>(0, min(q.keys, at - left));
  const int64_t high = right < 0 ? q.keys : max<int64_t>(0, min(q.keys, at + right + 1));
  return {low, high, min(n.sink_tokens, min(low, high))};
}

// Philox4x32 with 10 rounds: the four words of one counter.
struct Words {
  uint32_t w[4];
};
inline Words philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
    const uint32_t n0 = uint32_t(p1 >> 32) ^ c1 ^ k0, n2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
    c1 = uint32_t(p1), c3 = uint32_t(p0), c0 = n0, c2 = n2;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace tw
