// Two dispatchers over parts of one bundle.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_24_registries) {
  const Registry everything(example::bundle());
  const auto masked = [](const KernelRow& k) { return k.spec.at("op").text() == "fmha" && k.spec.at("signature").find("mask"); };
  Dispatcher with_mask(everything.filter(masked)), without(everything.filter([&](const KernelRow& k) { return !masked(k); }));
  const example::Heads s;
  std::printf("  %s\n  %s\n", with_mask.plan(s.problem().mask("causal_top_left")).kernel().c_str(), without.plan(s.problem()).kernel().c_str());
}
