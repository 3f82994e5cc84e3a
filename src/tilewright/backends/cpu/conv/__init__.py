"""Convolution on the CPU: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from typing import ClassVar

from ....model.rule import Rule
from ..op import CpuOp
from .algorithm import CpuConv
from .rules import RULES


class CpuConvOp(CpuOp):
    """How the CPU backend computes a convolution."""

    op: ClassVar[str] = "conv"
    package: ClassVar[str] = __name__
    algorithm: ClassVar[type] = CpuConv
    rules: ClassVar[tuple[Rule, ...]] = RULES
    thumb: ClassVar[str | None] = "thumb"


OP = CpuConvOp()
