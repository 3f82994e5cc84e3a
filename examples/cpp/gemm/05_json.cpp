// A registry as JSON, in the form of the Python package, and back.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_05_json) {
  const Registry registry(example::bundle());
  const std::string text = registry.export_json();
  const Registry again = Registry::import_json(text, example::bundle());
  example::require(again.export_json() == text, "the copy is equal");
  std::printf("  %zu kernels, %zu bytes of JSON\n", again.size(), text.size());
  try {
    Registry::import_json(text.substr(0, text.size() / 2), example::bundle());
    example::require(false, "a truncated file is refused");
  } catch (const BundleError& error) {
    std::printf("  %s\n", error.what());
  }
}
