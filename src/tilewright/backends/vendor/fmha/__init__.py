"""Attention by torch's kernels, each a library of its own: flash, cuDNN, efficient and plain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ....model.kernel import KernelSpec
from ....model.tunable import tunable
from ....ops.fmha.problem import FmhaProblem
from ..op import VendorOp
from ..tensors import Layout
from .rules import RULES


@dataclass(frozen=True)
class VendorFmha:
    """How: the kernel of torch's scaled_dot_product_attention."""

    library: str = tunable("flash", ("flash", "cudnn", "efficient", "math"), "kernel of scaled_dot_product_attention")

    def label(self) -> str:
        """Return a short readable text; display only."""
        return f"vendor-{self.library}"


class VendorFmhaOp(VendorOp[FmhaProblem]):
    """How libraries compute attention, forward on sequences of one length."""

    op = "fmha"
    algorithm = VendorFmha
    rules = RULES
    copies = True

    def layouts(self, problem: FmhaProblem) -> Mapping[str, Layout]:
        """Return shape and strides of each role as torch's functions take it: heads before rows."""
        from .calls import layouts

        return layouts(problem)

    def compute(self, torch: Any, problem: FmhaProblem, spec: KernelSpec) -> Callable[..., None]:
        """Return a function of the tensors in role order."""
        from .calls import compute

        return compute(torch, problem, spec.algorithm.library)


OP = VendorFmhaOp()
