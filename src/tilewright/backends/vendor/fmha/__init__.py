"""Attention by torch's kernels, each a library of its own: flash, cuDNN, efficient and plain."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable
from ....ops.fmha.problem import FmhaProblem
from ..op import Library, VendorOp
from .rules import RULES

KERNELS = ("flash", "cudnn", "efficient", "math")


@dataclass(frozen=True)
class VendorFmha(Library):
    """How: the kernel of torch's scaled_dot_product_attention."""

    library: str = tunable("flash", KERNELS, "kernel of scaled_dot_product_attention")


class VendorFmhaOp(VendorOp[FmhaProblem]):
    """How libraries compute attention, forward on sequences of one length."""

    op = "fmha"
    package = __name__
    algorithm = VendorFmha
    rules = RULES
    copied = KERNELS


OP = VendorFmhaOp()
