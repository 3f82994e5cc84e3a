// B into panels: per call inside the tiled pipeline, or ahead of time through tw_pack_b.
#pragma once
#include "tw/gemm/pack_rows.hpp"
#include "tw/parallel.hpp"

namespace tw {

template <class Config>
struct PackB {
  using B = typename Config::B;
  using P = typename Formats<Config>::B;
  using Stored = typename P::Stored;
  static constexpr int nr = Config::nr;
  // A skinny kernel for plain B has an nr of its own meaning, and no panels.
  static constexpr bool offered = Config::pipeline == Pipeline::tiled || Config::b_format == BFormat::packed;

  // Columns [j, j + count) and rows [k_begin, k_begin + k) of b into consecutive panels; corrections may be null.
  template <bool Fetched = false>
  static void columns(Stored* dst, int32_t* corrections, int64_t panel_stride, View<const B> b, int64_t j,
                      int64_t count, int64_t k_begin, int64_t k) {
    constexpr bool along = Config::layout_b == Layout::col;
    const View<const B> src{b.at(k_begin, j), b.col, b.row};
    if constexpr (along) PanelPacker<B, P, along, Fetched>::pack(dst, panel_stride, src, count, k);
    else RowPacker<B, P>::pack(dst, panel_stride, src, count, k);
    if constexpr (PackedB<P>::has_corrections) {
      if (!corrections) return;
      for (int64_t c = 0; c < count; c += nr) {
        panel_corrections<nr>(corrections + c, dst + c / nr * panel_stride, P::padded_k(k) / P::group);
      }
    }
  }

  // Bytes of all batch items of tensor slot 1, packed.
  static int64_t bytes(const tw_args& args) {
    const Sizes s(args);
    return !offered || s.batch <= 0 || s.n <= 0 ? 0 : s.batch * PackedB<P>::bytes(s.n, s.k);
  }

  // Packs every batch item of tensor slot 1 into tensor slot 2, one PackedB after another.
  static int run(tw_args* args) {
    if constexpr (offered) return run_offered(args);
    else return fail(args, "this kernel reads B where it lies: pack with a tiled kernel, or one for packed B");
  }

 private:
  static int run_offered(tw_args* args) {
    const Sizes s(*args);
    if (s.batch <= 0 || s.n <= 0) return 0;
    const int64_t per_item = P::panels(s.n), panels = s.batch * per_item;
    parallel(args->runtime, int(min<int64_t>(Launch(*args).threads, panels)), [&](const Team& team) {
      const Range mine = partition(panels, 1, team.count, team.index);
      for (int64_t at = mine.begin; at < mine.end;) {
        const int64_t batch = at / per_item, panel = at % per_item, count = min(mine.end - at, per_item - panel);
        char* base = static_cast<char*>(args->tensors[slot_out]) + batch * PackedB<P>::bytes(s.n, s.k);
        auto* corrections = reinterpret_cast<int32_t*>(base + PackedB<P>::corrections_offset(s.n, s.k));
        columns(reinterpret_cast<Stored*>(base) + panel * P::elements(s.k), corrections + panel * nr, P::elements(s.k),
                view<const B>(*args, slot_b, batch), panel * nr, min(s.n - panel * nr, count * nr), 0, s.k);
        at += count;
      }
    });
    return 0;
  }
};

}  // namespace tw
