// Runs the examples of one op: all, or those named on the command line.
//   gemm_examples [--bundle DIR] [--warmup N] [--repeat N] [NAME...]
#include "example.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--bundle" && i + 1 < argc) example::options().bundle = argv[++i];
    else if (word == "--warmup" && i + 1 < argc) example::options().warmup = std::atoi(argv[++i]);
    else if (word == "--repeat" && i + 1 < argc) example::options().repeat = std::atoi(argv[++i]);
    else wanted.push_back(word);
  }
  try {
    example::bundle();
  } catch (const tilewright::ArchError& error) {
    std::printf("ArchError: %s\n", error.what());
    return 3;
  } catch (const tilewright::BundleError& error) {
    std::printf("BundleError: %s\n", error.what());
    return 2;
  }
  int failed = 0, ran = 0;
  for (const auto& one : example::all()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.name) == wanted.end()) continue;
    std::printf("%s\n", one.name);
    ran++;
    try {
      one.run();
    } catch (const std::exception& error) {
      std::printf("  FAILED: %s\n", error.what());
      failed++;
    }
  }
  std::printf("%d examples, %d failed\n", ran, failed);
  return failed || !ran ? 1 : 0;
}
