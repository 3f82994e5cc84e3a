// A convolution on a GPU: 3x3, channels last.
#include "../conv/reference.hpp"
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_04_conv) {
  Dispatcher dispatcher(example::bundle());
  const auto s = example::square(1, 16, 32, 8, 3, 1);
  const example::Halves input(s.inputs(), 1), weight(s.weights(), 2);
  const example::Result output(s.outputs());
  const Problem problem = Conv::forward(s.n, s.c, s.k).input({8, 8}).filter({3, 3}).pad(1).dtype("fp16");
  dispatcher.run(problem, {{"input", input.device}, {"weight", weight.device}, {"output", output.device}});
  std::vector<double> want(s.outputs());
  example::each_product(s, [&](size_t i, size_t w, size_t o) { want[o] += double(input.host[i]) * weight.host[w]; });
  example::same(dispatcher.plan(problem).kernel(), output.host(), want, example::half_tolerance);
}
