// How one launch of the tiled pipeline is cut: thread grid, cache blocks, workspace.
#pragma once
#include "tw/gemm/args.hpp"
#include "tw/gemm/panel.hpp"
#include "tw/parallel.hpp"

namespace tw {

// Threads form a grid batch x split x m x n. Threads that differ only in m share one packed B.
struct Grid {
  int batch = 1, split = 1, m = 1, n = 1;
  int count() const { return batch * split * m * n; }
};
struct GridIndex {
  int batch, split, m, n;
  GridIndex(const Grid& g, int index)
      : batch(index / (g.split * g.m * g.n)), split(index / (g.m * g.n) % g.split), m(index / g.n % g.m),
        n(index % g.n) {}
};

constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

// A block size near `wanted` that cuts `total` into equal pieces, in multiples of `unit`.
TW_INLINE int64_t balanced(int64_t total, int64_t wanted, int64_t unit) {
  const int64_t pieces = max<int64_t>(1, ceil_div(total, max(wanted, unit)));
  return max(unit, round_up(ceil_div(total, pieces), unit));
}

// A block size: the kernel's own, or where it leaves that open (0) what the launch asks for, or a usual one.
TW_INLINE int64_t fixed_or(int64_t fixed, int64_t asked, int64_t usual) {
  return fixed > 0 ? fixed : asked > 0 ? asked : usual;
}

template <class Config>
struct Plan {
  using FA = typename Formats<Config>::A;
  using FB = typename Formats<Config>::B;
  using Acc = typename Config::Acc;
  static constexpr int mr = Config::mr, nr = Config::nr;
  static constexpr bool packs_b = b_in_panels<Config>;
  static constexpr bool corrected = Config::inner == Inner::vnni;  // reads the corrections of an 8-bit B
  // Columns that are packed at a time, right before use. Row-major: two kilobytes of every row, a stream.
#if defined(TW_NEON)
  static constexpr int row_bytes = 512;  // fewer pages at a time, and what was packed stays in L2
  static constexpr int64_t b_gap = 64 / sizeof(typename FB::Stored);  // panels a power of two apart evict each other
  static constexpr int halves = 2;  // one is packed while the other is read
#else
  static constexpr int row_bytes = 2048;
  static constexpr int64_t b_gap = 0;  // not timed
  static constexpr int halves = 1;
#endif
  static constexpr int chunk =
      nr * (Config::layout_b == Layout::row ? max(1, row_bytes / (nr * int(sizeof(typename Config::B)))) : 1);

  // Micro kernels that fetch B before it is packed (micro_fma.hpp): threads share rows only if that is balanced better.
#if defined(TW_AVX512)
  static constexpr bool shares_a = Config::inner == Inner::fma && is_same<Acc, float>;
  static constexpr bool prefers_columns = shares_a && Config::layout_b == Layout::col &&
                                          Config::b_format == BFormat::plain;
#else
  static constexpr bool shares_a = false, prefers_columns = false;
#endif
  static constexpr int64_t least_shared = 1 << 16, most_shared = 1 << 24;  // elements of A

  Sizes size;
  int splits;
  Grid grid;
  int64_t kc, mc, nc;       // balanced block sizes
  int64_t split_k_length;   // the longest k range of one split, in whole blocks
  bool a_direct, b_direct;  // full panels of the operand are read in place
  bool a_compact;           // then only the last, partial panel of A needs a buffer
  bool a_shared;            // threads that differ only in n pack all of their A together first, not each for itself
  bool b_lazy;              // no thread shares B with another: panels are packed right before their first use
  bool b_once;              // that is also their last use, so that buffers for `chunk` columns are enough

  explicit Plan(const tw_args& args) : size(args) {
    const Launch launch(args);
    const int64_t units = ceil_div(size.k, FB::block);
    splits = int(max<int64_t>(1, min<int64_t>(launch.split_k, units)));
    split_k_length = ceil_div(units, splits) * FB::block;
    set_grid(launch);
    kc = balanced(split_k_length, fixed_or(Config::kc, launch.kc, 512), FB::block);
    mc = balanced(round_up(ceil_div(size.m, grid.m), mr), fixed_or(Config::mc, launch.mc, 192), mr);
    nc = balanced(round_up(ceil_div(size.n, grid.n), nr), Config::nc, nr);
    a_direct = !Config::pack_a && direct_a(args);
    a_compact = a_direct && !is_amx(Config::inner);  // AMX also packs blocks that end inside a tile
    a_shared = shares_a && !a_direct && grid.n > 1 && size.batch == 1 && splits == 1 && is_worth_sharing();
    b_direct = !packs_b && args.strides[slot_b][2] == 1;
    b_lazy = Config::b_format == BFormat::plain && packs_b && !corrected && grid.m == 1;
    b_once = b_lazy && size.m <= mc && (size.batch == 1 || args.strides[slot_b][0] != 0);
  }

