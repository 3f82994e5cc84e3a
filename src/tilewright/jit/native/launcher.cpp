/* The Python extension `_tilewright_launcher`: types Call, GpuLaunches, GpuPattern, Memo and Watch over
 * compiled kernels. Built at first use against the running Python and NumPy; `tilewright.jit.launcher` explains the interface. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#if NPY_ABI_VERSION < 0x02000000  // NumPy 1 has the field, NumPy 2 the accessor
#define PyDataType_ELSIZE(dtype) ((dtype)->elsize)
#endif

#include "launcher_blas.hpp"
#include "launcher_call.hpp"
#include "launcher_memo_type.hpp"
#include "launcher_pattern.hpp"
#include "launcher_watch.hpp"

namespace {

/* ---- Call ---- */

static_assert(sizeof(npy_intp) == sizeof(int64_t), "the definition of extents counts in 64 bits");

/* Strides are in bytes, so the bytes of an element are a dimension like the others. */
bool find_extent(Operand& operand, npy_intp itemsize) {
  int64_t shape[TW_MAX_RANK + 1] = {itemsize}, strides[TW_MAX_RANK + 1] = {1};
  memcpy(shape + 1, operand.shape, size_t(operand.ndim) * sizeof(int64_t));
  memcpy(strides + 1, operand.strides, size_t(operand.ndim) * sizeof(int64_t));
  if (tw_find_extent(shape, strides, operand.ndim + 1, 8, &operand.extent)) return true;
  PyErr_SetString(PyExc_OverflowError, "operand: its addresses do not fit 64 bits, or a size is negative");
  return false;
}

bool read_dimensions(PyObject* tuple, npy_intp* values, int count) {
  if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != count) {
    PyErr_SetString(PyExc_ValueError, "shape and strides must be tuples of one length");
    return false;
  }
  for (int d = 0; d < count; ++d) {
    values[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, d));
    if (values[d] == -1 && PyErr_Occurred()) return false;
  }
  return true;
}

/* One (name, slot, dtype, shape, strides in bytes, alignment, written, may_alias). */
bool read_operand(PyObject* item, Operand& operand, bool& may_alias) {
  PyArray_Descr* dtype;
  PyObject *name, *shape, *strides;
  Py_ssize_t alignment;
  int written, alias;
  if (!PyArg_ParseTuple(item, "OiO!OOnpp", &name, &operand.slot, &PyArrayDescr_Type, &dtype, &shape, &strides,
                        &alignment, &written, &alias))
    return false;
  const Py_ssize_t ndim = PyTuple_Check(shape) ? PyTuple_GET_SIZE(shape) : -1;
  const bool power_of_two = alignment > 0 && (alignment & (alignment - 1)) == 0;
  if (operand.slot < 0 || operand.slot >= TW_MAX_TENSORS || ndim < 0 || ndim > TW_MAX_RANK || !power_of_two) {
    PyErr_Format(PyExc_ValueError, "operand: slot %d (need 0..%d), rank %zd (need 0..%d), alignment %zd (need a power of 2)",
                 operand.slot, TW_MAX_TENSORS - 1, ndim, TW_MAX_RANK, alignment);
    return false;
  }
  operand.ndim = int(ndim);
  if (!read_dimensions(shape, operand.shape, operand.ndim)) return false;
  if (!read_dimensions(strides, operand.strides, operand.ndim)) return false;
  operand.alignment = uint64_t(alignment);
  operand.written = written;
  may_alias = alias;
  if (!find_extent(operand, PyDataType_ELSIZE(dtype))) return false;
  operand.dtype = reinterpret_cast<PyArray_Descr*>(Py_NewRef(reinterpret_cast<PyObject*>(dtype)));
  return true;
}

bool same_view(const Operand& p, const Operand& q) {
  if (p.ndim != q.ndim || !same_dtype(p.dtype, q.dtype)) return false;
  const size_t bytes = size_t(p.ndim) * sizeof(npy_intp);
  return memcmp(p.shape, q.shape, bytes) == 0 && memcmp(p.strides, q.strides, bytes) == 0;
}

void list_pairs(Call* call, const bool* may_alias) {
  for (int w = 0; w < call->count; ++w) {
    for (int i = 0; call->operands[w].written && i < call->count; ++i) {
      const Operand &out = call->operands[w], &other = call->operands[i];
      if (i == w || (other.written && i < w)) continue;
      call->pairs[call->pair_count++] = {w, i, may_alias[i] && same_view(out, other)};
    }
  }
}

