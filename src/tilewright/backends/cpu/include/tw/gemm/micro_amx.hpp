// Register tiles of AMX: (mr/16) x (nr/16) accumulator tiles of 16 x 16, one block of k (64 bytes) at a time.
//
// The bf16 product treats denormal inputs as zero and flushes denormal results to zero, whatever MXCSR says; the int8
// product is exact. `amx_bf16x3` multiplies 16-bit floats that bf16 cannot hold as hi + lo (both bf16; the split of an
// f16 is exact) with three products hi*hi + hi*lo + lo*hi. The product lo*lo is left out; as |lo| <= 2^-8 |x| the error
// is at most 2^-16 * (|A| |B|), besides the rounding of the float32 accumulation.
#pragma once
#include "tw/amx.hpp"
#include "tw/gemm/args.hpp"
#include "tw/gemm/micro_vector.hpp"

namespace tw {

template <class Config>
struct MicroAmx {
  using A = typename Config::A;
  using B = typename Config::B;
  using Acc = typename Config::Acc;
  using FA = typename Formats<Config>::A;
  using FB = typename Formats<Config>::B;
  using Stored = typename FA::Stored;
  static constexpr bool integer = is_same<Acc, int32_t>, split = FA::planes == 2;
  static constexpr bool corrects = false, any_k = false;
  static constexpr int mr = Config::mr, nr = Config::nr, mt = mr / 16, nt = nr / 16;
  static_assert(mr % 16 == 0 && nr % 16 == 0, "AMX tiles are 16 x 16: mr and nr must be multiples of 16");
  static_assert(mt * nt + mt + 1 <= 8, "tiles: (mr/16)*(nr/16) + mr/16 + 1 must not exceed 8");
  static_assert(b_in_panels<Config>, "AMX needs B in panels");
  static_assert(Config::pack_a || (is_same<A, Stored> && !split), "A must be bf16 or i8 to be read in place");
  static_assert(integer == is_same<B, int8_t>, "int8 times int8 only");
  static_assert(!is_same<A, float> && !is_same<B, float>, "f32 does not fit bf16");
  static_assert(split || !(is_same<A, f16> || is_same<B, f16>), "f16 needs amx_bf16x3");

  static int prepare(tw_args* args) { return amx_permitted() ? 0 : fail(args, amx_refused); }
  struct Scope {
    TileScope tiles{full_tiles()};
    static TileConfig full_tiles() {
      TileConfig config;
      for (int t = 0; t < 8; ++t) config.set(t, 16, 64);
      return config;
    }
  };

  static TW_NOINLINE void run(int64_t k, const Source<Stored>& a, const Source<Stored>& b, const Target<Acc>& t) {
    if constexpr (!split) {
      for_tiles<sums>([&](auto i) {
        if (t.init) tile_load<i.value>(t.init + at(i.value, t.init_row), t.init_row * 4);
        else tile_zero<i.value>();
      });
      multiply(k, a, b, t);
      for_tiles<sums>([&](auto i) { tile_store<i.value>(t.out + at(i.value, t.out_row), t.out_row * 4); });
    } else {
      alignas(64) float product[mr * nr];
      for_tiles<sums>([&](auto i) { tile_zero<i.value>(); });
      multiply(k, a, b, t);
      for_tiles<sums>([&](auto i) { tile_store<i.value>(product + at(i.value, nr), nr * 4); });
      if (__builtin_expect(has_nan(product), 0)) multiply_exactly(product, k, a.data, b.data);
      add(t, product);
    }
  }

 private:
  static constexpr int sums = mt * nt, first_a = sums, first_b = first_a + mt;
  static constexpr int b_tiles = min(8 - first_b, nt);  // registers for B; with fewer than nt they take turns
  static constexpr int64_t a_plane = mr * FA::group, b_plane = 16 * nr * FB::group;

  static TW_INLINE int64_t at(int tile, int64_t row) { return tile / nt * 16 * row + tile % nt * 16; }

