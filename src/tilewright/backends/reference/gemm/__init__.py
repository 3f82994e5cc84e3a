"""GEMM by NumPy in float64, rounded once to the output dtype."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....model.rule import Broken, broken, rule
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.problem import GemmSubject as Subject
from ..op import ReferenceOp, rounded


@rule("reference.gemm.plain_b", "semantic", "b_format == plain: the reference does not read packed weights")
def _plain_b(s: Subject) -> Broken | None:
    if s.signature.b_format != "plain":
        return broken(f"B is packed as {s.signature.b_format}", "pass the matrix itself")
    return None


class ReferenceGemmOp(ReferenceOp[GemmProblem]):
    """How the reference computes a GEMM."""

    op = "gemm"
    rules = (_plain_b,)

    def compute(self, problem: GemmProblem, arrays: Mapping[str, Any]) -> None:
        """Write the product and its epilogue into `out`."""
        from ....ops.gemm.reference import expected

        arrays["out"][...] = rounded(expected(problem, arrays).value, arrays["out"].dtype)


OP = ReferenceGemmOp()
