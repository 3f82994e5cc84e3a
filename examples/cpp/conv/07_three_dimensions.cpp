// Three spatial dimensions.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_07_three_dimensions) {
  Dispatcher dispatcher(example::bundle());
  example::Shape s;
  s.n = 1, s.c = 4, s.k = 8;
  for (int i = 0; i < 3; i++) s.in[i] = 6, s.f[i] = 3, s.p[i] = 1;
  const auto input = example::random(s.inputs(), 1), weight = example::random(s.weights(), 2);
  example::Floats output(s.outputs());
  std::vector<double> want(s.outputs());
  example::each_product(s, [&](size_t i, size_t w, size_t o) { want[o] += double(input[i]) * weight[w]; });
  const Problem problem = Conv::forward(1, 4, 8).input({6, 6, 6}).filter({3, 3, 3}).pad(1).dtype("fp32");
  dispatcher.run(problem, {{"input", input}, {"weight", weight}, {"output", output}});
  example::same("output", output, want);
}
