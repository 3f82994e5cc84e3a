// The log-sum-exp of each row, for a backward pass.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_21_lse) {
  const example::Heads s;
  example::Operands x(s);
  example::Floats lse(size_t(s.batch * s.q * s.rows));
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().lse(), {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}, {"lse", lse}});
  example::same("lse", lse, example::attend(s, x.q, x.k, x.v).lse);
}
