/* Watch: whether Python objects and tensors are still what they were when the watch was made.
 *
 * A box is one container with the items that it must have: the attributes of an object, a dict, a list, a set, a cell, or
 * some names in a dict or a class. Items are compared by identity, and numbers, texts and tuples of them by value. A tensor in
 * the place of another tensor is a change of values; any other difference is a change of structure. The value of a name
 * that must not be there is NotImplemented. A tensor whose
 * contents matter also has its version and its address compared. `tilewright.torch.state` makes watches, and has the
 * same comparison in Python. Nothing here runs Python code, so no container changes while it is read. */
#ifndef TILEWRIGHT_LAUNCHER_WATCH_HPP
#define TILEWRIGHT_LAUNCHER_WATCH_HPP
#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum BoxKind : long { kObject, kDict, kList, kSet, kCell, kNames, kBoxKinds };
enum class Change { none, values, structure };

struct Box {
  long kind;
  PyObject* container;  // borrowed, as all below: `boxes` of the watch holds them
  PyObject* type;       // of an object
  PyObject* dict;       // of an object or a class, or the container itself
  PyObject* items;      // a tuple: key, value, key, value, ... or values only; a frozenset for a set
  uint64_t tag;         // of the dict when it last had these items
};

/* torch's own functions on its C++ tensors. Its Python methods take 0.1 us each, and a net has hundreds of weights. */
struct TensorFunctions {
  int64_t (*version)(void* tensor);
  int (*address)(void* tensor, void** found);
  int (*release)(void* tensor);
};

struct Stamp {
  PyObject* tensor;
  uint64_t version, address;
  void* impl;         // all that a C++ tensor holds; null: Python's methods are called
  Py_ssize_t offset;  // of the word of `tensor` that holds it too
};

struct Watch {
  PyObject_HEAD
  PyObject *boxes, *stamps, *types;  // what was given
  PyGetSetDef* version;
  PyMethodDef* address;
  TensorFunctions functions;
  Py_ssize_t box_count, stamp_count;
  Box* box;
  Stamp* stamp;
};

/* Python gives a dict another tag at each change, up to 3.12; 0 where it has none, so that the items are compared. */
inline uint64_t tag_of(PyObject* dict) {
#if PY_VERSION_HEX < 0x030D0000
  return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#else
  return 0;
#endif
}

inline bool is_plain(PyObject* value) {
  return PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyUnicode_CheckExact(value) ||
         PyBytes_CheckExact(value) || PyComplex_CheckExact(value);
}

inline Change compare_values(const Watch* watch, PyObject* expected, PyObject* found) {
  if (expected == found) return Change::none;
  const bool tensors = PySequence_Contains(watch->types, reinterpret_cast<PyObject*>(Py_TYPE(expected))) == 1 &&
                       PySequence_Contains(watch->types, reinterpret_cast<PyObject*>(Py_TYPE(found))) == 1;
  if (tensors) return Change::values;
  if (Py_TYPE(expected) != Py_TYPE(found)) return Change::structure;
  if (is_plain(expected)) {
    const int equal = PyObject_RichCompareBool(expected, found, Py_EQ);
    if (equal < 0) PyErr_Clear();
    return equal == 1 ? Change::none : Change::structure;
  }
  if (!PyTuple_CheckExact(expected) || PyTuple_GET_SIZE(expected) != PyTuple_GET_SIZE(found)) return Change::structure;
  Change worst = Change::none;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(expected) && worst != Change::structure; ++i) {
    const Change change = compare_values(watch, PyTuple_GET_ITEM(expected, i), PyTuple_GET_ITEM(found, i));
    if (change > worst) worst = change;
  }
  return worst;
}

/* Compare items by their keys: those of a namespace, and a dict whose order has changed. */
inline Change compare_names(const Watch* watch, const Box& box, PyObject* dict, PyObject*& culprit) {
  Change worst = Change::none;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(box.items); i += 2) {
    PyObject* key = PyTuple_GET_ITEM(box.items, i);
    PyObject* found = PyDict_GetItemWithError(dict, key);
    if (!found) PyErr_Clear(), found = Py_NotImplemented;
    const Change change = compare_values(watch, PyTuple_GET_ITEM(box.items, i + 1), found);
    if (change > worst) worst = change, culprit = key;
    if (worst == Change::structure) break;
  }
  return worst;
}

