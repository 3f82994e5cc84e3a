"""Launch built attention kernels through the HIP runtime: forward, and backward in three stages.

It has never run on hardware. Arguments are packed here (`kargs.py`); a test compares their layout with the compiler's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, e, log2
from typing import Any

import numpy as np

from ....arch import get_arch
from ....model.kernel import Candidate, KernelSpec
from ....ops.fmha.mask import window_of
from ....ops.fmha.problem import FmhaProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, ClearCall, CodeCall
from .algorithm import CkTileFmha
from .kargs import pack, parts_of
from .tables import plain_fields

NO_LENGTH = -1  # in group mode a kernel reads the lengths of each sequence
ONE_DIMENSIONAL = {"dot_do_o": 0, "convert_dq": 256}  # work items of a block; 0: one for each row


def companions(spec: KernelSpec) -> dict[str, KernelSpec]:
    """Return the kernels that a backward kernel needs before and after it, by stage; none for any other."""
    s, a = spec.signature, spec.algorithm
    if a.stage != "dq_dk_dv":
        return {}
    plain = replace(s, mask="none", bias="none", dbias=False, dropout="none")
    dot = CkTileFmha(**plain_fields("dot_do_o", a.tile_n1), pad_s=True, pad_dv=s.hdim_v != a.tile_n1)
    found = {"dot_do_o": KernelSpec("fmha", "ck_tile", spec.arch, replace(plain, deterministic=False), dot)}
    if not a.max_seqlen_q:  # a kernel with max_seqlen_q holds all rows of dQ, and writes it itself
        keys = a.tile_n0 if s.deterministic else 0
        pads = {"pad_s": True, "pad_d": s.hdim_q != a.tile_k0max}
        convert = CkTileFmha(**plain_fields("convert_dq", a.tile_k0max, keys), **pads)
        found["convert_dq"] = KernelSpec("fmha", "ck_tile", spec.arch, plain, convert)
    return found


def threads(spec: KernelSpec) -> int:
    """Return the work items of a block."""
    a: CkTileFmha = spec.algorithm
    arch: Any = get_arch(spec.arch)
    if a.stage in ONE_DIMENSIONAL:
        return ONE_DIMENSIONAL[a.stage] or a.tile_m0
    return int(arch.wave_size) * max(w[0] * w[1] for w in a.waves)


def scaled(p: FmhaProblem) -> float:
    """Return the scale of the logits for exponentials of base 2, rounded as in CK."""
    return float(np.float32(float(np.float32(p.softmax_scale)) * log2(e)))


def strides_of(p: FmhaProblem, role: str, name: str, lse: bool = False) -> dict[str, int]:
    """Return the strides of a role under the names of CK's fields: rows, heads and, in batch mode, sequences."""
    steps = p.stride(role)
    batch, (row, head) = ((0,), steps[:2]) if p.mode == "group" else (steps[:1], steps[1:3])
    if lse:  # [batch, heads, rows], or [heads, total rows]
        head = steps[-2]
    found = {f"nhead_stride_{name}": head, f"batch_stride_{name}": batch[0]}
    return found if lse else {**found, f"stride_{name}": row}


def common_values(p: FmhaProblem, addresses: Mapping[str, int]) -> dict[str, Any]:
    """Return the argument values that several stages share."""
    group = p.mode == "group"
    left, right = window_of(p) if p.mask != "none" else (-1, -1)
    values: dict[str, Any] = {
        "seqlen_q": NO_LENGTH if group else p.seqlen_q, "seqlen_k": NO_LENGTH if group else p.seqlen_k,
        "hdim_q": p.hdim_q, "hdim_v": p.hdim_v, "num_head_q": p.heads_q, "nhead_ratio_qk": p.heads_q // p.heads_kv,
        "window_size_left": left, "window_size_right": right, "mask_type": 1 if p.mask.endswith("top_left") else 2,
        "logits_soft_cap": p.soft_cap, "logits_soft_cap_rcp": 1.0 / p.soft_cap if p.soft_cap else 0.0,
    }  # fmt: skip
    for role, pointer in (("q", "q_ptr"), ("k", "k_ptr"), ("v", "v_ptr"), ("lse", "lse_ptr")):
        values[pointer] = addresses.get(role, 0)
    if group:
        values |= {"seqstart_q_ptr": addresses["cu_seqlens_q"], "seqstart_k_ptr": addresses["cu_seqlens_k"]}
    for role in ("q", "k", "v"):
        values |= strides_of(p, role, role)
    return values | _bias_values(p, addresses) | _page_values(p, addresses)


def _page_values(p: FmhaProblem, addresses: Mapping[str, int]) -> dict[str, Any]:
    """Return the lengths of the keys and the table of their pages."""
    values = {"seqlen_k_ptr": addresses.get("seqlens_k", 0), "cache_batch_idx": 0}
    if p.page_size:
        values |= {"block_table_ptr": addresses["page_table"], "page_block_size": p.page_size,
                   "batch_stride_block_table": p.stride("page_table")[0]}  # fmt: skip
    return values


def _bias_values(p: FmhaProblem, addresses: Mapping[str, int]) -> dict[str, Any]:
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
            values |= {f"{role}_ptr": addresses[role], f"stride_{role}": row}
            values[f"nhead_stride_{role}"] = head if p.bias_heads > 1 else 0
            values[f"batch_stride_{role}"] = batch if p.bias_batch > 1 else 0
    return values


