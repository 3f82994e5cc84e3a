// Grouped queries: two heads share a key head.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_05_gqa) {
  example::Heads s;
  s.kv = 2;
  example::check(s.problem(), s);
}
