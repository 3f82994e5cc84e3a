// Keys in two parts: a plan of two stages, the parts and their combination.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_08_split_kv) {
  example::Heads s;
  s.rows = 1, s.keys = 400;
  example::check(s.problem().splits(2), s);
}
