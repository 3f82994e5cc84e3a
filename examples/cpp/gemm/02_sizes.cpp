// Several sizes: the dispatcher chooses a kernel for each.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_02_sizes) {
  Dispatcher dispatcher(example::bundle());
  for (const auto& [m, n, k] : {std::tuple(1, 256, 128), std::tuple(33, 65, 17), std::tuple(128, 128, 64)}) {
    const auto a = example::random(size_t(m * k), 1), b = example::random(size_t(n * k), 2);
    example::Floats out(size_t(m * n));
    const Problem problem = Gemm(m, n, k).dtype("fp32");
    dispatcher.run(problem, {{"a", a}, {"b", b}, {"out", out}});
    example::same(dispatcher.plan(problem).kernel(), out, example::product(a, b, m, n, k));
  }
}
