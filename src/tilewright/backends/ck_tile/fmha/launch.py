"""Launch built attention kernels through the HIP runtime: forward passes, and what all passes share.

It has never run on hardware. Arguments are packed here (`kargs.py`); a test compares their layout with the compiler's.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, e, log2
from typing import Any

import numpy as np

from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import Addresses
from ....ops.fmha.dropout import ck_threshold
from ....ops.fmha.mask import window_of
from ....ops.fmha.problem import FmhaProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, CodeCall, CopyCall
from .kargs import pack, parts_of
from .threads import threads

RNG_BYTES, SEED_BYTES = 12, 16  # three int32; a kernel reads two uint64: the last word stays 0
TILES_AHEAD = 4
NO_LENGTH = -1  # in group mode a kernel reads the lengths of each sequence


def scaled(p: FmhaProblem) -> float:
    """Return the scale of the logits for exponentials of base 2, rounded as in CK."""
    return float(np.float32(float(np.float32(p.softmax_scale)) * log2(e)))


def strides_of(p: FmhaProblem, role: str, name: str, lse: bool = False) -> dict[str, int]:
    """Return the strides of a role under the names of CK's fields: rows, heads and, in batch mode, sequences.

    That of a single row may be any number. CK takes it for the length of the matrix: rows that are none must lie
    behind the end.
    """
    steps = p.stride(role)
    batch, (row, head) = ((0,), steps[:2]) if p.mode == "group" else (steps[:1], steps[1:3])
    if lse:  # [batch, heads, rows], or [heads, total rows]
        head = steps[-2]
    elif p.shape(role)[-3] == 1:
        row = p.shape(role)[-1]
    found = {f"nhead_stride_{name}": head, f"batch_stride_{name}": batch[0]}
    return found if lse else {**found, f"stride_{name}": row}


def common_values(p: FmhaProblem, addresses: Addresses) -> dict[str, Any]:
    """Return the argument values that several stages share."""
    group = p.mode == "group"
    left, right = window_of(p) if p.mask != "none" else (-1, -1)
    if p.bias == "alibi" and (left, right) == (-1, 0):
        # Behind an unbounded causal mask CK counts columns instead of distances, which moves the LSE of each row.
        left = p.seqlen_q + p.seqlen_k
    values: dict[str, Any] = {
        "seqlen_q": NO_LENGTH if group else p.seqlen_q, "seqlen_k": NO_LENGTH if group else p.seqlen_k,
        "hdim_q": p.hdim_q, "hdim_v": p.hdim_v, "num_head_q": p.heads_q, "nhead_ratio_qk": p.heads_q // p.heads_kv,
        "window_size_left": left, "window_size_right": right, "mask_type": 1 if p.mask.endswith("top_left") else 2,
        "logits_soft_cap": p.soft_cap, "logits_soft_cap_rcp": 1.0 / p.soft_cap if p.soft_cap else 0.0,
    }  # fmt: skip
    for role, pointer in (("q", "q_ptr"), ("k", "k_ptr"), ("v", "v_ptr"), ("lse", "lse_ptr")):
        values[pointer] = addresses.get(role, 0)
    if group:
        values |= {"seqstart_q_ptr": addresses["cu_seqlens_q"], "seqstart_k_ptr": addresses.get("cu_seqlens_k", 0)}
    for role in ("q", "k", "v"):
        values |= strides_of(p, role, role)
    return values | _bias_values(p, addresses) | _page_values(p, addresses)


def _page_values(p: FmhaProblem, addresses: Addresses) -> dict[str, Any]:
    """Return the lengths of the keys and the table of their pages."""
    if p.lookup == "sglang":  # pages of one token: a page is a row
        rows = {f"stride_{role}": p.stride(role)[0] for role in ("k", "v")}
        heads = {f"nhead_stride_{role}": p.stride(role)[2] for role in ("k", "v")}
        batch = {"batch_stride_k": 0, "batch_stride_v": 0, "num_total_pages": p.num_pages}
        return {**rows, **heads, **batch, "kv_indptr": addresses["page_indptr"]}
    values = {"seqlen_k_ptr": addresses.get("seqlens_k", 0), "cache_batch_idx": 0}
    if p.page_size:
        values |= {"block_table_ptr": addresses["page_table"], "page_block_size": p.page_size,
                   "batch_stride_block_table": p.stride("page_table")[0]}  # fmt: skip
    return values


def _bias_values(p: FmhaProblem, addresses: Addresses) -> dict[str, Any]:
    """Return the bias and its gradient; a stride is 0 if all sequences, or all heads, share it."""
    if p.bias == "none":
        return {}
    if p.bias == "alibi":
        step = p.stride("bias")[0] if p.bias_batch > 1 else 0
        return {"alibi_slope_ptr": addresses["bias"], "alibi_slope_stride": step}
    values: dict[str, Any] = {}
    for role in ("bias", "dbias"):
        if role in addresses:
            batch, head, row, _ = p.stride(role)
            row = p.seqlen_k if p.shape(role)[2] == 1 else row
            values |= {f"{role}_ptr": addresses[role], f"stride_{role}": row}
            values[f"nhead_stride_{role}"] = head if p.bias_heads > 1 else 0
            values[f"batch_stride_{role}"] = batch if p.bias_batch > 1 else 0
    return values


class ForwardStage(GpuStage):
    """One forward attention of a plan."""

    def __init__(self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels) -> None:
        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            return _attend(kernels, driver, problem, addresses, workspace)

        super().__init__(kernels, Held.of(problem, candidate.spec).bytes, ready)


@dataclass(frozen=True)
class Held:
    """The workspace of a forward pass: seeds of dropout, then a copy of the page table.

    CK's batch prefill looks pages up some tiles of keys ahead, beyond the end of the table: the copy ends in zeros.
    """

    seeds: int  # bytes
    pages: int

    @classmethod
    def of(cls, p: FmhaProblem, spec: KernelSpec) -> Held:
        """Return the workspace of a problem and its kernel."""
        ahead = TILES_AHEAD * spec.algorithm.tile_n0
        return cls(SEED_BYTES if p.dropout else 0, 4 * (p.num_pages + ahead) if p.family == "batch_prefill" else 0)

    @property
    def bytes(self) -> int:
        """The bytes of both."""
        return self.seeds + self.pages

    def copies(self, driver: Any, p: FmhaProblem, addresses: Addresses, workspace: int) -> list[CopyCall]:
        """Return what fills it, before the kernel."""
        seeds = [CopyCall(driver, workspace, addresses["rng"], RNG_BYTES)] if self.seeds else []
        table = (workspace + self.seeds, addresses.get("page_table", 0), 4 * p.num_pages)
        return [*seeds, *([CopyCall(driver, *table)] if self.pages else [])]


def _attend(kernels: CkKernels, driver: Any, p: FmhaProblem, addresses: Addresses, workspace: int) -> list[Any]:
    """Return the launches of a forward pass: seeds of dropout are copied first; the kernel reads scales itself."""
    spec, a = kernels.spec, kernels.spec.algorithm
    values = {**common_values(p, addresses), "o_ptr": addresses["out"], "scale_s": scaled(p)}
    held = Held.of(p, spec)
    values |= {**strides_of(p, "out", "o"), **dropout_values(p, workspace), **_scale_values(p, addresses)}
    values["kv_page_indices"] = workspace + held.seeds
    if p.lse:
        values |= strides_of(p, "lse", "lse", lse=True)
    tiles = ceil(p.seqlen_q / a.tile_m0) * ceil(p.hdim_v / a.tile_n1)
    grid = (tiles, p.heads_q, p.batch) if p.page_size else (p.heads_q, tiles, p.batch)
    if p.family == "batch_prefill":
        grid = (p.heads_q, p.batch, tiles)
    parts = parts_of("attend", spec.signature)
    call = CodeCall(
        driver, spec.name, kernels.function(driver, "attend"), grid, threads(spec), pack(*parts, values)
    )  # fmt: skip
    return [*held.copies(driver, p, addresses, workspace), call]


def _scale_values(p: FmhaProblem, addresses: Addresses) -> dict[str, Any]:
    """Return the scales of 8-bit operands: CK stretches probabilities to 8 bits; the kernel adds those of tensors."""
    if p.qscale == "none":
        return {}
    stretch = get_dtype(p.dtype).max_value
    pointers = {f"{role}_ptr": addresses[role] for role in ("scale_q", "scale_k", "scale_v")}
    return {**pointers, "scale_p": stretch, "scale_o": 1.0 / stretch}


def kept_share(p: FmhaProblem) -> float:
    """Return the probability that dropout keeps an element, rounded as in CK."""
    return float(np.float32(1.0) - np.float32(p.dropout))


def dropout_values(p: FmhaProblem, seeds: int) -> dict[str, Any]:
    """Return the dropout of a pass; seed and offset, 64 bits each, are at the address `seeds`."""
    stretch = 1.0 / kept_share(p)
    return {
        "drop_seed": seeds, "drop_offset": seeds + 8, "is_drop_seed_offset_from_host": 0, "rp_undrop": stretch,
        "scale_rp_undrop": stretch * p.softmax_scale, "p_undrop_in_uint8_t": ck_threshold(p.dropout),
        "is_store_randval": 0, "stride_randval": 0, "nhead_stride_randval": 0, "batch_stride_randval": 0,
    }  # fmt: skip
