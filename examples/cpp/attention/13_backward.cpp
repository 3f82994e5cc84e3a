// A backward pass in three stages, from the result and the LSE of a forward pass.
#include "reference.hpp"

EXAMPLE(attention_13_backward) {
  const example::Heads s;
  example::check_backward(s.problem().backward(), s);
}
