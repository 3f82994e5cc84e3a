"""Attention on the CPU: algorithm, rules, cost model and lowering."""

from __future__ import annotations

from typing import ClassVar

from ....model.kernel import Candidate, PlanStep
from ....model.rule import Rule
from ....ops.fmha.problem import FmhaProblem
from ..op import CpuOp
from .algorithm import CpuFmha
from .rules import RULES


class CpuFmhaOp(CpuOp[FmhaProblem]):
    """How the CPU backend computes attention."""

    op: ClassVar[str] = "fmha"
    package: ClassVar[str] = __name__
    algorithm: ClassVar[type] = CpuFmha
    rules: ClassVar[tuple[Rule, ...]] = RULES

    def steps(self, candidate: Candidate, problem: FmhaProblem) -> tuple[PlanStep, ...]:
        """Return one step; split and combine; or the three steps of a backward pass."""
        from ....ops.fmha.work import plan_steps

        return plan_steps(problem, candidate.launch.num_splits)


OP = CpuFmhaOp()
