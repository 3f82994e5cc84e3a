"""Short forms in problem files: one number for all dimensions, one padding for both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def per_dim(value: Any, dims: int) -> tuple[Any, ...]:
    """Return a tuple with one entry per dimension; a number applies to all of them.

    >>> per_dim(2, 3), per_dim([1, 2], 2)
    ((2, 2, 2), (1, 2))
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    return (value,) * dims


def pairs(value: Any, dims: int) -> tuple[Any, ...]:
    """Return (left, right) paddings; a number applies to both sides.

    >>> pairs(1, 2), pairs([[0, 1], 2], 2)
    (((1, 1), (1, 1)), ((0, 1), (2, 2)))
    """
    return tuple(
        tuple(v) if isinstance(v, Sequence) and not isinstance(v, str) else (v, v) for v in per_dim(value, dims)
    )
