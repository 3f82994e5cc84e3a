// What tw_args says about an attention: sizes, where a sequence lies, which keys a row sees, where dropout drops.
#pragma once
#include "tw/parallel.hpp"
#include "tw/simd.hpp"

namespace tw {

enum class Bias { none, elementwise, alibi };
enum class Lookup { none, vllm, sglang };
// Factors of 8-bit operands: one for each tensor, or for each block of rows of a head.
enum class QScale { none, pertensor, blockscale };
enum class Rope { none, interleaved, half };

// Tensor slots of tw_args, in the order of the op's AbiLayout; -1 where a family has no such tensor.
struct ForwardSlots {
  enum : int { q, k, v, out, lse, bias, cu_q, cu_k, seqlens_k, pages, indptr, last, rng, scale_q, scale_k, scale_v };
};
struct BackwardSlots {
  enum : int { q, k, v, out, lse, dout, dq, dk, dv, bias, dbias, cu_q, cu_k, rng };
  enum : int { seqlens_k = -1, pages = -1, indptr = -1, last = -1 };
};
struct AppendSlots {
  enum : int { q, k, v, out, k_new, v_new, cos, sin, seqlens_k, pages, indptr, last };
  enum : int { cu_q = -1, cu_k = -1 };
};
struct AttentionSizes {
  int64_t batch, heads_q, heads_kv, seqlen_q, seqlen_k, hdim_q, hdim_v, total_q, total_k, window_left, window_right,
      sink_tokens, bias_batch, bias_heads, page_size, num_pages, seqlen_new, rotary_dim,
      block_q, block_k;
  explicit AttentionSizes(const tw_args& a) { __builtin_memcpy(this, a.sizes, sizeof *this); }
  int64_t group() const { return heads_q / heads_kv; }
};

// Where the rows of sequence `b` begin, and how many there are.
struct Sequence {
  int64_t b, q_begin, rows, k_begin, keys;
};
template <class C>
TW_INLINE Sequence sequence_of(const tw_args& a, const AttentionSizes& s, int64_t b) {
  using At = typename C::Slots;
  const auto ints = [&](int slot) { return static_cast<const int32_t*>(a.tensors[slot]); };
  Sequence r{b, 0, s.seqlen_q, 0, s.seqlen_k};
  if constexpr (C::varlen) {
    r.q_begin = ints(At::cu_q)[b];
    r.rows = ints(At::cu_q)[b + 1] - r.q_begin;
  }
  if constexpr (C::lookup == Lookup::sglang) {
    r.k_begin = ints(At::indptr)[b];
    const int64_t pages = ints(At::indptr)[b + 1] - r.k_begin;
    r.keys = pages > 0 ? (pages - 1) * s.page_size + ints(At::last)[b] : 0;
  } else if constexpr (C::varlen && C::lookup == Lookup::none) {
    r.k_begin = ints(At::cu_k)[b];
    r.keys = ints(At::cu_k)[b + 1] - r.k_begin;
  } else if constexpr (At::seqlens_k >= 0) {
    if (a.tensors[At::seqlens_k]) r.keys = ints(At::seqlens_k)[b];
  }
  return r;
}

// The offset of query row i and head h in a tensor that has query rows.
template <class C>
TW_INLINE int64_t query_offset(const tw_args& a, int slot, const Sequence& q, int64_t h, int64_t i) {
  const int64_t* s = a.strides[slot];
  return C::varlen ? (q.q_begin + i) * s[0] + h * s[1] : q.b * s[0] + i * s[1] + h * s[2];
}
// The offset of row i and head h in an LSE.
template <class C>
TW_INLINE int64_t lse_offset(const tw_args& a, int slot, const Sequence& q, int64_t h, int64_t i) {
  const int64_t* s = a.strides[slot];
  return C::varlen ? h * s[0] + (q.q_begin + i) * s[1] : q.b * s[0] + h * s[1] + i * s[2];
}
// The offset of key row j and head h in K or V.
template <class C>
TW_INLINE int64_t key_offset(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h,
                             int64_t j) {
  const int64_t* s = a.strides[slot];
  if constexpr (C::lookup != Lookup::none) {
    const int32_t* table = static_cast<const int32_t*>(a.tensors[C::Slots::pages]);
    const int64_t *t = a.strides[C::Slots::pages], of = j / n.page_size;
    const int64_t page = table[C::lookup == Lookup::sglang ? q.k_begin + of : q.b * t[0] + of * t[1]];
    return page * s[0] + j % n.page_size * s[1] + h * s[2];
  }
  return C::varlen ? (q.k_begin + j) * s[0] + h * s[1] : q.b * s[0] + j * s[1] + h * s[2];
}

// The same as pointers.
template <class C, class T>
TW_INLINE T* query_row(const tw_args& a, int slot, const Sequence& q, int64_t h, int64_t i) {
  return static_cast<T*>(a.tensors[slot]) + query_offset<C>(a, slot, q, h, i);
}
template <class C, class T>
TW_INLINE T* key_row(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h, int64_t j) {
  return static_cast<T*>(a.tensors[slot]) + key_offset<C>(a, n, slot, q, h, j);
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

// The factor of one row of Q, K or V; `block` rows share one.
template <class C>
TW_INLINE float row_factor(const tw_args& a, int slot, int64_t b, int64_t h, int64_t i, int64_t block) {
  const float* factors = static_cast<const float*>(a.tensors[slot]);
  const int64_t* s = a.strides[slot];
  return C::qscale == QScale::blockscale ? factors[b * s[0] + h * s[1] + i / block * s[2]] : factors[0];
}

// Whether scores reach the softmax without their factor: a positive one can be left to the exponential. One that is 0 in
// float32 cannot: a hidden score is -inf, and that times 0 is no number.
template <class C>
TW_INLINE bool scaled_late(const tw_args& a) {
  return C::bias == Bias::none && !C::soft_cap && float(a.scalars[0]) > 0.0f;
}

// The bias of one query row: [key] is its value in float32.
template <class C>
class BiasRow {
  using B = typename C::BiasElement;

 public:
  BiasRow(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h, int64_t i)
      : step_(a.strides[slot][3]), data_(static_cast<const B*>(a.tensors[slot])) {
    const int64_t* s = a.strides[slot];
    data_ += (n.bias_batch > 1 ? q.b * s[0] : 0) + (n.bias_heads > 1 ? h * s[1] : 0);
    data_ += ((C::varlen ? q.q_begin : 0) + i) * s[2];
  }
  TW_INLINE float operator[](int64_t key) const { return to_float(data_[key * step_]); }

 private:
  int64_t step_;
  const B* data_;
};

// Philox4x32 with 7 rounds: the four words of one counter.
struct Words {
  uint32_t w[4];
};
inline Words philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 7; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
    const uint32_t n0 = uint32_t(p1 >> 32) ^ c1 ^ k0, n2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
    c1 = uint32_t(p1), c3 = uint32_t(p0), c0 = n0, c2 = n2;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}
// The factors of four neighbouring keys: 0 where dropout drops, 1 / (1 - probability) where it keeps.
struct Dropout {
  const uint32_t* rng;
  uint32_t least_kept;
  float keep;
  Dropout(const tw_args& a, int slot) : rng(static_cast<const uint32_t*>(a.tensors[slot])) {
    const double p = a.scalars[2], edge = p * 65536.0 + 0.5;
    least_kept = (edge >= 65535.0 ? 65535u : uint32_t(edge)) << 16;
    keep = float(1.0 / (1.0 - p));
  }
  TW_INLINE void factors(uint32_t quad, uint32_t row, uint32_t lane, float* out) const {
    const Words w = philox(quad, row / 2, lane, rng[2], rng[0], rng[1]);
    const int up = row % 2 ? 0 : 16;  // the lower half of a word belongs to an even row
    for (int i = 0; i < 4; ++i) out[i] = (w.w[i] << up) >= least_kept ? keep : 0.0f;
  }
};

}  // namespace tw
