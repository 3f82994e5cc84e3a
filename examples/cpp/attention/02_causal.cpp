// A causal mask from the bottom right corner, as decoding needs it.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_02_causal) {
  example::Heads s;
  s.rows = 8;
  example::Rules rules;
  rules.sees = example::causal(s.keys - s.rows);
  example::check(s.problem().causal(), s, rules);
}
