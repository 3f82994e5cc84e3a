// A plain attention in double precision. Tensors are [batch, length, heads, width].
#pragma once
#include "example.hpp"

namespace example {

struct Heads {
  int64_t batch = 2, q = 4, kv = 4, rows = 24, keys = 24, width = 32;
  size_t queries() const { return size_t(batch * rows * q * width); }
  size_t cache() const { return size_t(batch * keys * kv * width); }
  tilewright::Attention problem() const {
    return tilewright::Attention(batch, q, rows, width).heads_kv(kv).seqlen_k(keys).dtype("fp32");
  }
};
struct Rules {
  std::function<bool(int64_t b, int64_t i, int64_t j)> sees = [](int64_t, int64_t, int64_t) { return true; };
  std::function<double(int64_t b, int64_t h, int64_t i, int64_t j)> bias = [](int64_t, int64_t, int64_t, int64_t) { return 0.0; };
  double scale = 0.0, cap = 0.0;
};
struct Attended {
  std::vector<double> out, lse, p;  // p: probabilities [batch, heads, rows, keys]
};
template <class Values>
Attended attend(const Heads& s, const Values& q, const Values& k, const Values& v, const Rules& rules = {}) {
  Attended r;
  r.out.resize(s.queries());
  r.lse.resize(size_t(s.batch * s.q * s.rows));
  r.p.resize(size_t(s.batch * s.q * s.rows * s.keys));
  const double scale = rules.scale != 0.0 ? rules.scale : 1.0 / std::sqrt(double(s.width));
  for (int64_t b = 0; b < s.batch; b++)
    for (int64_t h = 0; h < s.q; h++)
      for (int64_t i = 0; i < s.rows; i++) {
        const int64_t kh = h / (s.q / s.kv);
        const size_t row = size_t(((b * s.rows + i) * s.q + h) * s.width), place = size_t((b * s.q + h) * s.rows + i);
        std::vector<double> logit(size_t(s.keys), -INFINITY);
        double top = -INFINITY, sum = 0.0;
        for (int64_t j = 0; j < s.keys; j++) {
          if (!rules.sees(b, i, j)) continue;
          double dot = 0.0;
          for (int64_t d = 0; d < s.width; d++) dot += double(q[row + size_t(d)]) * double(k[size_t(((b * s.keys + j) * s.kv + kh) * s.width + d)]);
          dot = dot * scale + rules.bias(b, h, i, j);
          logit[size_t(j)] = rules.cap > 0.0 ? rules.cap * std::tanh(dot / rules.cap) : dot;
          top = std::max(top, logit[size_t(j)]);
        }
        for (int64_t j = 0; j < s.keys; j++) sum += std::exp(logit[size_t(j)] - top);
        r.lse[place] = top + std::log(sum);
        for (int64_t j = 0; j < s.keys && sum > 0.0; j++) {
          const double p = r.p[place * size_t(s.keys) + size_t(j)] = std::exp(logit[size_t(j)] - top) / sum;
          for (int64_t d = 0; d < s.width; d++) r.out[row + size_t(d)] += p * double(v[size_t(((b * s.keys + j) * s.kv + kh) * s.width + d)]);
        }
      }
  return r;
}
// Random Q, K and V, and room for the result.
struct Operands {
  Floats q, k, v, out;
  explicit Operands(const Heads& s) : q(random(s.queries(), 1)), k(random(s.cache(), 2)), v(random(s.cache(), 3)), out(s.queries()) {}
};
// Runs a problem on Q, K, V and compares with the reference.
inline void check(const tilewright::Problem& problem, const Heads& s, const Rules& rules = {}) {
  tilewright::Dispatcher dispatcher(bundle());
  Operands x(s);
  dispatcher.run(problem, {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", x.out}});
  same(dispatcher.plan(problem).label(), x.out, attend(s, x.q, x.k, x.v, rules).out);
}
struct Gradients {
  std::vector<double> q, k, v;
};
// The gradients of a forward pass for the gradient `dout` of its result; every head has keys of its own.
template <class Values>
Gradients backward(const Heads& s, const Values& q, const Values& k, const Values& v, const Values& dout, const Attended& forward) {
  Gradients r{std::vector<double>(s.queries()), std::vector<double>(s.cache()), std::vector<double>(s.cache())};
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
          for (size_t d = 0; d < size_t(s.width); d++) dp += double(dout[row + d]) * v[key + d];
          const double ds = p * (dp - delta) * scale;
          for (size_t d = 0; d < size_t(s.width); d++) {
            r.q[row + d] += ds * k[key + d];
            r.k[key + d] += ds * q[row + d];
            r.v[key + d] += p * dout[row + d];
          }
        }
      }
  return r;
}
// Runs a backward pass and compares dQ, dK and dV with the reference.
inline void check_backward(const tilewright::Problem& problem, const Heads& s, const Rules& rules = {}) {
  const Operands x(s);
  const auto forward = attend(s, x.q, x.k, x.v, rules);
  const Floats out(forward.out.begin(), forward.out.end()), lse(forward.lse.begin(), forward.lse.end()), dout = random(s.queries(), 5);
  Floats dq(s.queries()), dk(s.cache()), dv(s.cache());
  tilewright::Dispatcher dispatcher(bundle());
  dispatcher.run(problem, {{"q", x.q}, {"k", x.k}, {"v", x.v}, {"out", out}, {"lse", lse}, {"dout", dout}, {"dq", dq}, {"dk", dk}, {"dv", dv}});
  const Gradients want = backward(s, x.q, x.k, x.v, dout, forward);
  same("dq", dq, want.q);
  same("dk", dk, want.k);
  same("dv", dv, want.v);
}
inline std::function<bool(int64_t, int64_t, int64_t)> causal(int64_t shift) {
  return [shift](int64_t, int64_t i, int64_t j) { return j <= i + shift; };
}

}  // namespace example
