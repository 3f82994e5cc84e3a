/* The CUDA driver, by its library alone: no header of the CUDA toolkit is needed. */
#pragma once
#include <algorithm>
#include <cstring>

#include "driver.hpp"

namespace tilewright::detail {

class CudaDriver : public Driver {
 public:
  CudaDriver()
      : lib_("TILEWRIGHT_CUDA_LIBRARY", {"libcuda.so.1"}, "the NVIDIA driver library libcuda.so.1",
             "install the NVIDIA driver, or run on a machine with an NVIDIA GPU") {
    device_check(lib_.call("cuInit", 0u), "initialise the GPU driver");
    current_ = lib_.needed<int (*)(void**)>("cuCtxGetCurrent");
    make_current_ = lib_.needed<int (*)(void*)>("cuCtxSetCurrent");
    launch_ = lib_.find<LaunchFn>("cuLaunchKernelEx");
    move_ = lib_.find<MoveFn>("cuTensorMapReplaceAddress");
    if (!launch_) throw DeviceError("the driver has no cuLaunchKernelEx", "use a driver of CUDA 12 or later");
  }
  const char* kind() const override { return "cuda"; }
  int count() override {
    int found = 0;
    device_check(lib_.call("cuDeviceGetCount", &found), "count the GPUs");
    return found;
  }
  Json facts(int ordinal) override {
    static const std::vector<std::pair<const char*, int>> attributes = {{"clock_khz", 13}, {"units", 16}, {"memory_clock_khz", 36},
        {"bus_bits", 37}, {"l2_bytes", 38}, {"major", 75}, {"minor", 76}, {"shared_per_unit", 81}};
    const int device = device_of(ordinal);
    Json found = Json::object({{"kind", "cuda"}});
    for (const auto& pair : attributes) found.set(pair.first, Json(static_cast<int64_t>(attribute(device, pair.second))));
    char name[128] = "";
    size_t memory = 0;
    device_check(lib_.call("cuDeviceGetName", &name[0], 127, device), "read the name of a GPU");
    device_check(lib_.call("cuDeviceTotalMem_v2", &memory, device), "read the memory of a GPU");
    found.set("name", Json(std::string(name)));
    found.set("memory_bytes", Json(static_cast<int64_t>(memory)));
    return found;
  }
  std::string arch(int ordinal) override {
    const int device = device_of(ordinal);
    return "sm_" + std::to_string(attribute(device, 75)) + std::to_string(attribute(device, 76));
  }
  void use(int ordinal) override {
    device_check(lib_.call("cuDevicePrimaryCtxRetain", &context_, device_of(ordinal)), "create a context on GPU " + std::to_string(ordinal));
    const CurrentGpu here(*this);  // a context that cannot be used is an error now
  }
  uint64_t enter() override {
    void* before = nullptr;
    device_check(current_(&before), "read the current context");
    if (before != context_) device_check(make_current_(context_), "set the context");
    return reinterpret_cast<uint64_t>(before);
  }
  void leave(uint64_t before) noexcept override {
    void* context = reinterpret_cast<void*>(before);
    if (context != context_) make_current_(context);
  }
  void* load(const std::string&, const std::string& bytes, const std::string& name, unsigned shared) override {
    const CurrentGpu here(*this);
    const OutsideCapture outside(lib_, capture_mode);
    void *module = nullptr, *function = nullptr;
    check(lib_.call("cuModuleLoadData", &module, static_cast<const void*>(bytes.data())), "load the kernel " + name);
    check(lib_.call("cuModuleGetFunction", &function, module, name.c_str()), "find the kernel " + name + " in its module");
    if (shared > 48 * 1024)
      check(lib_.call("cuFuncSetAttribute", function, 8, static_cast<int>(shared)), "give " + name + " " + std::to_string(shared) + " bytes of shared memory");
    return function;
  }
  void launch(void* function, const LaunchShape& shape, void* stream, void** parameters, const std::string& name) override {
    Attribute attributes[2] = {};
    Config config = {};
    std::copy(shape.grid, shape.grid + 3, config.grid);
    config.block[0] = shape.threads;
    config.block[1] = config.block[2] = 1;
    config.shared = shape.shared;
    config.stream = stream;
    config.attributes = attributes;
    if (shape.early) attributes[config.count++] = {6, 0, {1}};  // programmatic stream serialization
    if (shape.cluster > 1) attributes[config.count++] = {4, 0, {shape.cluster, 1, 1}};
    const CurrentGpu here(*this);
    check(launch_(&config, function, parameters, nullptr), "launch " + name);
  }
  void encode(void* into, const TensorMapShape& m, uint64_t address) override {
    const CurrentGpu here(*this);
    const size_t rank = m.shape.size();
    uint64_t extents[5] = {}, far[5] = {};
    uint32_t box[5] = {}, every[5] = {};
    for (size_t i = 0; i < rank && i < 5; i++) {
      const size_t from = rank - 1 - i;
      extents[i] = static_cast<uint64_t>(m.shape[from]);
      box[i] = static_cast<uint32_t>(m.box.at(from));
      every[i] = i == 0 || m.steps.empty() ? 1u : static_cast<uint32_t>(m.steps.at(from));
      if (i) far[i - 1] = static_cast<uint64_t>(m.strides[from] * m.element_bytes);
    }
    using Encode = int (*)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*, const uint32_t*, int, int, int, int);
    auto encode = lib_.find<Encode>("cuTensorMapEncodeTiled");
    if (!encode) throw DeviceError("this driver has no tensor maps", "use a driver of CUDA 12 or later");
    // 2: L2 promotion of 128 bytes
    check(encode(into, m.type, static_cast<uint32_t>(rank), reinterpret_cast<void*>(address), extents, far, box, every, 0, m.swizzle, 2, 0),
          "describe a tensor to the copy engine");
  }
  void move(void* map, uint64_t address) override {
    if (!move_) throw DeviceError("this driver has no tensor maps", "use a driver of CUDA 12 or later");
    const CurrentGpu here(*this);
    check(move_(map, reinterpret_cast<void*>(address)), "move a tensor map");
  }
  uint64_t allocate(size_t bytes) override {
    const CurrentGpu here(*this);
    const OutsideCapture outside(lib_, capture_mode);
    uint64_t address = 0;
    device_check(lib_.call("cuMemAlloc_v2", &address, bytes), "allocate " + std::to_string(bytes) + " bytes of GPU memory");
    const int code = clear(address, bytes);
    if (code) lib_.call("cuMemFree_v2", address);
    device_check(code, "clear GPU memory");
    return address;
  }
  void free(uint64_t address) noexcept override {
    try {
      const CurrentGpu here(*this);
      const OutsideCapture outside(lib_, capture_mode);
      lib_.call("cuMemFree_v2", address);
    } catch (const Error&) {
    }
  }
  void copy_in(uint64_t to, const void* from, size_t bytes, void* stream) override {
    const CurrentGpu here(*this);
    device_check(lib_.call("cuMemcpyHtoDAsync_v2", to, from, bytes, stream), "copy to the GPU");
  }
  void copy_out(void* to, uint64_t from, size_t bytes, void* stream) override {
    const CurrentGpu here(*this);
    device_check(lib_.call("cuMemcpyDtoHAsync_v2", to, from, bytes, stream), "copy from the GPU");
    synchronize(stream);
  }
  void clear_rows(uint64_t address, size_t pitch, size_t width, size_t rows, void* stream) override {
    const CurrentGpu here(*this);
    check(lib_.call("cuMemsetD2D8Async", address, pitch, static_cast<unsigned char>(0), width, rows, stream), "clear rows of GPU memory");
  }
  void synchronize(void* stream) override {
    const CurrentGpu here(*this);
    check(lib_.call("cuStreamSynchronize", stream), "wait for the GPU");
  }
  void* new_stream() override {
    const CurrentGpu here(*this);
    void* stream = nullptr;
    device_check(lib_.call("cuStreamCreate", &stream, 1u), "make a stream");
    return stream;
  }

