// Stands in for the HIP runtime: memory of the host, and a launch that computes the product of the argument struct.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
struct Args {
  const float* a; const float* b; const float* d[8]; float* out;
  int32_t m, n, k, stride_a, stride_b, stride_d[8], stride_out, split_k;
};
struct Function { std::string name; };
int live = 0, launches = 0, fail_next = 0;
uint32_t last[7];
void* last_stream = nullptr;
int failing() { int code = fail_next; fail_next = 0; return code; }
}  // namespace

extern "C" {
int hipInit(unsigned) { return 0; }
int hipSetDevice(int device) { return device == 0 ? 0 : 101; }
int hipGetDeviceCount(int* count) { *count = 1; return 0; }
const char* hipGetErrorString(int code) { return code == 2 ? "out of memory" : code == 101 ? "invalid device" : "other"; }
int hipDeviceGetAttribute(int* value, int what, int) { *value = what == 63 ? 3 : -1; return 0; }
int hipMalloc(void** out, size_t size) {
  if (int code = failing()) return code;
  *out = std::malloc(size); std::memset(*out, 0xff, size); live++; return 0;
}
int hipFree(void* at) { std::free(at); live--; return 0; }
int hipMemsetAsync(void* at, int value, size_t size, void*) { std::memset(at, value, size); return 0; }
int hipMemset2DAsync(void* at, size_t pitch, int value, size_t width, size_t rows, void*) {
  for (size_t i = 0; i < rows; i++) std::memset(static_cast<char*>(at) + i * pitch, value, width);
  return 0;
}
int hipMemcpyAsync(void* to, const void* from, size_t size, int kind, void*) {
  if (kind != 1 && kind != 2) return 1;
  std::memcpy(to, from, size); return 0;
}
int hipStreamCreate(void** stream) { *stream = reinterpret_cast<void*>(0x5); return 0; }
int hipStreamSynchronize(void*) { return failing(); }
int hipModuleLoadData(void** module, const void* data) {
  if (std::memcmp(data, "\177ELF", 4) != 0) return 209;
  *module = reinterpret_cast<void*>(1); return 0;
}
int hipModuleGetFunction(void** function, void*, const char* name) {
  if (std::string(name) == "absent") return 500;
  *function = new Function{name}; return 0;
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) { *blocks = 2; return 0; }
int hipModuleLaunchKernel(void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                          uint32_t shared, void* stream, void** params, void**) {
  if (int code = failing()) return code;
  const uint32_t sizes[7] = {gx, gy, gz, bx, by, bz, shared};
  std::memcpy(last, sizes, sizeof(last));
  last_stream = stream;
  launches++;
  const Args& x = *static_cast<const Args*>(params[0]);
  const bool add = static_cast<Function*>(function)->name.find("_add") != std::string::npos;
  for (int i = 0; i < x.m; i++)      // row-major A and output, column-major B
    for (int j = 0; j < x.n; j++) {
      float sum = 0;
      for (int l = 0; l < x.k; l++) sum += x.a[i * x.stride_a + l] * x.b[j * x.stride_b + l];
      if (x.d[0]) sum += x.d[0][i * x.stride_d[0] + j];
      float& out = x.out[i * x.stride_out + j];
      out = add ? out + sum : sum;
    }
  return 0;
}
int fake_live() { return live; }
int fake_launches() { return launches; }
void fake_fail(int code) { fail_next = code; }
uint32_t fake_last(int i) { return last[i]; }
void* fake_stream() { return last_stream; }
}
