// What the GPU examples share: 16-bit floats, and tensors that are kept on the host as well.
#pragma once
#include <cstring>

#include "example.hpp"

namespace example {

// fp16 as bits; rounded to nearest, ties to even.
inline uint16_t half_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00));
  if (magnitude < 0x38800000) {  // below the smallest normal number: a multiple of 2^-24
    const float scaled = std::fabs(value) * 16777216.f;
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(scaled)));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}
inline float float_of(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const float magnitude = exponent == 0    ? std::ldexp(float(fraction), -24)
                          : exponent == 31 ? (fraction ? NAN : INFINITY)
                                           : std::ldexp(float(fraction | 0x400), exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}
inline std::shared_ptr<tilewright::Gpu> gpu() { return bundle()->gpu(); }

// Random fp16 values: on the GPU, and as floats on the host.
struct Halves {
  Floats host;
  tilewright::GpuBuffer device;
  Halves(size_t count, unsigned seed) : Halves(random(count, seed)) {}
  explicit Halves(Floats values) : host(std::move(values)), device(gpu(), rounded(host)) {}

 private:
  static std::vector<uint16_t> rounded(Floats& values) {
    std::vector<uint16_t> bits;
    for (auto& v : values) bits.push_back(half_of(v)), v = float_of(bits.back());
    return bits;
  }
};
// Room for fp16 results on the GPU.
struct Result {
  tilewright::GpuBuffer device;
  explicit Result(size_t count) : device(gpu(), count * 2) {}
  Floats host(void* stream = nullptr) const {
    Floats values;
    for (uint16_t bits : device.read<uint16_t>(stream)) values.push_back(float_of(bits));
    return values;
  }
};
constexpr double half_tolerance = 4e-3;  // of sums that are rounded to fp16 once

}  // namespace example
