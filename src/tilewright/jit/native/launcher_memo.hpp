/* Memo: from what was asked for (`choices`) and the keys of the tensors straight to a prepared launch.
 *
 * Tensors and their keys are those of `launcher_key.hpp`. They come as a dict by role; one that is None is made if the
 * record has a maker for it, else it is absent. Overlap depends on addresses, so it is checked at each call. What the
 * plan was not made for is a miss: planning then reports it. The GIL guards the table. */
#ifndef TILEWRIGHT_LAUNCHER_MEMO_HPP
#define TILEWRIGHT_LAUNCHER_MEMO_HPP
#include "launcher_gpu.hpp"
#include "launcher_key.hpp"
#include "launcher_series.hpp"

constexpr int kWays = 4;  // records of a set; a full set gives up its records in turn, so nothing is ever rehashed
inline PyObject *run_pointers_name, *run_tensors_name;

struct Memo {
  PyObject_HEAD
  size_t sets;
  Record* records;
  uint8_t* turn;
  Py_ssize_t used;
  int deterministic;  // the mode of torch for which its calls were prepared
  AllSeries series;
};

inline bool on_stream(const Record& record, uint64_t stream) {
  if (Py_TYPE(record.call) != &gpu_launches_type) return true;
  const uint64_t own = reinterpret_cast<GpuLaunches*>(record.call)->stream;
  return own == kAnyStream || own == stream;
}

/* The record of a key on a stream for which `same` holds, or null; -1 in `error` where comparing raised. */
template <class Same>
Record* find_record(const Memo* memo, const MemoKey& key, uint64_t stream, int& error, const Same& same) {
  Record* set = memo->records + (key.hash >> 20 & (memo->sets - 1)) * kWays;
  for (int way = 0; way < kWays; ++way) {
    Record& r = set[way];
    if (!r.choices || r.hash != key.hash || r.words != key.words) continue;
    if (memcmp(r.word, key.word, size_t(key.words) * sizeof(uint64_t)) != 0 || !on_stream(r, stream)) continue;
    const int is = same(r);
    if (is < 0) error = -1;
    if (is) return is > 0 ? &r : nullptr;
  }
  return nullptr;
}

/* Whether a record is that of some choices; -1 where comparing raised. */
struct SameChoices {
  PyObject* choices;
  int operator()(const Record& r) const {
    return r.choices == choices ? 1 : PyObject_RichCompareBool(r.choices, choices, Py_EQ);
  }
};

inline PyTypeObject* memo_call_type;
inline bool is_call(PyObject* call) { return Py_TYPE(call) == memo_call_type; }

/* Whether every tensor has memory, and no written one meets another, except where it may. `given` has a bit for each
 * that was given. A tensor that looks as before can have lost its memory: `resize_(0)` of its storage. A Call looks at
 * its addresses itself. */
inline bool well_placed(const Record& r, const uint64_t* addresses, uint32_t given) {
  for (int i = 0; i < r.count && !is_call(r.call); ++i)
    if ((given >> i & 1) && tw_placement(addresses[i], r.extent[i], 1) != TW_PLACED) return false;
  for (int w = 0; w < r.count; ++w) {
    if (!(r.written >> w & given >> w & 1)) continue;
    for (int i = 0; i < r.count; ++i) {
      if (i == w || !(given >> i & 1)) continue;
      const bool same = (r.same[w] >> i & 1) && addresses[i] == addresses[w];
      if (!same && tw_extents_meet(addresses[w], r.extent[w], addresses[i], r.extent[i])) return false;
    }
  }
  return true;
}

/* Runs a Call on those of `addresses` that it takes; NotImplemented where it cannot be there. */
inline PyObject* run_prepared(Call* call, const uint64_t* addresses, const Order& order, bool borrows,
                              const LaunchNumbers* changes) {
  void* pointers[TW_MAX_TENSORS];
  for (int i = 0; i < order.count; ++i) {
    pointers[i] = reinterpret_cast<void*>(addresses[order.at[i]]);
    if (!placed(call->operands[i], pointers[i])) return Py_NewRef(Py_NotImplemented);
  }
  return run_kernel(call, pointers, Py_None, borrows, changes);
}

