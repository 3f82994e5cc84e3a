/* GpuLaunches: the kernel launches of one plan in order, whose tensors may move. Addresses are written into the
 * parameter blocks and tensor maps in place, then the driver is called; nothing is allocated and no Python runs.
 * The GIL guards the parameters: the driver copies them at each launch. */
#ifndef TILEWRIGHT_LAUNCHER_GPU_HPP
#define TILEWRIGHT_LAUNCHER_GPU_HPP
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "tilewright_abi.h"

/* The head of CUlaunchConfig. */
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
};

/* Entry points of a GPU's runtime. CUDA's driver takes a configuration and finds the context in the thread; HIP takes
 * the numbers one by one and works on the GPU that is current in the thread, which belongs to the caller. */
struct GpuRuntime {
  int (*cuda_launch)(const void* config, void* function, void** params, void** extra);
  int (*move_map)(void* map, void* address);
  int (*encode_map)(void* map, int element_type, unsigned rank, void* address, const uint64_t* sizes,
                    const uint64_t* strides, const uint32_t* box, const uint32_t* steps, int interleave, int swizzle,
                    int promotion, int fill);
  int (*hip_launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                    void* stream, void** params, void** extra);
  int (*hip_get_device)(int* device);
  int (*hip_set_device)(int device);
  int (*hip_clear_rows)(void* at, size_t pitch, int value, size_t width, size_t rows, void* stream);
  int (*is_capturing)(void* stream, int* status);  // of both; null if the runtime has no such function
};

/* A kernel with its parameters; without a configuration, rows of memory to be zeroed at the address in `params`. */
struct GpuLaunch {
  LaunchConfig* config;
  void* function;
  void** params;
  size_t pitch, width, rows;
};

/* A parameter that holds `offset` bytes behind the address of tensor `role`. */
struct Cell {
  void* where;
  int role;
  bool is_map;
  uint64_t offset;
};

constexpr uint64_t kAnyStream = ~uint64_t(0);

struct GpuLaunches {
  PyObject_HEAD
  GpuRuntime runtime;
  int gpu, pid;  // the GPU of HIP launches, and the process that may use it
  int launch_count, cell_count, roles;
  GpuLaunch* launches;
  Cell* cells;
  uint64_t stream;  // the one that the workspace belongs to, or kAnyStream
  bool bound;       // whether `at` holds the addresses of the last launch
  bool captured;    // whether a graph holds these launches, so that what they keep stays
  uint64_t at[TW_MAX_TENSORS];
  PyObject* failed;   // failed(index, code): raises, or returns to have the launch (-1: a tensor map) tried again
  PyObject* current;  // current(ordinal): the stream of a launch that names none; None: the default stream
  PyObject* ordinal;
  PyObject* keep;  // what the addresses point into, and the owner of the workspace
  void* memory;    // the same, if a `GpuPattern` made it
};

inline PyTypeObject gpu_launches_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

/* Whether Python raises an error for what the driver refused; else the same is tried again. Other threads may run these
 * launches meanwhile, and leave their addresses. */
inline bool raise_driver(GpuLaunches* self, int index, int code) {
  PyObject* answer = PyObject_CallFunction(self->failed, "ii", index, code);
  Py_XDECREF(answer);
  return !answer;
}

/* The driver's code: not 0 if it refuses to move a map. */
inline int write_addresses(GpuLaunches* self, const uint64_t* addresses) {
  const size_t size = size_t(self->roles) * sizeof(uint64_t);
  if (self->bound && memcmp(self->at, addresses, size) == 0) return 0;
  self->bound = false;
  for (int i = 0; i < self->cell_count; ++i) {
    const Cell& cell = self->cells[i];
    const uint64_t address = addresses[cell.role] + cell.offset;
    if (!cell.is_map) {
      *static_cast<uint64_t*>(cell.where) = address;
    } else if (self->at[cell.role] != addresses[cell.role]) {
      const int code = self->runtime.move_map(cell.where, reinterpret_cast<void*>(address));
      if (!code) continue;
      memset(self->at, 0xff, sizeof(self->at));  // no address: some maps have moved, some have not
      return code;
    }
  }
  memcpy(self->at, addresses, size);
  self->bound = true;
  return 0;
}