inline Change compare_dict(const Watch* watch, const Box& box, PyObject* dict, PyObject*& culprit) {
  const Py_ssize_t count = PyTuple_GET_SIZE(box.items);
  if (PyDict_GET_SIZE(dict) * 2 != count) return Change::structure;
  Change worst = Change::none;
  PyObject *key, *value;
  Py_ssize_t at = 0, i = 0;
  for (; i < count && PyDict_Next(dict, &at, &key, &value); i += 2) {
    if (key != PyTuple_GET_ITEM(box.items, i)) return compare_names(watch, box, dict, culprit);
    if (value == PyTuple_GET_ITEM(box.items, i + 1)) continue;
    const Change change = compare_values(watch, PyTuple_GET_ITEM(box.items, i + 1), value);
    if (change > worst) worst = change, culprit = key;
    if (worst == Change::structure) break;
  }
  return worst;
}

inline Change compare_list(const Watch* watch, const Box& box) {
  const Py_ssize_t count = PyTuple_GET_SIZE(box.items);
  if (PyList_GET_SIZE(box.container) != count) return Change::structure;
  Change worst = Change::none;
  for (Py_ssize_t i = 0; i < count && worst != Change::structure; ++i) {
    const Change change =
        compare_values(watch, PyTuple_GET_ITEM(box.items, i), PyList_GET_ITEM(box.container, i));
    if (change > worst) worst = change;
  }
  return worst;
}

inline Change compare_set(const Box& box) {
  if (PySet_GET_SIZE(box.container) != PySet_GET_SIZE(box.items)) return Change::structure;
  const int equal = PyObject_RichCompareBool(box.container, box.items, Py_EQ);  // of texts and numbers only
  if (equal < 0) PyErr_Clear();
  return equal == 1 ? Change::none : Change::structure;
}

inline Change compare_box(const Watch* watch, Box& box, PyObject*& culprit) {
  if (box.kind == kList) return compare_list(watch, box);
  if (box.kind == kSet) return compare_set(box);
  if (box.kind == kCell) {
    PyObject* found = PyCell_GET(box.container);
    return found ? compare_values(watch, PyTuple_GET_ITEM(box.items, 0), found) : Change::structure;
  }
  if (box.kind == kObject) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(box.container)) != box.type) return Change::structure;
    PyObject* dict = PyObject_GenericGetDict(box.container, nullptr);
    if (!dict) PyErr_Clear();
    Py_XDECREF(dict);  // the object holds it
    if (dict != box.dict) return Change::structure;
  }
  const uint64_t tag = tag_of(box.dict);
  if (tag && tag == box.tag) return Change::none;
  const Change found = box.kind == kNames ? compare_names(watch, box, box.dict, culprit)
                                          : compare_dict(watch, box, box.dict, culprit);
  if (found == Change::none) box.tag = tag;
  return found;
}

/* A number that torch returns; -1 with an error if the tensor has none, as one of inference mode has no version. */
inline bool read_number(PyObject* number, uint64_t& value) {
  if (!number) return false;
  value = PyLong_AsUnsignedLongLongMask(number);
  Py_DECREF(number);
  return !PyErr_Occurred();
}

inline bool read_stamp(const Watch* watch, PyObject* tensor, uint64_t& version, uint64_t& address) {
  return read_number(watch->version->get(tensor, watch->version->closure), version) &&
         read_number(watch->address->ml_meth(tensor, nullptr), address);
}

inline void* word_of(PyObject* object, Py_ssize_t offset) {
  void* word;
  memcpy(&word, reinterpret_cast<const char*>(object) + offset, sizeof word);
  return word;
}

/* Whether a tensor has the version and the address of its stamp. */
inline bool is_stamped(const Watch* watch, Stamp& stamp) {
  if (stamp.impl) {
    void* address = nullptr;
    return word_of(stamp.tensor, stamp.offset) == stamp.impl &&
           uint64_t(watch->functions.version(&stamp.impl)) == stamp.version &&
           watch->functions.address(&stamp.impl, &address) == 0 && reinterpret_cast<uint64_t>(address) == stamp.address;
  }
  uint64_t version, address;
  if (read_stamp(watch, stamp.tensor, version, address)) return version == stamp.version && address == stamp.address;
  PyErr_Clear();
  return false;
}

