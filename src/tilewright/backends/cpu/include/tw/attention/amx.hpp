// Attention forward of bf16 with AMX tiles.
//
// Both products are formed transposed: scores[key][row] = K * Q^T and out[column][row] = V^T * weights. So the left
// operands are K as it lies and V turned once for each key head, the right operands are Q turned once for each block of
// rows and the weights, whose pairs of keys lie side by side as the tiles want them; and lanes are rows throughout.
#pragma once
#include "tw/amx.hpp"
#include "tw/attention/block.hpp"
#include "tw/gemm/pack.hpp"

namespace tw {

template <class C>
class AttentionAmx {
  using At = typename C::Slots;
  static constexpr int D = C::hdim_q, DV = C::hdim_v, BC = C::block_keys, NB = C::row_vectors / 2, R = 2 * lanes;
  static constexpr int depth = int(ceil_div(D, 32)), columns = int(ceil_div(DV, 16));  // tiles along hdim
  static constexpr int pairs = int(ceil_div(columns, 2));  // of column tiles; the last may be half empty
  static constexpr int tile = 512;                         // elements of a tile of bf16
  static_assert(lanes == 16 && BC % 32 == 0 && C::row_vectors % 2 == 0, "tiles of 16 rows and 32 keys");

  struct Scratch {
    bf16 *q, *k, *v, *weights;  // all in tiles
    float *scores, *out;        // [key][row] of 32 rows, [column][row] of each 32 rows
    uint8_t* ready;             // which blocks of keys are packed
    RowState<C, R> state[NB];
    Extent extent[NB];
    int64_t packed_head;
  };

 public:
  static int64_t workspace(const tw_args& args) {
    Arena arena(nullptr);
    const int threads = int(max<int64_t>(1, args.launch[0]));
    for (int t = 0; t < threads; ++t) carve(arena, AttentionSizes(args));
    return arena.used();
  }

  static int run(tw_args* args) {
    const AttentionSizes n(*args);
    const int64_t per_head = row_blocks(n, n.seqlen_q, R * NB), items = n.batch * n.heads_kv * per_head;
    const int wanted = args->runtime ? int(max<int64_t>(1, args->launch[0])) : 1;
    const int threads = int(min<int64_t>(wanted, max<int64_t>(items, 1)));
    if (args->workspace_bytes < workspace(*args))
      return fail(args, "workspace of % bytes, % needed", args->workspace_bytes, workspace(*args));
    if (!amx_permitted()) return fail(args, amx_refused);
    // Each thread packs the keys that it needs, so it takes several neighbouring blocks of rows at a time.
    const int64_t grain = max<int64_t>(1, items / (threads * 8));
    int64_t next = 0;
    parallel(args->runtime, threads, [&](const Team& team) {
      Arena arena(args->workspace);
      Scratch s;
      for (int t = 0; t <= team.index; ++t) s = carve(arena, n);
      const TileScope tiles(full_tiles());
      for (;;) {
        const int64_t from = __atomic_fetch_add(&next, grain, __ATOMIC_RELAXED), to = min(from + grain, items);
        if (from >= items) return;
        for (int64_t item = from; item < to; ++item) {
          const int64_t head = item / per_head, index = per_head - 1 - item % per_head;
          const Sequence q = sequence_of<C>(*args, n, head / n.heads_kv);
          if (index >= row_blocks(n, q.rows, R * NB)) continue;
          if (head != s.packed_head) {
            for (int64_t i = 0; i < ceil_div(n.seqlen_k, BC); ++i) s.ready[i] = 0;
            s.packed_head = head;
          }
          attend(*args, n, row_block(n, q, head % n.heads_kv, index, R * NB), s);
        }
      }
    });
    return 0;
  }

