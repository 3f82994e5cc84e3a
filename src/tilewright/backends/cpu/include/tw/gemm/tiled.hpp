// The tiled pipeline: cache blocks around a register tile.
//
//   for each batch item, for each block of nc columns:
//     pack B over the whole k range of this split: threads that share B do it together first, a thread that has its
//     columns for itself does it panel by panel during the first row block, right before the first use
//     for each block of mc rows:
//       for each block of kc:
//         pack A (mc x kc, private to the thread; threads with the same rows may pack all of it together before)
//         for each panel of nr columns, for each panel of mr rows: register tile
//
// Accumulators that live across k blocks are kept tile after tile in a private buffer that fits L2, whatever the output
// type, so the output is written once and D is read once. With split-K each split leaves a partial matrix in the
// workspace; all threads then add the splits in ascending order, so the result does not depend on the threads.
#pragma once
#include "tw/gemm/epilogue.hpp"
#include "tw/gemm/micro.hpp"
#include "tw/gemm/pack_b.hpp"
#include "tw/gemm/plan.hpp"

namespace tw {

template <class Config>
class Tiled {
  using A = typename Config::A;
  using B = typename Config::B;
  using Acc = typename Config::Acc;
  using Out = typename Config::Out;
  using P = Plan<Config>;
  using FA = typename P::FA;
  using FB = typename P::FB;
  using StoredA = typename FA::Stored;
  using StoredB = typename FB::Stored;
  using Micro = MicroKernel<Config>;
  using SourceB = typename PanelOfB<Micro, StoredB>::type;
  static constexpr bool fetches_lines = is_same<SourceB, PanelAndLines>;
  static constexpr bool fetches = !is_same<SourceB, Source<StoredB>> && !fetches_lines;  // also what is to be packed
  static constexpr int mr = Config::mr, nr = Config::nr;

 public:
  static int64_t workspace(const tw_args& args) {
    const P plan(args);
    if (plan.size.empty()) return 0;
    Arena arena(nullptr);
    plan.buffers(arena, GridIndex(plan.grid, 0));
    return arena.used();
  }

  static int run(tw_args* args) {
    const P plan(*args);
    if (plan.size.empty()) return 0;
    const int available = Launch(*args).threads;
    if (plan.grid.count() > available) {
      return fail(args, "the thread grid needs % threads but only % were given: lower grid m, grid n or split_k, or "
                        "raise threads", plan.grid.count(), available);
    }
    const int64_t needed = workspace(*args);
    if (args->workspace_bytes < needed || (needed > 0 && !args->workspace)) {
      return fail(args, "the workspace has % bytes but % are needed: call tw_workspace with the same sizes and launch",
                  args->workspace_bytes, needed);
    }
    if (int status = Micro::prepare(args)) return status;
    parallel(args->runtime, plan.grid.count(), [&](const Team& team) { Tiled(*args, plan, team).work(); });
    return 0;
  }

 private:
  Tiled(const tw_args& args, const P& plan, const Team& team)
      : args_(args), plan_(plan), team_(team), at_(plan.grid, team.index), size_(plan.size) {
    Arena arena(args.workspace);
    buffers_ = plan.buffers(arena, at_);
    rows_ = partition(size_.m, mr, plan.grid.m, at_.m);
    cols_ = partition(size_.n, nr, plan.grid.n, at_.n);
  }

  void work() {
    [[maybe_unused]] typename Micro::Scope scope;
    for (int64_t round = 0; round < plan_.batch_rounds(); ++round) {
      batch_ = round * plan_.grid.batch + at_.batch;
      active_ = batch_ < size_.batch;
      if (active_) {
        a_ = view<const A>(args_, slot_a, batch_);
        b_ = view<const B>(args_, slot_b, batch_);
      }
      const int per_group = plan_.splits / plan_.grid.split;
      for (int s = at_.split * per_group; s < (at_.split + 1) * per_group; ++s) run_split(s, round);
      if (plan_.splits > 1) {
        team_.barrier();
        if (active_) reduce();
        team_.barrier();
      }
    }
  }

  void run_split(int split, int64_t round) {
    split_ = split;
    k_ = partition(size_.k, FB::block, plan_.splits, split);
    if constexpr (P::shares_a) {
      if (plan_.a_shared) share_a();
    }
    for (int64_t jr = 0; jr < plan_.n_rounds(); ++jr) {
      const int64_t begin = min(cols_.end, cols_.begin + jr * plan_.nc);
      block_cols_ = {begin, min(cols_.end, begin + plan_.nc)};
      if (Config::b_format == BFormat::plain) share_b(split, round, jr);
      if (active_ && block_cols_.size() > 0) row_blocks();
    }
  }

