/* Dispatcher: from a problem and its tensors to a plan to a launch. Plans are kept; `explain` shows the choice. */
#pragma once
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan.hpp"
#include "registry.hpp"

namespace tilewright {

/* How candidates are ranked: by the cost model, by rules of thumb, in the registry's order, or by the bundle's trained
 * models (by the cost model if none of them predicts a problem). */
enum class Selector { cost, rules, first_fit, learned };
const char* name_of(Selector s);

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
  std::string text(size_t most = 5) const;
};

class Dispatcher {
 public:
  explicit Dispatcher(std::shared_ptr<Bundle> bundle, Selector selector = Selector::cost, int threads = 0);
  explicit Dispatcher(Registry registry, Selector selector = Selector::cost, int threads = 0);
  ~Dispatcher();
  const Registry& registry() const { return registry_; }
  int threads() const { return threads_; }
  Selector selector() const { return selector_; }

  /* The plan of a problem: kept, or made by selecting and loading a kernel. */
  const Plan& plan(const Problem& problem);
  /* Launches on tensors by role. On a GPU they are device memory, and `stream` is one of its driver; null: the default. */
  void run(const Problem& problem, Tensors tensors, void* stream = nullptr);
  /* Pointers in the order of `plan(problem).tensors()`, unchecked but for their number: for calls that repeat. */
  template <class... Pointers>
  void run_pointers(const Problem& problem, Pointers*... pointers) {
    void* all[] = {const_cast<void*>(static_cast<const void*>(pointers))...};
    run_all(problem, all, sizeof...(pointers));
  }
  Explanation explain(const Problem& problem);
  /* Packs B into the panels that the kernel of `problem` reads; `problem` has such a `b_format`. `row` and `column` are
   * the strides of B [k, n] in elements. Pass the result as tensor "b". */
  Packed pack_b(const Problem& problem, const void* b, int64_t row, int64_t column);

 private:
  struct Part {
    std::shared_ptr<Bundle> bundle;
    Json::Items order;
    std::map<size_t, size_t> numbers;  // of its kernels in the registry
  };
  void run_all(const Problem& problem, void* const* pointers, size_t count);
  Json request(const Problem& problem, const Part& part, int limit = 0) const;
  static Rejection rejection(const Part& part, const Json& row, const Json& rule);
  std::pair<size_t, double> sort_key(const Part& part, const Json& row) const;
  std::pair<const Part*, Json> chosen(const Problem& problem, const std::string& label);
  [[noreturn]] void no_candidate(const Problem& problem, const std::string& label, const Part& part, const Json& said);
  std::unique_ptr<Plan> make(const Problem& problem);
  static void describe(Plan& plan, const Json& facts);
  static void lower(Plan& plan, const Json& values, const Bundle& bundle);

  const uint64_t number_;
  Registry registry_;
  Selector selector_;
  int threads_;
  std::vector<Part> parts_;
  std::shared_mutex lock_;
  std::unordered_map<Problem, std::unique_ptr<Plan>> plans_;
};

}  // namespace tilewright
