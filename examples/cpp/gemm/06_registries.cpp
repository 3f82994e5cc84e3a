// Several registries: a part for few rows, a part for the rest, merged with priorities.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_06_registries) {
  const Registry everything(example::bundle());
  const auto is_skinny = [](const KernelRow& k) { return k.name.find("skinny") != std::string::npos; };
  Registry skinny = everything.filter(is_skinny);
  const Registry rest = everything.filter([&](const KernelRow& k) { return !is_skinny(k); });
  example::require(skinny.size() + rest.size() == everything.size(), "the parts make up the whole");

  try {
    Dispatcher(skinny).plan(Gemm(128, 128, 64).dtype("fp32"));
    example::require(false, "kernels for few rows refuse many");
  } catch (const SelectionError& error) {
    std::printf("  %s\n", error.what());
    example::require(error.rule() == "cpu.gemm.skinny_rows", "the error names the rule");
    example::require(error.values().count("rows") == 1, "and the values that broke it");
    example::require(error.remedy().find("tilewright bundle '{") != std::string::npos, "and a command that helps");
  }
  try {
    Dispatcher(everything).plan(Gemm(128, 128, 64).dtypes("int8", "int8", "bf16").scales("tensor", "tensor"));
    example::require(false, "the bundle has no such kernel");
  } catch (const SelectionError& error) {
    example::require(error.rule() == "bundle.signature", "the bundle has no kernel of these dtypes");
    example::require(error.remedy().find("_more'") != std::string::npos, "a command makes one, and this bundle stays");
  }
  const MergeReport report = skinny.merge(rest);
  example::require(report.added.size() == rest.size(), "every kernel was added");
  example::require(skinny.merge(rest).kept.size() == rest.size(), "a second merge keeps what is there");
  Dispatcher(skinny).plan(Gemm(128, 128, 64).dtype("fp32"));
}
