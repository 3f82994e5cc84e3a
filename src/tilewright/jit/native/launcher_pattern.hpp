/* GpuPattern: kernel launches of which some numbers depend on the sizes of a problem. All that one set of launches needs
 * lies in one image: launch configurations, parameters, pointers to them, and the numbers that describe tensors to the
 * driver. For other sizes Python packs the numbers that differ, and everything else is done here. */
#ifndef TILEWRIGHT_LAUNCHER_PATTERN_HPP
#define TILEWRIGHT_LAUNCHER_PATTERN_HPP
#include "launcher_gpu.hpp"

constexpr size_t kImageAlignment = 128;  // of tensor maps
constexpr int kL2Promotion = 2;          // CU_TENSOR_MAP_L2_PROMOTION_L2_128B
constexpr size_t kTensorMapBytes = 128;
constexpr unsigned kMostDimensions = 5;

/* Bytes of the packed numbers, and where they are in the image. Other offsets are from the beginning of the image. */
struct PatternPiece {
  size_t from, at, size;
};

struct PatternPointer {
  size_t at, to;
};

struct PatternLaunch {
  size_t config, params;
  void* function;
};

/* The numbers of a map: address, sizes, strides (one fewer, but at least one), box, steps. */
struct PatternMap {
  size_t at, numbers;
  unsigned rank;
  int element_type, swizzle;
};

inline unsigned far_count(const PatternMap& map) { return map.rank > 1 ? map.rank - 1 : 1; }

struct PatternCell {
  size_t at;
  int role;
  bool is_map;
  uint64_t offset;
};

template <class T>
struct PatternRow {
  T* items;
  size_t count;

  const T* begin() const { return items; }
  const T* end() const { return items + count; }
};

struct GpuPattern {
  PyObject_HEAD
  GpuRuntime runtime;
  int roles;
  size_t size, packed;  // bytes of the image, and of the packed numbers
  PatternRow<PatternPiece> pieces;
  PatternRow<PatternPointer> pointers;
  PatternRow<PatternLaunch> launches;
  PatternRow<PatternMap> maps;
  PatternRow<PatternCell> cells;
  PyObject *failed, *ordinal;
  PyObject* image;  // all that never changes; zeros elsewhere
};

inline PyTypeObject gpu_pattern_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

/* Whether `size` bytes at `at` lie within the image. */
inline bool within(const GpuPattern* self, unsigned long long at, unsigned long long size) {
  if (at <= self->size && size <= self->size - at) return true;
  return PyErr_Format(PyExc_ValueError, "%llu bytes at %llu of an image of %zu", size, at, self->size), false;
}

inline bool read_item(GpuPattern* self, PyObject* given, PatternPiece& item) {
  unsigned long long from, at, size;
  if (!PyArg_ParseTuple(given, "KKK", &from, &at, &size) || !within(self, at, size)) return false;
  if (from > self->packed || size > self->packed - from)
    return PyErr_Format(PyExc_ValueError, "a piece of %llu bytes at %llu of %zu", size, from, self->packed), false;
  item = {size_t(from), size_t(at), size_t(size)};
  return true;
}

inline bool read_item(GpuPattern* self, PyObject* given, PatternPointer& item) {
  unsigned long long at, to;
  if (!PyArg_ParseTuple(given, "KK", &at, &to) || !within(self, at, sizeof(void*)) || !within(self, to, 1))
    return false;
  item = {size_t(at), size_t(to)};
  return true;
}

inline bool read_item(GpuPattern* self, PyObject* given, PatternLaunch& item) {
  unsigned long long config, function, params;
  if (!PyArg_ParseTuple(given, "KKK", &config, &function, &params) || !within(self, config, sizeof(LaunchConfig)) ||
      !within(self, params, sizeof(void*)))
    return false;
  item = {size_t(config), size_t(params), as<void*>(function)};
  return true;
}

