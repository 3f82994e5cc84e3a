// ALiBi: a slope for each head lowers logits with the distance of row and key.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_16_alibi) {
  const example::Heads s;
  example::Operands x(s);
  const example::Floats slopes = {0.5f, 0.25f, 0.125f, 0.0625f};
  example::Rules rules;
  rules.bias = [&](int64_t, int64_t h, int64_t i, int64_t j) { return -double(slopes[size_t(h)]) * std::fabs(double(i - j)); };
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().bias("alibi"), {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}, {"bias", slopes}});
  example::same("alibi", x.out, example::attend(s, x.q, x.k, x.v, rules).out);
}
