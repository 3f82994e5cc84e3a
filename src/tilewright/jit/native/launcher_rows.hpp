/* Layer norm and GELU of few fp32 numbers on the host, for layers of torch.
 *
 * A decoder computes them for one row between two linear layers, whose weights have gone through the caches. torch's own
 * way to its kernels then takes 30 to 90 us, most of it to read its functions from memory; these take 20. */
#ifndef TILEWRIGHT_LAUNCHER_ROWS_HPP
#define TILEWRIGHT_LAUNCHER_ROWS_HPP
#include <math.h>

#include "launcher_layer.hpp"

constexpr int64_t kMostNumbers = 8192;  // of one call: with more, torch's kernels may be faster than code for any CPU

typedef float Four __attribute__((vector_size(16)));
typedef uint32_t FourBits __attribute__((vector_size(16)));

inline Four splat(float x) { return Four{x, x, x, x}; }

inline Four load_four(const float* p) {
  Four x;
  memcpy(&x, p, sizeof(x));
  return x;
}

inline float sum_of(Four x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/* The sum of f(p[i], ...) over n numbers, in sixteen parts. */
template <class F>
float sum_over(const float* p, int64_t n, const F& f) {
  Four sum[4] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int q = 0; q < 4; ++q) sum[q] += f(load_four(p + i + 4 * q));
  float rest = 0.0f;
  for (; i < n; ++i) rest += f(splat(p[i]))[0];
  return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

/* All numbers are taken from the first one on, so that a mean that is large beside their differences loses none of these. */
inline void normalise_row(const float* x, int64_t n, const float* weight, const float* bias, double eps, float* out) {
  const Four first = splat(x[0]);
  const float mean = sum_over(x, n, [&](Four v) { return v - first; }) / float(n);
  const Four middle = splat(mean);
  const auto square = [&](Four v) {
    const Four away = (v - first) - middle;
    return away * away;
  };
  const float scale = 1.0f / sqrtf(sum_over(x, n, square) / float(n) + float(eps));
  for (int64_t i = 0; i < n; ++i)
    out[i] = ((x[i] - x[0]) - mean) * scale * (weight ? weight[i] : 1.0f) + (bias ? bias[i] : 0.0f);
}

/* e^x within a few units in the last place; infinite from 89 on, and never less than e^-87.33. */
inline Four exp_of(Four x) {
  x = x > 89.0f ? splat(89.0f) : x;
  x = x < -87.33f ? splat(-87.33f) : x;
  const Four shifter = splat(12582912.0f), shifted = x * 1.44269504f + shifter, n = shifted - shifter;
  const Four r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  Four p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  FourBits exponent;
  memcpy(&exponent, &shifted, sizeof(exponent));
  exponent = (exponent + 126u) << 23;  // half of 2^n: 2^128 is no float
  Four half;
  memcpy(&half, &exponent, sizeof(half));
  return (half * ((p * r) * r + r) + half) * 2.0f;
}

inline Four gelu_by_tanh(Four x) { return x / (exp_of((x + 0.044715f * x * x * x) * -1.5957691216f) + 1.0f); }

/* x times the normal distribution function, whose tail is exp(-t^2/2) times a polynomial of 1 / (1 + 0.21 t) that is good
 * to 2.3e-8 for 0 <= t <= 15. */
inline Four gelu_by_erf(Four x) {
  Four t = x < 0.0f ? -x : x;
  t = t > 20.0f ? splat(20.0f) : t;
  const Four u = 1.0f / (t * 0.21f + 1.0f);
  Four p = u * -0.07094462215900421f + 0.28007933497428894f;
  p = p * u + -0.32286596298217773f;
  p = p * u + 0.3407425880432129f;
  p = p * u + -0.08775486797094345f;
  p = p * u + 0.12213879823684692f;
  p = p * u + 0.06992675364017487f;
  p = p * u + 0.08495952934026718f;
  p = p * u + 0.08371847122907639f;
  Four tail = exp_of(t * t * -0.5f) * (p * u);
  tail = t > 13.2f ? splat(0.0f) : tail;  // smaller than the normal numbers
  return x * (x > 0.0f ? 1.0f - tail : tail);
}

template <class F>
void apply_to(const float* x, int64_t n, float* out, const F& f) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const Four y = f(load_four(x + i));
    memcpy(out + i, &y, sizeof(y));
  }
  for (; i < n; ++i) out[i] = f(splat(x[i]))[0];
}

