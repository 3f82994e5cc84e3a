// Several lengths by one dispatcher.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_25_sweep) {
  for (const int64_t length : {8, 24, 65}) {
    example::Heads s;
    s.rows = s.keys = length;
    example::check(s.problem(), s);
  }
}
