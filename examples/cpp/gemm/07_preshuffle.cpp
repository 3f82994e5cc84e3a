// Weights that are packed once for a kernel's format, and a product with bias and activation.
#include "example.hpp"
using namespace tilewright;

EXAMPLE(gemm_07_preshuffle) {
  Dispatcher dispatcher(example::bundle());
  const auto a = example::random(8 * 64, 1), b = example::random(96 * 64, 2), bias = example::random(96, 3);
  example::Floats out(8 * 96);
  std::string format;  // of a kernel of the bundle
  for (const auto& row : example::bundle()->kernels())
    if (const Json* found = row.spec.at("signature").find("b_format")) format = found->text();
  example::require(!format.empty(), "the bundle has a kernel for packed weights");

  const Problem problem = Gemm(8, 96, 64).dtype("fp32").b_format(format);
  const Packed packed = dispatcher.pack_b(problem, b.data(), 1, 64);  // B [k, n] is stored as [n, k]
  dispatcher.run(problem, {{"a", a}, {"b", packed}, {"out", out}});
  const auto want = example::product(a, b, 8, 96, 64);
  example::same("packed as " + format, out, want);

  const Problem fused = Gemm(8, 96, 64).dtype("fp32").activation("relu").d("fp32", "row");
  dispatcher.run(fused, {{"a", a}, {"b", b}, {"out", out}, {"d0", bias}});
  std::vector<double> finished(want);
  for (size_t i = 0; i < finished.size(); i++) finished[i] = std::max(0.0, finished[i] + bias[i % 96]);
  example::same("bias and relu", out, finished);
}
