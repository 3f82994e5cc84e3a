// Holds the conversions of tw/simd.hpp, a register at a time, against those of one element in tw/types.hpp, and integers
// against what they must be, GELU and 2^x against the C library. Prints what differs; the exit status is 0 if nothing does.
#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(__aarch64__)  // as units for Arm do
#include "tw/arm/attention_tile.hpp"
#endif
#include "tw/attention/tile.hpp"

using namespace tw;

static int wrong = 0;
static void expect(bool good, const char* what, double x) {
  if (!good && wrong++ < 10) printf("%s of %.9g\n", what, x);
}
static bool is_nan(float x) { return x != x; }
static float from_bits(uint32_t bits) { return bit_cast<float>(bits); }

template <class T>
static void check_decoding() {
  for (uint32_t code = 0; code < 1u << (8 * sizeof(T)); code += lanes) {
    T in[lanes];
    for (uint32_t i = 0; i < lanes; ++i) in[i].bits = decltype(in[i].bits)(code + i);
    const vf got = load(in);
    for (int i = 0; i < lanes; ++i) {
      const float want = to_float(in[i]), found = got[i];
      expect(is_nan(want) ? is_nan(found) : bit_cast<uint32_t>(found) == bit_cast<uint32_t>(want), "decoding", want);
    }
  }
}

template <class T>
static void check_encoding(const float* in) {
  T out[lanes], part[lanes];
  store(out, load(in));
  for (int i = 0; i < lanes; ++i) {
    const T want = from_float<T>(in[i]);
    const bool same = memcmp(&out[i], &want, sizeof want) == 0;
    expect(same || (is_nan(in[i]) && is_nan(to_float(out[i]))), "encoding", in[i]);
  }
  for (int n = 0; n <= lanes; ++n) {
    memset(part, 0x5A, sizeof part);
    store_partial(part, load(in), n);
    const char* tail = reinterpret_cast<const char*>(part);
    bool good = memcmp(part, out, n * sizeof(T)) == 0;
    for (size_t i = n * sizeof(T); i < sizeof part; ++i) good = good && tail[i] == 0x5A;
    expect(good, "storing the first lanes", n);
    const vf some = load_partial(out, n);
    for (int i = n; i < lanes; ++i) expect(some[i] == 0, "loading the first lanes", n);
  }
}

// To nearest even, saturated; a NaN is the smallest integer.
template <class I>
static int64_t rounded(double x) {
  const double low = sizeof(I) == 1 ? -128.0 : -2147483648.0, high = sizeof(I) == 1 ? 127.0 : 2147483647.0;
  return int64_t(!(x > low) ? low : x >= high ? high : nearbyint(x));
}
template <class I>
static void check_integers(const float* in) {
  I out[lanes];
  store(out, load(in));
  for (int i = 0; i < lanes; ++i) {
    expect(out[i] == rounded<I>(in[i]), "rounding to an integer", in[i]);
    expect(from_float<I>(in[i]) == out[i], "rounding one element", in[i]);
  }
}

static void check_lanes() {
  vu square[lanes];
  vf rows[lanes];
  for (int i = 0; i < lanes; ++i)
    for (int j = 0; j < lanes; ++j) square[i][j] = uint32_t(100 * i + j), rows[i][j] = float(100 * i + j);
  transpose(square);
  const vf sums = lane_sums(rows);
  for (int i = 0; i < lanes; ++i) {
    expect(sums[i] == 100 * i * lanes + lanes * (lanes - 1) / 2, "sum of lanes", i);
    for (int j = 0; j < lanes; ++j) expect(square[i][j] == uint32_t(100 * j + i), "transposing", 100 * i + j);
  }
}

// Within 1e-5 (relative) in both tails; of infinite values and NaN what x * erfc gives.
static void check_gelu(const float* in) {
  const vf found = activate<Activation::gelu_erf>(load(in));
  for (int i = 0; i < lanes; ++i) {
    const double x = in[i], want = x * (0.5 * erfc(-x / sqrt(2.0)));
    const bool good = isfinite(want) ? fabs(found[i] - want) <= 1e-5 * fabs(want) + 1e-37
                                     : isnan(want) ? is_nan(found[i]) : found[i] == float(want);
    expect(good, "GELU", x);
  }
}

// For x up to 126. What is below the normal numbers is zero or right, and a NaN with any bits stays one.
static void check_exp2(const float* in) {
  const vf found = vexp2(load(in));
  for (int i = 0; i < lanes; ++i) {
    const double x = in[i], want = exp2(x);
    if (x > 126.0) continue;
    const bool good = isnan(x) ? is_nan(found[i]) : x < -126.0 ? found[i] == 0.0f || fabs(found[i] - want) <= 0x1p-149
                                                                : fabs(found[i] - want) <= 2e-7 * want;
    expect(good, "2 to the power", x);
  }
}

int main() {
  check_lanes();
  check_decoding<f16>(), check_decoding<bf16>(), check_decoding<fp8>(), check_decoding<bf8>();
  check_decoding<fp8_fnuz>(), check_decoding<bf8_fnuz>();
  const float special[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 126.5f, 127.5f, -128.5f, 1e30f, -1e30f,
                           INFINITY, -INFINITY, NAN, -NAN, 2147483520.0f, 2147483648.0f, -2147483648.0f,
                           4194304.5f, 8388607.5f, -8388607.5f, 8388609.0f, 1e-40f, 65504.0f, 65520.0f, 448.0f, 465.0f};
  constexpr int specials = int(sizeof special / sizeof *special);
  uint64_t state = 88172645463325252u;  // xorshift
  for (int round = 0; round < 20000; ++round) {
    float in[lanes];
    for (float& x : in) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const uint32_t bits = uint32_t(state >> 16);
      const int kind = int(state % 3);
      x = kind == 0 ? special[bits % specials] : kind == 1 ? from_bits(bits) : 0.5f * float(int(bits % 600) - 300);
    }
    check_encoding<f16>(in), check_encoding<bf16>(in), check_encoding<fp8>(in), check_encoding<bf8>(in);
    check_encoding<fp8_fnuz>(in), check_encoding<bf8_fnuz>(in);
    check_integers<int8_t>(in), check_integers<int32_t>(in);
    check_gelu(in), check_exp2(in);
    for (float& x : in) x = fmodf(x, 12.0f);  // where the tails are not zero
    check_gelu(in);
    for (float& x : in) x *= 10.0f;
    check_exp2(in);
  }
  if (wrong) printf("%d differ with %d lanes\n", wrong, lanes);
  return wrong != 0;
}
