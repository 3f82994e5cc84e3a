// A 3x3 convolution, channels last.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_01_basic) {
  Dispatcher dispatcher(example::bundle());
  const auto s = example::square(2, 8, 16, 10, 3, 1);
  const auto input = example::random(s.inputs(), 1), weight = example::random(s.weights(), 2);
  example::Floats output(s.outputs());
  std::vector<double> want(s.outputs());
  example::each_product(s, [&](size_t i, size_t w, size_t o) { want[o] += double(input[i]) * weight[w]; });
  const Problem problem = example::posed(Conv::forward(s.n, s.c, s.k), s);
  dispatcher.run(problem, {{"input", input}, {"weight", weight}, {"output", output}});
  example::same("output", output, want);
}
