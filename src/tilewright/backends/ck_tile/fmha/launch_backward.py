"""Launch built backward attention: dO . O, the gradients, the conversion of dQ, and sums over grouped heads.

It has never run on hardware. CK writes dK and dV for each query head: with grouped heads they go into the workspace,
and a kernel of tilewright's own adds those of a group.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import Addresses
from ....ops.fmha.problem import FmhaProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, ClearCall, CodeCall, CopyCall
from .algorithm import CkTileFmha
from .kargs import pack, parts_of
from .launch import RNG_BYTES, SEED_BYTES, common_values, dropout_values, kept_share, scaled, strides_of
from .tables import plain_fields
from .threads import threads

ALIGNMENT = 256
MAX_BLOCKS = 1 << 16  # of a sum over heads, whose work items take several elements
SUM = struct.Struct("<QQ6q4i")  # as `tilewright_ck::SumHeadsArgs`


def companions(spec: KernelSpec, grouped: bool = False) -> dict[str, KernelSpec]:
    """Return the kernels that a backward kernel needs before and after it, by stage; none for any other.

    `grouped` says that several query heads share a key head.
    """
    s, a = spec.signature, spec.algorithm
    if a.stage != "dq_dk_dv":
        return {}
    plain = replace(s, mask="none", bias="none", dbias=False, dropout="none")
    once = replace(plain, deterministic=False)
    # A problem's heads may be narrower than the signature's: then the main kernel has padding, and so do these.
    dot = CkTileFmha(**plain_fields("dot_do_o", a.tile_n1), pad_s=True, pad_dv=a.pad_dv or s.hdim_v != a.tile_n1)
    found = {"dot_do_o": KernelSpec("fmha", "ck_tile", spec.arch, once, dot)}
    if not a.max_seqlen_q:  # a kernel with max_seqlen_q holds all rows of dQ, and writes it itself
        keys = a.tile_n0 if s.deterministic else 0
        pads = {"pad_s": True, "pad_d": a.pad_d or s.hdim_q != a.tile_k0max}
        convert = CkTileFmha(**plain_fields("convert_dq", a.tile_k0max, keys), **pads)
        found["convert_dq"] = KernelSpec("fmha", "ck_tile", spec.arch, plain, convert)
    if grouped:
        total = CkTileFmha(**plain_fields("sum_heads", 0))
        found["sum_heads"] = KernelSpec("fmha", "ck_tile", spec.arch, replace(once, mode="batch"), total)
    return found


@dataclass(frozen=True)
class Gradients:
    """The workspace of a backward pass: rows of dO . O, sums of dQ in fp32 (one slice per split of the keys), with
    grouped heads dK and dV of each query head, and with dropout its seeds."""

    rows: int  # elements of D, which has the strides of the LSE
    sums: int  # elements of one slice of dQ
    slices: int
    parts: tuple[int, int] = (0, 0)  # bytes of dK and dV of each query head
    seeds: int = 0  # bytes

    @classmethod
    def of(cls, p: FmhaProblem, spec: KernelSpec) -> Gradients:
        """Return the workspace of a problem and its main kernel."""
        reach = sum(step * (n - 1) for step, n in zip(p.stride("lse"), p.shape("lse"), strict=True)) + 1
        held = p.heads_q * p.hdim_q * (p.total_q if p.mode == "group" else p.batch * p.seqlen_q)
        writes_itself = bool(spec.algorithm.max_seqlen_q)
        slices = ceil(p.seqlen_k / spec.algorithm.tile_n0) if spec.signature.deterministic else 1
        size = int(get_dtype(p.dtype).bytes) * p.heads_q * (p.total_k if p.mode == "group" else p.batch * p.seqlen_k)
        parts = (_aligned(size * p.hdim_q), _aligned(size * p.hdim_v)) if p.heads_q != p.heads_kv else (0, 0)
        return cls(reach, 0 if writes_itself else held, slices, parts, SEED_BYTES if p.dropout else 0)

    @property
    def sums_at(self) -> int:
        """The offset of the sums."""
        return _aligned(4 * self.rows)

    @property
    def parts_at(self) -> int:
        """The offset of dK of each query head; dV follows."""
        return _aligned(self.sums_at + 4 * self.sums * self.slices)

    @property
    def seeds_at(self) -> int:
        """The offset of the seeds."""
        return self.parts_at + sum(self.parts)

    def largest_stride(self, p: FmhaProblem) -> int:
        """Return the largest stride that the kernels are given of it, in elements."""
        rows = p.total_q if p.mode == "group" else p.heads_q * p.seqlen_q
        sums = self.sums if self.slices > 1 else rows * p.hdim_q if self.sums else 0
        by_head = p.heads_q * max(p.hdim_q, p.hdim_v) * (1 if p.mode == "group" else p.seqlen_k)
        return max(sums, by_head if any(self.parts) else 0)

    @property
    def bytes(self) -> int:
        """The bytes of all."""
        end = self.sums_at + 4 * self.sums * self.slices
        return self.seeds_at + self.seeds if any(self.parts) or self.seeds else end


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


class BackwardStage(GpuStage):
    """One backward attention of a plan."""

    def __init__(
        self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels, others: Mapping[str, CkKernels]
    ) -> None:
        space = Gradients.of(problem, candidate.spec)

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            return _gradients(kernels, others, driver, problem, addresses, workspace, space)

        super().__init__(kernels, space.bytes, ready)


def _values(p: FmhaProblem, addresses: Addresses, workspace: int, space: Gradients) -> dict[str, Any]:
    """Return the argument values of all kernels of CK."""
    rows = p.total_q if p.mode == "group" else p.seqlen_q
    values = {
        **common_values(p, addresses), "scale": scaled(p), "raw_scale": p.softmax_scale,
        "p_undrop": kept_share(p), **(dropout_values(p, workspace + space.seeds_at) if space.seeds else {}),
        "o_ptr": addresses["out"], "do_ptr": addresses["dout"], "d_ptr": workspace, "dq_ptr": addresses["dq"],
        "dk_ptr": addresses["dk"], "dv_ptr": addresses["dv"], "split_stride_dq_acc": space.sums,
        "dq_acc_ptr": workspace + space.sums_at, "stride_dq_acc": p.hdim_q, "nhead_stride_dq_acc": rows * p.hdim_q,
        "batch_stride_dq_acc": p.heads_q * rows * p.hdim_q,
    }  # fmt: skip
    for role, name in (("out", "o"), ("dout", "do"), ("dq", "dq"), ("dk", "dk"), ("dv", "dv")):
        values |= strides_of(p, role, name)
    for name in ("lsed", "d"):
        values |= strides_of(p, "lse", name, lse=True)
    if not space.sums:  # dQ itself holds its sums
        values |= {"dq_acc_ptr": addresses["dq"], **strides_of(p, "dq", "dq_acc")}
    if any(space.parts):
        for role, at, width in _parts(p, workspace, space):
            row = p.heads_q * width
            values |= {f"{role}_ptr": at, f"stride_{role}": row, f"nhead_stride_{role}": width}
            values[f"batch_stride_{role}"] = p.seqlen_k * row
    return values


def _parts(p: FmhaProblem, workspace: int, space: Gradients) -> tuple[tuple[str, int, int], ...]:
    """Return (role, address, width) of the gradients of each query head."""
    first = workspace + space.parts_at
    return ("dk", first, p.hdim_q), ("dv", first + space.parts[0], p.hdim_v)


def _gradients(
    kernels: CkKernels, others: Mapping[str, CkKernels], driver: Any, p: FmhaProblem, addresses: Addresses,
    workspace: int, space: Gradients,
) -> list[Any]:  # fmt: skip
    """Return the launches of a backward pass, in order."""
    a, values = kernels.spec.algorithm, _values(p, addresses, workspace, space)
    tiles = 1 if a.max_seqlen_q else ceil(p.seqlen_k / a.tile_n0)

    def call(stage: str, of: CkKernels, blocks: int) -> CodeCall:
        argument = pack(*parts_of(stage, of.spec.signature), values)
        grid = (blocks, p.heads_q, p.batch)
        return CodeCall(driver, of.spec.name, of.function(driver, stage), grid, threads(of.spec), argument)

    dot = others["dot_do_o"]
    seeds = [CopyCall(driver, workspace + space.seeds_at, addresses["rng"], RNG_BYTES)] if space.seeds else []
    calls: list[Any] = [*seeds, call("dot_do_o", dot, ceil(p.seqlen_q / dot.spec.algorithm.tile_m0))]
    if space.sums:
        size = 4 * space.sums * space.slices
        calls.append(ClearCall(driver, workspace + space.sums_at, size, size, 1))
    calls.append(call("dq_dk_dv", kernels, tiles))
    if space.sums:
        convert = others["convert_dq"]
        calls.append(call("convert_dq", convert, ceil(p.seqlen_q / convert.spec.algorithm.tile_m0)))
    if any(space.parts):
        calls += [_sum(others["sum_heads"], driver, p, addresses, part) for part in _parts(p, workspace, space)]
    return calls


def _sum(kernels: CkKernels, driver: Any, p: FmhaProblem, addresses: Addresses, part: tuple[str, int, int]) -> CodeCall:
    """Return the launch that adds dK or dV of the query heads of each group."""
    role, source, width = part
    rows, batch = (p.total_k, 1) if p.mode == "group" else (p.seqlen_k, p.batch)
    row = p.heads_q * width
    out = strides_of(p, role, role)
    strides = (
        rows * row,
        row,
        width,
        *(out[f"{kind}{role}"] for kind in ("batch_stride_", "stride_", "nhead_stride_")),
    )
    argument = SUM.pack(source, addresses[role], *strides, rows, p.heads_kv, width, p.heads_q // p.heads_kv)
    block = threads(kernels.spec)
    grid = (min(MAX_BLOCKS, ceil(rows * p.heads_kv * width / block)), 1, batch)
    return CodeCall(driver, kernels.spec.name, kernels.function(driver, "sum_heads"), grid, block, argument)
