// What all examples share: the bundle, random tensors, references and checks.
#pragma once
#include <tilewright/tilewright.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace example {

using Floats = std::vector<float>;
struct Named {
  const char* name;
  void (*run)();
};
inline std::vector<Named>& all() {
  static std::vector<Named> examples;
  return examples;
}
struct Registered {
  Registered(const char* name, void (*run)()) { all().push_back({name, run}); }
};
#define EXAMPLE(name)                                              \
  static void name();                                              \
  static const example::Registered name##_registered(#name, name); \
  static void name()

struct Options {
  std::string bundle = TILEWRIGHT_BUNDLE;
  int warmup = 1, repeat = 5;
};
inline Options& options() {
  static Options given;
  return given;
}
inline std::shared_ptr<tilewright::Bundle> bundle() {
  static auto opened = tilewright::Bundle::open(options().bundle);
  return opened;
}
inline Floats random(size_t count, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> draw(-1.f, 1.f);
  Floats values(count);
  for (auto& v : values) v = draw(engine);
  return values;
}
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not as expected: " + what);
}
inline void same(const std::string& what, const Floats& got, const std::vector<double>& want, double tolerance = 1e-4) {
  require(got.size() == want.size(), what + " has another size");
  double worst = 0.0;
  for (size_t i = 0; i < got.size(); i++) {
    const double error = std::fabs(got[i] - want[i]) / (1.0 + std::fabs(want[i]));
    if (!(error <= tolerance))
      throw std::runtime_error(what + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) + ", not " + std::to_string(want[i]));
    worst = std::max(worst, error);
  }
  std::printf("  %s: %zu values, largest error %.1e\n", what.c_str(), got.size(), worst);
}
// Median seconds of a call.
inline double timed(const std::function<void()>& call) {
  for (int i = 0; i < options().warmup; i++) call();
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, options().repeat); i++) {
    const auto start = std::chrono::steady_clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
inline void report(const tilewright::Plan& plan, double seconds) {
  std::printf("  %s: %.1f us, %.1f GFLOP/s, %s\n", plan.label().c_str(), seconds * 1e6, plan.flops() / seconds * 1e-9, plan.kernel().c_str());
}

// A[m, k] row-major times B[n, k] (each row is a column of the product).
inline std::vector<double> product(const Floats& a, const Floats& b, int64_t m, int64_t n, int64_t k) {
  std::vector<double> out(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t t = 0; t < k; t++) out[size_t(i * n + j)] += double(a[size_t(i * k + t)]) * b[size_t(j * k + t)];
  return out;
}

}  // namespace example
