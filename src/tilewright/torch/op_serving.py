"""Attention while serving: over caches of keys and values, in pages or not; no gradients. Operators for tracing."""

from __future__ import annotations

from typing import Any

import torch

from ..frontends import attention as fwd
from ..frontends.attention_cache import ROPES
from ..frontends.attention_cache import append_kv as _append
from ..frontends.call import hashable
from ..ops.fmha.problem import usual_out
from .registration import operator, result_dtype
from .ways import DIRECT, RECORDED, refuse_gradient, way_of

Tensor = torch.Tensor
PAGES = "Tensor? page_table, Tensor? page_indptr, Tensor? last_page_lens, SymInt? max_seqlen_k"
MASK = "bool causal, SymInt[] window, int sink_tokens, float? scale, float soft_cap"
PAGE_OPTIONS = ("page_table", "page_indptr", "last_page_lens", "max_seqlen_k")
MASK_OPTIONS = ("causal", "window", "sink_tokens", "scale", "soft_cap")
ROTATION = ("q", "cos", "sin")
APPEND_OPTIONS = ("page_table", "page_indptr", "max_seqlen_k")
ROTATED_OPTIONS = (*ROTATION, *APPEND_OPTIONS, "rope", "causal")


def attention_decode(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens_k: Tensor | None = None,
    *,
    page_table: Tensor | None = None,
    page_indptr: Tensor | None = None,
    last_page_lens: Tensor | None = None,
    max_seqlen_k: int | None = None,
    causal: bool = True,
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    num_splits: int | None = None,
    invariant: bool = False,
) -> Tensor:
    """Return what `tilewright.attention_decode` returns; it can be compiled and exported.

    >>> q, cache = torch.ones(2, 1, 4, 32), torch.ones(2, 8, 2, 32)
    >>> attention_decode(q, cache, cache, torch.tensor([3, 8], dtype=torch.int32)).shape
    torch.Size([2, 1, 4, 32])
    """
    values = (q, k_cache, v_cache, seqlens_k, page_table, page_indptr, last_page_lens, max_seqlen_k, causal,
              window, sink_tokens, scale, soft_cap, num_splits, bool(invariant))  # fmt: skip
    call = _decode if way_of(q, k_cache, v_cache) == DIRECT else DECODE
    return call(*values)


def attention_prefill(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    cu_seqlens_q: Tensor,
    max_seqlen_q: int,
    seqlens_k: Tensor | None = None,
    *,
    page_table: Tensor,
    page_indptr: Tensor | None = None,
    last_page_lens: Tensor | None = None,
    max_seqlen_k: int | None = None,
    causal: bool = True,
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    invariant: bool = False,
) -> Tensor:
    """Return what `tilewright.attention_prefill` returns; it can be compiled and exported.

    >>> ends, keys, pages = (torch.tensor(x, dtype=torch.int32) for x in ([0, 2, 5], [2, 11], [[1, 0], [0, 2]]))
    >>> cache = torch.ones(3, 8, 2, 32)
    >>> attention_prefill(torch.ones(5, 4, 32), cache, cache, ends, 3, keys, page_table=pages).shape
    torch.Size([5, 4, 32])
    """
    values = (q, k_cache, v_cache, cu_seqlens_q, max_seqlen_q, seqlens_k, page_table, page_indptr, last_page_lens,
              max_seqlen_k, causal, window, sink_tokens, scale, soft_cap, bool(invariant))  # fmt: skip
    call = _prefill if way_of(q, k_cache, v_cache) == DIRECT else PREFILL
    return call(*values)


