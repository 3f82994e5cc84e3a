// Register tiles of Arm: mr rows x nr columns of accumulators, each row multiplied by a lane of a register of A.
//
// A is read k-major: one word of four rows is one load, so a step of k takes mr / 4 + nr / lanes loads for mr * nr / lanes
// products, and no broadcast. Row-major A that is read in place gives four words of one row per load instead.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/gemm/micro_vector.hpp"

namespace tw {

// Panels of float32 that this kernel packs itself: what is to be packed next comes near while tiles are computed.
template <class Config, class Words>
constexpr bool fetches_lines = is_same<Words, LaneFma> && Config::pack_b && Config::b_format == BFormat::plain;
template <bool Fetches, class Stored>
struct PanelOfLanes { using type = Source<Stored>; };
template <>
struct PanelOfLanes<true, float> { using type = PanelAndLines; };

template <class Config, class Words>
struct MicroLanes;
template <class Config>
constexpr bool packs_ahead<MicroLanes<Config, LaneFma>> =
    lanes == quad && fetches_lines<Config, LaneFma> && is_same<typename Config::B, float> &&
    Config::layout_b == Layout::row && Formats<Config>::A::group == 1;

template <class Config, class Words>
struct MicroLanes {
  using Acc = typename Config::Acc;
  using Lane = typename Words::Lane;
  using V = vec<Lane>;
  using FA = typename Formats<Config>::A;
  using SourceB = typename PanelOfLanes<fetches_lines<Config, Words>, typename Words::B>::type;
  static constexpr bool corrects = false, any_k = true;
  static constexpr int mr = Config::mr, nr = Config::nr, nv = nr / lanes, per = Words::per;
  static constexpr bool k_major = FA::group == per;
  static constexpr int a_registers = k_major ? mr / quad : mr, steps = k_major ? 1 : quad;
  // SVE names lanes of eight registers only.
  static constexpr bool fits = nr % lanes == 0 && mr % quad == 0 &&
                               mr * nv + nv + a_registers <= vector_registers &&
                               (lanes == quad || a_registers <= 8);

  static_assert(is_same<Words, LaneFma> || (Config::pack_a && b_in_panels<Config>), "words of several k need panels");

  static int prepare(tw_args* args) {
    if constexpr (is_same<Words, LaneFma>) return MicroVector<Config, FloatWords<Config>>::prepare(args);
    return 0;
  }
  struct Scope {};  // nothing to set up per thread

  static void run(int64_t k, const Source<typename Words::A>& a, const SourceB& b, const Target<Acc>& t) {
    run_rows<mr>(k, a, b, t);
  }
  // The last rows of a matrix: as many of them as registers of A hold, not a whole tile.
  static void run_some(int rows, int64_t k, const Source<typename Words::A>& a, const SourceB& b,
                       const Target<Acc>& t) {
    with_rows(rows, [&](auto r) __attribute__((always_inline)) {
      if constexpr (packs_ahead<MicroLanes>) {
        const RowsAhead& next = b.next->rows;
        if (next.pieces >= k) {
          if (next.every == 1) return run_rows<r.value, 1>(k, a, b, t);
          if (next.every == 2) return run_rows<r.value, 2>(k, a, b, t);
          return run_rows<r.value, 4>(k, a, b, t);
        }
      }
      run_rows<r.value>(k, a, b, t);
    });
  }

 private:
  // f(Constant<Rows>) with the fewest rows of a tile that hold `rows`.
  template <class F>
  static TW_INLINE void with_rows(int rows, const F& f) {
    if constexpr (k_major && mr > quad) {
      if (rows <= quad) return f(Constant<quad>{});
    }
    if constexpr (k_major && mr > 2 * quad) {
      if (rows <= 2 * quad) return f(Constant<2 * quad>{});
    }
    f(Constant<mr>{});
  }