bool read_operands(Call* call, PyObject* described) {
  const Py_ssize_t count = PyTuple_GET_SIZE(described);
  if (count < 1 || count > TW_MAX_TENSORS) {
    PyErr_Format(PyExc_ValueError, "a Call has 1 to %d operands, got %zd", TW_MAX_TENSORS, count);
    return false;
  }
  call->operands = static_cast<Operand*>(PyMem_Calloc(size_t(count), sizeof(Operand)));
  call->pairs = static_cast<Pair*>(PyMem_Calloc(size_t(count * count), sizeof(Pair)));
  if (!call->operands || !call->pairs) {
    PyErr_NoMemory();
    return false;
  }
  bool may_alias[TW_MAX_TENSORS];
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!read_operand(PyTuple_GET_ITEM(described, i), call->operands[i], may_alias[i])) return false;
    call->count = int(i) + 1;
  }
  list_pairs(call, may_alias);
  return true;
}

bool read_template(Call* call, const char* bytes, Py_ssize_t size) {
  if (size != Py_ssize_t(sizeof(tw_args))) {
    PyErr_Format(PyExc_ValueError, "args has %zd bytes, tw_args has %zu", size, sizeof(tw_args));
    return false;
  }
  memcpy(&call->args, bytes, sizeof(tw_args));
  call->runtime = call->args.runtime;
  if (call->args.struct_size != sizeof(tw_args) || call->args.abi_version != TW_ABI_VERSION) {
    PyErr_SetString(PyExc_ValueError, "args: struct_size or abi_version is not that of this launcher");
    return false;
  }
  if (call->args.workspace_bytes > 0 && !scratch::reserve(size_t(call->args.workspace_bytes))) {
    PyErr_NoMemory();
    return false;
  }
  return true;
}

void call_dealloc(PyObject* self) {
  Call* call = reinterpret_cast<Call*>(self);
  for (int i = 0; i < call->count; ++i) Py_XDECREF(call->operands[i].dtype);
  PyMem_Free(call->operands);
  PyMem_Free(call->pairs);
  Py_XDECREF(call->described);
  Py_XDECREF(call->keep);
  Py_TYPE(self)->tp_free(self);
}

/* Call(run_address, args, operands, out, release_gil, keep) */
PyObject* call_new(PyTypeObject* type, PyObject* arguments, PyObject* names) {
  static const char* keywords[] = {"run_address", "args", "operands", "out", "release_gil", "keep", nullptr};
  PyObject *address, *described, *keep = Py_None;
  const char* bytes;
  Py_ssize_t size;
  int out, release_gil;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "Oy#O!ip|O", const_cast<char**>(keywords), &address, &bytes, &size,
                                   &PyTuple_Type, &described, &out, &release_gil, &keep))
    return nullptr;
  if (!callbacks.refuse) return PyErr_Format(PyExc_RuntimeError, "setup() of the launcher was not called");
  void* run = PyLong_AsVoidPtr(address);
  if (!run) return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_ValueError, "run_address is null");
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  Call* call = reinterpret_cast<Call*>(self);
  call->vectorcall = call_vectorcall;
  call->run = reinterpret_cast<tw_run_fn>(run);
  call->release_gil = release_gil;
  call->described = Py_NewRef(described);
  call->keep = Py_NewRef(keep);
  call->out = out;
  if (!read_operands(call, described) || !read_template(call, bytes, size)) {
    Py_DECREF(self);
    return nullptr;
  }
  if (out < 0 || out >= call->count || !call->operands[out].written) {
    Py_DECREF(self);
    return PyErr_Format(PyExc_ValueError, "out is %d; it must be the position of a written operand", out);
  }
  return self;
}

PyObject* call_get_run_address(PyObject* self, void*) {
  return PyLong_FromVoidPtr(reinterpret_cast<void*>(reinterpret_cast<Call*>(self)->run));
}
PyObject* call_get_operands(PyObject* self, void*) { return Py_NewRef(reinterpret_cast<Call*>(self)->described); }
PyObject* call_get_keep(PyObject* self, void*) { return Py_NewRef(reinterpret_cast<Call*>(self)->keep); }
PyObject* call_get_out(PyObject* self, void*) { return PyLong_FromLong(reinterpret_cast<Call*>(self)->out); }
PyObject* call_get_release_gil(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Call*>(self)->release_gil);
}
PyObject* call_get_workspace_bytes(PyObject* self, void*) {
  return PyLong_FromLongLong(reinterpret_cast<Call*>(self)->args.workspace_bytes);
}

