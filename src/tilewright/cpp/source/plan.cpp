#include <tilewright/plan.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>

#include <tilewright/detail/extent.hpp>
#include <tilewright/detail/gpu_launches.hpp>

namespace tilewright {
namespace {

tw_extent extent_of(const TensorFacts& t) { return {-static_cast<int64_t>(t.before), static_cast<int64_t>(t.bytes)}; }
bool same_elements(const TensorFacts& a, const TensorFacts& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}
void add(std::string& mistakes, const std::string& text) {
  if (!text.empty()) mistakes += (mistakes.empty() ? "" : "; ") + text;
}
/* Scratch memory of this thread; it grows and is kept. */
void* scratch(size_t bytes) {
  struct Held {
    void* memory = nullptr;
    size_t size = 0;
    ~Held() { std::free(memory); }
  };
  thread_local Held held;
  if (bytes > held.size) {
    std::free(held.memory);
    held.size = (bytes + 4095) / 4096 * 4096;
    held.memory = std::aligned_alloc(64, held.size);
    if (!held.memory) {
      held.size = 0;
      throw LaunchError("no memory for " + std::to_string(bytes) + " bytes of workspace");
    }
  }
  return held.memory;
}

}  // namespace

double element_bytes(const std::string& dtype) {
  static const std::map<std::string, double> sizes = {{"fp64", 8}, {"fp32", 4}, {"int32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1},
      {"bf8", 1}, {"fp8_fnuz", 1}, {"bf8_fnuz", 1}, {"int8", 1}, {"int4", 0.5}, {"pk_fp4", 0.5}};
  auto found = sizes.find(dtype);
  if (found == sizes.end()) throw UnknownNameError("unknown dtype " + dtype);
  return found->second;
}
Packed::Packed(size_t bytes) : bytes_(bytes), data_(std::aligned_alloc(64, (bytes + 63) / 64 * 64), &std::free) {
  if (!data_) throw LaunchError("no memory for " + std::to_string(bytes) + " bytes of packed weights");
  std::memset(data_.get(), 0, bytes);
}

Plan::Plan() = default;
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
size_t Plan::workspace_bytes() const { return gpu_ ? gpu_->workspace_bytes() : static_cast<size_t>(args_.workspace_bytes); }
size_t Plan::launches() const { return gpu_ ? gpu_->count() : run_ ? 1 : 0; }
void Plan::prepare(void* const* pointers, tw_args& args) const {
  std::memcpy(&args, &args_, offsetof(tw_args, error));
  args.error[0] = 0;
  for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
  if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
}
void Plan::run_pointers(void* const* pointers, void* stream) const {
  if (gpu_) return gpu_->run(pointers, stream);
  if (!run_) return zero_results(pointers, stream);
  tw_args args;
  prepare(pointers, args);
  launch_with(args);
}
void Plan::run(Tensors tensors, void* stream) const {
  std::array<void*, TW_MAX_TENSORS> pointers{};
  bind(tensors, pointers.data());
  run_pointers(pointers.data(), stream);
}
void Plan::launch_with(tw_args& args) const {
  if (run_(&args) == 0) return;
  args.error[TW_ERROR_BYTES - 1] = 0;
  throw LaunchError("kernel " + kernel_name_ + " failed: " + args.error);
}
/* The same with arguments that an earlier launch of this plan prepared: only pointers change. */
void Plan::run_again(void* const* pointers, tw_args& args) const {
  if (gpu_) return gpu_->run(pointers, nullptr);
  if (!run_) return zero_results(pointers, nullptr);
  for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
  if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
  launch_with(args);
}
/* If the main result has no elements, no kernel runs and the others are zeros: gradients of keys without rows. */
void Plan::zero_results(void* const* pointers, void* stream) const {
  for (size_t i = 0; i < tensors_.size(); i++)
    if (tensors_[i].written && tensors_[i].bytes) zero(tensors_[i], static_cast<char*>(pointers[i]), 0, stream);
}
/* Clears the elements of `t` from `first` on, from dimension `d` on: what lies between them belongs to others. */
void Plan::zero(const TensorFacts& t, char* first, size_t d, void* stream) const {
  const size_t each = static_cast<size_t>(element_bytes(t.dtype));
  const bool row = d + 1 == t.shape.size() && t.strides[d] == 1;
  if (d < t.shape.size() && !row) {
    for (int64_t i = 0; i < t.shape[d]; i++) zero(t, first + i * t.strides[d] * static_cast<int64_t>(each), d + 1, stream);
    return;
  }
  const size_t width = each * (row ? static_cast<size_t>(t.shape[d]) : 1);
  if (cleared_on_) cleared_on_->driver().clear_rows(reinterpret_cast<uint64_t>(first), width, width, 1, stream);
  else std::memset(first, 0, width);
}
void Plan::bind(Tensors tensors, void** pointers) const {
  std::string wrong;
  std::array<const Tensor*, TW_MAX_TENSORS> given{};
  for (const auto& pair : tensors) {
    size_t i = 0;
    while (i < tensors_.size() && tensors_[i].role != pair.first) i++;
    if (i == tensors_.size()) {
      add(wrong, std::string(pair.first) + " is no tensor of this problem");
      continue;
    }
    if (given[i]) add(wrong, tensors_[i].role + " is given twice");
    given[i] = &pair.second;
    pointers[i] = pair.second.data;
    add(wrong, place_mistakes(i, pair.second));
  }
  for (size_t i = 0; i < tensors_.size(); i++)
    if (!given[i]) add(wrong, tensors_[i].role + " is missing");
  if (wrong.empty()) wrong = overlap_mistakes(pointers);
  if (wrong.empty() && run_ && limits_.batch) wrong = index_mistakes(pointers);
  if (!wrong.empty()) throw TensorError("tensors of " + label_ + ": " + wrong, "pass the tensors that plan(problem).tensors() lists");
}
std::string Plan::place_mistakes(size_t i, const Tensor& given) const {
  const TensorFacts& want = tensors_[i];
  std::string wrong;
  const bool sized = given.bytes || given.before;
  if (given.element > 1 && given.element != element_bytes(want.dtype))
    add(wrong, want.role + " is " + want.dtype + ", and no vector of elements of " + std::to_string(given.element) + " bytes");
  if (sized && given.bytes < want.bytes)
    add(wrong, want.role + " has " + std::to_string(given.bytes) + " bytes, the problem needs " + std::to_string(want.bytes));
  if (sized && given.before < want.before)
    add(wrong, want.role + " reaches " + std::to_string(want.before) + " bytes before its first element, where " +
                   std::to_string(given.before) + " bytes belong to it");
  const uint64_t alignment = gpu_ ? gpu_->alignment(i) : 1;
  switch (tw_placement(reinterpret_cast<uint64_t>(given.data), extent_of(want), alignment)) {
    case TW_NULL: add(wrong, want.role + " is null"); break;
    case TW_WRAPS: add(wrong, want.role + " reaches beyond what 64 bits address"); break;
    case TW_MISALIGNED: add(wrong, want.role + " is not at a multiple of " + std::to_string(alignment) + " bytes, as the problem says");
  }
  return wrong;
}
/* A tensor may be the same memory as a written one if the op says so, but only element by element. */
std::string Plan::overlap_mistakes(void* const* pointers) const {
  std::string wrong;
  for (size_t i = 0; i < tensors_.size(); i++)
    for (size_t j = 0; j < tensors_.size(); j++) {
      if (i == j || !tensors_[i].written || (tensors_[j].written && j < i)) continue;
      if (aliases_[j] && pointers[i] == pointers[j] && same_elements(tensors_[i], tensors_[j])) continue;
      if (tw_extents_meet(reinterpret_cast<uint64_t>(pointers[i]), extent_of(tensors_[i]),
                          reinterpret_cast<uint64_t>(pointers[j]), extent_of(tensors_[j])))
        add(wrong, tensors_[i].role + " overlaps " + tensors_[j].role);
    }
  return wrong;
}
/* Lengths and tables in host memory: a kernel reads where they say. */
std::string Plan::index_mistakes(void* const* pointers) const {
  detail::IndexTensors read;
  for (size_t i = 0; i < tensors_.size(); i++)
    if (detail::decides_reads(tensors_[i].role)) read[tensors_[i].role] = {pointers[i], tensors_[i].shape, tensors_[i].strides};
  std::string wrong;
  for (const auto& one : detail::index_mistakes(limits_, read)) add(wrong, one);
  return wrong;
}

}  // namespace tilewright
