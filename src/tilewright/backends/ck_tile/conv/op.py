"""Convolution in the ck_tile backend: rules, sets and a rule of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, ClassVar

from ....arch import get_arch
from ....model.backend import Stage
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch, PlanStep
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....model.trial import Trial
from ....ops.conv.geometry import implicit_gemm
from ....ops.conv.problem import ConvProblem
from ....settings import Settings
from ..op import CkTileOp, split_error
from .algorithm import CkTileConv
from .rules import RULES
from .sets import default_sets

SPLITS = (2, 4, 8, 16)
LARGE_TILE = 64  # multiplications per element loaded that keep the matrix units busy


class CkTileConvOp(CkTileOp[ConvProblem]):
    """Grouped convolution on AMD GPUs by CK Tile."""

    op: ClassVar[str] = "conv"
    algorithm: ClassVar[type] = CkTileConv
    rules: ClassVar[tuple[Rule, ...]] = RULES

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the shipped sets, one per arch and variant."""
        return default_sets()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the same sets: convolution has no larger space."""
        return default_sets()

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> float:
        """Return 0 for exact products; splits of K are added in the weight's dtype, unless there are two stages."""
        s, split_k = spec.signature, launch.split_k if launch is not None else 1
        return split_error(s.dtype_acc if spec.algorithm.two_stage else s.dtype_weight, s.dtype_acc, split_k)

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
        """Return no split, and for backward weight the splits that use idle compute units."""
        if problem.split_k is not None:
            return (Launch(split_k=problem.split_k),)
        a, gemm = spec.algorithm, implicit_gemm(problem)
        tiles = ceil(gemm.m / a.tile_m) * ceil(gemm.n / a.tile_n) * ceil(gemm.count / a.groups_to_merge)
        if problem.direction != "backward_weight" or tiles >= device.units:
            return (Launch(),)
        found = [Launch(split_k=s) for s in SPLITS if tiles * s <= 2 * device.units and gemm.k >= 4 * s * a.tile_k]
        return (Launch(), *found)

    def preference(self, candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
        """Return a rule of thumb: little wasted work and busy compute units; never checked on hardware."""
        a, gemm = candidate.spec.algorithm, implicit_gemm(problem)
        tiles_m, tiles_n = ceil(gemm.m / a.tile_m), ceil(gemm.n / a.tile_n)
        useful = gemm.m * gemm.n / (tiles_m * a.tile_m * tiles_n * a.tile_n)
        blocks = tiles_m * tiles_n * ceil(gemm.count / a.groups_to_merge) * candidate.launch.split_k
        filled = blocks / (ceil(blocks / device.units) * device.units)
        intensity = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)
        # Small warp tiles read more from LDS, single elements need more loads; "mem" is for little arithmetic.
        handy = 1 + 0.1 * (a.warp_tile_m < 32) + 0.1 * (a.vector_a == 1) + 0.05 * (a.pipeline == "mem")
        score = handy / max(1e-9, useful * filled * intensity)
        return (score, f"{useful:.0%} of the work is useful, {blocks:,} blocks keep {filled:.0%} of the units busy")

    def predict(self, candidate: Candidate, problem: ConvProblem, device: Device) -> float:
        """Return estimated seconds: flops at the arch's rate, divided by the useful and busy shares; not measured."""
        arch: Any = get_arch(candidate.spec.arch)
        rate: float = arch.ops_per_cycle[problem.signature.dtype_read[0]] * device.units * device.clock_mhz * 1e6
        score, _ = self.preference(candidate, problem, device)
        return float(problem.flops) / rate * max(1.0, score * LARGE_TILE)

    def steps(self, candidate: Candidate, problem: ConvProblem) -> tuple[PlanStep, ...]:
        """Return the convolution, and a second kernel that converts sums in a workspace."""
        from .launch import workspace_bytes

        size = workspace_bytes(problem, candidate.spec)
        return (PlanStep("conv", (("sums", size),)), PlanStep("convert_weight")) if size else (PlanStep("conv"),)

    def trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return convolutions of each shape and for each device kernel."""
        from .trials import trials

        return trials(spec, place)

    def stages(self, candidate: Candidate, problem: ConvProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the convolution, and the conversion of its sums."""
        from .launch import ConvStage

        return (ConvStage(candidate, problem, kernel),)


OP = CkTileConvOp()
