// The gradients of attention, in three steps: dot(dO, O) of each row; dQ, dK and dV; and dQ from sums to its own type.
//
// A block of keys meets every row that sees it, so dK and dV of a block are summed in one place. dQ is summed over
// blocks of keys, in float32, by the thread that owns a key head or a part of its keys; the last step adds the parts in
// their order. So the same launch gives the same bits. All five products use the tiles of the forward pass.
#pragma once
#include "tw/attention/block.hpp"
#include "tw/attention/split.hpp"
#include "tw/attention/tile.hpp"

namespace tw {

template <class C>
class AttentionBackward {
  using E = typename C::Element;
  using At = typename C::Slots;
  static constexpr int NV = C::row_vectors, R = NV * lanes, BC = 96, D = C::hdim_q, DV = C::hdim_v;
  using Tile = AttentionTile<NV>;
  static constexpr int wide_d = int(round_up(D, lanes)), wide_v = int(round_up(DV, lanes));
  static constexpr int padded_rows = int(round_up(R, Tile::rows));
  static constexpr bool shared_bias = C::dbias;  // heads and sequences may add to the same gradient
  // An LSE of -1e9 has no room for the logarithm of a sum. Only a bias, as masks are given, makes one.
  static constexpr bool has_far_rows = C::bias == Bias::elementwise;
  static constexpr float far = 1024.0f;
  static_assert(BC % Tile::keys == 0 && BC % Tile::rows == 0, "tiles divide blocks of keys");

  struct Scratch {
    float *qt, *dot, *weights, *ds, *keep, *slopes;  // [d][row], [column][row], and [key][row] four times
    float *q, *dout, *keys, *values;               // rows in float32
    float *dq, *dk, *dv;                           // sums of one block of rows, and of one block of keys
    RowState<C, R> state;
    const float *q_rows[R], *dout_rows[R], *k_rows[BC], *v_rows[BC];
    alignas(64) float lse[R], delta[R], factor[R];
  };
  struct Shared {
    float *delta, *dq, *dbias;  // [head row], [part][head row][d], [bias row][key]
    float *origin, *factor;     // [head row] twice: what to subtract from logits, and what powers are multiplied by
  };

 public:
  static int64_t workspace(const tw_args& args) {
    Arena arena(nullptr);
    const int threads = int(max<int64_t>(1, args.launch[0]));
    for (int t = 0; t < threads; ++t) carve(arena);
    carve_shared(arena, args);
    return arena.used();
  }

  static int run(tw_args* args) {
    const AttentionSizes n(*args);
    const int parts = split_count(*args);
    const int64_t items = (shared_bias ? 1 : n.batch * n.heads_kv) * parts;
    const int wanted = args->runtime ? int(max<int64_t>(1, args->launch[0])) : 1;
    if (args->workspace_bytes < workspace(*args))
      return fail(args, "workspace of % bytes, % needed", args->workspace_bytes, workspace(*args));
    int64_t next = 0;
    parallel(args->runtime, wanted, [&](const Team& team) {
      Arena arena(args->workspace);
      Scratch s;
      for (int t = 0; t < max(1, int(args->launch[0])); ++t) {
        const Scratch own = carve(arena);
        if (t == team.index) s = own;
      }
      const Shared shared = carve_shared(arena, *args);
      dots(*args, n, team, shared);
      if constexpr (has_far_rows) origins(*args, n, team, shared, s);
      clear(n, team, shared, parts);
      team.barrier();
      for (;;) {
        const int64_t item = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
        if (item >= items) break;
        const int part = int(item % parts);
        const int64_t first = shared_bias ? 0 : item / parts, count = shared_bias ? n.batch * n.heads_kv : 1;
        for (int64_t head = first; head < first + count; ++head) {
          const Sequence q = sequence_of<C>(*args, n, head / n.heads_kv);
          gradients(*args, n, q, head % n.heads_kv, key_part(q, part, parts, BC), part, shared, s);
        }
      }
      team.barrier();
      convert(*args, n, team, shared, parts);
    });
    return 0;
  }

