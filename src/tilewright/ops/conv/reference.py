"""The complete reference of a convolution in float64, and the magnitude that rounding errors scale with.

One matrix product per filter tap: simple enough to be trusted, fast enough to check real sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.op import Expected
from ..gemm.reference import ACTIVATION, SLOPE
from .problem import ConvProblem
from .shapes import along, grouped

Array = npt.NDArray[np.float64]


def expected(problem: ConvProblem, tensors: Mapping[str, Any]) -> Expected:
    """Return the result (output, or gradient of input or weight) in torch's shape, and the same on absolute values."""
    read = {
        r: np.asarray(grouped(problem, r, np.asarray(tensors[r]))).astype(np.float64)
        for r in ("input", "weight", "output")
        if r != problem.result
    }
    alpha = problem.epilogue.alpha
    value = alpha * convolve(problem, read)
    magnitude = abs(alpha) * convolve(problem, {r: np.abs(t) for r, t in read.items()})
    done = finish(problem, tensors, value, magnitude)
    shape = problem.shape(problem.result)
    return Expected(done.value.reshape(shape), done.magnitude.reshape(shape))


def finish(problem: ConvProblem, tensors: Mapping[str, Any], value: Array, magnitude: Array) -> Expected:
    """Apply the epilogue, along the canonical axes."""
    e = problem.epilogue
    for i in range(len(problem.d)):
        d = grouped(problem, f"d{i}", np.asarray(tensors[f"d{i}"])).astype(np.float64) * (e.beta if i == 0 else 1.0)
        if e.combine == "add":
            value, magnitude = value + d, magnitude + np.abs(d)
        else:
            value, magnitude = value * d, magnitude * np.abs(d)
    return Expected(ACTIVATION[e.activation](value), magnitude * SLOPE[e.activation])


def convolve(problem: ConvProblem, read: Mapping[str, Array]) -> Array:
    """Return the bare convolution of canonical float64 tensors, without epilogue."""
    return {"forward": _forward, "backward_data": _backward_data, "backward_weight": _backward_weight}[
        problem.direction
    ](problem, read)


def _forward(p: ConvProblem, read: Mapping[str, Array]) -> Array:
    padded, weight = _padded(p, read["input"]), read["weight"]
    out = np.zeros((p.n, p.g, p.k_group, _count(p.output)))
    for tap, window in _taps(p):
        pixels = padded[along(*window)].reshape(p.n, p.g, p.c_group, -1)
        out += np.matmul(weight[along(*tap)], pixels)
    return out.reshape(p.extents("output"))


def _backward_data(p: ConvProblem, read: Mapping[str, Array]) -> Array:
    weight, grad = read["weight"], read["output"].reshape(p.n, p.g, p.k_group, -1)
    padded = np.zeros((p.n, p.g, p.c_group, *_padded_sizes(p)))
    for tap, window in _taps(p):
        part = np.matmul(weight[along(*tap)].swapaxes(1, 2), grad)
        padded[along(*window)] += part.reshape(p.n, p.g, p.c_group, *p.output)
    inner = tuple(slice(left, left + size) for size, (left, _) in zip(p.input, p.pad, strict=True))
    return np.asarray(padded[along(*inner)])


def _backward_weight(p: ConvProblem, read: Mapping[str, Array]) -> Array:
    padded, grad = _padded(p, read["input"]), read["output"].reshape(p.n, p.g, p.k_group, -1)
    out = np.zeros(p.extents("weight"))
    for tap, window in _taps(p):
        pixels = padded[along(*window)].reshape(p.n, p.g, p.c_group, -1)
        out[along(*tap)] = np.matmul(grad, pixels.swapaxes(2, 3)).sum(axis=0)
    return out


def _taps(p: ConvProblem) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield each filter tap with the window of the padded input that it reads."""
    for tap in product(*(range(f) for f in p.filter)):
        yield (
            tap,
            tuple(
                slice(f * d, f * d + (o - 1) * s + 1, s)
                for f, d, o, s in zip(tap, p.dilation, p.output, p.stride, strict=True)
            ),
        )


def _padded(p: ConvProblem, x: Array) -> Array:
    return np.pad(x, ((0, 0), (0, 0), (0, 0), *p.pad))


def _padded_sizes(p: ConvProblem) -> tuple[int, ...]:
    return tuple(size + sum(pair) for size, pair in zip(p.input, p.pad, strict=True))


def _count(extents: tuple[int, ...]) -> int:
    return int(np.prod(extents, dtype=np.int64))