/* Finds the word of a Python tensor that refers to its C++ tensor. It says that this lives: nothing is held here, because
 * torch swaps only tensors that nobody else holds. Releases the handle. */
inline void take_handle(const Watch* watch, Stamp& stamp, void* handle) {
  stamp.impl = *static_cast<void**>(handle);
  watch->functions.release(handle);
  const Py_ssize_t size = Py_TYPE(stamp.tensor)->tp_basicsize;
  for (stamp.offset = sizeof(PyObject); stamp.offset + Py_ssize_t(sizeof(void*)) <= size; stamp.offset += sizeof(void*)) {
    if (word_of(stamp.tensor, stamp.offset) != stamp.impl) continue;
    if (is_stamped(watch, stamp)) return;
  }
  stamp.impl = nullptr;
}

/* compare(): 0 if all is as it was, 1 if values of tensors changed, else (box, key or None). */
inline PyObject* watch_compare(PyObject* object, PyObject*) {
  Watch* watch = reinterpret_cast<Watch*>(object);
  Change worst = Change::none;
  for (Py_ssize_t i = 0; i < watch->box_count; ++i) {
    PyObject* culprit = Py_None;
    const Change change = compare_box(watch, watch->box[i], culprit);
    if (change == Change::structure) return Py_BuildValue("nO", i, culprit);
    if (change > worst) worst = change;
  }
  for (Py_ssize_t i = 0; i < watch->stamp_count && worst == Change::none; ++i) {
    if (!is_stamped(watch, watch->stamp[i])) worst = Change::values;
  }
  return PyLong_FromLong(worst == Change::none ? 0 : 1);
}

/* Python 3.12 keeps the dicts of its own classes outside of them. The class holds it. */
inline PyObject* dict_of(PyTypeObject* type) {
#if PY_VERSION_HEX < 0x030C0000
  return type->tp_dict;
#else
  PyObject* dict = PyType_GetDict(type);
  Py_XDECREF(dict);
  return dict;
#endif
}

inline bool read_box(PyObject* item, Box& box) {
  if (!PyArg_ParseTuple(item, "lOO", &box.kind, &box.container, &box.items)) return false;
  const bool as_tuple = PyTuple_CheckExact(box.items);
  const Py_ssize_t size = as_tuple ? PyTuple_GET_SIZE(box.items) : 0;
  bool fits = false;
  switch (box.kind) {
    case kObject:
      box.type = reinterpret_cast<PyObject*>(Py_TYPE(box.container));
      box.dict = PyObject_GenericGetDict(box.container, nullptr);
      if (!box.dict) return false;
      Py_DECREF(box.dict);
      fits = as_tuple && size % 2 == 0 && PyDict_Check(box.dict);
      break;
    case kDict:
    case kNames:
      box.dict = box.kind == kNames && PyType_Check(box.container)
                     ? dict_of(reinterpret_cast<PyTypeObject*>(box.container))
                     : box.container;
      fits = as_tuple && size % 2 == 0 && box.dict && PyDict_Check(box.dict);
      break;
    case kList:
      fits = as_tuple && PyList_Check(box.container);
      break;
    case kSet:
      fits = PySet_Check(box.container) && PyFrozenSet_CheckExact(box.items);
      break;
    case kCell:
      fits = as_tuple && size == 1 && PyCell_Check(box.container);
      break;
    default:
      break;
  }
  if (!fits) PyErr_Format(PyExc_ValueError, "a box of kind %ld does not fit its container or items", box.kind);
  return fits;
}

inline int watch_traverse(PyObject* object, visitproc visit, void* arg) {
  Watch* watch = reinterpret_cast<Watch*>(object);
  Py_VISIT(watch->boxes);
  Py_VISIT(watch->stamps);
  Py_VISIT(watch->types);
  return 0;
}

inline int watch_clear(PyObject* object) {
  Watch* watch = reinterpret_cast<Watch*>(object);
  watch->box_count = watch->stamp_count = 0;
  Py_CLEAR(watch->boxes);
  Py_CLEAR(watch->stamps);
  Py_CLEAR(watch->types);
  return 0;
}

inline void watch_dealloc(PyObject* object) {
  Watch* watch = reinterpret_cast<Watch*>(object);
  PyObject_GC_UnTrack(object);
  watch_clear(object);
  PyMem_Free(watch->box);
  PyMem_Free(watch->stamp);
  Py_TYPE(object)->tp_free(object);
}

