// Attention forward with vector code: blocks of query rows against blocks of keys, with a running maximum and sum for
// each row. A single row (decoding without shared heads) turns the softmax round: its lanes are keys.
//
// With several splits, each part of the keys leaves its sums and its part of the output in the workspace, and a second
// step combines them.
#pragma once
#include "tw/attention/block.hpp"
#include "tw/attention/split.hpp"
#include "tw/attention/tile.hpp"

namespace tw {

template <class C>
class Attention {
  using E = typename C::Element;
  using At = typename C::Slots;
  static constexpr int NV = C::row_vectors, R = NV * lanes, BC = 96, D = C::hdim_q, DV = C::hdim_v;
#if defined(TW_NEON)
  static constexpr bool arm = true;
#else
  static constexpr bool arm = false;
#endif
  static constexpr int width = int(round_up(DV, lanes));
  static constexpr int v_stride = width + (arm ? 16 : 0);  // else rows of 512 bytes share few sets of the L1 cache
  using Tile = AttentionTile<NV>;
  static constexpr int tile_keys = Tile::keys, tile_rows = Tile::rows, tile_columns = Tile::columns;
  static constexpr int padded_rows = int(round_up(R, tile_rows));
  static constexpr bool convert = !is_same<E, float>, scaled = C::qscale != QScale::none;
  static_assert(BC % tile_keys == 0 && BC % lanes == 0, "tiles divide blocks, and so do the words of dropout");

  static constexpr int most_shared = arm ? 16 : 4;  // blocks of rows that share one copy of a block of keys

  struct Scratch {
    float *qt, *row, *scores, *out, *keys, *values;  // `row`: the queries of a single row, not transposed
    RowState<C, R> states[most_shared];
    Extent extents[most_shared];
    const float *k[BC], *v[BC];      // rows in float32
    const E *own_k[BC], *own_v[BC];  // rows where they lie: what a single row reads
    alignas(64) float q_factors[most_shared][R], k_factors[BC], v_factors[BC];  // of 8-bit operands
  };

 public:
  static int64_t workspace(const tw_args& args) {
    Arena arena(nullptr);
    const int threads = int(max<int64_t>(1, args.launch[0]));
    for (int t = 0; t < threads; ++t) carve(arena);
    Partials<C>::carve(arena, AttentionSizes(args), split_count(args));
    return arena.used();
  }

  static int run(tw_args* args) {
    const AttentionSizes n(*args);
    const int splits = split_count(*args);
    const int wanted = args->runtime ? int(max<int64_t>(1, args->launch[0])) : 1;
    int shared = most_shared;  // fewer where threads would have nothing to do
    const int64_t heads = n.batch * n.heads_kv;
    while (shared > 1 && heads * row_blocks(n, n.seqlen_q, R * shared) * splits < 4 * wanted) shared /= 2;
    const int size = R * shared;
    const int64_t per_head = row_blocks(n, n.seqlen_q, size), items = heads * per_head * splits;
    const int threads = int(min<int64_t>(wanted, max<int64_t>(items, 1)));
    if (args->workspace_bytes < workspace(*args))
      return fail(args, "workspace of % bytes, % needed", args->workspace_bytes, workspace(*args));
    int64_t next = 0;
    parallel(args->runtime, threads, [&](const Team& team) {
      Arena arena(args->workspace);
      Scratch s;
      for (int t = 0; t < max(1, int(args->launch[0])); ++t) {
        const Scratch own = carve(arena);
        if (t == team.index) s = own;
      }
      const Partials<C> partials = Partials<C>::carve(arena, n, splits);
      for (;;) {  // blocks differ in work, so each thread takes the next one; the longest rows of a mask come first
        const int64_t item = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
        if (item >= items) break;
        const int64_t block = item / splits, head = block / per_head, index = per_head - 1 - block % per_head;
        const Sequence q = sequence_of<C>(*args, n, head / n.heads_kv);
        if (index >= row_blocks(n, q.rows, size)) continue;
        const RowBlock all = row_block(n, q, head % n.heads_kv, index, size);
        const int split = int(item % splits);
        attend(*args, n, all, key_part(q, split, splits, BC), s);
        for (int i = 0; i * R < all.count; ++i) {
          if (splits == 1) finish(*args, all.part(i * R, R), i, s);
          else keep(*args, n, all.part(i * R, R), i, partials, split, s);
        }
      }
      if (splits > 1) {
        team.barrier();
        partials.combine(*args, n, team);
      }
    });
    return 0;
  }

