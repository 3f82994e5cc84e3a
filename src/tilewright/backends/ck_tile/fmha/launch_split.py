"""Launch built split-KV attention: every split of the keys leaves a partial result, which a second kernel combines.

It has never run on hardware. Partial results and their LSE are in a workspace, in fp32: [splits, sequences, heads,
rows, columns] (in group mode the rows of all sequences follow each other).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from ....arch import get_arch
from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import Addresses
from ....ops.fmha.problem import FmhaProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, CodeCall
from .algorithm import CkTileFmha
from .kargs import pack, parts_of
from .launch import NO_LENGTH, common_values, scaled, strides_of
from .tables import plain_fields
from .threads import threads

FEWEST_SPLITS, MAX_SPLITS = 3, 7  # logarithms of what a combining kernel is compiled for
VECTOR = 4  # columns that a work item of the combining kernel handles
ALIGNMENT = 256


def combiner(spec: KernelSpec, splits: int) -> KernelSpec:
    """Return the kernel that combines the partial results of `spec`."""
    s, a = spec.signature, spec.algorithm
    plain = replace(s, mask="none", bias="none", soft_cap=False, lookup="none", page_size=0)
    log = next(n for n in range(FEWEST_SPLITS, MAX_SPLITS + 1) if splits <= 1 << n)
    fields = {**plain_fields("combine", a.tile_n1), "pad_s": True, "pad_dv": a.pad_dv or s.hdim_v != a.tile_n1}
    return KernelSpec("fmha", "ck_tile", spec.arch, plain, CkTileFmha(**fields, log_max_splits=log))


@dataclass(frozen=True)
class Partials:
    """The workspace: the LSE of every row and split, then the partial results."""

    splits: int
    rows: int  # of one split: whole tiles in batch mode
    width: int
    heads: int
    batch: int  # 1 in group mode

    @classmethod
    def of(cls, p: FmhaProblem, spec: KernelSpec, splits: int) -> Partials:
        """Return the workspace of a problem; a tile of rows may reach beyond the last one."""
        tile = spec.algorithm.tile_m0
        rows = p.total_q + tile if p.mode == "group" else ceil(p.seqlen_q / tile) * tile
        return cls(splits, rows, p.hdim_v, p.heads_q, 1 if p.mode == "group" else p.batch)

    @property
    def lse(self) -> int:
        """Elements of one split's LSE."""
        return self.batch * self.heads * self.rows

    @property
    def results_at(self) -> int:
        """The offset of the partial results."""
        return -(-4 * self.splits * self.lse // ALIGNMENT) * ALIGNMENT

    @property
    def bytes(self) -> int:
        """The bytes of both."""
        return self.results_at + 4 * self.splits * self.lse * self.width

    def values(self, workspace: int) -> dict[str, int]:
        """Return the fields of the arguments of both kernels."""
        row = self.width
        return {
            "lse_acc_ptr": workspace, "o_acc_ptr": workspace + self.results_at, "num_splits": self.splits,
            "stride_o_acc": row, "row_stride_o_acc": row,
            "nhead_stride_lse_acc": self.rows, "nhead_stride_o_acc": self.rows * row,
            "batch_stride_lse_acc": self.heads * self.rows, "batch_stride_o_acc": self.heads * self.rows * row,
            "split_stride_lse_acc": self.lse, "split_stride_o_acc": self.lse * row,
        }  # fmt: skip


class SplitStage(GpuStage):
    """One split-KV attention of a plan: the splits, and their combination."""

    def __init__(self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels, combine: CkKernels) -> None:
        space = Partials.of(problem, candidate.spec, candidate.launch.num_splits)

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            values = split_values(problem, addresses, space.values(workspace))
            return [_attend(kernels, driver, problem, values), _combine(combine, driver, problem, values)]

        super().__init__(kernels, space.bytes, ready)


def split_values(p: FmhaProblem, addresses: Addresses, partials: Mapping[str, int]) -> dict[str, Any]:
    """Return the argument values of both kernels."""
    values = {**common_values(p, addresses), **partials, "scale_s": scaled(p), "batch": p.batch}
    own = strides_of(p, "out", "o")
    values |= {**own, "row_stride_o": own["stride_o"], "o_ptr": addresses["out"]}
    if p.lse:
        values |= strides_of(p, "lse", "lse", lse=True)
    if p.mode == "group":
        values["seqlen_q"] = NO_LENGTH
    return values


def _attend(kernels: CkKernels, driver: Any, p: FmhaProblem, values: Mapping[str, Any]) -> CodeCall:
    spec, a = kernels.spec, kernels.spec.algorithm
    rows, heads = (p.seqlen_q * p.heads_q // p.heads_kv, p.heads_kv) if a.merge_groups else (p.seqlen_q, p.heads_q)
    blocks = ceil(rows / a.tile_m0) * ceil(p.hdim_v / a.tile_n1) * values["num_splits"]
    argument = pack(*parts_of("attend", spec.signature), values)
    function = kernels.function(driver, "attend")
    return CodeCall(driver, spec.name, function, (blocks, heads, p.batch), threads(spec), argument)


def _combine(kernels: CkKernels, driver: Any, p: FmhaProblem, values: Mapping[str, Any]) -> CodeCall:
    spec, a = kernels.spec, kernels.spec.algorithm
    arch: Any = get_arch(spec.arch)
    rows = arch.wave_size // (a.tile_n1 // VECTOR)
    grid = (ceil(p.seqlen_q / rows) * ceil(p.hdim_v / a.tile_n1), p.heads_q, p.batch)
    argument = pack(*parts_of("combine", spec.signature), values)
    function = kernels.function(driver, "combine")
    return CodeCall(driver, spec.name, function, grid, threads(spec), argument)
