// Logits are kept below a cap by tanh.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_17_soft_cap) {
  const example::Heads s;
  example::Rules rules;
  rules.cap = 2.0;
  example::check(s.problem().soft_cap(2.0), s, rules);
}
