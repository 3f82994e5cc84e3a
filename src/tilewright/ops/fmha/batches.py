"""Attentions that differ only in their batch: an invariant order of summation serves all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...model.tensor import VECTOR
from .problem import FmhaProblem
from .shapes import dense_strides

ROWS = ((1, 128, 128), (16, 1, 1024), (4, 1024, 1024), (1, 8192, 8192))  # sequences, rows, keys
DECODING = ((1, 1, 1024), (1, 1, 16384), (32, 1, 4096), (256, 1, 1024))


def batches(problem: FmhaProblem) -> tuple[FmhaProblem, ...]:
    """Return the attention with few and many sequences, short and long: the same for every batch of the problem.

    >>> p = {"heads_q": 8, "hdim_q": 32, "dtype": "fp16"}
    >>> found = [batches(FmhaProblem.from_dict({**p, "batch": b, "seqlen_q": 10 * b})) for b in (1, 7)]
    >>> found[0] == found[1], len(found[0])
    (True, 4)
    """
    wide = [r for r in problem.roles if r in ("q", "k", "v", "out", "bias")]
    aligned = all(min(problem.row_alignment(r), problem.alignment.get(r, VECTOR)) == VECTOR for r in wide)
    found = []
    for sequences, rows, keys in DECODING if problem.family == "fwd_splitkv" else ROWS:
        dense = replace(problem, strides={}, alignment={}, **_sizes(problem, sequences, rows, keys))
        if not aligned:
            odd = {r: tuple(s + (s > 1) for s in dense_strides(dense, r)) for r in ("q", "k", "v", "out")}
            dense = replace(dense, strides=odd)
        found.append(dense)
    return tuple(found)


def _sizes(p: FmhaProblem, sequences: int, rows: int, keys: int) -> dict[str, Any]:
    sizes: dict[str, Any] = {"batch": sequences, "seqlen_q": rows, "seqlen_k": keys}
    if p.mode == "group":
        sizes["total_q"] = sequences * rows
        sizes["total_k"] = 0 if p.page_size else sequences * keys
    if p.page_size:
        sizes["num_pages"] = sequences * -(-keys // p.page_size)
    if p.bias_batch > 1:
        sizes["bias_batch"] = sequences
    return sizes
