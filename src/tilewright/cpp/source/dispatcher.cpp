#include <tilewright/dispatcher.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <tilewright/detail/extent.hpp>
#include <tilewright/detail/host.hpp>
#include <tilewright/detail/numbers.hpp>

namespace tilewright {
namespace {

/* What this thread launched last. The plan is used only by the dispatcher that made it; numbers are never reused. */
struct Last {
  uint64_t dispatcher = 0;
  std::unique_ptr<Problem> problem;
  const Plan* plan = nullptr;
  tw_args args;
};
Last& last_call() {
  thread_local Last last;
  return last;
}
uint64_t next_number() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}
Json fields_of(const Problem& problem) { return problem.fields(); }
double seconds_of(const Json& row) { return row.at("seconds").is_null() ? -1.0 : row.at("seconds").number(); }
/* One word of a command line. */
std::string quoted(const std::string& text) {
  std::string made = "'";
  for (char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}
void measure(TensorFacts& t) {
  const int rank = static_cast<int>(std::min(t.shape.size(), t.strides.size()));
  tw_extent extent;
  if (!tw_find_extent(t.shape.data(), t.strides.data(), rank, static_cast<int64_t>(element_bytes(t.dtype) * 8), &extent))
    throw TensorError(t.role + " spans more than 64 bits address", "give smaller sizes or strides");
  if (t.written && tw_overlaps_itself(t.shape.data(), t.strides.data(), rank))
    throw TensorError(t.role + " is written, and its strides let several elements share one address", "give other strides");
  t.before = static_cast<size_t>(-extent.low);
  t.bytes = static_cast<size_t>(extent.high);
}
/* Packed weights hold at least their elements. A CPU kernel says how large its panels are; see `Dispatcher::make`. */
void measure_packed(TensorFacts& t) {
  double count = element_bytes(t.dtype);
  for (int64_t extent : t.shape) count *= static_cast<double>(extent);
  t.bytes = static_cast<size_t>(count);
}
/* Asks a kernel for the size of its panels of B, or to pack some matrices into them. */
tw_args panel_args(const tw_args& of, int64_t matrices) {
  tw_args args{};
  args.struct_size = sizeof(tw_args);
  args.abi_version = TW_ABI_VERSION;
  args.sizes[1] = of.sizes[1];
  args.sizes[2] = of.sizes[2];
  args.sizes[3] = matrices;
  args.launch[0] = args.launch[1] = 1;
  return args;
}
detail::IndexLimits limits_of(const Json& row) {
  if (row.fields().empty()) return {};
  const auto number = [&](const char* name) { return row.at(name).integer(); };
  return {number("batch"), number("seqlen_q"), number("seqlen_k"), number("seqlen_new"), number("total_q"), number("total_k"),
          number("page_size"), number("num_pages")};
}
bool is_packed(const Json& tensor) {
  const Json* found = tensor.find("packed");  // bundles of older versions do not say
  return found && found->boolean();
}

}  // namespace

const char* name_of(Selector s) {
  static const char* names[] = {"cost", "rules", "first_fit", "learned"};
  return names[static_cast<int>(s)];
}
std::string Explanation::text(size_t most) const {
  std::string out = label + ": " + std::to_string(ranked.size()) + " candidates, " + std::to_string(rejected.size()) + " rules broken\n";
  for (size_t i = 0; i < ranked.size() && i < most; i++) {
    const double us = ranked[i].seconds * 1e6;
    const std::string time = us >= 0 ? " " + detail::shown_real(us, std::chars_format::fixed, 2) + " us" : "";
    out += "  " + std::to_string(i + 1) + ". " + ranked[i].kernel + " " + ranked[i].launch.dump() + time + " (" + ranked[i].reason + ")\n";
  }
  for (size_t i = 0; i < rejected.size() && i < most; i++)
    out += "  not " + rejected[i].kernel + ": " + rejected[i].rule + ": " + rejected[i].message + " (" + rejected[i].remedy + ")\n";
  return out;
}

Dispatcher::Dispatcher(std::shared_ptr<Bundle> bundle, Selector selector, int threads)
    : Dispatcher(Registry(std::move(bundle)), selector, threads) {}
Dispatcher::Dispatcher(Registry registry, Selector selector, int threads)
    : number_(next_number()), registry_(std::move(registry)), selector_(selector), threads_(threads > 0 ? threads : detail::host().threads) {
  if (registry_.size() == 0) throw SelectionError("registry " + registry_.name() + " has no kernels", "add a bundle");
  const Bundle& first = *registry_.entries()[0].bundle;
  size_t number = 0;
  for (const auto& entry : registry_.entries()) {
    if ((first.for_gpu() || entry.bundle->for_gpu()) && entry.bundle->arch() != first.arch())
      throw ArchError("bundle " + first.name() + " is for " + first.arch() + ", bundle " + entry.bundle->name() + " for " + entry.bundle->arch(),
                      "make a dispatcher for each: tensors are on one device");
    size_t i = 0;
    while (i < parts_.size() && parts_[i].bundle != entry.bundle) i++;
    if (i == parts_.size()) parts_.push_back({entry.bundle, {}, {}});
    parts_[i].numbers[entry.place] = number++;
    parts_[i].order.push_back(Json(static_cast<int64_t>(entry.place)));
  }
  if (selector_ == Selector::learned)
    for (const auto& part : parts_) part.bundle->load_models();
}
Dispatcher::~Dispatcher() = default;
const Plan& Dispatcher::plan(const Problem& problem) {
  {
    std::shared_lock<std::shared_mutex> held(lock_);
    auto known = plans_.find(problem);
    if (known != plans_.end()) return *known->second;
  }
  auto made = make(problem);
  std::unique_lock<std::shared_mutex> held(lock_);
  return *plans_.emplace(problem, std::move(made)).first->second;
}
void Dispatcher::run(const Problem& problem, Tensors tensors, void* stream) { plan(problem).run(tensors, stream); }
void Dispatcher::run_all(const Problem& problem, void* const* pointers, size_t count) {
  Last& last = last_call();
  if (last.dispatcher != number_ || !last.problem || !last.problem->is(problem)) {
    last.dispatcher = 0;  // in case planning throws
    last.plan = &plan(problem);
    if (count != last.plan->tensors().size())
      throw TensorError(last.plan->label() + " has " + std::to_string(last.plan->tensors().size()) + " tensors; run_pointers got " + std::to_string(count),
                        "pass the pointers of plan(problem).tensors(), in their order");
    last.plan->prepare(pointers, last.args);
    last.problem = std::make_unique<Problem>(problem);
    last.dispatcher = number_;
  }
  last.plan->run_again(pointers, last.args);
}
Explanation Dispatcher::explain(const Problem& problem) {
  Explanation found;
  std::vector<std::pair<std::pair<size_t, double>, Choice>> ranked;
  found.label = parts_[0].bundle->ask("describe", fields_of(problem)).at("label").text();
  for (const auto& part : parts_) {
    const Json said = part.bundle->ask("rank", request(problem, part));
    for (const auto& row : said.at("ranked").items()) {
      const KernelRow& kernel = part.bundle->kernels()[static_cast<size_t>(row.at("kernel").integer())];
      ranked.push_back({sort_key(part, row), {kernel.name, kernel.digest, row.at("reason").text(), seconds_of(row), row.at("launch")}});
    }
    for (const auto& row : said.at("rejected").items())
      for (const auto& rule : row.at("rules").items()) found.rejected.push_back(rejection(part, row, rule));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& pair : ranked) found.ranked.push_back(std::move(pair.second));
  if (parts_.size() > 1 && selector_ == Selector::first_fit)
    for (size_t i = 0; i < found.ranked.size(); i++) found.ranked[i].reason = "number " + std::to_string(i + 1) + " in the registry's order";
  return found;
}
Packed Dispatcher::pack_b(const Problem& problem, const void* b, int64_t row, int64_t column) {
  const Plan& p = plan(problem);
  if (!p.kernel_ || !p.kernel_->pack_b || !p.kernel_->pack_b_bytes)
    throw LaunchError("kernel " + p.kernel() + " does not pack B", "use a problem of op gemm with a b_format");
  tw_args args = panel_args(p.args_, 1);
  args.strides[1][1] = row;
  args.strides[1][2] = column;
  Packed made(static_cast<size_t>(p.kernel_->pack_b_bytes(&args)));
  if (!b && made.bytes()) throw TensorError("tensors of " + p.label() + ": b is null", "pass the address of B");
  args.tensors[1] = const_cast<void*>(b);
  args.tensors[2] = made.data();
  if (p.kernel_->pack_b(&args) != 0) throw LaunchError(std::string("packing failed: ") + args.error);
  return made;
}
Json Dispatcher::request(const Problem& problem, const Part& part, int limit) const {
  return Json::object({{"problem", fields_of(problem)}, {"device", part.bundle->device(threads_)}, {"selector", name_of(selector_)},
                       {"order", Json(part.order)}, {"threads", threads_}, {"limit", limit}});
}
Rejection Dispatcher::rejection(const Part& part, const Json& row, const Json& rule) {
  Rejection r{part.bundle->kernels()[static_cast<size_t>(row.at("kernel").integer())].name, rule.at("rule").text(),
              rule.at("message").text(), rule.at("remedy").text(), {}};
  for (const auto& pair : rule.at("values").fields()) r.values[pair.first] = pair.second.dump();
  return r;
}
/* What the candidates of all bundles are sorted by. A bundle numbers only its own; the registry's order is of all. */
std::pair<size_t, double> Dispatcher::sort_key(const Part& part, const Json& row) const {
  const size_t place = static_cast<size_t>(row.at("kernel").integer());
  return {selector_ == Selector::first_fit ? part.numbers.at(place) : 0, row.at("score").number()};
}
/* The best answer of all bundles; throws if no kernel is left. */
std::pair<const Dispatcher::Part*, Json> Dispatcher::chosen(const Problem& problem, const std::string& label) {
  const Part *best = nullptr, *speaker = nullptr;
  Json found, said;
  for (const auto& part : parts_) {
    Json answer = part.bundle->ask("rank", request(problem, part, 1));
    if (!answer.at("ranked").items().empty()) {
      const Json& first = answer.at("ranked").items()[0];
      if (!best || sort_key(part, first) < sort_key(*best, found)) best = &part, found = first;
    }
    if (speaker && answer.at("rejected").items().empty()) continue;
    said = std::move(answer);
    speaker = &part;
  }
  if (!best) no_candidate(problem, label, *speaker, said);
  return {best, found};
}
[[noreturn]] void Dispatcher::no_candidate(const Problem& problem, const std::string& label, const Part& part, const Json& said) {
  const auto& rejected = said.at("rejected").items();
  // Another folder: the command replaces a bundle, and this one has kernels of other problems.
  const Bundle& bundle = *part.bundle;
  const std::string again = "add the problem to those of the bundle, or add a second bundle to the registry: tilewright bundle " +
                            quoted(problem.text()) + " --arch " + quoted(bundle.arch()) +
                            (bundle.backend() == "ck_tile" ? " --backend ck_tile" : "") + " --out " +
                            quoted(bundle.name() + "_more");
  if (rejected.empty())
    throw SelectionError("no kernel of the bundle computes " + label, again, "bundle.signature", {{"problem", problem.text()}});
  const Json& rule = rejected[0].at("rules").items()[0];
  const Rejection first = rejection(part, rejected[0], rule);
  throw SelectionError("no kernel of the bundle is left for " + label + "; the first is refused by " + first.rule + ": " + first.message,
                       first.remedy.empty() ? again : first.remedy + ", or " + again, first.rule, first.values);
}
std::unique_ptr<Plan> Dispatcher::make(const Problem& problem) {
  auto plan = std::make_unique<Plan>();
  const Json facts = parts_[0].bundle->ask("describe", fields_of(problem));
  describe(*plan, facts);
  if (facts.at("empty").boolean()) {
    if (parts_[0].bundle->for_gpu()) plan->cleared_on_ = parts_[0].bundle->gpu();
    return plan;
  }
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
  if (part->bundle->for_gpu()) {
    plan->gpu_ = std::make_unique<detail::GpuLaunches>(part->bundle->gpu_kernels(place), values);
    return plan;
  }
  lower(*plan, values, *part->bundle);
  plan->kernel_ = &part->bundle->load(place);
  plan->run_ = plan->kernel_->run;
  const int64_t need = plan->kernel_->workspace(&plan->args_);
  if (need < 0) throw LaunchError("kernel " + kernel.name + " asks for " + std::to_string(need) + " bytes of workspace");
  plan->args_.workspace_bytes = need;
  for (size_t i = 0; i < plan->tensors_.size(); i++)
    if (plan->kernel_->pack_b_bytes && is_packed(facts.at("tensors").items()[i])) {
      const tw_args asked_bytes = panel_args(plan->args_, plan->args_.sizes[3]);
      plan->tensors_[i].bytes = static_cast<size_t>(plan->kernel_->pack_b_bytes(&asked_bytes));
    }
  return plan;
}
void Dispatcher::describe(Plan& plan, const Json& facts) {
  plan.label_ = facts.at("label").text();
  plan.flops_ = facts.at("flops").number();
  plan.bytes_ = facts.at("bytes").number();
  if (const Json* limits = facts.find("index_limits")) plan.limits_ = limits_of(*limits);
  for (const auto& row : facts.at("tensors").items()) {
    TensorFacts t;
    t.role = row.at("role").text();
    t.dtype = row.at("dtype").text();
    t.written = row.at("written").boolean();
    for (const auto& one : row.at("shape").items()) t.shape.push_back(one.integer());
    for (const auto& one : row.at("strides").items()) t.strides.push_back(one.integer());
    if (row.at("span").number() > 0) measure(t);  // 0: it is packed, or it has no elements
    else if (is_packed(row)) measure_packed(t);
    bool alias = false;
    for (const auto& one : facts.at("aliases").items()) alias = alias || one.text() == t.role;
    plan.tensors_.push_back(std::move(t));
    plan.aliases_.push_back(alias);
  }
}
void Dispatcher::lower(Plan& plan, const Json& values, const Bundle& bundle) {
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

}  // namespace tilewright