/* Runs a call of another kind on addresses, or on tensors: those of a library that knows nothing else. */
inline PyObject* run_other(PyObject* call, PyObject* const* tensors, const uint64_t* addresses, const Order& order,
                           uint64_t stream, bool borrows) {
  if (Py_TYPE(call) == &gpu_launches_type) {
    uint64_t taken[TW_MAX_TENSORS];
    for (int i = 0; i < order.count; ++i) taken[i] = addresses[order.at[i]];
    return gpu_launch(reinterpret_cast<GpuLaunches*>(call), taken, stream) ? nullptr : Py_NewRef(Py_None);
  }
  const bool on_tensors = !is_call(call) && PyObject_HasAttr(call, run_tensors_name);
  PyObject* values[TW_MAX_TENSORS + 1] = {call};
  bool made = true;
  for (int i = 0; i < order.count; ++i) {
    const int at = order.at[i];
    values[i + 1] = on_tensors ? Py_NewRef(tensors[at]) : PyLong_FromUnsignedLongLong(addresses[at]);
    made = made && values[i + 1];
  }
  PyObject* name = on_tensors ? run_tensors_name : run_pointers_name;
  const bool before = lends;
  lends = borrows;  // the object may run a Call on these addresses
  PyObject* answer = made ? PyObject_VectorcallMethod(name, values, size_t(order.count) + 1, nullptr) : nullptr;
  lends = before;
  for (int i = 1; i <= order.count; ++i) Py_XDECREF(values[i]);
  return answer;
}

/* Runs any call; null where it raised. */
inline PyObject* run_call(PyObject* call, PyObject* const* tensors, const uint64_t* addresses, const Order& order,
                          uint64_t stream, bool borrows, const LaunchNumbers* changes) {
  if (is_call(call) && reinterpret_cast<Call*>(call)->count == order.count)
    return run_prepared(reinterpret_cast<Call*>(call), addresses, order, borrows, changes);
  return run_other(call, tensors, addresses, order, stream, borrows);
}

/* Tensors in order, as of a dict. They are borrowed: the caller keeps them. Those that are made belong to this. */
struct Given {
  PyObject *role[TW_MAX_TENSORS], *tensor[TW_MAX_TENSORS];
  int count = 0;
  uint32_t there = 0;  // bit i: tensor i is given
  uint32_t made = 0;   // bit i: tensor i was made

  Given() = default;
  Given(const Given&) = delete;
  ~Given() {
    for (int i = 0; made >> i; ++i)
      if (made >> i & 1) Py_DECREF(tensor[i]);
  }

  bool read(PyObject* dict) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value))
      if (!add(key, value)) return false;
    return true;
  }

  bool add(PyObject* name, PyObject* value) {
    if (count == TW_MAX_TENSORS) return false;
    role[count] = name;
    there |= uint32_t(value != Py_None) << count;
    tensor[count++] = value;
    return true;
  }

  /* Makes the tensors that are not given and have a maker. */
  bool fill(PyObject* makers, uint64_t* addresses) {
    Py_INCREF(makers);
    bool filled = true;
    for (int i = 0; i < count && filled; ++i) {
      PyObject* maker = PyTuple_GET_ITEM(makers, i);
      if (tensor[i] != Py_None || maker == Py_None) continue;
      PyObject* one = PyObject_CallNoArgs(maker);
      filled = one && address_of(one, addresses[i]);
      if (!one) continue;
      tensor[i] = one;
      made |= 1u << i;
    }
    Py_DECREF(makers);
    return filled;
  }

  /* Puts what was made into the dict that the tensors came from. */
  bool hand_over(PyObject* dict) const {
    for (int i = 0; made >> i; ++i)
      if ((made >> i & 1) && PyDict_SetItem(dict, role[i], tensor[i])) return false;
    return true;
  }
};

/* Anything strange about a tensor is a miss: the whole way then says what is wrong. */
inline PyObject* miss_instead_of_error() {
  PyErr_Clear();
  Py_RETURN_FALSE;
}

enum class Ran { yes, no, error };

inline Ran not_instead_of_error() { return PyErr_Clear(), Ran::no; }

/* Runs a record on tensors that look like its own, and makes those that are missing. */
inline Ran run_record(const Record& record, Given& given, uint64_t* addresses, uint64_t stream, const Place& place,
                      const LaunchNumbers* numbers) {
  if (!well_placed(record, addresses, given.there)) return Ran::no;
  /* Making a tensor may run any code, which may let the record go; so may other threads while a kernel runs. */
  const Order order = record.order;
  PyObject *call = Py_NewRef(record.call), *answer = nullptr;
  if (given.fill(record.makers, addresses))
    answer = run_call(call, given.tensor, addresses, order, stream, place.borrows, numbers);
  Py_DECREF(call);
  if (!answer) return Ran::error;
  Py_DECREF(answer);
  return answer == Py_NotImplemented ? Ran::no : Ran::yes;
}

/* Where a call was looked for. */
struct Sought {
  MemoKey key;
  uint64_t stream = 0;
};

