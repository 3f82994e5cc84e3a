/* Plan: a problem with the kernel that was chosen for it, ready to launch on tensors. */
#pragma once
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bundle.hpp"
#include "detail/index_check.hpp"

namespace tilewright {
namespace detail {
class GpuLaunches;
}

/* Memory of one tensor: the address of its first element, and how many bytes from there on belong to it. Strides may be
 * negative, so `before` says how many bytes before the address belong to it as well. If both sizes are 0 they are
 * unknown, and what the problem reaches is not checked. A vector says how large its `element`s are: 0 is unknown, and
 * those of 1 byte may hold any dtype. */
struct Tensor {
  void* data = nullptr;
  size_t bytes = 0, before = 0, element = 0;
  Tensor(void* pointer, size_t size = 0, size_t bytes_before = 0) : data(pointer), bytes(size), before(bytes_before) {}
  Tensor(const void* pointer, size_t size = 0, size_t bytes_before = 0)
      : Tensor(const_cast<void*>(pointer), size, bytes_before) {}
  Tensor(const GpuBuffer& buffer) : data(buffer.data()), bytes(buffer.bytes()) {}
  template <class T>
  Tensor(std::vector<T>& values) : data(values.data()), bytes(values.size() * sizeof(T)), element(sizeof(T)) {}
  template <class T>
  Tensor(const std::vector<T>& values) : Tensor(const_cast<std::vector<T>&>(values)) {}
};
using Tensors = std::initializer_list<std::pair<const char*, Tensor>>;

double element_bytes(const std::string& dtype);
/* What a problem says of one of its tensors. Strides are in elements. It reaches `bytes` bytes from its first element on
 * and, with negative strides, `before` bytes before it. Packed weights take `bytes`, whatever their strides. */
struct TensorFacts {
  std::string role, dtype;
  std::vector<int64_t> shape, strides;
  size_t bytes = 0, before = 0;
  bool written = false;
};

/* Weights in the panels of one kernel format, on a cache-line boundary. */
class Packed {
 public:
  explicit Packed(size_t bytes);
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
  Plan();
  ~Plan();
  Plan(Plan&&) noexcept;
  const std::string& label() const { return label_; }
  const std::string& kernel() const { return kernel_name_; }
  const std::string& digest() const { return digest_; }
  const std::string& reason() const { return reason_; }
  double seconds() const { return seconds_; }  // as predicted; negative if a selector predicts none
  double flops() const { return flops_; }
  double bytes() const { return bytes_; }
  size_t workspace_bytes() const;
  size_t launches() const;
  const std::vector<TensorFacts>& tensors() const { return tensors_; }
  const std::vector<int64_t>& launch() const { return launch_; }

  /* A CPU kernel's entry, and the arguments of a launch on pointers; null if the result has no elements. The workspace
   * is this thread's. */
  tw_run_fn function() const { return run_; }
  void prepare(void* const* pointers, tw_args& args) const;
  /* Launches on pointers in the order of `tensors()`; nothing is checked. `stream` is one of the GPU's driver. */
  void run_pointers(void* const* pointers, void* stream = nullptr) const;
  /* Launches on tensors by role; reports every mistake at once. On a CPU it also checks lengths and tables. */
  void run(Tensors tensors, void* stream = nullptr) const;

 private:
  friend class Dispatcher;
  void launch_with(tw_args& args) const;
  void run_again(void* const* pointers, tw_args& args) const;
  void zero_results(void* const* pointers, void* stream) const;
  void zero(const TensorFacts& t, char* first, size_t d, void* stream) const;
  void bind(Tensors tensors, void** pointers) const;
  std::string place_mistakes(size_t i, const Tensor& given) const;
  std::string overlap_mistakes(void* const* pointers) const;
  std::string index_mistakes(void* const* pointers) const;

  std::string label_, kernel_name_ = "-", digest_, reason_;
  double seconds_ = -1.0, flops_ = 0.0, bytes_ = 0.0;
  std::vector<TensorFacts> tensors_;
  std::vector<char> aliases_;
  detail::IndexLimits limits_;
  std::vector<int64_t> launch_;
  std::vector<int> slots_;
  tw_args args_{};
  tw_run_fn run_ = nullptr;
  const Kernel* kernel_ = nullptr;
  std::unique_ptr<detail::GpuLaunches> gpu_;  // of a GPU kernel, which has no C ABI
  std::shared_ptr<Gpu> cleared_on_;           // where the results are that no kernel writes; null: on the host
};

}  // namespace tilewright
