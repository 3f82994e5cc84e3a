// Sequences of different lengths, one after another.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_07_varlen) {
  // Two sequences of 10 and 24 rows. The reference computes each by itself.
  const std::vector<int32_t> starts = {0, 10, 34};
  const int64_t heads = 4, width = 32;
  Dispatcher dispatcher(example::bundle());
  const size_t values = size_t(34 * heads * width);
  const auto q = example::random(values, 1), k = example::random(values, 2), v = example::random(values, 3);
  example::Floats out(values);
  const Problem problem = Attention(2, heads, 24, width).varlen(34, 34).dtype("fp32");
  dispatcher.run(problem, {{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"cu_seqlens_q", starts}, {"cu_seqlens_k", starts}});
  std::vector<double> want;
  for (int i = 0; i < 2; i++) {
    example::Heads s;
    s.batch = 1, s.rows = s.keys = starts[size_t(i) + 1] - starts[size_t(i)];
    const auto part = [&](const example::Floats& x) {
      return example::Floats(x.begin() + starts[size_t(i)] * heads * width, x.begin() + starts[size_t(i) + 1] * heads * width);
    };
    const auto one = example::attend(s, part(q), part(k), part(v)).out;
    want.insert(want.end(), one.begin(), one.end());
  }
  example::same("two lengths", out, want);
}
