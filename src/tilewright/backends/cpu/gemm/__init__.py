"""GEMM on the CPU: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from typing import ClassVar

from ....model.rule import Rule
from ..op import CpuOp
from .algorithm import CpuGemm
from .rules import RULES


class CpuGemmOp(CpuOp):
    """How the CPU backend computes a GEMM."""

    op: ClassVar[str] = "gemm"
    package: ClassVar[str] = __name__
    algorithm: ClassVar[type] = CpuGemm
    rules: ClassVar[tuple[Rule, ...]] = RULES
    thumb: ClassVar[str | None] = "thumb"


OP = CpuGemmOp()
