/* Dispatcher: from a problem and its tensors to a plan to a launch. Plans are kept; `explain` shows the choice. */
#pragma once
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "registry.hpp"

namespace tilewright {

/* How candidates are ranked: by the cost model, by rules of thumb, or in the registry's order. */
enum class Selector { cost, rules, first_fit };
inline const char* name_of(Selector s) { return s == Selector::cost ? "cost" : s == Selector::rules ? "rules" : "first_fit"; }

/* Memory of one tensor. A size of 0 is not checked. */
struct Tensor {
  void* data = nullptr;
  size_t bytes = 0;
  Tensor(void* pointer, size_t size = 0) : data(pointer), bytes(size) {}
  Tensor(const void* pointer, size_t size = 0) : data(const_cast<void*>(pointer)), bytes(size) {}
  template <class T>
  Tensor(std::vector<T>& values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
  template <class T>
  Tensor(const std::vector<T>& values) : data(const_cast<T*>(values.data())), bytes(values.size() * sizeof(T)) {}
};
using Tensors = std::initializer_list<std::pair<const char*, Tensor>>;

inline double element_bytes(const std::string& dtype) {
  static const std::map<std::string, double> sizes = {{"fp64", 8}, {"fp32", 4}, {"int32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1},
      {"bf8", 1}, {"fp8_fnuz", 1}, {"bf8_fnuz", 1}, {"int8", 1}, {"int4", 0.5}, {"pk_fp4", 0.5}};
  auto found = sizes.find(dtype);
  if (found == sizes.end()) throw UnknownNameError("unknown dtype " + dtype);
  return found->second;
}
/* What a problem says of one of its tensors; strides are in elements, `bytes` is what it spans. */
struct TensorFacts {
  std::string role, dtype;
  std::vector<int64_t> shape, strides;
  size_t bytes = 0;
  bool written = false;
};

/* Scratch memory of this thread; it grows and is kept. */
inline void* scratch(size_t bytes) {
  struct Held {
    void* memory = nullptr;
    size_t size = 0;
    ~Held() { std::free(memory); }
  };
  thread_local Held held;
  if (bytes > held.size) {
    std::free(held.memory);
    held.size = (bytes + 4095) / 4096 * 4096;
    held.memory = std::aligned_alloc(64, held.size);
    if (!held.memory) {
      held.size = 0;
      throw LaunchError("no memory for " + std::to_string(bytes) + " bytes of workspace");
    }
  }
  return held.memory;
}

/* Weights in the panels of one kernel format, on a cache-line boundary. */
class Packed {
 public:
  explicit Packed(size_t bytes) : bytes_(bytes), data_(std::aligned_alloc(64, (bytes + 63) / 64 * 64), &std::free) {
    if (!data_) throw LaunchError("no memory for " + std::to_string(bytes) + " bytes of packed weights");
    std::memset(data_.get(), 0, bytes);
  }
  void* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }
  operator Tensor() const { return Tensor(data_.get(), bytes_); }

 private:
  size_t bytes_;
  std::unique_ptr<void, decltype(&std::free)> data_;
};

/* A problem with the kernel that was chosen for it, ready to launch. Threads may share it. */
class Plan {
 public:
  const std::string& label() const { return label_; }
  const std::string& kernel() const { return kernel_name_; }
  const std::string& digest() const { return digest_; }
  const std::string& reason() const { return reason_; }
  double seconds() const { return seconds_; }  // as predicted; negative if a selector predicts none
  double flops() const { return flops_; }
  double bytes() const { return bytes_; }
  size_t workspace_bytes() const { return static_cast<size_t>(args_.workspace_bytes); }
  const std::vector<TensorFacts>& tensors() const { return tensors_; }
  const std::vector<int64_t>& launch() const { return launch_; }

