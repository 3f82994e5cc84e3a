"""axpy by NumPy in float64, rounded once: with this folder the op runs, before anything is fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ....ops import get_op
from ....ops.axpy.problem import AxpyProblem
from ..op import ReferenceOp, rounded


class ReferenceAxpyOp(ReferenceOp[AxpyProblem]):
    """How the reference computes axpy."""

    op: ClassVar[str] = "axpy"

    def compute(self, problem: AxpyProblem, arrays: Mapping[str, Any]) -> None:
        arrays["out"][...] = rounded(get_op("axpy").expected(problem, arrays).value, arrays["out"].dtype)


OP = ReferenceAxpyOp()
