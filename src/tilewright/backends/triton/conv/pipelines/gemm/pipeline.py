"""gemm: a 1x1 convolution as a product of the gemm backend, whose rules, requests and launches it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ......jit.artifact import BuildRequest
from ......model.backend import Stage
from ......model.kernel import Candidate, KernelSpec, Launch
from ......ops.conv.problem import ConvProblem
from ......settings import Settings
from .....product_rules import product_rule
from ....gemm.rules import RULES as GEMM_RULES
from ...algorithm import TritonConv, gemm_algorithm, gemm_spec
from ...geometry import Geometry
from ...pipeline import Pipeline

GEMM_PROBLEM_RULES = tuple(r for r in GEMM_RULES if r.kind == "problem")


class Gemm(Pipeline):
    """No kernel of this op: the gemm backend's own."""

    own = False
    product_rules = True
    last_rules = (product_rule("triton.conv.gemm", GEMM_PROBLEM_RULES, gemm_spec),)

    def label(self, a: TritonConv) -> str:
        """Return the label of the product."""
        return f"gemm_{gemm_algorithm(a).label()}"

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Not known here: a product is cut by the gemm backend."""
        raise NotImplementedError("the geometry of a product is that of the gemm backend")

    def request(self, spec: KernelSpec, settings: Settings) -> BuildRequest:
        """Return the build of the product's kernel."""
        from ....gemm.lower import request_of

        return request_of(gemm_spec(spec), settings)

    def open_kernels(self, spec: KernelSpec, folder: Path) -> Any:
        """Return the product's kernels."""
        from ....gemm.launch import GemmKernel

        return GemmKernel(gemm_spec(spec), folder)

    def stage(self, candidate: Candidate, problem: ConvProblem, kernels: Any) -> Stage:
        """Return the product over the same memory."""
        from ...launch import ProductStage

        return ProductStage(candidate, problem, kernels)


PIPELINE = Gemm()
