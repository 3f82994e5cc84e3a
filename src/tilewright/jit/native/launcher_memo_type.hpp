/* The Python type Memo: how calls are run by choices and tensors, by arguments, and as layers. */
#ifndef TILEWRIGHT_LAUNCHER_MEMO_TYPE_HPP
#define TILEWRIGHT_LAUNCHER_MEMO_TYPE_HPP
#include "launcher_rows.hpp"
#include "launcher_written.hpp"

/* run(choices, tensors): runs what is kept for the tensors of a dict, which holds those that were made afterwards. With
 * (function, arguments, options, results) it keeps the call under its arguments, for `again`. */
inline PyObject* memo_run(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  if ((count != 2 && count != 6) || !PyDict_CheckExact(items[1]) ||
      (count == 6 && (!PyTuple_CheckExact(items[3]) || !PyDict_CheckExact(items[4]))))
    return PyErr_Format(PyExc_TypeError,
                        "run(choices, tensors[, function, arguments, options, results]) takes a dict of tensors by role");
  Memo* memo = reinterpret_cast<Memo*>(object);
  Given given;
  Sought at;
  if (!given.read(items[1])) Py_RETURN_FALSE;
  const Ran ran = run_kept(memo, items[0], given, at);
  if (ran == Ran::error || (ran == Ran::yes && !given.hand_over(items[1]))) return nullptr;
  if (ran == Ran::no) Py_RETURN_FALSE;
  if (count == 2) Py_RETURN_TRUE;
  /* The record may be gone: other code has run meanwhile. A member of a series is no record. */
  int error = 0;
  const Record* record = find_record(memo, at.key, at.stream, error, SameChoices{items[0]});
  if (error) PyErr_Clear();
  if (record && !keep_as_written(memo, record, given, at.stream, items[2], items[3], items[4], items[5])) return nullptr;
  Py_RETURN_TRUE;
}

/* run_quiet(choices, tensors): the same, and False unless all guards are off, or for fp32 on a GPU */
inline PyObject* memo_run_quiet(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  if (count != 2 || !PyDict_CheckExact(items[1]))
    return PyErr_Format(PyExc_TypeError, "run_quiet(choices, tensors) takes choices and a dict of tensors by role");
  Given given;
  Sought at;
  if (!is_quiet() || !given.read(items[1])) return miss_instead_of_error();
  const Ran ran = run_kept(reinterpret_cast<Memo*>(object), items[0], given, at, true);
  if (ran == Ran::error || (ran == Ran::yes && !given.hand_over(items[1]))) return nullptr;
  return PyBool_FromLong(ran == Ran::yes);
}

/* run_layer(attributes, input): the result of a linear layer whose call is kept under its `tilewright_calls`; else None */
inline PyObject* memo_run_layer(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  if (count != 2 || !PyDict_Check(items[0]))
    return PyErr_Format(PyExc_TypeError, "run_layer(attributes, input) takes the attributes of a layer and a tensor");
  Layer layer;
  Given given;
  Sought at;
  if (!layer.read(items[0]) || !is_quiet()) return PyErr_Clear(), Py_NewRef(Py_None);
  PyObject* const tensors[] = {items[1], layer.weight, Py_None, layer.bias};
  for (PyObject* tensor : tensors) given.add(nullptr, tensor);
  const Ran ran = run_kept(reinterpret_cast<Memo*>(object), layer.calls, given, at, true);
  if (ran == Ran::error) return nullptr;
  return Py_NewRef(ran == Ran::yes ? given.tensor[2] : Py_None);
}

/* run_as(name, result, tensor, ...): the tensor at position `result` that a call makes which `keep_as` knows by this name;
 * None if it is not known, unless all guards are off, and for fp32 on a GPU. Without a dict, as every function on the way
 * to a kernel is read from memory once weights have gone through the caches. */
inline PyObject* memo_run_as(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  const long result = count > 2 ? PyLong_AsLong(items[1]) : -1;
  if (result < 0 || result >= count - 2)
    return PyErr_Format(PyExc_TypeError, "run_as(name, result, tensor, ...) takes a name, a position and tensors");
  Given given;
  Sought at;
  for (Py_ssize_t i = 2; i < count; ++i)
    if (!given.add(nullptr, items[i])) return Py_NewRef(Py_None);
  if (!is_quiet()) return Py_NewRef(Py_None);
  const Ran ran = run_kept(reinterpret_cast<Memo*>(object), items[0], given, at, true);
  if (ran == Ran::error) return nullptr;
  return Py_NewRef(ran == Ran::yes ? given.tensor[result] : Py_None);
}

inline PyMethodDef memo_methods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run)), METH_FASTCALL,
     "run(choices, tensors[, function, arguments, options, results]): runs what is kept for such tensors, and fills in "
     "those that it makes; keeps it under the arguments too. False if nothing is kept"},
    {"again", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_again)), METH_FASTCALL,
     "again(function, arguments, options): the result of a call like one that is kept; None if none is"},
    {"run_quiet", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run_quiet)), METH_FASTCALL,
     "run_quiet(choices, tensors): run, and False unless all guards are off"},
    {"run_layer", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run_layer)), METH_FASTCALL,
     "run_layer(attributes, input): the result of a linear layer that `keep_as` knows; None if it is not known"},
    {"run_as", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run_as)), METH_FASTCALL,
     "run_as(name, result, tensor, ...): the result of a call that `keep_as` knows; None if it is not known"},
    {"run_norm", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run_norm)), METH_FASTCALL,
     "run_norm(attributes, input, empty_like): a layer norm of few numbers; None if torch has to compute it"},
    {"run_gelu", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run_gelu)), METH_FASTCALL,
     "run_gelu(input, by_tanh, empty_like): GELU of few numbers; None if torch has to compute it"},
    {"keep_as", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_keep_as)), METH_FASTCALL,
     "keep_as(choices, other, tensors): what is kept for choices is kept for others too; False if nothing is kept"},
    {"keep", memo_keep, METH_VARARGS,
     "keep(choices, tensors, call, extents, written, same, makers, order): False if they cannot be a key"},
    {"keep_series", memo_keep_series, METH_VARARGS,
     "keep_series(choices, tensors, ..., span, steps, more): the same for so many sizes; False if it is no series"},
    {"clear", memo_clear, METH_NOARGS, "clear(): forgets every call"},
    {nullptr, nullptr, 0, nullptr}};

inline PySequenceMethods memo_sequence = {};
inline PyTypeObject memo_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

inline bool ready_memo_type(PyTypeObject* call_type) {
  memo_call_type = call_type;
  requires_grad_name = PyUnicode_InternFromString("requires_grad");
  run_pointers_name = PyUnicode_InternFromString("run_pointers");
  run_tensors_name = PyUnicode_InternFromString("run_tensors");
  memo_sequence.sq_length = memo_length;
  memo_type.tp_name = "_tilewright_launcher.Memo";
  memo_type.tp_doc = "Memo(capacity=4096, deterministic=False): launches prepared in a mode of torch, by choices and keys of tensors.";
  memo_type.tp_basicsize = sizeof(Memo);
  memo_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
  memo_type.tp_new = memo_new;
  memo_type.tp_dealloc = memo_dealloc;
  memo_type.tp_traverse = memo_traverse;
  memo_type.tp_clear = memo_gc_clear;
  memo_type.tp_methods = memo_methods;
  memo_type.tp_as_sequence = &memo_sequence;
  return requires_grad_name && run_pointers_name && run_tensors_name && ready_layer_names() &&
         PyType_Ready(&memo_type) == 0;
}

#endif
