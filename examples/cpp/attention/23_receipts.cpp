// Named profiles: registries filtered by what kernels compute.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_23_receipts) {
  const Registry everything(example::bundle());
  const auto is = [](const char* field, const char* value) {
    return [=](const KernelRow& k) {
      const Json* found = k.spec.at("op").text() == "fmha" ? k.spec.at("signature").find(field) : nullptr;
      return found && found->text() == value;
    };
  };
  const Registry backward = everything.filter(is("family", "bwd")), eight_bit = everything.filter(is("dtype", "fp8"));
  example::require(backward.size() > 0 && eight_bit.size() > 0, "both profiles have kernels");
  std::printf("  %zu kernels: bwd %zu, fp8 %zu\n", everything.size(), backward.size(), eight_bit.size());
  const example::Heads s;
  Dispatcher(backward).plan(s.problem().backward());
  try {
    Dispatcher(backward).plan(s.problem());
    example::require(false, "a profile of backward kernels has no forward pass");
  } catch (const SelectionError& error) {
    std::printf("  %s\n", error.what());
  }
}
