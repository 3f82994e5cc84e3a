"""The complete reference of a GEMM in float64, and the magnitude that rounding errors scale with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.dtype import numpy_dtype
from ...model.op import Expected
from ...model.tensor import Tensors
from .epilogue import PAIRS, SLOPE
from .groups import in_groups
from .problem import GemmProblem

Array = npt.NDArray[np.float64]

PARTS = 16  # of k: what a kernel may round before it adds it up is at least that long


def expected(problem: GemmProblem, tensors: Tensors) -> Expected:
    """Return activation(alpha * scale_a * scale_b * A*B combine D...), and the same on absolute values."""
    (a, size_a), (b, size_b) = multiplied(problem, tensors)
    scale = problem.epilogue.alpha * _scales(problem, tensors)
    value, parts, size = in_groups(problem, tensors, a, b, _products)
    if problem.has_prologue:
        size = np.matmul(size_a, size_b)
    return finish(problem, tensors, scale * value, np.abs(scale) * size, np.abs(scale) * parts)


def _products(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return A*B, the sum of the sizes of the products of consecutive parts of k, and the product of sizes."""
    value = parts = np.zeros((*a.shape[:-1], b.shape[-1]))
    for k in np.array_split(np.arange(a.shape[-1]), PARTS):
        if k.size:
            part = np.matmul(a[..., k[0] : k[-1] + 1], b[..., k[0] : k[-1] + 1, :])
            value, parts = value + part, parts + np.abs(part)
    return value, parts, np.matmul(np.abs(a), np.abs(b))


def finish(problem: GemmProblem, tensors: Tensors, value: Array, magnitude: Array, parts: Array) -> Expected:
    """Apply the epilogue to a product that is already scaled."""
    e, operands = problem.epilogue, (np.asarray(tensors[f"d{i}"]).astype(np.float64) for i in range(len(problem.d)))
    return Expected(*e.finished(value, (magnitude, parts), operands, activated, gone_back))


def multiplied(problem: GemmProblem, tensors: Tensors) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return A and B as they are multiplied, in float64, each with its magnitude.

    They went through their prologues, and are multiplied by their factors if those belong to blocks of k.
    """
    (a, size_a), (b, size_b) = (through_prologue(problem, tensors, role) for role in ("a", "b"))
    size = problem.scale_block
    if problem.scale_a == "block":
        factors = np.asarray(tensors["scale_a"], dtype=np.float64)
        each = np.repeat(factors, size, axis=1)[:, : problem.k]
        a, size_a = a * each, size_a * np.abs(each)
    if problem.scale_b == "block":
        factors = np.asarray(tensors["scale_b"], dtype=np.float64)
        each = np.repeat(np.repeat(factors, size, axis=0)[: problem.k], size, axis=1)[:, : problem.n]
        b, size_b = b * each, size_b * np.abs(each)
    return (a, size_a), (b, size_b)


def through_prologue(problem: GemmProblem, tensors: Tensors, role: str) -> tuple[Array, Array]:
    """Return an operand after its prologue, rounded to its dtype, and the same on absolute values."""
    x = np.asarray(tensors[role]).astype(np.float64)
    steps = problem.prologue_a if role == "a" else problem.prologue_b
    if not steps:
        return x, np.abs(x)
    size, number = np.abs(x), 0
    for step in steps:
        if step.op not in PAIRS:
            x, size = ACTIVATION[step.op](x), size * SLOPE[step.op]
            continue
        number += 1
        y = np.asarray(tensors[f"{role}{number}"]).astype(np.float64)
        x, size = (x + y, size + np.abs(y)) if step.op == "add" else (x * y, size * np.abs(y))
    rounded = x.astype(numpy_dtype(problem.dtype(role))).astype(np.float64)
    return rounded, np.maximum(size, np.abs(rounded))


def _scales(problem: GemmProblem, tensors: Tensors) -> Array:
    scale: Array = np.ones((1, 1))
    if problem.scale_a in ("tensor", "row"):
        scale = scale * np.asarray(tensors["scale_a"], dtype=np.float64).reshape(-1, 1)
    if problem.scale_b in ("tensor", "row"):
        scale = scale * np.asarray(tensors["scale_b"], dtype=np.float64).reshape(1, -1)
    return scale


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def _gelu_tanh(x: Array) -> Array:
    half = np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3))
    return np.asarray(0.5 * x * (1.0 + half))


def _gelu_erf(x: Array) -> Array:
    from math import erf

    half = np.vectorize(erf, otypes=[np.float64])(x / np.sqrt(2.0))
    return np.asarray(0.5 * x * (1.0 + half))


ACTIVATION: dict[str, Callable[[Array], Array]] = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu_erf": _gelu_erf,
    "gelu_tanh": _gelu_tanh,
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "silu": lambda x: x * _sigmoid(x),
    "relu6": lambda x: np.clip(x, 0.0, 6.0),
    "hard_swish": lambda x: x * np.clip(x + 3.0, 0.0, 6.0) / 6.0,
}


def activated(x: Array, name: str) -> Array:
    """Return an activation of x.

    >>> activated(np.array([-1.0, 2.0]), "relu").tolist()
    [0.0, 2.0]
    """
    return ACTIVATION[name](x)


def gone_back(gradient: Array, x: Array, name: str) -> Array:
    """Return the gradient of an activation's input x for that of its result; where it is flat, 0 for any gradient.

    >>> gone_back(np.array([5.0, 5.0]), np.array([-1.0, 2.0]), "relu").tolist()
    [0.0, 5.0]
    """
    flat, slope = GRADIENT[name](x)
    return np.where(flat, 0.0, gradient * slope)


def _gelu_tanh_slope(x: Array) -> Array:
    factor = np.sqrt(2.0 / np.pi)
    half = np.tanh(factor * (x + 0.044715 * x**3))
    return np.asarray(0.5 * (1.0 + half) + 0.5 * x * (1.0 - half**2) * factor * (1.0 + 3 * 0.044715 * x**2))


def _gelu_erf_slope(x: Array) -> Array:
    from math import erf

    half = np.vectorize(erf, otypes=[np.float64])(x / np.sqrt(2.0))
    return np.asarray(0.5 * (1.0 + half) + x * np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))


# Where each activation is flat, as torch has it at the ends, and its slope elsewhere.
GRADIENT: dict[str, Callable[[Array], tuple[Any, Any]]] = {
    "relu": lambda x: (x <= 0, 1.0),
    "gelu_erf": lambda x: (False, _gelu_erf_slope(x)),
    "gelu_tanh": lambda x: (False, _gelu_tanh_slope(x)),
    "sigmoid": lambda x: (False, _sigmoid(x) * _sigmoid(-x)),
    "tanh": lambda x: (False, 1.0 - np.tanh(x) ** 2),
    "silu": lambda x: (False, _sigmoid(x) * (1.0 + x * _sigmoid(-x))),
    "relu6": lambda x: ((x <= 0) | (x >= 6), 1.0),
    "hard_swish": lambda x: (x <= -3, np.where(x < 3, x / 3.0 + 0.5, 1.0)),
}
