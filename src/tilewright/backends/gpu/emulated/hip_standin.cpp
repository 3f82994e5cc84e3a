// Stands in for the HIP runtime: its entry points, served by Python (`runtime.py`), which executes kernels on the
// emulator.
//
// Every entry point hands its name and arguments, as 64-bit words, to one handler. The first call of a process
// without a handler asks the Python that runs in it to serve, so the library can be loaded wherever libamdhip64.so is.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <initializer_list>
#include <mutex>

namespace {

using Word = std::uint64_t;
using Handler = int (*)(const char* name, const Word* words, std::size_t count);

constexpr int kNotInitialized = 3;  // hipErrorNotInitialized
Handler handler = nullptr;
std::once_flag asked;

template <class F>
F symbol(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

void set_handler(Handler found) { handler = found; }

// No Python headers: three functions of its stable interface are looked up by name.
void ask_python() {
  auto ensure = symbol<int (*)()>("PyGILState_Ensure");
  auto release = symbol<void (*)(int)>("PyGILState_Release");
  auto run = symbol<int (*)(const char*, void*)>("PyRun_SimpleStringFlags");
  if (handler || !ensure || !release || !run) return;
  char text[200];
  std::snprintf(text, sizeof text, "__import__('tilewright.backends.gpu.emulated.runtime', fromlist=['serve']).serve(%llu)",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&set_handler)));
  const int state = ensure();
  run(text, nullptr);
  release(state);
}

template <class T>
Word word(T value) {
  if constexpr (sizeof(T) == 8)
    return (Word)value;
  else
    return static_cast<Word>(static_cast<std::int64_t>(value));
}

int ask(const char* name, std::initializer_list<Word> words) {
  if (!handler) std::call_once(asked, ask_python);
  return handler ? handler(name, words.begin(), words.size()) : kNotInitialized;
}

}  // namespace

#define HIP extern "C" __attribute__((visibility("default")))
#define ASK(...) ask(__func__, {__VA_ARGS__})
using Stream = void*;

HIP void tilewright_serve(Handler found) { set_handler(found); }

HIP int hipInit(unsigned flags) { return ASK(word(flags)); }
HIP int hipGetDeviceCount(int* count) { return ASK(word(count)); }
HIP int hipGetDevice(int* device) { return ASK(word(device)); }
HIP int hipSetDevice(int device) { return ASK(word(device)); }
HIP int hipDeviceGetName(char* text, int size, int device) { return ASK(word(text), word(size), word(device)); }
HIP int hipDeviceTotalMem(std::size_t* bytes, int device) { return ASK(word(bytes), word(device)); }
HIP int hipDeviceGetAttribute(int* value, int what, int device) { return ASK(word(value), word(what), word(device)); }
HIP int hipGetDevicePropertiesR0600(void* into, int device) { return ASK(word(into), word(device)); }

HIP int hipMalloc(void** address, std::size_t size) { return ASK(word(address), word(size)); }
HIP int hipFree(void* address) { return ASK(word(address)); }
HIP int hipMemcpyAsync(void* to, const void* from, std::size_t size, int kind, Stream stream) {
  return ASK(word(to), word(from), word(size), word(kind), word(stream));
}
HIP int hipMemsetAsync(void* at, int value, std::size_t size, Stream stream) {
  return ASK(word(at), word(value), word(size), word(stream));
}
HIP int hipMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width, std::size_t rows, Stream stream) {
  return ASK(word(at), word(pitch), word(value), word(width), word(rows), word(stream));
}

HIP int hipStreamCreate(Stream* stream) { return ASK(word(stream)); }
HIP int hipStreamCreateWithFlags(Stream* stream, unsigned flags) { return ASK(word(stream), word(flags)); }
HIP int hipStreamDestroy(Stream stream) { return ASK(word(stream)); }
HIP int hipStreamSynchronize(Stream stream) { return ASK(word(stream)); }
HIP int hipDeviceSynchronize() { return ask("hipDeviceSynchronize", {}); }
HIP int hipThreadExchangeStreamCaptureMode(int* mode) { return ASK(word(mode)); }
HIP int hipStreamBeginCapture(Stream stream, int mode) { return ASK(word(stream), word(mode)); }
HIP int hipStreamEndCapture(Stream stream, void** graph) { return ASK(word(stream), word(graph)); }
HIP int hipGraphLaunch(void* graph, Stream stream) { return ASK(word(graph), word(stream)); }
HIP int hipRuntimeGetVersion(int* version) { return ASK(word(version)); }
HIP int hipGetLastError() { return ask("hipGetLastError", {}); }

HIP int hipModuleLoad(void** module, const char* path) { return ASK(word(module), word(path)); }
HIP int hipModuleUnload(void* module) { return ASK(word(module)); }
HIP int hipModuleGetFunction(void** function, void* module, const char* name) {
  return ASK(word(function), word(module), word(name));
}
HIP int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, std::size_t lds) {
  return ASK(word(blocks), word(function), word(threads), word(lds));
}
HIP int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned lds, Stream stream, void** params,
                              void** extra) {
  return ASK(word(function), word(grid_x), word(grid_y), word(grid_z), word(block_x), word(block_y), word(block_z),
             word(lds), word(stream), word(params), word(extra));
}

HIP const char* hipGetErrorString(int code) {
  static thread_local char text[1024];
  text[0] = 0;
  ASK(word(code), word(&text[0]), word(sizeof text));
  return text;
}
