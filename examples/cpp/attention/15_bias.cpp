// A bias for each head, row and key.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_15_bias) {
  const example::Heads s;
  example::Operands x(s);
  const auto bias = example::random(size_t(s.q * s.rows * s.keys), 9);
  example::Rules rules;
  rules.bias = [&](int64_t, int64_t h, int64_t i, int64_t j) { return double(bias[size_t((h * s.rows + i) * s.keys + j)]); };
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().bias("elementwise", 1, s.q), {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}, {"bias", bias}});
  example::same("bias", x.out, example::attend(s, x.q, x.k, x.v, rules).out);
}