  // Packs a piece of what comes next for each `Every` steps of k; 0: none.
  template <int Rows, int Every = 0>
  static TW_NOINLINE void run_rows(int64_t k, const Source<typename Words::A>& a, const SourceB& b,
                                   const Target<Acc>& t) {
    constexpr bool packs = Every > 0;
    constexpr int a_registers = k_major ? Rows / quad : Rows;
    V acc[Rows][nv];
    TW_UNROLL
    for (int r = 0; r < Rows; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = V{};
    }
    // Word w of row r of a group of A is at [r * a_line + w * a_word], of column c of B at [w * b_word + c].
    const int64_t a_line = k_major ? 1 : Config::pack_a ? group : a.line_stride;
    const int64_t a_word = !k_major ? 1 : Config::pack_a ? mr : a.k_stride;
    const int64_t a_group = k_major ? group * a_word : Config::pack_a ? mr * group : a.group_stride;
    const int64_t b_word = b_in_panels<Config> ? nr : b.k_stride;
    const Lane* TW_RESTRICT pa = reinterpret_cast<const Lane*>(a.data);
    const Lane* TW_RESTRICT pb = reinterpret_cast<const Lane*>(b.data);
    // Prefetches ride along, one row of the output tile and one line of what comes next at a time.
    const char* ahead = b.ahead ? b.ahead : reinterpret_cast<const char*>(b.data);
    LinesAhead lines_ahead;
    RowsAhead rows_ahead;
    if constexpr (packs) rows_ahead = b.next->rows;
    else if constexpr (fetches_lines<Config, Words>) lines_ahead = b.next->lines;
    WriteAhead written = t.written;
    int64_t words = ceil_div(k, per);
    for (; words >= group; words -= group, pa += a_group, ahead += 64) {
      written.fetch_row();
      if constexpr (packs) rows_ahead.pieces -= group / Every;
      else if constexpr (fetches_lines<Config, Words>) lines_ahead.fetch();
      else __builtin_prefetch(ahead, 0, 2);
      if constexpr (k_major && Config::pack_a) {  // comes from L2: two turns ahead
        TW_UNROLL
        for (int i = 0; i < group * Rows; i += 16) __builtin_prefetch(pa + 2 * a_group + i);
      }
      TW_UNROLL
      for (int w = 0; w < group; w += steps) {
        V av[a_registers];
        TW_UNROLL
        for (int i = 0; i < a_registers; ++i) av[i] = load_quad<V>(pa + w * a_word + i * (k_major ? quad : a_line));
        for_constants<steps>([&](auto s) __attribute__((always_inline)) {
          step<s.value, Rows>(acc, av, pb);
          pb += b_word;
        });
        if constexpr (packs) {
          if (w % Every == 0) rows_ahead.template pack<nr>();
        }
      }
    }
    for (; words > 0; --words, pa += a_word, pb += b_word) last_step<Rows>(acc, pa, a_line, pb);
    if constexpr (packs) b.next->rows = rows_ahead;
    else if constexpr (fetches_lines<Config, Words>) b.next->lines = lines_ahead;
    TW_UNROLL
    for (int r = 0; r < Rows; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) put(acc[r][c], t, r, c * lanes);
    }
  }

  static constexpr int group = k_major ? 4 : FA::group / per;  // words of a turn of the loop

  // Word S of the registers of A, which is its only one if A is k-major.
  template <int S, int Rows, int Registers>
  static TW_INLINE void step(V (&acc)[Rows][nv], const V (&av)[Registers], const Lane* b) {
    V bv[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) bv[c] = load_bits<V>(b + c * lanes);
    for_constants<Rows>([&](auto r) __attribute__((always_inline)) {
      constexpr int row = r.value, lane = k_major ? row % quad : S;
      TW_UNROLL
      for (int c = 0; c < nv; ++c) {
        Words::template add_product<lane>(acc[row][c], bv[c], av[k_major ? row / quad : row]);
      }
    });
  }

  // One word of k, where four would reach beyond the end of a row that is read in place.
  template <int Rows>
  static TW_INLINE void last_step(V (&acc)[Rows][nv], const Lane* a, int64_t a_line, const Lane* b) {
    constexpr int a_registers = k_major ? Rows / quad : Rows;
    V av[a_registers];
    TW_UNROLL
    for (int i = 0; i < a_registers; ++i) av[i] = k_major ? load_quad<V>(a + i * quad) : splat<V>(a[i * a_line]);
    step<0, Rows>(acc, av, b);
  }

  static TW_INLINE void put(V x, const Target<Acc>& t, int r, int c) {
    using R = vec<Acc>;
    R y;
    if constexpr (is_same<Acc, Lane>) y = x;
    else y = __builtin_convertvector(x, R);
    if (t.init) y = y + load_bits<R>(t.init + r * t.init_row + c);
    store_bits(t.out + r * t.out_row + c, y);
  }
};

template <class Config, class Words>
constexpr bool shortens<MicroLanes<Config, Words>> = true;
template <class Config>
struct PanelOfB<MicroLanes<Config, LaneFma>, float> : PanelOfLanes<fetches_lines<Config, LaneFma>, float> {};

}  // namespace tw
