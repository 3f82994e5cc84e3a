/* The part of DLPack's C exchange interface that launches use: a tensor's address, dtype, shape, strides and device
 * without a Python call, and the stream that its library works on. The layout is fixed by DLPack 1.x. */
#ifndef TILEWRIGHT_LAUNCHER_DLPACK_HPP
#define TILEWRIGHT_LAUNCHER_DLPACK_HPP
#include <stdint.h>

namespace dlpack {

constexpr uint32_t kMajor = 1;
constexpr int32_t kCpu = 1;
constexpr uint8_t kFloat = 2;

struct Device {
  int32_t type, id;
};

struct DType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: C-contiguous
  uint64_t byte_offset;
};

struct ExchangeApi {
  struct {
    uint32_t major, minor;
    void* previous;
  } header;
  void* allocate;
  void* managed_from_object;
  void* managed_to_object;
  int (*tensor_from_object)(void* object, Tensor* out);  // may be null; borrows from the object
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

}  // namespace dlpack

#endif
