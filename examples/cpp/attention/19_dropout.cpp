// Dropout: the seed decides what is dropped, and the mean stays.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_19_dropout) {
  const example::Heads s;
  example::Operands x(s);
  std::fill(x.v.begin(), x.v.end(), 1.f);  // each row sums its kept probabilities
  std::vector<int32_t> seed = {7, 0, 0}, other = {8, 0, 0};
  Dispatcher dispatcher(example::bundle());
  const Problem problem = s.problem().dropout(0.25);
  auto again = x.out, different = x.out;
  dispatcher.run(problem, {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}, {"rng", seed}});
  dispatcher.run(problem, {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", again}, {"rng", seed}});
  dispatcher.run(problem, {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", different}, {"rng", other}});
  example::require(x.out == again && x.out != different, "the seed decides");
  double sum = 0.0;
  for (const float value : x.out) sum += value;
  example::require(std::fabs(sum / double(x.out.size()) - 1.0) < 0.1, "the mean stays");
}
