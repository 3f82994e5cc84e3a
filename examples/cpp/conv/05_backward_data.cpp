// Backward data with stride 2: the gradient of the input.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_05_backward_data) {
  Dispatcher dispatcher(example::bundle());
  const auto s = example::square(1, 8, 12, 11, 3, 1, 1, 2);
  const auto weight = example::random(s.weights(), 2), output = example::random(s.outputs(), 3);
  example::Floats input(s.inputs());
  std::vector<double> want(s.inputs());
  example::each_product(s, [&](size_t i, size_t w, size_t o) { want[i] += double(output[o]) * weight[w]; });
  dispatcher.run(example::posed(Conv::backward_data(s.n, s.c, s.k), s), {{"input", input}, {"weight", weight}, {"output", output}});
  example::same("gradient of the input", input, want);
}