 private:
  static int64_t rows_of(const AttentionSizes& n) { return (C::varlen ? n.total_q : n.batch * n.seqlen_q) * n.heads_q; }
  static int64_t row_at(const AttentionSizes& n, const Sequence& q, int64_t h, int64_t i) {
    return ((C::varlen ? q.q_begin : q.b * n.seqlen_q) + i) * n.heads_q + h;
  }
  static Scratch carve(Arena& arena) {
    Scratch s;
    s.qt = arena.take<float>(D * R), s.dot = arena.take<float>(DV * R);
    s.weights = arena.take<float>(BC * R + padded_rows), s.ds = arena.take<float>(BC * R + padded_rows);
    s.keep = arena.take<float>(C::dropout ? BC * R : 0), s.slopes = arena.take<float>(C::soft_cap ? BC * R : 0);
    s.q = arena.take<float>(R * wide_d), s.dout = arena.take<float>(R * wide_v);
    s.keys = arena.take<float>(BC * wide_d), s.values = arena.take<float>(BC * wide_v);
    s.dq = arena.take<float>(padded_rows * wide_d);
    s.dk = arena.take<float>(BC * wide_d), s.dv = arena.take<float>(BC * wide_v);
    return s;
  }
  static Shared carve_shared(Arena& arena, const tw_args& a) {
    const int64_t rows = rows_of(AttentionSizes(a));
    const AttentionSizes n(a);
    float* delta = arena.take<float>(rows);
    float* dq = arena.take<float>(rows * split_count(a) * wide_d);
    float* dbias = arena.take<float>(C::dbias ? bias_rows(n) * n.seqlen_k : 0);
    float* origin = arena.take<float>(has_far_rows ? rows : 0);
    return {delta, dq, dbias, origin, arena.take<float>(has_far_rows ? rows : 0)};
  }
  template <class F>
  static void each_row(const tw_args& a, const AttentionSizes& n, const Team& team, const F& f) {
    for (int64_t b = 0; b < n.batch; ++b) {
      const Sequence q = sequence_of<C>(a, n, b);
      const Range own = partition(q.rows * n.heads_q, 1, team.count, team.index);
      for (int64_t i = own.begin; i < own.end; ++i) f(q, i % n.heads_q, i / n.heads_q);
    }
  }

  // First step: dot(dO, O).
  static void dots(const tw_args& a, const AttentionSizes& n, const Team& team, const Shared& shared) {
    each_row(a, n, team, [&](const Sequence& q, int64_t h, int64_t i) {
      const E* x = query_row<C, const E>(a, At::out, q, h, i);
      const E* y = query_row<C, const E>(a, At::dout, q, h, i);
      vf sums{};
      int c = 0;
      for (; c + lanes <= DV; c += lanes) sums = load(x + c) * load(y + c) + sums;
      if (c < DV) sums = load_partial(x + c, DV - c) * load_partial(y + c, DV - c) + sums;
      float sum = 0.0f;
      for (int l = 0; l < lanes; ++l) sum += sums[l];
      shared.delta[row_at(n, q, h, i)] = sum;
    });
  }
  static void clear(const AttentionSizes& n, const Team& team, const Shared& shared, int parts) {
    const Range own = partition(rows_of(n) * parts * wide_d, lanes, team.count, team.index);
    for (int64_t i = own.begin; i < own.end; i += lanes) store_bits(shared.dq + i, vf{});
    const Range biases = partition(C::dbias ? bias_rows(n) * n.seqlen_k : 0, 1, team.count, team.index);
    for (int64_t i = biases.begin; i < biases.end; ++i) shared.dbias[i] = 0.0f;
  }
  static int64_t bias_rows(const AttentionSizes& n) {
    return n.bias_batch * n.bias_heads * (C::varlen ? n.total_q : n.seqlen_q);
  }

  static float lse_of(const tw_args& a, const Sequence& q, int64_t h, int64_t i) {
    return static_cast<const float*>(a.tensors[At::lse])[lse_offset<C>(a, At::lse, q, h, i)];
  }
  static bool is_far(float lse) { return (lse < -far || lse > far) && lse - lse == 0.0f; }

