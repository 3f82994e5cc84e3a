// Products of the C++ dispatcher on strided memory between canaries: dispatcher_fuzz BUNDLE LAYOUT. Reads seeds,
// one per line, or problems after a "=", or "maps"; writes what came of each: "ok", "refused: why" or "accepted: what must not be".
// Every element of a tensor is counted here one by one, apart from the definition that is tested.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include <tilewright/tilewright.hpp>

namespace {
using namespace tilewright;
constexpr int64_t guard = 4096;  // elements on both sides of a buffer
constexpr float canary = -12345.5f;

struct Choices {
  std::mt19937_64 numbers;
  int64_t of(std::initializer_list<int64_t> values) { return values.begin()[numbers() % values.size()]; }
  bool seldom(int one_of) { return numbers() % one_of == 0; }
};

struct Accepted {
  std::string what;
};

struct Matrix {
  int64_t rows, columns, row = 0, column = 0;
  int64_t low = 0, high = 0;  // elements, counted
  std::set<int64_t> places;
  std::vector<float> buffer;

  Matrix(int64_t m, int64_t n, Choices& choose) : rows(m), columns(n) {
    const auto step = [&] { return choose.of({0, 1, 2, 3, 5, 8, 96, -1, -2, -8, -96}); };
    if (choose.seldom(3)) row = step(), column = step();
    else row = (n + choose.of({0, 1, 4})) * choose.of({1, 1, -1}), column = choose.of({1, 1, 1, -1});
    if (choose.seldom(40)) row = choose.of({INT64_MAX, INT64_MIN, INT64_MAX / 2, -(int64_t{1} << 40)});
    if (huge()) return;
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) places.insert(at(i, j));
    low = std::min<int64_t>(0, *places.begin());
    high = *places.rbegin() + 1;
    buffer.assign(static_cast<size_t>(high - low + 2 * guard), canary);
  }
  bool huge() const { return row > 100000 || row < -100000; }
  bool double_used() const { return static_cast<int64_t>(places.size()) < rows * columns; }
  int64_t at(int64_t i, int64_t j) const { return i * row + j * column; }
  float* first() { return buffer.data() + guard - low; }
  float value(int64_t i, int64_t j) { return first()[at(i, j)]; }
  size_t bytes() const { return static_cast<size_t>(high) * sizeof(float); }
  size_t before() const { return static_cast<size_t>(-low) * sizeof(float); }
  void fill() {
    for (int64_t place : places) first()[place] = static_cast<float>((place % 7 + 7) % 7);
  }
  bool untouched(bool with_elements) {
    for (int64_t i = 0; i < static_cast<int64_t>(buffer.size()); i++)
      if (buffer[static_cast<size_t>(i)] != canary && (with_elements || !places.count(i - guard + low))) return false;
    return true;
  }
  Json strides() const { return Json(Json::Items{Json(row), Json(column)}); }
};

enum Fault { none, small, small_before, null_pointer, overlapping, fault_count };

Tensor given(Matrix& m, Fault fault) {
  if (fault == null_pointer) return Tensor(static_cast<void*>(nullptr), m.bytes(), m.before());
  if (fault == small) return Tensor(m.first(), m.bytes() - 1, m.before() ? m.before() : 1);
  if (fault == small_before) return Tensor(m.first(), m.bytes(), m.before() - std::min<size_t>(1, m.before()));
  return Tensor(m.first(), m.bytes(), m.before());
}

std::string strides_of(const Matrix& m) { return "[" + std::to_string(m.row) + ", " + std::to_string(m.column) + "]"; }

void one(Dispatcher& dispatcher, const std::string& layout, uint64_t seed) {
  Choices choose{std::mt19937_64(seed)};
  const int64_t m = choose.of({1, 2, 3, 5, 8}), n = choose.of({1, 2, 3, 5, 8}), k = choose.of({1, 2, 3, 4, 8});
  Matrix a(m, k, choose), b(k, n, choose), out(m, n, choose);
  const Fault fault = choose.seldom(4) ? static_cast<Fault>(choose.numbers() % fault_count) : none;
  const Problem problem = Gemm(m, n, k).dtype("fp32").layout(layout).set(
      "strides", Json::object({{"a", a.strides()}, {"b", b.strides()}, {"out", out.strides()}}));
  const std::string label = "out " + strides_of(out) + " of " + std::to_string(m) + " x " + std::to_string(n);
  if (a.huge() || b.huge() || out.huge()) {
    dispatcher.plan(problem);  // only refused, or planned: no such memory can be made here
    return;
  }
  a.fill();
  b.fill();
  Matrix& bad = choose.seldom(2) ? out : choose.seldom(2) ? a : b;
  const Fault sent = fault == overlapping ? none : fault;
  const bool must_refuse = out.double_used() || fault == small || fault == null_pointer || fault == overlapping ||
                           (fault == small_before && bad.before() > 0);
  try {
    Tensor place = given(out, &bad == &out ? sent : none);
    if (fault == overlapping) place = Tensor(a.first());
    dispatcher.run(problem, {{"a", given(a, &bad == &a ? sent : none)}, {"b", given(b, &bad == &b ? sent : none)}, {"out", place}});
  } catch (const Error&) {
    if (!out.untouched(true)) throw Accepted{label + ": refused, and written"};
    throw;
  }
  if (must_refuse) throw Accepted{label + ": fault " + std::to_string(fault)};
  if (!out.untouched(false) || !a.untouched(false) || !b.untouched(false)) throw Accepted{label + ": written outside"};
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      float sum = 0;
      for (int64_t l = 0; l < k; l++) sum += a.value(i, l) * b.value(l, j);
      if (sum != out.value(i, j)) throw Accepted{label + ": a wrong product"};
    }
}

/* Raises if a file of the bundle is mapped: it could be exchanged between its check and its use. */
void show_maps(const std::string& bundle) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(bundle) != std::string::npos) throw Accepted{"mapped: " + line};
}
}  // namespace

int main(int, char** argv) {
  Dispatcher dispatcher(Bundle::open(argv[1]), Selector::cost, 1);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      if (line == "maps") show_maps(argv[1]);
      else if (line[0] >= '0' && line[0] <= '9') one(dispatcher, argv[2], std::stoull(line));
      else dispatcher.plan(Problem::parse(line.substr(1)));
      std::printf("ok\n");
    } catch (const Error& error) {
      std::printf("refused: %.200s\n", error.what());
    } catch (const Accepted& found) {
      std::printf("accepted: %.200s\n", found.what.c_str());
    }
    std::fflush(stdout);
  }
}