PyGetSetDef call_getset[] = {
    {"run_address", call_get_run_address, nullptr, "address of the kernel's tw_run", nullptr},
    {"operands", call_get_operands, nullptr, "what each array must look like", nullptr},
    {"out", call_get_out, nullptr, "position of the array that a call returns", nullptr},
    {"keep", call_get_keep, nullptr, "what lives as long as this call", nullptr},
    {"release_gil", call_get_release_gil, nullptr, "whether the kernel runs without the GIL", nullptr},
    {"workspace_bytes", call_get_workspace_bytes, nullptr, "scratch memory one launch borrows", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef call_methods[] = {
    {"run_pointers", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_run_pointers)), METH_FASTCALL,
     "run_pointers(address, ...): runs on raw addresses, checked for null and alignment only; returns None"},
    {"run_lent", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_run_lent)), METH_FASTCALL,
     "run_lent(address, ...): the same for tensors of the library that lends its threads, on these"},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject call_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool ready_call_type() {
  call_type.tp_name = "_tilewright_launcher.Call";
  call_type.tp_doc = "A prepared launch: call(array, ...) checks the arrays, runs the kernel and returns the out array.";
  call_type.tp_basicsize = sizeof(Call);
  call_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  call_type.tp_vectorcall_offset = offsetof(Call, vectorcall);
  call_type.tp_call = PyVectorcall_Call;
  call_type.tp_new = call_new;
  call_type.tp_dealloc = call_dealloc;
  call_type.tp_getset = call_getset;
  call_type.tp_methods = call_methods;
  return PyType_Ready(&call_type) == 0;
}

/* ---- module ---- */

PyObject* module_setup(PyObject*, PyObject* arguments) {
  Callbacks next;
  if (!PyArg_ParseTuple(arguments, "OOOOO", &next.refuse, &next.misplaced, &next.failed, &next.shares, &next.masked))
    return nullptr;
  Py_INCREF(next.refuse);
  Py_INCREF(next.misplaced);
  Py_INCREF(next.failed);
  Py_INCREF(next.shares);
  Py_INCREF(next.masked);
  callbacks = next;  // set once, at load; kept for the life of the process
  Py_RETURN_NONE;
}

/* extent_of(shape, strides, bits): what `tilewright.model.tensor` computes, by the definition for C */
PyObject* module_extent(PyObject*, PyObject* arguments) {
  PyObject *shape, *strides;
  long long bits;
  npy_intp sizes[TW_MAX_DIMENSIONS], steps[TW_MAX_DIMENSIONS];
  if (!PyArg_ParseTuple(arguments, "O!O!L", &PyTuple_Type, &shape, &PyTuple_Type, &strides, &bits)) return nullptr;
  const Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  if (rank > TW_MAX_DIMENSIONS) return PyErr_Format(PyExc_ValueError, "rank %zd (need 0..%d)", rank, TW_MAX_DIMENSIONS);
  if (!read_dimensions(shape, sizes, int(rank)) || !read_dimensions(strides, steps, int(rank))) return nullptr;
  const int64_t *n = reinterpret_cast<int64_t*>(sizes), *step = reinterpret_cast<int64_t*>(steps);
  tw_extent extent;
  if (!tw_find_extent(n, step, int(rank), bits, &extent))
    return PyErr_Format(PyExc_OverflowError, "the extent does not fit 64 bits, or a size is negative");
  return Py_BuildValue("(LL)i", static_cast<long long>(extent.low), static_cast<long long>(extent.high),
                       tw_overlaps_itself(n, step, int(rank)));
}

/* placement_of(address, extent, alignment): 0 placed, 1 null, 2 misaligned, 3 wraps */
PyObject* module_placement(PyObject*, PyObject* arguments) {
  unsigned long long address, alignment;
  long long low, high;
  if (!PyArg_ParseTuple(arguments, "K(LL)K", &address, &low, &high, &alignment)) return nullptr;
  return PyLong_FromLong(tw_placement(address, tw_extent{low, high}, alignment));
}

/* extents_meet(x, extent of x, y, extent of y) */
PyObject* module_meet(PyObject*, PyObject* arguments) {
  unsigned long long x, y;
  long long a, b, c, d;
  if (!PyArg_ParseTuple(arguments, "K(LL)K(LL)", &x, &a, &b, &y, &c, &d)) return nullptr;
  return PyBool_FromLong(tw_extents_meet(x, tw_extent{a, b}, y, tw_extent{c, d}));
}

