"""The complete reference of attention in float64, and the magnitudes that rounding errors scale with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.dtype import get_dtype
from ...model.op import Expected
from ...model.tensor import Tensors
from ..drift import rounding_error
from .dropout import ck_keep_mask, keep_mask
from .gather import Array, Place, bias_rows, keys, lse_rows, places, queries, row_scales
from .mask import shift, visible
from .problem import FmhaProblem
from .signature import EIGHT_BIT

FAR = 1024.0  # an LSE that is not subtracted, where a bias can make one
ABSORBING = 2.0**64  # a bias of this size swallows every score


@dataclass(frozen=True)
class Scores:
    """Logits and probabilities of all heads of one sequence, and what the backward pass needs of them.

    Logits are cap(scale * q k) + bias. The error of a logit scales with `size`. `slope` is the derivative of the cap.
    `kept` is 0 for dropped elements and 1 / (1 - probability) for others. `lift` is what logits gain if the scale grows
    by their share. All are [heads, rows, keys]; `lse` is [heads, rows].
    """

    probability: Array
    kept: Array
    size: Array
    slope: Array
    lift: Array
    lse: Array


@dataclass(frozen=True)
class Part:
    """The heads and rows of a sequence to compute: all of them, or a sample."""

    heads: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]


def whole(p: FmhaProblem, place: Place) -> Part:
    """Return every head and row of a sequence."""
    return Part(np.arange(p.heads_q), np.arange(place.rows))


def scores(p: FmhaProblem, tensors: Tensors, place: Place, part: Part, lse: Array | None = None) -> Scores:
    """Return logits and probabilities of a part of a sequence; recomputed from `lse` if it is given.

    An LSE far from 0 has no room for the logarithm of a sum: kernels compute such rows without it.
    """
    group = p.heads_q // max(p.heads_kv, 1)
    q = queries(tensors, "q", place) * row_scales(p, tensors, "q", place, place.rows)
    k = keys(tensors, "k", place) * row_scales(p, tensors, "k", place, place.keys)
    q, k = q[part.rows][:, part.heads].transpose(1, 0, 2), k[:, part.heads // group].transpose(1, 2, 0)
    scale = p.softmax_scale
    logits = scale * np.matmul(q, k)
    size = abs(scale) * np.matmul(np.abs(q), np.abs(k))
    slope, lift = np.ones((1, 1, 1)), logits
    if p.soft_cap > 0:
        capped = np.tanh(logits / p.soft_cap)
        logits, slope = p.soft_cap * capped, 1.0 - capped**2
        lift = lift * slope
        size = np.minimum(size, 4.0 * p.soft_cap) + np.abs(logits)
    bias = _bias(p, tensors, place, part)
    logits, size = logits + bias, size + np.abs(bias)
    seen = visible(p, place.rows, place.keys)[part.rows]
    logits = np.where(seen, logits, -np.inf)
    # A score disappears in a huge bias, in float32 as in float64: such a logit is the bias itself, without an error.
    size = np.where(np.isneginf(logits) | (np.abs(bias) > ABSORBING), 0.0, size)
    if lse is None:
        probability, lse = _softmax(logits)
    else:
        with np.errstate(invalid="ignore"):
            probability = np.where(np.isneginf(lse)[..., None], 0.0, np.exp(logits - lse[..., None]))
        is_far = (np.abs(lse) > FAR) & np.isfinite(lse)
        if p.bias == "elementwise" and np.any(is_far):
            probability = np.where(is_far[..., None], _softmax(logits)[0], probability)
    return Scores(probability, _kept(p, tensors, place, part), size, slope, lift, lse)


def _bias(p: FmhaProblem, tensors: Tensors, place: Place, part: Part) -> Array:
    if p.bias == "none":
        return np.zeros((1, 1, 1))
    if p.bias == "elementwise":
        bias = np.asarray(bias_rows(p, np.asarray(tensors["bias"]), place)).astype(np.float64)
        return np.asarray((bias if p.bias_heads == 1 else bias[part.heads])[:, part.rows])
    slopes = np.asarray(tensors["bias"]).astype(np.float64)[place.b if p.bias_batch > 1 else 0][part.heads]
    position = part.rows + shift(p, place.rows, place.keys)
    distance = np.abs(position[:, None] - np.arange(place.keys))
    return np.asarray(-slopes[:, None, None] * distance)


def _kept(p: FmhaProblem, tensors: Tensors, place: Place, part: Part) -> Array:
    if p.dropout == 0:
        return np.ones((1, 1, 1))
    mask = ck_keep_mask if p.dropout_rng == "ck" else keep_mask
    keep = mask(tensors["rng"], place.b * p.heads_q, part.heads, part.rows, place.keys, p.dropout)
    return np.asarray(keep / (1.0 - p.dropout))


def _softmax(logits: Array) -> tuple[Array, Array]:
    """Return (probabilities, LSE); zeros and -inf for a row without keys.

    Probabilities are not computed from the LSE: that of huge negative logits has no room for the logarithm of a sum.
    """
    top = np.max(logits, axis=-1, keepdims=True, initial=-np.inf)
    safe = np.where(np.isneginf(top), 0.0, top)
    powers = np.exp(logits - safe)
    total = np.sum(powers, axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (safe + np.log(total))[..., 0]
    return np.asarray(powers / np.where(total == 0.0, 1.0, total)), np.asarray(lse)


@dataclass(frozen=True)
class Attended:
    """[rows, heads, hdim_v] of a part: the output, the same on absolute values (`magnitude`: errors of rounded
    probabilities and of the second sum scale with it), and the scale of errors of the logits (`wobble`). `spread` is
    the root of the sum of squared terms: independent errors of the terms scale with it. `tilt` is the derivative of
    the output by the logarithm of the scale. `shift` is what changes if probabilities are rounded, as kernels do it
    that know the largest one of a row. `largest` is the largest finite number of V."""

    value: Array
    magnitude: Array
    wobble: Array
    spread: Array
    tilt: Array
    shift: Array
    lse: Array
    lse_size: Array
    largest: float


def largest_of(*arrays: Any) -> float:
    """Return the largest finite absolute value of some arrays; 0 if there is none.

    >>> largest_of(np.array([1.0, -3.0, np.inf]), np.array([]))
    3.0
    """
    wide = [np.abs(np.asarray(x).astype(np.float64)) for x in arrays]
    return max(float(np.max(x, initial=0.0, where=np.isfinite(x))) for x in wide)


def attend(p: FmhaProblem, tensors: Tensors, place: Place, part: Part) -> Attended:
    """Return the forward pass of a part of a sequence."""
    s = scores(p, tensors, place, part)
    group = p.heads_q // max(p.heads_kv, 1)
    v = keys(tensors, "v", place) * row_scales(p, tensors, "v", place, place.keys)
    v = v[:, part.heads // group].transpose(1, 0, 2)
    weights = s.probability * s.kept
    mean = np.sum(s.probability * s.size, axis=-1, keepdims=True)  # the error of the normaliser
    lift = np.where(weights > 0.0, s.lift - np.sum(s.probability * s.lift, axis=-1, keepdims=True), 0.0)
    top = np.max(s.probability, axis=-1, keepdims=True, initial=2.0**-1000)
    value, magnitude, wobble, spread, tilt, rounding = (
        np.matmul(w, x).transpose(1, 0, 2)
        for w, x in (
            (weights, v),
            (weights, np.abs(v)),
            (weights * (s.size + mean), np.abs(v)),
            (weights**2, v**2),
            (weights * lift, v),
            (top * rounding_error(weights / top, weight_dtype(p)), v),
        )
    )
    lse_size = np.where(np.isfinite(s.lse), np.abs(s.lse), 0.0) + np.max(s.size, axis=-1, initial=0.0) + 1.0
    return Attended(value, magnitude, wobble, np.sqrt(spread), tilt, rounding, s.lse, lse_size, largest_of(v))


def forward(p: FmhaProblem, tensors: Tensors) -> dict[str, Expected]:
    """Return `out` and, if the problem has it, `lse`."""
    shape, rows = p.shape("out"), (p.heads_q, p.total_q) if p.mode == "group" else (p.batch, p.heads_q, p.seqlen_q)
    value, magnitude, lse, lse_size = np.zeros(shape), np.zeros(shape), np.full(rows, -np.inf), np.zeros(rows)
    for place in places(p, tensors):
        a = attend(p, tensors, place, whole(p, place))
        value[place.q], magnitude[place.q] = a.value, a.magnitude + a.wobble
        lse_rows(p, lse, place)[...], lse_rows(p, lse_size, place)[...] = a.lse, a.lse_size
    found = {"out": Expected(value, magnitude)}
    return {**found, "lse": Expected(lse, lse_size)} if p.lse else found


def all_expected(p: FmhaProblem, tensors: Tensors) -> dict[str, Expected]:
    """Return the result and its magnitude for every output of the problem."""
    if p.family == "bwd":
        from .backward import backward

        return backward(p, tensors)
    if p.family == "fwd_appendkv":
        from .append import append

        return append(p, tensors)
    return forward(p, tensors)


def expected(p: FmhaProblem, tensors: Tensors) -> Expected:
    """Return the main output and its magnitude."""
    return all_expected(p, tensors)[p.outputs[0]]


def weight_roundoff(p: FmhaProblem) -> float:
    """Return the relative error of a probability in the second product: kernels round it to the operands' dtype, or to
    fp16 for 8-bit floats. A kernel that rounds it to 8 bits declares that by its backend's `product_error`."""
    return 0.0 if p.dtype == "fp32" else get_dtype(weight_dtype(p)).unit_roundoff


def weight_dtype(p: FmhaProblem) -> str:
    """Return the dtype that kernels round probabilities to."""
    return "fp16" if p.dtype in EIGHT_BIT else p.dtype
