/* Calls as they are written: from the arguments of a public function straight to the launch of an earlier call.
 *
 * Arguments are tensors and constants (numbers, names, tuples of them), by position or by name. A call in the same words
 * on tensors that look the same is the same launch: a call that is found by its choices leaves a copy of its record under
 * its arguments, with the place of each. An object that is given twice must be given twice again. Constants are the same if their types are, too: what was right for 1 may be
 * refused for True. Anything else among the arguments is a miss. */
#ifndef TILEWRIGHT_LAUNCHER_WRITTEN_HPP
#define TILEWRIGHT_LAUNCHER_WRITTEN_HPP
#include "launcher_memo.hpp"

constexpr uint8_t kNotGiven = 255;

inline bool is_tensor(PyObject* value) { return PyArray_CheckExact(value) || known_type(Py_TYPE(value)); }

/* Whether a value cannot change, so that its hash and itself are all that counts. Tuples of tuples end somewhere. */
inline bool is_constant(PyObject* value, int depth = 0) {
  if (value == Py_None || PyUnicode_CheckExact(value) || PyBool_Check(value) || PyLong_CheckExact(value) ||
      PyFloat_CheckExact(value) || PyType_Check(value) || PyArray_DescrCheck(value))
    return true;
  if (!PyTuple_CheckExact(value) || depth == 3) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
    if (!is_constant(PyTuple_GET_ITEM(value, i), depth + 1)) return false;
  return true;
}

/* 1: the same constant; -1: comparing raised. */
inline int same_constant(PyObject* a, PyObject* b) {
  if (a == b) return 1;
  if (Py_TYPE(a) != Py_TYPE(b)) return 0;
  if (PyFloat_CheckExact(a)) {  // 0.0 is not -0.0
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return memcmp(&x, &y, sizeof x) == 0;
  }
  if (!PyTuple_CheckExact(a)) return PyObject_RichCompareBool(a, b, Py_EQ);
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return 0;
  int same = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a) && same == 1; ++i)
    same = same_constant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
  return same;
}

/* The arguments of a call. They are borrowed. */
struct Written {
  PyObject* function;
  MemoKey key;
  Place place;
  PyObject *tensor[TW_MAX_TENSORS], *constant[kMaxConstants];  // each object once; names are constants too
  uint64_t address[TW_MAX_TENSORS];
  int tensors = 0, constants = 0;
  uint64_t kinds = 1;  // a bit for each argument: whether it is a tensor

  /* False where they cannot be a key; a Python error may be set. */
  bool read(PyObject* of, PyObject* arguments, PyObject* options) {
    function = of;
    key.add(reinterpret_cast<uint64_t>(of));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i)
      if (!add(PyTuple_GET_ITEM(arguments, i))) return false;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(options, &at, &name, &value))
      if (!add_constant(name, reinterpret_cast<uint64_t>(name)) || !add(value)) return false;
    key.add(kinds);
    return true;
  }

  /* Whether a record is that of these arguments; its key is the same. -1 where comparing raised. */
  int operator()(const Record& r) const {
    PyObject* kept = r.as_written.constants;
    if (r.choices != function || !kept || PyTuple_GET_SIZE(kept) != constants) return 0;
    int same = 1;
    for (int i = 0; i < constants && same == 1; ++i) same = same_constant(PyTuple_GET_ITEM(kept, i), constant[i]);
    return same;
  }

 private:
  bool add(PyObject* value) {
    const bool is = is_tensor(value);
    kinds = kinds << 1 | is;
    if (is) {
      for (int k = 0; k < tensors; ++k)
        if (tensor[k] == value) return key.add(uint64_t(k)), true;
      if (tensors == TW_MAX_TENSORS) return false;
      tensor[tensors] = value;
      return tensor_key(value, &key, address[tensors++], place) == Keyed::fits;
    }
    if (!is_constant(value)) return false;
    const Py_hash_t hash = PyObject_Hash(value);
    return (hash != -1 || !PyErr_Occurred()) && add_constant(value, uint64_t(hash));
  }

  /* The record keeps its names and values, so that a pointer to one of them means the same forever. */
  bool add_constant(PyObject* value, uint64_t word) {
    if (constants == kMaxConstants) return false;
    constant[constants++] = value;
    key.add(word);
    return true;
  }
};