  /* The kernel's entry, and the arguments of a launch on pointers; null if the result has no elements. The workspace
   * is this thread's. */
  tw_run_fn function() const { return run_; }
  void prepare(void* const* pointers, tw_args& args) const {
    std::memcpy(&args, &args_, offsetof(tw_args, error));
    args.error[0] = 0;
    for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
    if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
  }
  /* Launches on pointers in the order of `tensors()`; nothing is checked. */
  void run_pointers(void* const* pointers) const {
    if (!run_) return;  // the result has no elements
    tw_args args;
    prepare(pointers, args);
    launch_with(args);
  }
  /* Launches on tensors by role; reports every mistake at once. */
  void run(Tensors tensors) const {
    std::array<void*, TW_MAX_TENSORS> pointers{};
    bind(tensors, pointers);
    run_pointers(pointers.data());
  }

 private:
  friend class Dispatcher;
  void launch_with(tw_args& args) const {
    if (run_(&args) == 0) return;
    args.error[TW_ERROR_BYTES - 1] = 0;
    throw LaunchError("kernel " + kernel_name_ + " failed: " + args.error);
  }
  /* The same with arguments that an earlier launch of this plan prepared: only pointers change. */
  void run_again(void* const* pointers, tw_args& args) const {
    if (!run_) return;
    for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
    if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
    launch_with(args);
  }
  void bind(Tensors tensors, std::array<void*, TW_MAX_TENSORS>& pointers) const {
    std::string wrong;
    auto mistake = [&](const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; };
    std::array<const Tensor*, TW_MAX_TENSORS> given{};
    for (const auto& pair : tensors) {
      size_t i = 0;
      while (i < tensors_.size() && tensors_[i].role != pair.first) i++;
      if (i == tensors_.size()) {
        mistake(std::string(pair.first) + " is no tensor of this problem");
        continue;
      }
      given[i] = &pair.second;
      pointers[i] = pair.second.data;
      if (pair.second.bytes && pair.second.bytes < tensors_[i].bytes)
        mistake(tensors_[i].role + " has " + std::to_string(pair.second.bytes) + " bytes, the problem needs " + std::to_string(tensors_[i].bytes));
      if (!pair.second.data && tensors_[i].bytes) mistake(tensors_[i].role + " is null");
    }
    for (size_t i = 0; i < tensors_.size(); i++)
      if (!given[i]) mistake(tensors_[i].role + " is missing");
    if (wrong.empty()) check_overlap(pointers, mistake);
    if (!wrong.empty()) throw TensorError("tensors of " + label_ + ": " + wrong, "pass the tensors that plan(problem).tensors() lists");
  }
  template <class Mistake>
  void check_overlap(const std::array<void*, TW_MAX_TENSORS>& pointers, Mistake mistake) const {
    for (size_t i = 0; i < tensors_.size(); i++)
      for (size_t j = 0; j < tensors_.size(); j++) {
        if (i == j || !tensors_[i].written || (tensors_[j].written && j < i) || aliases_[j]) continue;
        const char *a = static_cast<char*>(pointers[i]), *b = static_cast<char*>(pointers[j]);
        if (a < b + tensors_[j].bytes && b < a + tensors_[i].bytes) mistake(tensors_[i].role + " overlaps " + tensors_[j].role);
      }
  }
  std::string label_, kernel_name_ = "-", digest_, reason_;
  double seconds_ = -1.0, flops_ = 0.0, bytes_ = 0.0;
  std::vector<TensorFacts> tensors_;
  std::vector<char> aliases_;
  std::vector<int64_t> launch_;
  std::vector<int> slots_;
  tw_args args_{};
  tw_run_fn run_ = nullptr;
  const Kernel* kernel_ = nullptr;
};

struct Rejection {
  std::string kernel, rule, message, remedy;
  std::map<std::string, std::string> values;
};
struct Choice {
  std::string kernel, digest, reason;
  double seconds = -1.0;
  Json launch;
};
/* Every candidate for a problem, best first, and the rules that removed the other kernels. */
struct Explanation {
  std::string label;
  std::vector<Choice> ranked;
  std::vector<Rejection> rejected;
  std::string text(size_t most = 5) const {
    std::string out = label + ": " + std::to_string(ranked.size()) + " candidates, " + std::to_string(rejected.size()) + " rules broken\n";
    for (size_t i = 0; i < ranked.size() && i < most; i++) {
      char time[32] = "";
      if (ranked[i].seconds >= 0) std::snprintf(time, sizeof time, " %.2f us", ranked[i].seconds * 1e6);
      out += "  " + std::to_string(i + 1) + ". " + ranked[i].kernel + " " + ranked[i].launch.dump() + time + " (" + ranked[i].reason + ")\n";
    }
    for (size_t i = 0; i < rejected.size() && i < most; i++)
      out += "  not " + rejected[i].kernel + ": " + rejected[i].rule + ": " + rejected[i].message + " (" + rejected[i].remedy + ")\n";
    return out;
  }
};

class Dispatcher {
 public:
  explicit Dispatcher(std::shared_ptr<Bundle> bundle, Selector selector = Selector::cost, int threads = 0)
      : Dispatcher(Registry(std::move(bundle)), selector, threads) {}
  explicit Dispatcher(Registry registry, Selector selector = Selector::cost, int threads = 0)
      : registry_(std::move(registry)), selector_(selector), threads_(threads > 0 ? threads : detail::host().threads) {
    if (registry_.size() == 0) throw SelectionError("registry " + registry_.name() + " has no kernels", "add a bundle");
    for (const auto& entry : registry_.entries()) {
      size_t i = 0;
      while (i < parts_.size() && parts_[i].bundle != entry.bundle) i++;
      if (i == parts_.size()) parts_.push_back({entry.bundle, {}});
      parts_[i].order.push_back(Json(static_cast<int64_t>(entry.place)));
    }
  }
  const Registry& registry() const { return registry_; }
  int threads() const { return threads_; }
  Selector selector() const { return selector_; }

