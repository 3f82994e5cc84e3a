// A benchmark with validation: a 1x1 convolution, which is a product, and a 3x3 one.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_03_benchmark) {
  Dispatcher dispatcher(example::bundle());
  for (const int64_t taps : {1, 3}) {
    const auto s = example::square(1, 16, 16, 12, taps, taps / 2);
    const auto input = example::random(s.inputs(), 1), weight = example::random(s.weights(), 2);
    example::Floats output(s.outputs());
    std::vector<double> want(s.outputs());
    example::each_product(s, [&](size_t i, size_t w, size_t o) { want[o] += double(input[i]) * weight[w]; });
    const Problem problem = example::posed(Conv::forward(s.n, s.c, s.k), s);
    const double seconds = example::timed([&] { dispatcher.run_pointers(problem, input.data(), weight.data(), output.data()); });
    example::same("validated", output, want);
    example::report(dispatcher.plan(problem), seconds);
  }
}
