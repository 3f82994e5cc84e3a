// Forward, backward data and backward weight of one grouped convolution.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_02_directions) {
  Dispatcher dispatcher(example::bundle());
  const auto s = example::square(2, 16, 16, 9, 3, 1, 4);
  const auto input = example::random(s.inputs(), 1), weight = example::random(s.weights(), 2), output = example::random(s.outputs(), 3);
  std::vector<double> y(s.outputs()), dx(s.inputs()), dw(s.weights());
  example::each_product(s, [&](size_t i, size_t w, size_t o) {
    y[o] += double(input[i]) * weight[w];
    dx[i] += double(output[o]) * weight[w];
    dw[w] += double(output[o]) * input[i];
  });
  example::Floats got_y(s.outputs()), got_dx(s.inputs()), got_dw(s.weights());
  dispatcher.run(example::posed(Conv::forward(s.n, s.c, s.k), s), {{"input", input}, {"weight", weight}, {"output", got_y}});
  dispatcher.run(example::posed(Conv::backward_data(s.n, s.c, s.k), s), {{"input", got_dx}, {"weight", weight}, {"output", output}});
  dispatcher.run(example::posed(Conv::backward_weight(s.n, s.c, s.k), s), {{"input", input}, {"weight", got_dw}, {"output", output}});
  example::same("forward", got_y, y);
  example::same("backward data", got_dx, dx);
  example::same("backward weight", got_dw, dw);
}
