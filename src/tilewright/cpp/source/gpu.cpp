#include <tilewright/gpu.hpp>

#include <utility>

#include <tilewright/detail/cuda.hpp>
#include <tilewright/detail/hip.hpp>

namespace tilewright {

std::shared_ptr<Gpu> Gpu::open(const std::string& kind, const std::string& arch, int ordinal) {
  return std::shared_ptr<Gpu>(new Gpu(kind, arch, ordinal));
}
Gpu::~Gpu() = default;
Gpu::Gpu(const std::string& kind, const std::string& arch, int ordinal) {
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
Json Gpu::facts() { return driver_->facts(ordinal_); }
void Gpu::copy_in(void* to, const void* from, size_t bytes, void* stream) {
  driver_->copy_in(reinterpret_cast<uint64_t>(to), from, bytes, stream);
}
void Gpu::copy_out(void* to, const void* from, size_t bytes, void* stream) {
  driver_->copy_out(to, reinterpret_cast<uint64_t>(from), bytes, stream);
}
void Gpu::synchronize(void* stream) { driver_->synchronize(stream); }
void* Gpu::new_stream() { return driver_->new_stream(); }

GpuBuffer::GpuBuffer(std::shared_ptr<Gpu> gpu, size_t bytes)
    : gpu_(std::move(gpu)), bytes_(bytes), address_(gpu_->driver().allocate(bytes ? bytes : 1)) {}
GpuBuffer::GpuBuffer(GpuBuffer&& other) noexcept
    : gpu_(std::move(other.gpu_)), bytes_(other.bytes_), address_(std::exchange(other.address_, 0)) {}
GpuBuffer::~GpuBuffer() {
  if (address_) gpu_->driver().free(address_);
}

}  // namespace tilewright
