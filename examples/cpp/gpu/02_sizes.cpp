// Other sizes with the same kernels: the selection makes new launches, nothing is compiled.
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_02_sizes) {
  Dispatcher dispatcher(example::bundle());
  for (int64_t m : {1, 17, 130}) {
    const int64_t n = 64, k = 64;
    const example::Halves a(size_t(m * k), 3), b(size_t(n * k), 4);
    const example::Result out(size_t(m * n));
    const Problem problem = Gemm(m, n, k).dtype("fp16");
    for (int i = 0; i < 2; i++) dispatcher.run_pointers(problem, a.device.data(), b.device.data(), out.device.data());
    example::same(dispatcher.plan(problem).label(), out.host(), example::product(a.host, b.host, m, n, k), example::half_tolerance);
  }
}