  // Also in the first step: the origins of rows, and factors of those whose LSE is far from 0.
  static void origins(const tw_args& a, const AttentionSizes& n, const Team& team, const Shared& shared, Scratch& s) {
    int64_t item = 0;
    for (int64_t b = 0; b < n.batch; ++b) {
      const Sequence q = sequence_of<C>(a, n, b);
      for (int64_t h = 0; h < n.heads_q; ++h) {
        for (int64_t i = 0; i < q.rows; i += R) {
          if (item++ % team.count != team.index) continue;
          const int64_t count = min<int64_t>(R, q.rows - i);
          bool wanted = false;
          for (int64_t r = i; r < i + count; ++r) {
            const float lse = lse_of(a, q, h, r);
            shared.origin[row_at(n, q, h, r)] = lse, shared.factor[row_at(n, q, h, r)] = 1.0f;
            wanted = wanted || is_far(lse);
          }
          if (wanted) normalise(a, n, RowBlock{q, h / n.group(), h, i, count, count, 0}, shared, s);
        }
      }
    }
  }
  // The maxima and sums of a block of rows once more, for those whose LSE is far from 0.
  static void normalise(const tw_args& a, const AttentionSizes& n, const RowBlock& b, const Shared& shared,
                        Scratch& s) {
    const float rate = exponent_rate<C>(a);
    const Extent e = extent_of<C>(n, b);
    load_queries(a, n, b, s);
    for (int64_t j = 0; j < e.last; j += BC) {
      const int count = int(min<int64_t>(BC, b.q.keys - j));
      gather<D, wide_d>(a, n, At::k, b.q, b.kv_head, j, count, s.keys, s.k_rows);
      for (int t = 0; t < count; t += Tile::keys) score_keys<D, NV, Tile::keys>(s.k_rows + t, s.qt, s.weights + t * R);
      s.state.finish_scores(a, n, b, e, j, count, s.weights, C::soft_cap ? s.slopes : nullptr);
      vf shrink[NV];
      s.state.raise_tops(s.weights, count, rate, shrink);
      TW_UNROLL for (int v = 0; v < NV; ++v) {
        vf sum = load_bits<vf>(s.state.sum + v * lanes);
        for (int i = 0; i < count; ++i)
          sum = sum + power<C>(load_bits<vf>(s.weights + i * R + v * lanes), s.state.origin(v, rate), splat<vf>(rate));
        store_bits(s.state.sum + v * lanes, sum);
      }
    }
    for (int r = 0; r < b.count; ++r) {
      const int64_t at = row_at(n, b.q, b.head(r), b.row(r));
      if (is_far(shared.origin[at])) shared.origin[at] = s.state.top[r], shared.factor[at] = 1.0f / s.state.sum[r];
    }
  }

  // Second step: the blocks of keys of one key head, against the rows of the query heads that it serves.
  static void gradients(const tw_args& a, const AttentionSizes& n, const Sequence& q, int64_t kv_head,
                        const Range& keys, int part, const Shared& shared, Scratch& s) {
    for (int64_t j = keys.begin; j < keys.end; j += BC) {
      const int count = int(min<int64_t>(BC, keys.end - j));
      gather<D, wide_d>(a, n, At::k, q, kv_head, j, count, s.keys, s.k_rows);
      gather<DV, wide_v>(a, n, At::v, q, kv_head, j, count, s.values, s.v_rows);
      for (int i = 0; i < BC * wide_d; i += lanes) store_bits(s.dk + i, vf{});
      for (int i = 0; i < BC * wide_v; i += lanes) store_bits(s.dv + i, vf{});
      for (int64_t h = kv_head * n.group(); h < (kv_head + 1) * n.group(); ++h) {
        for (int64_t i = 0; i < q.rows; i += R) {
          const RowBlock b{q, kv_head, h, i, min<int64_t>(R, q.rows - i), min<int64_t>(R, q.rows - i), 0};
          const Extent e = extent_of<C>(n, b);
          if (j < e.last && (j < e.sink || j + count > e.first)) add_block(a, n, b, e, j, count, part, shared, s);
        }
      }
      store_rows<D, wide_d>(a, n, At::dk, q, kv_head, j, count, s.dk, float(a.scalars[0]));
      store_rows<DV, wide_v>(a, n, At::dv, q, kv_head, j, count, s.dv, 1.0f);
    }
  }