/* borrow(address): the `tw_runtime` of calls on torch's tensors; 0: the one of all others */
PyObject* module_borrow(PyObject*, PyObject* address) {
  void* runtime = PyLong_AsVoidPtr(address);
  if (!runtime && PyErr_Occurred()) return nullptr;
  borrowing_runtime = static_cast<const tw_runtime*>(runtime);
  Py_RETURN_NONE;
}

/* hold_threads(get, set, wanted): whether a library's threads were set, until release_threads() */
PyObject* module_hold_threads(PyObject*, PyObject* arguments) {
  unsigned long long get, set;
  int wanted;
  if (!PyArg_ParseTuple(arguments, "KKi", &get, &set, &wanted)) return nullptr;
  if (!get || !set) return PyErr_Format(PyExc_ValueError, "a function is null");
  return PyBool_FromLong(hold_threads(as<GetThreads>(get), as<SetThreads>(set), wanted));
}

PyObject* module_release_threads(PyObject*, PyObject*) {
  release_threads();
  Py_RETURN_NONE;
}

PyObject* module_trim(PyObject*, PyObject*) { return PyLong_FromSize_t(scratch::trim()); }
PyObject* module_held(PyObject*, PyObject*) { return PyLong_FromSize_t(scratch::held()); }

PyMethodDef module_methods[] = {
    {"setup", module_setup, METH_VARARGS, "setup(refuse, misplaced, failed, shares, masked): what the Python side lends"},
    {"trim_scratch", module_trim, METH_NOARGS, "trim_scratch(): frees idle workspace, answers its bytes"},
    {"register_type", register_type, METH_VARARGS,
     "register_type(type, capsule, grad_enabled): tensors of this type can be keys of a Memo"},
    {"register_guards", register_guards, METH_VARARGS,
     "register_guards(functions, values, empty): what must be off for `run_quiet` and `run_layer` of a Memo"},
    {"moved", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memory_moved)), METH_FASTCALL,
     "moved(tensors, addresses): the position of the first tensor that is no longer at its address, or -1"},
    {"borrow", module_borrow, METH_O, "borrow(address): the runtime of calls on tensors of torch; 0: that of all others"},
    {"hold_threads", module_hold_threads, METH_VARARGS,
     "hold_threads(get, set, wanted): sets a library's threads until release_threads(); False if they are as wanted"},
    {"release_threads", module_release_threads, METH_NOARGS,
     "release_threads(): the last one who holds the threads of a library restores their number"},
    {"extent_of", module_extent, METH_VARARGS, "extent_of(shape, strides, bits): ((low, high), overlaps itself)"},
    {"placement_of", module_placement, METH_VARARGS,
     "placement_of(address, (low, high), alignment): 0 placed, 1 null, 2 misaligned, 3 beyond 64 bits"},
    {"extents_meet", module_meet, METH_VARARGS, "extents_meet(x, (low, high), y, (low, high)): whether ranges meet"},
    {"scratch_held", module_held, METH_NOARGS, "scratch_held(): bytes of idle workspace"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, "_tilewright_launcher", "Fast launches of compiled kernels.", -1,
                                 module_methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__tilewright_launcher(void) {
  import_array();
  pthread_atfork(nullptr, nullptr, forget_holders);
  if (!ready_call_type() || !ready_gpu_launches_type() || !ready_gpu_pattern_type() ||
      !ready_memo_type(&call_type) || !ready_watch_type())
    return nullptr;
  PyObject* module = PyModule_Create(&module_definition);
  if (!module) return nullptr;
  if (PyModule_AddObjectRef(module, "Call", reinterpret_cast<PyObject*>(&call_type)) == 0 &&
      PyModule_AddObjectRef(module, "GpuLaunches", reinterpret_cast<PyObject*>(&gpu_launches_type)) == 0 &&
      PyModule_AddObjectRef(module, "GpuPattern", reinterpret_cast<PyObject*>(&gpu_pattern_type)) == 0 &&
      PyModule_AddObjectRef(module, "Memo", reinterpret_cast<PyObject*>(&memo_type)) == 0 &&
      PyModule_AddObjectRef(module, "Watch", reinterpret_cast<PyObject*>(&watch_type)) == 0 &&
      PyModule_AddIntConstant(module, "ARGS_SIZE", long(sizeof(tw_args))) == 0 &&
      PyModule_AddIntConstant(module, "RUN_PRODUCT", long(reinterpret_cast<intptr_t>(&run_product))) == 0)
    return module;
  Py_DECREF(module);
  return nullptr;
}
