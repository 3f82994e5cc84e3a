"""Tensors of a convolution: whether they fit their problem, and new random ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...model.problem import refitted
from ...model.tensor import TensorView, Views
from ..tensors import alignment_classes, drawn, mismatches_of, poison, strided_zeros
from .problem import ConvProblem
from .shapes import accepted_shapes, canonical_strides

UNALIGNED = ("output", "roles", "signature", "gemm", "_extents", "_strides", "_reaches")  # no address decides these


def mismatches(problem: ConvProblem, views: Views) -> list[str]:
    """Return every mismatch of `views` and `problem`: roles, dtypes, shapes, strides, device, overlap, writability."""
    return mismatches_of(problem, views, problem.dtype, _fit, (problem.result,), may_alias(problem))


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


def fitted(problem: ConvProblem, views: Views) -> ConvProblem:
    """Return the problem with the strides of tensors that are not dense, and the alignment classes of GPU pointers."""
    strides = dict(problem.strides)
    for role, view in views.items():
        got = canonical_strides(problem, role, view.shape, view.strides)
        extents = problem.extents(role)
        if got and any(n > 1 and a != b for n, a, b in zip(extents, got, problem.stride_of(role), strict=True)):
            strides[role] = got
    alignment = alignment_classes(views, problem.device)
    if strides != problem.strides:
        return replace(problem, strides=strides, alignment=alignment)
    return refitted(problem, UNALIGNED, alignment=alignment) if alignment else problem


def may_alias(problem: ConvProblem) -> dict[str, str]:
    """Return the D operands, which may be accumulated in place."""
    return dict.fromkeys(problem.roles[3:], problem.result)


def random_tensors(problem: ConvProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role in torch's shapes, with the problem's layout and strides; poison the result."""
    rng = np.random.default_rng(seed)
    tensors: dict[str, Any] = {}
    for role in problem.roles:
        dtype = problem.dtype(role)
        array = empty(problem, role)
        array[...] = poison(dtype) if role == problem.result else drawn(rng, array.shape, dtype)
        tensors[role] = array
    return tensors


def empty(problem: ConvProblem, role: str) -> Any:
    """Return a NumPy array of zeros for a role, in torch's shape and with the problem's strides."""
    return strided_zeros(problem.shape(role), torch_strides(problem, role), problem.dtype(role))


def torch_strides(problem: ConvProblem, role: str) -> tuple[int, ...]:
    """Return the strides of a role, in elements, along the axes of torch's shape."""
    s = problem.stride_of(role)
    if len(problem.shape(role)) == 1:
        return (s[2],)
    weight = role == "weight" or (role not in ("input", "output") and problem.result == "weight")
    return s[1:] if weight else (s[0], *s[2:])
