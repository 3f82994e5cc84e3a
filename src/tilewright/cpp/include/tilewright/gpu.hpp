/* Gpu: one GPU through its driver's library (libcuda.so.1, libamdhip64.so), and memory on it. */
#pragma once
#include <memory>
#include <string>

#include "detail/cuda.hpp"
#include "detail/hip.hpp"

namespace tilewright {

class Gpu {
 public:
  /* Opens a GPU. `kind` is nvidia or amd; `arch`, if given, is the arch it must have; `ordinal` -1 is the first such GPU. */
  static std::shared_ptr<Gpu> open(const std::string& kind, const std::string& arch = "", int ordinal = -1) {
    return std::shared_ptr<Gpu>(new Gpu(kind, arch, ordinal));
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const std::string& arch() const { return arch_; }
  int ordinal() const { return ordinal_; }
  Json facts() { return driver_->facts(ordinal_); }
  detail::Driver& driver() { return *driver_; }
  void copy_in(void* to, const void* from, size_t bytes, void* stream = nullptr) {
    driver_->copy_in(reinterpret_cast<uint64_t>(to), from, bytes, stream);
  }
  void copy_out(void* to, const void* from, size_t bytes, void* stream = nullptr) {
    driver_->copy_out(to, reinterpret_cast<uint64_t>(from), bytes, stream);
  }
  void synchronize(void* stream = nullptr) { driver_->synchronize(stream); }
  void* new_stream() { return driver_->new_stream(); }

 private:
  Gpu(const std::string& kind, const std::string& arch, int ordinal) {
    if (kind == "nvidia") driver_ = std::make_unique<detail::CudaDriver>();
    else if (kind == "amd") driver_ = std::make_unique<detail::HipDriver>();
    else throw UnknownNameError("unknown kind of GPU " + kind, "use nvidia or amd");
    const int count = driver_->count();
    if (count == 0) throw DeviceError("the driver sees no GPU", "check CUDA_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES");
    std::string seen;
    for (int i = 0; i < count && ordinal_ < 0; i++) {
      const std::string own = driver_->arch(i);
      seen += (seen.empty() ? "" : ", ") + own;
      if ((ordinal < 0 || i == ordinal) && (arch.empty() || own == arch)) ordinal_ = i, arch_ = own;
    }
    if (ordinal_ < 0)
      throw ArchError("no GPU here is " + (arch.empty() ? "number " + std::to_string(ordinal) : arch) + "; the driver sees " + seen,
                      "make a bundle for a GPU that is here");
    driver_->use(ordinal_);
  }
  std::unique_ptr<detail::Driver> driver_;
  std::string arch_;
  int ordinal_ = -1;
};

/* Zeroed memory on a GPU. */
class GpuBuffer {
 public:
  GpuBuffer(std::shared_ptr<Gpu> gpu, size_t bytes) : gpu_(std::move(gpu)), bytes_(bytes), address_(gpu_->driver().allocate(bytes ? bytes : 1)) {}
  template <class T>
  GpuBuffer(std::shared_ptr<Gpu> gpu, const std::vector<T>& values) : GpuBuffer(std::move(gpu), values.size() * sizeof(T)) {
    if (bytes_) gpu_->copy_in(data(), values.data(), bytes_);
    gpu_->synchronize();
  }
  GpuBuffer(GpuBuffer&& other) noexcept : gpu_(std::move(other.gpu_)), bytes_(other.bytes_), address_(std::exchange(other.address_, 0)) {}
  ~GpuBuffer() {
    if (address_) gpu_->driver().free(address_);
  }
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
