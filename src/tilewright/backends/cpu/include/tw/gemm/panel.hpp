// How packed operands lie in memory. One family of formats serves every inner kernel, both operands, and the weights
// that tw_pack_b prepares ahead of time.
//
// An operand is a set of `lines` (rows of A, columns of B), each of length k. A *panel* holds `width` lines. Along k it
// is cut into *blocks* of `block` elements; a block holds `planes` copies (2 for a hi/lo split), each cut into groups
// of `group` consecutive k elements that belong to one line:
//
//   index(panel, b, plane, g, line, kk) =
//       ((((panel * blocks + b) * planes + plane) * (block / group) + g) * width + line) * group + kk
//
// k is padded to a multiple of `block` and the lines to a multiple of `width`, both with zeros.
//
//   inner        A: stored, width, group, block            B: stored, width, group, block     planes
//   portable/fma f32, mr, L, L (col-major A, Arm: 1, 1)    f32,  nr, 1,  1                    1
//   vnni         u8 (a + 128), mr, 4L, 4L (col: 4, 4)      i8,   nr, 4,  4 + corrections      1
//   amx bf16     bf16, mr, 32, 32                          bf16, nr, 2, 32                    1
//   amx int8     i8,   mr, 64, 64                          i8,   nr, 4, 64 + corrections      1
//   amx_bf16x3   bf16, mr, 32, 32                          bf16, nr, 2, 32                    2: hi, lo
//
// L is the number of 32-bit lanes of a register. Groups of A fill a register where A is contiguous along k, because
// then a group is one copy instead of a transposition.
// An 8-bit B is followed by one int32 per padded column, the correction: -128 times the sum of the column over k. VNNI
// multiplies unsigned by signed bytes, so it adds 128 to A and this to the result.
#pragma once
#include "tw/simd.hpp"

namespace tw {

template <class StoredT, int Width, int Group, int Block, int Planes = 1>
struct Panel {
  using Stored = StoredT;
  static constexpr int width = Width, group = Group, block = Block, planes = Planes;
  static_assert(Block % Group == 0, "a block holds whole groups");

  static constexpr int64_t padded_k(int64_t k) { return round_up(k, Block); }
  // Elements from the start of a panel to position k (a multiple of `block`), which is also the size of a panel.
  static constexpr int64_t elements(int64_t k) { return padded_k(k) * Width * Planes; }
  static constexpr int64_t panels(int64_t lines) { return ceil_div(lines, Width); }
};

// Bytes biased by 128, so that a signed byte can meet an instruction that wants an unsigned one.
struct biased_u8 { uint8_t bits; };

template <class Config, Inner I = Config::inner, bool Integer = is_same<typename Config::A, int8_t>>
struct Formats;
// B comes in panels, whether this kernel packs them or tw_pack_b did.
template <class Config>
constexpr bool b_in_panels = Config::pack_b || Config::b_format == BFormat::packed;
template <class Config>
constexpr bool a_along_k = Config::layout_a == Layout::row;
template <class Config, bool Integer>
struct Formats<Config, Inner::fma, Integer> {
#if defined(TW_NEON) || defined(TW_SVE)  // four rows are a register of lanes (tw/arm/micro_lanes.hpp)
  static constexpr int group = a_along_k<Config> && (!Config::pack_a || Config::mr % 4 != 0) ? lanes : 1;
#else
  static constexpr int group = a_along_k<Config> ? lanes : 1;
#endif
  using A = Panel<float, Config::mr, group, group>;
  using B = Panel<float, Config::nr, 1, 1>;
};
template <class Config, bool Integer>
struct Formats<Config, Inner::portable, Integer> : Formats<Config, Inner::fma, Integer> {};
template <class Config>
struct Formats<Config, Inner::vnni, true> {
  static constexpr int group = a_along_k<Config> ? 4 * lanes : 4;
  using A = Panel<biased_u8, Config::mr, group, group>;
  using B = Panel<int8_t, Config::nr, 4, 4>;
};
template <class Config>
struct Formats<Config, Inner::amx, true> {
  using A = Panel<int8_t, Config::mr, 64, 64>;
  using B = Panel<int8_t, Config::nr, 4, 64>;
};
template <class Config>
struct Formats<Config, Inner::amx, false> {
  using A = Panel<bf16, Config::mr, 32, 32>;
  using B = Panel<bf16, Config::nr, 2, 32>;
};
template <class Config>
struct Formats<Config, Inner::amx_bf16x3, false> {
  using A = Panel<bf16, Config::mr, 32, 32, 2>;
  using B = Panel<bf16, Config::nr, 2, 32, 2>;
};

// A whole packed B of one batch item: panels over all of k, then the corrections where the format has them.
template <class P>
struct PackedB {
  static constexpr bool has_corrections = is_same<typename P::Stored, int8_t>;
  static constexpr int64_t panel_bytes(int64_t k) { return P::elements(k) * int64_t(sizeof(typename P::Stored)); }
  static constexpr int64_t corrections_offset(int64_t n, int64_t k) { return P::panels(n) * panel_bytes(k); }
  static constexpr int64_t bytes(int64_t n, int64_t k) {
    const int64_t corrections = has_corrections ? P::panels(n) * P::width * int64_t(sizeof(int32_t)) : 0;
    return round_up(corrections_offset(n, k) + corrections, 64);
  }
};

}  // namespace tw
