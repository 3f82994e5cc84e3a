"""Checks of a convolution problem; all mistakes are found in one pass."""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any

from ...errors import UnknownNameError
from ...model.dtype import get_dtype
from ...model.expr import is_integer
from ...model.tensor import MAX_BYTES, overflows
from .layout import dims_of
from .signature import DIRECTIONS

if TYPE_CHECKING:
    from .problem import ConvProblem

MAX_D = 8


def mistakes_of(p: ConvProblem) -> list[str]:
    """Return what is wrong with a problem; raise `UnknownNameError` for an unknown dtype, direction or layout."""
    if p.direction not in DIRECTIONS:
        raise UnknownNameError("convolution direction", p.direction, DIRECTIONS)
    for name in ("dtype_input", "dtype_weight", "dtype_output", "dtype_acc"):
        get_dtype(getattr(p, name))
    dims = dims_of(p.layout)
    found = [] if _is_usual(p, dims) else _size_mistakes(p, dims) + _shape_mistakes(p)
    found += _epilogue_mistakes(p)
    if not found:
        found += _stride_mistakes(p) or _overflow_mistakes(p)
    return found


def _is_usual(p: ConvProblem, dims: int) -> bool:
    """Return whether sizes and shape are certainly right, at a fraction of the time that finding mistakes takes."""
    sizes, pads = (p.n, p.g, p.c, p.k, *p.input, *p.filter, *p.stride, *p.dilation), [*chain(*p.pad)]
    if len(sizes) != 4 + 4 * dims or len(pads) != 2 * dims or set(map(type, (*sizes, *pads))) != {int}:
        return False
    if len(p.input) != dims or len(p.filter) != dims or len(p.stride) != dims or len(p.pad) != dims:
        return False
    fits = min(sizes) >= 1 and min(pads) >= 0 and max(*sizes, *pads) <= MAX_BYTES and p.split_k is None
    if not fits or p.c % p.g or p.k % p.g:
        return False
    axes = zip(p.input, p.filter, p.dilation, pads[::2], pads[1::2], strict=True)
    return all((taps - 1) * step < size + left + right for size, taps, step, left, right in axes)


def _size_mistakes(p: ConvProblem, dims: int) -> list[str]:
    found = [f"{name} is {getattr(p, name)!r}; need an integer >= 1" for name in "ngck" if not _is(getattr(p, name), 1)]
    for name in ("input", "filter", "stride", "dilation"):
        values = getattr(p, name)
        if len(values) != dims:
            found.append(f"{name} has {len(values)} dimensions, layout {p.layout} has {dims}")
        found += [f"{name}[{i}] is {v!r}; need an integer >= 1" for i, v in enumerate(values) if not _is(v, 1)]
    if len(p.pad) != dims:
        found.append(f"pad has {len(p.pad)} dimensions, layout {p.layout} has {dims}")
    for i, pair in enumerate(p.pad):
        if len(pair) != 2 or not all(_is(v, 0) for v in pair):
            found.append(f"pad[{i}] is {list(pair)!r}; need an integer >= 0, or two of them (left, right)")
    if p.split_k is not None and not _is(p.split_k, 1):
        found.append(f"split_k is {p.split_k!r}; need an integer >= 1, or null to let tilewright choose")
    return found


def _shape_mistakes(p: ConvProblem) -> list[str]:
    """Return the contradictions between sizes that are valid by themselves."""
    channels = {name: getattr(p, name) for name in "ck"}
    found = [
        f"{name} = {size} does not divide into {p.g} groups"
        for name, size in channels.items()
        if _is(p.g, 1) and _is(size, 1) and size % p.g
    ]
    for i, (size, taps, dilation, pad) in enumerate(zip(p.input, p.filter, p.dilation, p.pad, strict=False)):
        if not all(_is(v, 1) for v in (size, taps, dilation)) or not all(_is(v, 0) for v in pad):
            continue
        reach, room = (taps - 1) * dilation + 1, size + sum(pad)
        if reach > room:
            found.append(
                f"filter[{i}] spans {reach} positions ({taps} taps, dilation {dilation}), the padded input has {room}"
            )
    return found


def _epilogue_mistakes(p: ConvProblem) -> list[str]:
    found = p.epilogue.mistakes(p.dtype_acc, p.d)
    if p.epilogue.is_gradient:
        found.append("combine gradient belongs to products; a convolution adds or multiplies its d")
    if len(p.d) > MAX_D:
        found.append(f"d has {len(p.d)} operands; at most {MAX_D}")
    for i, d in enumerate(p.d):
        if d.broadcast == "col":
            found.append(f"d{i} has broadcast col; a convolution takes none (full) or row (one value per channel)")
        if d.broadcast == "row" and p.direction == "backward_weight":
            found.append(f"d{i} has broadcast row; backward_weight takes none (full)")
    if p.direction != "forward" and (p.epilogue.activation != "none" or (p.d and p.epilogue.combine != "add")):
        found.append(
            f"{p.direction} takes no activation and combines d by add; got activation {p.epilogue.activation}, "
            f"combine {p.epilogue.combine}"
        )
    return found


def _stride_mistakes(p: ConvProblem) -> list[str]:
    found = [f"strides of {r!r}: no such tensor; there are {', '.join(p.roles)}" for r in p.strides if r not in p.roles]
    axes = "(n, g, c, spatial...), (g, k, c, filter...) or (n, g, k, spatial...)"
    found += [
        f"strides of {r!r}: {list(s)!r}; need {p.dims + 3} integers along {axes}"
        for r, s in p.strides.items()
        if len(s) != p.dims + 3 or not all(_is(v, -(2**62)) for v in s)
    ]
    return found


def _overflow_mistakes(p: ConvProblem) -> list[str]:
    # A quick bound, which few problems exceed: twice the products, which are more than the elements of any tensor.
    if not p.strides and 2 * p.n * p.k * p.c * prod(p.output) * prod(p.filter) * prod(p.input) < MAX_BYTES // 16:
        return []
    found = overflows({role: p.reach(role) for role in p.roles}, p.dtype)
    if p.gemm.flops > 2 * MAX_BYTES or 2 * prod((*p.output, p.n, p.k)) > MAX_BYTES:
        found.append("the implicit matrix product overflows 64 bits")
    return found


def _is(value: Any, least: int) -> bool:
    return is_integer(value) and least <= value <= MAX_BYTES
