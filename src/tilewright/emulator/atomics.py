"""Read-modify-write operations on memory, lane by lane in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .numeric import F16, F32, F64, I32, I64, U16, U32, U64, bits_of_bf16, float_of_bf16, larger, smaller


def _halves(combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def both(old: Any, new: Any) -> Any:
        pairs = [np.array([x], U32).view(U16) for x in (old, new)]
        return np.array([combine(a, b) for a, b in zip(*pairs, strict=True)], U16).view(U32)[0]

    return both


def _add_half(a: Any, b: Any) -> Any:
    return (a.view(F16) + b.view(F16)).view(U16)


def _add_bf16(a: Any, b: Any) -> Any:
    total = float_of_bf16(U32(a)) + float_of_bf16(U32(b))
    return U16(bits_of_bf16(np.asarray(total)))


def _as(kind: Any, combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(old: Any, new: Any) -> Any:
        return kind(combine(old.view(kind), new.view(kind))).view(old.dtype)

    return apply


# Operation by (kind, bytes): (old, new) -> what memory holds afterwards.
COMBINE: dict[tuple[str, int], Callable[[Any, Any], Any]] = {
    ("add", 4): lambda old, new: old + new,
    ("add", 8): lambda old, new: old + new,
    ("sub", 4): lambda old, new: old - new,
    ("and", 4): lambda old, new: old & new,
    ("or", 4): lambda old, new: old | new,
    ("xor", 4): lambda old, new: old ^ new,
    ("and", 8): lambda old, new: old & new,
    ("or", 8): lambda old, new: old | new,
    ("swap", 4): lambda old, new: new,
    ("swap", 8): lambda old, new: new,
    ("umax", 4): max,
    ("umin", 4): min,
    ("umax", 8): max,
    ("umin", 8): min,
    ("smax", 4): _as(I32, max),
    ("smin", 4): _as(I32, min),
    ("smax", 8): _as(I64, max),
    ("smin", 8): _as(I64, min),
    ("inc", 4): lambda old, new: U32(0) if old >= new else old + U32(1),
    ("dec", 4): lambda old, new: new if old == 0 or old > new else old - U32(1),
    ("add_f32", 4): _as(F32, lambda a, b: a + b),
    ("max_f32", 4): _as(F32, larger),
    ("min_f32", 4): _as(F32, smaller),
    ("add_f64", 8): _as(F64, lambda a, b: a + b),
    ("pk_add_f16", 4): _halves(_add_half),
    ("pk_add_bf16", 4): _halves(_add_bf16),
}
BULK = {
    ("add", 4): (np.add, U32),
    ("add", 8): (np.add, U64),
    ("add_f32", 4): (np.add, F32),
    ("add_f64", 8): (np.add, F64),
}


def apply_atomic(view: Any, at: Any, values: list[Any], kind: str, mask: Any) -> Any:
    """Apply an operation at elements `at` of `view` for the lanes of `mask`; return the old values.

    `values` holds the operand, and for cmpswap the value to compare with behind it.
    """
    size = view.dtype.itemsize
    old = np.zeros(at.shape, view.dtype)
    operand = np.broadcast_to(values[0], at.shape)
    compare = np.broadcast_to(values[1], at.shape) if kind == "cmpswap" else operand
    combine = COMBINE.get((kind, size))
    for place in zip(*np.nonzero(mask), strict=True):
        cell = at[place]
        before = old[place] = view[cell]
        if combine is None:  # compare and swap
            view[cell] = operand[place] if before == compare[place] else before
        else:
            view[cell] = combine(before, operand[place])
    return old


def add_in_bulk(view: Any, at: Any, value: Any, kind: str, mask: Any) -> bool:
    """Do an addition whose old values nobody reads, all lanes at once; return whether that was possible."""
    found = BULK.get((kind, view.dtype.itemsize))
    if found is None:
        return False
    function, dtype = found
    function.at(view.view(dtype), at[mask], np.broadcast_to(value, at.shape)[mask].view(dtype))
    return True
