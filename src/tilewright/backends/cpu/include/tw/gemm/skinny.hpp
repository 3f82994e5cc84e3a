// The skinny pipeline: few rows of A (or few columns of B), where the work is to stream the large operand once.
//
// Four cores share the frame below: dot products along k (skinny_dot.hpp), rows of A as lanes (skinny_lanes.hpp),
// B contiguous along n or packed in panels (skinny_rows.hpp), AMX tiles (skinny_amx.hpp). A core works on at most
// Core::rows rows of A at a time: the team stages them, then each member sweeps its own columns of B, and with split_k
// its own range of k, into a partial result that is added in a fixed order afterwards.
//
// With few columns of B the problem is turned over (C' = B' A'), so that A streams: always if the configuration reads A
// where it lies (pack_a = false), and at run time where that takes no other code (equal types, both along k).
#pragma once
#include "tw/gemm/epilogue.hpp"
#include "tw/parallel.hpp"
#if defined(__AMX_TILE__)
#include "tw/gemm/skinny_amx.hpp"
#endif
#include "tw/gemm/skinny_dot.hpp"
#include "tw/gemm/skinny_lanes.hpp"
#include "tw/gemm/skinny_rows.hpp"

namespace tw {

// What a core is built from. `k_contiguous` says whether B is expected with unit stride along k or along n.
template <class AType, class BType, class AccType, Inner I, bool KContiguous, bool Packed, int MR, int NR, int KC>
struct SkinnyTraits {
  using A = AType;
  using B = BType;
  using Acc = AccType;
  static constexpr Inner inner = I;
  static constexpr bool k_contiguous = KContiguous, packed = Packed;
  static constexpr int mr = MR, nr = NR, kc = KC;
};

template <bool First, class X, class Y>
struct Choose { using type = X; };
template <class X, class Y>
struct Choose<false, X, Y> { using type = Y; };

template <class Traits>
constexpr auto skinny_core() {
#if defined(__AMX_TILE__)
  if constexpr (Traits::inner == Inner::amx) {
    if constexpr (Traits::k_contiguous && !Traits::packed) return SkinnyTiles<Traits>{};
    else return SkinnyTileRows<Traits>{};
  } else
#endif
  if constexpr (Traits::packed || !Traits::k_contiguous) return SkinnyRows<Traits>{};
  else if constexpr (Traits::inner != Inner::vnni && Traits::mr % lanes == 0 && Traits::mr >= 8)
    return SkinnyLanes<Traits>{};
  else return SkinnyDot<Traits>{};
}

template <class Config>
struct Skinny {
  using A = typename Config::A;
  using B = typename Config::B;
  using Acc = typename Config::Acc;
  static constexpr bool packed = Config::b_format == BFormat::packed;
  static constexpr bool a_along_k = Config::layout_a == Layout::row, b_along_k = Config::layout_b == Layout::col;
  static constexpr bool always_turned = !Config::pack_a && !packed;
  static constexpr bool may_turn = !always_turned && !packed && is_same<A, B> && a_along_k && b_along_k;
  // The operand that is staged (its few rows), and the one that streams.
  using Small = typename Choose<always_turned, B, A>::type;
  using Large = typename Choose<always_turned, A, B>::type;
  static constexpr bool large_along_k = always_turned ? a_along_k : b_along_k;
  using Core = decltype(skinny_core<SkinnyTraits<Small, Large, Acc, Config::inner, large_along_k, packed, Config::mr,
                                                 Config::nr, Config::kc>>());

  // One problem of a batch as the core sees it: turned over or not.
  struct Frame {
    int64_t m, n, k;
    bool turned;
    Frame(const Sizes& s)
        : m(s.m), n(s.n), k(s.k), turned(always_turned || (may_turn && s.n < s.m && s.n <= Core::rows)) {
      if (turned) m = s.n, n = s.m;
    }
  };

  // How the team shares the work, and where each piece of the workspace lies.
  struct Shares {
    int threads, members, split_k, parts_n;
    bool solo;  // a batch long enough gives whole problems to single threads
    int64_t staged, scratch, partial, per_team;
    Shares(const Frame& f, const Sizes& s, int threads_, int split) : threads(max(1, threads_)) {
      solo = threads > 1 && s.batch >= threads;
      members = solo ? 1 : threads;
      split_k = int(max<int64_t>(1, min<int64_t>(split, ceil_div(f.k, Core::unit_k))));
      parts_n = max(1, members / split_k);
      staged = round_up(Core::staged_bytes(f.k), 64);
      scratch = round_up(Core::scratch_bytes(ceil_div(ceil_div(f.n, Core::unit_n), parts_n) * Core::unit_n), 64);
      partial = split_k > 1 ? round_up(split_k * Core::rows * f.n * int64_t(sizeof(Acc)), 64) : 0;
      per_team = staged + scratch * members + partial;
    }
    int64_t bytes() const { return per_team * (solo ? threads : 1); }
  };

  static int64_t workspace(const tw_args& args) {
    const Sizes sizes(args);
    if (sizes.empty()) return 0;
    const Launch launch(args);
    return Shares(Frame(sizes), sizes, launch.threads, launch.split_k).bytes();
  }

