// Register tiles of float32 for AVX-512: as micro_vector.hpp, written for the fewest instructions per product.
//
// What limits a tile is not the multipliers alone: two threads of a core share the front end and the load ports. So some
// rows are multiplied straight from memory (a broadcast inside of the multiplication, one instruction less for each), as
// many as the load ports bear. Sixteen steps of k are unrolled: one register of A per row.
#pragma once
#include "tw/gemm/micro_vector.hpp"

#if defined(TW_AVX512)
namespace tw {

// What to bring into L2 meanwhile: rows of as many bytes as a row of A has in the tile, `stride` bytes apart. One
// register tile fetches `share` of the rows that are left.
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
  static_assert(mr * nv + nv + 1 <= vector_registers,
                "mr*(nr/lanes) + nr/lanes + 1 must not exceed the vector registers");
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
    Rows rows(a);
    const int64_t b_word = b_in_panels<Config> ? nr : b.k_stride;
    const float* TW_RESTRICT pb = b.data;
    const int64_t fetched = b.next.mine(), stride = b.next.stride;
    const char* ahead = b.next.row;
    WriteAhead written = t.written;
    for (; k >= group; k -= group, rows.advance(rows.whole), ahead += 64) {
      for (int64_t row = 0; row < fetched; ++row) __builtin_prefetch(ahead + row * stride, 0, 2);
      TW_UNROLL
      for (int row = 0; row < mr; row += 8) written.fetch_row();
      for (int q = 0; q < group; q += unroll) {
        TW_UNROLL
        for (int u = 0; u < unroll; ++u, pb += b_word) step(acc, rows, q + u, pb);
      }
    }
    for (; k > 0; --k, rows.advance(rows.word), pb += b_word) step(acc, rows, 0, pb);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) put(acc[r][c], t, r, c * lanes);
    }
  }

 private:
  static constexpr bool long_groups = Formats<Config>::A::group > 1;
  static constexpr int group = lanes;
  static constexpr bool apart = !Config::pack_a && long_groups && mr <= 8;  // in place, with a pointer for each row
  static constexpr int unroll = Config::pack_a || apart ? group : 4;
  // Rows that are multiplied from memory. Each saves an instruction and takes nv - 1 more loads: five loads for seven
  // products are borne. A register to index with would split such an instruction.
  static constexpr int borne = mr * nv * 5 / 7 - nv - mr;
  static constexpr int from_memory =
      !Config::pack_a && !apart ? 0 : nv == 1 ? mr : min(mr, max(0, borne / max(1, nv - 1)));

  // Where the rows of A are. Packed, all lie at constant offsets. Up to eight that are read in place have a pointer
  // each: left alone, the compiler would keep one for each word of each row, most of them in memory.
  struct Rows {
    static constexpr int pointers = apart ? mr : 1;
    const float* at[pointers];
    int64_t line, word, whole;  // to the next row, word and group
    TW_INLINE explicit Rows(const Source<float>& a)
        : line(!long_groups ? 1 : Config::pack_a ? group : a.line_stride),
          word(long_groups ? 1 : Config::pack_a ? mr : a.k_stride),
          whole(Config::pack_a ? mr * group : long_groups ? a.group_stride : a.k_stride * group) {
      TW_UNROLL
      for (int i = 0; i < pointers; ++i) at[i] = a.data + i * line;
    }
    // Word q of row r of this group.
    TW_INLINE const float* of(int r, int q) const {
      return apart ? at[apart ? r : 0] + q : at[0] + r * line + q * word;
    }
    TW_INLINE void advance(int64_t distance) {
      TW_UNROLL
      for (int i = 0; i < pointers; ++i) {
        at[i] += distance;
        if constexpr (apart) keep_in_register(at[i]);
      }
    }
  };

  static TW_INLINE void step(vf (&acc)[mr][nv], const Rows& rows, int q, const float* b) {
    vf bv[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) bv[c] = load_bits<vf>(b + c * lanes);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      if (r * from_memory / mr != (r + 1) * from_memory / mr) {  // evenly among the others
        TW_UNROLL
        for (int c = 0; c < nv; ++c)
          asm("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(acc[r][c]) : "v"(bv[c]), "m"(*rows.of(r, q)));
      } else {
        vf av = splat<vf>(*rows.of(r, q));
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
