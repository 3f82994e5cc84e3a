// A scale of its own instead of 1 / sqrt(width).
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_27_scale) {
  const example::Heads s;
  example::Rules rules;
  rules.scale = 0.5;
  example::check(s.problem().scale(0.5), s, rules);
}