 private:
  static TileConfig full_tiles() {
    TileConfig config;
    for (int t = 0; t < 8; ++t) config.set(t, 16, 64);
    return config;
  }
  static Scratch carve(Arena& arena, const AttentionSizes& n) {
    Scratch s;
    const int64_t blocks = ceil_div(n.seqlen_k, BC);
    s.q = arena.take<bf16>(NB * 2 * depth * tile);
    s.k = arena.take<bf16>(blocks * BC / 16 * depth * tile);
    s.v = arena.take<bf16>(blocks * BC / 32 * 2 * pairs * tile);
    s.weights = arena.take<bf16>(2 * BC / 32 * tile);
    s.scores = arena.take<float>(BC * R);
    s.out = arena.take<float>(NB * 2 * pairs * 16 * R);
    s.ready = arena.take<uint8_t>(blocks);
    s.packed_head = -1;
    return s;
  }

  static void attend(const tw_args& a, const AttentionSizes& n, const RowBlock& block, Scratch& s) {
    Extent all{block.q.keys, 0, 0, 0, 0};
    for (int i = 0; i < NB; ++i) {
      const RowBlock b = block.part(i * R, R);
      s.extent[i] = extent_of<C>(n, b);
      all.first = min(all.first, s.extent[i].first), all.last = max(all.last, s.extent[i].last);
      all.sink = max(all.sink, s.extent[i].sink);
      s.state[i].begin(a, n, b);
      pack_queries(a, b, s.q + i * 2 * depth * tile);
    }
    for (int64_t i = 0; i < int64_t(NB) * 2 * pairs * 16 * R; i += lanes) store_bits(s.out + i, vf{});
    for (int64_t j = all.sink > 0 ? 0 : all.first / BC * BC; j < all.last; j += BC) {
      if (j >= all.sink && j + BC <= all.first) continue;  // between the sink tokens and the window
      if (!s.ready[j / BC]) pack_keys(a, n, block, j, s);
      for (int i = 0; i < NB; ++i) {
        const Extent& e = s.extent[i];
        const RowBlock b = block.part(i * R, R);
        if (b.count > 0 && j < e.last && (j < e.sink || j + BC > e.first)) add_keys(a, n, b, i, j, s);
      }
    }
    for (int i = 0; i < NB; ++i) finish(a, block.part(i * R, R), i, s);
  }

  // A block of keys against 32 rows.
  static void add_keys(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int i, int64_t j, Scratch& s) {
    const int count = int(min<int64_t>(BC, round_up(s.extent[i].last - j, 32)));
    const bf16* k = s.k + j / 16 * depth * tile;
    for (int t = 0; t < count; t += 32) score(k + t / 16 * depth * tile, s.q + i * 2 * depth * tile, s.scores + t * R);
    RowState<C, R>& state = s.state[i];
    state.finish_scores(a, n, b, s.extent[i], j, count, s.scores);
    const float rate = exponent_rate<C>(a);
    float* out = s.out + int64_t(i) * 2 * pairs * 16 * R;
    vf shrink[2];
    if (state.raise_tops(s.scores, count, rate, shrink)) {
      for (int c = 0; c < columns * 16; ++c) {
        float* row = out + c * R;
        store_bits(row, shrink[0] * load_bits<vf>(row));
        store_bits(row + lanes, shrink[1] * load_bits<vf>(row + lanes));
      }
    }
    weigh(a, n, b, j, count, rate, state, s);
    const bf16* v = s.v + j / 32 * 2 * pairs * tile;
    for (int c = 0; c < pairs; ++c) add_values(v + c * 2 * tile, s.weights, count / 32, out + c * 32 * R);
  }