  static void add_block(const tw_args& a, const AttentionSizes& n, const RowBlock& b, const Extent& e, int64_t j,
                        int count, int part, const Shared& shared, Scratch& s) {
    load_rows(a, n, b, shared, s);
    for (int t = 0; t < count; t += Tile::keys) {
      score_keys<D, NV, Tile::keys>(s.k_rows + t, s.qt, s.weights + t * R);
      score_keys<DV, NV, Tile::keys>(s.v_rows + t, s.dot, s.ds + t * R);
    }
    s.state.finish_scores(a, n, b, e, j, count, s.weights, C::soft_cap ? s.slopes : nullptr);
    score_gradients(a, n, b, j, count, s);
    if constexpr (C::dbias) add_bias_gradient(n, b, j, count, shared, s);
    for (int i = 0; i < count * R && C::soft_cap; i += lanes)
      store_bits(s.ds + i, load_bits<vf>(s.ds + i) * load_bits<vf>(s.slopes + i));
    const int rows = int(b.count);
    for (int k = 0; k < count; k += Tile::rows) {
      add_all_values<Tile::rows, Tile::columns, DV, 1, R>(s.dout_rows, rows, s.weights + k * R, s.dv + k * wide_v);
      add_all_values<Tile::rows, Tile::columns, D, 1, R>(s.q_rows, rows, s.ds + k * R, s.dk + k * wide_d);
    }
    for (int i = 0; i < padded_rows * wide_d; i += lanes) store_bits(s.dq + i, vf{});
    for (int r = 0; r < rows; r += Tile::rows)
      add_all_values<Tile::rows, Tile::columns, D, R>(s.k_rows, count, s.ds + r, s.dq + r * wide_d);
    for (int r = 0; r < rows; ++r) {
      float* sum = shared.dq + (part * rows_of(n) + row_at(n, b.q, b.head(r), b.row(r))) * wide_d;
      for (int c = 0; c < wide_d; c += lanes)
        store_bits(sum + c, load_bits<vf>(sum + c) + load_bits<vf>(s.dq + r * wide_d + c));
    }
  }

  // Logits become weights (with dropout), and the gradients of weights become those of logits.
  static void score_gradients(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count,
                              Scratch& s) {
    const vf per = splat<vf>(exponent_rate<C>(a));
    if constexpr (C::dropout) {
      for (int i = 0; i < count * R; i += lanes) store_bits(s.keep + i, splat<vf>(1.0f));
      RowState<C, R>::drop(a, n, b, j0, count, s.keep);
    }
    for (int j = 0; j < count; ++j) {
      TW_UNROLL for (int v = 0; v < NV; ++v) {
        const int at = j * R + v * lanes;
        const vf logit = load_bits<vf>(s.weights + at);
        const vf keep = C::dropout ? load_bits<vf>(s.keep + at) : splat<vf>(1.0f);
        vf p = power<C>(logit, load_bits<vf>(s.lse + v * lanes), per);
        if constexpr (has_far_rows) p = p * load_bits<vf>(s.factor + v * lanes);
        const vf ds = p * (load_bits<vf>(s.ds + at) * keep - load_bits<vf>(s.delta + v * lanes));
        store_bits(s.weights + at, C::dropout ? p * keep : p);
        store_bits(s.ds + at, ds);
      }
    }
    for (int j = count; j % Tile::rows; ++j)  // tiles of keys past the end
      for (int r = 0; r < R; ++r) s.weights[j * R + r] = 0.0f, s.ds[j * R + r] = 0.0f;
  }
  static void add_bias_gradient(const AttentionSizes& n, const RowBlock& b, int64_t j0, int count, const Shared& shared,
                                const Scratch& s) {
    const int64_t rows = C::varlen ? n.total_q : n.seqlen_q;
    for (int r = 0; r < b.count; ++r) {
      const int64_t head = (n.bias_batch > 1 ? b.q.b * n.bias_heads : 0) + (n.bias_heads > 1 ? b.head(r) : 0);
      float* row = shared.dbias + (head * rows + (C::varlen ? b.q.q_begin : 0) + b.row(r)) * n.seqlen_k + j0;
      for (int j = 0; j < count; ++j) row[j] += s.ds[j * R + r];
    }
  }

