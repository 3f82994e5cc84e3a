/* Keys of tensors: everything about a tensor that decides a plan, and its address.
 *
 * That is its kind, dtype, shape, strides and device, and how an address on a GPU is aligned. Tensors are NumPy arrays, or
 * of a type that offers DLPack's C exchange interface (`register_type`). */
#ifndef TILEWRIGHT_LAUNCHER_KEY_HPP
#define TILEWRIGHT_LAUNCHER_KEY_HPP
#include "launcher_call.hpp"
#include "launcher_dlpack.hpp"

constexpr int kMaxTypes = 8;
constexpr uint64_t kVector = 16;  // bytes: GPU kernels differ in the alignment that they need, up to this
constexpr int kMaxConstants = 24;  // names and values of a call as it is written
constexpr int kMaxArguments = TW_MAX_TENSORS + kMaxConstants;  // of a call as it is written, a tensor each time it is given
constexpr int kMaxMemoWords = TW_MAX_TENSORS * (2 + 2 * TW_MAX_RANK) + 2 + kMaxConstants + kMaxArguments;

struct KnownType {
  PyTypeObject* type;
  const dlpack::ExchangeApi* api;
  PyObject* grad_enabled;  // whether this library records gradients now
  PyObject* is_neg;        // the method of the type
};
inline KnownType known_types[kMaxTypes];
inline int known_type_count = 0;
inline PyObject* requires_grad_name;

struct MemoKey {
  int words = 0;
  uint64_t hash = 0;
  uint64_t word[kMaxMemoWords];

  void add(uint64_t value) {
    word[words++] = value;
    hash = (hash << 5 | hash >> 59) ^ value * 0x517cc1b727220a95u;  // products do not wait for each other
  }

  /* Whether the first tensor, of a library with DLPack's interface, is of fp32: the word of `key_of_tensor`. */
  bool has_fp32() const { return words > 0 && (word[0] >> 32 & 0xffff) == (dlpack::kFloat | 32u << 8); }
};

/* Where a call computes: a device's stream, or the host. */
struct Place {
  const dlpack::ExchangeApi* api = nullptr;
  dlpack::Device device = {dlpack::kCpu, 0};
  bool borrows = false;  // a tensor is of the library that lends its threads
  int records = -1;      // whether that library records gradients now; -1: nobody has asked
};

enum class Keyed { fits, strange, error };

inline const KnownType* known_type(PyTypeObject* type) {
  for (int i = 0; i < known_type_count; ++i)
    if (known_types[i].type == type) return &known_types[i];
  return nullptr;
}

/* What must be off in the library of registered tensors before a kernel may run without telling it: gradients, modes,
 * compilers, transforms, hooks. Tuples of functions that must return something false, of (dict, name, value) with the value
 * that it must have, and of dicts that must be empty; null until they are registered. */
struct Guards {
  PyObject *functions, *values, *empty;
};
inline Guards guards = {};

/* Whether all of that is off; a guard that raises is on. */
inline bool is_quiet() {
  if (!guards.functions) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards.functions); ++i) {
    PyObject* found = PyObject_CallNoArgs(PyTuple_GET_ITEM(guards.functions, i));
    const int on = found == Py_False || found == Py_None ? 0 : found ? PyObject_IsTrue(found) : -1;
    Py_XDECREF(found);
    if (on) return PyErr_Clear(), false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards.values); ++i) {
    PyObject* guard = PyTuple_GET_ITEM(guards.values, i);
    PyObject* found = PyDict_GetItemWithError(PyTuple_GET_ITEM(guard, 0), PyTuple_GET_ITEM(guard, 1));
    if (found != PyTuple_GET_ITEM(guard, 2)) return PyErr_Clear(), false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards.empty); ++i)
    if (PyDict_GET_SIZE(PyTuple_GET_ITEM(guards.empty, i))) return false;
  return true;
}

/* Whether torch is in its deterministic mode, in which other kernels are chosen; 0 in a program without torch, -1 where
 * asking raised. */
