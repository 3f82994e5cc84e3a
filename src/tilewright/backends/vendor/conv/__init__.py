"""Convolutions by torch: oneDNN and ACL on CPUs, cuDNN or MIOpen on GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable
from ....ops.conv.problem import ConvProblem
from ..op import Library, VendorOp
from .rules import RULES


@dataclass(frozen=True)
class VendorConv(Library):
    """How: the library that convolves."""

    library: str = tunable(
        "torch",
        ("torch", "cudnn"),
        "torch: its convolution, then a copy of the result; cudnn: into the caller's tensor",
    )


class VendorConvOp(VendorOp[ConvProblem]):
    """How libraries convolve, in three directions."""

    op = "conv"
    package = __name__
    algorithm = VendorConv
    rules = RULES
    copied = ("torch",)  # only cuDNN writes into a given tensor


OP = VendorConvOp()
