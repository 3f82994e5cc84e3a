// A backward pass of attention on a GPU: several launches that share a workspace.
#include "../attention/reference.hpp"
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_06_backward) {
  Dispatcher dispatcher(example::bundle());
  example::Heads s;
  s.batch = 1, s.q = s.kv = 2, s.rows = s.keys = 64, s.width = 64;
  const example::Halves q(s.queries(), 1), k(s.cache(), 2), v(s.cache(), 3), dout(s.queries(), 5);
  const auto forward = example::attend(s, q.host, k.host, v.host);
  const example::Halves out(example::Floats(forward.out.begin(), forward.out.end()));
  const GpuBuffer lse(example::gpu(), example::Floats(forward.lse.begin(), forward.lse.end()));
  const example::Result dq(s.queries()), dk(s.cache()), dv(s.cache());
  const Problem problem = Attention(s.batch, s.q, s.rows, s.width).heads_kv(s.kv).seqlen_k(s.keys).dtype("fp16").backward();
  dispatcher.run(problem, {{"q", q.device}, {"k", k.device}, {"v", v.device}, {"out", out.device}, {"lse", lse}, {"dout", dout.device},
                           {"dq", dq.device}, {"dk", dk.device}, {"dv", dv.device}});
  const Plan& plan = dispatcher.plan(problem);
  std::printf("  %s: %zu launches, %zu bytes of workspace\n", plan.kernel().c_str(), plan.launches(), plan.workspace_bytes());
  const auto want = example::backward(s, q.host, k.host, v.host, dout.host, forward);
  example::same("dq", dq.host(), want.q, 3 * example::half_tolerance);
  example::same("dk", dk.host(), want.k, 3 * example::half_tolerance);
  example::same("dv", dv.host(), want.v, 3 * example::half_tolerance);
}
