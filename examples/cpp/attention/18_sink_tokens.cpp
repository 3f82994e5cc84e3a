// A window in which the first two keys stay visible.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_18_sink_tokens) {
  const example::Heads s;
  example::Rules rules;
  rules.sees = [](int64_t, int64_t i, int64_t j) { return j <= i && (j >= i - 5 || j < 2); };
  example::check(s.problem().window(5, 0, 2), s, rules);
}
