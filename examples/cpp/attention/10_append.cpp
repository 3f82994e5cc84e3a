// New keys and values are written behind those of a cache.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_10_append) {
  Dispatcher dispatcher(example::bundle());
  const int64_t capacity = 16, added = 3, heads = 4, width = 32, row = heads * width;
  auto k = example::random(size_t(2 * capacity * row), 1), v = example::random(size_t(2 * capacity * row), 2);
  const auto k_new = example::random(size_t(2 * added * row), 3), v_new = example::random(size_t(2 * added * row), 4);
  const std::vector<int32_t> lengths = {5, 13};
  auto want = k;
  for (int64_t b = 0; b < 2; b++)
    std::copy_n(k_new.begin() + b * added * row, added * row, want.begin() + (b * capacity + lengths[size_t(b)]) * row);
  const Problem problem = Attention(2, heads, added, width).seqlen_k(capacity).append_kv(added).dtype("fp32");
  dispatcher.run(problem, {{"k", k}, {"v", v}, {"k_new", k_new}, {"v_new", v_new}, {"seqlens_k", lengths}});
  example::require(k == want, "the new keys are in their places");
}
