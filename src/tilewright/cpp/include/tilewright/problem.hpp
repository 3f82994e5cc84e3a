/* Problems: what is to be computed. Builders set the fields of problem files; the bundle checks them. */
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"

namespace tilewright {

/* An immutable description. Copies share it, and dispatchers find plans by it. */
class Problem {
 public:
  explicit Problem(const Json& fields);
  static Problem parse(const std::string& text);
  const std::string& text() const { return *text_; }
  Json fields() const;
  size_t hash() const { return hash_; }
  /* Whether both are copies of one problem; equal problems need not be. */
  bool is(const Problem& other) const { return text_ == other.text_; }
  bool operator==(const Problem& other) const {
    return text_ == other.text_ || (hash_ == other.hash_ && *text_ == *other.text_);
  }

 private:
  std::shared_ptr<const std::string> text_;
  size_t hash_ = 0;
};

/* The common part of the builders. `set` sets any field of a problem file. */
template <class Self>
class Builder {
 public:
  Self& set(const std::string& name, Json value) {
    fields_.set(name, std::move(value));
    return static_cast<Self&>(*this);
  }
  Self& dtype(const std::string& name) { return set("dtype", name); }
  Self& layout(const std::string& name) { return set("layout", name); }
  Problem build() const { return Problem(fields_); }
  operator Problem() const { return build(); }

 protected:
  explicit Builder(const char* op) : fields_(Json::object({{"op", Json(op)}})) {}
  Self& in(const std::string& outer, const std::string& name, Json value) {
    const Json* known = held(outer, Json::Kind::object, "an object");
    Json made = known ? *known : Json::object();
    made.set(name, std::move(value));
    return set(outer, std::move(made));
  }
  Self& append(const std::string& outer, Json value) {
    const Json* known = held(outer, Json::Kind::list, "a list");
    Json::Items items = known ? known->items() : Json::Items{};
    items.push_back(std::move(value));
    return set(outer, Json(std::move(items)));
  }
  Json fields_;

 private:
  /* A field that was set before; null if it was not. */
  const Json* held(const std::string& name, Json::Kind kind, const char* what) const {
    const Json* known = fields_.find(name);
    if (known && known->kind() != kind) throw ProblemError(name + " is " + known->dump() + "; it must be " + what);
    return known;
  }
};

inline Json sizes(const std::vector<int64_t>& values) { return Json::list_of(values); }

/* A matrix product: out[m, n] = epilogue(A[m, k] * B[k, n]). */
class Gemm : public Builder<Gemm> {
 public:
  Gemm(int64_t m, int64_t n, int64_t k) : Builder("gemm") { set("m", m).set("n", n).set("k", k); }
  Gemm& batch(int64_t count) { return set("batch", count); }
  Gemm& dtypes(const std::string& a, const std::string& b, const std::string& out) {
    return set("dtype_a", a).set("dtype_b", b).set("dtype_out", out);
  }
  Gemm& activation(const std::string& name) { return in("epilogue", "activation", name); }
  Gemm& combine(const std::string& name) { return in("epilogue", "combine", name); }
  Gemm& alpha(double value) { return in("epilogue", "alpha", value); }
  Gemm& beta(double value) { return in("epilogue", "beta", value); }
  Gemm& d(const std::string& dtype, const std::string& broadcast = "none") {
    return append("d", Json::object({{"dtype", dtype}, {"broadcast", broadcast}}));
  }
  /* A step of the prologue of A or B ("a" or "b"): "add" or "multiply" with a tensor, or an activation. */
  Gemm& prologue(const std::string& operand, const std::string& op, const std::string& dtype = "",
                 const std::string& broadcast = "none") {
    return append("prologue_" + operand, Json::object({{"op", op}, {"dtype", dtype}, {"broadcast", broadcast}}));
  }
  Gemm& scales(const std::string& a, const std::string& b) { return set("scale_a", a).set("scale_b", b); }
  Gemm& b_format(const std::string& name) { return set("b_format", name); }
  Gemm& split_k(int64_t count) { return set("split_k", count); }
  Gemm& strides(const std::string& role, const std::vector<int64_t>& values) { return in("strides", role, sizes(values)); }
};

/* A grouped convolution; `c` and `k` are totals over all groups. */
class Conv : public Builder<Conv> {
 public:
  static Conv forward(int64_t n, int64_t c, int64_t k) { return Conv("forward", n, c, k); }
  static Conv backward_data(int64_t n, int64_t c, int64_t k) { return Conv("backward_data", n, c, k); }
  static Conv backward_weight(int64_t n, int64_t c, int64_t k) { return Conv("backward_weight", n, c, k); }
  Conv& input(const std::vector<int64_t>& extents) { return set("input", sizes(extents)); }
  Conv& filter(const std::vector<int64_t>& extents) { return set("filter", sizes(extents)); }
  Conv& stride(const std::vector<int64_t>& steps) { return set("stride", sizes(steps)); }
  Conv& dilation(const std::vector<int64_t>& steps) { return set("dilation", sizes(steps)); }
  Conv& pad(int64_t both) { return set("pad", both); }
  Conv& pad(const std::vector<std::pair<int64_t, int64_t>>& left_right) {
    Json::Items items;
    for (const auto& pair : left_right) items.push_back(sizes({pair.first, pair.second}));
    return set("pad", Json(std::move(items)));
  }
  Conv& groups(int64_t count) { return set("g", count); }
  Conv& activation(const std::string& name) { return in("epilogue", "activation", name); }
  Conv& bias(const std::string& dtype) { return append("d", Json::object({{"dtype", dtype}, {"broadcast", "row"}})); }

