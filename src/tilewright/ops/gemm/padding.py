"""Sides padded to a multiple, for kernels that take only whole vectors: add zeros, and remove them again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...model.dtype import get_dtype
from .problem import GemmProblem

VECTOR_BYTES = 16


def padded_problem(problem: GemmProblem) -> GemmProblem | None:
    """Return the same product with whole vectors along the contiguous side of each matrix; None if it has them.

    Zeros change no sum. Packed weights are left as they are.

    >>> from tilewright.ops import problem_from_dict
    >>> p = padded_problem(problem_from_dict({"op": "gemm", "m": 3, "n": 130, "k": 20, "dtype": "fp16"}))
    >>> p.m, p.n, p.k
    (3, 136, 24)
    """
    if problem.b_format != "plain":
        return None
    sides = {name: getattr(problem, name) for name in "mnk"}
    matrices = (("a", "m", "k"), ("b", "k", "n"), ("out", "m", "n"))
    for letter, (role, rows, columns) in zip(problem.layout[:3], matrices, strict=True):
        along = columns if letter == "r" else rows
        multiple = max(8, round(VECTOR_BYTES / get_dtype(problem.dtype(role)).bytes))
        sides[along] = max(sides[along], -(-getattr(problem, along) // multiple) * multiple)
    if sides == {name: getattr(problem, name) for name in "mnk"}:
        return None
    return replace(problem, **sides, strides={}, alignment={})


def copy_in(source: Any, target: Any) -> None:
    """Copy `source` into the corner of the zero-filled `target`."""
    target[tuple(slice(n) for n in source.shape)] = source


def copy_out(source: Any, target: Any) -> None:
    """Copy the corner of the padded `source` into `target`."""
    target[...] = source[tuple(slice(n) for n in target.shape)]
