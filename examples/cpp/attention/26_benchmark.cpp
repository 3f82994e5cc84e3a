// A benchmark with validation. --warmup and --repeat set the timing.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_26_benchmark) {
  example::Heads s;
  s.rows = s.keys = 96;
  example::Operands x(s);
  Dispatcher dispatcher(example::bundle());
  const Problem problem = s.problem();
  const double seconds = example::timed([&] { dispatcher.run_pointers(problem, x.q.data(), x.k.data(), x.v.data(), x.out.data()); });
  example::same("validated", x.out, example::attend(s, x.q, x.k, x.v).out);
  example::report(dispatcher.plan(problem), seconds);
}
