// Each sequence has its own number of keys.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_22_kv_lengths) {
  const example::Heads s;
  example::Operands x(s);
  const std::vector<int32_t> lengths = {5, 20};
  example::Rules rules;
  rules.sees = [&](int64_t b, int64_t, int64_t j) { return j < lengths[size_t(b)]; };
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().kv_lengths(), {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}, {"seqlens_k", lengths}});
  example::same("lengths", x.out, example::attend(s, x.q, x.k, x.v, rules).out);
}