  // Packs this thread's share of the panels of the current column block.
  void share_b(int split, int64_t round, int64_t jr) {
    const bool shared = plan_.grid.m > 1;
    const bool first = round == 0 && jr == 0 && split == at_.split * (plan_.splits / plan_.grid.split);
    // The same B for every batch item needs packing once, if one column block and one split hold all of it.
    const bool kept = !first && args_.strides[slot_b][0] == 0 && plan_.n_rounds() == 1 &&
                      plan_.splits == plan_.grid.split;
    pack_lazily_ = plan_.b_lazy && !kept;
    if (kept || plan_.b_lazy) return;
    if (shared && !first) team_.barrier();  // others may still read the last block
    if (active_) {
      const int64_t panels = FB::panels(block_cols_.size());
      const Range mine = partition(panels, 1, plan_.grid.m, at_.m);
      int64_t begin = block_cols_.begin + mine.begin * nr;
      const int64_t end = min(block_cols_.end, block_cols_.begin + mine.end * nr);
      if (plan_.b_direct) begin = max(begin, min(end, size_.n / nr * nr));  // only a last, partial panel
      const int64_t slot = b_slot(begin), stride = plan_.b_stride();
      int32_t* corrections = Micro::corrects ? buffers_.corrections + slot * nr : nullptr;
      if (begin < end) {
        PackB<Config>::columns(buffers_.b + slot * stride, corrections, stride, b_, begin, end - begin, k_.begin,
                               k_.size());
      }
    }
    if (shared) team_.barrier();
  }
  int64_t b_slot(int64_t j) const {
    if (plan_.b_direct) return 0;
    const int64_t column = j - block_cols_.begin;
    return (plan_.b_once ? half_ * plan_.b_half() + j - chunk_.begin : column) / nr;
  }
  bool b_in_place(int64_t j) const { return plan_.b_direct && j + nr <= size_.n; }
  bool a_in_place(int64_t i, int64_t k) const {
    return plan_.a_direct && i + mr <= size_.m && (Micro::any_k || k % FA::block == 0);
  }

  void row_blocks() {
    const Epilogue<Config> epilogue(args_, batch_);
    is_packed_ahead_ = false;
    for (int64_t i = rows_.begin; i < rows_.end; i += plan_.mc) {
      const Range rows{i, min(rows_.end, i + plan_.mc)};
      int64_t k = k_.begin;
      do {  // once even for k = 0, which still has an epilogue
        const Range block{k, min(k_.end, k + plan_.kc)};
        pack_a(rows, block);
        register_tiles(epilogue, rows, block);
        k = block.end;
      } while (k < k_.end);
      pack_lazily_ = false;
    }
  }

  // Packs this thread's share of the panels of A, for its group.
  void share_a() {
    const Range mine = partition(FA::panels(rows_.size()), 1, plan_.grid.n, at_.n);
    const int64_t i = rows_.begin + mine.begin * mr, end = min(rows_.end, rows_.begin + mine.end * mr);
    for (int64_t k = k_.begin; k < k_.end && i < end; k += plan_.kc) {
      PanelPacker<A, FA, a_along_k<Config>>::pack(shared_a(i, k), FA::elements(plan_.kc), {a_.at(i, k), a_.row, a_.col},
                                                  end - i, min(plan_.kc, k_.end - k));
    }
    team_.barrier();
  }
  StoredA* shared_a(int64_t i, int64_t k) const {
    const int64_t block = (k - k_.begin) / plan_.kc, panel = (i - rows_.begin) / mr;
    return buffers_.a + block * plan_.a_block() + panel * FA::elements(plan_.kc);
  }

