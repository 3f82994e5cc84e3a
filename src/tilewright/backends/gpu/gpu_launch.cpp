// A prepared GPU launch as a Python object: calling it costs one function call and the driver's own work.
//
// Launch(entry, config, stream_offset, function, params, failed, current, ordinal)
//   entry          address of cuLaunchKernelEx (or a function of the same shape)
//   config         address of the launch configuration; the stream is stored `stream_offset` bytes into it
//   failed         called with the error code where the driver refuses
//   current        called with `ordinal` for the stream where none is given; None means the default stream
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cstddef>
#include <cstdint>

namespace {

using Entry = int (*)(const void*, void*, void**, void**);

struct Launch {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Entry entry;
  char* config;
  Py_ssize_t stream_offset;
  void* function;
  void** params;
  PyObject* failed;
  PyObject* current;
  PyObject* ordinal;
};

PyObject* launch_call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* names) {
  auto* self = reinterpret_cast<Launch*>(object);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (count > 1 || (names && PyTuple_GET_SIZE(names))) {
    PyErr_SetString(PyExc_TypeError, "a launch takes one argument: the stream");
    return nullptr;
  }
  std::uint64_t stream = 0;
  if (count == 1 && args[0] != Py_None) {
    stream = PyLong_AsUnsignedLongLong(args[0]);
    if (stream == static_cast<std::uint64_t>(-1) && PyErr_Occurred()) return nullptr;
  } else if (self->current != Py_None) {
    PyObject* found = PyObject_CallOneArg(self->current, self->ordinal);
    if (!found) return nullptr;
    stream = PyLong_AsUnsignedLongLong(found);
    Py_DECREF(found);
    if (stream == static_cast<std::uint64_t>(-1) && PyErr_Occurred()) return nullptr;
  }
  *reinterpret_cast<std::uint64_t*>(self->config + self->stream_offset) = stream;
  const int code = self->entry(self->config, self->function, self->params, nullptr);
  if (code == 0) Py_RETURN_NONE;
  PyObject* number = PyLong_FromLong(code);
  if (!number) return nullptr;
  PyObject* answer = PyObject_CallOneArg(self->failed, number);
  Py_DECREF(number);
  return answer;
}

PyObject* launch_new(PyTypeObject* type, PyObject* args, PyObject*) {
  unsigned long long entry, config, function, params;
  Py_ssize_t offset;
  PyObject *failed, *current, *ordinal;
  if (!PyArg_ParseTuple(args, "KKnKKOOO", &entry, &config, &offset, &function, &params, &failed, &current, &ordinal))
    return nullptr;
  auto* self = reinterpret_cast<Launch*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->vectorcall = launch_call;
  self->entry = reinterpret_cast<Entry>(static_cast<std::uintptr_t>(entry));
  self->config = reinterpret_cast<char*>(static_cast<std::uintptr_t>(config));
  self->stream_offset = offset;
  self->function = reinterpret_cast<void*>(static_cast<std::uintptr_t>(function));
  self->params = reinterpret_cast<void**>(static_cast<std::uintptr_t>(params));
  self->failed = Py_NewRef(failed);
  self->current = Py_NewRef(current);
  self->ordinal = Py_NewRef(ordinal);
  return reinterpret_cast<PyObject*>(self);
}

int launch_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<Launch*>(object);
  Py_VISIT(self->failed);
  Py_VISIT(self->current);
  Py_VISIT(self->ordinal);
  return 0;
}

int launch_clear(PyObject* object) {
  auto* self = reinterpret_cast<Launch*>(object);
  Py_CLEAR(self->failed);
  Py_CLEAR(self->current);
  Py_CLEAR(self->ordinal);
  return 0;
}

void launch_dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  launch_clear(object);
  Py_TYPE(object)->tp_free(object);
}

PyTypeObject launch_type() {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "tw_gpu_launch.Launch";
  type.tp_basicsize = sizeof(Launch);
  type.tp_vectorcall_offset = offsetof(Launch, vectorcall);
  type.tp_call = PyVectorcall_Call;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
  type.tp_new = launch_new;
  type.tp_dealloc = launch_dealloc;
  type.tp_traverse = launch_traverse;
  type.tp_clear = launch_clear;
  return type;
}

PyTypeObject Type = launch_type();
PyModuleDef Module = {PyModuleDef_HEAD_INIT, "tw_gpu_launch", nullptr, -1};

}  // namespace

PyMODINIT_FUNC PyInit_tw_gpu_launch() {
  if (PyType_Ready(&Type) < 0) return nullptr;
  PyObject* module = PyModule_Create(&Module);
  if (module && PyModule_AddObjectRef(module, "Launch", reinterpret_cast<PyObject*>(&Type)) < 0) Py_CLEAR(module);
  return module;
}
