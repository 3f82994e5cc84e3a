// The register tile of the `fma` and `portable` inner kernels: mr rows x nr columns of float32 accumulators.
//
// int8 operands are packed as float32 too. Products of bytes are at most 2^14, so sums over 1024 of them are exact in
// float32; the tile is then converted and added to int32 accumulators. Hence kc <= 1024 for int8.
#pragma once
#include "tw/panel.hpp"
#include "tw/simd.hpp"

namespace tw {

// Where a micro kernel finds one panel, in elements: the next line, the next k inside a group, the next group of k.
// Packed panels have compile-time constants instead; these numbers serve operands that are read in place.
template <class T>
struct Source {
  const T* data;
  int64_t line_stride, k_stride, group_stride;
};
// Accumulators: out = init (null: zero) + product. Row strides in elements; a stride of 0 repeats one row.
template <class Acc>
struct Target {
  const Acc* init;
  int64_t init_row;
  Acc* out;
  int64_t out_row;
};

template <class Config>
struct MicroFma {
  using Acc = typename Config::Acc;
  using Stored = float;
  static constexpr int mr = Config::mr, nr = Config::nr, nv = nr / lanes;
  static constexpr int registers = lanes == 16 ? 32 : 16;
  static_assert(nr % lanes == 0, "nr must be a multiple of the SIMD width in floats");
  static_assert(mr * nv + nv + 1 <= registers, "mr*(nr/lanes) + nr/lanes + 1 must not exceed the vector registers");
  static_assert(is_same<Acc, float> || Config::kc <= 1024, "int8 through float32 is exact up to kc = 1024");

  static constexpr bool corrects = false, any_k = true;
  struct Scope {};  // nothing to set up per thread

  // The operands come by reference: copying a struct right after it was written stalls until all earlier stores,
  // the last tile among them, have left the store buffer.
  static TW_NOINLINE void run(int64_t k, const Source<float>& a, const Source<float>& b, const Target<Acc>& t) {
    vf acc[mr][nv];
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = vf{};
    }
    // A group of `group` steps along k; line r, step q of it is at [r * a_line + q * a_step].
    const int64_t a_line = Config::pack_a ? group : a.line_stride, a_step = Config::pack_a ? 1 : a.k_stride;
    const int64_t a_group = Config::pack_a ? mr * group : a.group_stride;
    const int64_t b_k = Config::pack_b ? nr : b.k_stride;
    const float* TW_RESTRICT pa = a.data;
    const float* TW_RESTRICT pb = b.data;
    int64_t p = 0;
    for (; p + group <= k; p += group, pa += a_group) {
      TW_UNROLL
      for (int q = 0; q < group; ++q, pb += b_k) step(acc, pa + q * a_step, a_line, pb);
    }
    for (; p < k; ++p, pa += a_step, pb += b_k) step(acc, pa, a_line, pb);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) put(acc[r][c], t, r, c * lanes);
    }
  }

 private:
  static constexpr int group = Formats<Config>::A::group;

  static TW_INLINE void step(vf (&acc)[mr][nv], const float* a, int64_t a_line, const float* b) {
    vf bv[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) bv[c] = load_bits<vf>(b + c * lanes);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      const vf av = splat<vf>(a[r * a_line]);
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = acc[r][c] + av * bv[c];
    }
  }

  static TW_INLINE void put(vf x, const Target<Acc>& t, int r, int c) {
    using V = vec<Acc>;
    V y;
    if constexpr (is_same<Acc, float>) y = x;
    else y = __builtin_convertvector(x, V);
    if (t.init) y = y + load_bits<V>(t.init + r * t.init_row + c);
    store_bits(t.out + r * t.out_row + c, y);
  }
};

}  // namespace tw
