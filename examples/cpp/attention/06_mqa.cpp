// All heads share one key head.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_06_mqa) {
  example::Heads s;
  s.kv = 1;
  example::check(s.problem(), s);
}