/* Runs what is kept for such tensors, and makes those that are missing. `quiet`: it is known that nothing is recorded. */
inline Ran run_kept(Memo* memo, PyObject* choices, Given& given, Sought& at, bool quiet = false) {
  Place place;
  if (is_deterministic() != memo->deterministic) return Ran::no;
  if (quiet) place.records = 0;
  uint64_t addresses[TW_MAX_TENSORS] = {};
  if (make_memo_key(at.key, choices, given.tensor, given.count, addresses, place) != Keyed::fits ||
      !current_stream(place, at.stream))
    return not_instead_of_error();
  if (quiet && place.api && at.key.has_fp32()) return Ran::no;  // on a GPU, a setting of its library decides about TF32
  int error = 0;
  const Record* record = find_record(memo, at.key, at.stream, error, SameChoices{choices});
  Record member;
  LaunchNumbers changes;
  if (!record && !error) {
    int64_t d;
    const Series* series = find_series(memo->series, at.key, choices, d, error);
    if (series) member = member_of(*series, d, changes), record = &member;
  }
  if (error) return not_instead_of_error();
  if (!record) return Ran::no;
  return run_record(*record, given, addresses, at.stream, place, record == &member ? &changes : nullptr);
}

inline void put_record(Memo* memo, Record* at, const Record& next) {
  const Record old = *at;
  *at = next;
  memo->used += (next.choices != nullptr) - (old.choices != nullptr);
  let_record_go(old);
}

template <class Same>
Record* record_place(Memo* memo, const MemoKey& key, uint64_t stream, const Same& same) {
  int error = 0;
  if (Record* known = find_record(memo, key, stream, error, same)) return known;
  if (error) PyErr_Clear();
  const size_t set = key.hash >> 20 & (memo->sets - 1);
  for (int way = 0; way < kWays; ++way)
    if (!memo->records[set * kWays + way].choices) return &memo->records[set * kWays + way];
  memo->turn[set] = uint8_t((memo->turn[set] + 1) % kWays);
  return &memo->records[set * kWays + memo->turn[set]];
}

inline bool read_extents(Record& r, PyObject* extents) {
  for (int i = 0; i < r.count; ++i) {
    long long low, high;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(extents, i), "LL", &low, &high)) return false;
    r.extent[i] = {low, high};
  }
  return true;
}

inline bool valid_position(long i, const Record& r) {
  if (i >= 0 && i < r.count) return true;
  if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "position %ld; there are %d tensors", i, r.count);
  return false;
}

inline bool read_written(Record& r, PyObject* written, PyObject* same) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(written); ++k) {
    const long i = PyLong_AsLong(PyTuple_GET_ITEM(written, k));
    if (!valid_position(i, r)) return false;
    r.written |= 1u << i;
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(same); ++k) {
    int w, i;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(same, k), "ii", &w, &i)) return false;
    if (!valid_position(w, r) || !valid_position(i, r)) return false;
    r.same[w] |= 1u << i;
  }
  return true;
}

inline bool read_order(Record& r, PyObject* order) {
  if (PyTuple_GET_SIZE(order) > TW_MAX_TENSORS) return PyErr_SetString(PyExc_ValueError, "too many tensors"), false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(order); ++k) {
    const long i = PyLong_AsLong(PyTuple_GET_ITEM(order, k));
    if (!valid_position(i, r)) return false;
    r.order.at[r.order.count++] = uint8_t(i);
  }
  return true;
}

/* Whether the call gets an address for each tensor that it takes. */
inline bool complete(const Record& r, const Given& given) {
  for (int k = 0; k < r.order.count; ++k) {
    const int i = r.order.at[k];
    if (given.tensor[i] != Py_None || PyCallable_Check(PyTuple_GET_ITEM(r.makers, i))) continue;
    PyErr_Format(PyExc_ValueError, "tensor %d is not given, and has no maker", i);
    return false;
  }
  return true;
}

/* A record of what was given, with references of its own; false with a Python error set, or without one where such
 * tensors cannot be a key. */
