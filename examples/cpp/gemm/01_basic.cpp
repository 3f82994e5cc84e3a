// A product: with defaults filled in, and with every field given. Wrong fields are reported with a remedy.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_01_basic) {
  Dispatcher dispatcher(example::bundle());
  const auto a = example::random(64 * 48, 1), b = example::random(96 * 48, 2);
  example::Floats out(64 * 96), again(64 * 96);

  const Problem filled = Gemm(64, 96, 48).dtype("fp32");  // layout rcr, one batch, no epilogue
  dispatcher.run(filled, {{"a", a}, {"b", b}, {"out", out}});
  example::same("filled in", out, example::product(a, b, 64, 96, 48));

  const Problem full = Gemm(64, 96, 48).dtypes("fp32", "fp32", "fp32").layout("rcr").batch(1).activation("none").alpha(1.0);
  dispatcher.run(full, {{"a", a}, {"b", b}, {"out", again}});
  example::require(out == again, "both descriptions give the same result");

  try {
    dispatcher.plan(Gemm(64, 96, 48).dtype("fp33"));
    example::require(false, "an unknown dtype is refused");
  } catch (const UnknownNameError& error) {
    std::printf("  %s\n", error.what());
  }
}
