"""Tensors of an attention: the problem they define, whether they fit one, and new random ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import TensorError
from ...model.dtype import numpy_dtype
from ...model.problem import refitted
from ...model.tensor import VECTOR, TensorView, Views
from ..tensors import alignment_classes, drawn, mismatches_of, poison, strided_zeros
from .problem import FmhaProblem
from .shapes import INDEX_ROLES, dense_strides


def mismatches(p: FmhaProblem, views: Views) -> list[str]:
    """Return every mismatch of `views` and `p`: roles, dtypes, shapes, strides, device, overlap, writability."""
    return mismatches_of(p, views, p.dtype_of, _fit, p.outputs, may_alias(p), INDEX_ROLES)


def _fit(p: FmhaProblem, role: str, view: TensorView) -> list[str]:
    shape, strides = p.shape(role), p.stride(role)
    if role == "page_table" and p.lookup == "sglang" and len(view.shape) == 1:
        shape = view.shape  # sequences may share pages or leave some unused: `contents` compares page_indptr with it
    if view.shape != shape:
        return [f"{role} has shape {view.shape}, the problem needs {shape}"]
    if 0 in shape or all(g == w or n == 1 for g, w, n in zip(view.strides, strides, shape, strict=True)):
        return []
    return [f"{role} has strides {view.strides}, the problem says {strides}"]


def may_alias(p: FmhaProblem) -> dict[str, str]:
    """Return the queries, which may be rotated in place."""
    return {"q": "out"} if p.family == "fwd_appendkv" and "q" in p.roles else {}


def random_tensors(p: FmhaProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role, with the problem's layout and strides; outputs are poisoned.

    A backward pass gets the out and lse of its forward pass in float64, rounded.
    """
    rng = np.random.default_rng(seed)
    tensors: dict[str, Any] = {}
    for role in p.roles:
        view = strided_zeros(p.shape(role), p.stride(role), p.dtype_of(role))
        view[...] = _fill(p, role, rng)
        tensors[role] = view
    tensors.update(random_indices(p, rng))
    if p.family == "bwd":
        from .reference import forward

        for role, expected in forward(p, tensors).items():
            tensors[role][...] = expected.value.astype(tensors[role].dtype)
    return tensors


def _fill(p: FmhaProblem, role: str, rng: np.random.Generator) -> Any:
    shape, dtype = p.shape(role), numpy_dtype(p.dtype_of(role))
    if role == "rng":
        return rng.integers(0, 2**31, shape)
    if p.dtype_of(role) == "int32":
        return 0
    if role in p.outputs and not (p.family == "fwd_appendkv" and role in ("k", "v")):
        return poison(p.dtype_of(role))
    if role.startswith("scale"):
        return rng.uniform(0.5, 1.5, shape)
    if role == "bias" and p.bias == "alibi":
        slopes = np.exp2(-8.0 * (1.0 + np.arange(p.heads_q)) / max(p.heads_q, 1))
        return slopes * (1.0 + np.arange(shape[0])[:, None])  # of each sequence its own, so that mistaken ones show
    if role in ("cos", "sin"):
        angles = np.outer(np.arange(shape[0]), 10000.0 ** (-np.arange(shape[1]) / max(shape[1], 1)))
        return (np.cos(angles) if role == "cos" else np.sin(angles)).astype(dtype)
    return drawn(rng, shape, p.dtype_of(role))