  // Scores of 32 keys and 32 rows.
  static TW_INLINE void score(const bf16* k, const bf16* q, float* scores) {
    for_tiles<4>([](auto t) { tile_zero<t.value>(); });
    TW_UNROLL for (int d = 0; d < depth; ++d) {
      tile_load<4>(k + d * tile, 64);
      tile_load<6>(q + d * 2 * tile, 64);
      tile_dot_bf16<0, 4, 6>();
      tile_load<7>(q + (d * 2 + 1) * tile, 64);
      tile_dot_bf16<1, 4, 7>();
      tile_load<5>(k + (depth + d) * tile, 64);
      tile_dot_bf16<2, 5, 6>();
      tile_dot_bf16<3, 5, 7>();
    }
    tile_store<0>(scores, R * 4);
    tile_store<1>(scores + 16, R * 4);
    tile_store<2>(scores + 16 * R, R * 4);
    tile_store<3>(scores + 16 * R + 16, R * 4);
  }
  // 32 columns of 32 rows, over blocks of 32 keys.
  static TW_INLINE void add_values(const bf16* v, const bf16* weights, int blocks, float* out) {
    tile_load<0>(out, R * 4);
    tile_load<1>(out + 16, R * 4);
    tile_load<2>(out + 16 * R, R * 4);
    tile_load<3>(out + 16 * R + 16, R * 4);
    for (int t = 0; t < blocks; ++t, v += 2 * pairs * tile, weights += 2 * tile) {
      tile_load<4>(v, 64);
      tile_load<6>(weights, 64);
      tile_dot_bf16<0, 4, 6>();
      tile_load<7>(weights + tile, 64);
      tile_dot_bf16<1, 4, 7>();
      tile_load<5>(v + tile, 64);
      tile_dot_bf16<2, 5, 6>();
      tile_dot_bf16<3, 5, 7>();
    }
    tile_store<0>(out, R * 4);
    tile_store<1>(out + 16, R * 4);
    tile_store<2>(out + 16 * R, R * 4);
    tile_store<3>(out + 16 * R + 16, R * 4);
  }

