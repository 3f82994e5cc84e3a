// A registry of convolution kernels only, as JSON and back.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(conv_04_registry) {
  const Registry kernels = Registry(example::bundle()).filter([](const KernelRow& k) { return k.spec.at("op").text() == "conv"; });
  const Registry again = Registry::import_json(kernels.export_json(), example::bundle());
  example::require(again.size() == kernels.size() && again.size() > 0, "all kernels came back");
  Dispatcher dispatcher(again);
  std::printf("%s", dispatcher.explain(example::posed(Conv::forward(2, 8, 16), example::square(2, 8, 16, 10, 3, 1))).text(2).c_str());
}
