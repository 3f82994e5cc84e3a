// Stands in for libcuda.so.1 where there is no GPU: it has one H200 with memory on the host, and writes every launch
// to the file $CUDA_RECORD instead of executing it. $CUDA_RECORD_SIZES has a line for each kernel: its name and the
// bytes of each parameter. With $CUDA_RECORD_CAPTURING some stream is being captured: calls that may wait are refused,
// and recorded, unless this thread has relaxed its mode. While it has, the default stream must not be used, and nothing
// is launched; with its own mode a program may wait for its own results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#define CUDA extern "C" __attribute__((visibility("default"))) int

struct Attribute {
  unsigned id, pad, value[16];
};
struct Config {
  unsigned grid[3], block[3], shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};
static thread_local void* current = nullptr;
static uint64_t next_address = 0x7000000000;

static void record(const std::string& line) {
  if (const char* path = std::getenv("CUDA_RECORD")) std::ofstream(path, std::ios::app) << line << "\n";
}
static std::vector<size_t> sizes_of(const std::string& kernel) {
  std::ifstream file(std::getenv("CUDA_RECORD_SIZES"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name != kernel) continue;
    std::vector<size_t> sizes;
    for (size_t size; words >> size;) sizes.push_back(size);
    return sizes;
  }
  return {};
}

static thread_local int capture_mode = 0;
static int refused(const char* what, bool relaxed) {
  if (!std::getenv("CUDA_RECORD_CAPTURING") || (capture_mode == 2) != relaxed) return 0;
  return record(std::string("refused ") + what), 900;
}
/* What may wait, and what memory is used for, is for the GPU that is current. */
static int refused(const char* what) {
  if (!current) return record(std::string("no context to ") + what), 201;
  return refused(what, false);
}

CUDA cuInit(unsigned) { return std::getenv("CUDA_RECORD_FAILS") ? 100 : 0; }
CUDA cuDeviceGetCount(int* count) { return *count = 1, 0; }
CUDA cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
CUDA cuDeviceGetAttribute(int* value, int what, int) {
  const char* major = std::getenv("CUDA_RECORD_MAJOR");
  switch (what) {
    case 16: *value = 132; break;
    case 38: *value = 60 << 20; break;
    case 75: *value = major ? std::atoi(major) : 9; break;
    case 76: *value = 0; break;
    case 81: *value = 233472; break;
    default: *value = 1000000;
  }
  return 0;
}
CUDA cuDeviceGetName(char* text, int size, int) { return std::snprintf(text, static_cast<size_t>(size), "NVIDIA H200"), 0; }
CUDA cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = size_t(141) << 30, 0; }
CUDA cuDevicePrimaryCtxRetain(void** context, int) { return *context = &current, 0; }
CUDA cuCtxGetCurrent(void** context) { return *context = current, 0; }
CUDA cuCtxSetCurrent(void* context) { return current = context, 0; }
CUDA cuGetErrorString(int, const char** text) { return *text = "no CUDA-capable device is detected", 0; }
CUDA cuModuleLoadData(void** module, const void* image) { return *module = const_cast<void*>(image), refused("load"); }
CUDA cuModuleLoad(void** module, const char* path) { return *module = strdup(path), refused("load"); }
CUDA cuModuleGetFunction(void** function, void*, const char* name) { return *function = strdup(name), 0; }
CUDA cuFuncSetAttribute(void* function, int what, int value) {
  record(std::string("attribute ") + static_cast<char*>(function) + " " + std::to_string(what) + " " + std::to_string(value));
  return 0;
}
CUDA cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  *address = next_address;
  next_address += (bytes + 4095) / 4096 * 4096;
  return refused("allocate");
}
CUDA cuMemFree_v2(uint64_t) { return refused("free"); }
CUDA cuMemsetD8_v2(uint64_t, unsigned char, size_t) { return refused("clear on the default stream", true); }
CUDA cuMemsetD8Async(uint64_t, unsigned char, size_t, void* stream) { return stream ? 0 : refused("clear on the default stream", true); }
CUDA cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t, void*) { return 0; }
CUDA cuMemcpyDtoHAsync_v2(void* to, uint64_t, size_t bytes, void*) { return std::memset(to, 0, bytes), 0; }
CUDA cuStreamCreate(void** stream, unsigned) { return *stream = &next_address, 0; }
CUDA cuStreamDestroy_v2(void*) { return 0; }
CUDA cuStreamSynchronize(void* stream) { return stream ? 0 : refused("wait for the default stream", true); }
CUDA cuThreadExchangeStreamCaptureMode(int* mode) { return std::swap(*mode, capture_mode), 0; }
CUDA cuTensorMapEncodeTiled(unsigned char* map, int type, unsigned rank, void* address, const uint64_t* extents, const uint64_t* strides,
                            const uint32_t* box, const uint32_t* steps, int interleave, int swizzle, int promotion, int fill) {
  std::memset(map, 0, 128);
  std::memcpy(map, &address, 8);
  const int facts[] = {type, static_cast<int>(rank), interleave, swizzle, promotion, fill};
  for (int i = 0; i < 6; i++) map[8 + i] = static_cast<unsigned char>(facts[i]);
  unsigned char* at = map + 16;
  for (unsigned i = 0; i < rank; i++) {
    for (uint64_t n : {extents[i], i + 1 < rank ? strides[i] : 0, uint64_t(box[i]), uint64_t(steps[i])}) {
      const uint32_t word = static_cast<uint32_t>(n);
      std::memcpy(at, &word, 4);
      at += 4;
    }
  }
  return 0;
}
CUDA cuTensorMapReplaceAddress(unsigned char* map, void* address) { return std::memcpy(map, &address, 8), 0; }
CUDA cuLaunchKernelEx(const Config* config, void* function, void** parameters, void**) {
  if (!current) return 201;  // Python makes one current, and asks again
  if (const int code = refused("launch in a mode that was not restored", true)) return code;
  std::ostringstream out;
  const std::string name = static_cast<char*>(function);
  out << "launch " << name << " grid";
  for (unsigned n : config->grid) out << " " << n;
  out << " block";
  for (unsigned n : config->block) out << " " << n;
  out << " shared " << config->shared;
  for (unsigned i = 0; i < config->count; i++) out << " attribute " << config->attributes[i].id << " " << config->attributes[i].value[0];
  out << " parameters";
  const std::vector<size_t> sizes = sizes_of(name);
  for (size_t i = 0; i < sizes.size(); i++) {
    out << " ";
    for (size_t k = 0; k < sizes[i]; k++) {
      char text[3];
      std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char*>(parameters[i])[k]);
      out << text;
    }
  }
  record(out.str());
  return 0;
}