inline bool read_record(Record& next, MemoKey& key, uint64_t& stream, const Given& given, PyObject* choices,
                        PyObject* call, PyObject* extents, PyObject* written, PyObject* same, PyObject* makers,
                        PyObject* order) {
  Place place;
  uint64_t addresses[TW_MAX_TENSORS] = {};
  if (PyTuple_GET_SIZE(extents) != given.count || PyTuple_GET_SIZE(makers) != given.count)
    return PyErr_Format(PyExc_ValueError, "%d tensors with other numbers of extents or makers", given.count), false;
  if (make_memo_key(key, choices, given.tensor, given.count, addresses, place) != Keyed::fits ||
      !current_stream(place, stream))
    return PyErr_Clear(), false;
  next = {};
  next.hash = key.hash;
  next.words = key.words;
  next.count = given.count;
  next.makers = makers;
  if (!read_extents(next, extents) || !read_written(next, written, same) || !read_order(next, order) ||
      !complete(next, given))
    return false;
  next.word = static_cast<uint64_t*>(PyMem_Malloc(size_t(key.words + 1) * sizeof(uint64_t)));
  if (!next.word) return PyErr_NoMemory(), false;
  memcpy(next.word, key.word, size_t(key.words) * sizeof(uint64_t));
  next.choices = Py_NewRef(choices);
  next.call = Py_NewRef(call);
  Py_INCREF(makers);
  return true;
}

/* keep(choices, tensors, call, extents, written, same, makers, order): False where such tensors cannot be a key */
inline PyObject* memo_keep(PyObject* object, PyObject* arguments) {
  Memo* memo = reinterpret_cast<Memo*>(object);
  PyObject *choices, *tensors, *call, *extents, *written, *same, *makers, *order;
  if (!PyArg_ParseTuple(arguments, "OO!OO!O!O!O!O!", &choices, &PyDict_Type, &tensors, &call, &PyTuple_Type, &extents,
                        &PyTuple_Type, &written, &PyTuple_Type, &same, &PyTuple_Type, &makers, &PyTuple_Type, &order))
    return nullptr;
  MemoKey key;
  Given given;
  Record next;
  uint64_t stream = 0;
  if (!given.read(tensors)) Py_RETURN_FALSE;
  if (!read_record(next, key, stream, given, choices, call, extents, written, same, makers, order)) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_FALSE;
  }
  put_record(memo, record_place(memo, key, stream, SameChoices{choices}), next);
  Py_RETURN_TRUE;
}

/* Gives a copy of a record references and a key of its own; false where there is no memory, and nothing is owned then. */
inline bool copy_record(Record& copy, const MemoKey& key, PyObject* choices) {
  copy.word = static_cast<uint64_t*>(PyMem_Malloc(size_t(key.words + 1) * sizeof(uint64_t)));
  if (!copy.word) return false;
  memcpy(copy.word, key.word, size_t(key.words) * sizeof(uint64_t));
  copy.hash = key.hash;
  copy.words = key.words;
  copy.choices = Py_NewRef(choices);
  Py_INCREF(copy.call);
  Py_INCREF(copy.makers);
  Py_XINCREF(copy.as_written.constants);
  return true;
}

/* Keeps the series of a key under another name too; false where there is none, or with a Python error set. */
inline bool keep_series_as(Memo* memo, const MemoKey& key, PyObject* choices, PyObject* other) {
  int error = 0;
  int64_t d;
  const bool known = find_series(memo->series, key, other, d, error) != nullptr;
  const Series* series = known || error ? nullptr : find_series(memo->series, key, choices, d, error);
  if (error) PyErr_Clear();
  if (!series) return known;
  Series next = *series;
  MemoKey first;
  first.hash = next.first.hash;
  first.words = next.first.words;
  memcpy(first.word, next.first.word, size_t(first.words) * sizeof(uint64_t));
  if (!copy_record(next.first, first, other)) return PyErr_NoMemory(), false;
  keep_in_turn(memo->series, next);
  return true;
}

/* keep_as(choices, other, tensors): the record or series of `choices` is one of `other` too; False where there is none */
inline PyObject* memo_keep_as(PyObject* object, PyObject* const* items, Py_ssize_t count) {
  Memo* memo = reinterpret_cast<Memo*>(object);
  if (count != 3 || !PyDict_CheckExact(items[2]))
    return PyErr_Format(PyExc_TypeError, "keep_as(choices, other, tensors) takes two choices and a dict of tensors");
  MemoKey known, key;
  Given given;
  Place place;
  uint64_t addresses[TW_MAX_TENSORS] = {}, stream = 0;
  if (!given.read(items[2]) ||
      make_memo_key(known, items[0], given.tensor, given.count, addresses, place) != Keyed::fits ||
      make_memo_key(key, items[1], given.tensor, given.count, addresses, place) != Keyed::fits ||
      !current_stream(place, stream))
    return miss_instead_of_error();
  int error = 0;
  const Record* record = find_record(memo, known, stream, error, SameChoices{items[0]});
  if (error) return miss_instead_of_error();
  if (!record) {
    const bool kept = keep_series_as(memo, known, items[0], items[1]);
    return PyErr_Occurred() ? nullptr : PyBool_FromLong(kept);
  }
  Record next = *record;
  if (!copy_record(next, key, items[1])) return PyErr_NoMemory();
  put_record(memo, record_place(memo, key, stream, SameChoices{items[1]}), next);
  Py_RETURN_TRUE;
}

