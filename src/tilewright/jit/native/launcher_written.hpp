/* Calls as they are written: from the arguments of a public function straight to the launch of an earlier call.
 *
 * Arguments are tensors, constants (numbers, names, tuples of them), and lists and tuples of both, by position or by
 * name. A call in the same words on tensors that look the same is the same launch: a call that is found by its choices
 * leaves a copy of its record under its arguments, with the place of each. An object that is given twice must be given
 * twice again. Constants are the same if their types are, too: what was right for 1 may be refused for True. Anything
 * else among the arguments is a miss. */
#ifndef TILEWRIGHT_LAUNCHER_WRITTEN_HPP
#define TILEWRIGHT_LAUNCHER_WRITTEN_HPP
#include "launcher_memo.hpp"

constexpr uint8_t kNotGiven = 255;
constexpr int kMaxDepth = 3;  // of tuples and lists in each other, which thus end somewhere
constexpr int kMaxLists = 8;  // among the arguments of a call

inline bool is_tensor(PyObject* value) { return PyArray_CheckExact(value) || known_type(Py_TYPE(value)); }

/* Whether a value cannot change, so that its hash and itself are all that counts. */
inline bool is_constant(PyObject* value, int depth = 0) {
  if (value == Py_None || PyUnicode_CheckExact(value) || PyBool_Check(value) || PyLong_CheckExact(value) ||
      PyFloat_CheckExact(value) || PyType_Check(value) || PyArray_DescrCheck(value))
    return true;
  if (!PyTuple_CheckExact(value) || depth == kMaxDepth) return false;
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

/* The arguments of a call. They are borrowed, but for lists: another thread may empty one meanwhile. */
struct Written {
  Written() = default;
  Written(const Written&) = delete;
  ~Written() {
    for (int i = 0; i < lists; ++i) Py_DECREF(list[i]);
  }

  PyObject* function;
  MemoKey key;
  Place place;
  PyObject *tensor[TW_MAX_TENSORS], *constant[kMaxConstants];  // each object once; names are constants too
  PyObject* list[kMaxLists];  // as tuples
  uint64_t address[TW_MAX_TENSORS];
  int tensors = 0, constants = 0, lists = 0, arguments = 0;
  uint64_t kinds = 1;  // a bit for each argument, and for what is in a list: whether it is a tensor
  static_assert(kMaxArguments < 64, "each argument has a bit, and the first one says how many there are");

  /* False where they cannot be a key; a Python error may be set. */
  bool read(PyObject* of, PyObject* given, PyObject* options) {
    function = of;
    key.add(reinterpret_cast<uint64_t>(of));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i)
      if (!add(PyTuple_GET_ITEM(given, i))) return false;
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
  bool add(PyObject* value, int depth = 0) {
    if (++arguments > kMaxArguments) return false;
    const bool is = is_tensor(value);
    kinds = kinds << 1 | is;
    if (is) {
      for (int k = 0; k < tensors; ++k)
        if (tensor[k] == value) return key.add(uint64_t(k)), true;
      if (tensors == TW_MAX_TENSORS) return false;
      tensor[tensors] = value;
      return tensor_key(value, &key, address[tensors++], place) == Keyed::fits;
    }
    if (!is_constant(value)) return add_all(value, depth);
    const Py_hash_t hash = PyObject_Hash(value);
    return (hash != -1 || !PyErr_Occurred()) && add_constant(value, uint64_t(hash));
  }

  /* What is in a list or tuple now, after its type and length. */
  bool add_all(PyObject* value, int depth) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    if (PyList_CheckExact(value)) {
      if (lists == kMaxLists || !(value = list[lists] = PyList_AsTuple(value))) return false;
      ++lists;
    }
    if (depth == kMaxDepth || !PyTuple_CheckExact(value)) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(value);
    if (!add_constant(type, uint64_t(count))) return false;
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!add(PyTuple_GET_ITEM(value, i), depth + 1)) return false;
    return true;
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
  const Memo* memo = reinterpret_cast<Memo*>(object);
  Written written;
  uint64_t stream = 0;
  int error = 0;
  const Record* found = nullptr;
  if (is_deterministic() == memo->deterministic && written.read(items[0], items[1], items[2]) &&
      current_stream(written.place, stream))
    found = find_record(memo, written.key, stream, error, written);
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
 * the roles of what the function returns. Where that cannot be, nothing is kept. False where there is no memory. */
inline bool keep_as_written(Memo* memo, const Record* record, const Given& given, uint64_t stream, PyObject* function,
                            PyObject* arguments, PyObject* options, PyObject* results) {
  Written written;
  Record next = *record;
  if (!written.read(function, arguments, options) || !read_sources(next.as_written, given, written) ||
      !read_results(next.as_written, given, results))
    return PyErr_Clear(), true;
  next.as_written.constants = nullptr;
  PyObject* constants = tuple_of(written.constant, written.constants);
  if (!constants || !copy_record(next, written.key, function)) return Py_XDECREF(constants), PyErr_NoMemory(), false;
  next.as_written.constants = constants;
  put_record(memo, record_place(memo, written.key, stream, written), next);
  return true;
}

#endif
