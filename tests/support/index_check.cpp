// The C++ check of lengths and tables, for comparison with Python's: dense tensors, by the place of their role.
#include <tilewright/detail/index_check.hpp>

extern "C" __attribute__((visibility("default"))) const char* mistakes(const int64_t* limits, int count, const char* const* roles,
                                                                       const int32_t* const* data, const int64_t* shapes) {
  using namespace tilewright::detail;
  static std::string text;
  IndexTensors tensors;
  for (int i = 0; i < count; i++) {
    const int64_t rows = shapes[2 * i], columns = shapes[2 * i + 1];
    if (!decides_reads(roles[i])) continue;
    tensors[roles[i]] = columns ? IndexTensor{data[i], {rows, columns}, {columns, 1}} : IndexTensor{data[i], {rows}, {1}};
  }
  text.clear();
  for (const auto& one : index_mistakes({limits[0], limits[1], limits[2], limits[3], limits[4], limits[5], limits[6], limits[7]}, tensors))
    text += one + "\n";
  return text.c_str();
}
