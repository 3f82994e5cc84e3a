"""Convolution by NumPy in float64, rounded once to the result's dtype."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....ops.conv.problem import ConvProblem
from ..op import ReferenceOp, rounded


class ReferenceConvOp(ReferenceOp[ConvProblem]):
    """How the reference computes a convolution."""

    op = "conv"

    def compute(self, problem: ConvProblem, arrays: Mapping[str, Any]) -> None:
        """Write the result of the problem's direction into its tensor."""
        from ....ops.conv.reference import expected
        from ....ops.conv.shapes import grouped

        out = grouped(problem, problem.result, arrays[problem.result])
        out[...] = rounded(expected(problem, arrays).value.reshape(out.shape), out.dtype)


OP = ReferenceConvOp()