  // What a block of rows needs: Q and dO in float32, as rows and turned; the LSE as an origin; dot(dO, O).
  static void load_rows(const tw_args& a, const AttentionSizes& n, const RowBlock& b, const Shared& shared,
                        Scratch& s) {
    load_queries(a, n, b, s);
    for (int r = 0; r < R; ++r) {
      const int64_t at = min<int64_t>(r, b.count - 1), h = b.head(at), i = b.row(at);
      s.dout_rows[r] = widened<DV>(query_row<C, const E>(a, At::dout, b.q, h, i), s.dout + r * wide_v);
      float lse;
      if constexpr (has_far_rows) {
        lse = shared.origin[row_at(n, b.q, h, i)];
        s.factor[r] = shared.factor[row_at(n, b.q, h, i)];
      } else {
        lse = lse_of(a, b.q, h, i);
      }
      // The weights of a row that sees nothing are 0.
      s.lse[r] = lse > hidden ? lse * (C::bias == Bias::none ? log2_e : 1.0f) : __builtin_inff();
      s.delta[r] = shared.delta[row_at(n, b.q, h, i)];
    }
    transpose_rows<DV, NV>(s.dout_rows, s.dot);
  }
  static void load_queries(const tw_args& a, const AttentionSizes& n, const RowBlock& b, Scratch& s) {
    s.state.begin(a, n, b);
    for (int r = 0; r < R; ++r) {
      const int64_t at = min<int64_t>(r, b.count - 1);
      s.q_rows[r] = widened<D>(query_row<C, const E>(a, At::q, b.q, b.head(at), b.row(at)), s.q + r * wide_d);
    }
    transpose_rows<D, NV>(s.q_rows, s.qt);
  }
  template <int N>
  static const float* widened(const E* from, float* to) {
    if constexpr (is_same<E, float>) return from;
    else {
      int i = 0;
      for (; i + lanes <= N; i += lanes) store_bits(to + i, load(from + i));
      for (; i < N; ++i) to[i] = to_float(from[i]);
      return to;
    }
  }
  template <int N, int Width>
  static void gather(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h, int64_t j0,
                     int count, float* to, const float** rows) {
    for (int j = 0; j < BC; ++j) {  // past the end the last repeats
      const int at = min(j, count - 1);
      const E* row = key_row<C, const E>(a, n, slot, q, h, j0 + at);
      for (int c = 0; c < N && j < count; c += lanes)
        store_bits(to + j * Width + c, N - c >= lanes ? load(row + c) : load_partial(row + c, N - c));
      rows[j] = to + at * Width;
    }
  }
  template <int N, int Width>
  static void store_rows(const tw_args& a, const AttentionSizes& n, int slot, const Sequence& q, int64_t h, int64_t j0,
                         int count, const float* from, float factor) {
    for (int j = 0; j < count; ++j) {
      E* to = key_row<C, E>(a, n, slot, q, h, j0 + j);
      store_row<N>(to, from + j * Width, 1, 0, factor);
    }
  }
  // The sum of `parts` rows, times `factor`.
  template <int N>
  static void store_row(E* to, const float* from, int parts, int64_t step, float factor) {
    for (int c = 0; c < N; c += lanes) {
      vf x = load_bits<vf>(from + c);
      for (int p = 1; p < parts; ++p) x = x + load_bits<vf>(from + p * step + c);
      x = splat<vf>(factor) * x;
      if (N - c >= lanes) store(to + c, x);
      else store_partial(to + c, x, N - c);
    }
  }

  // Third step: dQ, and the gradient of the bias.
  static void convert(const tw_args& a, const AttentionSizes& n, const Team& team, const Shared& shared, int parts) {
    each_row(a, n, team, [&](const Sequence& q, int64_t h, int64_t i) {
      E* to = query_row<C, E>(a, At::dq, q, h, i);
      store_row<D>(to, shared.dq + row_at(n, q, h, i) * wide_d, parts, rows_of(n) * wide_d, float(a.scalars[0]));
    });
    if constexpr (C::dbias) {
      using B = typename C::BiasElement;
      const int64_t rows = C::varlen ? n.total_q : n.seqlen_q, *st = a.strides[At::dbias];
      const Range own = partition(bias_rows(n), 1, team.count, team.index);
      for (int64_t i = own.begin; i < own.end; ++i) {
        const int64_t head = i / rows;
        B* to = static_cast<B*>(a.tensors[At::dbias]) + head / n.bias_heads * st[0] + head % n.bias_heads * st[1];
        to += i % rows * st[2];
        for (int64_t j = 0; j < n.seqlen_k; ++j) to[j * st[3]] = from_float<B>(shared.dbias[i * n.seqlen_k + j]);
      }
    }
  }
};

}  // namespace tw
