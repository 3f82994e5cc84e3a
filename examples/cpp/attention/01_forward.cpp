// A forward pass.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_01_forward) {
  const example::Heads s;
  example::check(s.problem(), s);
}