  /* The plan of a problem: kept, or made by selecting and loading a kernel. */
  const Plan& plan(const Problem& problem) {
    {
      std::shared_lock<std::shared_mutex> held(lock_);
      auto known = plans_.find(problem);
      if (known != plans_.end()) return *known->second;
    }
    auto made = make(problem);
    std::unique_lock<std::shared_mutex> held(lock_);
    return *plans_.emplace(problem, std::move(made)).first->second;
  }
  void run(const Problem& problem, Tensors tensors) { plan(problem).run(tensors); }
  /* Pointers in the order of `plan(problem).tensors()`, unchecked: for calls that repeat. */
  template <class... Pointers>
  void run_pointers(const Problem& problem, Pointers*... pointers) {
    void* all[] = {const_cast<void*>(static_cast<const void*>(pointers))...};
    Last& last = last_call();
    if (last.dispatcher != number_ || !last.problem || !last.problem->is(problem)) {
      last.dispatcher = 0;  // in case planning throws
      last.plan = &plan(problem);
      last.plan->prepare(all, last.args);
      last.problem = std::make_unique<Problem>(problem);
      last.dispatcher = number_;
    }
    last.plan->run_again(all, last.args);
  }
  Explanation explain(const Problem& problem) {
    Explanation found;
    found.label = parts_[0].bundle->ask("describe", fields_of(problem)).at("label").text();
    for (const auto& part : parts_) {
      const Json said = part.bundle->ask("rank", request(problem, part));
      for (const auto& row : said.at("ranked").items()) {
        const KernelRow& kernel = part.bundle->kernels()[static_cast<size_t>(row.at("kernel").integer())];
        found.ranked.push_back({kernel.name, kernel.digest, row.at("reason").text(), seconds_of(row), row.at("launch")});
      }
      for (const auto& row : said.at("rejected").items())
        for (const auto& rule : row.at("rules").items()) found.rejected.push_back(rejection(part, row, rule));
    }
    if (parts_.size() > 1 && selector_ == Selector::cost)
      std::stable_sort(found.ranked.begin(), found.ranked.end(), [](const Choice& a, const Choice& b) { return a.seconds < b.seconds; });
    return found;
  }
  /* Packs B into the panels that the kernel of `problem` reads; `problem` has such a `b_format`. `row` and `column` are
   * the strides of B [k, n] in elements. Pass the result as tensor "b". */
  Packed pack_b(const Problem& problem, const void* b, int64_t row, int64_t column) {
    const Plan& p = plan(problem);
    if (!p.kernel_ || !p.kernel_->pack_b || !p.kernel_->pack_b_bytes)
      throw LaunchError("kernel " + p.kernel() + " does not pack B", "use a problem of op gemm with a b_format");
    tw_args args{};
    args.struct_size = sizeof(tw_args);
    args.abi_version = TW_ABI_VERSION;
    args.sizes[1] = p.args_.sizes[1];
    args.sizes[2] = p.args_.sizes[2];
    args.sizes[3] = args.launch[0] = args.launch[1] = 1;
    args.strides[1][1] = row;
    args.strides[1][2] = column;
    Packed made(static_cast<size_t>(p.kernel_->pack_b_bytes(&args)));
    args.tensors[1] = const_cast<void*>(b);
    args.tensors[2] = made.data();
    if (p.kernel_->pack_b(&args) != 0) throw LaunchError(std::string("packing failed: ") + args.error);
    return made;
  }

