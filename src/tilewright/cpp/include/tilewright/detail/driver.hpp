/* The library of a GPU's driver, opened by name: what tilewright needs of CUDA's driver and of the HIP runtime. */
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../json.hpp"

namespace tilewright::detail {

/* A launch, as all drivers take it. */
struct LaunchShape {
  unsigned grid[3] = {1, 1, 1}, threads = 1, shared = 0, cluster = 1;
  bool early = false;  // set up while the kernel before it in the stream still runs
};
/* A tensor as the copy engine sees it; sizes and strides in elements, slowest dimension first. */
struct TensorMapShape {
  int type = 0, swizzle = 0, element_bytes = 1;
  std::vector<int64_t> shape, strides, box, steps;
};
constexpr size_t tensor_map_bytes = 128;

/* One GPU behind its driver. Addresses and streams are those of the driver; a null stream is the default one. */
class Driver {
 public:
  virtual ~Driver() = default;
  virtual const char* kind() const = 0;  // cuda or hip
  virtual int count() = 0;
  virtual Json facts(int ordinal) = 0;     // what the driver says of a GPU, for the selection's "device"
  virtual std::string arch(int ordinal) = 0;
  virtual void use(int ordinal) = 0;       // creates a context at the first call
  /* Makes the GPU current in this thread; returns what was current. */
  virtual uint64_t enter() = 0;
  virtual void leave(uint64_t before) noexcept = 0;  // makes current what was
  virtual void* load(const std::string& path, const std::string& bytes, const std::string& name, unsigned shared) = 0;
  virtual void launch(void* function, const LaunchShape& shape, void* stream, void** parameters, const std::string& name) = 0;
  /* How many blocks of a kernel one unit of the GPU holds at once. */
  virtual int blocks_per_unit(void*, unsigned) { throw LaunchError("kernels that stay on the units of a GPU are for AMD GPUs only"); }
  virtual void encode(void* into, const TensorMapShape& shape, uint64_t address) = 0;
  virtual void move(void* map, uint64_t address) = 0;
  virtual uint64_t allocate(size_t bytes) = 0;  // zeroed
  virtual void free(uint64_t address) noexcept = 0;  // for destructors: an error is dropped
  virtual void copy_in(uint64_t to, const void* from, size_t bytes, void* stream) = 0;
  virtual void copy_out(void* to, uint64_t from, size_t bytes, void* stream) = 0;
  virtual void clear_rows(uint64_t address, size_t pitch, size_t width, size_t rows, void* stream) = 0;
  virtual void synchronize(void* stream) = 0;
  virtual void* new_stream() = 0;
};

/* While it lives, the GPU of a driver is current in this thread; then what was current is so again. */
class CurrentGpu {
 public:
  explicit CurrentGpu(Driver& driver) : driver_(driver), before_(driver.enter()) {}
  ~CurrentGpu() { driver_.leave(before_); }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  Driver& driver_;
  uint64_t before_;
};

class DriverLibrary {
 public:
  DriverLibrary(const char* variable, const std::vector<std::string>& names, const char* what, const char* remedy) {
    const char* asked = std::getenv(variable);
    std::string said;
    for (const auto& name : asked && *asked ? std::vector<std::string>{asked} : names) {
      handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
      said = dlerror();
    }
    throw DeviceError(std::string(what) + " was not found (" + said + ")", remedy);
  }
  /* Calls a function of the library; one that is missing is an error that names it. */
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    return needed<int (*)(Arguments...)>(name)(arguments...);
  }
  template <class Function>
  Function needed(const char* name) const {
    auto function = find<Function>(name);
    if (!function) throw DeviceError(std::string("the driver has no ") + name, "use a newer driver");
    return function;
  }
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

/* While it lives, this thread may call what would end the capture of a stream, whichever thread records it: kernels are
   loaded and memory comes and goes at any time. */
class OutsideCapture {
 public:
  OutsideCapture(const DriverLibrary& library, const char* exchange) : exchange_(library.find<int (*)(int*)>(exchange)) {
    if (exchange_ && exchange_(&mode_)) exchange_ = nullptr;  // the call that follows says what is wrong
  }
  ~OutsideCapture() {
    if (exchange_) exchange_(&mode_);
  }
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;

 private:
  int (*exchange_)(int*);
  int mode_ = 2;  // relaxed; then what the mode was before
};

}  // namespace tilewright::detail