inline bool read_item(GpuPattern* self, PyObject* given, PatternMap& item) {
  unsigned long long at, numbers;
  unsigned rank;
  int element_type, swizzle;
  if (!PyArg_ParseTuple(given, "KKIii", &at, &numbers, &rank, &element_type, &swizzle)) return false;
  if (!self->runtime.encode_map || rank < 1 || rank > kMostDimensions || at % 64)
    return PyErr_Format(PyExc_ValueError, "a tensor map of %u dimensions, or the driver has none", rank), false;
  item = {size_t(at), size_t(numbers), rank, element_type, swizzle};
  const size_t longs = 1 + rank + far_count(item), ints = 2 * rank;
  return within(self, at, kTensorMapBytes) && within(self, numbers, 8 * longs + 4 * ints);
}

inline bool read_item(GpuPattern* self, PyObject* given, PatternCell& item) {
  unsigned long long at, offset;
  int role, is_map;
  if (!PyArg_ParseTuple(given, "KipK", &at, &role, &is_map, &offset) || !within(self, at, is_map ? kTensorMapBytes : 8))
    return false;
  if (role < 0 || role >= self->roles || (is_map && !self->runtime.move_map))
    return PyErr_Format(PyExc_ValueError, "a cell of role %d of %d", role, self->roles), false;
  item = {size_t(at), role, is_map != 0, offset};
  return true;
}

template <class T>
bool read_row(GpuPattern* self, PyObject* given, PatternRow<T>& row) {
  const size_t count = size_t(PyTuple_GET_SIZE(given));
  row.items = static_cast<T*>(PyMem_Calloc(count + 1, sizeof(T)));
  if (!row.items) return PyErr_NoMemory(), false;
  row.count = count;
  for (size_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(given, Py_ssize_t(i));
    if (!PyTuple_Check(item)) return PyErr_SetString(PyExc_TypeError, "rows of a pattern hold tuples"), false;
    if (!read_item(self, item, row.items[i])) return false;
  }
  return true;
}

inline void pattern_dealloc(PyObject* object) {
  GpuPattern* self = reinterpret_cast<GpuPattern*>(object);
  PyMem_Free(self->pieces.items);
  PyMem_Free(self->pointers.items);
  PyMem_Free(self->launches.items);
  PyMem_Free(self->maps.items);
  PyMem_Free(self->cells.items);
  Py_XDECREF(self->failed);
  Py_XDECREF(self->ordinal);
  Py_XDECREF(self->image);
  Py_TYPE(object)->tp_free(object);
}

/* GpuPattern(entries, roles, image, packed, pieces, pointers, launches, maps, cells, failed, ordinal) */
inline PyObject* pattern_new(PyTypeObject* type, PyObject* arguments, PyObject*) {
  GpuRuntime runtime;
  int roles;
  Py_ssize_t packed;
  PyObject *entries, *image, *pieces, *pointers, *launches, *maps, *cells, *failed, *ordinal;
  PyTypeObject* row = &PyTuple_Type;
  if (!PyArg_ParseTuple(arguments, "O!iO!nO!O!O!O!O!OO!", row, &entries, &roles, &PyBytes_Type, &image, &packed, row,
                        &pieces, row, &pointers, row, &launches, row, &maps, row, &cells, &failed, &PyLong_Type,
                        &ordinal) ||
      !read_runtime(runtime, entries))
    return nullptr;
  if (roles < 0 || roles > TW_MAX_TENSORS || packed < 0)
    return PyErr_Format(PyExc_ValueError, "%d tensors (at most %d), %zd bytes", roles, TW_MAX_TENSORS, packed);
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  GpuPattern* self = reinterpret_cast<GpuPattern*>(object);
  self->runtime = runtime;
  self->roles = roles;
  self->size = size_t(PyBytes_GET_SIZE(image));
  self->packed = size_t(packed);
  self->failed = Py_NewRef(failed);
  self->ordinal = Py_NewRef(ordinal);
  self->image = Py_NewRef(image);
  if (read_row(self, pieces, self->pieces) && read_row(self, pointers, self->pointers) &&
      read_row(self, launches, self->launches) && read_row(self, maps, self->maps) &&
      read_row(self, cells, self->cells))
    return object;
  Py_DECREF(object);
  return nullptr;
}

