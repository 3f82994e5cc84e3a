"""Attention on the CPU: algorithm, rules, cost model and lowering."""

from __future__ import annotations

from typing import ClassVar

from ....model.rule import Rule
from ..op import CpuOp
from .algorithm import CpuFmha
from .rules import RULES


class CpuFmhaOp(CpuOp):
    """How the CPU backend computes attention."""

    op: ClassVar[str] = "fmha"
    package: ClassVar[str] = __name__
    algorithm: ClassVar[type] = CpuFmha
    rules: ClassVar[tuple[Rule, ...]] = RULES


OP = CpuFmhaOp()
