"""How far a correct attention may be from the reference, for each output, and which tier checks which size.

A kernel rounds its probabilities to the operands' dtype (8-bit operands: to fp16) before the second product, so their
error adds to the usual errors of the two sums. Errors of the logits enter through the exponential.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...model.dtype import get_dtype
from ...model.inexact import Inexact
from ...model.op import Expected
from ...model.tensor import Tensors
from ..drift import Honest, shared_bias
from ..smallest import SMALLEST
from ..tolerance import Tolerance
from ..verify import Verification, compare, require_tier
from .gather import Array, Place, lse_rows, places
from .problem import FmhaProblem
from .reference import Attended, Part, attend, largest_of, weight_dtype, weight_roundoff, whole
from .signature import EIGHT_BIT

if TYPE_CHECKING:
    from .backward import Gradient

TIERS = ("float64", "rows")
FLOAT64_FLOPS = 4e9  # above this the whole float64 result takes too long for a user
SAMPLED_ROWS, SAMPLED_SEQUENCES = 16, 4
EXP_ROUNDINGS = 16.0  # of an exponential by polynomial or exp2 in fp32
U32 = 2.0**-24
NARROW_SUM = 2.0**-11  # the coarsest sum of products of 8-bit floats, which are exact: Hopper keeps about 14 bits
WIDEST_BIAS = 2.0**-9  # of tf32; coarser roundings are to the nearest, which shares nothing
WEIGHT_SIGMAS = 6.0  # a rounding to the nearest is at most 1.7 times its root mean square: 10 of those
WITHIN = Tolerance(0.0, 1.0, 1.0)  # the bound itself is passed as the magnitude


class Compared(NamedTuple):
    """A result and its reference: of one sequence, or of a whole tensor if `place` is None."""

    role: str
    value: Array
    bound: Array
    got: Any
    place: Place | None = None
    part: Part | None = None
    honest: Honest | None = None


def verify(
    p: FmhaProblem,
    tensors: Tensors,
    out: Any,
    *,
    tier: str | None = None,
    product_error: Inexact | float = 0.0,
    seed: int = 0,
) -> Verification:
    """Compare `out` and every other written tensor with the reference; return the worst outcome.

    `out` is the main output; the others are read from `tensors`.
    """
    require_tier(tier, TIERS)
    inexact = Inexact.of(product_error)
    tier = tier or ("float64" if p.flops <= FLOAT64_FLOPS else "rows")
    got = {role: np.asarray(tensors[role]) for role in p.outputs} | {p.outputs[0]: np.asarray(out)}
    parts = _compared(p, tensors, got, tier, np.random.default_rng(seed), inexact.every_term)
    results = [_outcome(p, tensors, _cut_off(c, inexact.shared), tier) for c in parts]
    return max(results, key=lambda r: r.ratio, default=Verification(True, tier, 0.0, 0.0, 0.0, 0.0))


def _cut_off(c: Compared, shared: float) -> Compared:
    """Return the comparison with room for operands that are cut off instead of rounded."""
    if not shared or c.honest is None:
        return c
    size = shared * np.abs(c.value)
    honest = replace(c.honest, noise=c.honest.noise + size, bias=c.honest.bias + shared)
    return c._replace(bound=c.bound + size, honest=honest)


def _outcome(p: FmhaProblem, tensors: Tensors, c: Compared, tier: str) -> Verification:
    """Compare; name the tensor, the index in it and the sequence of the worst element."""
    found = compare(Expected(c.value, c.bound), c.got, WITHIN, p.dtype_of(c.role), tier, c.honest)
    if found.along:
        return replace(found, tensor=c.role, sequence=c.place.b if c.place is not None else None)
    if not found.where:
        return found
    where, sequence = _located(p, c, found.where), None
    if c.place is not None:
        sequence = c.place.b
    elif c.role != "dbias" and not (p.page_size and c.role in ("k", "v")):  # those belong to no sequence alone
        sequence = _sequence(p, tensors, c.role, where)
    return replace(found, where=where, tensor=c.role, sequence=sequence)


def _located(p: FmhaProblem, c: Compared, where: tuple[int, ...]) -> tuple[int, ...]:
    """Return the index in the tensor of an index in the compared part."""
    if c.place is None or c.part is None:
        return where
    first = c.place.k if c.role in ("dk", "dv") else c.place.q
    head, row = where if c.role == "lse" else where[1::-1]
    head, row = int(c.part.heads[head]), int(c.part.rows[row]) + (first.start if p.mode == "group" else 0)
    rest = (head, row) if c.role == "lse" else (row, head, *where[2:])
    return rest if p.mode == "group" else (c.place.b, *rest)


def _sequence(p: FmhaProblem, tensors: Tensors, role: str, where: tuple[int, ...]) -> int:
    """Return the sequence of an index in a whole tensor."""
    if p.mode != "group":
        return where[0]
    starts = np.asarray(tensors["cu_seqlens_k" if role in ("dk", "dv") else "cu_seqlens_q"])
    return int(np.searchsorted(starts, where[0], side="right")) - 1


def _compared(
    p: FmhaProblem, tensors: Tensors, got: Any, tier: str, rng: np.random.Generator, extra: float
) -> Iterator[Compared]:
    if p.family == "fwd_appendkv":
        yield from _appended(p, tensors, got)
        return
    everywhere = places(p, tensors)
    if tier == "rows" and len(everywhere) > SAMPLED_SEQUENCES:
        chosen = rng.choice(len(everywhere), SAMPLED_SEQUENCES, replace=False)
        everywhere = [everywhere[i] for i in sorted(chosen)]
    if p.family == "bwd":
        yield from _backward(p, tensors, got, tier, rng, extra, everywhere)
        return
    for place in everywhere:
        part = whole(p, place)
        if tier == "rows" and place.rows:
            rows = rng.choice(place.rows, min(place.rows, SAMPLED_ROWS), replace=False)
            part = Part(part.heads, np.sort(rows))
        a = attend(p, tensors, place, part)
        bound, honest = out_bound(p, a, place, extra), _honest_out(p, a, place, extra)
        yield Compared("out", a.value, bound, got["out"][place.q][part.rows], place, part, honest)
        if p.lse:
            bound = a.lse_size * logit_error(p, extra)
            lse = _finite(lse_rows(p, got["lse"], place)[:, part.rows])
            yield Compared("lse", _finite(a.lse), bound, lse, place, part)


def _finite(lse: Any) -> Any:
    """Replace the -inf LSE of rows that see no key by a number far from all others, which can be compared."""
    return np.where(np.isneginf(lse), -(2.0**100), lse)


def out_bound(p: FmhaProblem, a: Attended, place: Place, extra: float = 0.0) -> Array:
    """Return the largest permitted difference of each output; `extra` is the error of one inexact product."""
    sums = (EXP_ROUNDINGS + sqrt(place.keys)) * U32 + _second_error(p, place.keys, extra)
    weights = weight_roundoff(p) * np.minimum(2.0 * a.magnitude, WEIGHT_SIGMAS * a.spread)
    weights = weights + _small_weights(p, place.keys, a.largest)
    rounding = get_dtype(p.dtype_out).unit_roundoff * np.abs(a.value) + 0.5 * SMALLEST.get(p.dtype_out, 0.0)
    return np.asarray(rounding + weights + sums * a.magnitude + logit_error(p, extra) * a.wobble)


def _small_weights(p: FmhaProblem, terms: int, largest: float) -> float:
    """Return what roundings of probabilities below the normal numbers may add up to: they are absolute.

    `largest` is the largest number that a probability is multiplied by.
    """
    return min(terms, WEIGHT_SIGMAS * sqrt(terms)) * 0.5 * SMALLEST.get(weight_dtype(p), 0.0) * largest


def _honest_out(p: FmhaProblem, a: Attended, place: Place, extra: float) -> Honest:
    """Return what a correct kernel does to all outputs together. A wrong scale moves them along `tilt`."""
    sums = (EXP_ROUNDINGS + sqrt(place.keys)) * U32
    narrow = _second_error(p, place.keys, extra) - extra if p.dtype in EIGHT_BIT else 0.0
    terms = (weight_roundoff(p) + extra) * a.spread + (sums + narrow) * a.magnitude + logit_error(p, extra) * a.wobble
    along = {"the derivative by the scale": a.tilt}
    return Honest(np.asarray(terms), _bias(p, place.keys, extra), along, a.shift)


def _bias(p: FmhaProblem, length: int, extra: float) -> float:
    """Return the relative error that all elements may share: sums that are cut off, and inexact products."""
    return shared_bias(U32, length + p.hdim_q) + 4.0 * min(extra, WIDEST_BIAS)


def logit_error(p: FmhaProblem, extra: float = 0.0) -> float:
    """Return the relative error of a logit. Products of 8-bit floats are exact in fp32, so only their sum adds to it.

    >>> p = FmhaProblem.from_dict({"batch": 1, "heads_q": 1, "seqlen_q": 8, "hdim_q": 64, "dtype": "fp8"})
    >>> logit_error(p, 2.0**-4) == logit_error(p, 2.0**-11) < 2.0**-10
    True
    """
    inexact = min(extra, NARROW_SUM) if p.dtype in EIGHT_BIT else extra
    return (EXP_ROUNDINGS + sqrt(p.hdim_q)) * U32 + inexact


def _second_error(p: FmhaProblem, keys: int, extra: float) -> float:
    """Return the relative error that inexact products add to the second sum.

    Of 8-bit operands it is the rounding of a probability, once: relative, and below the normal numbers half of the
    smallest step of a probability that was stretched to the largest number.
    """
    if p.dtype not in EIGHT_BIT:
        return 2.0 * extra
    step = 0.5 * SMALLEST[p.dtype] / get_dtype(p.dtype).max_value if extra > NARROW_SUM else 0.0
    return extra + min(extra, NARROW_SUM) + keys * step


def _backward(
    p: FmhaProblem, tensors: Any, got: Any, tier: str, rng: Any, extra: float, everywhere: list[Place]
) -> Iterator[Compared]:
    largest = max(1.0, abs(p.softmax_scale)) * largest_of(*(tensors[role] for role in ("q", "k", "dout")))

    def limits(role: str, g: Gradient) -> tuple[Array, Honest | None]:
        return _gradient_bound(p, g.value, g.magnitude, extra, largest), _honest_gradient(p, role, g, extra)

    if tier == "float64" or p.dbias:  # the gradient of a shared bias needs every sequence
        from .backward import all_sequences

        for role, g in all_sequences(p, tensors).items():
            bound, honest = limits(role, g)
            yield Compared(role, g.value, bound, got[role], honest=honest)
        return
    from .backward import one_sequence

    group = p.heads_q // max(p.heads_kv, 1)
    for place in everywhere:
        head = rng.integers(0, p.heads_kv, 1)
        heads = head[0] * group + np.arange(group)
        for role, g in one_sequence(p, tensors, place, head).items():
            own = Part(heads, np.arange(place.rows)) if role == "dq" else Part(head, np.arange(place.keys))
            rows = got[role][place.q if role == "dq" else place.k][:, own.heads]
            bound, honest = limits(role, g)
            yield Compared(role, g.value, bound, rows, place, own, honest)


def _gradient_bound(p: FmhaProblem, value: Array, magnitude: Array, extra: float, largest: float) -> Array:
    """Return the bound of a gradient: sums over keys, rows and grouped heads, with roundings between products."""
    relative = (EXP_ROUNDINGS + sqrt(_gradient_length(p))) * U32 + 2.0 * (weight_roundoff(p) + extra)
    rounding = get_dtype(p.dtype).unit_roundoff * np.abs(value) + 0.5 * SMALLEST.get(p.dtype, 0.0)
    return np.asarray(rounding + relative * magnitude + _small_weights(p, _gradient_length(p), largest))


def _gradient_length(p: FmhaProblem) -> int:
    return max(p.seqlen_k, p.seqlen_q * (p.heads_q // max(p.heads_kv, 1)), p.hdim_q)


def _honest_gradient(p: FmhaProblem, role: str, g: Gradient, extra: float) -> Honest | None:
    """Return what a correct kernel does to all elements of a gradient together."""
    if role == "dbias":
        return None
    length = _gradient_length(p)
    terms = (weight_roundoff(p) + 2.0 * extra) * g.spread + (EXP_ROUNDINGS + sqrt(length)) * U32 * g.magnitude
    return Honest(np.asarray(terms), _bias(p, length, extra), shift=g.shift)


def _appended(p: FmhaProblem, tensors: Any, got: Any) -> Iterator[Compared]:
    """Yield the comparisons of an append: copies are exact; a rotated row is rounded once after two fp32 products."""
    from .append import append

    for role, e in append(p, tensors).items():
        turned = p.rope != "none" and role != "v"
        dtype = p.dtype_of(role)
        rounding = get_dtype(dtype).unit_roundoff * np.abs(e.value) + 0.5 * SMALLEST.get(dtype, 0.0)
        bound = rounding + 4.0 * U32 * e.magnitude if turned else np.zeros_like(e.value)
        yield Compared(role, e.value, bound, got[role])
