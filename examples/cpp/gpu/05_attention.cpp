// Attention on a GPU with a causal mask.
#include "../attention/reference.hpp"
#include "device.hpp"
using namespace tilewright;

EXAMPLE(gpu_05_attention) {
  Dispatcher dispatcher(example::bundle());
  example::Heads s;
  s.batch = 1, s.q = s.kv = 2, s.rows = s.keys = 64, s.width = 64;
  example::Rules rules;
  rules.sees = example::causal(0);
  const example::Halves q(s.queries(), 1), k(s.cache(), 2), v(s.cache(), 3);
  const example::Result out(s.queries());
  const Problem problem = Attention(s.batch, s.q, s.rows, s.width).heads_kv(s.kv).seqlen_k(s.keys).mask("causal_top_left").dtype("fp16");
  dispatcher.run(problem, {{"q", q.device}, {"k", k.device}, {"v", v.device}, {"out", out.device}});
  example::same(dispatcher.plan(problem).kernel(), out.host(), example::attend(s, q.host, k.host, v.host, rules).out, 2 * example::half_tolerance);
}
