// Register tiles of vector code: mr rows x nr columns of accumulators, one word of k at a time. A word is one f32 for
// `fma` and `portable`, four bytes for `vnni`.
#pragma once
#include "tw/gemm/args.hpp"
#include "tw/gemm/panel.hpp"
#include "tw/simd.hpp"

namespace tw {

// Where a micro kernel finds one panel, in elements: the next line, the next k inside a group, the next group of k.
// Packed panels have compile-time constants instead; these numbers serve operands that are read in place.
// While the panel is at work, `ahead_lines` cache lines from `ahead` on are brought into L2 for later.
template <class T>
struct Source {
  const T* data;
  int64_t line_stride, k_stride, group_stride;
  const char* ahead = nullptr;
  int64_t ahead_lines = 0;
};
// The type in which a micro kernel takes a panel of B.
template <class Micro, class Stored>
struct PanelOfB { using type = Source<Stored>; };
// Whether a micro kernel can leave out the last rows of its tile (Micro::run_some).
template <class Micro>
constexpr bool shortens = false;
// Whether a micro kernel packs rows of B while it multiplies those that were packed before (RowsAhead).
template <class Micro>
constexpr bool packs_ahead = false;
// Rows of B, or columns, or a panel, to be brought into L2 while register tiles are computed, a line at a time.
struct LinesAhead {
  const char* line = nullptr;
  int64_t bytes = 0, stride = 0, rows = 0;  // of a row (whole lines), from row to row, rows that are left
  int64_t left = bytes;                     // bytes of this row
  TW_INLINE void fetch() {
    if (rows <= 0) return;
    __builtin_prefetch(line, 0, 2);
    line += 64;
    left -= 64;
    if (left > 0) return;
    line += stride - bytes;
    left = bytes;
    --rows;
  }
};
// Rows of B to be packed while register tiles are computed, a piece (a row of a panel) at a time and panel after panel:
// a row is read as a stream, wherever the next one lies.
struct RowsAhead {
  const float* from = nullptr;
  float* to = nullptr;
  int64_t row = 0, panel_stride = 0, panels = 0;  // elements from row to row and from panel to panel, panels of a row
  int64_t pieces = 0;                             // that are left
  int64_t every = 1;                              // steps of k of a register tile for a piece: 1, 2 or 4
  int64_t ahead = 0;                              // elements from what is read to what is asked for
  int64_t left = panels;                          // pieces of this row

  template <int Width>
  TW_INLINE void pack() {
    __builtin_prefetch(from + ahead);
    TW_UNROLL
    for (int c = 0; c < Width; c += 4) {  // general registers: a store of a vector register takes a turn of a multiplier
      uint64_t two[2];
      __builtin_memcpy(two, from + c, 16);
      keep_in_register(two[0]);
      keep_in_register(two[1]);
      __builtin_memcpy(to + c, two, 16);
    }
    from += Width;
    to += panel_stride;
    if (__builtin_expect(--left > 0, 1)) return;
    from += row - panels * Width;
    to += Width - panels * panel_stride;
    left = panels;
  }
  template <int Width>
  void pack_rest() {
    for (; pieces > 0; --pieces) pack<Width>();
  }
};
// A panel with what register tiles shall do meanwhile: each goes on where the last one ended.
struct Meanwhile {
  LinesAhead lines;
  RowsAhead rows;
};
struct PanelAndLines : Source<float> {
  Meanwhile* next = nullptr;
};
// Accumulators: out = init (null: zero) + product. Row strides in elements; a stride of 0 repeats one row. `written` is
// where the tile goes in the end, which may be elsewhere and of another type.
template <class Acc>
struct Target {
  const Acc* init;
  int64_t init_row;
  Acc* out;
  int64_t out_row;
  WriteAhead written;
};

// float32 multiply-adds. int8 operands are packed as float32 too: products of bytes are at most 2^14, so sums over 1024
// of them are exact in float32; the tile is then converted and added to int32 accumulators. Hence kc <= 1024 there.
template <class Config>
struct FloatWords {
  using A = float;
  using B = float;
  using Lane = float;
  static constexpr int per = 1;
  static constexpr bool corrects = false;
  static constexpr int64_t max_kc = is_same<typename Config::Acc, float> ? 0 : 1024;  // 0: any
  static_assert(max_kc == 0 || Config::kc <= max_kc, "int8 as float32 is exact up to kc = 1024");
  static TW_INLINE vf add_product(vf acc, vf a, vf b) { return acc + a * b; }
};

// Four unsigned by signed byte products per lane. The panel of A is biased by 128, which the tile's init corrects.
template <class Config>
struct ByteWords {
  using A = biased_u8;
  using B = int8_t;
  using Lane = int32_t;
  static constexpr int per = 4;
  static constexpr bool corrects = true;
  static constexpr int64_t max_kc = 0;
  static_assert(Config::pack_a && b_in_panels<Config>, "vnni needs both operands packed");
  static TW_INLINE vi add_product(vi acc, [[maybe_unused]] vi a, [[maybe_unused]] vi b) {
#if defined(__AVX512VNNI__) && defined(TW_AVX512)
    asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
#elif defined(__AVXVNNI__) && defined(TW_AVX2)
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(a), "x"(b));
#else
    static_assert(sizeof(Config) == 0, "inner vnni needs AVX-512 VNNI or AVX-VNNI");
#endif
    return acc;
  }
};

