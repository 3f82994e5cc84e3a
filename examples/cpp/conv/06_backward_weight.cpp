// Backward weight: the gradient of the filter.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_06_backward_weight) {
  Dispatcher dispatcher(example::bundle());
  const auto s = example::square(3, 8, 12, 9, 3, 1);
  const auto input = example::random(s.inputs(), 1), output = example::random(s.outputs(), 3);
  example::Floats weight(s.weights());
  std::vector<double> want(s.weights());
  example::each_product(s, [&](size_t i, size_t w, size_t o) { want[w] += double(output[o]) * input[i]; });
  dispatcher.run(example::posed(Conv::backward_weight(s.n, s.c, s.k), s), {{"input", input}, {"weight", weight}, {"output", output}});
  example::same("gradient of the filter", weight, want);
}
