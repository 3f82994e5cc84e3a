"""Common functions for tensors of all ops: whether they fit their problem, and values of new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import TensorError
from ..model.device import how_to_move, memory_of
from ..model.dtype import get_dtype, numpy_dtype
from ..model.problem import Problem, needed_alignment
from ..model.tensor import VECTOR, TensorView, Views

# A cache line, as in tensor libraries: on AMX, operands elsewhere cost a quarter more in the median, and up to twice.
ALIGNMENT = 64


def alignment_classes(views: Views, device: str) -> dict[str, int]:
    """Return pointer alignment up to 16 bytes per role; empty on the CPU, whose kernels take any address.

    >>> alignment_classes({}, "cuda:0")
    {}
    """
    return {} if device == "cpu" else {r: min(v.alignment, VECTOR) for r, v in views.items()}


def poison(dtype: str) -> float:
    """Return the value of a result before it is computed: NaN, or the second smallest integer.

    >>> poison("fp16"), poison("int8")
    (nan, -127)
    """
    of = get_dtype(dtype)
    return float("nan") if of.kind == "float" else 1 - 2 ** (of.bits - 1)


def mismatches_of(
    problem: Problem,
    views: Views,
    dtype: Callable[[str], str],
    fit: Callable[[Any, str, TensorView], list[str]],
    written: Sequence[str],
    may_alias: Mapping[str, str],
    scalar_roles: Sequence[str] = (),
) -> list[str]:
    """Return every mismatch of `views` and `problem`: roles first; if those fit, dtypes, devices, the result of `fit`
    for each tensor, and whether those of `written` can be written."""
    roles = problem.roles
    found = [f"{r} is missing" for r in roles if r not in views]
    found += [f"{r} is not a tensor of this problem ({', '.join(roles)})" for r in views if r not in roles]
    if found:
        return found
    for role in roles:
        view = views[role]
        if view.dtype != dtype(role):
            found.append(f"{role} has dtype {view.dtype}, the problem says {dtype(role)}")
        if memory_of(view.device) != memory_of(problem.device):
            found.append(f"{role} is on {view.device}, the problem is on {problem.device}" + _moving(problem, view))
        found += fit(problem, role, view)
        if problem.device != "cpu":  # whose kernels take any address
            found += _misaligned(role, view, needed_alignment(problem, role, scalar_roles))
    return found + written_mistakes(views, written, may_alias)


def _misaligned(role: str, view: TensorView, stated: int) -> list[str]:
    """Return why kernels of a GPU cannot use an address."""
    if view.alignment >= stated or view.extent[0] == view.extent[1]:
        return []
    said = f"alignment {{{role!r}: {view.alignment}}} in the problem chooses kernels that take it"
    return [f"{role} is not at a multiple of {stated} bytes, as the problem says; {said}"]


def _moving(problem: Problem, view: TensorView) -> str:
    """Return how a host array comes to the GPU of the problem; nothing for other pairs of devices."""
    return f": {how_to_move(problem.device)}" if view.device == "cpu" else ""


def written_mistakes(views: Views, written: Sequence[str], may_alias: Mapping[str, str]) -> list[str]:
    """Return why tensors of `written` cannot be: they are read-only, or share memory with themselves or with another.

    A tensor may share the memory of the written one that `may_alias` names for it.
    """
    found = []
    for place, role in enumerate(written):
        out = views[role]
        if out.readonly:
            found.append(f"{role} is not writable")
        if out.overlaps_itself:
            found.append(f"{role} has strides {out.strides}: several elements share one address")
        for other, view in views.items():
            if other in written[: place + 1] or not out.overlaps(view):
                continue
            if may_alias.get(other) != role or not out.same_memory(view):
                found.append(f"{role} overlaps {other} in memory")
    return found


def refuse_other_dtype(role: str, view: TensorView | None, dtype: str | None) -> None:
    """Raise `TensorError` if the caller gives both a tensor to write to and another dtype.

    >>> refuse_other_dtype("out", None, "fp16")
    """
    if view is not None and dtype is not None and view.dtype != get_dtype(dtype).name:
        raise TensorError(
            f"{role} has dtype {view.dtype}, but out_dtype is {dtype}",
            remedy=f"omit out_dtype, or give an {role} of that dtype",
        )


def strided_zeros(shape: Sequence[int], strides: Sequence[int], dtype: str) -> Any:
    """Return a NumPy array of zeros with these strides in elements, negative ones too; its memory begins at a multiple
    of `ALIGNMENT` bytes.

    >>> strided_zeros((2, 3), (-4, 1), "fp32").strides
    (-16, 4)
    """
    kind = numpy_dtype(dtype)
    reaches = [step * (n - 1) for step, n in zip(strides, shape, strict=True)]
    start = -sum(r for r in reaches if r < 0)
    count = start + sum(r for r in reaches if r > 0) + 1
    storage = np.zeros(count * kind.itemsize + ALIGNMENT, np.uint8)
    first = -storage.__array_interface__["data"][0] % ALIGNMENT + start * kind.itemsize
    return np.ndarray(shape, kind, storage, first, [step * kind.itemsize for step in strides])


def drawn(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> Any:
    """Return random numbers: integers up to 100, or floats of the normal distribution.

    >>> drawn(np.random.default_rng(0), (2, 3), "fp16").dtype
    dtype('float16')
    """
    if get_dtype(dtype).kind == "int":
        return rng.integers(-100, 101, shape)
    return rng.standard_normal(shape, dtype=np.float32).astype(numpy_dtype(dtype))