 private:
  static Scratch carve(Arena& arena) {
    Scratch s;
    s.qt = arena.take<float>(most_shared * D * R);
    s.row = arena.take<float>(D);
    s.scores = arena.take<float>(BC * R + padded_rows);  // rows past the end belong to the next key: read, never used
    s.out = arena.take<float>(most_shared * padded_rows * width);
    s.keys = arena.take<float>(BC * D);
    s.values = arena.take<float>(BC * v_stride);
    return s;
  }

  // Whether a row is computed on its own, in another order than rows of blocks: not if a launch wants all rows alike.
  static bool is_single(const tw_args& a, const RowBlock& all) { return all.count == 1 && a.launch[4] == 0; }

  static void attend(const tw_args& a, const AttentionSizes& n, const RowBlock& all, const Range& part, Scratch& s) {
    Extent whole{all.q.keys, 0, 0, 0, 0};
    const bool single = is_single(a, all);
    const int blocks = int(ceil_div(all.count, R));
    for (int i = 0; i < blocks; ++i) {
      const RowBlock b = all.part(i * R, R);
      Extent& e = s.extents[i];
      e = extent_of<C>(n, b);
      e.last = min(e.last, part.end);
      whole.first = min(whole.first, e.first), whole.last = max(whole.last, e.last);
      whole.sink = max(whole.sink, e.sink);
      begin(a, n, b, i, single, s);
    }
    const int64_t from = whole.sink > 0 ? 0 : whole.first / BC * BC;
    for (int64_t j = max(from, part.begin); j < whole.last; j += BC) {
      if (j >= whole.sink && j + BC <= whole.first) continue;  // between the sink tokens and the window
      gather(a, n, all, j, int(min<int64_t>(BC, whole.last - j)), s);
      for (int i = 0; i < blocks; ++i) {
        const Extent& e = s.extents[i];
        if (j >= e.last || (j >= e.sink && j + BC <= e.first)) continue;
        const int count = int(min<int64_t>(BC, e.last - j));
        if (single) one_row(a, n, all, j, count, s);
        else many_rows(a, n, all.part(i * R, R), i, j, count, s);
      }
    }
  }

  static float rate(const tw_args& a) { return exponent_rate<C>(a); }

  static void many_rows(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int i, int64_t j, int count,
                        Scratch& s) {
    float* out = s.out + int64_t(i) * padded_rows * width;
    for (int t = 0; t < count; t += tile_keys)
      score_keys<D, NV, tile_keys>(s.k + t, s.qt + i * D * R, s.scores + t * R);
    if constexpr (scaled) {
      for (int t = 0; t < count; ++t)
        for (int v = 0; v < R; v += lanes)
          scale_lanes(s.scores + t * R + v, load_bits<vf>(s.q_factors[i] + v) * splat<vf>(s.k_factors[t]));
    }
    s.states[i].finish_scores(a, n, b, s.extents[i], j, count, s.scores);
    softmax(a, b, count, s.states[i], s.scores, out);
    if constexpr (C::dropout) RowState<C, R>::drop(a, n, b, j, count, s.scores);
    if constexpr (scaled) {
      for (int t = 0; t < count; ++t)
        for (int v = 0; v < R; v += lanes) scale_lanes(s.scores + t * R + v, splat<vf>(s.v_factors[t]));
    }
    const int together = arm ? int(b.count) : tile_rows;
    for (int r = 0; r < b.count; r += together)
      add_all_values<tile_rows, tile_columns, DV, R>(s.v, count, s.scores + r, out + r * width, together);
  }

  static TW_INLINE void scale_lanes(float* at, vf factor) { store_bits(at, factor * load_bits<vf>(at)); }

