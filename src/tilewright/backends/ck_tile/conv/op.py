"""Convolution in the ck_tile backend: rules, sets and a rule of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....model.backend import Stage
from ....model.device import Device
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch, PlanStep
from ....model.kernel_set import KernelSet
from ....ops.conv.problem import ConvProblem
from ....settings import Settings
from ..op import CkTileOp, split_error
from . import choices
from .algorithm import CkTileConv
from .rules import RULES
from .sets import default_sets


class CkTileConvOp(CkTileOp[ConvProblem]):
    """Grouped convolution on AMD GPUs by CK Tile."""

    op = "conv"
    package = __name__.rpartition(".")[0]
    algorithm = CkTileConv
    rules = RULES

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the shipped sets, one per arch and variant."""
        return default_sets()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the same sets: convolution has no larger space."""
        return default_sets()

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Products are exact; splits of K are added in the weight's dtype, unless there are two stages."""
        s, split_k = spec.signature, launch.split_k if launch is not None else 1
        dtype = s.dtype_acc if spec.algorithm.two_stage else s.dtype_weight
        return Inexact(partial=split_error(dtype, s.dtype_acc, split_k))

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
        """Return no split, and for backward weight the splits that use idle compute units."""
        return choices.launches(spec, problem, device)

    def preference(self, candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
        """Return a rule of thumb: little wasted work and busy compute units; never checked on hardware."""
        return choices.preference(candidate, problem, device)

    def steps(self, candidate: Candidate, problem: ConvProblem) -> tuple[PlanStep, ...]:
        """Return the convolution, and a second kernel that converts sums in a workspace."""
        from .launch import workspace_bytes

        size = workspace_bytes(problem, candidate.spec)
        return (PlanStep("conv", (("sums", size),)), PlanStep("convert_weight")) if size else (PlanStep("conv"),)

    def stages(self, candidate: Candidate, problem: ConvProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the convolution, and the conversion of its sums."""
        from .launch import ConvStage

        return (ConvStage(candidate, problem, kernel),)


OP = CkTileConvOp()
