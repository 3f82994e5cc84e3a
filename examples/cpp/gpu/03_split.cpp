// A deep product in several shares: a workspace on the GPU holds partial sums. It is used again by the next launch.
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_03_split) {
  Dispatcher dispatcher(example::bundle());
  const int64_t m = 16, n = 64, k = 512;
  const example::Halves a(size_t(m * k), 5), b(size_t(n * k), 6);
  const example::Result out(size_t(m * n));
  const Problem problem = Gemm(m, n, k).dtype("fp16").split_k(2);
  const Plan& plan = dispatcher.plan(problem);
  std::printf("  %s: %zu launches, %zu bytes of workspace\n", plan.kernel().c_str(), plan.launches(), plan.workspace_bytes());
  for (int i = 0; i < 3; i++) {
    dispatcher.run(problem, {{"a", a.device}, {"b", b.device}, {"out", out.device}});
    example::same("split", out.host(), example::product(a.host, b.host, m, n, k), 2 * example::half_tolerance);
  }
}
