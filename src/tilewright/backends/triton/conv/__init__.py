"""Convolution on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from typing import Any

from ....model.backend import Stage
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch
from ....ops.conv.problem import ConvProblem
from ....settings import Settings
from ...gpu.counted_op import CountedOp
from .algorithm import TritonConv
from .pipelines import pipeline_of
from .rules import RULES


class TritonConvOp(CountedOp[ConvProblem]):
    """How the triton backend computes a convolution."""

    backend = "triton"
    op = "conv"
    package = __name__
    algorithm = TritonConv
    rules = RULES
    thumb = "cost"

    def read_dtype(self, spec: KernelSpec) -> str:
        """Return the dtype of the operands."""
        return str(spec.signature.dtype_read[0])

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return the relative error of one product, as tf32 drops 13 bits, and whether groups share products."""
        tf32 = spec.signature.dtype_read[0] == "fp32" and spec.algorithm.precision == "tf32"
        return Inexact(product=2.0**-9 if tf32 else 0.0, merged=spec.algorithm.merge)

    def stages(self, candidate: Candidate, problem: ConvProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the convolution with the sum of its shares, or a product over the same memory."""
        return (pipeline_of(candidate.spec.algorithm).stage(candidate, problem, kernel),)


OP = TritonConvOp()
