"""Tensors of a case: random numbers of several kinds, hidden keys, ragged lengths, shared pages.

Arrays of the host. The same case has the same values on every backend: they depend on the case alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from contract_space import Choice, dtype_of

from tilewright.model.dtype import get_dtype, numpy_dtype
from tilewright.ops import get_op
from tilewright.ops.tensors import strided_zeros

# Below the normal numbers of the dtypes that have few exponents; far from 1, but normal, for the others.
TINY = {"fp16": 2.0**-18, "fp8": 2.0**-8, "bf8": 2.0**-15, "fp8_fnuz": 2.0**-9, "bf8_fnuz": 2.0**-16}
HUGE = {"fp16": 2.0**9, "fp8": 2.0**6, "bf8": 2.0**12, "fp8_fnuz": 2.0**5, "bf8_fnuz": 2.0**12}
FAR = 2.0**40
SECOND = {"gemm": ("a",), "conv": ("input", "output"), "fmha": ("q",)}


def tensors_of(problem: Any, choice: Choice, seed: int) -> dict[str, Any]:
    """Return new tensors of every role, as NumPy arrays; results are poisoned."""
    op = get_op(problem.op)
    tensors = op.random_tensors(problem, seed)
    rng = np.random.default_rng(seed + 1)
    inputs = [r for r in problem.roles if r not in op.out_roles(problem) and _is_number(problem, r)]
    for role in inputs:
        _fill(problem, choice, role, tensors[role], rng)
    if problem.op == "fmha":
        _fill_attention(problem, choice, tensors, rng)
    if choice["alignment"] == "element":
        tensors = {role: _shifted(x) for role, x in tensors.items()}
    return tensors


def _is_number(problem: Any, role: str) -> bool:
    kept = role.startswith("scale") or role in ("cos", "sin", "rng", "lse")
    index = role in get_op(problem.op).index_roles or (role == "bias" and problem.bias == "alibi")
    return not kept and not index


def _fill(problem: Any, choice: Choice, role: str, x: Any, rng: np.random.Generator) -> None:
    """Write numbers of the kind into one tensor. Only the first operand is tiny, huge, zero or special."""
    kind, dtype = choice["data"], dtype_of(problem, role)
    main = role in SECOND[problem.op]
    whole = get_dtype(dtype).kind == "int"
    if kind == "positive":
        x[...] = rng.integers(1, 10, x.shape) if whole else rng.uniform(0.5, 1.5, x.shape).astype(x.dtype)
    elif not main or kind == "normal":
        return
    elif kind == "tiny":
        _scale(x, 0.01 if whole else TINY.get(dtype, 1 / FAR))
    elif kind == "huge":
        _scale(
            x, 1.27 if whole else HUGE.get(dtype, FAR if problem.op != "fmha" else 2.0**6), get_dtype(dtype).max_value
        )
    elif kind == "zeros":
        x[...] = 0
        x[..., ::2] = -x[..., ::2]
    elif kind in ("inf", "nan") and x.size:
        x[tuple(n // 2 for n in x.shape)] = np.inf if kind == "inf" else np.nan


def _scale(x: Any, by: float, top: float = np.inf) -> None:
    x[...] = np.clip(x.astype(np.float64) * by, -top, top).astype(x.dtype)


def _fill_attention(p: Any, choice: Choice, tensors: dict[str, Any], rng: np.random.Generator) -> None:
    """Hide keys, empty sequences, share pages; a backward pass gets the forward pass of these tensors."""
    kind = choice["data"]
    if kind.startswith("hide") or kind == "lowest":
        tensors["bias"][...] = hidden(kind, tensors["bias"]).astype(tensors["bias"].dtype)
    if kind == "empty_sequences" and p.batch > 1:
        _empty_one(p, tensors)
    if kind == "shared_pages" and p.batch > 1 and "page_table" in tensors:
        table = tensors["page_table"]
        if table.ndim == 2:
            table[1:] = table[:1]
        elif len(table):
            half = max(1, len(table) // 2)
            table[half:] = np.resize(table[:half], len(table) - half)
    if p.family == "bwd":
        from tilewright.ops.fmha.reference import forward

        for role, expected in forward(p, tensors).items():
            tensors[role][...] = expected.value.astype(tensors[role].dtype)


def hidden(kind: str, bias: Any) -> Any:
    """Return a bias that hides some keys: with minus infinity, or with the lowest finite number."""
    values = np.array(bias, dtype=np.float64)
    rows, keys = values.shape[-2:]
    low = float(-np.inf)
    if kind == "lowest":
        low = -get_dtype(_name(bias.dtype)).max_value
    key, row = np.arange(keys), np.arange(rows)[:, None]
    masks = {
        "hide_leading": (key < keys * 2 // 3) & (row >= 0),
        "lowest": (key < keys * 2 // 3) & (row >= 0),
        "hide_trailing": (key >= keys // 3) & (row >= 0),
        "hide_all": (key >= 0) & (row >= 0),
        "hide_alternating": (key // 16 + row // 16) % 2 == 0,
        "hide_rows": (key >= 0) & (row % 3 != 1),
    }
    return np.where(masks[kind], low, values)


def _name(dtype: Any) -> str:
    from tilewright.model.dtype import dtype_of_numpy

    return dtype_of_numpy(dtype)


def _empty_one(p: Any, tensors: dict[str, Any]) -> None:
    """Take the keys of sequence 0 away, and in group mode its rows, as far as the next one may have more."""
    if "seqlens_k" in tensors:
        tensors["seqlens_k"][0] = 0
    if p.lookup == "sglang" and "page_indptr" in tensors:
        tensors["page_indptr"][1] = tensors["page_indptr"][0]
        pages = np.diff(tensors["page_indptr"])
        most = -(-p.seqlen_k // p.page_size)
        if pages.max(initial=0) > most:  # the next sequence took more pages than the longest may have
            tensors["page_indptr"][1] = tensors["page_indptr"][2] - most
        if "last_page_lens" in tensors and tensors["page_indptr"][1] == tensors["page_indptr"][0]:
            tensors["last_page_lens"][0] = 0
        if "last_page_lens" in tensors:  # the next one may have its pages now, but not more keys than the longest
            whole = (int(np.diff(tensors["page_indptr"])[1]) - 1) * p.page_size
            tensors["last_page_lens"][1] = min(int(tensors["last_page_lens"][1]), p.seqlen_k - whole)
    for role, longest in (("cu_seqlens_q", p.seqlen_q), ("cu_seqlens_k", p.seqlen_k)):
        if role in tensors and p.batch > 1:
            ends = tensors[role]
            ends[1] = max(0, int(ends[2]) - longest)


def _shifted(x: Any) -> Any:
    """Return the same array at an address that is a multiple of its element only."""
    if x.size == 0:
        return x
    steps = [s // x.itemsize for s in x.strides]
    room = strided_zeros((*x.shape,), steps, _name(x.dtype))
    start = sum(-s * (n - 1) for s, n in zip(steps, x.shape, strict=True) if s < 0)
    count = 1 + sum(abs(s) * (n - 1) for s, n in zip(steps, x.shape, strict=True))
    storage = np.zeros((count + 1) * x.itemsize + 64, np.uint8)
    first = -storage.__array_interface__["data"][0] % 64 + (1 + start) * x.itemsize
    moved = np.ndarray(x.shape, room.dtype, storage, first, x.strides)
    moved[...] = x
    return moved


def on_gpu(problem: Any, arrays: Mapping[str, Any], choice: Choice) -> dict[str, Any]:
    """Return torch tensors on the problem's device with the values, strides and misalignment of the arrays."""
    import torch

    from tilewright.model.device import memory_of
    from tilewright.ops.gemm.on_device import torch_dtype

    place, made = memory_of(problem.device), {}
    for role, x in arrays.items():
        steps = [s // x.itemsize for s in x.strides]
        kind = torch_dtype(_name(x.dtype))
        count = 1 + sum(s * (n - 1) for s, n in zip(steps, x.shape, strict=True)) if x.size else 0
        shift = int(choice["alignment"] == "element")
        room = torch.zeros(count + shift, dtype=kind, device=place)
        if count:
            t = torch.as_strided(room, x.shape, steps, shift)
        else:  # strides of an empty tensor count too
            t = torch.empty_strided(x.shape, steps, dtype=kind, device=place)
        if x.size:
            wide = np.ascontiguousarray(x).astype(np.int64 if x.dtype.kind in "iu" else np.float64)
            drawn = tuple(slice(1) if s == 0 else slice(None) for s in steps)
            t[drawn].copy_(torch.from_numpy(wide[drawn]).to(kind))
        made[role] = t
    return made


def to_host(tensors: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """Return results of a GPU as arrays of the dtypes that the host has for them."""
    return {r: t.double().cpu().numpy().astype(like[r].dtype) for r, t in tensors.items()}


__all__ = ["numpy_dtype", "on_gpu", "tensors_of", "to_host"]
