// Appending with rotary embedding: queries and new keys are rotated by their position.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_11_append_rope) {
  Dispatcher dispatcher(example::bundle());
  const int64_t capacity = 16, heads = 2, width = 32, half = width / 2;
  example::Floats k(size_t(capacity * heads * width)), v(k.size()), cos(size_t(capacity * half)), sin(cos.size());
  const auto k_new = example::random(size_t(heads * width), 3), v_new = example::random(size_t(heads * width), 4), q = example::random(size_t(heads * width), 5);
  example::Floats out(q.size());
  for (int64_t i = 0; i < capacity; i++)
    for (int64_t d = 0; d < half; d++) {
      const double angle = double(i) * std::pow(10000.0, -double(d) / double(half));
      cos[size_t(i * half + d)] = float(std::cos(angle)), sin[size_t(i * half + d)] = float(std::sin(angle));
    }
  const std::vector<int32_t> lengths = {6};
  const Problem problem = Attention(1, heads, 1, width).seqlen_k(capacity).append_kv(1).rope("half", width).mask("causal_bottom_right").dtype("fp32");
  dispatcher.run(problem, {{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"k_new", k_new}, {"v_new", v_new}, {"cos", cos}, {"sin", sin}, {"seqlens_k", lengths}});
  std::vector<double> want(q.size());
  for (int64_t h = 0; h < heads; h++)
    for (int64_t d = 0; d < half; d++) {
      const size_t x = size_t(h * width + d), y = x + size_t(half), at = size_t(6 * half + d);
      want[x] = double(q[x]) * cos[at] - double(q[y]) * sin[at];
      want[y] = double(q[y]) * cos[at] + double(q[x]) * sin[at];
    }
  example::same("rotated queries", out, want);
}