/* A tensor of dense fp32 numbers on the host that is nothing but its memory. */
struct Numbers {
  const float* data = nullptr;
  int64_t count = 1, columns = 1;
  int ndim = 0;

  bool read(PyObject* object) {
    const KnownType* known = known_type(Py_TYPE(object));
    Place place;
    place.records = 0;  // the guards have asked
    dlpack::Tensor t;
    if (!known || plain(known, object, place) != Keyed::fits || known->api->tensor_from_object(object, &t)) return false;
    if (t.device.type != dlpack::kCpu || t.dtype.code != dlpack::kFloat || t.dtype.bits != 32 || t.dtype.lanes != 1 ||
        (!t.strides && t.ndim))
      return false;
    for (int d = t.ndim - 1; d >= 0; --d) {
      if (t.shape[d] != 1 && t.strides[d] != count) return false;
      if (__builtin_mul_overflow(count, t.shape[d], &count)) return false;
    }
    ndim = t.ndim;
    columns = ndim ? t.shape[ndim - 1] : 1;
    data = reinterpret_cast<const float*>(static_cast<const char*>(t.data) + t.byte_offset);
    return count > 0 && count <= kMostNumbers && data;
  }
};

/* A new tensor like `object`, by the function `empty_like` of its library; null and a null address where that fails. */
inline PyObject* new_like(PyObject* object, PyObject* empty_like, float*& address) {
  uint64_t at = 0;
  PyObject* made = PyObject_CallOneArg(empty_like, object);
  if (made && !address_of(made, at)) Py_CLEAR(made);
  address = reinterpret_cast<float*>(at);
  return made;
}

/* run_norm(attributes, input, empty_like): the result of a layer norm over the last dimension; None where that is torch's */
inline PyObject* memo_run_norm(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 3 || !PyDict_Check(items[0]))
    return PyErr_Format(PyExc_TypeError, "run_norm(attributes, input, empty_like) takes the attributes of a layer");
  const LayerNames& n = layer_names;
  PyObject* parameters = PyDict_GetItemWithError(items[0], n.parameters);
  PyObject* shape = PyDict_GetItemWithError(items[0], n.normalized_shape);
  PyObject* eps = PyDict_GetItemWithError(items[0], n.eps);
  bool fits = parameters && PyDict_Check(parameters) && shape && PyTuple_CheckExact(shape) && eps &&
              PyFloat_CheckExact(eps) && PyTuple_GET_SIZE(shape) == 1 && is_plain_layer(items[0]) && is_quiet();
  Numbers x, weight, bias;
  fits = fits && x.read(items[1]) && x.ndim > 0;
  const auto read = [&](PyObject* name, Numbers& found) {
    PyObject* given = PyDict_GetItemWithError(parameters, name);
    return given && (given == Py_None || (found.read(given) && found.ndim == 1 && found.count == x.columns));
  };
  fits = fits && read(n.weight, weight) && read(n.bias, bias) && PyLong_AsLongLong(PyTuple_GET_ITEM(shape, 0)) == x.columns;
  if (!fits) return PyErr_Clear(), Py_NewRef(Py_None);
  float* out;
  PyObject* made = new_like(items[1], items[2], out);
  for (int64_t i = 0; made && i < x.count; i += x.columns)
    normalise_row(x.data + i, x.columns, weight.data, bias.data, PyFloat_AS_DOUBLE(eps), out + i);
  return made;
}

/* run_gelu(input, by_tanh, empty_like): GELU of a tensor; None where that is torch's */
inline PyObject* memo_run_gelu(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "run_gelu(input, by_tanh, empty_like) takes three arguments");
  Numbers x;
  if (!x.read(items[0]) || !is_quiet()) return PyErr_Clear(), Py_NewRef(Py_None);
  float* out;
  PyObject* made = new_like(items[0], items[2], out);
  if (!made) return nullptr;
  if (items[1] == Py_True) apply_to(x.data, x.count, out, gelu_by_tanh);
  else apply_to(x.data, x.count, out, gelu_by_erf);
  return made;
}

#endif
