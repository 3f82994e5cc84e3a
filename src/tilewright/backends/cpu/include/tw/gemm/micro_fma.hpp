// Register tiles of float32 for AVX-512: as micro_vector.hpp, written for the fewest instructions per product.
//
// What limits a tile is not the multipliers alone: two threads of a core share the front end and the load ports. Some rows
// are therefore multiplied straight from memory (a broadcast inside of the multiplication, one instruction less for
// each), as many as the load ports bear. Sixteen steps of k are unrolled: one register of A per row.
#pragma once
#include "tw/gemm/micro_vector.hpp"

#if defined(TW_AVX512)
namespace tw {

// What to bring into L2 meanwhile: rows of as many bytes as a row of A has in the tile, `stride` bytes apart. `share` of
// the rows that are left belong to one register tile.
struct ReadAhead {
  const char* row = nullptr;
  int64_t stride = 0, rows = 0, share = 0;
  TW_INLINE int64_t mine() const { return min(share, rows); }
  TW_INLINE void advance() {
    row += share * stride;
    rows -= mine();
  }
};
struct FetchingSource : Source<float> {
  ReadAhead next{};
};

template <class Config>
struct MicroFma {
  using Acc = float;
  static constexpr bool corrects = false, any_k = true;
  static constexpr int mr = Config::mr, nr = Config::nr, nv = nr / lanes;
  static_assert(nr % lanes == 0, "nr must be a multiple of the SIMD width in 32-bit lanes");
  static_assert(mr * nv + nv + 1 <= vector_registers, "mr*(nr/lanes) + nr/lanes + 1 must not exceed the vector registers");
  static_assert(Config::pack_a || is_same<typename Config::A, float>, "only f32 A is read in place");
  static_assert(b_in_panels<Config> || is_same<typename Config::B, float>, "only f32 B is read in place");

  static int prepare(tw_args*) { return 0; }
  struct Scope {};  // nothing to set up per thread

  // The operands come by reference: see MicroVector::run.
  static TW_NOINLINE void run(int64_t k, const Source<float>& a, const FetchingSource& b, const Target<float>& t) {
    vf acc[mr][nv];
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = vf{};
    }
    // Word q of line r of a group of A is at [r * a_line + q * a_word].
    const int64_t a_line = !long_groups ? 1 : Config::pack_a ? group : a.line_stride;
    const int64_t a_word = long_groups ? 1 : Config::pack_a ? mr : a.k_stride;
    const int64_t a_group = Config::pack_a ? mr * group : long_groups ? a.group_stride : a.k_stride * group;
    const int64_t b_word = b_in_panels<Config> ? nr : b.k_stride;
    const float* TW_RESTRICT pa = a.data;
    const float* TW_RESTRICT pb = b.data;
    const int64_t fetched = b.next.mine(), stride = b.next.stride;
    const char* ahead = b.next.row;
    WriteAhead written = t.written;
    for (; k >= group; k -= group, pa += a_group, ahead += 64) {
      for (int64_t row = 0; row < fetched; ++row) __builtin_prefetch(ahead + row * stride, 0, 2);
      TW_UNROLL
      for (int row = 0; row < mr; row += 8) written.fetch_row();
      TW_UNROLL
      for (int q = 0; q < group; ++q, pb += b_word) step(acc, pa + q * a_word, a_line, pb);
    }
    for (; k > 0; --k, pa += a_word, pb += b_word) step(acc, pa, a_line, pb);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) put(acc[r][c], t, r, c * lanes);
    }
  }

 private:
  static constexpr bool long_groups = Formats<Config>::A::group > 1;
  static constexpr int group = lanes;
  // Rows that are multiplied from memory. Each saves an instruction and takes nv - 1 more loads: five loads for seven
  // products are borne. A register to index with would split such an instruction, so only packed rows are.
  static constexpr int borne = mr * nv * 5 / 7 - nv - mr;
  static constexpr int from_memory = !Config::pack_a ? 0 : nv == 1 ? mr : min(mr, max(0, borne / max(1, nv - 1)));

  static TW_INLINE void step(vf (&acc)[mr][nv], const float* a, int64_t a_line, const float* b) {
    vf bv[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) bv[c] = load_bits<vf>(b + c * lanes);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      if (r * from_memory / mr != (r + 1) * from_memory / mr) {  // evenly among the others
        TW_UNROLL
        for (int c = 0; c < nv; ++c)
          asm("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(acc[r][c]) : "v"(bv[c]), "m"(a[r * a_line]));
      } else {
        vf av = splat<vf>(a[r * a_line]);
        keep_in_register(av);
        TW_UNROLL
        for (int c = 0; c < nv; ++c) asm("vfmadd231ps %2, %1, %0" : "+v"(acc[r][c]) : "v"(bv[c]), "v"(av));
      }
    }
  }

  static TW_INLINE void put(vf x, const Target<float>& t, int r, int c) {
    if (t.init) x = x + load_bits<vf>(t.init + r * t.init_row + c);
    store_bits(t.out + r * t.out_row + c, x);
  }
};

template <class Config>
struct PanelOfB<MicroFma<Config>, float> { using type = FetchingSource; };

}  // namespace tw
#endif
