"""Attention on the CPU: algorithm, rules, cost model and lowering."""

from __future__ import annotations

from ....model.kernel import Candidate, PlanStep
from ....ops.fmha.problem import FmhaProblem
from ..op import CpuOp
from .algorithm import CpuFmha
from .rules import RULES


class CpuFmhaOp(CpuOp[FmhaProblem]):
    """How the CPU backend computes attention."""

    op = "fmha"
    package = __name__
    algorithm = CpuFmha
    rules = RULES

    def steps(self, candidate: Candidate, problem: FmhaProblem) -> tuple[PlanStep, ...]:
        """Return one step; split and combine; or the three steps of a backward pass."""
        from ....ops.fmha.work import plan_steps

        return plan_steps(problem, candidate.launch.num_splits)


OP = CpuFmhaOp()