  static int run(tw_args* args) {
    const Sizes sizes(*args);
    if (sizes.empty()) return 0;
    const Frame frame(sizes);
    const Launch launch(*args);
    const Shares shares(frame, sizes, launch.threads, launch.split_k);
    const int64_t needed = shares.bytes();
    if (args->workspace_bytes < needed || (needed > 0 && !args->workspace)) {
      return fail(args, "the workspace has % bytes but % are needed: call tw_workspace with the same sizes and launch",
                  args->workspace_bytes, needed);
    }
#if defined(__AMX_TILE__)
    if (Config::inner == Inner::amx && !amx_permitted()) return fail(args, amx_refused);
#endif
    parallel(args->runtime, shares.threads, [&](Team team) {
      char* base = static_cast<char*>(args->workspace) + (shares.solo ? team.index * shares.per_team : 0);
      const Range items = shares.solo ? partition(sizes.batch, 1, team.count, team.index) : Range{0, sizes.batch};
      const Team worker = shares.solo ? Team{0, 1, nullptr, nullptr} : team;
      for (int64_t i = items.begin; i < items.end; ++i) {
        if (i > items.begin) worker.barrier();  // the staged rows of the item before are no longer needed
        problem(*args, frame, shares, i, base, worker);
      }
    });
    return 0;
  }

 private:
  static void problem(const tw_args& args, const Frame& f, const Shares& s, int64_t batch, char* base,
                      const Team& team) {
    const Epilogue<Config> epilogue(args, batch);
    View<const Small> a = view<const Small>(args, always_turned ? slot_b : slot_a, batch);
    View<const Large> b = view<const Large>(args, always_turned ? slot_a : slot_b, batch);
    if constexpr (packed) b.data = panels(args, batch);
    if constexpr (always_turned) a = a.transposed(), b = b.transposed();
    if constexpr (may_turn) {
      if (f.turned) {
        const View<const Small> columns = b.transposed();
        b = a.transposed();
        a = columns;
      }
    }
    for (int64_t m = 0; m < f.m; m += Core::rows) {
      const int count = int(min<int64_t>(Core::rows, f.m - m));
      if (m > 0) team.barrier();  // likewise for the rows before
      Core::stage(a, m, count, f.k, base, team);
      team.barrier();
      sweep(epilogue, b, f, s, base, m, count, team);
    }
  }

  // A batch of packed B has its stride in bytes.
  static const Large* panels(const tw_args& args, int64_t batch) {
    static_assert(is_same<typename Core::Panels, typename Formats<Config>::B>, "both pipelines share their panels");
    return reinterpret_cast<const Large*>(static_cast<const char*>(args.tensors[slot_b]) +
                                          batch * args.strides[slot_b][0]);
  }

  static void sweep(const Epilogue<Config>& epilogue, View<const Large> b, const Frame& f, const Shares& s, char* base,
                    int64_t m, int count, const Team& team) {
    char* scratch = base + s.staged + s.scratch * team.index;
    Acc* partial = reinterpret_cast<Acc*>(base + s.staged + s.scratch * s.members);
    const int64_t slice = Core::rows * f.n;
    for (int item = team.index; item < s.split_k * s.parts_n; item += team.count) {
      const int part_k = item / s.parts_n;
      const Range ns = partition(f.n, Core::unit_n, s.parts_n, item % s.parts_n);
      const Range ks = partition(f.k, Core::unit_k, s.split_k, part_k);
      Core::sweep(b, base, count, f.k, ns, ks, scratch,
                  [&](const Acc* acc, int64_t ld, int rows, int64_t n, int columns) {
                    if (s.split_k == 1) finish(epilogue, f.turned, acc, ld, rows, m, n, columns);
                    else keep(acc, ld, rows, columns, partial + part_k * slice + n, f.n);
                  });
    }
    if (s.split_k == 1) return;
    team.barrier();
    add_partials(epilogue, f, s, partial, m, count, team);
  }

  static TW_NOINLINE void finish(const Epilogue<Config>& epilogue, bool turned, const Acc* acc, int64_t ld, int rows,
                                 int64_t m, int64_t n, int columns) {
    if (!always_turned && !(may_turn && turned)) {
      epilogue.tile(acc, ld, m, n, rows, columns);
      return;
    }
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; c += lanes) {
        const int some = min(lanes, columns - c);
        epilogue.finish(load_bits_partial<vec<Acc>>(acc + r * ld + c, some), n + c, m + r, some, true);
      }
  }

  static void keep(const Acc* acc, int64_t ld, int rows, int columns, Acc* out, int64_t ld_out) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) out[r * ld_out + c] = acc[r * ld + c];
  }

  // Part 0 + part 1 + ...: the order never depends on the number of threads.
  static void add_partials(const Epilogue<Config>& epilogue, const Frame& f, const Shares& s, const Acc* partial,
                           int64_t m, int count, const Team& team) {
    constexpr int step = 64;
    alignas(64) Acc sum[Core::rows * step];
    const Range ns = partition(f.n, 16, team.count, team.index);
    for (int64_t n = ns.begin; n < ns.end; n += step) {
      const int columns = int(min<int64_t>(step, ns.end - n));
      for (int r = 0; r < count; ++r)
        for (int c = 0; c < columns; ++c) {
          Acc total = 0;
          for (int part = 0; part < s.split_k; ++part) total += partial[(part * int64_t(Core::rows) + r) * f.n + n + c];
          sum[r * step + c] = total;
        }
      finish(epilogue, f.turned, sum, step, count, m, n, columns);
    }
  }
};

}  // namespace tw