 private:
  Conv(const char* direction, int64_t n, int64_t c, int64_t k) : Builder("grouped_conv") {
    set("direction", direction).set("n", n).set("c", c).set("k", k);
  }
};

/* An attention: out = softmax(scale * Q K^T + bias) V. */
class Attention : public Builder<Attention> {
 public:
  Attention(int64_t batch, int64_t heads, int64_t seqlen, int64_t hdim) : Builder("fmha") {
    set("batch", batch).set("heads_q", heads).set("seqlen_q", seqlen).set("hdim_q", hdim);
  }
  Attention& family(const std::string& name) { return set("family", name); }
  Attention& backward() { return family("bwd"); }
  Attention& heads_kv(int64_t count) { return set("heads_kv", count); }
  Attention& seqlen_k(int64_t length) { return set("seqlen_k", length); }
  Attention& hdim_v(int64_t width) { return set("hdim_v", width); }
  Attention& varlen(int64_t total_q, int64_t total_k) {
    return set("mode", "group").set("total_q", total_q).set("total_k", total_k);
  }
  Attention& scale(double value) { return set("scale", value); }
  Attention& mask(const std::string& name) { return set("mask", name); }
  Attention& causal() { return mask("causal_bottom_right"); }
  Attention& window(int64_t left, int64_t right, int64_t sink_tokens = 0) {
    return mask("window").set("window_left", left).set("window_right", right).set("sink_tokens", sink_tokens);
  }
  Attention& bias(const std::string& kind, int64_t batch = 1, int64_t heads = 1) {
    return set("bias", kind).set("bias_batch", batch).set("bias_heads", heads);
  }
  Attention& soft_cap(double cap) { return set("soft_cap", cap); }
  Attention& dropout(double probability) { return set("dropout", probability); }
  Attention& lse() { return set("lse", true); }
  Attention& qscale(const std::string& kind) { return set("qscale", kind); }
  Attention& splits(int64_t count) { return family("fwd_splitkv").set("num_splits", count); }
  Attention& paged(int64_t page_size, int64_t num_pages, const std::string& lookup = "vllm") {
    return set("page_size", page_size).set("num_pages", num_pages).set("lookup", lookup);
  }
  Attention& kv_lengths() { return set("kv_lengths", true); }
  Attention& append_kv(int64_t seqlen_new) { return family("fwd_appendkv").set("seqlen_new", seqlen_new); }
  Attention& rope(const std::string& kind, int64_t rotary_dim) { return set("rope", kind).set("rotary_dim", rotary_dim); }
  Attention& deterministic() { return set("deterministic", true); }
};

}  // namespace tilewright

template <>
struct std::hash<tilewright::Problem> {
  size_t operator()(const tilewright::Problem& p) const { return p.hash(); }
};