 private:
  struct Attribute {
    unsigned id, pad, value[16];
  };
  struct Config {
    unsigned grid[3], block[3], shared;
    void* stream;
    Attribute* attributes;
    unsigned count;
  };
  using LaunchFn = int (*)(const Config*, void*, void**, void**);
  static constexpr const char* capture_mode = "cuThreadExchangeStreamCaptureMode";
  using MoveFn = int (*)(void*, void*);

  int device_of(int ordinal) {
    int device = 0;
    device_check(lib_.call("cuDeviceGet", &device, ordinal), "open GPU " + std::to_string(ordinal));
    return device;
  }
  int attribute(int device, int number) {
    int value = 0;
    device_check(lib_.call("cuDeviceGetAttribute", &value, number, device), "read an attribute of a GPU");
    return value;
  }
  /* Zeroes memory on a stream of its own: the default one waits for streams that may be recorded. */
  int clear(uint64_t address, size_t bytes) const {
    void* stream = nullptr;
    if (const int code = lib_.call("cuStreamCreate", &stream, 1u)) return code;
    int code = lib_.call("cuMemsetD8Async", address, static_cast<unsigned char>(0), bytes, stream);
    if (!code) code = lib_.call("cuStreamSynchronize", stream);
    lib_.call("cuStreamDestroy_v2", stream);
    return code;
  }
  std::string said(int code, const std::string& what) const {
    const char* text = nullptr;
    lib_.call("cuGetErrorString", code, &text);
    return "cannot " + what + ": CUDA error " + std::to_string(code) + " (" + (text ? text : "unknown error") + ")";
  }
  static const char* remedy(int code) {
    switch (code) {
      case 2: return "free GPU memory, or use a kernel that needs no workspace";
      case 100: return "run on a machine with an NVIDIA GPU that this process may use (CUDA_VISIBLE_DEVICES)";
      case 209: return "make the bundle for this GPU's arch";
      default: return "see the CUDA driver's documentation for this error code";
    }
  }
  void check(int code, const std::string& what) const {
    if (code) throw LaunchError(said(code, what), remedy(code));
  }
  void device_check(int code, const std::string& what) const {
    if (code) throw DeviceError(said(code, what), remedy(code));
  }
  DriverLibrary lib_;
  void* context_ = nullptr;
  int (*current_)(void**) = nullptr;
  int (*make_current_)(void*) = nullptr;
  LaunchFn launch_ = nullptr;
  MoveFn move_ = nullptr;
};

}  // namespace tilewright::detail
