/* Checks of the lengths and tables that decide where a kernel reads, in host memory: `ops.fmha.contents` of Python. */
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::detail {

/* The numbers of a problem that bound them; all 0 if it has no lengths and tables. */
struct IndexLimits {
  int64_t batch = 0, seqlen_q = 0, seqlen_k = 0, seqlen_new = 0, total_q = 0, total_k = 0, page_size = 0, num_pages = 0;
};
/* A tensor of int32 with one or two dimensions; strides are in elements. */
struct IndexTensor {
  const void* data;
  std::vector<int64_t> shape, strides;
  int64_t at(int64_t i, int64_t j = 0) const;
};
using IndexTensors = std::map<std::string, IndexTensor>;

bool decides_reads(const std::string& role);
/* Every contradiction between lengths, page tables, offsets and the problem. */
std::vector<std::string> index_mistakes(const IndexLimits& p, const IndexTensors& tensors);

}  // namespace tilewright::detail