def random_indices(p: FmhaProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return lengths that use the longest length and the totals, and pages in random order."""
    found: dict[str, Any] = {}
    for role, total, longest in (("cu_seqlens_q", p.total_q, p.seqlen_q), ("cu_seqlens_k", p.total_k, p.seqlen_k)):
        if role in p.roles:
            found[role] = np.concatenate([[0], np.cumsum(_lengths(p.batch, total, longest, rng))])
    capacity = p.seqlen_k - p.seqlen_new
    if p.page_size and p.lookup == "sglang":
        capacity = min(capacity, p.num_pages // max(p.batch, 1) * p.page_size - p.seqlen_new)
    lengths = rng.integers(capacity // 2, capacity + 1, p.batch)
    if p.batch:
        lengths[-1] = capacity
    if "seqlens_k" in p.roles:
        found["seqlens_k"] = lengths
    if p.page_size:
        found |= _paged(p, lengths + p.seqlen_new, rng)
    return {r: x.astype(np.int32) for r, x in found.items() if r in p.roles}


def _paged(p: FmhaProblem, lengths: Any, rng: np.random.Generator) -> dict[str, Any]:
    counts = -(-lengths // p.page_size)
    if p.lookup == "sglang":
        starts = np.concatenate([[0], np.cumsum(counts)])
        last = lengths - (counts - 1) * p.page_size
        return {"page_indptr": starts, "page_table": rng.permutation(p.num_pages), "last_page_lens": last}
    shape = p.shape("page_table")
    pages = rng.permutation(max(p.num_pages, 1))
    return {"page_table": np.resize(pages, shape)}  # if there are too few pages, they are shared, like a common prompt


def _lengths(batch: int, total: int, longest: int, rng: np.random.Generator) -> Any:
    """Return `batch` lengths up to `longest` with this sum: the first is the longest, the rest differ if possible."""
    lengths = np.zeros(batch, np.int64)
    left = total
    for i in range(batch):
        after = (batch - i - 1) * longest
        low, high = max(0, left - after), min(longest, left)
        lengths[i] = high if i == 0 else rng.integers(low, high + 1)
        left -= lengths[i]
    return lengths


def problem_of(views: Views, **fields: Any) -> FmhaProblem:
    """Return the problem of these tensors; `fields` has the rest (family, mask, soft cap, longest lengths).

    Outputs may be absent. Sequences are (batch, seqlen, heads, hdim), or (total, heads, hdim) if there are
    `cu_seqlens_q`.
    """
    missing = [f"{r} is missing" for r in ("q", "k", "v") if r not in views]
    if missing:
        raise TensorError.of("attention tensors", missing)
    q, k, v = (views[r] for r in ("q", "k", "v"))
    grouped, paged = "cu_seqlens_q" in views, "page_table" in views
    ranks = (3 if grouped else 4, 4 if paged or not grouped else 3)
    mistakes = [
        f"{role} has shape {view.shape}; it needs {rank} dimensions"
        for role, view, rank in (("q", q, ranks[0]), ("k", k, ranks[1]), ("v", v, ranks[1]))
        if len(view.shape) != rank
    ]
    if mistakes:
        raise TensorError.of("attention tensors", mistakes)
    found: dict[str, Any] = {
        "heads_q": q.shape[-2], "heads_kv": k.shape[-2], "hdim_q": q.shape[-1], "hdim_v": v.shape[-1],
        "dtype": q.dtype, "lse": "lse" in views, "device": q.device,
    }  # fmt: skip
    if grouped:
        found |= {"mode": "group", "batch": views["cu_seqlens_q"].shape[0] - 1, "total_q": q.shape[0]}
        found |= {} if paged else {"total_k": k.shape[0]}
    else:
        found |= {"batch": q.shape[0], "seqlen_q": q.shape[1]} | ({} if paged else {"seqlen_k": k.shape[1]})
    if paged:
        found |= {"page_size": k.shape[1], "num_pages": k.shape[0]}
        found["lookup"] = "sglang" if "page_indptr" in views else "vllm"
    elif "seqlens_k" in views:
        found["kv_lengths"] = True
    if "out" in views:
        found["dtype_out"] = views["out"].dtype
    bias = views.get("bias")
    if bias is not None:
        alibi = len(bias.shape) == 2
        found |= {"bias": "alibi" if alibi else "elementwise", "bias_batch": bias.shape[0]}
        found |= {} if alibi else {"bias_heads": bias.shape[1]}
    if "scale_q" in views:
        found |= _qscale(views, {**found, **fields})
    return fitted(FmhaProblem.from_dict({**found, **fields}), views)


def fitted(problem: FmhaProblem, views: Views) -> FmhaProblem:
    """Return the problem with the strides of tensors that are not dense; `mismatches` reports those that do not fit.

    A dense tensor has strides that follow from the sizes, so problems of other lengths can share what is known. On a
    GPU, the problem also says which pointers are not aligned to whole vectors.
    """
    strides = {}
    for role in problem.roles:
        view = views.get(role)
        if view is None or len(view.shape) < 2:
            continue
        shape, dense = problem.shape(role), dense_strides(problem, role)
        if len(view.strides) != len(shape):
            continue
        if any(n > 1 and got != usual for n, got, usual in zip(shape, view.strides, dense, strict=True)):
            strides[role] = view.strides
    alignment = _alignment_classes(problem, views)
    if strides == problem.strides and alignment == problem.alignment:
        return problem
    made = refitted(problem, ("roles", "outputs", "signature"), strides=strides, alignment=alignment)
    made.check_addresses()
    return made


def _alignment_classes(problem: FmhaProblem, views: Views) -> dict[str, int]:
    """Return the alignment of pointers below that of a whole vector.

    Lengths and tables are left out: kernels read them one by one.
    """
    found = alignment_classes(views, problem.device)
    low = (r for r in problem.roles if found.get(r, VECTOR) < VECTOR)
    return {r: found[r] for r in low if r not in INDEX_ROLES}


def _qscale(views: Views, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kind of scales: one per tensor, or one per block of rows; all blocks have the same number of rows."""
    counts = [views[r].shape[-1] if len(views[r].shape) == 3 else 0 for r in ("scale_q", "scale_k")]
    if not all(counts):
        return {"qscale": "pertensor"}
    rows = (found["seqlen_q"], found["seqlen_k"])
    uneven = [
        f"{role} has {count} factors for {n} rows, which are no {count} blocks of equal size"
        for role, n, count in zip(("scale_q", "scale_k"), rows, counts, strict=True)
        if n % count
    ]
    if uneven:
        remedy = "pad the rows to whole blocks, or give a problem with block_q and block_k to Dispatcher.run"
        raise TensorError.of("attention tensors", uneven, remedy)
    block_q, block_k = (n // count for n, count in zip(rows, counts, strict=True))
    return {"qscale": "blockscale", "block_q": block_q, "block_k": block_k}


def append_problem_of(views: Views, **fields: Any) -> FmhaProblem:
    """Return the append-KV problem of a cache and new rows; `fields` has the rest (rope, mask, capacity)."""
    missing = [f"{r} is missing" for r in ("k", "v", "k_new", "v_new", "seqlens_k") if r not in views]
    if missing:
        raise TensorError.of("tensors of append_kv", missing)
    k, v, new = views["k"], views["v"], views["k_new"]
    shaped = [(r, views[r]) for r in ("k", "v", "k_new", "v_new", "q") if r in views]
    mistakes = [f"{r} has shape {x.shape}; it needs 4 dimensions" for r, x in shaped if len(x.shape) != 4]
    if ("cos" in views) != ("sin" in views):
        mistakes.append("cos and sin belong together; one of them is missing")
    if "cos" in views and "q" not in views:
        mistakes.append("cos and sin without q: queries are rotated like keys")
    if "cos" not in views:
        mistakes += [f"{r} without cos and sin" for r in ("q", "out") if r in views]
    if mistakes:
        raise TensorError.of("tensors of append_kv", mistakes)
    pages = views.get("page_table")
    if pages is not None and len(pages.shape) not in (1, 2):
        raise TensorError(f"page_table has shape {pages.shape}; it needs 1 or 2 dimensions")
    capacity = fields.pop("seqlen_k", None) or (k.shape[1] if pages is None else pages.shape[-1] * k.shape[1])
    q = views.get("q", new)
    found: dict[str, Any] = {
        "batch": new.shape[0], "seqlen_new": new.shape[1], "seqlen_q": q.shape[1], "seqlen_k": capacity,
        "heads_q": q.shape[2], "heads_kv": k.shape[2], "hdim_q": k.shape[3], "hdim_v": v.shape[3],
        "dtype": k.dtype, "device": k.device,
    }  # fmt: skip
    if pages is not None:
        lookup = "sglang" if "page_indptr" in views else "vllm"
        found |= {"page_size": k.shape[1], "num_pages": k.shape[0], "lookup": lookup}
    if "cos" in views:
        found["rotary_dim"] = 2 * views["cos"].shape[-1]
    return fitted(FmhaProblem.from_dict({**found, **fields}), views)
