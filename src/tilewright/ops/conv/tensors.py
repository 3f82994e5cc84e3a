"""Tensors of a convolution: whether they fit their problem, and fresh random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model.dtype import get_dtype, numpy_dtype
from ...model.tensor import TensorView
from .problem import ConvProblem
from .shapes import accepted_shapes, canonical_strides

ALIGNMENT = 64  # what tensor libraries grant; vector kernels are faster on it
POISON = {"float": float("nan"), "int": -(2**31) + 1}


def mismatches(problem: ConvProblem, views: Mapping[str, TensorView]) -> list[str]:
    """Every way in which `views` do not fit `problem`: roles, dtypes, shapes, strides, device, overlap, writability."""
    found = [f"{r} is missing" for r in problem.roles if r not in views]
    found += [
        f"{r} is not a tensor of this problem ({', '.join(problem.roles)})" for r in views if r not in problem.roles
    ]
    if found:
        return found
    for role in problem.roles:
        view = views[role]
        if view.dtype != problem.dtype(role):
            found.append(f"{role} has dtype {view.dtype}, the problem says {problem.dtype(role)}")
        if view.device != problem.device:
            found.append(f"{role} is on {view.device}, the problem is on {problem.device}")
        found += _fit(problem, role, view)
    return found + _result_mistakes(problem, views)


def _fit(problem: ConvProblem, role: str, view: TensorView) -> list[str]:
    got = canonical_strides(problem, role, view.shape, view.strides)
    if got is None:
        usual, literal = accepted_shapes(problem, role)
        return [f"{role} has shape {view.shape}, the problem needs {usual}, or {literal} in the order of its layout"]
    want, extents = problem.stride_of(role), problem.extents(role)
    if any(n > 1 and a != b for n, a, b in zip(extents, got, want, strict=True)):
        axes = "(g, k, c, filter...)" if role == "weight" else "(n, g, channel, spatial...)"
        return [f"{role} has strides {got} along {axes}, the problem says {want} (layout {problem.layout})"]
    return []


def _result_mistakes(problem: ConvProblem, views: Mapping[str, TensorView]) -> list[str]:
    result = views[problem.result]
    found = [f"{problem.result}, which is computed, is not writable"] if result.readonly else []
    if any(s == 0 and n > 1 for s, n in zip(result.strides, result.shape, strict=True)):
        found.append(f"{problem.result} has strides {result.strides}: several elements share one address")
    for role, view in views.items():
        is_d = role not in ("input", "weight", "output")
        if role != problem.result and result.overlaps(view) and not (is_d and result.same_memory(view)):
            found.append(f"{problem.result}, which is computed, overlaps {role} in memory")
    return found


def random_tensors(problem: ConvProblem, seed: int) -> dict[str, Any]:
    """Fresh tensors of every role in torch's shapes, in the problem's layout and strides; the result holds poison."""
    rng = np.random.default_rng(seed)
    tensors: dict[str, Any] = {}
    for role in problem.roles:
        dtype = problem.dtype(role)
        array = empty(problem, role)
        array[...] = POISON[get_dtype(dtype).kind] if role == problem.result else _draw(rng, array.shape, dtype)
        tensors[role] = array
    return tensors


def _draw(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> Any:
    if get_dtype(dtype).kind == "int":
        return rng.integers(-100, 101, shape)
    return rng.standard_normal(shape, dtype=np.float32).astype(numpy_dtype(dtype))


def empty(problem: ConvProblem, role: str) -> Any:
    """A NumPy array of zeros for a role, in torch's shape and with the problem's strides."""
    dtype, shape = numpy_dtype(problem.dtype(role)), problem.shape(role)
    strides = torch_strides(problem, role)
    reaches = [step * (n - 1) for step, n in zip(strides, shape, strict=True)]
    start = -sum(r for r in reaches if r < 0)
    count = start + sum(r for r in reaches if r > 0) + 1
    storage = np.zeros(count * dtype.itemsize + ALIGNMENT, np.uint8)
    first = -storage.__array_interface__["data"][0] % ALIGNMENT + start * dtype.itemsize
    return np.ndarray(shape, dtype, storage, first, [x * dtype.itemsize for x in strides])


def torch_strides(problem: ConvProblem, role: str) -> tuple[int, ...]:
    """The strides of a role, in elements, along the axes of torch's shape."""
    s = problem.stride_of(role)
    if len(problem.shape(role)) == 1:
        return (s[2],)
    weight = role == "weight" or (role not in ("input", "output") and problem.result == "weight")
    return s[1:] if weight else (s[0], *s[2:])