def append_kv(
    k_cache: Tensor,
    v_cache: Tensor,
    k_new: Tensor,
    v_new: Tensor,
    seqlens_k: Tensor,
    *,
    page_table: Tensor | None = None,
    page_indptr: Tensor | None = None,
    max_seqlen_k: int | None = None,
    q: Tensor | None = None,
    cos: Tensor | None = None,
    sin: Tensor | None = None,
    rope: str = "half",
    causal: bool = True,
) -> Tensor | None:
    """Write new keys and values into a cache, in place, as `tilewright.append_kv` does; it can be compiled.

    With `q`, `cos` and `sin` return the rotated queries.

    >>> cache, new = torch.zeros(2, 8, 2, 32), torch.ones(2, 1, 2, 32)
    >>> append_kv(cache, cache.clone(), new, new, torch.tensor([3, 5], dtype=torch.int32))
    >>> cache[:, :, 0, 0].argmax(dim=1).tolist()
    [3, 5]
    """
    tensors, pages = (k_cache, v_cache, k_new, v_new, seqlens_k), (page_table, page_indptr, max_seqlen_k)
    rotation = (q, cos, sin)
    way = way_of(k_cache, v_cache, k_new, v_new, q)
    if q is None or cos is None or sin is None:
        if any(t is not None for t in rotation) or rope not in ROPES:
            given: Any = dict(zip(ROTATION, rotation, strict=True))
            _append(*tensors, rope=rope, **given)  # raises the error
        (_append_kernel if way == DIRECT else APPEND)(*tensors, *pages)
        return None
    if way == RECORDED:
        refuse_gradient(None)
    rotated: Tensor = (_rotated_kernel if way == DIRECT else ROTATED)(*tensors, *rotation, *pages, rope, causal)
    return rotated


def _decode(q: Any, k: Any, v: Any, seqlens_k: Any, *rest: Any) -> Any:
    names = (*PAGE_OPTIONS, *MASK_OPTIONS, "num_splits", "invariant")
    return fwd.attention_decode(q, k, v, seqlens_k, **_named(names, rest))


def _prefill(q: Any, k: Any, v: Any, ends: Any, rows: int, seqlens_k: Any, *rest: Any) -> Any:
    names = (*PAGE_OPTIONS, *MASK_OPTIONS, "invariant")
    return fwd.attention_prefill(q, k, v, ends, rows, seqlens_k, **_named(names, rest))


def _append_kernel(k: Any, v: Any, k_new: Any, v_new: Any, seqlens_k: Any, *rest: Any) -> None:
    _append(k, v, k_new, v_new, seqlens_k, **_named(APPEND_OPTIONS, rest))


def _rotated_kernel(k: Any, v: Any, k_new: Any, v_new: Any, seqlens_k: Any, *rest: Any) -> Any:
    return _append(k, v, k_new, v_new, seqlens_k, **_named(ROTATED_OPTIONS, rest))


def _named(names: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    """Return the options of a function from the values of an operator, in the order of its schema.

    torch omits last values that are the schema's defaults.
    """
    found = dict(zip(names, values, strict=False))
    if "window" in found:
        found["window"] = hashable(found["window"])
    return found


def _out(q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> Tensor:
    return q.new_empty((*q.shape[:-1], v.shape[-1]), dtype=result_dtype(q, usual_out))


DECODE = operator(
    f"attention_decode(Tensor q, Tensor k_cache, Tensor v_cache, Tensor? seqlens_k, {PAGES}, {MASK}, "
    "SymInt? num_splits, bool invariant=False) -> Tensor",
    _decode,
    _out,
    autocast=None,
)
PREFILL = operator(
    "attention_prefill(Tensor q, Tensor k_cache, Tensor v_cache, Tensor cu_seqlens_q, SymInt max_seqlen_q, "
    f"Tensor? seqlens_k, {PAGES}, {MASK}, bool invariant=False) -> Tensor",
    _prefill,
    _out,
    autocast=None,
)
APPEND = operator(
    "append_kv(Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k_new, Tensor v_new, Tensor seqlens_k, "
    "Tensor? page_table, Tensor? page_indptr, SymInt? max_seqlen_k) -> ()",
    _append_kernel,
    lambda *values: None,
    backward=None,
    autocast=None,
)
ROTATED = operator(
    "append_kv_rotated(Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k_new, Tensor v_new, Tensor seqlens_k, "
    "Tensor q, Tensor cos, Tensor sin, Tensor? page_table, Tensor? page_indptr, SymInt? max_seqlen_k, "
    "str rope, bool causal) -> Tensor",
    _rotated_kernel,
    lambda k, v, k_new, v_new, seqlens_k, q, *rest: q.new_empty(q.shape, dtype=result_dtype(q, usual_out)),
    backward=None,
    autocast=None,
)