inline int is_deterministic() {
  static PyObject* mode = nullptr;
  if (!mode) {
    PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C");
    mode = torch ? PyObject_GetAttrString(torch, "_get_deterministic_algorithms") : nullptr;
    if (!mode) return PyErr_Clear(), 0;
  }
  PyObject* found = PyObject_CallNoArgs(mode);
  if (!found) return PyErr_Clear(), -1;
  Py_DECREF(found);
  return found == Py_True;
}

/* Whether the memory of a tensor is all there is to it: no gradient to follow, no pending negation. */
inline Keyed plain(const KnownType* known, PyObject* object, Place& place) {
  if (place.records < 0) {
    PyObject* enabled = PyObject_CallNoArgs(known->grad_enabled);
    if (!enabled) return Keyed::error;
    place.records = enabled != Py_False;
    Py_DECREF(enabled);
  }
  if (place.records) {
    PyObject* wants = PyObject_GetAttr(object, requires_grad_name);
    if (!wants) return Keyed::error;
    Py_DECREF(wants);
    if (wants == Py_True) return Keyed::strange;
  }
  PyObject* negated = PyObject_Vectorcall(known->is_neg, &object, 1, nullptr);
  if (!negated) return Keyed::error;
  Py_DECREF(negated);
  return negated == Py_False ? Keyed::fits : Keyed::strange;
}

/* Only dtypes that their number describes fully: no byte order, fields or units. */
inline bool describable(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  return (PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type) || PyTypeNum_ISUSERDEF(type)) &&
         PyArray_ISNOTSWAPPED(array) && PyArray_NDIM(array) <= TW_MAX_RANK;
}

inline Keyed key_of_array(PyArrayObject* array, MemoKey* key, uint64_t& address) {
  if (!describable(array)) return Keyed::strange;
  address = reinterpret_cast<uint64_t>(PyArray_DATA(array));
  if (!key) return Keyed::fits;
  const int ndim = PyArray_NDIM(array);
  key->add(2 | uint64_t(ndim) << 8 | uint64_t(PyArray_ISWRITEABLE(array) != 0) << 16 |
           uint64_t(uint32_t(PyArray_TYPE(array))) << 32);
  for (int d = 0; d < ndim; ++d) {
    key->add(uint64_t(PyArray_DIMS(array)[d]));
    key->add(uint64_t(PyArray_STRIDES(array)[d]));
  }
  return Keyed::fits;
}

inline Keyed key_of_tensor(PyObject* object, MemoKey* key, uint64_t& address, Place& place) {
  const KnownType* known = known_type(Py_TYPE(object));
  if (!known) return Keyed::strange;
  const Keyed is_plain = plain(known, object, place);
  dlpack::Tensor t;
  if (is_plain != Keyed::fits) return is_plain;
  if (known->api->tensor_from_object(object, &t)) return Keyed::error;
  if (t.ndim > TW_MAX_RANK || (!t.strides && t.ndim)) return Keyed::strange;
  address = reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
  if (t.device.type != dlpack::kCpu) place = {known->api, t.device, false, place.records};
  else place.borrows = true;
  if (!key) return Keyed::fits;
  const uint64_t alignment = t.device.type == dlpack::kCpu ? 0 : (address | kVector) & -(address | kVector);
  key->add(3 | uint64_t(t.ndim) << 8 | alignment << 16 | uint64_t(t.dtype.code) << 32 | uint64_t(t.dtype.bits) << 40 |
           uint64_t(t.dtype.lanes) << 48);
  key->add(uint64_t(uint32_t(t.device.type)) << 32 | uint32_t(t.device.id));
  for (int d = 0; d < t.ndim; ++d) {
    key->add(uint64_t(t.shape[d]));
    key->add(uint64_t(t.strides[d]));
  }
  return Keyed::fits;
}

inline Keyed tensor_key(PyObject* object, MemoKey* key, uint64_t& address, Place& place) {
  if (object == Py_None) return key->add(1), Keyed::fits;
  if (PyArray_CheckExact(object)) return key_of_array(reinterpret_cast<PyArrayObject*>(object), key, address);
  return key_of_tensor(object, key, address, place);
}

