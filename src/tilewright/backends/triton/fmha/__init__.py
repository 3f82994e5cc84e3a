"""Attention on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from typing import Any

from ....model.backend import Stage
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch, PlanStep
from ....ops.fmha.problem import FmhaProblem
from ....settings import Settings
from ...gpu.counted_op import CountedOp
from .algorithm import TritonFmha
from .rules import RULES


class TritonFmhaOp(CountedOp[FmhaProblem]):
    """How the triton backend computes attention."""

    backend = "triton"
    op = "fmha"
    package = __name__
    algorithm = TritonFmha
    rules = RULES

    def read_dtype(self, spec: KernelSpec) -> str:
        """Return the dtype of the operands."""
        return str(spec.signature.dtype)

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """tf32 drops 13 bits of each operand; Hopper keeps about 14 bits while it sums products of 8-bit floats."""
        s, a = spec.signature, spec.algorithm
        if s.dtype == "fp32" and a.precision == "tf32":
            return Inexact(product=2.0**-9)
        return Inexact(sums=2.0**-11 if s.dtype in ("fp8", "bf8") and spec.arch == "sm_90" else 0.0)

    def steps(self, candidate: Candidate, problem: FmhaProblem) -> tuple[PlanStep, ...]:
        """Return the kernels of a launch, in order; the first holds the workspace that all of them share."""
        from .bind import steps, workspace

        absent = dict.fromkeys(problem.roles, 0)  # no addresses: only names are asked for
        names = [name for name, *_ in steps(candidate.spec, problem, candidate.launch, absent)]
        size = workspace(problem, candidate.spec.algorithm, candidate.launch).bytes
        shared = (("workspace", size),) if size else ()
        return tuple(PlanStep(name, () if i else shared) for i, name in enumerate(names))

    def stages(self, candidate: Candidate, problem: FmhaProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage with every launch of the plan, which share a workspace."""
        from .launch import FmhaStage

        return (FmhaStage(candidate, problem, kernel),)


OP = TritonFmhaOp()
