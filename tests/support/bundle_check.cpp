// Calls on a bundle that must be refused: bundle_check BUNDLE CASE... For each case, what was said of it: "ok", or the
// error's type and message.
#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <limits>

#include <tilewright/tilewright.hpp>

namespace {
using namespace tilewright;
using Numbers = std::vector<float>;
using Indices = std::vector<int32_t>;

std::string format_of(Bundle& bundle) {
  for (const auto& row : bundle.kernels())
    if (const Json* found = row.spec.at("signature").find("b_format")) return found->text();
  throw BundleError("no kernel of the bundle reads packed weights");
}
void packed(Dispatcher& dispatcher, Bundle& bundle, const std::string& given) {
  const auto of = [&](int64_t n, int64_t k) { return Gemm(8, n, k).dtype("fp32").b_format(format_of(bundle)).build(); };
  const Numbers a(8 * 64, 1.f), b(96 * 64, 1.f);
  Numbers out(8 * 96);
  const Problem whole = of(96, 64);
  const Packed panels = dispatcher.pack_b(given == "small" ? of(96, 32) : whole, b.data(), 1, 64);
  Tensor tensor = panels;
  if (given == "nothing") dispatcher.pack_b(whole, nullptr, 1, 64);
  if (given == "null") tensor = Tensor(static_cast<void*>(nullptr));
  if (given == "overlapping") tensor = Tensor(out);
  dispatcher.run(whole, {{"a", a}, {"b", tensor}, {"out", out}});
  for (const auto& fact : dispatcher.plan(whole).tensors())
    if (fact.role == "b" && fact.bytes != panels.bytes()) throw LaunchError("the plan says another size of b");
}
void varlen(Dispatcher& dispatcher, const Indices& of_q, const Indices& of_k) {
  const Problem problem = Attention(2, 4, 24, 32).dtype("fp32").varlen(34, 34);
  const Numbers q(34 * 4 * 32, 1.f);
  Numbers out(q.size());
  dispatcher.run(problem, {{"q", q}, {"k", q}, {"v", q}, {"out", out}, {"cu_seqlens_q", of_q}, {"cu_seqlens_k", of_k}});
}
void paged(Dispatcher& dispatcher, const Indices& lengths, const Indices& pages) {
  const Problem problem = Attention(2, 4, 4, 32).dtype("fp32").family("fwd_pagedkv").seqlen_k(24).paged(8, 6);
  const Numbers q(2 * 4 * 4 * 32, 1.f), k(6 * 8 * 4 * 32, 1.f);
  Numbers out(q.size());
  dispatcher.run(problem, {{"q", q}, {"k", k}, {"v", k}, {"out", out}, {"seqlens_k", lengths}, {"page_table", pages}});
}
void appended(Dispatcher& dispatcher, const Indices& lengths) {
  const Problem problem = Attention(2, 4, 3, 32).dtype("fp32").seqlen_k(16).append_kv(3);
  const Numbers more(2 * 3 * 4 * 32, 1.f);
  Numbers k(2 * 16 * 4 * 32), v(k.size());
  dispatcher.run(problem, {{"k", k}, {"v", v}, {"k_new", more}, {"v_new", more}, {"seqlens_k", lengths}});
}
/* A product of fp32 on vectors of other types, all of them large enough. */
template <class A, class Out>
void product(Dispatcher& dispatcher) {
  const std::vector<A> a(1 << 13);
  std::vector<Out> out(1 << 13);
  dispatcher.run(Gemm(8, 8, 8).dtype("fp32"), {{"a", a}, {"b", Numbers(64)}, {"out", out}});
}
/* A product with as many tensors of D and of prologues as are asked for; it has no rows, so no kernel is needed. */
void many_tensors(Dispatcher& dispatcher, int of_d, int of_prologues) {
  Gemm gemm = Gemm(0, 8, 8).dtype("fp32").combine("add");
  for (int i = 0; i < of_d; i++) gemm.d("fp32", "row");
  for (int i = 0; i < of_prologues; i++) gemm.prologue("a", "add", "fp32", "row").prologue("b", "add", "fp32", "row");
  Numbers x(64), out(64);
  dispatcher.run(gemm, {{"a", x}, {"b", x}, {"out", out}, {"d0", x}, {"d1", x}, {"d2", x}, {"d3", x}, {"d4", x}, {"d5", x},
                        {"d6", x}, {"d7", x}, {"a1", x}, {"a2", x}, {"a3", x}, {"b1", x}, {"b2", x}, {"b3", x}});
}
/* The best kernel is the first one of the registry that runs a problem, whichever bundle has it. */
void order(const std::shared_ptr<Bundle>& bundle, const std::string& other) {
  Registry registry(bundle);
  registry.add(Bundle::open(other));
  Dispatcher dispatcher(registry, Selector::first_fit, 1);
  const Problem problem = Gemm(64, 96, 48).dtype("fp32");
  const auto ranked = dispatcher.explain(problem).ranked;
  std::vector<std::string> wanted, found;
  for (const auto& choice : ranked)
    if (found.empty() || found.back() != choice.digest) found.push_back(choice.digest);
  for (const auto& entry : registry.entries())
    if (std::find(found.begin(), found.end(), entry.row().digest) != found.end()) wanted.push_back(entry.row().digest);
  if (wanted.size() < 2 || found != wanted || dispatcher.plan(problem).digest() != wanted[0]) throw LaunchError("another order");
  for (size_t i = 0; i < ranked.size(); i++)
    if (ranked[i].reason != "number " + std::to_string(i + 1) + " in the registry's order") throw LaunchError(ranked[i].reason);
}
/* Numbers have a decimal point, also in a program whose locale has a comma. */
void locale(Dispatcher& dispatcher) {
  const Problem problem = Gemm(64, 96, 48).dtype("fp32");
  const auto before = dispatcher.explain(problem);
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) throw LaunchError("no such locale");
  const auto after = dispatcher.explain(problem);
  if (before.text() != after.text()) throw LaunchError(after.text());
  if (before.ranked.at(0).seconds != after.ranked.at(0).seconds) throw LaunchError("another time");
  if (Json::parse("-12.5e-1").number() * 4 != -5) throw LaunchError(Json::parse("-12.5e-1").dump());
}
void one(Dispatcher& dispatcher, const std::shared_ptr<Bundle>& bundle, const std::string& name) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto gemm = [] { return Gemm(4, 4, 4).dtype("fp32"); };
  if (name.rfind("packed ", 0) == 0) packed(dispatcher, *bundle, name.substr(7));
  else if (name == "bytes") product<unsigned char, float>(dispatcher);
  else if (name == "wide") product<float, double>(dispatcher);
  else if (name == "narrow") product<short, float>(dispatcher);
  else if (name == "varlen") varlen(dispatcher, {0, 20, 34}, {0, 20, 34});
  else if (name == "varlen long") varlen(dispatcher, {0, 30, 34}, {0, 20, 34});
  else if (name == "varlen falls") varlen(dispatcher, {0, 20, 34}, {0, 1000000, 34});
  else if (name == "varlen begins") varlen(dispatcher, {-1, 20, 34}, {0, 20, 34});
  else if (name == "varlen ends") varlen(dispatcher, {0, 20, 34}, {0, 20, 33});
  else if (name == "paged") paged(dispatcher, {24, 17}, {0, 1, 2, 3, 4, 5});
  else if (name == "paged unused") paged(dispatcher, {24, 16}, {0, 1, 2, 3, 4, 1000000});
  else if (name == "paged wrong") paged(dispatcher, {24, 17}, {0, 1, 2, 3, 4, 6});
  else if (name == "paged negative") paged(dispatcher, {24, 17}, {0, -1, 2, 3, 4, 5});
  else if (name == "paged long") paged(dispatcher, {24, 25}, {0, 1, 2, 3, 4, 5});
  else if (name == "appended") appended(dispatcher, {0, 13});
  else if (name == "appended long") appended(dispatcher, {0, 14});
  else if (name == "alpha nan") dispatcher.plan(gemm().alpha(nan));
  else if (name == "alpha infinite") dispatcher.plan(gemm().alpha(-infinity));
  else if (name == "alpha large") dispatcher.plan(gemm().alpha(1e39));
  else if (name == "scale large") dispatcher.plan(Attention(1, 1, 4, 32).dtype("fp32").scale(1e39));
  else if (name == "number too large") dispatcher.plan(Problem::parse(R"({"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32","epilogue":{"alpha":1e999}})"));
  else if (name == "scale nan") dispatcher.plan(Attention(1, 1, 4, 32).dtype("fp32").scale(nan));
  else if (name == "item infinite") dispatcher.plan(gemm().set("strides", Json::object({{"a", Json(Json::Items{Json(infinity)})}})));
  else if (name == "not an object") dispatcher.plan(gemm().set("epilogue", 5).alpha(2));
  else if (name == "not a list") dispatcher.plan(gemm().set("d", "x").d("fp32"));
  else if (name == "no JSON") dispatcher.plan(Problem::parse("{\"op\":"));
  else if (name == "twins") dispatcher.plan(gemm().set("epilogue", Json::object({{"alpha", 1}, {"alpha", 2}})));
  else if (name == "priority of none") Registry(dispatcher.registry()).set_priority("no digest", 1);
  else if (name == "groups") dispatcher.plan(Gemm(8, 8, 8).dtype("fp32").set("groups", 2));
  else if (name == "many tensors") many_tensors(dispatcher, 8, 3);
  else if (name == "as many as there may be") many_tensors(dispatcher, 7, 3);
  else if (name == "smallest size") dispatcher.plan(Gemm(std::numeric_limits<int64_t>::min(), 4, 4).dtype("fp32"));
  else if (name == "half a character") Problem::parse(R"({"op":"\ud800\u0041"})");
  else if (name == "twice") dispatcher.run(Gemm(0, 4, 4).dtype("fp32"), {{"a", Numbers(4)}, {"a", Numbers(4)}, {"b", Numbers(16)}, {"out", Numbers(4)}});
  else if (name == "two pointers") dispatcher.run_pointers(gemm(), name.data(), name.data());
  else if (name == "locale") locale(dispatcher);
  else if (name.rfind("order ", 0) == 0) order(bundle, name.substr(6));
  else if (name == "int8") dispatcher.plan(Gemm(64, 96, 48).dtype("int8"));
  else throw UnknownNameError("no case " + name);
}
template <class E>
bool said(const Error& error, const char* name) {
  if (dynamic_cast<const E*>(&error) == nullptr) return false;
  return std::printf("%s: %s | %s\n", name, error.message().c_str(), error.remedy().c_str()) > 0;
}
}  // namespace

int main(int count, char** words) {
  const auto bundle = Bundle::open(words[1]);
  Dispatcher dispatcher(bundle, Selector::cost, 1);
  for (int i = 2; i < count; i++) {
    try {
      one(dispatcher, bundle, words[i]);
      std::printf("ok\n");
    } catch (const Error& e) {
      (void)(said<TensorError>(e, "TensorError") || said<UnknownNameError>(e, "UnknownNameError") ||
             said<ProblemError>(e, "ProblemError") || said<SelectionError>(e, "SelectionError") ||
             said<BundleError>(e, "BundleError") || said<LaunchError>(e, "LaunchError") || said<Error>(e, "Error"));
    }
    std::fflush(stdout);
  }
}