inline int launch_one(const GpuRuntime& runtime, const GpuLaunch& launch, void* stream) {
  if (!launch.config) return runtime.hip_clear_rows(*launch.params, launch.pitch, 0, launch.width, launch.rows, stream);
  LaunchConfig& c = *launch.config;
  c.stream = stream;
  if (runtime.cuda_launch) return runtime.cuda_launch(&c, launch.function, launch.params, nullptr);
  return runtime.hip_launch(launch.function, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                            c.shared, stream, launch.params, nullptr);
}

/* Makes a GPU current in this thread while it lives, if HIP launches need it; then the caller's is current again. */
class CurrentGpu {
 public:
  explicit CurrentGpu(GpuLaunches* self) : set_(self->runtime.hip_set_device), before_(self->gpu) {
    if (!set_) return;
    int code = self->pid == getpid() ? self->runtime.hip_get_device(&before_) : kForked;
    if (!code && before_ != self->gpu) code = set_(self->gpu);
    if (code || before_ == self->gpu) set_ = nullptr;
    failed = code && raise_driver(self, -1, code);
  }
  ~CurrentGpu() { restore(); }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

  void restore() {
    if (set_) set_(before_);
    set_ = nullptr;
  }

  bool failed = false;

 private:
  static constexpr int kForked = 3;  // hipErrorNotInitialized
  int (*set_)(int);
  int before_;
};

/* Launches in order, from `next` on. The driver's code: not 0 if it refuses to launch `next`, or a map (`failed` is -1). */
inline int launch_from(GpuLaunches* self, int& next, int& failed, const uint64_t* addresses, uint64_t stream) {
  failed = -1;
  if (const int code = write_addresses(self, addresses)) return code;
  for (; next < self->launch_count; ++next)
    if (const int code = launch_one(self->runtime, self->launches[next], reinterpret_cast<void*>(stream)))
      return failed = next, code;
  return 0;
}

/* A graph may be replayed after its launches were forgotten, and does not say when it goes: the owner of a workspace
 * stays as long as the process. The default stream cannot be captured. */
inline void note_capture(GpuLaunches* self, uint64_t stream) {
  constexpr int kActive = 1;  // CU_STREAM_CAPTURE_STATUS_ACTIVE, and HIP's
  int status = 0;
  if (self->captured || self->stream == kAnyStream || !stream || !self->runtime.is_capturing) return;
  if (self->runtime.is_capturing(reinterpret_cast<void*>(stream), &status) || status != kActive) return;
  self->captured = true;
  Py_INCREF(self->keep);
}

inline int gpu_launch(GpuLaunches* self, const uint64_t* addresses, uint64_t stream) {
  note_capture(self, stream);
  for (int next = 0, failed;;) {
    CurrentGpu current(self);
    if (current.failed) return -1;
    const int code = launch_from(self, next, failed, addresses, stream);
    current.restore();  // Python runs on the caller's GPU
    if (!code) return 0;
    if (raise_driver(self, failed, code)) return -1;
  }
}

inline bool stream_of(GpuLaunches* self, PyObject* given, uint64_t& stream) {
  PyObject* found = nullptr;
  if (given == Py_None && self->current == Py_None) return stream = 0, true;
  if (given == Py_None && !(found = PyObject_CallOneArg(self->current, self->ordinal))) return false;
  stream = PyLong_AsUnsignedLongLong(found ? found : given);
  Py_XDECREF(found);
  return stream != uint64_t(-1) || !PyErr_Occurred();
}

