"""The gradients of attention in float64: dQ, dK, dV and, if requested, the gradient of the bias."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...model.op import Expected
from ...model.tensor import Tensors
from ..drift import rounding_error
from .gather import Array, Place, bias_rows, keys, lse_rows, places, queries
from .problem import FmhaProblem
from .reference import Part, Scores, scores, weight_dtype


def backward(p: FmhaProblem, tensors: Tensors) -> dict[str, Expected]:
    """Return dq, dk, dv (and dbias) of every sequence, from the tensors q, k, v, out, lse and dout."""
    return {r: Expected(g.value, g.magnitude) for r, g in all_sequences(p, tensors).items()}


class Gradient(NamedTuple):
    """One gradient. `spread` is the root of the sum of its squared terms: independent errors of terms scale with it.

    `shift` is what changes if probabilities and score gradients are rounded before the last product, as kernels do.
    """

    value: Array
    magnitude: Array
    spread: Array
    shift: Array


def all_sequences(p: FmhaProblem, tensors: Tensors) -> dict[str, Gradient]:
    """Return each gradient of the whole problem."""
    sums = {r: Gradient(*(np.zeros(p.shape(r)) for _ in Gradient._fields)) for r in p.outputs}
    for place in places(p, tensors):
        for role, found in one_sequence(p, tensors, place, np.arange(p.heads_kv)).items():
            for total, part in zip(sums[role], found._replace(spread=found.spread**2), strict=True):
                add_rows(p, total, role, place, part)
    return {r: g._replace(spread=np.sqrt(g.spread)) for r, g in sums.items()}


def add_rows(p: FmhaProblem, total: Any, role: str, place: Place, part: Array) -> None:
    """Add the gradient of one sequence to its rows (a bias that sequences share gets the sum of all)."""
    if role == "dbias":
        bias_rows(p, total, place)[...] += part
    else:
        total[place.q if role == "dq" else place.k] += part


def one_sequence(
    p: FmhaProblem, tensors: Tensors, place: Place, kv_heads: npt.NDArray[np.int64]
) -> dict[str, Gradient]:
    """Return each gradient of one sequence, for some key heads and their query heads."""
    group = p.heads_q // max(p.heads_kv, 1)
    heads = (kv_heads[:, None] * group + np.arange(group)).reshape(-1)
    lse = np.asarray(lse_rows(p, np.asarray(tensors["lse"]), place)).astype(np.float64)[heads]
    s = scores(p, tensors, place, Part(heads, np.arange(place.rows)), lse)
    q, dout, out = (queries(tensors, r, place)[:, heads].transpose(1, 0, 2) for r in ("q", "dout", "out"))
    k, v = (keys(tensors, r, place)[:, heads // group].transpose(1, 0, 2) for r in ("k", "v"))
    (d_bias, d_bias_size), (ds, ds_size) = _score_gradient(s, dout, v, out)
    weights, scale = s.probability * s.kept, p.softmax_scale
    lean = weights * (1.0 + s.size)  # an error of u * size in a logit changes its probability by the same factor
    turned, flat, dtype = (0, 2, 1), (1, 0, 2), weight_dtype(p)
    found = {
        "dq": (ds, ds_size, k, abs(scale)),
        "dk": (ds.transpose(turned), ds_size.transpose(turned), q, abs(scale)),
        "dv": (weights.transpose(turned), lean.transpose(turned), dout, 1.0),
    }
    sign = -1.0 if scale < 0 else 1.0
    result: dict[str, tuple[Array, ...]] = {}
    for role, (left, size, right, factor) in found.items():
        parts = (
            factor * (sign if role != "dv" else 1.0) * np.matmul(left, right),
            factor * np.matmul(size, np.abs(right)),
            factor**2 * np.matmul(left**2, right**2),
            factor * np.matmul(rounding_error(left, dtype), right),
        )
        parts = tuple(x.transpose(flat) for x in parts)
        if role != "dq":  # the query heads of a group share their key head
            parts = tuple(x.reshape(place.keys, len(kv_heads), group, x.shape[-1]).sum(2) for x in parts)
        result[role] = parts
    if p.dbias:
        sums = (d_bias, d_bias_size, np.zeros_like(d_bias), np.zeros_like(d_bias))
        result["dbias"] = tuple(x.sum(0, keepdims=True) if p.bias_heads == 1 else x for x in sums)
    return {r: Gradient(x[0], x[1], np.sqrt(x[2]), x[3]) for r, x in result.items()}


def _score_gradient(s: Scores, dout: Array, v: Array, out: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return the gradients of the logits, which is that of the bias, and of the scores before the soft cap; each with
    its magnitude."""
    dp = np.matmul(dout, v.transpose(0, 2, 1)) * s.kept
    dp_size = np.matmul(np.abs(dout), np.abs(v).transpose(0, 2, 1)) * s.kept
    dot, dot_size = (np.sum(x, axis=-1, keepdims=True) for x in (dout * out, np.abs(dout * out)))
    d_logits = s.probability * (dp - dot)
    size = s.probability * ((dp_size + dot_size) + np.abs(dp - dot) * s.size)
    # A kernel computes the slope of a cap as 1 - t * t with t = tanh(...), accurate to about 2u. Close to the cap,
    # that error is larger than the slope.
    capped = size * (s.slope + 1e-3 * (s.slope != 1.0)) + 4.0 * np.abs(d_logits) * (1.0 - s.slope)
    return (d_logits, size), (d_logits * s.slope, capped)
