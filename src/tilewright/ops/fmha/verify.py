"""How far a correct attention may be from the reference, for each output, and which tier checks which size.

A kernel rounds its probabilities to the operands' dtype (8-bit operands: to fp16) before the second product, so their
error adds to the usual errors of the two sums. Errors of the logits enter through the exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

import numpy as np

from ...model.dtype import get_dtype
from ...model.op import Expected
from ..tolerance import SMALLEST, Tolerance
from ..verify import Verification, compare, require_tier
from .gather import Array, Place, lse_rows, places
from .problem import FmhaProblem
from .reference import Attended, Part, attend, weight_roundoff, whole

TIERS = ("float64", "rows")
FLOAT64_FLOPS = 4e9  # above this the whole float64 result takes too long for a user
SAMPLED_ROWS, SAMPLED_SEQUENCES = 16, 4
EXP_ROUNDINGS = 16.0  # of an exponential by polynomial or exp2 in fp32
U32 = 2.0**-24
WITHIN = Tolerance(0.0, 1.0, 1.0)  # the bound itself is passed as the magnitude

Compared = tuple[str, Array, Array, Any]  # role, value, bound, result


def verify(
    p: FmhaProblem,
    tensors: Mapping[str, Any],
    out: Any,
    *,
    tier: str | None = None,
    product_error: float = 0.0,
    seed: int = 0,
) -> Verification:
    """Compare `out` and every other written tensor with the reference; return the worst outcome.

    `out` is the main output; the others are read from `tensors`.
    """
    require_tier(tier, TIERS)
    tier = tier or ("float64" if p.flops <= FLOAT64_FLOPS else "rows")
    got = {role: np.asarray(tensors[role]) for role in p.outputs} | {p.outputs[0]: np.asarray(out)}
    parts = _compared(p, tensors, got, tier, np.random.default_rng(seed), product_error)
    results = [compare(Expected(v, b), g, WITHIN, p.dtype_of(role), tier) for role, v, b, g in parts]
    return max(results, key=lambda r: r.ratio, default=Verification(True, tier, 0.0, 0.0, 0.0, 0.0))


def _compared(
    p: FmhaProblem, tensors: Mapping[str, Any], got: Any, tier: str, rng: np.random.Generator, extra: float
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
        yield "out", a.value, out_bound(p, a, place, extra), got["out"][place.q][part.rows]
        if p.lse:
            bound = a.lse_size * ((EXP_ROUNDINGS + sqrt(p.hdim_q)) * U32 + extra)
            yield "lse", _finite(a.lse), bound, _finite(lse_rows(p, got["lse"], place)[:, part.rows])


def _finite(lse: Any) -> Any:
    """Replace the -inf LSE of rows that see no key by a number far from all others, which can be compared."""
    return np.where(np.isneginf(lse), -(2.0**100), lse)


def out_bound(p: FmhaProblem, a: Attended, place: Place, extra: float = 0.0) -> Array:
    """Return the largest permitted difference of each output; `extra` is the error of one inexact product."""
    sums = (EXP_ROUNDINGS + sqrt(place.keys)) * U32 + 2.0 * (weight_roundoff(p) + extra)
    logits = (EXP_ROUNDINGS + sqrt(p.hdim_q)) * U32 + extra
    rounding = get_dtype(p.dtype_out).unit_roundoff * np.abs(a.value) + 0.5 * SMALLEST.get(p.dtype_out, 0.0)
    return np.asarray(rounding + sums * a.magnitude + logits * a.wobble)


def _backward(
    p: FmhaProblem, tensors: Any, got: Any, tier: str, rng: Any, extra: float, everywhere: list[Place]
) -> Iterator[Compared]:
    if tier == "float64" or p.dbias:  # the gradient of a shared bias needs every sequence
        from .backward import backward

        for role, e in backward(p, tensors).items():
            yield role, e.value, _gradient_bound(p, e.value, e.magnitude, extra), got[role]
        return
    from .backward import one_sequence

    group = p.heads_q // max(p.heads_kv, 1)
    for place in everywhere:
        head = rng.integers(0, p.heads_kv, 1)
        heads = head[0] * group + np.arange(group)
        for role, (value, magnitude) in one_sequence(p, tensors, place, head).items():
            rows = got[role][place.q][:, heads] if role == "dq" else got[role][place.k][:, head]
            yield role, value, _gradient_bound(p, value, magnitude, extra), rows


def _gradient_bound(p: FmhaProblem, value: Array, magnitude: Array, extra: float) -> Array:
    """Return the bound of a gradient: sums over keys, rows and grouped heads, with roundings between products."""
    length = max(p.seqlen_k, p.seqlen_q * (p.heads_q // max(p.heads_kv, 1)), p.hdim_q)
    relative = (EXP_ROUNDINGS + sqrt(length)) * U32 + 2.0 * (weight_roundoff(p) + extra)
    rounding = get_dtype(p.dtype).unit_roundoff * np.abs(value) + 0.5 * SMALLEST.get(p.dtype, 0.0)
    return np.asarray(rounding + relative * magnitude)


def _appended(p: FmhaProblem, tensors: Any, got: Any) -> Iterator[Compared]:
    """Yield the comparisons of an append: copies are exact; a rotated row is rounded once after two fp32 products."""
    from .append import append

    for role, e in append(p, tensors).items():
        turned = p.rope != "none" and role != "v"
        dtype = p.dtype_of(role)
        rounding = get_dtype(dtype).unit_roundoff * np.abs(e.value) + 0.5 * SMALLEST.get(dtype, 0.0)
        bound = rounding + 4.0 * U32 * e.magnitude if turned else np.zeros_like(e.value)
        yield role, e.value, bound, got[role]
