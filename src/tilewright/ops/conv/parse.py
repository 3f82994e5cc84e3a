"""Small forms of problem files: one number for all dimensions, one padding for both sides, a d operand as a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ProblemError, UnknownNameError
from ..gemm.epilogue import DTensor


def per_dim(value: Any, dims: int) -> tuple[Any, ...]:
    """A tuple with one entry per dimension; a number stands for all of them.

    >>> per_dim(2, 3), per_dim([1, 2], 2)
    ((2, 2, 2), (1, 2))
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    return (value,) * dims


def pairs(value: Any, dims: int) -> tuple[Any, ...]:
    """(left, right) paddings: a number counts for both sides.

    >>> pairs(1, 2), pairs([[0, 1], 2], 2)
    (((1, 1), (1, 1)), ((0, 1), (2, 2)))
    """
    return tuple(
        tuple(v) if isinstance(v, Sequence) and not isinstance(v, str) else (v, v) for v in per_dim(value, dims)
    )


def d_tensor(data: Any) -> DTensor:
    """One extra operand of the epilogue.

    >>> d_tensor({"dtype": "bf16", "broadcast": "row"}).broadcast
    'row'
    """
    if isinstance(data, DTensor):
        return data
    if not isinstance(data, Mapping) or "dtype" not in data:
        raise ProblemError(f"d operand {data!r} needs a dtype", remedy='write {"dtype": "bf16", "broadcast": "row"}')
    unknown = set(data) - {"dtype", "broadcast"}
    if unknown:
        raise UnknownNameError("d field", sorted(unknown)[0], ("dtype", "broadcast"))
    return DTensor(data["dtype"], data.get("broadcast", "none"))
