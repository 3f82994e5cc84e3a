/* Call: one prepared launch as a Python callable. It knows what each operand must look like, checks what it is given,
 * fills in the addresses and runs the compiled kernel. Threads may share it. */
#ifndef TILEWRIGHT_LAUNCHER_CALL_HPP
#define TILEWRIGHT_LAUNCHER_CALL_HPP
#include <stddef.h>
#include <string.h>

#include "launcher_scratch.hpp"
#include "tilewright_abi.h"
#include "tilewright_extent.h"

/* What the Python side handed over at start: it words the errors, so both launchers speak alike. */
struct Callbacks {
  PyObject* refuse;     // refuse(call, arrays): raises, naming every mismatch
  PyObject* misplaced;  // misplaced(call, addresses): raises, naming addresses that are null or not aligned
  PyObject* failed;     // failed(call, code, text): raises what the kernel reported
  PyObject* shares;     // shares(out, other): whether two arrays have an element in common
  PyObject* masked;     // masked(array): whether an array has a mask, which kernels do not read
};
inline Callbacks callbacks;

struct Operand {
  PyArray_Descr* dtype;
  int slot, ndim;
  bool written;
  uint64_t alignment;  // a power of 2
  tw_extent extent;
  npy_intp shape[TW_MAX_RANK], strides[TW_MAX_RANK];
};

struct Pair {
  int written, other;
  bool may_be_same;  // the very same memory is allowed; anything between same and apart is not
};

struct Call {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  tw_run_fn run;
  int count, out, pair_count;
  bool release_gil;
  Operand* operands;
  Pair* pairs;
  PyObject* described;  // the operands as Python values, for messages
  PyObject* keep;       // whatever must live as long as this call
  const tw_runtime* runtime;
  tw_args args;  // tensors and workspace are those of the latest launch, if launches keep the GIL
};

inline bool same_dtype(PyArray_Descr* got, PyArray_Descr* want) { return got == want || PyArray_EquivTypes(got, want); }

/* The stride of a dimension of size <= 1 is never used, and NumPy lets it be anything. */
inline bool same_layout(const Operand& want, PyArrayObject* array) {
  if (PyArray_NDIM(array) != want.ndim) return false;
  const npy_intp* shape = PyArray_DIMS(array);
  const npy_intp* strides = PyArray_STRIDES(array);
  for (int d = 0; d < want.ndim; ++d)
    if (shape[d] != want.shape[d] || (strides[d] != want.strides[d] && shape[d] > 1)) return false;
  return true;
}

/* Whether an object is an array without a mask; if Python cannot say so, it refuses the array. */
inline bool is_array(PyObject* object) {
  if (PyArray_CheckExact(object)) return true;
  if (!PyArray_Check(object)) return false;
  PyObject* masked = PyObject_CallOneArg(callbacks.masked, object);
  if (!masked) PyErr_Clear();
  Py_XDECREF(masked);
  return masked == Py_False;
}

inline bool fits(const Operand& want, PyObject* object) {
  if (!is_array(object)) return false;
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
  return same_dtype(PyArray_DESCR(array), want.dtype) && same_layout(want, array);
}

/* The checks that depend on where an array lies rather than on what it is. */
inline bool placed(const Operand& want, const void* address) {
  return tw_placement(reinterpret_cast<uint64_t>(address), want.extent, want.alignment) == TW_PLACED;
}

inline bool usable(const Operand& want, PyArrayObject* array) {
  return placed(want, PyArray_DATA(array)) && (!want.written || PyArray_ISWRITEABLE(array));
}

inline bool ranges_meet(const Operand& p, const void* x, const Operand& q, const void* y) {
  return tw_extents_meet(reinterpret_cast<uint64_t>(x), p.extent, reinterpret_cast<uint64_t>(y), q.extent);
}

/* 1: every written operand is apart from the others; 0: it is not; -1: the exact check raised. */
inline int operands_apart(const Call* call, PyObject* const* arrays) {
  for (int i = 0; i < call->pair_count; ++i) {
    const Pair& pair = call->pairs[i];
    const char* out = PyArray_BYTES(reinterpret_cast<PyArrayObject*>(arrays[pair.written]));
    const char* other = PyArray_BYTES(reinterpret_cast<PyArrayObject*>(arrays[pair.other]));
    if (!ranges_meet(call->operands[pair.written], out, call->operands[pair.other], other)) continue;
    if (pair.may_be_same && out == other) continue;
    /* Interleaved views (two halves of the columns of one matrix) meet in range and yet share nothing. */
    PyObject* pair_of_arrays[2] = {arrays[pair.written], arrays[pair.other]};
    PyObject* shared = PyObject_Vectorcall(callbacks.shares, pair_of_arrays, 2, nullptr);
    if (!shared) return -1;
    const int truth = PyObject_IsTrue(shared);
    Py_DECREF(shared);
    if (truth) return truth < 0 ? -1 : 0;
  }
  return 1;
}

inline PyObject* raise_through(PyObject* callback, Call* call, PyObject* const* items, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  if (!tuple) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
  PyObject* answer = PyObject_CallFunctionObjArgs(callback, call, tuple, nullptr);
  Py_DECREF(tuple);
  if (!answer) return nullptr;
  Py_DECREF(answer);
  PyErr_SetString(PyExc_SystemError, "tilewright: a launch was refused, yet its check found nothing wrong");
  return nullptr;
}