  // Weights in tiles: 32 keys are 16 rows of pairs, the two halves of 32 query rows one tile each.
  static void weigh(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, int count, float rate,
                    RowState<C, R>& state, Scratch& s) {
    const vf per = splat<vf>(rate), origin[2] = {state.origin(0, rate), state.origin(1, rate)};
    vf sum[2][2] = {};
    for (int j = 0; j < count; j += 2) {
      vu* to = reinterpret_cast<vu*>(s.weights + j / 32 * 2 * tile + j % 32 / 2 * 32);
      TW_UNROLL for (int v = 0; v < 2; ++v) {
        float* at = s.scores + j * R + v * lanes;
        const vf p = power<C>(load_bits<vf>(at), origin[v], per), p2 = power<C>(load_bits<vf>(at + R), origin[v], per);
        sum[v][0] = sum[v][0] + p, sum[v][1] = sum[v][1] + p2;
        if constexpr (C::dropout) store_bits(at, p), store_bits(at + R, p2);
        else store_bits(to + v * (tile / 32), interleaved(p, p2));
      }
    }
    TW_UNROLL for (int v = 0; v < 2; ++v)
      store_bits(state.sum + v * lanes, load_bits<vf>(state.sum + v * lanes) + (sum[v][0] + sum[v][1]));
    if constexpr (C::dropout) {
      RowState<C, R>::drop(a, n, b, j0, count, s.scores);
      for (int j = 0; j < count; j += 2) {
        vu* to = reinterpret_cast<vu*>(s.weights + j / 32 * 2 * tile + j % 32 / 2 * 32);
        for (int v = 0; v < 2; ++v) {
          const float* at = s.scores + j * R + v * lanes;
          store_bits(to + v * (tile / 32), interleaved(load_bits<vf>(at), load_bits<vf>(at + R)));
        }
      }
    }
  }
  // bf16 of both, side by side in each lane.
  static TW_INLINE vu interleaved(vf low, vf high) {
    const auto halves = bit_cast<vec<uint16_t, 32>>(fast_bf16(low, high));
    return bit_cast<vu>(__builtin_shufflevector(halves, halves, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                                8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
  }

  // 16 elements of a row from column c on; zeros past its end or where there is no row.
  template <int N>
  static TW_INLINE vu16 half_line(const bf16* row, int c) {
    if (!row || c >= N) return vu16{};
    return c + 16 <= N ? load_bits<vu16>(row + c) : load_bits_partial<vu16>(row + c, N - c);
  }
  static void pack_queries(const tw_args& a, const RowBlock& b, bf16* to) {
    for (int half = 0; half < 2; ++half) {
      const bf16* rows[16];
      for (int r = 0; r < 16; ++r) {
        const int64_t at = half * 16 + r;
        rows[r] = at < b.count ? query_row<C, const bf16>(a, At::q, b.q, b.head(at), b.row(at)) : nullptr;
      }
      for (int d = 0; d < depth; ++d) {
        vu words[16];
        TW_UNROLL for (int r = 0; r < 16; ++r) {
          const vu16 line[2] = {half_line<D>(rows[r], d * 32), half_line<D>(rows[r], d * 32 + 16)};
          words[r] = load_bits<vu>(line);
        }
        transpose(words);
        TW_UNROLL for (int r = 0; r < 16; ++r) store_bits(to + (d * 2 + half) * tile + r * 32, words[r]);
      }
    }
  }
  static void pack_keys(const tw_args& a, const AttentionSizes& n, const RowBlock& b, int64_t j0, Scratch& s) {
    s.ready[j0 / BC] = 1;
    const int64_t end = min<int64_t>(j0 + BC, round_up(b.q.keys, 32));
    for (int64_t j = j0; j < end; j += 32) {
      const bf16 *k[32], *v[32];
      for (int i = 0; i < 32; ++i) {
        const bool there = j + i < b.q.keys;
        k[i] = there ? key_row<C, const bf16>(a, n, At::k, b.q, b.kv_head, j + i) : nullptr;
        v[i] = there ? key_row<C, const bf16>(a, n, At::v, b.q, b.kv_head, j + i) : nullptr;
      }
      bf16* to = s.k + j / 16 * depth * tile;
      for (int i = 0; i < 32; ++i)
        for (int d = 0; d < depth; ++d) {
          bf16* line = to + (i / 16 * depth + d) * tile + i % 16 * 32;
          store_bits(line, half_line<D>(k[i], d * 32));
          store_bits(line + 16, half_line<D>(k[i], d * 32 + 16));
        }
      to = s.v + j / 32 * 2 * pairs * tile;
      for (int c = 0; c < 2 * pairs; ++c) {
        vu words[16];
        TW_UNROLL for (int i = 0; i < 16; ++i)
          words[i] = widen(half_line<DV>(v[2 * i], c * 16)) | widen(half_line<DV>(v[2 * i + 1], c * 16)) << 16;
        transpose(words);
        TW_UNROLL for (int i = 0; i < 16; ++i) store_bits(to + c * tile + i * 32, words[i]);
      }
    }
  }

  static void finish(const tw_args& a, const RowBlock& b, int index, Scratch& s) {
    using O = typename C::Out;
    const RowState<C, R>& state = s.state[index];
    for (int half = 0; half < 2; ++half) {
      const vf sum = load_bits<vf>(state.sum + half * lanes);
      const vf factor = (sum != vf{}) ? splat<vf>(1.0f) / sum : vf{};
      for (int c = 0; c < columns; ++c) {
        const float* from = s.out + (int64_t(index) * 2 * pairs + c) * 16 * R + half * lanes;
        vu words[16];
        TW_UNROLL for (int i = 0; i < 16; ++i) words[i] = bit_cast<vu>(factor * load_bits<vf>(from + i * R));
        transpose(words);
        for (int r = 0; r < 16 && half * 16 + r < b.count; ++r) {
          const int64_t at = half * 16 + r;
          O* to = query_row<C, O>(a, At::out, b.q, b.head(at), b.row(at)) + c * 16;
          if (DV - c * 16 >= 16) store(to, bit_cast<vf>(words[r]));
          else store_partial(to, bit_cast<vf>(words[r]), DV - c * 16);
        }
      }
    }
    if constexpr (C::lse) state.store_lse(a, b, exponent_rate<C>(a) / log2_e);
  }
};

}  // namespace tw
