"""The gradients of attention in float64: dQ, dK, dV and, if requested, the gradient of the bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.op import Expected
from .gather import Array, Place, bias_rows, keys, lse_rows, places, queries
from .problem import FmhaProblem
from .reference import Part, Scores, scores


def backward(p: FmhaProblem, tensors: Mapping[str, Any]) -> dict[str, Expected]:
    """Return dq, dk, dv (and dbias) of every sequence, from the tensors q, k, v, out, lse and dout."""
    sums = {r: (np.zeros(p.shape(r)), np.zeros(p.shape(r))) for r in p.outputs}
    for place in places(p, tensors):
        for role, found in one_sequence(p, tensors, place, np.arange(p.heads_kv)).items():
            for total, part in zip(sums[role], found, strict=True):
                add_rows(p, total, role, place, part)
    return {role: Expected(value, magnitude) for role, (value, magnitude) in sums.items()}


def add_rows(p: FmhaProblem, total: Any, role: str, place: Place, part: Array) -> None:
    """Add the gradient of one sequence to its rows (a bias that sequences share gets the sum of all)."""
    if role == "dbias":
        bias_rows(p, total, place)[...] += part
    else:
        total[place.q if role == "dq" else place.k] += part


def one_sequence(
    p: FmhaProblem, tensors: Mapping[str, Any], place: Place, kv_heads: npt.NDArray[np.int64]
) -> dict[str, tuple[Array, Array]]:
    """Return value and magnitude of each gradient of one sequence, for some key heads and their query heads."""
    group = p.heads_q // max(p.heads_kv, 1)
    heads = (kv_heads[:, None] * group + np.arange(group)).reshape(-1)
    lse = np.asarray(lse_rows(p, np.asarray(tensors["lse"]), place)).astype(np.float64)[heads]
    s = scores(p, tensors, place, Part(heads, np.arange(place.rows)), lse)
    q, dout, out = (queries(tensors, r, place)[:, heads].transpose(1, 0, 2) for r in ("q", "dout", "out"))
    k, v = (keys(tensors, r, place)[:, heads // group].transpose(1, 0, 2) for r in ("k", "v"))
    (d_bias, d_bias_size), (ds, ds_size) = _score_gradient(s, dout, v, out)
    weights, scale = s.probability * s.kept, p.softmax_scale
    lean = weights * (1.0 + s.size)  # an error of u * size in a logit changes its probability by the same factor
    turned, flat = (0, 2, 1), (1, 0, 2)
    found = {
        "dq": (scale * np.matmul(ds, k), abs(scale) * np.matmul(ds_size, np.abs(k))),
        "dk": (
            scale * np.matmul(ds.transpose(turned), q),
            abs(scale) * np.matmul(ds_size.transpose(turned), np.abs(q)),
        ),
        "dv": (np.matmul(weights.transpose(turned), dout), np.matmul(lean.transpose(turned), np.abs(dout))),
    }
    result = {r: tuple(x.transpose(flat) for x in found[r]) for r in found}
    for role in ("dk", "dv"):  # the query heads of a group share their key head
        result[role] = tuple(x.reshape(place.keys, len(kv_heads), group, x.shape[-1]).sum(2) for x in result[role])
    if p.dbias:
        result["dbias"] = tuple(x.sum(0, keepdims=True) if p.bias_heads == 1 else x for x in (d_bias, d_bias_size))
    return {r: (x[0], x[1]) for r, x in result.items()}


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
