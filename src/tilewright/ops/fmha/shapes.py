"""Tensor roles of an attention problem: which there are, their shapes, dtypes and dense strides.

Sequences are (batch, seqlen, heads, hdim), or (total, heads, hdim) in group mode; pages are (page, slot, heads, hdim).
`layout` is only the order of the dimensions in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .signature import EIGHT_BIT

if TYPE_CHECKING:
    from .problem import FmhaProblem

INDEX_ROLES = ("cu_seqlens_q", "cu_seqlens_k", "seqlens_k", "page_table", "page_indptr", "last_page_lens", "rng")
READ_ROLES = INDEX_ROLES[:-1]  # they decide where kernels read; `rng` only what is dropped
ROW_ROLES = ("q", "k", "v", "out", "dout", "dq", "dk", "dv", "k_new", "v_new")  # matrices of heads
DENSE_ROLES = ("cos", "sin", "scale_q", "scale_k", "scale_v", *INDEX_ROLES)  # which GPU kernels read without strides
FP32_ROLES = ("lse", "scale_q", "scale_k", "scale_v")
OUT_ROLES = ("out",)
LAYOUTS = ("bshd", "bhsd")

FORWARD = (
    "q", "k", "v", "out", "lse", "bias", "cu_seqlens_q", "cu_seqlens_k", "seqlens_k", "page_table", "page_indptr",
    "last_page_lens", "rng", "scale_q", "scale_k", "scale_v",
)  # fmt: skip
BACKWARD = (
    "q", "k", "v", "out", "lse", "dout", "dq", "dk", "dv", "bias", "dbias", "cu_seqlens_q", "cu_seqlens_k", "rng",
)  # fmt: skip
APPEND = (
    "q", "k", "v", "out", "k_new", "v_new", "cos", "sin", "seqlens_k", "page_table", "page_indptr", "last_page_lens",
)  # fmt: skip


def all_roles(family: str) -> tuple[str, ...]:
    """Return every tensor that a problem of this family can have, in order.

    >>> all_roles("bwd")[5:9]
    ('dout', 'dq', 'dk', 'dv')
    """
    return {"bwd": BACKWARD, "fwd_appendkv": APPEND}.get(family, FORWARD)


def roles(p: FmhaProblem) -> tuple[str, ...]:
    """Return the tensors that this problem has, in order."""
    backward, append = p.family == "bwd", p.family == "fwd_appendkv"
    varlen, paged = p.mode == "group", p.page_size > 0
    there = {
        "q": not append or p.rope != "none",
        "out": not append or p.rope != "none",
        "lse": p.lse,
        "bias": p.bias != "none",
        "dbias": p.dbias,
        "cu_seqlens_q": varlen,
        "cu_seqlens_k": varlen and not paged,
        "seqlens_k": append or (p.lookup == "vllm" or (not paged and p.kv_lengths)),
        "page_table": paged,
        "page_indptr": p.lookup == "sglang",
        "last_page_lens": p.lookup == "sglang" and not append,
        "rng": p.dropout > 0,
        "cos": p.rope != "none",
        "sin": p.rope != "none",
        **dict.fromkeys(("scale_q", "scale_k", "scale_v"), p.qscale != "none"),
        **dict.fromkeys(("dout", "dq", "dk", "dv"), backward),
    }
    return tuple(r for r in all_roles(p.family) if there.get(r, True))


def outputs(p: FmhaProblem) -> tuple[str, ...]:
    """Return the tensors that are written, the main one first. Appending writes into the cache itself."""
    written = {"bwd": ("dq", "dk", "dv", "dbias"), "fwd_appendkv": ("k", "v", "out")}.get(p.family, ("out", "lse"))
    return tuple(r for r in written if r in p.roles)


def shape(p: FmhaProblem, role: str) -> tuple[int, ...]:
    """Return the logical shape of a role."""
    return _SHAPES[role](p)


def _queries(p: FmhaProblem, hdim: int) -> tuple[int, ...]:
    lead = (p.total_q,) if p.mode == "group" else (p.batch, p.seqlen_q)
    return (*lead, p.heads_q, hdim)


def _keys(p: FmhaProblem, hdim: int) -> tuple[int, ...]:
    if p.page_size:
        return (p.num_pages, p.page_size, p.heads_kv, hdim)
    lead = (p.total_k,) if p.mode == "group" else (p.batch, p.seqlen_k)
    return (*lead, p.heads_kv, hdim)


def _bias(p: FmhaProblem) -> tuple[int, ...]:
    if p.bias == "alibi":
        return (p.bias_batch, p.heads_q)
    rows = p.total_q if p.mode == "group" else p.seqlen_q
    return (p.bias_batch, p.bias_heads, rows, p.seqlen_k)


def _lse(p: FmhaProblem) -> tuple[int, ...]:
    return (p.heads_q, p.total_q) if p.mode == "group" else (p.batch, p.heads_q, p.seqlen_q)


def _page_table(p: FmhaProblem) -> tuple[int, ...]:
    return (p.num_pages,) if p.lookup == "sglang" else (p.batch, -(-p.seqlen_k // p.page_size))


def _scale(p: FmhaProblem, heads: int, rows: int, block: int) -> tuple[int, ...]:
    return (1,) if p.qscale == "pertensor" else (p.batch, heads, -(-rows // block))


def _angles(p: FmhaProblem) -> tuple[int, ...]:
    return (p.seqlen_k, p.rotary_dim // 2)


_SHAPES: dict[str, Callable[[FmhaProblem], tuple[int, ...]]] = {
    "q": lambda p: _queries(p, p.hdim_q),
    "k": lambda p: _keys(p, p.hdim_q),
    "v": lambda p: _keys(p, p.hdim_v),
    "out": lambda p: _queries(p, p.hdim_q if p.family == "fwd_appendkv" else p.hdim_v),
    "dout": lambda p: _queries(p, p.hdim_v),
    "dq": lambda p: _queries(p, p.hdim_q),
    "dk": lambda p: _keys(p, p.hdim_q),
    "dv": lambda p: _keys(p, p.hdim_v),
    "lse": _lse,
    "bias": _bias,
    "dbias": _bias,
    "k_new": lambda p: (p.batch, p.seqlen_new, p.heads_kv, p.hdim_q),
    "v_new": lambda p: (p.batch, p.seqlen_new, p.heads_kv, p.hdim_v),
    "cos": _angles,
    "sin": _angles,
    "cu_seqlens_q": lambda p: (p.batch + 1,),
    "cu_seqlens_k": lambda p: (p.batch + 1,),
    "seqlens_k": lambda p: (p.batch,),
    "page_table": _page_table,
    "page_indptr": lambda p: (p.batch + 1,),
    "last_page_lens": lambda p: (p.batch,),
    "rng": lambda p: (3,),
    "scale_q": lambda p: _scale(p, p.heads_q, p.seqlen_q, p.block_q),
    "scale_k": lambda p: _scale(p, p.heads_kv, p.seqlen_k, p.block_k),
    "scale_v": lambda p: _scale(p, p.heads_kv, p.seqlen_k, p.block_k),
}


def dtype_of(p: FmhaProblem, role: str) -> str:
    """Return the dtype of a role: indices are int32; statistics, slopes, scales and the bias of 8-bit operands fp32."""
    if role in INDEX_ROLES:
        return "int32"
    if role in FP32_ROLES or (role == "bias" and (p.bias == "alibi" or p.dtype in EIGHT_BIT)):
        return "fp32"
    return p.dtype_out if role in OUT_ROLES else p.dtype


def dense_strides(p: FmhaProblem, role: str) -> tuple[int, ...]:
    """Return the strides of a role that is dense in the problem's layout."""
    extents = shape(p, role)
    order = list(range(len(extents)))
    if role in ROW_ROLES:
        if p.layout == "bhsd":  # heads before rows
            order[-3], order[-2] = order[-2], order[-3]
        if role == "v" and p.v_layout == "col":  # hdim before rows: the rows of a head are contiguous
            order = [*order[:-3], len(extents) - 2, len(extents) - 1, len(extents) - 3]
    strides, step = [0] * len(extents), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(extents[axis], 1)
    return tuple(strides)
