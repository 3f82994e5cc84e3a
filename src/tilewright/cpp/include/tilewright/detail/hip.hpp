/* The HIP runtime, by its library alone. It has never run on hardware: tests run it over the emulator's library. */
#pragma once
#include <cctype>
#include <cstring>

#include "driver.hpp"

namespace tilewright::detail {

class HipDriver : public Driver {
 public:
  HipDriver()
      : lib_("TILEWRIGHT_HIP_LIBRARY", {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"},
             "the HIP runtime libamdhip64.so", "install ROCm, or run on a machine with an AMD GPU") {
    device_check(lib_.call("hipInit", 0u), "initialise the HIP runtime");
  }
  const char* kind() const override { return "hip"; }
  int count() override {
    int found = 0;
    device_check(lib_.call("hipGetDeviceCount", &found), "count the GPUs");
    return found;
  }
  Json facts(int ordinal) override {
    static const std::vector<std::pair<const char*, int>> attributes = {{"clock_khz", 5}, {"l2_bytes", 19}, {"bus_bits", 59},
        {"memory_clock_khz", 60}, {"units", 63}, {"lds_bytes", 74}};
    Json found = Json::object({{"kind", "hip"}});
    for (const auto& pair : attributes) {
      int value = 0;
      device_check(lib_.call("hipDeviceGetAttribute", &value, pair.second, ordinal), "read an attribute of a GPU");
      found.set(pair.first, Json(static_cast<int64_t>(value)));
    }
    char name[256] = "";
    size_t memory = 0;
    device_check(lib_.call("hipDeviceGetName", &name[0], 255, ordinal), "read the name of a GPU");
    device_check(lib_.call("hipDeviceTotalMem", &memory, ordinal), "read the memory of a GPU");
    found.set("name", Json(std::string(name)));
    found.set("arch", Json(arch(ordinal)));
    found.set("memory_bytes", Json(static_cast<int64_t>(memory)));
    return found;
  }
  /* The arch is a text in the properties, whose place differs between versions of ROCm. */
  std::string arch(int ordinal) override {
    std::string raw(8192, '\0');
    const char* entry = lib_.find<void*>("hipGetDevicePropertiesR0600") ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties";
    device_check(lib_.call(entry, static_cast<void*>(raw.data()), ordinal), "read the properties of a GPU");
    for (size_t at = raw.find("gfx"); at != std::string::npos; at = raw.find("gfx", at + 1)) {
      size_t end = at + 3;
      while (end < raw.size() && end < at + 7 && std::isxdigit(static_cast<unsigned char>(raw[end]))) end++;
      if (end >= at + 6 && (raw[end] == ':' || raw[end] == '\0')) return raw.substr(at, end - at);
    }
    return "unknown";
  }
  void use(int ordinal) override {
    ordinal_ = ordinal;
    const CurrentGpu here(*this);  // a GPU that is not there is an error now
  }
  uint64_t enter() override {
    int before = 0;
    device_check(lib_.call("hipGetDevice", &before), "read the current GPU");
    if (before != ordinal_) device_check(lib_.call("hipSetDevice", ordinal_), "open GPU " + std::to_string(ordinal_));
    return static_cast<uint64_t>(before);
  }
  void leave(uint64_t before) noexcept override {
    const int gpu = static_cast<int>(before);
    if (gpu != ordinal_) lib_.call("hipSetDevice", gpu);
  }
  void* load(const std::string& path, const std::string&, const std::string& name, unsigned) override {
    const CurrentGpu here(*this);
    const OutsideCapture outside(lib_, capture_mode);
    void *module = nullptr, *function = nullptr;
    check(lib_.call("hipModuleLoad", &module, path.c_str()), "load the kernel " + name);
    check(lib_.call("hipModuleGetFunction", &function, module, name.c_str()), "find the kernel " + name + " in its module");
    return function;
  }
  void launch(void* function, const LaunchShape& s, void* stream, void** parameters, const std::string& name) override {
    const CurrentGpu here(*this);
    void** extra = nullptr;
    check(lib_.call("hipModuleLaunchKernel", function, s.grid[0], s.grid[1], s.grid[2], s.threads, 1u, 1u, s.shared, stream, parameters, extra),
          "launch " + name);
  }
  int blocks_per_unit(void* function, unsigned threads) override {
    const CurrentGpu here(*this);
    int blocks = 0;
    device_check(lib_.call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, function, static_cast<int>(threads), size_t{0}),
                 "ask for the occupancy of a kernel");
    return blocks;
  }
  void encode(void*, const TensorMapShape&, uint64_t) override { throw LaunchError("AMD GPUs have no tensor maps"); }
  void move(void*, uint64_t) override { throw LaunchError("AMD GPUs have no tensor maps"); }
  uint64_t allocate(size_t bytes) override {
    const CurrentGpu here(*this);
    const OutsideCapture outside(lib_, capture_mode);
    void* address = nullptr;
    device_check(lib_.call("hipMalloc", &address, bytes), "allocate " + std::to_string(bytes) + " bytes of GPU memory");
    const int code = clear(address, bytes);
    if (code) lib_.call("hipFree", address);
    device_check(code, "clear GPU memory");
    return reinterpret_cast<uint64_t>(address);
  }
  void free(uint64_t address) noexcept override {
    try {
      const CurrentGpu here(*this);
      const OutsideCapture outside(lib_, capture_mode);
      lib_.call("hipFree", reinterpret_cast<void*>(address));
    } catch (const Error&) {
    }
  }
  void copy_in(uint64_t to, const void* from, size_t bytes, void* stream) override {
    const CurrentGpu here(*this);
    device_check(lib_.call("hipMemcpyAsync", reinterpret_cast<void*>(to), from, bytes, 1, stream), "copy to the GPU");
  }
  void copy_out(void* to, uint64_t from, size_t bytes, void* stream) override {
    const CurrentGpu here(*this);
    device_check(lib_.call("hipMemcpyAsync", to, reinterpret_cast<const void*>(from), bytes, 2, stream), "copy from the GPU");
    synchronize(stream);
  }
  void clear_rows(uint64_t address, size_t pitch, size_t width, size_t rows, void* stream) override {
    const CurrentGpu here(*this);
    check(lib_.call("hipMemset2DAsync", reinterpret_cast<void*>(address), pitch, 0, width, rows, stream), "clear rows of GPU memory");
  }
  void synchronize(void* stream) override {
    const CurrentGpu here(*this);  // the default stream is that of the current GPU
    check(lib_.call("hipStreamSynchronize", stream), "wait for the GPU");
  }
  void* new_stream() override {
    const CurrentGpu here(*this);
    void* stream = nullptr;
    device_check(lib_.call("hipStreamCreateWithFlags", &stream, 1u), "make a stream");
    return stream;
  }

