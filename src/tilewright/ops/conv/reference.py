"""The complete reference of a convolution in float64, and the magnitude that rounding errors scale with.

One matrix product per filter tap: simple enough to be trusted, fast enough to check real sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
import numpy.typing as npt

from ...model.op import Expected
from ...model.tensor import Tensors
from ..gemm.reference import activated, gone_back
from .problem import ConvProblem
from .shapes import along, grouped

Array = npt.NDArray[np.float64]


def expected(problem: ConvProblem, tensors: Tensors, padding: bool | None = None) -> Expected:
    """Return the result (output, or gradient of input or weight) in torch's shape, and the same on absolute values.

    With `padding`, taps outside of the tensor that is read multiply zeros: NaN with infinity or NaN. Without it they
    are left out. By default they do what torch's do: multiply zeros, but left out in the gradient of the input.
    """
    if padding is None:
        padding = problem.direction != "backward_data"
    read, alpha = operands_of(problem, tensors), problem.epilogue.alpha
    value = alpha * convolve(problem, read, padding)
    magnitude = abs(alpha) * convolve(problem, {r: np.abs(t) for r, t in read.items()}, padding)
    done = finish(problem, tensors, value, magnitude)
    shape = problem.shape(problem.result)
    return Expected(done.value.reshape(shape), done.magnitude.reshape(shape))


def operands_of(problem: ConvProblem, tensors: Tensors) -> dict[str, Array]:
    """Return the tensors that are convolved, along the canonical axes, in float64."""
    roles = [role for role in ("input", "weight", "output") if role != problem.result]
    return {role: np.asarray(grouped(problem, role, np.asarray(tensors[role]))).astype(np.float64) for role in roles}


def finish(problem: ConvProblem, tensors: Tensors, value: Array, magnitude: Array) -> Expected:
    """Apply the epilogue, along the canonical axes."""
    e, roles = problem.epilogue, [f"d{i}" for i in range(len(problem.d))]
    operands = (grouped(problem, role, np.asarray(tensors[role])).astype(np.float64) for role in roles)
    return Expected(*e.finished(value, (magnitude,), operands, activated, gone_back))


def convolve(problem: ConvProblem, read: Mapping[str, Array], padding: bool = False) -> Array:
    """Return the bare convolution of canonical float64 tensors, without epilogue. `padding`: see `expected`."""
    return {"forward": _forward, "backward_data": _backward_data, "backward_weight": _backward_weight}[
        problem.direction
    ](problem, read, padding)


def _forward(p: ConvProblem, read: Mapping[str, Array], padding: bool) -> Array:
    padded, weight, inside = _padded(p, read["input"]), read["weight"], _inside(p, padding)
    out = np.zeros((p.n, p.g, p.k_group, _count(p.output)))
    for tap, window in _taps(p):
        pixels = padded[along(*window)].reshape(p.n, p.g, p.c_group, -1)
        out += np.where(inside[window].reshape(-1), np.matmul(weight[along(*tap)], pixels), 0.0)
    return out.reshape(p.extents("output"))


def _backward_data(p: ConvProblem, read: Mapping[str, Array], padding: bool) -> Array:
    weight, grad = read["weight"], read["output"].reshape(p.n, p.g, p.k_group, -1)
    padded = np.zeros((p.n, p.g, p.c_group, *_padded_sizes(p)))
    for tap, window in _taps(p):
        part = np.matmul(weight[along(*tap)].swapaxes(1, 2), grad)
        padded[along(*window)] += part.reshape(p.n, p.g, p.c_group, *p.output)
        if padding:
            outside = np.ones(_padded_sizes(p), bool)
            outside[window] = False
            zeros = (weight[along(*tap)] * 0.0).sum(axis=1).reshape(p.g, p.c_group, *(1 for _ in p.input))
            padded += np.where(outside, zeros, 0.0)
    inner = tuple(slice(left, left + size) for size, (left, _) in zip(p.input, p.pad, strict=True))
    return np.asarray(padded[along(*inner)])


def _backward_weight(p: ConvProblem, read: Mapping[str, Array], padding: bool) -> Array:
    padded, grad = _padded(p, read["input"]), read["output"].reshape(p.n, p.g, p.k_group, -1)
    out, inside = np.zeros(p.extents("weight")), _inside(p, padding)
    for tap, window in _taps(p):
        pixels = padded[along(*window)].reshape(p.n, p.g, p.c_group, -1)
        seen = np.where(inside[window].reshape(-1), grad, 0.0)
        out[along(*tap)] = np.matmul(seen, pixels.swapaxes(2, 3)).sum(axis=0)
    return out


def _inside(p: ConvProblem, padding: bool) -> npt.NDArray[np.bool_]:
    """Return which positions of the padded input count: all of them with `padding`, else those of the input."""
    return np.pad(np.ones(p.input, bool), p.pad, constant_values=padding)


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
