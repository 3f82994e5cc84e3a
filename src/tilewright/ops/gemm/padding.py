"""Sides padded to a multiple, for kernels that take only whole vectors: add zeros, and remove them again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...model.dtype import get_dtype
from .problem import GemmProblem

VECTOR_BYTES = 16


def padded_problem(problem: GemmProblem) -> GemmProblem | None:
    """Return the same product with whole vectors along the contiguous side of each matrix; None if it has them.

    Zeros change no sum. Packed weights and operands with prologues are left as they are, and so are groups and tensors
    with strides of their own: rules refuse those for other reasons.

    >>> from tilewright.ops import problem_from_dict
    >>> p = padded_problem(problem_from_dict({"op": "gemm", "m": 3, "n": 130, "k": 20, "dtype": "fp16"}))
    >>> p.m, p.n, p.k
    (3, 136, 24)
    """
    if problem.b_format != "plain" or problem.has_prologue or not _is_dense(problem):
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


def _is_dense(problem: GemmProblem) -> bool:
    plain, first = replace(problem, strides={}), 0 if problem.batch > 1 else 1  # the stride of one batch says nothing
    return not problem.groups and not any(
        role.startswith("scale") or given[first:] != plain.stride(role)[first:]
        for role, given in problem.strides.items()
    )


def copy_in(source: Any, target: Any) -> None:
    """Copy `source` into the corner of the zero-filled `target`; leading dimensions of 1 may be left out of either."""
    _corner(target, source.shape)[...] = source


def copy_out(source: Any, target: Any) -> None:
    """Copy the corner of the padded `source` into `target`."""
    target[...] = _corner(source, target.shape)


def _corner(padded: Any, shape: Any) -> Any:
    """Return the first elements of a padded tensor; assignments let leading dimensions of 1 differ."""
    return padded[(..., *(slice(n) for n in tuple(shape)[-len(padded.shape) :]))]