  static TW_INLINE void multiply(int64_t k, const Source<Stored>& a, const Source<Stored>& b, const Target<Acc>& t) {
    const int64_t a_line = Config::pack_a ? FA::group : a.line_stride;
    const int64_t a_block = Config::pack_a ? a_plane * FA::planes : a.group_stride, b_block = b_plane * FB::planes;
    const Stored* pa = a.data;
    const Stored* pb = b.data;
    const int64_t blocks = ceil_div(k, FA::block), lines = ceil_div(b.ahead_lines, max<int64_t>(1, blocks));
    const char* ahead = b.ahead;
    WriteAhead written = t.written;  // prefetches ride along: two rows of the output, and a share of what comes next
    for (int64_t left = blocks; left > 0; --left, pa += a_block, pb += b_block) {
      for (int64_t l = 0; l < lines; ++l, ahead += 64) __builtin_prefetch(ahead, 0, 2);
      written.fetch_row();
      written.fetch_row();
      if constexpr (split) split_block(pa, pb);
      else block<true, true>(pa, a_line, pb);
    }
  }

  // Left tile i times right tile j. A tile is loaded just before its first use, so that loads overlap with products.
  template <int I, int J>
  static TW_INLINE void dot() {
    constexpr int sum = I * nt + J, tile_a = first_a + I, tile_b = first_b + J % b_tiles;
    if constexpr (integer) tile_dot_i8<sum, tile_a, tile_b>();
    else tile_dot_bf16<sum, tile_a, tile_b>();
  }
  template <bool LoadA, bool LoadB>
  static TW_INLINE void block(const Stored* a, int64_t a_line, const Stored* b) {
    for_tiles<nt>([&](auto j) {
      if constexpr (LoadB) tile_load<first_b + j.value % b_tiles>(b + j.value * 16 * FB::group, nr * 4);
      for_tiles<mt>([&](auto i) {
        if constexpr (LoadA && j.value == 0)
          tile_load<first_a + i.value>(a + i.value * 16 * a_line, a_line * int64_t(sizeof(Stored)));
        dot<i.value, j.value>();
      });
    });
  }
  // hi*lo, hi*hi, lo*hi: in this order half of the tiles stay where they are for the next product.
  static TW_INLINE void split_block(const Stored* a, const Stored* b) {
    block<true, true>(a, FA::group, b + b_plane);
    block<false, true>(a, FA::group, b);
    block<true, b_tiles < nt>(a + a_plane, FA::group, b);
  }

  static TW_INLINE void add(const Target<Acc>& t, const float* product) {
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nr; c += lanes) {
        vf x = load_bits<vf>(product + r * nr + c);
        if (t.init) x = x + load_bits<vf>(t.init + r * t.init_row + c);
        store_bits(t.out + r * t.out_row + c, x);
      }
    }
  }

  static TW_INLINE bool has_nan(const float* tile) {
    vi nan{};
    for (int i = 0; i < mr * nr; i += lanes) {
      const vf x = load_bits<vf>(tile + i);
      nan = nan | (x != x);
    }
    int32_t any = 0;
    for (int i = 0; i < lanes; ++i) any |= nan[i];
    return any != 0;
  }

  // infinity * lo is NaN where lo is zero, so a tile with NaNs is computed again from hi + lo, with vector code.
  static TW_NOINLINE void multiply_exactly(float* out, int64_t k, const Stored* a, const Stored* b) {
    for (int r = 0; r < mr; ++r) {
      for (int c = 0; c < nr; c += lanes) {
        vf sum{};
        for (int64_t p = 0; p < k; ++p) {
          const Stored* pa = a + p / 32 * 2 * a_plane + r * 32 + p % 32;
          const Stored* pb = b + p / 32 * 2 * b_plane + (p % 32 / 2 * nr + c) * 2;
          sum = sum + (half(pb, p & 1) + half(pb + b_plane, p & 1)) * (to_float(pa[0]) + to_float(pa[a_plane]));
        }
        store_bits(out + r * nr + c, sum);
      }
    }
  }
  static TW_INLINE vf half(const Stored* words, int64_t odd) {
    const vu bits = load_bits<vu>(words);
    return bit_cast<vf>(odd ? bits & splat<vu>(0xFFFF0000u) : bits << 16);
  }
};

}  // namespace tw