  // Scores become weights; sums and earlier output are brought to the new maximum.
  static void softmax(const tw_args& a, const RowBlock& b, int count, RowState<C, R>& state, float* scores,
                      float* out) {
    vf shrink[NV];
    if (state.raise_tops(scores, count, rate(a), shrink)) {
      for (int r = 0; r < b.count; ++r, out += width) {
        const vf f = splat<vf>(shrink[r / lanes][r % lanes]);
        for (int c = 0; c < width; c += lanes) store_bits(out + c, f * load_bits<vf>(out + c));
      }
    }
    const vf per = splat<vf>(rate(a));
#if defined(TW_NEON)
    vf origin[NV], sum[NV];
    TW_UNROLL for (int v = 0; v < NV; ++v) origin[v] = state.origin(v, rate(a)), sum[v] = vf{};
    for (float* at = scores; at < scores + count * R; at += R) {
      vf p[NV];
      TW_UNROLL for (int v = 0; v < NV; ++v) p[v] = exponent<C>(load_bits<vf>(at + v * lanes), origin[v], per);
      vexp2(p);
      TW_UNROLL for (int v = 0; v < NV; ++v) store_bits(at + v * lanes, p[v]);
      TW_UNROLL for (int v = 0; v < NV; ++v) sum[v] = sum[v] + p[v];
    }
    TW_UNROLL for (int v = 0; v < NV; ++v)
      store_bits(state.sum + v * lanes, load_bits<vf>(state.sum + v * lanes) + sum[v]);
#else
    TW_UNROLL for (int v = 0; v < NV; ++v) {
      float* at = scores + v * lanes;
      const vf origin = state.origin(v, rate(a));
      vf sum{};
      for (int j = 0; j < count; ++j) {
        const vf p = power<C>(load_bits<vf>(at + j * R), origin, per);
        sum = sum + p;
        store_bits(at + j * R, p);
      }
      store_bits(state.sum + v * lanes, load_bits<vf>(state.sum + v * lanes) + sum);
    }
#endif
  }

  // Whether rows of keys follow each other in memory: the CPU then asks for them early by itself.
  static bool streams(const tw_args& a) {
    const int step = C::varlen ? 0 : 1;
    return arm && C::lookup == Lookup::none && a.strides[At::k][step] == D && a.strides[At::v][step] == DV;
  }

