"""From a signature back to a problem: the convolution that a kernel computes, with given sizes."""

from __future__ import annotations

from typing import Any

from .problem import ConvProblem
from .signature import ConvSignature


def problem_for(signature: ConvSignature, device: str = "cpu", **sizes: Any) -> ConvProblem:
    """Return a convolution of this signature; `sizes` are fields of the JSON form.

    >>> s = ConvSignature("backward_data", "fp16", "fp16", "fp16", "fp32")
    >>> problem_for(s, n=1, c=8, k=8, input=[4, 4], filter=[3, 3], pad=1).signature == s
    True
    """
    s = signature
    types = {f"dtype_{name}": getattr(s, f"dtype_{name}") for name in ("input", "weight", "output", "acc")}
    epilogue = {"combine": s.combine, "activation": s.activation}
    fields = {"direction": s.direction, "layout": s.layout, "epilogue": epilogue, "d": s.d, "device": device}
    return ConvProblem.from_dict({**types, **fields, **sizes})