/* run(stream, address, ...); stream None: the current one */
inline PyObject* gpu_run(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  GpuLaunches* self = reinterpret_cast<GpuLaunches*>(object);
  if (count != self->roles + 1)
    return PyErr_Format(PyExc_TypeError, "run takes a stream and %d addresses, got %zd values", self->roles, count);
  uint64_t stream, addresses[TW_MAX_TENSORS + 1];
  for (Py_ssize_t i = 1; i < count; ++i) {
    addresses[i - 1] = PyLong_AsUnsignedLongLong(items[i]);
    if (addresses[i - 1] == uint64_t(-1) && PyErr_Occurred()) return nullptr;
  }
  if (!stream_of(self, items[0], stream) || gpu_launch(self, addresses, stream)) return nullptr;
  Py_RETURN_NONE;
}

template <class T>
T as(unsigned long long address) {
  return reinterpret_cast<T>(static_cast<uintptr_t>(address));
}

/* (launch, move_map[, encode_map[, is_capturing]]) of CUDA's driver, or (launch, get_device, set_device, clear_rows,
 * is_capturing) of HIP, as addresses. */
inline bool read_runtime(GpuRuntime& runtime, PyObject* given) {
  unsigned long long at[5] = {};
  if (!PyArg_ParseTuple(given, "KK|KKK", &at[0], &at[1], &at[2], &at[3], &at[4])) return false;
  const bool is_hip = PyTuple_GET_SIZE(given) > 4;
  runtime = {};
  runtime.is_capturing = as<decltype(runtime.is_capturing)>(at[is_hip ? 4 : 3]);
  if (is_hip) {
    runtime.hip_launch = as<decltype(runtime.hip_launch)>(at[0]);
    runtime.hip_get_device = as<decltype(runtime.hip_get_device)>(at[1]);
    runtime.hip_set_device = as<decltype(runtime.hip_set_device)>(at[2]);
    runtime.hip_clear_rows = as<decltype(runtime.hip_clear_rows)>(at[3]);
  } else {
    runtime.cuda_launch = as<decltype(runtime.cuda_launch)>(at[0]);
    runtime.move_map = as<decltype(runtime.move_map)>(at[1]);
    runtime.encode_map = as<decltype(runtime.encode_map)>(at[2]);
  }
  if (at[0] && (!is_hip || (at[1] && at[2] && at[3]))) return true;
  return PyErr_SetString(PyExc_ValueError, "an entry point of the runtime is null"), false;
}

/* ((config, function, params), ...) as addresses; (0, 0, params, pitch, width, rows): rows to be zeroed. */
inline bool read_launches(GpuLaunches* self, PyObject* given) {
  const Py_ssize_t count = PyTuple_GET_SIZE(given);
  for (Py_ssize_t i = 0; i < count; ++i) {
    unsigned long long config, function, params, pitch = 0, width = 0, rows = 0;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "KKK|KKK", &config, &function, &params, &pitch, &width, &rows))
      return false;
    if (!params || (!config && !self->runtime.hip_clear_rows))
      return PyErr_SetString(PyExc_ValueError, "config and params must not be null"), false;
    self->launches[i] = {as<LaunchConfig*>(config), as<void*>(function), as<void**>(params),
                         size_t(pitch),             size_t(width),       size_t(rows)};
  }
  self->launch_count = int(count);
  return true;
}

/* cells: ((where, role, is_map, offset), ...) */
inline bool read_cells(GpuLaunches* self, PyObject* given) {
  const Py_ssize_t count = PyTuple_GET_SIZE(given);
  for (Py_ssize_t i = 0; i < count; ++i) {
    unsigned long long where, offset;
    int role, is_map;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "KipK", &where, &role, &is_map, &offset)) return false;
    if (role < 0 || role >= self->roles || !where || (is_map && !self->runtime.move_map))
      return PyErr_Format(PyExc_ValueError, "cell %zd: role %d of %d, or no place", i, role, self->roles), false;
    self->cells[i] = {as<void*>(where), role, is_map != 0, offset};
  }
  self->cell_count = int(count);
  return true;
}