  // The same for a single row, whose scores lie one after another.
  static void one_row(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count, Scratch& s) {
    // Memory decides, and rows of a head lie far apart: values of this block and keys of the next are asked for early.
    const int64_t next = s.extents[0].last - j0 - BC;
    for (int t = 0; t < count; t += Tile::row_keys) {
      for (int i = t; i < t + Tile::row_keys && !streams(a); ++i) {
        if constexpr (!C::v_columns) prefetch_row<DV>(s.own_v[i]);
        if (i < next) prefetch_row<D>(key_row<C, const E>(a, n, At::k, b.q, b.kv_head, j0 + BC + i));
      }
      score_row<D>(s.own_k + t, s.row, s.scores + t);
    }
    if constexpr (scaled) {
      for (int j = 0; j < count; j += lanes)
        scale_lanes(s.scores + j, load_bits<vf>(s.k_factors + j) * splat<vf>(s.q_factors[0][0]));
    }
    line_logits(a, n, b, j0, count, s);
    RowState<C, R>& state = s.states[0];
    vf tops = splat<vf>(state.top[0]);
    for (int j = 0; j < count; j += lanes) tops = vmax(load_bits<vf>(s.scores + j), tops);
    float top = state.top[0];
    TW_UNROLL for (int i = 0; i < lanes; ++i) top = max(top, float(tops[i]));
    const vf per = splat<vf>(rate(a)), origin = origin_of<C>(safe_maximum(splat<vf>(top)), rate(a));
    if (top != state.top[0] && state.top[0] > hidden) {
      const vf shrink = vexp2(splat<vf>((state.top[0] - top) * rate(a)));
      state.sum[0] *= shrink[0];
      for (int c = 0; c < width; c += lanes) store_bits(s.out + c, shrink * load_bits<vf>(s.out + c));
    }
    vf sums{};
    for (int j = 0; j < count; j += lanes) {
      const vf p = power<C>(load_bits<vf>(s.scores + j), origin, per);
      sums = sums + p;
      store_bits(s.scores + j, p);
    }
    TW_UNROLL for (int i = 0; i < lanes; ++i) state.sum[0] += sums[i];
    state.top[0] = top;
    if constexpr (C::dropout) {
      const Dropout d(a, At::rng);
      for (int j = 0; j < count; j += 4) {
        float keep[4];
        d.factors(uint32_t((j0 + j) >> 2), uint32_t(b.row(0)), uint32_t(b.q.b * n.heads_q + b.head(0)), keep);
        for (int i = 0; i < 4; ++i) s.scores[j + i] *= keep[i];
      }
    }
    if constexpr (scaled) {
      for (int j = 0; j < count; j += lanes) scale_lanes(s.scores + j, load_bits<vf>(s.v_factors + j));
    }
    if constexpr (C::v_columns) add_all_values<1, Tile::row_columns, DV, 1>(s.v, count, s.scores, s.out);
    else add_all_values<1, Tile::row_columns, DV, 1>(s.own_v, count, s.scores, s.out);
  }
  static void line_logits(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count,
                          Scratch& s) {
    const RowState<C, R>& state = s.states[0];
    if (!scaled_late<C>(a)) {
      scale_scores<C>(a, count, s.scores);
      if constexpr (C::bias == Bias::elementwise) {
        const BiasRow<C> bias(a, n, At::bias, b.q, b.head(0), b.row(0));
        for (int j = 0; j < count; ++j) s.scores[j] += bias[j0 + j];
      } else if constexpr (C::bias == Bias::alibi) {
        for (int j = 0; j < count; ++j) {
          const int64_t distance = state.position[0] - (j0 + j);
          s.scores[j] -= state.slope[0] * float(distance < 0 ? -distance : distance);
        }
      }
    }
    const int whole = int(round_up(count, lanes));
    for (int j = arm && !C::masked ? count : 0; j < whole; ++j) {
      const int64_t key = j0 + j;
      const bool seen = j < count && key < state.high[0] && (key >= state.low[0] || key < state.sink[0]);
      if (!seen) s.scores[j] = hidden;
    }
  }

  // Queries transposed; the state of the running softmax.
  static void begin(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int i, bool single,
                    Scratch& s) {
    s.states[i].begin(a, n, b);
    float *qt = s.qt + i * D * R, *out = s.out + int64_t(i) * padded_rows * width;
    for (int r = 0; r < R && scaled; ++r) {
      const int64_t at = min<int64_t>(r, b.count - 1);
      s.q_factors[i][r] = row_factor<C>(a, At::scale_q, b.q.b, b.head(at), b.row(at), n.block_q);
    }
    if (single) widen_row<D>(query_row<C, const E>(a, At::q, b.q, b.head(0), b.row(0)), s.row);
    if (!single) {
      const E* rows[R];
      for (int r = 0; r < R; ++r) {  // past the end the last repeats; its scores are masked
        const int64_t at = min<int64_t>(r, b.count - 1);
        rows[r] = query_row<C, const E>(a, At::q, b.q, b.head(at), b.row(at));
      }
      transpose_rows<D, NV>(rows, qt);
    }
    const int64_t rows = single ? 1 : padded_rows;
    for (int64_t c = 0; c < rows * width; c += lanes) store_bits(out + c, vf{});
  }