/* keep_series(choices, tensors, call, extents, written, same, makers, order, span, steps, more): the record of `keep` for
 * the first of `span` sizes; `steps` and `more` are those of `read_series`. False where it is no series. */
inline PyObject* memo_keep_series(PyObject* object, PyObject* arguments) {
  Memo* memo = reinterpret_cast<Memo*>(object);
  PyObject *choices, *tensors, *call, *extents, *written, *same, *makers, *order, *steps, *more;
  long long span;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!O!O!O!LO!O!", &choices, &PyDict_Type, &tensors, memo_call_type, &call,
                        &PyTuple_Type, &extents, &PyTuple_Type, &written, &PyTuple_Type, &same, &PyTuple_Type, &makers,
                        &PyTuple_Type, &order, &span, &PyTuple_Type, &steps, &PyTuple_Type, &more))
    return nullptr;
  MemoKey key;
  Given given;
  Series next = {};
  uint64_t stream = 0;
  if (!given.read(tensors)) Py_RETURN_FALSE;
  if (!read_record(next.first, key, stream, given, choices, call, extents, written, same, makers, order)) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_FALSE;
  }
  next.span = span;
  const bool kept = read_series(next, given.tensor, steps, more, memo_call_type);
  if (kept) keep_in_turn(memo->series, next);
  else let_record_go(next.first);
  if (PyErr_Occurred()) return nullptr;
  return PyBool_FromLong(kept);
}

inline PyObject* memo_clear(PyObject* object, PyObject*) {
  Memo* memo = reinterpret_cast<Memo*>(object);
  for (size_t i = 0; i < memo->sets * kWays; ++i) put_record(memo, &memo->records[i], Record{});
  for (Series& s : memo->series.kept) put_series(s, Series{});
  Py_RETURN_NONE;
}

inline Py_ssize_t memo_length(PyObject* object) { return reinterpret_cast<Memo*>(object)->used; }

inline int visit_record(const Record& r, visitproc visit, void* arg) {
  Py_VISIT(r.choices);
  Py_VISIT(r.call);
  Py_VISIT(r.makers);
  Py_VISIT(r.as_written.constants);
  return 0;
}

/* A record may hold a call that holds the dispatcher whose memo this is. */
inline int memo_traverse(PyObject* object, visitproc visit, void* arg) {
  const Memo* memo = reinterpret_cast<Memo*>(object);
  for (size_t i = 0; memo->records && i < memo->sets * kWays; ++i)
    if (const int found = visit_record(memo->records[i], visit, arg)) return found;
  for (const Series& s : memo->series.kept)
    if (const int found = visit_record(s.first, visit, arg)) return found;
  return 0;
}

inline int memo_gc_clear(PyObject* object) {
  if (reinterpret_cast<Memo*>(object)->records) Py_DECREF(memo_clear(object, nullptr));
  return 0;
}

inline void memo_dealloc(PyObject* object) {
  Memo* memo = reinterpret_cast<Memo*>(object);
  PyObject_GC_UnTrack(object);
  if (memo->records) Py_XDECREF(memo_clear(object, nullptr));
  PyMem_Free(memo->records);
  PyMem_Free(memo->turn);
  Py_TYPE(object)->tp_free(object);
}

inline PyObject* memo_new(PyTypeObject* type, PyObject* arguments, PyObject*) {
  Py_ssize_t capacity = 4096;
  int deterministic = 0;
  if (!PyArg_ParseTuple(arguments, "|np", &capacity, &deterministic)) return nullptr;
  if (capacity < 1 || capacity > 1 << 20) return PyErr_Format(PyExc_ValueError, "capacity %zd (1..%d)", capacity, 1 << 20);
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  Memo* memo = reinterpret_cast<Memo*>(object);
  memo->deterministic = deterministic;
  memo->sets = 1;
  while (Py_ssize_t(memo->sets) * kWays < capacity) memo->sets *= 2;
  memo->records = static_cast<Record*>(PyMem_Calloc(memo->sets * kWays, sizeof(Record)));
  memo->turn = static_cast<uint8_t*>(PyMem_Calloc(memo->sets, 1));
  if (memo->records && memo->turn) return object;
  Py_DECREF(object);
  return PyErr_NoMemory();
}

#endif