class ForwardStage(GpuStage):
    """One forward attention of a plan."""

    def __init__(self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels) -> None:
        def ready(driver: Any, addresses: Mapping[str, int], workspace: int) -> list[Any]:
            return [_attend(kernels, driver, problem, addresses)]

        super().__init__(kernels, 0, ready)


def _attend(kernels: CkKernels, driver: Any, p: FmhaProblem, addresses: Mapping[str, int]) -> CodeCall:
    spec, a = kernels.spec, kernels.spec.algorithm
    values = {**common_values(p, addresses), "o_ptr": addresses["out"], "scale_s": scaled(p)}
    values |= strides_of(p, "out", "o")
    if p.lse:
        values |= strides_of(p, "lse", "lse", lse=True)
    tiles = ceil(p.seqlen_q / a.tile_m0) * ceil(p.hdim_v / a.tile_n1)
    grid = (tiles, p.heads_q, p.batch) if p.page_size else (p.heads_q, tiles, p.batch)
    argument = pack(*parts_of("attend", spec.signature), values)
    return CodeCall(driver, spec.name, kernels.function(driver, "attend"), grid, threads(spec), argument)


@dataclass(frozen=True)
class Gradients:
    """The workspace of a backward pass: rows of dO . O, then sums of dQ in fp32, one slice per split of the keys."""

    rows: int  # elements of D, which has the strides of the LSE
    sums: int  # elements of one slice of dQ
    slices: int

    @classmethod
    def of(cls, p: FmhaProblem, spec: KernelSpec) -> Gradients:
        """Return the workspace of a problem and its main kernel."""
        reach = sum(step * (n - 1) for step, n in zip(p.stride("lse"), p.shape("lse"), strict=True)) + 1
        held = p.heads_q * p.hdim_q * (p.total_q if p.mode == "group" else p.batch * p.seqlen_q)
        writes_itself = bool(spec.algorithm.max_seqlen_q)
        slices = ceil(p.seqlen_k / spec.algorithm.tile_n0) if spec.signature.deterministic else 1
        return cls(reach, 0 if writes_itself else held, slices)

    @property
    def sums_at(self) -> int:
        """The offset of the sums."""
        return -(-4 * self.rows // 256) * 256

    @property
    def bytes(self) -> int:
        """The bytes of both."""
        return self.sums_at + 4 * self.sums * self.slices


class BackwardStage(GpuStage):
    """One backward attention of a plan: dO . O, the gradients, and the conversion of dQ."""

    def __init__(
        self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels, others: Mapping[str, CkKernels]
    ) -> None:
        space = Gradients.of(problem, candidate.spec)

        def ready(driver: Any, addresses: Mapping[str, int], workspace: int) -> list[Any]:
            return _gradients(kernels, others, driver, problem, addresses, workspace, space)

        super().__init__(kernels, space.bytes, ready)


def _gradients(
    kernels: CkKernels, others: Mapping[str, CkKernels], driver: Any, p: FmhaProblem, addresses: Mapping[str, int],
    workspace: int, space: Gradients,
) -> list[Any]:  # fmt: skip
    """Return the launches of a backward pass, in order."""
    a, sums = kernels.spec.algorithm, workspace + space.sums_at
    rows = p.total_q if p.mode == "group" else p.seqlen_q
    values = {
        **common_values(p, addresses), "scale": scaled(p), "raw_scale": p.softmax_scale, "p_undrop": 1.0,
        "o_ptr": addresses["out"], "do_ptr": addresses["dout"], "d_ptr": workspace, "dq_ptr": addresses["dq"],
        "dk_ptr": addresses["dk"], "dv_ptr": addresses["dv"], "split_stride_dq_acc": space.sums,
        "dq_acc_ptr": sums, "stride_dq_acc": p.hdim_q, "nhead_stride_dq_acc": rows * p.hdim_q,
        "batch_stride_dq_acc": p.heads_q * rows * p.hdim_q,
    }  # fmt: skip
    for role, name in (("out", "o"), ("dout", "do"), ("dq", "dq"), ("dk", "dk"), ("dv", "dv")):
        values |= strides_of(p, role, name)
    for name in ("lsed", "d"):
        values |= strides_of(p, "lse", name, lse=True)
    if not space.sums:  # dQ itself holds its sums
        values |= {"dq_acc_ptr": addresses["dq"], **strides_of(p, "dq", "dq_acc")}
    tiles = 1 if a.max_seqlen_q else ceil(p.seqlen_k / a.tile_n0)

    def call(stage: str, of: CkKernels, blocks: int) -> CodeCall:
        argument = pack(*parts_of(stage, of.spec.signature), values)
        grid = (blocks, p.heads_q, p.batch)
        return CodeCall(driver, of.spec.name, of.function(driver, stage), grid, threads(of.spec), argument)

    dot = others["dot_do_o"]
    calls: list[Any] = [call("dot_do_o", dot, ceil(p.seqlen_q / dot.spec.algorithm.tile_m0))]
    if space.sums:
        size = 4 * space.sums * space.slices
        calls.append(ClearCall(driver, sums, size, size, 1))
    calls.append(call("dq_dk_dv", kernels, tiles))
    if space.sums:
        convert = others["convert_dq"]
        calls.append(call("convert_dq", convert, ceil(p.seqlen_q / convert.spec.algorithm.tile_m0)))
    return calls
