// Four selectors: the cost model, rules of thumb, the registry's order, trained models; and why a kernel was chosen.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_04_heuristics) {
  const Problem problem = Gemm(1, 256, 128).dtype("fp32");
  for (const Selector selector : {Selector::cost, Selector::rules, Selector::first_fit, Selector::learned}) {
    Dispatcher dispatcher(example::bundle(), selector);
    const Explanation walk = dispatcher.explain(problem);
    example::require(!walk.ranked.empty(), "there are candidates");
    std::printf("  by %s: %s (%s)\n", name_of(selector), walk.ranked[0].kernel.c_str(), walk.ranked[0].reason.c_str());
    example::require(dispatcher.plan(problem).digest() == walk.ranked[0].digest, "the plan uses the first");
  }
  Dispatcher dispatcher(example::bundle());
  std::printf("%s", dispatcher.explain(problem).text(3).c_str());
}