  // How much of k a packed panel of B covers.
  int64_t b_length() const { return b_once ? kc : split_k_length; }
  int64_t b_stride() const { return FB::elements(b_length()) + b_gap; }  // from one packed panel to the next
  int64_t b_half() const { return min<int64_t>(nc, chunk); }  // columns of a buffer for panels that are used once
  int64_t k_blocks() const { return ceil_div(split_k_length, kc); }
  int64_t a_block() const { return FA::panels(round_up(ceil_div(size.m, grid.m), mr)) * FA::elements(kc); }
  bool one_k_block() const { return split_k_length <= kc; }
  int64_t n_rounds() const { return ceil_div(round_up(ceil_div(size.n, grid.n), nr), nc); }
  int64_t batch_rounds() const { return ceil_div(size.batch, grid.batch); }
  int64_t partial_row() const { return round_up(size.n, nr); }
  int64_t partial_elements() const { return round_up(size.m, mr) * partial_row(); }

  struct Buffers {
    typename FA::Stored* a;    // this thread's block of A; if shared, all panels of a block of k, block after block
    typename FB::Stored* b;    // panels shared by the threads of one m column of the grid
    int32_t* corrections;      // beside them, for 8-bit formats
    Acc* acc;                  // this thread's accumulators between k blocks, tile after tile
    Acc* partial;              // split-K partial sums of this batch group, split after split
  };

  // The buffers of one thread inside the arena; with a null arena, the workspace size.
  Buffers buffers(Arena& arena, const GridIndex& at) const {
    const int64_t a_lines = a_compact ? mr : mc, b_lines = b_direct ? nr : b_once ? b_half() * halves : nc;
    const bool packs_here = Config::b_format == BFormat::plain;
    Buffers mine{};
    for (int index = 0; index < grid.count(); ++index) {
      const GridIndex t(grid, index);
      const bool is_me = t.batch == at.batch && t.split == at.split && t.n == at.n;
      const bool owns_a = !a_shared || t.n == 0;
      auto* a = arena.take<typename FA::Stored>(!owns_a ? 0 : a_shared ? k_blocks() * a_block()
                                                                       : FA::panels(a_lines) * FA::elements(kc));
      auto* acc = arena.take<Acc>(one_k_block() ? 0 : mc * nc);
      if (is_me && t.m == at.m) mine.acc = acc;
      if (owns_a && (is_me || a_shared) && t.m == at.m) mine.a = a;
      if (t.m != 0 || !packs_here) continue;
      auto* b = arena.take<typename FB::Stored>(FB::panels(b_lines) * b_stride());
      auto* corrections = arena.take<int32_t>(corrected ? b_lines : 0);
      if (is_me) mine.b = b, mine.corrections = corrections;
    }
    if (splits > 1) {
      for (int group = 0; group < grid.batch; ++group) {
        auto* partial = arena.take<Acc>(splits * partial_elements());
        if (group == at.batch) mine.partial = partial;
      }
    }
    return mine;
  }

 private:
  // Read in place, A must be contiguous along k for panels with long groups (and tiles), else along m.
  static bool direct_a(const tw_args& args) {
    constexpr bool long_groups = FA::group * int(sizeof(typename FA::Stored)) > 4;
    return args.strides[slot_a][long_groups ? 2 : 1] == 1;
  }

  // Packing 2^16 elements takes about 10 us, waiting for each other some.
  bool is_worth_sharing() const {
    const int64_t elements = ceil_div(size.m, grid.m) * size.k;
    return elements - elements / grid.n >= least_shared && elements <= most_shared;
  }

  // What the busiest of down x across threads does, in products. B that one thread alone packs is fetched and packed
  // between products and stays near; shared, it is packed before the first product, written to memory and read again.
  // A is shared by the threads across.
  int64_t share(int down, int across) const {
    const int64_t rows = ceil_div(ceil_div(size.m, mr), down) * mr;
    const int64_t columns = ceil_div(ceil_div(size.n, nr), across) * nr;
    return rows * columns + (20 / across + 6) * rows + (down > 1 ? 40 / down + 8 : 12) * columns;
  }

  // The threads that split-K leaves go where the launch says, and those left over to batches; without a word to columns.
  void set_grid(const Launch& launch) {
    grid.m = max(1, launch.grid_m);
    grid.n = max(1, launch.grid_n);
    if (prefers_columns && grid.m > 1 && share(1, grid.m * grid.n) <= share(grid.m, grid.n)) {
      grid.n *= grid.m;
      grid.m = 1;
    }
    const int rest = max(1, launch.threads / (grid.m * grid.n));
    grid.split = gcd(rest, splits);
    const int left = rest / grid.split;
    if (launch.grid_m > 0 || launch.grid_n > 0) {
      grid.batch = int(min<int64_t>(left, size.batch));
    } else {
      grid.n = left;
    }
  }
};

}  // namespace tw