  // Where the rows of a block of keys are; those of 16 and 8 bits are widened first. Past the end the last repeats.
  static void gather(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count, Scratch& s) {
    const bool single = is_single(a, b), few = !single && b.count <= lanes;  // memory decides; a single row looks ahead on its own
    const int ahead = few ? int(min<int64_t>(b.q.keys - j0 - BC, BC)) : 0;
    for (int j = 0; j < ahead; ++j) {
      prefetch_row<D>(key_row<C, const E>(a, n, At::k, b.q, b.kv_head, j0 + BC + j));
      if constexpr (!C::v_columns) prefetch_row<DV>(key_row<C, const E>(a, n, At::v, b.q, b.kv_head, j0 + BC + j));
    }
    if constexpr (arm && !C::v_columns && !scaled && C::lookup == Lookup::none) {
      if (single) return point(a, n, b, j0, count, s);
    }
    // Many rows read the block: copies that are aligned and lie together pay for themselves.
    const bool copied = !single && (convert || b.count > lanes);
    for (int j = 0; j < BC; ++j) {
      const int at = min(j, count - 1);
      const E* key = key_row<C, const E>(a, n, At::k, b.q, b.kv_head, j0 + at);
      const E* value = key_row<C, const E>(a, n, At::v, b.q, b.kv_head, j0 + at);
      s.own_k[j] = key, s.own_v[j] = value;
      s.k[j] = s.keys + at * D, s.v[j] = s.values + at * v_stride;
      if constexpr (scaled) {
        s.k_factors[j] = row_factor<C>(a, At::scale_k, b.q.b, b.kv_head, j0 + at, n.block_k);
        s.v_factors[j] = row_factor<C>(a, At::scale_v, b.q.b, b.kv_head, j0 + at, n.block_k);
      }
      if (C::v_columns && j < count) {
        const int64_t step = a.strides[At::v][C::varlen ? 2 : 3];
        for (int c = 0; c < DV; ++c) s.values[j * v_stride + c] = to_float(value[c * step]);
      }
      if (copied) {
        if (j >= count) continue;
        widen_row<D>(key, s.keys + j * D);
        if constexpr (!C::v_columns) widen_row<DV>(value, s.values + j * v_stride);
      } else if constexpr (!convert) {
        s.k[j] = key;
        if constexpr (!C::v_columns) s.v[j] = value;
      }
    }
  }
  // Where the rows of a single row's block are: at equal distances.
  static void point(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count, Scratch& s) {
    const E* key = key_row<C, const E>(a, n, At::k, b.q, b.kv_head, j0);
    const E* value = key_row<C, const E>(a, n, At::v, b.q, b.kv_head, j0);
    const int64_t key_step = a.strides[At::k][C::varlen ? 0 : 1], value_step = a.strides[At::v][C::varlen ? 0 : 1];
    for (int j = 0; j < count; ++j) s.own_k[j] = key + j * key_step, s.own_v[j] = value + j * value_step;
    for (int j = count; j % Tile::row_keys; ++j) s.own_k[j] = s.own_k[count - 1], s.own_v[j] = s.own_v[count - 1];
  }
  template <int N>
  static void prefetch_row(const E* row) {
    for (int i = 0; i < N * int(sizeof(E)); i += 64) __builtin_prefetch(reinterpret_cast<const char*>(row) + i);
  }
  template <int N>
  static void widen_row(const E* from, float* to) {
    constexpr int whole = N / lanes * lanes;
#if defined(TW_NEON)
    TW_UNROLL
#endif
    for (int i = 0; i < whole; i += lanes) store_bits(to + i, load(from + i));
    for (int i = whole; i < N; ++i) to[i] = to_float(from[i]);
  }

  static void finish(const tw_args& a, const RowBlock& b, int i, Scratch& s) {
    using O = typename C::Out;
    for (int r = 0; r < b.count; ++r) {
      const float sum = s.states[i].sum[r];
      const vf factor = splat<vf>(sum != 0.0f ? 1.0f / sum : 0.0f);
      const float* from = s.out + (int64_t(i) * padded_rows + r) * width;
      O* to = query_row<C, O>(a, At::out, b.q, b.head(r), b.row(r));
      for (int c = 0; c < DV; c += lanes) {
        const vf x = factor * load_bits<vf>(from + c);
        if (DV - c >= lanes) store(to + c, x);
        else store_partial(to + c, x, DV - c);
      }
    }
    if constexpr (C::lse) s.states[i].store_lse(a, b, rate(a) / log2_e);
  }
  static void keep(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int i, const Partials<C>& partials,
                   int split, const Scratch& s) {
    for (int r = 0; r < b.count; ++r)
      partials.keep(n, b, r, split, s.states[i].top[r], s.states[i].sum[r],
                    s.out + (int64_t(i) * padded_rows + r) * width);
  }
};

}  // namespace tw