inline Keyed make_memo_key(MemoKey& key, PyObject* choices, PyObject* const* tensors, Py_ssize_t count,
                          uint64_t* addresses, Place& place) {
  if (count > TW_MAX_TENSORS) return Keyed::strange;
  const Py_hash_t hash = PyObject_Hash(choices);
  if (hash == -1) return Keyed::error;
  key.hash = uint64_t(hash) * 0x9e3779b97f4a7c15u;  // addresses differ in few bits, and a set is chosen by few
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Keyed found = tensor_key(tensors[i], &key, addresses[i], place);
    if (found != Keyed::fits) return found;
  }
  return Keyed::fits;
}

inline bool current_stream(const Place& place, uint64_t& stream) {
  void* found = nullptr;
  if (place.api && place.api->current_stream(place.device.type, place.device.id, &found)) return false;
  stream = reinterpret_cast<uint64_t>(found);
  return true;
}

inline bool address_of(PyObject* made, uint64_t& address) {
  if (PyArray_Check(made)) {
    address = reinterpret_cast<uint64_t>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
    return true;
  }
  const KnownType* known = known_type(Py_TYPE(made));
  dlpack::Tensor t;
  if (!known) return PyErr_Format(PyExc_TypeError, "a maker made a %s", Py_TYPE(made)->tp_name), false;
  if (known->api->tensor_from_object(made, &t)) return false;
  address = reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
  return true;
}

/* moved(tensors, addresses): the position of the first tensor that is no longer at its address; -1 if there is none */
inline PyObject* memory_moved(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 2 || !PyTuple_CheckExact(items[0]) || !PyTuple_CheckExact(items[1]) ||
      PyTuple_GET_SIZE(items[0]) != PyTuple_GET_SIZE(items[1]))
    return PyErr_Format(PyExc_TypeError, "moved(tensors, addresses) takes two tuples of one length");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items[0]); ++i) {
    uint64_t now = 0;
    const uint64_t before = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(items[1], i));
    if (PyErr_Occurred() || !address_of(PyTuple_GET_ITEM(items[0], i), now)) return nullptr;
    if (now != before) return PyLong_FromSsize_t(i);
  }
  return PyLong_FromLong(-1);
}

/* register_guards(functions, values, empty): what must be off for calls of `run_quiet` and `run_layer`; see `Guards` */
inline PyObject* register_guards(PyObject*, PyObject* arguments) {
  Guards next;
  if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyTuple_Type, &next.functions, &PyTuple_Type, &next.values, &PyTuple_Type,
                        &next.empty))
    return nullptr;
  bool fit = true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(next.values); ++i) {
    PyObject* guard = PyTuple_GET_ITEM(next.values, i);
    fit = fit && PyTuple_Check(guard) && PyTuple_GET_SIZE(guard) == 3 && PyDict_Check(PyTuple_GET_ITEM(guard, 0));
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(next.empty); ++i)
    fit = fit && PyDict_Check(PyTuple_GET_ITEM(next.empty, i));
  if (!fit) return PyErr_Format(PyExc_TypeError, "register_guards takes functions, (dict, name, value) and dicts");
  Py_INCREF(next.functions);
  Py_INCREF(next.values);
  Py_INCREF(next.empty);
  const Guards old = guards;
  guards = next;
  Py_XDECREF(old.functions);
  Py_XDECREF(old.values);
  Py_XDECREF(old.empty);
  Py_RETURN_NONE;
}

/* register_type(type, capsule, grad_enabled): tensors of this type can be keys; False where its interface is too new */
inline PyObject* register_type(PyObject*, PyObject* arguments) {
  PyObject *type, *capsule, *grad_enabled;
  if (!PyArg_ParseTuple(arguments, "O!OO", &PyType_Type, &type, &capsule, &grad_enabled)) return nullptr;
  const auto* api = static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  if (!api) return nullptr;
  const bool usable = api->header.major == dlpack::kMajor && api->tensor_from_object && api->current_stream;
  if (!usable || known_type_count == kMaxTypes) Py_RETURN_FALSE;
  if (known_type(reinterpret_cast<PyTypeObject*>(type))) Py_RETURN_TRUE;
  PyObject* is_neg = PyObject_GetAttrString(type, "is_neg");
  if (!is_neg) return nullptr;
  known_types[known_type_count++] = {reinterpret_cast<PyTypeObject*>(Py_NewRef(type)), api, Py_NewRef(grad_enabled),
                                     is_neg};
  Py_RETURN_TRUE;
}

#endif