/* Writes all but the tensor maps that are new: what never changes, the numbers, pointers to the parameters. */
inline void fill_image(const GpuPattern* self, char* base, const char* numbers) {
  memcpy(base, PyBytes_AS_STRING(self->image), self->size);
  for (const PatternPiece& p : self->pieces) memcpy(base + p.at, numbers + p.from, p.size);
  for (const PatternPointer& p : self->pointers) *reinterpret_cast<char**>(base + p.at) = base + p.to;
}

inline int encode_one(const GpuPattern* self, char* base, const PatternMap& map) {
  uint64_t* address = reinterpret_cast<uint64_t*>(base + map.numbers);
  uint64_t* sizes = address + 1;
  uint64_t* strides = sizes + map.rank;
  uint32_t* box = reinterpret_cast<uint32_t*>(strides + far_count(map));
  return self->runtime.encode_map(base + map.at, map.element_type, map.rank, as<void*>(*address), sizes, strides, box,
                                  box + map.rank, 0, map.swizzle, kL2Promotion, 0);
}

/* The object for an image that it then owns; null with a Python error set, and the image is still the caller's. */
inline GpuLaunches* launches_over(GpuPattern* self, void* memory, char* base, uint64_t stream, PyObject* current,
                                  PyObject* keep) {
  GpuLaunches* made = new_launches(self->runtime, self->roles, stream, self->failed, current, self->ordinal, keep,
                                   self->launches.count, self->cells.count);
  if (!made) return nullptr;
  for (const PatternLaunch& l : self->launches)
    made->launches[made->launch_count++] = {reinterpret_cast<LaunchConfig*>(base + l.config), l.function,
                                            reinterpret_cast<void**>(base + l.params), 0, 0, 0};
  for (const PatternCell& c : self->cells)
    made->cells[made->cell_count++] = {base + c.at, c.role, c.is_map, c.offset};
  made->memory = memory;
  return made;
}

/* launches(numbers, stream, current, keep): a GpuLaunches, or (map, code) if the driver refuses to encode a tensor map.
 * `keep` lives as long as the launches: the owner of the memory that the numbers point into. */
inline PyObject* pattern_launches(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  GpuPattern* self = reinterpret_cast<GpuPattern*>(object);
  if (count != 4 || !PyBytes_Check(items[0]) || size_t(PyBytes_GET_SIZE(items[0])) != self->packed)
    return PyErr_Format(PyExc_TypeError, "launches takes %zu bytes, a stream, a function and an object", self->packed);
  const uint64_t stream = stream_of(items[1]);
  if (PyErr_Occurred()) return nullptr;
  void* memory = PyMem_Malloc(self->size + kImageAlignment);
  if (!memory) return PyErr_NoMemory();
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory);
  char* base = reinterpret_cast<char*>((at + kImageAlignment - 1) / kImageAlignment * kImageAlignment);
  fill_image(self, base, PyBytes_AS_STRING(items[0]));
  for (size_t i = 0; i < self->maps.count; ++i)
    if (const int code = encode_one(self, base, self->maps.items[i])) {
      PyMem_Free(memory);
      return Py_BuildValue("(ni)", Py_ssize_t(i), code);
    }
  GpuLaunches* made = launches_over(self, memory, base, stream, items[2], items[3]);
  if (!made) PyMem_Free(memory);
  return reinterpret_cast<PyObject*>(made);
}

inline PyMethodDef pattern_methods[] = {
    {"launches", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(pattern_launches)), METH_FASTCALL,
     "launches(numbers, stream, current, keep): launches with these numbers, or (map, code) of the driver's refusal"},
    {nullptr, nullptr, 0, nullptr}};

inline bool ready_gpu_pattern_type() {
  PyTypeObject& type = gpu_pattern_type;
  type.tp_name = "_tilewright_launcher.GpuPattern";
  type.tp_doc = "Kernel launches whose numbers depend on the sizes of a problem.";
  type.tp_basicsize = sizeof(GpuPattern);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = pattern_new;
  type.tp_dealloc = pattern_dealloc;
  type.tp_methods = pattern_methods;
  return PyType_Ready(&type) == 0;
}

#endif