 private:
  static constexpr const char* capture_mode = "hipThreadExchangeStreamCaptureMode";
  /* Zeroes memory on a stream of its own: the default one waits for streams that may be recorded. */
  int clear(void* address, size_t bytes) const {
    void* stream = nullptr;
    if (const int code = lib_.call("hipStreamCreateWithFlags", &stream, 1u)) return code;
    int code = lib_.call("hipMemsetAsync", address, 0, bytes, stream);
    if (!code) code = lib_.call("hipStreamSynchronize", stream);
    lib_.call("hipStreamDestroy", stream);
    return code;
  }
  std::string said(int code, const std::string& what) const {
    auto describe = lib_.find<const char* (*)(int)>("hipGetErrorString");
    const char* text = describe ? describe(code) : nullptr;
    const std::string words = "cannot " + what + ": HIP error " + std::to_string(code) + " (" + (text ? text : "unknown error") + ")";
    if (auto forget = lib_.find<int (*)()>("hipGetLastError")) forget();  // the program's own checks must not find it
    return words;
  }
  static const char* remedy(int code) {
    switch (code) {
      case 2: return "free GPU memory, or use a kernel that needs no workspace";
      case 100: return "run on a machine with an AMD GPU that this process may use (HIP_VISIBLE_DEVICES)";
      case 209: return "make the bundle for this GPU's arch";
      default: return "see the HIP documentation for this error code";
    }
  }
  void check(int code, const std::string& what) const {
    if (code) throw LaunchError(said(code, what), remedy(code));
  }
  void device_check(int code, const std::string& what) const {
    if (code) throw DeviceError(said(code, what), remedy(code));
  }
  DriverLibrary lib_;
  int ordinal_ = 0;
};

}  // namespace tilewright::detail
