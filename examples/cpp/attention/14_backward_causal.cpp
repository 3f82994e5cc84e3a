// A backward pass with a causal mask.
#include "reference.hpp"

EXAMPLE(attention_14_backward_causal) {
  const example::Heads s;
  example::Rules rules;
  rules.sees = example::causal(0);
  example::check_backward(s.problem().mask("causal_top_left").backward(), s, rules);
}
