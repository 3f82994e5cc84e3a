"""Checks of index tensors: lengths must rise, pages must exist. They read memory, so they run only on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...model.tensor import Tensors
from .problem import FmhaProblem
from .shapes import READ_ROLES


def content_mistakes(p: FmhaProblem, tensors: Tensors) -> list[str]:
    """Return every contradiction between lengths, page tables, offsets and the problem.

    >>> sizes = {"batch": 2, "heads_q": 1, "seqlen_q": 4, "hdim_q": 8}
    >>> p = FmhaProblem.from_dict({**sizes, "dtype": "fp32", "mode": "group"})
    >>> content_mistakes(p, {"cu_seqlens_q": [0, 5, 8], "cu_seqlens_k": [0, 4, 8]})
    ['cu_seqlens_q: sequence 0 has 5 rows; the longest may have 4']
    """
    read = {r: np.asarray(tensors[r]).astype(np.int64) for r in p.roles if r in tensors and r in READ_ROLES}
    found = []
    for role, total, longest in (
        ("cu_seqlens_q", p.total_q, p.seqlen_q),
        ("cu_seqlens_k", p.total_k, p.seqlen_k),
        ("page_indptr", np.size(read.get("page_table", ())), -(-p.seqlen_k // max(p.page_size, 1))),
    ):
        if role in read:
            found += _offsets(role, read[role], total, longest, exact=role != "page_indptr")
    if "seqlens_k" in read:
        found += _lengths(p, read["seqlens_k"])
    if "last_page_lens" in read:
        found += _last_pages(p, read["last_page_lens"])
        if "page_indptr" in read and not found:
            found += _paged_lengths(p, read["page_indptr"], read["last_page_lens"])
    if "page_table" in read and not found:
        found += _pages(p, read)
    return found


def offset_mistakes(role: str, offsets: Any) -> list[str]:
    """Return what is wrong with offsets of any problem: they must begin with 0 and never fall.

    >>> offset_mistakes("cu_seqlens_q", [0, 5, 4])
    ['cu_seqlens_q falls from 5 to 4 at 2; it must not fall']
    """
    offsets = np.asarray(offsets).astype(np.int64).reshape(-1)
    found = [f"{role} begins with {offsets[0]}; it must begin with 0"] if offsets.size and offsets[0] != 0 else []
    steps = np.diff(offsets)
    if (steps < 0).any():
        at = int(np.argmax(steps < 0))
        found.append(f"{role} falls from {offsets[at]} to {offsets[at + 1]} at {at + 1}; it must not fall")
    return found


def _offsets(role: str, offsets: Any, total: int, longest: int, exact: bool) -> list[str]:
    found = offset_mistakes(role, offsets)
    steps = np.diff(offsets)
    if not (steps < 0).any() and (steps > longest).any():
        at = int(np.argmax(steps > longest))
        what = "rows" if exact else "pages"
        found.append(f"{role}: sequence {at} has {steps[at]} {what}; the longest may have {longest}")
    if exact and offsets[-1] != total:
        found.append(f"{role} ends with {offsets[-1]}; the total is {total}")
    elif not exact and offsets[-1] > total:
        found.append(f"{role} ends with {offsets[-1]}; the list page_table has {total} pages")
    return found


def _lengths(p: FmhaProblem, lengths: Any) -> list[str]:
    most = p.seqlen_k - p.seqlen_new
    wrong = (lengths < 0) | (lengths > most)
    if not wrong.any():
        return []
    at = int(np.argmax(wrong))
    room = f"; {p.seqlen_new} are appended to a cache of {p.seqlen_k}" if p.seqlen_new else ""
    return [f"seqlens_k[{at}] is {lengths[at]}; it must be between 0 and {most}{room}"]


def _last_pages(p: FmhaProblem, lengths: Any) -> list[str]:
    wrong = (lengths < 0) | (lengths > p.page_size)
    if not wrong.any():
        return []
    at = int(np.argmax(wrong))
    return [f"last_page_lens[{at}] is {lengths[at]}; a page holds {p.page_size}"]


def _paged_lengths(p: FmhaProblem, offsets: Any, last: Any) -> list[str]:
    """Find sequences whose last page holds more keys than the longest may have: a bias has no columns for them."""
    pages = np.diff(offsets)
    keys = np.where(pages > 0, (pages - 1) * p.page_size + last, 0)
    over = keys > p.seqlen_k
    if not over.any():
        return []
    at = int(np.argmax(over))
    return [f"last_page_lens[{at}] is {last[at]}: sequence {at} has {keys[at]} keys; the longest may have {p.seqlen_k}"]


def _pages(p: FmhaProblem, read: Mapping[str, Any]) -> list[str]:
    """Check that the entries that a sequence uses name a page."""
    table = read["page_table"]
    if p.lookup == "sglang":
        used = [(b, table[read["page_indptr"][b] : read["page_indptr"][b + 1]]) for b in range(p.batch)]
    else:
        lengths = read["seqlens_k"] + p.seqlen_new if "seqlens_k" in read else np.full(p.batch, p.seqlen_k)
        used = [(b, table[b, : -(-int(lengths[b]) // p.page_size)]) for b in range(p.batch)]
    found = []
    for b, pages in used:
        wrong = (pages < 0) | (pages >= p.num_pages)
        if wrong.any():
            at = int(np.argmax(wrong))
            found.append(f"page_table: sequence {b} names page {pages[at]} at {at}; pages are 0 to {p.num_pages - 1}")
    return found or _shared_appends(p, read, dict(used))


def _shared_appends(p: FmhaProblem, read: Mapping[str, Any], used: Mapping[int, Any]) -> list[str]:
    """Find pages that two sequences append to: the result would depend on which one writes last."""
    if p.family != "fwd_appendkv" or "seqlens_k" not in read or not p.seqlen_new:
        return []
    writers: dict[int, int] = {}
    for b, pages in used.items():
        start = int(read["seqlens_k"][b])
        for page in pages[start // p.page_size : (start + p.seqlen_new - 1) // p.page_size + 1].tolist():
            if writers.setdefault(page, b) != b:
                return [f"page_table: sequences {writers[page]} and {b} both append to page {page}"]
    return []