  void pack_a(Range rows, Range k) {
    if (plan_.a_shared) return;
    int64_t i = rows.begin;
    if (a_in_place(i, k.size())) i = min(rows.end, size_.m / mr * mr);  // only a last, partial panel
    if (i >= rows.end) return;
    StoredA* dst = buffers_.a + (plan_.a_compact ? 0 : (i - rows.begin) / mr) * FA::elements(plan_.kc);
    PanelPacker<A, FA, a_along_k<Config>>::pack(dst, FA::elements(plan_.kc), {a_.at(i, k.begin), a_.row, a_.col},
                                                rows.end - i, k.size());
  }

#if defined(TW_NEON)
  static constexpr int64_t strip_bytes = 16384;  // of a strip of B that L1 holds beside the rest
#else
  static constexpr int64_t strip_bytes = 0;  // not timed
#endif
  // A short k: the output decides. Rows of a strip of columns are written one tile row after the other, some hundred
  // bytes of each; panel after panel, each tile would write to other pages than the one before.
  bool in_strips(Range k) const {
    return strip_bytes > 0 && !Micro::corrects && plan_.one_k_block() && plan_.splits == 1 &&
           FB::elements(k.size()) * (P::chunk / nr) * int64_t(sizeof(StoredB)) <= strip_bytes;
  }
  void strip_tiles(const Epilogue<Config>& epilogue, Range rows, Range k) {
    for (int64_t first = block_cols_.begin; first < block_cols_.end; first += P::chunk) {
      chunk_ = {first, min<int64_t>(block_cols_.end, first + P::chunk)};
      if (pack_lazily_) pack_columns(chunk_, k);
      for (int64_t i = rows.begin; i < rows.end; i += mr) {
        const Source<StoredA> a = a_source(i, rows, k);
        for (int64_t j = first; j < chunk_.end; j += nr) {
          Target<Acc> t{nullptr, nr, nullptr, nr, {}};
          SourceB b{b_source(j, k.begin)};
          if constexpr (fetches_lines) b.next = &meanwhile_;
          finish(epilogue, i, j, k.size(), a, b, t);
        }
      }
    }
  }

  void register_tiles(const Epilogue<Config>& epilogue, Range rows, Range k) {
    if constexpr (strip_bytes > 0) {
      if (in_strips(k)) return strip_tiles(epilogue, rows, k);
    }
    const bool first = k.begin == k_.begin, last = k.end == k_.end;
    const int64_t slivers = ceil_div(rows.size(), mr), length = k.size();
    for (int64_t j = block_cols_.begin; j < block_cols_.end; j += nr) {
      if (pack_lazily_ && (j == block_cols_.begin || j == chunk_.end)) pack_chunk(j, k, slivers);
      SourceB b{b_source(j, k.begin)};
      look_ahead(b, j, k, slivers);
      for (int64_t i = rows.begin; i < rows.end; i += mr) {
        const int64_t tile = (j - block_cols_.begin) / nr * slivers + (i - rows.begin) / mr;
        Target<Acc> t{nullptr, nr, buffers_.acc + tile * (mr * nr), nr, {}};
        if (!first) t.init = t.out;
        else if (Micro::corrects) t.init = corrections(j), t.init_row = 0;
        const Source<StoredA> a = a_source(i, rows, k);
        if (last) finish(epilogue, i, j, length, a, b, t);
        else multiply(int(min<int64_t>(mr, size_.m - i)), length, a, b, t);
        if constexpr (fetches) b.next.advance();
        else if constexpr (!fetches_lines) b.ahead += b.ahead_lines * 64;
      }
    }
  }

  // Packs some columns from j on, or what is left of them. The next ones are then packed by the register tiles of these.
  void pack_chunk(int64_t j, Range k, [[maybe_unused]] int64_t slivers) {
    if constexpr (packs_ahead<Micro>) {
      Range unpacked{j, min(block_cols_.end, j + (slivers > 1 ? few : P::chunk))};
      if (is_packed_ahead_) {
        meanwhile_.rows.template pack_rest<nr>();
        half_ ^= 1;
        unpacked = {next_chunk_.end - next_chunk_.size() % nr, next_chunk_.end};
        chunk_ = next_chunk_;
      } else {
        chunk_ = unpacked;
      }
      if (unpacked.size() > 0) pack_columns(unpacked, k);
      pack_next(k, slivers);
    } else {
      chunk_ = {j, min<int64_t>(block_cols_.end, j + P::chunk)};
      pack_columns(chunk_, k);
    }
  }
  static constexpr int64_t few = max(1, 16 / nr) * nr;  // columns that nothing hides the packing of: a cache line
  // Lets register tiles pack the columns that follow the present ones, or the first ones of the next block of k: as many
  // as these tiles have time for.
  void pack_next(Range k, int64_t slivers) {
    if constexpr (packs_ahead<Micro>) {
      int64_t j = chunk_.end;
      if (j >= block_cols_.end) j = block_cols_.begin, k = {k.end, min(k_.end, k.end + plan_.kc)};
      const int64_t width = min<int64_t>(P::chunk, round_up(chunk_.size(), nr) * min<int64_t>(4, slivers));
      next_chunk_ = {j, min(block_cols_.end, j + width)};
      const int64_t panels = next_chunk_.size() / nr, steps = chunk_.size() / nr * slivers;
      is_packed_ahead_ = b_.col == 1 && k.size() > 0 && panels > 0;
      if (!is_packed_ahead_) return;
      StoredB* to = plan_.b_once ? buffers_.b + (half_ ^ 1) * (plan_.b_half() / nr) * plan_.b_stride()
                                 : const_cast<StoredB*>(b_source(j, k.begin).data);
      const int64_t every = steps >= 4 * panels ? 4 : steps >= 2 * panels ? 2 : 1;
      meanwhile_.rows = {b_.at(k.begin, j), to, b_.row, plan_.b_stride(), panels, panels * k.size(), every,
                         max<int64_t>(1, P::chunk / width) * b_.row};
    }
  }
  void pack_columns(Range columns, Range k) const {
    StoredB* dst = const_cast<StoredB*>(b_source(columns.begin, k.begin).data);
    PackB<Config>::template columns<fetches>(dst, nullptr, plan_.b_stride(), b_, columns.begin, columns.size(),
                                             k.begin, k.size());
  }

