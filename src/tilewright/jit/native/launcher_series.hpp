/* Series: launches whose tensors differ in one size that grows by one, as the keys of a decoder do with each token.
 *
 * All their numbers are first + d * step for the d-th member: the words of the key, the extents of the tensors and the
 * numbers of the launch. `read_series` is given the first two members and the last one, and keeps what holds for these
 * three: a number that moves in steps of more than one member is no series. */
#ifndef TILEWRIGHT_LAUNCHER_SERIES_HPP
#define TILEWRIGHT_LAUNCHER_SERIES_HPP
#include "launcher_key.hpp"

constexpr int kMaxSeries = 16;

/* Which tensors a call takes, in its order. */
struct Order {
  int count;
  uint8_t at[TW_MAX_TENSORS];
};

/* How the arguments of a public function belong to a record: `launcher_written.hpp`. */
struct AsWritten {
  PyObject* constants;  // a tuple; null: the call is found by choices and tensors by role
  uint8_t source[TW_MAX_TENSORS];  // the argument that is tensor i, or kNotGiven
  uint8_t result[TW_MAX_TENSORS];
  int results;
  bool in_tuple;  // the function returns a tuple
};

/* What every hit reads comes first. */
struct Record {
  uint64_t hash;
  uint64_t* word;
  PyObject* choices;  // null: an empty place
  PyObject* call;     // Call, GpuLaunches, or an object with run_pointers(address, ...) or run_tensors(tensor, ...)
  PyObject* makers;   // a callable or None for each tensor
  int words, count;
  uint32_t written;  // bit i: tensor i is written
  Order order;
  tw_extent extent[TW_MAX_TENSORS];
  uint32_t same[TW_MAX_TENSORS];  // bit j of same[i]: written tensor i may be the very same memory as tensor j
  AsWritten as_written;           // of a call that is found by its arguments; `choices` is then the function
};

struct KeyStep {
  int at;
  int64_t step;
};

struct Series {
  Record first;
  int64_t span;  // members
  int size_at, key_steps, launch_steps;
  KeyStep key_step[TW_MAX_TENSORS * (1 + TW_MAX_RANK)];
  LaunchNumber launch_step[kMaxLaunchNumbers];
  tw_extent extent_step[TW_MAX_TENSORS];
};

struct AllSeries {
  Series kept[kMaxSeries];
  int turn;
};

/* Whether the key is that of member `d` but for what was asked for. */
inline bool is_member(const Series& s, const MemoKey& key, int64_t d) {
  for (int i = 0, next = 0; i < key.words; ++i) {
    uint64_t want = s.first.word[i];
    if (next < s.key_steps && s.key_step[next].at == i) want += uint64_t(d * s.key_step[next++].step);
    if (key.word[i] != want) return false;
  }
  return true;
}

/* The series that a key belongs to, or null; `d`: which member it is. -1 in `error` where comparing raised. */
inline const Series* find_series(const AllSeries& all, const MemoKey& key, PyObject* choices, int64_t& d, int& error) {
  for (const Series& s : all.kept) {
    if (!s.first.choices || s.first.words != key.words) continue;
    d = int64_t(key.word[s.size_at] - s.first.word[s.size_at]);
    if (d < 0 || d >= s.span || !is_member(s, key, d)) continue;
    const int same = PyObject_RichCompareBool(s.first.choices, choices, Py_EQ);
    if (same < 0) return error = -1, nullptr;
    if (same) return &s;
  }
  return nullptr;
}

/* Member `d`, which borrows from the series; `changes` are the numbers of its launch. */
inline Record member_of(const Series& s, int64_t d, LaunchNumbers& changes) {
  Record member = s.first;
  for (int i = 0; i < member.count; ++i) {
    member.extent[i].low += d * s.extent_step[i].low;
    member.extent[i].high += d * s.extent_step[i].high;
  }
  changes.count = s.launch_steps;
  for (int i = 0; i < s.launch_steps; ++i) {
    const LaunchNumber& c = s.launch_step[i];
    int64_t first;
    memcpy(&first, reinterpret_cast<char*>(&reinterpret_cast<Call*>(member.call)->args) + c.at, sizeof first);
    changes.number[i] = {c.at, first + d * c.value};
  }
  return member;
}

inline void let_record_go(Record old) {
  PyMem_Free(old.word);
  Py_XDECREF(old.choices);
  Py_XDECREF(old.call);
  Py_XDECREF(old.makers);
  Py_XDECREF(old.as_written.constants);
}

inline void put_series(Series& at, const Series& next) {
  const Record old = at.first;
  at = next;
  let_record_go(old);
}

inline void keep_in_turn(AllSeries& all, const Series& next) {
  put_series(all.kept[all.turn], next);
  all.turn = (all.turn + 1) % kMaxSeries;
}

