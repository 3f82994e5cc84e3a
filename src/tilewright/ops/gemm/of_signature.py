"""From a signature back to a problem: the product that a kernel computes, with given sizes."""

from __future__ import annotations

from .epilogue import Epilogue
from .problem import GemmProblem
from .signature import GemmSignature


def problem_for(signature: GemmSignature, m: int, n: int, k: int, device: str = "cpu", batch: int = 1) -> GemmProblem:
    """Return a product of this signature.

    >>> s = GemmSignature("fp16", "fp16", "fp32", "fp16", "rrr", activation="relu")
    >>> problem_for(s, 4, 8, 2).signature == s
    True
    """
    s = signature
    return GemmProblem(
        m, n, k, s.dtype_a, s.dtype_b, s.dtype_out, s.dtype_acc, batch, s.layout, s.scale_a, s.scale_b,
        Epilogue(s.combine, s.activation), s.d, s.b_format, device=device, scale_block=s.scale_block,
        prologue_a=s.prologue_a, prologue_b=s.prologue_b,
    )  # fmt: skip
