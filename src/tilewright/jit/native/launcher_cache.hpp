/* FastCache: from the looks of some NumPy arrays straight to their Call, with the hash in C.
 *
 * A key holds dtype, rank, alignment class, shape and strides of every array. The table is set-associative like a
 * processor cache: a key lives in one set of four places, and a full set gives up its entries in turn. So the size is
 * bounded, nothing is ever rehashed, and no entry needs a tombstone. The GIL guards it. */
#ifndef TILEWRIGHT_LAUNCHER_CACHE_HPP
#define TILEWRIGHT_LAUNCHER_CACHE_HPP
#include "launcher_call.hpp"

constexpr int kWays = 4;
constexpr int kMaxKeyArrays = 8;
constexpr int kMaxKeyWords = kMaxKeyArrays * (1 + 2 * TW_MAX_RANK);

struct Key {
  int words;
  uint64_t hash;
  uint64_t word[kMaxKeyWords];

  void add(uint64_t value) {
    word[words++] = value;
    hash = ((hash << 5 | hash >> 59) ^ value) * 0x517cc1b727220a95u;
  }
};

struct Entry {
  uint64_t hash;
  int words;
  uint64_t* word;
  Call* call;  // null: an empty place
};

struct FastCache {
  PyObject_HEAD
  size_t sets;  // a power of two
  uintptr_t max_alignment;
  Entry* entries;
  uint8_t* turn;  // per set: the place that is given up next
  Py_ssize_t used;
  PyTypeObject* call_type;
};

/* Only dtypes that their number describes fully: no byte order, fields or units. */
inline bool describable(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  return (PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type) || PyTypeNum_ISUSERDEF(type)) &&
         PyArray_ISNOTSWAPPED(array) && PyArray_NDIM(array) <= TW_MAX_RANK;
}

inline void add_array(Key& key, PyArrayObject* array, uintptr_t max_alignment) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(PyArray_DATA(array)) | max_alignment;
  const uint64_t alignment = address & -address;  // the lowest set bit, at most max_alignment
  const int ndim = PyArray_NDIM(array);
  key.add(uint64_t(uint32_t(PyArray_TYPE(array))) | uint64_t(ndim) << 32 | alignment << 40);
  const npy_intp* shape = PyArray_DIMS(array);
  const npy_intp* strides = PyArray_STRIDES(array);
  for (int d = 0; d < ndim; ++d) {
    key.add(uint64_t(shape[d]));
    key.add(shape[d] > 1 ? uint64_t(strides[d]) : 0);
  }
}

/* False where these objects cannot be a key: not plain arrays, or too many. */
inline bool make_key(Key& key, PyObject* const* arrays, Py_ssize_t count, uintptr_t max_alignment) {
  if (count < 1 || count > kMaxKeyArrays) return false;
  key.words = 0;
  key.hash = uint64_t(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyArray_CheckExact(arrays[i])) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(arrays[i]);
    if (!describable(array)) return false;
    add_array(key, array, max_alignment);
  }
  return true;
}

inline size_t first_place(const FastCache* cache, const Key& key) {
  return (key.hash >> 20 & (cache->sets - 1)) * kWays;
}

inline Entry* find_entry(const FastCache* cache, const Key& key) {
  Entry* set = cache->entries + first_place(cache, key);
  for (int way = 0; way < kWays; ++way) {
    Entry& entry = set[way];
    if (entry.call && entry.hash == key.hash && entry.words == key.words &&
        memcmp(entry.word, key.word, size_t(key.words) * sizeof(uint64_t)) == 0)
      return &entry;
  }
  return nullptr;
}

/* The call may need more than the class of the key tells: then these arrays want another call. */
inline bool well_placed(const Call* call, PyObject* const* arrays) {
  for (int i = 0; i < call->count; ++i)
    if (!placed(call->operands[i], PyArray_DATA(reinterpret_cast<PyArrayObject*>(arrays[i])))) return false;
  return true;
}

inline PyObject* cache_lookup(PyObject* self, PyObject* const* arrays, Py_ssize_t count) {
  FastCache* cache = reinterpret_cast<FastCache*>(self);
  Key key;
  if (!make_key(key, arrays, count, cache->max_alignment)) return Py_NewRef(callbacks.miss);
  const Entry* entry = find_entry(cache, key);
  if (!entry) return Py_NewRef(callbacks.miss);
  Call* call = entry->call;
  if (!well_placed(call, arrays)) return Py_NewRef(callbacks.miss);
  Py_INCREF(call);  // another thread may clear the cache while the kernel runs without the GIL
  PyObject* result = run_on_fitting(call, arrays);
  Py_DECREF(call);
  return result;
}

/* The old call is let go last: that may run any code, which then finds the table in order. */
inline void replace_entry(FastCache* cache, Entry* entry, Entry next) {
  const Entry old = *entry;
  *entry = next;
  cache->used += (next.call != nullptr) - (old.call != nullptr);
  PyMem_Free(old.word);
  Py_XDECREF(old.call);
}

inline Entry* place_for(FastCache* cache, const Key& key) {
  if (Entry* known = find_entry(cache, key)) return known;
  const size_t first = first_place(cache, key);
  for (int way = 0; way < kWays; ++way)
    if (!cache->entries[first + way].call) return &cache->entries[first + way];
  uint8_t& turn = cache->turn[first / kWays];
  turn = uint8_t((turn + 1) % kWays);
  return &cache->entries[first + turn];
}

/* add(array, ..., call): True when the arrays can be a key. A call that does not fit them is an error, since a later
 * hit relies on the key alone. */
inline PyObject* cache_add(PyObject* self, PyObject* const* items, Py_ssize_t count) {
  FastCache* cache = reinterpret_cast<FastCache*>(self);
  if (count < 2 || !PyObject_TypeCheck(items[count - 1], cache->call_type)) {
    PyErr_SetString(PyExc_TypeError, "add(array, ..., call) takes the arrays and then their Call");
    return nullptr;
  }
  Call* call = reinterpret_cast<Call*>(items[count - 1]);
  if (!all_fit(call, items, count - 1)) return raise_through(callbacks.refuse, call, items, count - 1);
  Key key;
  if (!make_key(key, items, count - 1, cache->max_alignment)) Py_RETURN_FALSE;
  uint64_t* word = static_cast<uint64_t*>(PyMem_Malloc(size_t(key.words) * sizeof(uint64_t)));
  if (!word) return PyErr_NoMemory();
  memcpy(word, key.word, size_t(key.words) * sizeof(uint64_t));
  Py_INCREF(call);
  replace_entry(cache, place_for(cache, key), {key.hash, key.words, word, call});
  Py_RETURN_TRUE;
}

inline PyObject* cache_clear(PyObject* self, PyObject*) {
  FastCache* cache = reinterpret_cast<FastCache*>(self);
  for (size_t i = 0; i < cache->sets * kWays; ++i) replace_entry(cache, &cache->entries[i], Entry{});
  Py_RETURN_NONE;
}

inline Py_ssize_t cache_length(PyObject* self) { return reinterpret_cast<FastCache*>(self)->used; }

#endif
