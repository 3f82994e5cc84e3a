"""Append keys and values to a cache, with rotary embedding: the expected cache and queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.op import Expected
from ...model.tensor import Tensors
from .gather import Array, page_slots
from .problem import FmhaProblem


def append(p: FmhaProblem, tensors: Tensors) -> dict[str, Expected]:
    """Return `k` and `v` with the new rows after the `seqlens_k` rows of each sequence, and `out`: the rotated queries.

    A second call gives the same cache, because the lengths do not change.
    """
    found = {}
    for role in ("k", "v"):
        cache = np.asarray(tensors[role]).astype(np.float64)
        size = np.abs(cache)
        for b in range(p.batch):
            place = _slots(p, tensors, b)
            cache[place], size[place] = _new_rows(p, tensors, role, b)
        found[role] = Expected(cache, size)
    if "out" in p.roles:
        q = np.asarray(tensors["q"]).astype(np.float64)
        rotated = [rotate(p, tensors, q[b], _query_positions(p, tensors, b)) for b in range(p.batch)]
        parts = zip(*rotated, strict=True) if rotated else ((q,), (q,))
        value, magnitude = (np.stack(x).reshape(q.shape) for x in parts)
        found["out"] = Expected(value, magnitude)
    return found


def _length(tensors: Tensors, b: int) -> int:
    return int(np.asarray(tensors["seqlens_k"])[b])


def _slots(p: FmhaProblem, tensors: Tensors, b: int) -> Any:
    start = _length(tensors, b)
    if not p.page_size:
        return (b, slice(start, start + p.seqlen_new))
    slots = page_slots(p, tensors, b, start + p.seqlen_new, start)
    return (slots // p.page_size, slots % p.page_size)


def _new_rows(p: FmhaProblem, tensors: Tensors, role: str, b: int) -> tuple[Array, Array]:
    rows = np.asarray(tensors[f"{role}_new"])[b].astype(np.float64)
    if role == "v" or p.rope == "none":
        return rows, np.abs(rows)
    return rotate(p, tensors, rows, _length(tensors, b) + np.arange(p.seqlen_new))


def _query_positions(p: FmhaProblem, tensors: Tensors, b: int) -> Any:
    """Return the positions of queries: consecutive under a causal mask; otherwise all at the end of the cache."""
    steps = np.zeros(p.seqlen_q, np.int64) if p.mask == "none" else np.arange(p.seqlen_q)
    return _length(tensors, b) + steps


def rotate(p: FmhaProblem, tensors: Tensors, rows: Array, positions: Any) -> tuple[Array, Array]:
    """Return `rows` [n, heads, hdim] rotated by the angles of their positions, and the same on absolute values.

    `interleaved` rotates columns (0, 1), (2, 3), ...; `half` rotates column i with column i + rotary_dim / 2.
    """
    half = p.rotary_dim // 2
    cos, sin = (np.asarray(tensors[r]).astype(np.float64)[positions][:, None, :] for r in ("cos", "sin"))
    if p.rope == "interleaved":
        first, second = slice(0, p.rotary_dim, 2), slice(1, p.rotary_dim, 2)
    else:
        first, second = slice(0, half), slice(half, p.rotary_dim)
    a, b = rows[..., first], rows[..., second]
    value, magnitude = rows.copy(), np.abs(rows)
    value[..., first], value[..., second] = a * cos - b * sin, a * sin + b * cos
    a, b, cos, sin = (np.abs(x) for x in (a, b, cos, sin))
    magnitude[..., first], magnitude[..., second] = a * cos + b * sin, a * sin + b * cos
    return value, magnitude