/* `handles`: capsules of C++ tensors, one for each tensor, which are released; none if torch has no such functions. */
inline bool read_watch(Watch* watch, PyObject* handles) {
  const Py_ssize_t boxes = PyTuple_GET_SIZE(watch->boxes), stamps = PyTuple_GET_SIZE(watch->stamps);
  watch->box = static_cast<Box*>(PyMem_Calloc(size_t(boxes + 1), sizeof(Box)));
  watch->stamp = static_cast<Stamp*>(PyMem_Calloc(size_t(stamps + 1), sizeof(Stamp)));
  if (!watch->box || !watch->stamp) return PyErr_NoMemory() != nullptr;
  for (; watch->box_count < boxes; ++watch->box_count)
    if (!read_box(PyTuple_GET_ITEM(watch->boxes, watch->box_count), watch->box[watch->box_count])) return false;
  for (; watch->stamp_count < stamps; ++watch->stamp_count) {
    Stamp& stamp = watch->stamp[watch->stamp_count];
    stamp.tensor = PyTuple_GET_ITEM(watch->stamps, watch->stamp_count);
    if (PySequence_Contains(watch->types, reinterpret_cast<PyObject*>(Py_TYPE(stamp.tensor))) != 1)
      return PyErr_Format(PyExc_TypeError, "a stamp of %R, which is no tensor", stamp.tensor) != nullptr;
    if (!read_stamp(watch, stamp.tensor, stamp.version, stamp.address)) return false;
    if (watch->stamp_count >= PyTuple_GET_SIZE(handles)) continue;
    void* handle = PyCapsule_GetPointer(PyTuple_GET_ITEM(handles, watch->stamp_count), nullptr);
    if (!handle) return false;
    take_handle(watch, stamp, handle);
  }
  return true;
}

/* Watch(boxes, tensors, types, version, data_ptr, handles, functions): `version` and `data_ptr` are torch's descriptors,
 * `functions` the addresses of those of `TensorFunctions`. */
inline PyObject* watch_new(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject *boxes, *stamps, *types, *version, *address, *handles;
  unsigned long long of_version, of_address, of_release;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O!(KKK)", &PyTuple_Type, &boxes, &PyTuple_Type, &stamps, &PyTuple_Type,
                        &types, &PyGetSetDescr_Type, &version, &PyMethodDescr_Type, &address, &PyTuple_Type, &handles,
                        &of_version, &of_address, &of_release))
    return nullptr;
  PyMethodDef* method = reinterpret_cast<PyMethodDescrObject*>(address)->d_method;
  if (method->ml_flags != METH_NOARGS)
    return PyErr_Format(PyExc_ValueError, "%s takes arguments; data_ptr takes none", method->ml_name);
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  Watch* watch = reinterpret_cast<Watch*>(object);
  watch->boxes = Py_NewRef(boxes);
  watch->stamps = Py_NewRef(stamps);
  watch->types = Py_NewRef(types);
  watch->version = reinterpret_cast<PyGetSetDescrObject*>(version)->d_getset;
  watch->address = method;
  watch->functions = {reinterpret_cast<decltype(TensorFunctions::version)>(of_version),
                      reinterpret_cast<decltype(TensorFunctions::address)>(of_address),
                      reinterpret_cast<decltype(TensorFunctions::release)>(of_release)};
  if (read_watch(watch, handles)) return object;
  Py_DECREF(object);
  return nullptr;
}

inline PyMethodDef watch_methods[] = {
    {"compare", watch_compare, METH_NOARGS,
     "compare(): 0 if all is as it was, 1 if tensors have other values, else (box, key or None)"},
    {nullptr, nullptr, 0, nullptr}};

inline PyTypeObject watch_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

inline bool ready_watch_type() {
  watch_type.tp_name = "_tilewright_launcher.Watch";
  watch_type.tp_doc =
      "Watch(boxes, tensors, types, version, data_ptr, handles, functions): whether objects and tensors are as they were.";
  watch_type.tp_basicsize = sizeof(Watch);
  watch_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
  watch_type.tp_new = watch_new;
  watch_type.tp_dealloc = watch_dealloc;
  watch_type.tp_traverse = watch_traverse;
  watch_type.tp_clear = watch_clear;
  watch_type.tp_methods = watch_methods;
  return PyType_Ready(&watch_type) == 0;
}

#endif
