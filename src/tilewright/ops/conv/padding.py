"""Channels padded to a multiple, for kernels that take only whole vectors: add zero channels, and remove them again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .problem import ConvProblem
from .shapes import grouped

MULTIPLE = 8  # elements: 16 bytes of a 16-bit dtype


def padded_problem(problem: ConvProblem, multiple: int = MULTIPLE) -> ConvProblem | None:
    """Return the same convolution with the channels of each group rounded up; None if they are already multiples.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "g": 2, "c": 6, "k": 16, "input": [5], "filter": [3], "dtype": "fp16"}
    >>> p = padded_problem(problem_from_dict({"op": "grouped_conv", "direction": "forward", **size}))
    >>> p.c, p.k
    (16, 16)
    """
    c, k = (-(-size // multiple) * multiple * problem.g for size in (problem.c_group, problem.k_group))
    if (c, k) == (problem.c, problem.k):
        return None
    return replace(problem, c=c, k=k, strides={}, alignment={})


def copy_in(problem: ConvProblem, padded: ConvProblem, role: str, source: Any, target: Any) -> None:
    """Copy `source` into the corner of the zero-filled `target`."""
    part = _corner(problem, padded, role, target)
    part[...] = grouped(problem, role, source)


def copy_out(problem: ConvProblem, padded: ConvProblem, role: str, source: Any, target: Any) -> None:
    """Copy the corner of the padded `source` into `target`."""
    grouped(problem, role, target)[...] = _corner(problem, padded, role, source)


def _corner(problem: ConvProblem, padded: ConvProblem, role: str, array: Any) -> Any:
    return grouped(padded, role, array)[tuple(slice(n) for n in problem.extents(role))]
