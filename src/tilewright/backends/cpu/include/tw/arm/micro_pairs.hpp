// Register tiles of 2 x 2 blocks: one instruction multiplies two rows of A with two columns of B over eight bytes of k.
//
// A register of A holds two rows, one of B two columns (arm/panel.hpp), and an accumulator the block
// {r0 c0, r0 c1, r1 c0, r1 c1}: twice the products of a dot product per instruction. bf16 products and sums are rounded
// to odd, denormals are zero.
#pragma once
#include "tw/arm/lanes.hpp"
#include "tw/arm/pack.hpp"
#include "tw/gemm/micro_vector.hpp"

namespace tw {

TW_INLINE void add_block([[maybe_unused]] vec<int32_t, 4>& acc, [[maybe_unused]] vec<int32_t, 4> a,
                         [[maybe_unused]] vec<int32_t, 4> b) {
#if defined(TW_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)
  asm("smmla %0.4s, %1.16b, %2.16b" : "+w"(acc) : "w"(a), "w"(b));
#endif
}
TW_INLINE void add_block([[maybe_unused]] vec<float, 4>& acc, [[maybe_unused]] vec<float, 4> a,
                         [[maybe_unused]] vec<float, 4> b) {
#if defined(TW_NEON) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  asm("bfmmla %0.4s, %1.8h, %2.8h" : "+w"(acc) : "w"(a), "w"(b));
#endif
}

template <class Config>
struct MicroPairs {
  using Acc = typename Config::Acc;
  using Stored = typename Formats<Config>::A::Stored;
  using V = vec<Acc, 4>;
  static constexpr bool corrects = false, any_k = true;
  static constexpr int mr = Config::mr, nr = Config::nr, rows = mr / 2, columns = nr / 2;
  static constexpr int per = Formats<Config>::A::group;
  static_assert(lanes == 4 || mr == 0, "matrix products are for registers of 128 bits");
  static_assert(mr % 4 == 0 && nr % 4 == 0, "mr and nr must be multiples of 4");
  static_assert(rows * columns + rows + 2 <= vector_registers, "mr/2*nr/2 + mr/2 + 2 must not exceed the registers");
  static_assert(Config::pack_a && b_in_panels<Config>, "matrix products need both operands packed");

  static int prepare(tw_args*) { return 0; }
  struct Scope {};  // nothing to set up per thread

  static TW_NOINLINE void run(int64_t k, const Source<Stored>& a, const Source<Stored>& b, const Target<Acc>& t) {
    V acc[rows][columns];
    TW_UNROLL
    for (int r = 0; r < rows; ++r) {
      TW_UNROLL
      for (int c = 0; c < columns; ++c) acc[r][c] = V{};
    }
    const char* TW_RESTRICT pa = reinterpret_cast<const char*>(a.data);
    const char* TW_RESTRICT pb = reinterpret_cast<const char*>(b.data);
    const char* ahead = b.ahead ? b.ahead : pb;
    WriteAhead written = t.written;
    int64_t groups = ceil_div(k, per);
    for (; groups >= 2; groups -= 2, pa += 2 * mr * 8, pb += 2 * nr * 8, ahead += 64) {
      written.fetch_row();
      __builtin_prefetch(ahead, 0, 2);
      step(acc, pa, pb);
      step(acc, pa + mr * 8, pb + nr * 8);
    }
    if (groups > 0) step(acc, pa, pb);
    TW_UNROLL
    for (int r = 0; r < rows; ++r) {
      TW_UNROLL
      for (int c = 0; c < columns; c += 2) put(acc[r][c], acc[r][c + 1], t, 2 * r, 2 * c);
    }
  }

 private:
  static TW_INLINE void step(V (&acc)[rows][columns], const char* a, const char* b) {
    V av[rows];
    TW_UNROLL
    for (int r = 0; r < rows; ++r) av[r] = load_bits<V>(a + r * 16);
    TW_UNROLL
    for (int c = 0; c < columns; ++c) {
      const V bv = load_bits<V>(b + c * 16);
      TW_UNROLL
      for (int r = 0; r < rows; ++r) add_block(acc[r][c], av[r], bv);
    }
  }

  // Two blocks side by side are two rows of four columns.
  static TW_INLINE void put(V left, V right, const Target<Acc>& t, int r, int c) {
    put_row(__builtin_shufflevector(left, right, 0, 1, 4, 5), t, r, c);
    put_row(__builtin_shufflevector(left, right, 2, 3, 6, 7), t, r + 1, c);
  }
  static TW_INLINE void put_row(V x, const Target<Acc>& t, int r, int c) {
    if (t.init) x = x + load_bits<V>(t.init + r * t.init_row + c);
    store_bits(t.out + r * t.out_row + c, x);
  }
};

}  // namespace tw
