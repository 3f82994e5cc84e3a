// A product on a GPU: memory, a plan, a launch on the default stream, and the same on a stream of its own.
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_01_gemm) {
  Dispatcher dispatcher(example::bundle());
  const int64_t m = 64, n = 96, k = 128;
  const example::Halves a(size_t(m * k), 1), b(size_t(n * k), 2);
  const Problem problem = Gemm(m, n, k).dtype("fp16");
  const auto want = example::product(a.host, b.host, m, n, k);

  const example::Result out(size_t(m * n)), again(size_t(m * n));
  void* stream = example::gpu()->new_stream();
  dispatcher.run(problem, {{"a", a.device}, {"b", b.device}, {"out", out.device}});
  dispatcher.run(problem, {{"a", a.device}, {"b", b.device}, {"out", again.device}}, stream);
  example::same(dispatcher.plan(problem).kernel(), out.host(), want, example::half_tolerance);
  example::same("on a stream", again.host(stream), want, example::half_tolerance);
}