/* steps[i] of tensor i: None, or (dimension that grows, what the stride of each dimension grows by). */
inline bool read_key_steps(Series& s, PyObject* const* tensors, PyObject* steps) {
  int word = 0;
  s.size_at = -1;
  for (int i = 0; i < s.first.count; ++i) {
    const bool array = PyArray_CheckExact(tensors[i]);
    const int head = array || tensors[i] == Py_None ? 1 : 2, ndim = int(s.first.word[word] >> 8 & 255);
    PyObject *item = PyTuple_GET_ITEM(steps, i), *strides;
    int dim;
    if (item != Py_None) {
      if (!PyArg_ParseTuple(item, "iO!", &dim, &PyTuple_Type, &strides)) return false;
      if (tensors[i] == Py_None || dim < 0 || dim >= ndim || PyTuple_GET_SIZE(strides) != ndim)
        return PyErr_Format(PyExc_ValueError, "tensor %d has no dimension %d, or other strides", i, dim), false;
      if (s.size_at < 0) s.size_at = word + head + 2 * dim;
      for (int d = 0; d < ndim; ++d) {
        const int64_t step = PyLong_AsLongLong(PyTuple_GET_ITEM(strides, d));
        if (PyErr_Occurred()) return false;
        if (d == dim) s.key_step[s.key_steps++] = {word + head + 2 * d, 1};
        if (step) s.key_step[s.key_steps++] = {word + head + 2 * d + 1, step};
      }
    }
    word += tensors[i] == Py_None ? 1 : head + 2 * ndim;
  }
  return s.size_at >= 0;
}

inline bool is_linear(int64_t first, int64_t next, int64_t last, int64_t span, int64_t& step) {
  return !__builtin_sub_overflow(next, first, &step) && first + step * (span - 1) == last;
}

/* The numbers of three launches of one kernel, from the sizes to the bytes of the workspace. */
inline bool read_launch_steps(Series& s, const Call* first, const Call* next, const Call* last) {
  if (next->run != first->run || last->run != first->run || next->count != first->count ||
      last->count != first->count || next->release_gil != first->release_gil ||
      last->release_gil != first->release_gil)
    return false;
  const auto number = [](const Call* call, size_t at) {
    int64_t value;
    memcpy(&value, reinterpret_cast<const char*>(&call->args) + at, sizeof value);
    return value;
  };
  for (size_t at = offsetof(tw_args, sizes); at < offsetof(tw_args, error); at += sizeof(int64_t)) {
    if (at >= offsetof(tw_args, runtime) && at < offsetof(tw_args, workspace_bytes)) continue;  // no numbers
    int64_t step;
    if (!is_linear(number(first, at), number(next, at), number(last, at), s.span, step)) return false;
    if (!step) continue;
    const bool integer = at < offsetof(tw_args, scalars) || at == offsetof(tw_args, workspace_bytes);
    if (!integer || s.launch_steps == kMaxLaunchNumbers) return false;
    s.launch_step[s.launch_steps++] = {at, step};
  }
  return true;
}

inline bool read_extent_steps(Series& s, PyObject* next, PyObject* last) {
  if (PyTuple_GET_SIZE(next) != s.first.count || PyTuple_GET_SIZE(last) != s.first.count) return false;
  for (int i = 0; i < s.first.count; ++i) {
    long long a, b, c, d;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(next, i), "LL", &a, &b) ||
        !PyArg_ParseTuple(PyTuple_GET_ITEM(last, i), "LL", &c, &d) ||
        !is_linear(s.first.extent[i].low, a, c, s.span, s.extent_step[i].low) ||
        !is_linear(s.first.extent[i].high, b, d, s.span, s.extent_step[i].high))
      return false;
  }
  return true;
}

/* Reads what `first` and `span` leave open; `more` is (call, extents) of the second member and of the last one. False
 * where it is no series; a Python error may be set. */
inline bool read_series(Series& s, PyObject* const* tensors, PyObject* steps, PyObject* more, PyTypeObject* call_type) {
  PyObject *next, *last, *next_extents, *last_extents;
  if (!PyArg_ParseTuple(more, "(O!O!)(O!O!)", call_type, &next, &PyTuple_Type, &next_extents, call_type, &last,
                        &PyTuple_Type, &last_extents))
    return false;
  if (s.span < 2 || s.span > 1 << 20 || PyTuple_GET_SIZE(steps) != s.first.count)
    return PyErr_Format(PyExc_ValueError, "a series of %lld members", static_cast<long long>(s.span)), false;
  const auto call = [](PyObject* object) { return reinterpret_cast<Call*>(object); };
  return read_key_steps(s, tensors, steps) && read_launch_steps(s, call(s.first.call), call(next), call(last)) &&
         read_extent_steps(s, next_extents, last_extents);
}

#endif
