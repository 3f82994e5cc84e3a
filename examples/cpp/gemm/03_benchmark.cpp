// A benchmark with validation. --warmup and --repeat set the timing.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_03_benchmark) {
  Dispatcher dispatcher(example::bundle());
  for (const int64_t size : {64, 128}) {
    const auto a = example::random(size_t(size * size), 1), b = example::random(size_t(size * size), 2);
    example::Floats out(size_t(size * size));
    const Problem problem = Gemm(size, size, size).dtype("fp32");
    const double seconds = example::timed([&] { dispatcher.run_pointers(problem, a.data(), b.data(), out.data()); });
    example::same("validated", out, example::product(a, b, size, size, size));
    example::report(dispatcher.plan(problem), seconds);
  }
}
