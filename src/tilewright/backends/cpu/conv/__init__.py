"""Convolution on the CPU: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....model.kernel import Candidate, KernelSpec
from ....model.problem import Problem
from ....ops.conv.problem import ConvProblem
from ...product_rules import PRODUCTS, product_of
from ..op import CpuOp
from .algorithm import CpuConv, gemm_spec
from .rules import RULES


class CpuConvOp(CpuOp[ConvProblem]):
    """How the CPU backend computes a convolution."""

    op = "conv"
    package = __name__
    algorithm = CpuConv
    rules = RULES
    thumb = "thumb"

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the loaded, checked kernel: its own, or that of the equivalent product."""
        return super().load(gemm_spec(spec) if spec.algorithm.pipeline in PRODUCTS else spec, artifact)

    def delegate(
        self, candidate: Candidate, problem: ConvProblem
    ) -> tuple[Candidate, Problem, Mapping[str, str]] | None:
        """Return the product over the same memory for a 1x1 convolution by pipelines gemm and planes."""
        from ....ops.conv.planes import planes_roles
        from ....ops.conv.product import gemm_roles

        pipeline = candidate.spec.algorithm.pipeline
        if pipeline not in PRODUCTS:
            return None
        inner = Candidate(gemm_spec(candidate.spec), candidate.launch)
        roles = planes_roles(problem) if pipeline == "planes" else gemm_roles(problem)
        return inner, product_of(pipeline, problem), roles


OP = CpuConvOp()
