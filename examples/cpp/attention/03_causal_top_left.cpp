// A causal mask from the top left corner.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_03_causal_top_left) {
  const example::Heads s;
  example::Rules rules;
  rules.sees = example::causal(0);
  example::check(s.problem().mask("causal_top_left"), s, rules);
}
