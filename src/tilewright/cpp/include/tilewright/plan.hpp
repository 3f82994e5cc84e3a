/* Plan: a problem with the kernel that was chosen for it, ready to launch on tensors. */
#pragma once
#include <array>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bundle.hpp"
#include "detail/extent.hpp"
#include "detail/gpu_launches.hpp"

namespace tilewright {

/* Memory of one tensor: the address of its first element, and how many bytes from there on belong to it. Strides may be
 * negative, so `before` says how many bytes before the address belong to it as well. If both sizes are 0 they are
 * unknown, and what the problem reaches is not checked. */
struct Tensor {
  void* data = nullptr;
  size_t bytes = 0, before = 0;
  Tensor(void* pointer, size_t size = 0, size_t bytes_before = 0) : data(pointer), bytes(size), before(bytes_before) {}
  Tensor(const void* pointer, size_t size = 0, size_t bytes_before = 0)
      : Tensor(const_cast<void*>(pointer), size, bytes_before) {}
  Tensor(const GpuBuffer& buffer) : data(buffer.data()), bytes(buffer.bytes()) {}
  template <class T>
  Tensor(std::vector<T>& values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
  template <class T>
  Tensor(const std::vector<T>& values) : data(const_cast<T*>(values.data())), bytes(values.size() * sizeof(T)) {}
};
using Tensors = std::initializer_list<std::pair<const char*, Tensor>>;

inline double element_bytes(const std::string& dtype) {
  static const std::map<std::string, double> sizes = {{"fp64", 8}, {"fp32", 4}, {"int32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1},
      {"bf8", 1}, {"fp8_fnuz", 1}, {"bf8_fnuz", 1}, {"int8", 1}, {"int4", 0.5}, {"pk_fp4", 0.5}};
  auto found = sizes.find(dtype);
  if (found == sizes.end()) throw UnknownNameError("unknown dtype " + dtype);
  return found->second;
}
/* What a problem says of one of its tensors. Strides are in elements. It reaches `bytes` bytes from its first element on
 * and, with negative strides, `before` bytes before it; `bytes` is 0 if only the kernel knows its size. */
struct TensorFacts {
  std::string role, dtype;
  std::vector<int64_t> shape, strides;
  size_t bytes = 0, before = 0;
  bool written = false;
  tw_extent extent() const { return {-static_cast<int64_t>(before), static_cast<int64_t>(bytes)}; }
  bool same_elements(const TensorFacts& other) const {
    return dtype == other.dtype && shape == other.shape && strides == other.strides;
  }
};

/* Scratch memory of this thread; it grows and is kept. */
inline void* scratch(size_t bytes) {
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

/* Weights in the panels of one kernel format, on a cache-line boundary. */
class Packed {
 public:
  explicit Packed(size_t bytes) : bytes_(bytes), data_(std::aligned_alloc(64, (bytes + 63) / 64 * 64), &std::free) {
    if (!data_) throw LaunchError("no memory for " + std::to_string(bytes) + " bytes of packed weights");
    std::memset(data_.get(), 0, bytes);
  }
  void* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }
  operator Tensor() const { return Tensor(data_.get(), bytes_); }

 private:
  size_t bytes_;
  std::unique_ptr<void, decltype(&std::free)> data_;
};

/* A problem with the kernel that was chosen for it, ready to launch. Threads may share it. */
class Plan {
 public:
  const std::string& label() const { return label_; }
  const std::string& kernel() const { return kernel_name_; }
  const std::string& digest() const { return digest_; }
  const std::string& reason() const { return reason_; }
  double seconds() const { return seconds_; }  // as predicted; negative if a selector predicts none
  double flops() const { return flops_; }
  double bytes() const { return bytes_; }
  size_t workspace_bytes() const { return gpu_ ? gpu_->workspace_bytes() : static_cast<size_t>(args_.workspace_bytes); }
  size_t launches() const { return gpu_ ? gpu_->count() : run_ ? 1 : 0; }
  const std::vector<TensorFacts>& tensors() const { return tensors_; }
  const std::vector<int64_t>& launch() const { return launch_; }

  /* A CPU kernel's entry, and the arguments of a launch on pointers; null if the result has no elements. The workspace
   * is this thread's. */
  tw_run_fn function() const { return run_; }
  void prepare(void* const* pointers, tw_args& args) const {
    std::memcpy(&args, &args_, offsetof(tw_args, error));
    args.error[0] = 0;
    for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
    if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
  }
  /* Launches on pointers in the order of `tensors()`; nothing is checked. `stream` is one of the GPU's driver. */
  void run_pointers(void* const* pointers, void* stream = nullptr) const {
    if (gpu_) return gpu_->run(pointers, stream);
    if (!run_) return zero_results(pointers, stream);
    tw_args args;
    prepare(pointers, args);
    launch_with(args);
  }
  /* Launches on tensors by role; reports every mistake at once. */
  void run(Tensors tensors, void* stream = nullptr) const {
    std::array<void*, TW_MAX_TENSORS> pointers{};
    bind(tensors, pointers);
    run_pointers(pointers.data(), stream);
  }

 private:
  friend class Dispatcher;
  void launch_with(tw_args& args) const {
    if (run_(&args) == 0) return;
    args.error[TW_ERROR_BYTES - 1] = 0;
    throw LaunchError("kernel " + kernel_name_ + " failed: " + args.error);
  }
  /* The same with arguments that an earlier launch of this plan prepared: only pointers change. */
  void run_again(void* const* pointers, tw_args& args) const {
    if (gpu_) return gpu_->run(pointers, nullptr);
    if (!run_) return zero_results(pointers, nullptr);
    for (size_t i = 0; i < slots_.size(); i++) args.tensors[slots_[i]] = pointers[i];
    if (args.workspace_bytes > 0) args.workspace = scratch(static_cast<size_t>(args.workspace_bytes));
    launch_with(args);
  }
  /* If the main result has no elements, no kernel runs and the others are zeros: gradients of keys without rows. */
  void zero_results(void* const* pointers, void* stream) const {
    for (size_t i = 0; i < tensors_.size(); i++)
      if (tensors_[i].written && tensors_[i].bytes) zero(tensors_[i], static_cast<char*>(pointers[i]), 0, stream);
  }
  /* Clears the elements of `t` from `first` on, from dimension `d` on: what lies between them belongs to others. */
  void zero(const TensorFacts& t, char* first, size_t d, void* stream) const {
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
  void bind(Tensors tensors, std::array<void*, TW_MAX_TENSORS>& pointers) const {
    std::string wrong;
    auto mistake = [&](const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; };
    std::array<const Tensor*, TW_MAX_TENSORS> given{};
    for (const auto& pair : tensors) {
      size_t i = 0;
      while (i < tensors_.size() && tensors_[i].role != pair.first) i++;
      if (i == tensors_.size()) {
        mistake(std::string(pair.first) + " is no tensor of this problem");
        continue;
      }
      given[i] = &pair.second;
      pointers[i] = pair.second.data;
      check_place(i, pair.second, mistake);
    }
    for (size_t i = 0; i < tensors_.size(); i++)
      if (!given[i]) mistake(tensors_[i].role + " is missing");
    if (wrong.empty()) check_overlap(pointers, mistake);
    if (!wrong.empty()) throw TensorError("tensors of " + label_ + ": " + wrong, "pass the tensors that plan(problem).tensors() lists");
  }
  template <class Mistake>
  void check_place(size_t i, const Tensor& given, Mistake mistake) const {
    const TensorFacts& want = tensors_[i];
    const bool sized = given.bytes || given.before;
    if (sized && given.bytes < want.bytes)
      mistake(want.role + " has " + std::to_string(given.bytes) + " bytes, the problem needs " + std::to_string(want.bytes));
    if (sized && given.before < want.before)
      mistake(want.role + " reaches " + std::to_string(want.before) + " bytes before its first element, where " +
              std::to_string(given.before) + " bytes belong to it");
    const uint64_t alignment = gpu_ ? gpu_->alignment(i) : 1;
    switch (tw_placement(reinterpret_cast<uint64_t>(given.data), want.extent(), alignment)) {
      case TW_NULL: mistake(want.role + " is null"); break;
      case TW_WRAPS: mistake(want.role + " reaches beyond what 64 bits address"); break;
      case TW_MISALIGNED: mistake(want.role + " is not at a multiple of " + std::to_string(alignment) + " bytes, as the problem says");
    }
  }
  /* A tensor may be the same memory as a written one if the op says so, but only element by element. */
  template <class Mistake>
  void check_overlap(const std::array<void*, TW_MAX_TENSORS>& pointers, Mistake mistake) const {
    for (size_t i = 0; i < tensors_.size(); i++)
      for (size_t j = 0; j < tensors_.size(); j++) {
        if (i == j || !tensors_[i].written || (tensors_[j].written && j < i)) continue;
        if (aliases_[j] && pointers[i] == pointers[j] && tensors_[i].same_elements(tensors_[j])) continue;
        if (tw_extents_meet(reinterpret_cast<uint64_t>(pointers[i]), tensors_[i].extent(),
                            reinterpret_cast<uint64_t>(pointers[j]), tensors_[j].extent()))
          mistake(tensors_[i].role + " overlaps " + tensors_[j].role);
      }
  }
  std::string label_, kernel_name_ = "-", digest_, reason_;
  double seconds_ = -1.0, flops_ = 0.0, bytes_ = 0.0;
  std::vector<TensorFacts> tensors_;
  std::vector<char> aliases_;
  std::vector<int64_t> launch_;
  std::vector<int> slots_;
  tw_args args_{};
  tw_run_fn run_ = nullptr;
  const Kernel* kernel_ = nullptr;
  std::unique_ptr<detail::GpuLaunches> gpu_;  // of a GPU kernel, which has no C ABI
  std::shared_ptr<Gpu> cleared_on_;           // where the results are that no kernel writes; null: on the host
};

}  // namespace tilewright
