// What one core can do at most: multiply-adds with nothing to load or store, and reading memory with nothing to compute.
// Each function runs `iterations` rounds of independent operations; the caller knows how many operations a round has.
#include <cstdint>
#ifdef TW_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifndef TW_VECTOR_BYTES
#define TW_VECTOR_BYTES 16
#endif

namespace {
typedef float Vector __attribute__((vector_size(TW_VECTOR_BYTES)));
typedef float LooseVector __attribute__((vector_size(TW_VECTOR_BYTES), aligned(4)));
constexpr int lanes = TW_VECTOR_BYTES / 4;

float sum(Vector v) {
  float total = 0;
  for (int i = 0; i < lanes; ++i) total += v[i];
  return total;
}
}  // namespace

#define TW_TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

#pragma GCC visibility push(default)
extern "C" {

int tw_vector_lanes() { return lanes; }

// 12 multiply-adds of one vector each: more in flight than latency times ports, fewer than the registers of any level.
// Their form is a += x * y, as in kernels: Arm has no other. Every product takes the sum beside it, so that no two are
// the same and none can leave the loop. The factor is so small that the sums stay what they are.
// With 32 registers a second ring takes every other round: some Arm cores start four multiply-adds per clock.
#define TW_RING(a)                                                                                           \
  a##0 += a##1 * y, a##1 += a##2 * y, a##2 += a##3 * y, a##3 += a##4 * y, a##4 += a##5 * y, a##5 += a##6 * y, \
      a##6 += a##7 * y, a##7 += a##8 * y, a##8 += a##9 * y, a##9 += a##10 * y, a##10 += a##11 * y, a##11 += a##0 * y
#define TW_DECLARE(i) Vector a##i = Vector{} + float(i + 1);
#define TW_DECLARE_SECOND(i) Vector b##i = Vector{} + float(i + 13);
#define TW_ADD(i) +a##i
#define TW_ADD_SECOND(i) +b##i
float tw_fma(int64_t iterations, float factor, float term) {
  const Vector y = Vector{} + factor * term * 1e-9f;
  TW_TWELVE(TW_DECLARE)
#ifdef __aarch64__
  TW_TWELVE(TW_DECLARE_SECOND)
  for (int64_t n = 0; n < iterations; n += 2) TW_RING(a), TW_RING(b);
  return sum(Vector{} TW_TWELVE(TW_ADD) TW_TWELVE(TW_ADD_SECOND));
#else
  for (int64_t n = 0; n < iterations; ++n) TW_RING(a);
  return sum(Vector{} TW_TWELVE(TW_ADD));
#endif
}

// The sum of `count` floats, `times` over, so that every one of them is read.
float tw_read(const float* data, int64_t count, int64_t times) {
  const float* volatile source = data;  // read for each pass, so that each pass reads the floats anew
  Vector a0{}, a1{}, a2{}, a3{};
  for (int64_t n = 0; n < times; ++n) {
    const float* from = source;
    for (int64_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
      a0 += *reinterpret_cast<const LooseVector*>(from + i);
      a1 += *reinterpret_cast<const LooseVector*>(from + i + lanes);
      a2 += *reinterpret_cast<const LooseVector*>(from + i + 2 * lanes);
      a3 += *reinterpret_cast<const LooseVector*>(from + i + 3 * lanes);
    }
  }
  return sum(a0 + a1 + a2 + a3);
}

#ifdef TW_VNNI
typedef int WideInts __attribute__((vector_size(64)));
// 12 dot products of four 8-bit pairs in each of 16 lanes.
int tw_vnni(int64_t iterations, int seed) {
  const WideInts x = WideInts{} + seed, y = WideInts{} + seed;
#define TW_DECLARE_INT(i) WideInts a##i = WideInts{} + i;
  TW_TWELVE(TW_DECLARE_INT)
  for (int64_t n = 0; n < iterations; ++n) {
#define TW_DOT(i) asm("vpdpbusd %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
    TW_TWELVE(TW_DOT)
  }
  const WideInts total = WideInts{} TW_TWELVE(TW_ADD);
  return total[0];
}
#endif

#ifdef TW_AMX
namespace {
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
bool enter_tiles() {
  constexpr long request_permission = 0x1023, tile_data = 18;
  if (syscall(SYS_arch_prctl, request_permission, tile_data) != 0) return false;
  const TileConfig config;
  asm volatile("ldtilecfg %0" : : "m"(config));
  return true;
}
}  // namespace

#define TW_TILES(NAME, OP)                                                                              \
  int NAME(int64_t iterations) {                                                                        \
    if (!enter_tiles()) return 0;                                                                       \
    for (int64_t n = 0; n < iterations; ++n)                                                            \
      asm volatile(OP " %tmm6, %tmm4, %tmm0\n" OP " %tmm7, %tmm4, %tmm1\n" OP " %tmm6, %tmm5, %tmm2\n"  \
                   OP " %tmm7, %tmm5, %tmm3\n");                                                        \
    asm volatile("tilerelease");                                                                        \
    return 1;                                                                                           \
  }
TW_TILES(tw_amx_bf16, "tdpbf16ps")
TW_TILES(tw_amx_int8, "tdpbssd")
#endif
}
#pragma GCC visibility pop