template <class Config, class Words>
struct MicroVector {
  using Acc = typename Config::Acc;
  using Lane = typename Words::Lane;
  using V = vec<Lane>;
  static constexpr bool corrects = Words::corrects, any_k = true;
  static constexpr int mr = Config::mr, nr = Config::nr, nv = nr / lanes, per = Words::per;
  static_assert(nr % lanes == 0, "nr must be a multiple of the SIMD width in 32-bit lanes");
  static_assert(mr * nv + nv + 1 <= vector_registers, "mr*(nr/lanes) + nr/lanes + 1 must not exceed the vector registers");
  static_assert(Config::pack_a || is_same<typename Config::A, typename Words::A>, "only f32 A is read in place");
  static_assert(b_in_panels<Config> || is_same<typename Config::B, typename Words::B>, "only f32 B is read in place");

  static int prepare(tw_args* args) {
    if (Words::max_kc == 0 || Launch(*args).kc <= Words::max_kc) return 0;
    return fail(args, "kc is % but int8 products summed in float32 are exact up to %: launch with a smaller kc",
                Launch(*args).kc, Words::max_kc);
  }
  struct Scope {};  // nothing to set up per thread

  // The operands come by reference: copying a struct right after it was written stalls until all earlier stores,
  // the last tile among them, have left the store buffer.
  static TW_NOINLINE void run(int64_t k, const Source<typename Words::A>& a, const Source<typename Words::B>& b,
                              const Target<Acc>& t) {
    V acc[mr][nv];
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = V{};
    }
    // Word q of line r of a group of A is at [r * a_line + q * a_word].
    const int64_t a_line = !long_groups ? 1 : Config::pack_a ? group : a.line_stride;
    const int64_t a_word = long_groups ? 1 : Config::pack_a ? mr : a.k_stride;
    const int64_t a_group = Config::pack_a ? mr * group : long_groups ? a.group_stride : a.k_stride * group;
    const int64_t b_word = b_in_panels<Config> ? nr : b.k_stride;
    const Lane* TW_RESTRICT pa = reinterpret_cast<const Lane*>(a.data);
    const Lane* TW_RESTRICT pb = reinterpret_cast<const Lane*>(b.data);
    // Prefetches ride along, one row of the output tile and one line of what comes next at a time.
    const char* ahead = b.ahead ? b.ahead : reinterpret_cast<const char*>(b.data);
    WriteAhead written = t.written;
    int64_t words = ceil_div(k, per);
    for (; words >= group; words -= group, pa += a_group) {
      for (int q = 0; q < group; q += unroll, ahead += 64) {
        written.fetch_row();
        __builtin_prefetch(ahead, 0, 2);
        TW_UNROLL
        for (int u = 0; u < unroll; ++u, pb += b_word) step(acc, pa + (q + u) * a_word, a_line, pb);
      }
    }
    for (; words > 0; --words, pa += a_word, pb += b_word) step(acc, pa, a_line, pb);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      TW_UNROLL
      for (int c = 0; c < nv; ++c) put(acc[r][c], t, r, c * lanes);
    }
  }

 private:
  static constexpr int unroll = 4;
  static constexpr bool long_groups = Formats<Config>::A::group > per;
  static constexpr int group = long_groups ? Formats<Config>::A::group / per : unroll;  // in words

  static TW_INLINE void step(V (&acc)[mr][nv], const Lane* a, int64_t a_line, const Lane* b) {
    V bv[nv];
    TW_UNROLL
    for (int c = 0; c < nv; ++c) bv[c] = load_bits<V>(b + c * lanes);
    TW_UNROLL
    for (int r = 0; r < mr; ++r) {
      const V av = splat<V>(a[r * a_line]);
      TW_UNROLL
      for (int c = 0; c < nv; ++c) acc[r][c] = Words::add_product(acc[r][c], av, bv[c]);
    }
  }

  static TW_INLINE void put(V x, const Target<Acc>& t, int r, int c) {
    using R = vec<Acc>;
    R y;
    if constexpr (is_same<Acc, Lane>) y = x;
    else y = __builtin_convertvector(x, R);
    if (t.init) y = y + load_bits<R>(t.init + r * t.init_row + c);
    store_bits(t.out + r * t.out_row + c, y);
  }
};

}  // namespace tw