 private:
  /* What this thread launched last. The plan is used only by the dispatcher that made it; numbers are never reused. */
  struct Last {
    uint64_t dispatcher = 0;
    std::unique_ptr<Problem> problem;
    const Plan* plan = nullptr;
    tw_args args;
  };
  static Last& last_call() {
    thread_local Last last;
    return last;
  }
  static uint64_t next_number() {
    static std::atomic<uint64_t> count{0};
    return ++count;
  }
  struct Part {
    std::shared_ptr<Bundle> bundle;
    Json::Items order;
  };
  static Json fields_of(const Problem& problem) { return Json::parse(problem.text(), "problem"); }
  static double seconds_of(const Json& row) { return row.at("seconds").is_null() ? -1.0 : row.at("seconds").number(); }
  Json request(const Problem& problem, const Part& part, int limit = 0) const {
    return Json::object({{"problem", fields_of(problem)}, {"device", part.bundle->device(threads_)}, {"selector", name_of(selector_)},
                         {"order", Json(part.order)}, {"threads", threads_}, {"limit", limit}});
  }
  static Rejection rejection(const Part& part, const Json& row, const Json& rule) {
    Rejection r{part.bundle->kernels()[static_cast<size_t>(row.at("kernel").integer())].name, rule.at("rule").text(),
                rule.at("message").text(), rule.at("remedy").text(), {}};
    for (const auto& pair : rule.at("values").fields()) r.values[pair.first] = pair.second.dump();
    return r;
  }
  /* The best answer of all bundles; throws if no kernel is left. */
  std::pair<const Part*, Json> chosen(const Problem& problem, const std::string& label) {
    const Part* best = nullptr;
    Json found, said;
    for (const auto& part : parts_) {
      Json answer = part.bundle->ask("rank", request(problem, part, 1));
      if (!answer.at("ranked").items().empty()) {
        const Json& first = answer.at("ranked").items()[0];
        if (!best || first.at("score").number() < found.at("score").number()) best = &part, found = first;
      }
      if (said.is_null() || !answer.at("rejected").items().empty()) said = std::move(answer);
    }
    if (!best) no_candidate(problem, label, said);
    return {best, found};
  }
  [[noreturn]] void no_candidate(const Problem&, const std::string& label, const Json& said) {
    const auto& rejected = said.at("rejected").items();
    if (rejected.empty())
      throw SelectionError("no kernel of the bundle computes " + label, "make a bundle with such a kernel, or change the problem");
    const Json& rule = rejected[0].at("rules").items()[0];
    const Rejection first = rejection(parts_[0], rejected[0], rule);
    throw SelectionError("no kernel of the bundle is left for " + label + "; the first is refused by " + first.rule + ": " + first.message,
                         first.remedy, first.rule, first.values);
  }
  std::unique_ptr<Plan> make(const Problem& problem) {
    auto plan = std::make_unique<Plan>();
    const Json facts = parts_[0].bundle->ask("describe", fields_of(problem));
    describe(*plan, facts);
    if (facts.at("empty").boolean()) return plan;
    auto [part, row] = chosen(problem, plan->label_);
    Json asked = request(problem, *part);
    asked.set("kernel", row.at("kernel"));
    asked.set("launch", row.at("launch"));
    const Json values = part->bundle->ask("lower", asked);
    const size_t place = static_cast<size_t>(row.at("kernel").integer());
    const KernelRow& kernel = part->bundle->kernels()[place];
    plan->kernel_name_ = kernel.name;
    plan->digest_ = kernel.digest;
    plan->reason_ = row.at("reason").text();
    plan->seconds_ = seconds_of(row);
    lower(*plan, values, *part->bundle);
    plan->kernel_ = &part->bundle->load(place);
    plan->run_ = plan->kernel_->run;
    const int64_t need = plan->kernel_->workspace(&plan->args_);
    if (need < 0) throw LaunchError("kernel " + kernel.name + " asks for " + std::to_string(need) + " bytes of workspace");
    plan->args_.workspace_bytes = need;
    return plan;
  }
  static void describe(Plan& plan, const Json& facts) {
    plan.label_ = facts.at("label").text();
    plan.flops_ = facts.at("flops").number();
    plan.bytes_ = facts.at("bytes").number();
    for (const auto& row : facts.at("tensors").items()) {
      TensorFacts t;
      t.role = row.at("role").text();
      t.dtype = row.at("dtype").text();
      t.written = row.at("written").boolean();
      for (const auto& one : row.at("shape").items()) t.shape.push_back(one.integer());
      for (const auto& one : row.at("strides").items()) t.strides.push_back(one.integer());
      t.bytes = static_cast<size_t>(row.at("span").number() * element_bytes(t.dtype) + 0.5);
      bool alias = false;
      for (const auto& one : facts.at("aliases").items()) alias = alias || one.text() == t.role;
      plan.tensors_.push_back(std::move(t));
      plan.aliases_.push_back(alias);
    }
  }
  static void lower(Plan& plan, const Json& values, const Bundle& bundle) {
    tw_args& args = plan.args_;
    args.struct_size = sizeof(tw_args);
    args.abi_version = TW_ABI_VERSION;
    const auto &sizes = values.at("sizes").items(), &scalars = values.at("scalars").items(), &launch = values.at("launch").items();
    for (size_t i = 0; i < sizes.size() && i < TW_MAX_SIZES; i++) args.sizes[i] = sizes[i].integer();
    for (size_t i = 0; i < scalars.size() && i < TW_MAX_SCALARS; i++) args.scalars[i] = scalars[i].number();
    for (size_t i = 0; i < launch.size() && i < TW_MAX_LAUNCH; i++) {
      args.launch[i] = launch[i].integer();
      plan.launch_.push_back(args.launch[i]);
    }
    for (const auto& pair : values.at("strides").fields()) {
      const size_t slot = static_cast<size_t>(std::atoi(pair.first.c_str()));
      const auto& row = pair.second.items();
      for (size_t i = 0; i < row.size() && i < TW_MAX_RANK && slot < TW_MAX_TENSORS; i++) args.strides[slot][i] = row[i].integer();
    }
    for (const auto& t : plan.tensors_) plan.slots_.push_back(static_cast<int>(values.at("slots").at(t.role).integer()));
    const int threads = static_cast<int>(values.at("threads").integer());
    if (threads > 1) {
      bundle.reserve(threads);
      args.runtime = bundle.runtime();
    }
  }

  const uint64_t number_ = next_number();
  Registry registry_;
  Selector selector_;
  int threads_;
  std::vector<Part> parts_;
  std::shared_mutex lock_;
  std::unordered_map<Problem, std::unique_ptr<Plan>> plans_;
};

}  // namespace tilewright
