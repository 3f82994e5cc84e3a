/* Gpu: one GPU through its driver's library (libcuda.so.1, libamdhip64.so), and memory on it. */
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "json.hpp"

namespace tilewright {
namespace detail {
class Driver;
}

class Gpu {
 public:
  /* Opens a GPU. `kind` is nvidia or amd; `arch`, if given, is the arch it must have; `ordinal` -1 is the first such GPU. */
  static std::shared_ptr<Gpu> open(const std::string& kind, const std::string& arch = "", int ordinal = -1);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const std::string& arch() const { return arch_; }
  int ordinal() const { return ordinal_; }
  Json facts();
  detail::Driver& driver() { return *driver_; }
  void copy_in(void* to, const void* from, size_t bytes, void* stream = nullptr);
  void copy_out(void* to, const void* from, size_t bytes, void* stream = nullptr);
  void synchronize(void* stream = nullptr);
  void* new_stream();

 private:
  Gpu(const std::string& kind, const std::string& arch, int ordinal);
  std::unique_ptr<detail::Driver> driver_;
  std::string arch_;
  int ordinal_ = -1;
};

/* Zeroed memory on a GPU. */
class GpuBuffer {
 public:
  GpuBuffer(std::shared_ptr<Gpu> gpu, size_t bytes);
  template <class T>
  GpuBuffer(std::shared_ptr<Gpu> gpu, const std::vector<T>& values) : GpuBuffer(std::move(gpu), values.size() * sizeof(T)) {
    if (bytes_) gpu_->copy_in(data(), values.data(), bytes_);
    gpu_->synchronize();
  }
  GpuBuffer(GpuBuffer&& other) noexcept;
  ~GpuBuffer();
  void* data() const { return reinterpret_cast<void*>(address_); }
  size_t bytes() const { return bytes_; }
  template <class T>
  std::vector<T> read(void* stream = nullptr) const {
    std::vector<T> values(bytes_ / sizeof(T));
    if (!values.empty()) gpu_->copy_out(values.data(), data(), values.size() * sizeof(T), stream);
    return values;
  }

 private:
  std::shared_ptr<Gpu> gpu_;
  size_t bytes_;
  uint64_t address_;
};

}  // namespace tilewright
