"""GEMM on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from typing import ClassVar

from ...base import BackendOp
from .algorithm import TritonGemm


class TritonGemmOp(BackendOp):
    """How the triton backend computes a GEMM."""

    backend: ClassVar[str] = "triton"
    op: ClassVar[str] = "gemm"
    algorithm: ClassVar[type] = TritonGemm
    builds: ClassVar[bool] = True


OP = TritonGemmOp()
