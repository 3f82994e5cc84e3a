// Both drivers of the C++ headers over a library that is in this file, for both makes: two GPUs with memory, each
// thread with a GPU that is current or none. Somebody captures throughout: what may wait is refused unless the thread
// has relaxed its mode, and the default stream may not be waited for at all.
#include <tilewright/detail/cuda.hpp>
#include <tilewright/detail/hip.hpp>

#include <map>
#include <memory>
#include <thread>

#define ENTRY extern "C" __attribute__((visibility("default")))
using namespace tilewright::detail;

namespace {

struct Machine {
  std::string failing, log;
  std::map<uint64_t, int> memory;  // what is allocated, and where
  std::map<const void*, int> streams;
  uint64_t next = 1 << 20;
} machine;
thread_local int current = 0, mode = 0, last_error = 0;  // GPU i is current as i + 1, so that a null context is none

// The code of a call: `unsafe` ones end a capture. Only CUDA has threads without a GPU.
int call(const char* name, bool unsafe = false, bool needs_gpu = true) {
  int code = 0;
  if (machine.failing == name) code = 2;
  else if (needs_gpu && !current && *name == 'c') code = 201;
  else if (unsafe && mode != 2) code = 900, machine.log += std::string(" refused:") + name;
  if (code) last_error = code;
  return code;
}
int allocated(uint64_t* address) {
  *address = machine.next += 4096;
  machine.memory[*address] = current - 1;
  return 0;
}
int freed(uint64_t address) { return machine.memory.erase(address) ? 0 : 1; }
int made_stream(void** stream, unsigned flags) {
  *stream = reinterpret_cast<void*>(machine.next += 16);
  machine.streams[*stream] = current - 1;
  if (flags != 1) machine.log += " blocking stream";
  return 0;
}
int ended_stream(void* stream) { return machine.streams.erase(stream) ? 0 : 1; }
int waited(void* stream) {
  const bool own = stream && machine.streams.at(stream) == current - 1;
  if (!own) machine.log += " waited for a default stream of GPU " + std::to_string(current - 1);
  return 0;
}
int exchanged(int* given) { return std::swap(*given, mode), 0; }
void* context(int gpu) { return reinterpret_cast<void*>(static_cast<uintptr_t>(gpu)); }

}  // namespace

#define TRY(...) \
  if (const int code = call(__func__, __VA_ARGS__)) return code
ENTRY int cuInit(unsigned) { return 0; }
ENTRY int cuGetErrorString(int, const char** text) { return *text = "words", 0; }
ENTRY int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
ENTRY int cuDevicePrimaryCtxRetain(void** found, int device) { return *found = context(device + 1), 0; }
ENTRY int cuCtxGetCurrent(void** found) {
  TRY(false, false);
  return *found = context(current), 0;
}
ENTRY int cuCtxSetCurrent(void* given) {
  TRY(false, false);
  return current = static_cast<int>(reinterpret_cast<uintptr_t>(given)), 0;
}
ENTRY int cuThreadExchangeStreamCaptureMode(int* given) { return exchanged(given); }
ENTRY int cuMemAlloc_v2(uint64_t* address, size_t) {
  TRY(true);
  return allocated(address);
}
ENTRY int cuMemFree_v2(uint64_t address) {
  TRY(true);
  return freed(address);
}
ENTRY int cuMemsetD8Async(uint64_t, unsigned char, size_t, void*) { return call(__func__); }
ENTRY int cuStreamCreate(void** stream, unsigned flags) {
  TRY(false);
  return made_stream(stream, flags);
}
ENTRY int cuStreamDestroy_v2(void* stream) { return ended_stream(stream); }
ENTRY int cuStreamSynchronize(void* stream) {
  TRY(true);
  return waited(stream);
}
ENTRY int cuLaunchKernelEx(const void*, void*, void**, void**) {
  TRY(false);
  return machine.log += " launched on GPU " + std::to_string(current - 1), 0;
}

ENTRY int hipInit(unsigned) { return 0; }
ENTRY const char* hipGetErrorString(int) { return "words"; }
ENTRY int hipGetLastError() { return std::exchange(last_error, 0); }
ENTRY int hipGetDevice(int* device) {
  TRY(false, false);
  return *device = current ? current - 1 : 0, 0;  // the first GPU unless told otherwise
}
ENTRY int hipSetDevice(int device) {
  TRY(false, false);
  return current = device + 1, 0;
}
ENTRY int hipThreadExchangeStreamCaptureMode(int* given) { return exchanged(given); }
ENTRY int hipMalloc(void** address, size_t) {
  TRY(true);
  return allocated(reinterpret_cast<uint64_t*>(address));
}
ENTRY int hipFree(void* address) {
  TRY(true);
  return freed(reinterpret_cast<uint64_t>(address));
}
ENTRY int hipMemsetAsync(void*, int, size_t, void*) { return call(__func__); }
ENTRY int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  TRY(false);
  return made_stream(stream, flags);
}
ENTRY int hipStreamCreate(void** stream) { return hipStreamCreateWithFlags(stream, 0); }
ENTRY int hipStreamDestroy(void* stream) { return ended_stream(stream); }
ENTRY int hipStreamSynchronize(void* stream) {
  TRY(true);
  return waited(stream);
}
ENTRY int hipModuleLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) {
  TRY(false);
  return machine.log += " launched on GPU " + std::to_string(current - 1), 0;
}

namespace {

std::unique_ptr<Driver> driver_of(const std::string& make, int gpu) {
  std::unique_ptr<Driver> made;
  if (make == "cuda") made = std::make_unique<CudaDriver>();
  else made = std::make_unique<HipDriver>();
  made->use(gpu);
  return made;
}
template <class... Words>
void note(const Words&... words) {
  ((machine.log += words), ...);
}
void state(const char* when) {
  note(" | ", when, ": current ", std::to_string(current - 1), ", mode ", std::to_string(mode), ", memory");
  for (const auto& one : machine.memory) note(" ", std::to_string(one.second));
  if (!machine.streams.empty()) note(", streams");
}

}  // namespace

/* Allocates on the second GPU in a thread that has `before` current, where the function `failing` fails, launches, and
   frees in another thread, which has none; returns what happened. */
ENTRY const char* use_memory(const char* make, int before, const char* failing, int fail_at_the_end) {
  machine.log.clear(), machine.memory.clear(), machine.streams.clear(), machine.failing.clear();
  current = before + 1, mode = 0, last_error = 0;
  const auto driver = driver_of(make, 1);
  uint64_t address = 0;
  if (!fail_at_the_end) machine.failing = failing;
  try {
    address = driver->allocate(100);
  } catch (const tilewright::Error& error) {
    note(error.message());
    if (last_error && *make == 'h') note(" | the error is left to the program");
  }
  state("allocated");
  if (!address) return machine.log.c_str();
  driver->launch(nullptr, {}, nullptr, nullptr, "k");
  machine.failing = failing;
  std::thread([&] { driver->free(address), state("freed"); }).join();
  return machine.log.c_str();
}
/* Waits for the default stream of the second GPU where the first one is current, and makes a stream. */
ENTRY const char* use_streams(const char* make) {
  machine.log.clear(), machine.memory.clear(), machine.streams.clear(), machine.failing.clear();
  current = 1, mode = 2;
  const auto driver = driver_of(make, 1);
  driver->synchronize(nullptr);
  driver->synchronize(driver->new_stream());
  state("waited");
  return machine.log.c_str();
}
