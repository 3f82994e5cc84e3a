/* A layer of torch as its attributes show it: its parameters, and whether its call is nothing but its forward pass.
 *
 * When the weights of one layer have gone through the caches, every function on the way to the next kernel is read from
 * memory again. So a known call of a layer asks its questions here and not in Python. */
#ifndef TILEWRIGHT_LAUNCHER_LAYER_HPP
#define TILEWRIGHT_LAUNCHER_LAYER_HPP
#include "launcher_key.hpp"

struct LayerNames {
  PyObject *calls, *parameters, *weight, *bias, *compiled, *forward, *normalized_shape, *eps;
  PyObject* hooks[4];
};
inline LayerNames layer_names;

inline bool ready_layer_names() {
  LayerNames& n = layer_names;
  n.calls = PyUnicode_InternFromString("tilewright_calls");
  n.parameters = PyUnicode_InternFromString("_parameters");
  n.weight = PyUnicode_InternFromString("weight");
  n.bias = PyUnicode_InternFromString("bias");
  n.compiled = PyUnicode_InternFromString("_compiled_call_impl");
  n.forward = PyUnicode_InternFromString("forward");
  n.normalized_shape = PyUnicode_InternFromString("normalized_shape");
  n.eps = PyUnicode_InternFromString("eps");
  const char* hooks[4] = {"_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"};
  bool made = n.calls && n.parameters && n.weight && n.bias && n.compiled && n.forward && n.normalized_shape && n.eps;
  for (int i = 0; i < 4; ++i) made = (n.hooks[i] = PyUnicode_InternFromString(hooks[i])) && made;
  return made;
}

/* Whether a call of a layer is its class's forward pass: no hooks, no compiled form, no `forward` of its own. */
inline bool is_plain_layer(PyObject* attributes) {
  const LayerNames& n = layer_names;
  for (PyObject* name : n.hooks) {
    PyObject* hooks = PyDict_GetItemWithError(attributes, name);
    if (!hooks || !PyDict_Check(hooks) || PyDict_GET_SIZE(hooks)) return false;
  }
  if (PyDict_GetItemWithError(attributes, n.forward)) return false;
  PyObject* compiled = PyDict_GetItemWithError(attributes, n.compiled);
  return !compiled || compiled == Py_None;
}

/* What a call of a linear layer needs; references are its own. */
struct Layer {
  PyObject *calls = nullptr, *weight = nullptr, *bias = nullptr;

  ~Layer() {
    Py_XDECREF(calls);
    Py_XDECREF(weight);
    Py_XDECREF(bias);
  }

  /* False if calls of the layer are not kept, or if they are more than its forward pass. */
  bool read(PyObject* attributes) {
    const LayerNames& n = layer_names;
    calls = owned(attributes, n.calls);
    if (!calls || calls == Py_None || !is_plain_layer(attributes)) return false;
    PyObject* parameters = PyDict_GetItemWithError(attributes, n.parameters);
    if (!parameters || !PyDict_Check(parameters)) return false;
    weight = owned(parameters, n.weight);
    bias = owned(parameters, n.bias);
    return weight && bias;
  }

 private:
  static PyObject* owned(PyObject* dict, PyObject* name) {
    PyObject* found = PyDict_GetItemWithError(dict, name);
    Py_XINCREF(found);
    return found;
  }
};

#endif