  // The register tiles of panel j bring the next panel near on the side, a share each. If it is still to be packed,
  // some micro kernels fetch the columns of B instead, where they are contiguous.
  void look_ahead(SourceB& b, int64_t j, Range k, int64_t slivers) {
    const int64_t next = j + nr;
    if constexpr (fetches_lines) {
      b.next = &meanwhile_;
      if (pack_lazily_) look_at_columns(j, k);
      else if (next < block_cols_.end) meanwhile_.lines = {panel_bytes(next, k.begin), line_bytes(k.size() * nr), 0, 1};
      return;
    }
    if constexpr (fetches && P::packs_b) {
      b.next.share = ceil_div(nr, slivers);
      if (pack_lazily_ && (next - block_cols_.begin) % P::chunk == 0) fetch_columns(b.next, next, k);
      else if (next < block_cols_.end) b.next = {panel_bytes(next, k.begin), k.size() * 4, nr, b.next.share};
      return;
    }
    if (!P::packs_b || next >= block_cols_.end) return;
    if (pack_lazily_ && (next - block_cols_.begin) % P::chunk == 0) return;
    b.ahead = panel_bytes(next, k.begin);
    b.ahead_lines = ceil_div(FB::elements(k.size()) * int64_t(sizeof(StoredB)), 64 * slivers);
  }

  // The columns of B that are packed next, if they are contiguous.
  void look_at_columns(int64_t j, Range k) {
    if (Config::layout_b != Layout::col || b_.row != 1) return;
    const bool over = j + nr >= block_cols_.end;
    const int64_t at = over ? block_cols_.begin : j + nr, first = over ? k.end : k.begin;
    const int64_t depth = min(k.size(), k_.end - first), columns = min<int64_t>(nr, block_cols_.end - at);
    const char* line = reinterpret_cast<const char*>(b_.at(first, at));
    meanwhile_.lines = {line, line_bytes(depth), b_.col * int64_t(sizeof(B)), depth > 0 ? columns : 0};
  }
  static constexpr int64_t line_bytes(int64_t elements) { return round_up(elements * int64_t(sizeof(B)), 64); }

  // The next columns to be packed; after the last of the block those that begin the next block of k.
  template <class Ahead>
  void fetch_columns(Ahead& ahead, int64_t next, Range k) const {
    const bool over = next >= block_cols_.end;
    if (Config::layout_b != Layout::col || b_.row != 1 || (over && k.end == k_.end)) return;
    ahead.row = reinterpret_cast<const char*>(over ? b_.at(k.end, block_cols_.begin) : b_.at(k.begin, next));
    ahead.stride = b_.col * int64_t(sizeof(B));
    ahead.rows = nr;
  }
  const char* panel_bytes(int64_t j, int64_t k) const { return reinterpret_cast<const char*>(b_source(j, k).data); }

  // A tile of which `rows` rows count.
  TW_INLINE void multiply([[maybe_unused]] int rows, int64_t k, const Source<StoredA>& a, const SourceB& b,
                          const Target<Acc>& t) const {
    if constexpr (shortens<Micro>) Micro::run_some(rows, k, a, b, t);
    else Micro::run(k, a, b, t);
  }

  // The last k block of a tile: straight into the output where that is possible, else through a tile on the stack.
  TW_INLINE void finish(const Epilogue<Config>& epilogue, int64_t i, int64_t j, int64_t k, const Source<StoredA>& a,
                        const SourceB& b, Target<Acc>& t) const {
    const int rows = int(min<int64_t>(mr, size_.m - i)), cols = int(min<int64_t>(nr, size_.n - j));
    if (plan_.splits > 1) {
      t.out = buffers_.partial + split_ * plan_.partial_elements() + i * plan_.partial_row() + j;
      t.out_row = plan_.partial_row();
      t.written = {reinterpret_cast<char*>(t.out), t.out_row * int64_t(sizeof(Acc)), nr * int64_t(sizeof(Acc)), mr};
      multiply(rows, k, a, b, t);
      return;
    }
    t.written = epilogue.written_rows(i, j, rows, cols);
    if (epilogue.is_copy() && rows == mr && cols == nr) {
      t.out = reinterpret_cast<Acc*>(epilogue.address(i, j));
      t.out_row = epilogue.row_stride();
      multiply(rows, k, a, b, t);
      return;
    }
    alignas(64) Acc tile[mr * nr];
    t.out = tile, t.out_row = nr;
    multiply(rows, k, a, b, t);
    epilogue.tile(tile, nr, i, j, rows, cols);
  }