inline PyObject* raise_failure(Call* call, int code, const char* text) {
  PyObject* answer = PyObject_CallFunction(callbacks.failed, "Ois", call, code, text);
  Py_XDECREF(answer);
  if (answer) PyErr_SetString(PyExc_SystemError, "tilewright: a kernel failed and no error was raised");
  return nullptr;
}

/* Runs a kernel on the threads of the library whose tensors it was given; null: on threads of its own. After a fork, a
 * library whose threads were started cannot compute, so they are not started for tensors of others. */
inline const tw_runtime* borrowing_runtime = nullptr;
inline thread_local bool lends = false;  // the tensors of the memo's call that this thread runs are of that library

/* Numbers of a launch that differ from those of its call: 64 bits at so many bytes from the beginning of `tw_args`. */
constexpr int kMaxLaunchNumbers = 24;
struct LaunchNumber {
  size_t at;
  int64_t value;
};
struct LaunchNumbers {
  int count = 0;
  LaunchNumber number[kMaxLaunchNumbers];
};

/* Runs the kernel with these arguments, which nobody else uses meanwhile. */
inline PyObject* run_with(Call* call, tw_args& args, void* const* addresses, PyObject* result, bool borrows) {
  args.runtime = borrows && borrowing_runtime && call->runtime ? borrowing_runtime : call->runtime;
  args.error[0] = 0;
  for (int i = 0; i < call->count; ++i) args.tensors[call->operands[i].slot] = addresses[i];
  scratch::Block block{nullptr, 0};
  if (args.workspace_bytes > 0) {
    block = scratch::take(size_t(args.workspace_bytes));
    if (!block.memory) return PyErr_NoMemory();
    args.workspace = block.memory;
  }
  int code;
  if (call->release_gil) {
    PyThreadState* state = PyEval_SaveThread();
    code = call->run(&args);
    PyEval_RestoreThread(state);
  } else {
    code = call->run(&args);
  }
  if (block.memory) scratch::give(block);
  if (code == 0) return Py_NewRef(result);
  char text[TW_ERROR_BYTES];
  memcpy(text, args.error, TW_ERROR_BYTES);  // raising runs Python, which may run the call again
  text[TW_ERROR_BYTES - 1] = 0;
  return raise_failure(call, code, text);
}

/* Runs the kernel on checked addresses; `result` is what the caller gets back. Arguments are copied only if numbers
 * change, or for a kernel that runs without the GIL, and so perhaps in several threads: that takes longer than the rest
 * of a launch. */
inline PyObject* run_kernel(Call* call, void* const* addresses, PyObject* result, bool borrows = false,
                            const LaunchNumbers* changes = nullptr) {
  if (!call->release_gil && !changes) return run_with(call, call->args, addresses, result, borrows);
  tw_args args;
  memcpy(&args, &call->args, offsetof(tw_args, error));
  for (int i = 0; changes && i < changes->count; ++i)
    memcpy(reinterpret_cast<char*>(&args) + changes->number[i].at, &changes->number[i].value, sizeof(int64_t));
  return run_with(call, args, addresses, result, borrows);
}

/* Runs on arrays whose dtype, shape and strides are known to fit. */
inline PyObject* run_on_fitting(Call* call, PyObject* const* arrays) {
  void* addresses[TW_MAX_TENSORS];
  for (int i = 0; i < call->count; ++i) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(arrays[i]);
    if (!usable(call->operands[i], array)) return raise_through(callbacks.refuse, call, arrays, call->count);
    addresses[i] = PyArray_DATA(array);
  }
  const int apart = operands_apart(call, arrays);
  if (apart < 0) return nullptr;
  if (apart == 0) return raise_through(callbacks.refuse, call, arrays, call->count);
  return run_kernel(call, addresses, arrays[call->out]);
}

inline bool all_fit(const Call* call, PyObject* const* arrays, Py_ssize_t count) {
  if (count != call->count) return false;
  for (int i = 0; i < call->count; ++i)
    if (!fits(call->operands[i], arrays[i])) return false;
  return true;
}

inline PyObject* call_vectorcall(PyObject* self, PyObject* const* arrays, size_t nargsf, PyObject* names) {
  Call* call = reinterpret_cast<Call*>(self);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (names && PyTuple_GET_SIZE(names) > 0) {
    PyErr_SetString(PyExc_TypeError, "a Call takes its arrays by position, in the order it was bound with");
    return nullptr;
  }
  if (!all_fit(call, arrays, count)) return raise_through(callbacks.refuse, call, arrays, count);
  return run_on_fitting(call, arrays);
}

inline PyObject* run_on_addresses(PyObject* self, PyObject* const* items, Py_ssize_t count, bool borrows) {
  Call* call = reinterpret_cast<Call*>(self);
  if (count != call->count)
    return PyErr_Format(PyExc_TypeError, "run_pointers takes %d addresses, got %zd", call->count, count);
  void* addresses[TW_MAX_TENSORS];
  bool all_placed = true;
  for (int i = 0; i < call->count; ++i) {
    addresses[i] = PyLong_AsVoidPtr(items[i]);
    if (!addresses[i] && PyErr_Occurred()) return nullptr;
    all_placed = all_placed && placed(call->operands[i], addresses[i]);
  }
  if (!all_placed) return raise_through(callbacks.misplaced, call, items, count);
  return run_kernel(call, addresses, Py_None, borrows);
}

inline PyObject* call_run_pointers(PyObject* self, PyObject* const* items, Py_ssize_t count) {
  return run_on_addresses(self, items, count, lends);
}

inline PyObject* call_run_lent(PyObject* self, PyObject* const* items, Py_ssize_t count) {
  return run_on_addresses(self, items, count, true);
}

#endif