inline PyObject* result_of(const AsWritten& how, const Given& given) {
  if (!how.in_tuple) return Py_NewRef(given.tensor[how.result[0]]);
  PyObject* answer = PyTuple_New(how.results);
  for (int i = 0; answer && i < how.results; ++i) PyTuple_SET_ITEM(answer, i, Py_NewRef(given.tensor[how.result[i]]));
  return answer;
}

/* again(function, arguments, options): the result of a call like one that is kept; None where none is */
inline PyObject* memo_again(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  if (count != 3 || !PyTuple_CheckExact(items[1]) || !PyDict_CheckExact(items[2]))
    return PyErr_Format(PyExc_TypeError, "again(function, arguments, options) takes a tuple and a dict");
  Written written;
  uint64_t stream = 0;
  int error = 0;
  const Record* found = nullptr;
  if (written.read(items[0], items[1], items[2]) && current_stream(written.place, stream))
    found = find_record(reinterpret_cast<Memo*>(object), written.key, stream, error, written);
  if (!found) {  // anything strange is a miss: the whole way then says what is wrong
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const AsWritten how = found->as_written;
  Given given;
  uint64_t addresses[TW_MAX_TENSORS] = {};
  for (int i = 0; i < found->count; ++i) {
    const int source = how.source[i];
    given.add(nullptr, source == kNotGiven ? Py_None : written.tensor[source]);
    if (source != kNotGiven) addresses[i] = written.address[source];
  }
  const Ran ran = run_record(*found, given, addresses, stream, written.place, nullptr);
  if (ran == Ran::error) return nullptr;
  if (ran == Ran::no) Py_RETURN_NONE;
  return result_of(how, given);
}

/* Which argument each tensor is; false where a tensor is none of the arguments, or an argument none of the tensors. */
inline bool read_sources(AsWritten& how, const Given& given, const Written& written) {
  uint32_t used = 0;
  for (int i = 0; i < given.count; ++i) {
    how.source[i] = kNotGiven;
    if (!(given.there >> i & 1)) continue;
    int k = 0;
    while (k < written.tensors && written.tensor[k] != given.tensor[i]) ++k;
    if (k == written.tensors) return false;
    how.source[i] = uint8_t(k);
    used |= 1u << k;
  }
  return used == (1u << written.tensors) - 1;
}

/* Where the results are, by their roles; false where one of them is no tensor of the call. */
inline bool read_results(AsWritten& how, const Given& given, PyObject* roles) {
  how.in_tuple = PyTuple_CheckExact(roles);
  how.results = how.in_tuple ? int(PyTuple_GET_SIZE(roles)) : 1;
  if (how.results > TW_MAX_TENSORS) return false;
  for (int k = 0; k < how.results; ++k) {
    PyObject* role = how.in_tuple ? PyTuple_GET_ITEM(roles, k) : roles;
    int at = -1;
    for (int i = 0; i < given.count && at < 0; ++i)
      if (given.role[i] == role || PyObject_RichCompareBool(given.role[i], role, Py_EQ) == 1) at = i;
    if (at < 0 || given.tensor[at] == Py_None) return false;
    how.result[k] = uint8_t(at);
  }
  return true;
}

inline PyObject* tuple_of(PyObject* const* items, int count) {
  PyObject* made = PyTuple_New(count);
  for (int i = 0; made && i < count; ++i) PyTuple_SET_ITEM(made, i, Py_NewRef(items[i]));
  return made;
}

/* Keeps a copy of the record of a call that has run, under the arguments that its function was called with; `results` has
 * the roles of what the function returns. Where that cannot be, nothing is kept. */
inline bool keep_as_written(Memo* memo, const Record* record, const Given& given, uint64_t stream, PyObject* function,
                            PyObject* arguments, PyObject* options, PyObject* results) {
  Written written;
  Record next = *record;
  if (!written.read(function, arguments, options) || !read_sources(next.as_written, given, written) ||
      !read_results(next.as_written, given, results))
    return PyErr_Clear(), true;
  next.hash = written.key.hash;
  next.words = written.key.words;
  next.word = static_cast<uint64_t*>(PyMem_Malloc(size_t(next.words) * sizeof(uint64_t)));
  next.as_written.constants = tuple_of(written.constant, written.constants);
  next.choices = Py_NewRef(function);
  Py_INCREF(next.call);
  Py_INCREF(next.makers);
  if (!next.word || !next.as_written.constants) return let_record_go(next), PyErr_NoMemory(), false;
  memcpy(next.word, written.key.word, size_t(next.words) * sizeof(uint64_t));
  put_record(memo, record_place(memo, written.key, stream, written), next);
  return true;
}

/* run(choices, tensors): runs what is kept for the tensors of a dict, which holds those that were made afterwards. With
 * (function, arguments, options, results) it keeps the call under its arguments, for `again`. */
inline PyObject* memo_run(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  if ((count != 2 && count != 6) || !PyDict_CheckExact(items[1]) ||
      (count == 6 && (!PyTuple_CheckExact(items[3]) || !PyDict_CheckExact(items[4]))))
    return PyErr_Format(PyExc_TypeError,
                        "run(choices, tensors[, function, arguments, options, results]) takes a dict of tensors by role");
  Memo* memo = reinterpret_cast<Memo*>(object);
  PyObject* choices = items[0];
  Given given;
  MemoKey key;
  Place place;
  uint64_t addresses[TW_MAX_TENSORS] = {}, stream = 0;
  if (!given.read(items[1]) ||
      make_memo_key(key, choices, given.tensor, given.count, addresses, place) != Keyed::fits ||
      !current_stream(place, stream))
    return miss_instead_of_error();
  int error = 0;
  const Record* record = find_record(memo, key, stream, error, SameChoices{choices});
  Record member;
  LaunchNumbers changes;
  if (!record && !error && member_of_series(memo->series, key, choices, member, changes, error)) record = &member;
  if (error) return miss_instead_of_error();
  if (!record) Py_RETURN_FALSE;
  const Ran ran = run_record(*record, given, addresses, stream, place, record == &member ? &changes : nullptr);
  if (ran == Ran::error || (ran == Ran::yes && !given.hand_over(items[1]))) return nullptr;
  if (ran == Ran::no) Py_RETURN_FALSE;
  /* The record may be gone: other code has run meanwhile. A member of a series is no record. */
  record = count == 6 ? find_record(memo, key, stream, error, SameChoices{choices}) : nullptr;
  if (error) PyErr_Clear();
  if (record && !keep_as_written(memo, record, given, stream, items[2], items[3], items[4], items[5])) return nullptr;
  Py_RETURN_TRUE;
}

inline PyMethodDef memo_methods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_run)), METH_FASTCALL,
     "run(choices, tensors[, function, arguments, options, results]): runs what is kept for such tensors, and fills in "
     "those that it makes; keeps it under the arguments too. False if nothing is kept"},
    {"again", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(memo_again)), METH_FASTCALL,
     "again(function, arguments, options): the result of a call like one that is kept; None if none is"},
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
  memo_type.tp_doc = "Memo(capacity=4096): prepared launches by choices and by the keys of their tensors.";
  memo_type.tp_basicsize = sizeof(Memo);
  memo_type.tp_flags = Py_TPFLAGS_DEFAULT;
  memo_type.tp_new = memo_new;
  memo_type.tp_dealloc = memo_dealloc;
  memo_type.tp_methods = memo_methods;
  memo_type.tp_as_sequence = &memo_sequence;
  return requires_grad_name && run_pointers_name && run_tensors_name && PyType_Ready(&memo_type) == 0;
}

#endif
