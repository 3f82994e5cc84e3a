"""The rows of one sequence as dense float64 arrays, from a batch, a group, a cache with lengths, or pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.tensor import Tensors
from .problem import FmhaProblem

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """Place of sequence `b`: `q` and `k` index its rows in tensors whose first axes are (batch, row) or (total,)."""

    b: int
    rows: int
    keys: int
    q: Any
    k: Any


def places(p: FmhaProblem, tensors: Tensors) -> list[Place]:
    """Return the place of each sequence."""
    return [_place(p, tensors, b) for b in range(p.batch)]


def _place(p: FmhaProblem, tensors: Tensors, b: int) -> Place:
    if p.mode == "group":
        start, end = (int(x) for x in np.asarray(tensors["cu_seqlens_q"])[b : b + 2])
        q: Any = slice(start, end)
        rows = end - start
    else:
        q, rows = (b, slice(0, p.seqlen_q)), p.seqlen_q
    if p.page_size:
        slots = page_slots(p, tensors, b, key_count(p, tensors, b))
        return Place(b, rows, len(slots), q, (slots // p.page_size, slots % p.page_size))
    if p.mode == "group":
        start, end = (int(x) for x in np.asarray(tensors["cu_seqlens_k"])[b : b + 2])
        return Place(b, rows, end - start, q, slice(start, end))
    keys = key_count(p, tensors, b)
    return Place(b, rows, keys, q, (b, slice(0, keys)))


def key_count(p: FmhaProblem, tensors: Tensors, b: int) -> int:
    """Return how many keys sequence `b` has, in batch mode or in pages."""
    if p.lookup == "sglang" and "last_page_lens" in p.roles:
        first, last = (int(x) for x in np.asarray(tensors["page_indptr"])[b : b + 2])
        return (last - first - 1) * p.page_size + int(np.asarray(tensors["last_page_lens"])[b]) if last > first else 0
    return int(np.asarray(tensors["seqlens_k"])[b]) if "seqlens_k" in p.roles else p.seqlen_k


def page_slots(p: FmhaProblem, tensors: Tensors, b: int, keys: int, start: int = 0) -> npt.NDArray[np.int64]:
    """Return the slots (page * page_size + offset) of keys `start` to `keys` of sequence `b`."""
    table = np.asarray(tensors["page_table"])
    if p.lookup == "sglang":
        first = int(np.asarray(tensors["page_indptr"])[b])
        pages = table[first:]
    else:
        pages = table[b]
    position = np.arange(start, keys)
    return np.asarray(pages[position // p.page_size].astype(np.int64) * p.page_size + position % p.page_size)


def queries(tensors: Tensors, role: str, place: Place) -> Array:
    """Return [rows, heads, hdim] of a tensor that has query rows, in float64."""
    return np.asarray(np.asarray(tensors[role])[place.q]).astype(np.float64)


def keys(tensors: Tensors, role: str, place: Place) -> Array:
    """Return [keys, heads, hdim] of a tensor that has key rows, in float64."""
    return np.asarray(np.asarray(tensors[role])[place.k]).astype(np.float64)


def row_scales(p: FmhaProblem, tensors: Tensors, role: str, place: Place, count: int) -> Array:
    """Return [count, heads or 1, 1]: the factor of each row of q, k or v."""
    if p.qscale == "none":
        return np.ones((1, 1, 1))
    scale = np.asarray(tensors[f"scale_{role}"]).astype(np.float64)
    if p.qscale == "pertensor":
        return scale.reshape(1, 1, 1)
    block = p.block_q if role == "q" else p.block_k
    return np.asarray(scale[place.b][:, np.arange(count) // block].T[:, :, None])


def lse_rows(p: FmhaProblem, tensor: Any, place: Place) -> Any:
    """Return [heads, rows] of an LSE tensor, as a view."""
    return tensor[:, place.q] if p.mode == "group" else tensor[place.b]


def bias_rows(p: FmhaProblem, tensor: Any, place: Place) -> Any:
    """Return [1 or heads, rows, keys] of an elementwise bias, as a view."""
    b = place.b if p.bias_batch > 1 else 0
    rows = place.q if p.mode == "group" else slice(0, place.rows)
    return tensor[b][:, rows, : place.keys]
