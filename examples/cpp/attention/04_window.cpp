// A sliding window: each row sees the 7 keys before it, and its own.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_04_window) {
  const example::Heads s;
  example::Rules rules;
  rules.sees = [](int64_t, int64_t i, int64_t j) { return j <= i && j >= i - 7; };
  example::check(s.problem().window(7, 0), s, rules);
}