inline void gpu_dealloc(PyObject* object) {
  GpuLaunches* self = reinterpret_cast<GpuLaunches*>(object);
  PyMem_Free(self->launches);
  PyMem_Free(self->cells);
  PyMem_Free(self->memory);
  Py_XDECREF(self->failed);
  Py_XDECREF(self->current);
  Py_XDECREF(self->ordinal);
  Py_XDECREF(self->keep);
  Py_TYPE(object)->tp_free(object);
}

/* The stream that launches belong to; None: any. An error of Python is set if it is no number. */
inline uint64_t stream_of(PyObject* stream) {
  return stream == Py_None ? kAnyStream : PyLong_AsUnsignedLongLong(stream);
}

/* An object with room for so many launches and cells, none of them filled in; null with a Python error set. */
inline GpuLaunches* new_launches(const GpuRuntime& runtime, int roles, uint64_t stream, PyObject* failed,
                                 PyObject* current, PyObject* ordinal, PyObject* keep, size_t launches, size_t cells) {
  GpuLaunches* made = reinterpret_cast<GpuLaunches*>(gpu_launches_type.tp_alloc(&gpu_launches_type, 0));
  if (!made) return nullptr;
  made->runtime = runtime;
  made->gpu = int(PyLong_AsLong(ordinal));
  made->pid = getpid();
  made->roles = roles;
  made->stream = stream;
  made->failed = Py_NewRef(failed);
  made->current = Py_NewRef(current);
  made->ordinal = Py_NewRef(ordinal);
  made->keep = Py_NewRef(keep);
  made->launches = static_cast<GpuLaunch*>(PyMem_Calloc(launches + 1, sizeof(GpuLaunch)));
  made->cells = static_cast<Cell*>(PyMem_Calloc(cells + 1, sizeof(Cell)));
  if (!made->launches || !made->cells) PyErr_NoMemory();
  if (!PyErr_Occurred()) return made;
  Py_DECREF(reinterpret_cast<PyObject*>(made));
  return nullptr;
}

/* GpuLaunches(entries, roles, launches, cells, stream, failed, current, ordinal, keep); a stream of None: any */
inline PyObject* gpu_new(PyTypeObject*, PyObject* arguments, PyObject*) {
  GpuRuntime runtime;
  int roles;
  PyObject *entries, *launches, *cells, *stream, *failed, *current, *ordinal, *keep;
  if (!PyArg_ParseTuple(arguments, "O!iO!O!OOOOO", &PyTuple_Type, &entries, &roles, &PyTuple_Type, &launches,
                        &PyTuple_Type, &cells, &stream, &failed, &current, &ordinal, &keep) ||
      !read_runtime(runtime, entries))
    return nullptr;
  if (roles < 0 || roles > TW_MAX_TENSORS)
    return PyErr_Format(PyExc_ValueError, "%d tensors (at most %d)", roles, TW_MAX_TENSORS);
  const uint64_t own = stream_of(stream);
  if (PyErr_Occurred()) return nullptr;
  GpuLaunches* self = new_launches(runtime, roles, own, failed, current, ordinal, keep, size_t(PyTuple_GET_SIZE(launches)),
                                   size_t(PyTuple_GET_SIZE(cells)));
  if (!self) return nullptr;
  PyObject* object = reinterpret_cast<PyObject*>(self);
  if (read_launches(self, launches) && read_cells(self, cells)) return object;
  Py_DECREF(object);
  return nullptr;
}

inline PyMethodDef gpu_methods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(gpu_run)), METH_FASTCALL,
     "run(stream, address, ...): launches on tensors at these addresses, on the current stream if it is None"},
    {nullptr, nullptr, 0, nullptr}};

inline bool ready_gpu_launches_type() {
  PyTypeObject& type = gpu_launches_type;
  type.tp_name = "_tilewright_launcher.GpuLaunches";
  type.tp_doc = "The prepared kernel launches of one plan, on tensors that may move.";
  type.tp_basicsize = sizeof(GpuLaunches);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = gpu_new;
  type.tp_dealloc = gpu_dealloc;
  type.tp_methods = gpu_methods;
  return PyType_Ready(&type) == 0;
}

#endif