  template <class F>
  static TW_INLINE Source<typename F::Stored> packed_source(const typename F::Stored* panel) {
    return {panel, F::group, F::group == 1 ? F::width : 1, F::width * F::group * F::planes};
  }

  Source<StoredA> a_source(int64_t i, Range rows, Range k) const {
    if constexpr (!Config::pack_a) {
      if (a_in_place(i, k.size())) {
        return {reinterpret_cast<const StoredA*>(a_.at(i, k.begin)), a_.row, a_.col, a_.col * FA::group};
      }
    }
    if constexpr (P::shares_a) {
      if (plan_.a_shared) return packed_source<FA>(shared_a(i, k.begin));
    }
    const int64_t slot = plan_.a_compact ? 0 : (i - rows.begin) / mr;
    return packed_source<FA>(buffers_.a + slot * FA::elements(plan_.kc));
  }

  Source<StoredB> b_source(int64_t j, int64_t k) const {
    if constexpr (Config::b_format == BFormat::packed) {
      const char* base = static_cast<const char*>(args_.tensors[slot_b]) + batch_ * args_.strides[slot_b][0];
      return packed_source<FB>(reinterpret_cast<const StoredB*>(base) + j / nr * FB::elements(size_.k) +
                               FB::elements(k));
    } else {
      if constexpr (!P::packs_b) {
        if (b_in_place(j)) return {reinterpret_cast<const StoredB*>(b_.at(k, j)), 1, b_.row, b_.row};
      }
      const int64_t skipped = plan_.b_once ? 0 : FB::elements(k - k_.begin);
      return packed_source<FB>(buffers_.b + b_slot(j) * plan_.b_stride() + skipped);
    }
  }

  const Acc* corrections(int64_t j) const {
    if constexpr (Micro::corrects) {
      if constexpr (Config::b_format == BFormat::packed) {
        if (split_ > 0) return zeros();  // they are over all of k: added once
        const char* base = static_cast<const char*>(args_.tensors[slot_b]) + batch_ * args_.strides[slot_b][0];
        return reinterpret_cast<const int32_t*>(base + PackedB<FB>::corrections_offset(size_.n, size_.k)) + j;
      }
      return buffers_.corrections + (plan_.b_direct ? 0 : j - block_cols_.begin);
    }
    return nullptr;
  }
  static const Acc* zeros() {
    static const Acc values[nr] = {};
    return values;
  }

  // Adds the splits of this batch item and finishes them, a share of the rows per thread of the batch group.
  void reduce() const {
    const Epilogue<Config> epilogue(args_, batch_);
    const int members = plan_.grid.split * plan_.grid.m * plan_.grid.n;
    const Range rows = partition(size_.m, 1, members, team_.index % members);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      for (int64_t j = 0; j < size_.n; j += lanes) {
        const Acc* p = buffers_.partial + i * plan_.partial_row() + j;
        vec<Acc> sum = load_bits<vec<Acc>>(p);
        for (int s = 1; s < plan_.splits; ++s) sum = sum + load_bits<vec<Acc>>(p + s * plan_.partial_elements());
        epilogue.finish(sum, i, j, int(min<int64_t>(lanes, size_.n - j)), false);
      }
    }
  }

  const tw_args& args_;
  const P& plan_;
  const Team team_;
  const GridIndex at_;
  const Sizes& size_;
  typename P::Buffers buffers_;
  Range rows_, cols_, block_cols_{0, 0}, k_{0, 0};
  View<const A> a_{};
  View<const B> b_{};
  int64_t batch_ = 0;
  int split_ = 0;
  bool active_ = false, pack_lazily_ = false;
  bool is_packed_ahead_ = false;          // register tiles pack the next chunk of B
  Range chunk_{0, 0}, next_chunk_{0, 0};  // columns of B that were packed together last, and that tiles pack now
  int64_t half_ = 0;                      // of the buffer for B that is read, if each chunk is used once
  Meanwhile meanwhile_{};
};

}  // namespace tw
