// Prompts of different lengths over a paged cache.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_12_batch_prefill) {
  // Two prompts of 4 and 6 rows; each has 24 keys in three pages.
  example::Heads s;
  s.rows = 6;
  const std::vector<int32_t> starts = {0, 4, 10}, lengths = {24, 24}, pages = {0, 1, 2, 3, 4, 5};
  const int64_t row = s.q * s.width;
  const auto q = example::random(size_t(10 * row), 1), k = example::random(s.cache(), 2), v = example::random(s.cache(), 3);
  example::Floats out(q.size());
  Dispatcher dispatcher(example::bundle());
  const Problem problem = s.problem().family("batch_prefill").set("mode", "group").set("total_q", 10).paged(8, 6);
  dispatcher.run(problem, {{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"cu_seqlens_q", starts}, {"seqlens_k", lengths}, {"page_table", pages}});
  std::vector<double> want;
  for (int64_t b = 0; b < 2; b++) {
    example::Heads one;
    one.batch = 1, one.rows = starts[size_t(b) + 1] - starts[size_t(b)];
    const long half = long(s.cache() / 2);
    const example::Floats own(q.begin() + starts[size_t(b)] * row, q.begin() + starts[size_t(b) + 1] * row);
    const auto r = example::attend(one, own, example::Floats(k.begin() + b * half, k.begin() + (b + 1) * half), example::Floats(v.begin() + b * half, v.begin() + (b + 1) * half));
    want.insert(want.end(), r.out.begin(), r.out.end());
  }
  example::same("prefill", out, want);
}
