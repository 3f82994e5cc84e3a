// A backward pass with a causal mask.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_14_backward_causal) {
  const example::Heads s;
  example::Rules rules;
  rules.sees = example::causal(0);
  const example::Operands x(s);
  const auto forward = example::attend(s, x.q, x.k, x.v, rules);
  const example::Floats out(forward.out.begin(), forward.out.end()), lse(forward.lse.begin(), forward.lse.end()), dout = example::random(s.queries(), 5);
  example::Floats dq(s.queries()), dk(s.cache()), dv(s.cache());
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().mask("causal_top_left").backward(), {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", out}, {"lse", lse}, {"dout", dout}, {"dq", dq}, {"dk", dk}, {"dv", dv}});
  std::vector<double> want_q(s.queries()), want_k(s.cache()), want_v(s.cache());
  const double scale = 1.0 / std::sqrt(double(s.width));
  for (int64_t b = 0; b < s.batch; b++)
    for (int64_t h = 0; h < s.q; h++)
      for (int64_t i = 0; i < s.rows; i++) {
        const size_t row = size_t(((b * s.rows + i) * s.q + h) * s.width);
        double delta = 0.0;
        for (size_t d = 0; d < size_t(s.width); d++) delta += forward.out[row + d] * dout[row + d];
        for (int64_t j = 0; j < s.keys; j++) {
          const double p = forward.p[size_t(((b * s.q + h) * s.rows + i) * s.keys + j)];
          const size_t key = size_t(((b * s.keys + j) * s.kv + h) * s.width);
          double dp = 0.0;
          for (size_t d = 0; d < size_t(s.width); d++) dp += double(dout[row + d]) * x.v[key + d];
          const double ds = p * (dp - delta) * scale;
          for (size_t d = 0; d < size_t(s.width); d++) {
            want_q[row + d] += ds * x.k[key + d];
            want_k[key + d] += ds * x.q[row + d];
            want_v[key + d] += p * dout[row + d];
          }
        }
      }
  example::same("dq", dq, want_q);
  example::same("dk", dk, want_k);
  example::same("dv", dv, want_v);
}
