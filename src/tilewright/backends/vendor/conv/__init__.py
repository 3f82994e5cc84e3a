"""Convolutions by torch: oneDNN and ACL on CPUs, cuDNN or MIOpen on GPUs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ....model.kernel import KernelSpec
from ....model.tunable import tunable
from ....ops.conv.problem import ConvProblem
from ..op import VendorOp
from ..tensors import Layout
from .rules import RULES


@dataclass(frozen=True)
class VendorConv:
    """How: the library that convolves."""

    library: str = tunable(
        "torch",
        ("torch", "cudnn"),
        "torch: its convolution, then a copy of the result; cudnn: into the caller's tensor",
    )

    def label(self) -> str:
        """Return a short readable text; display only."""
        return f"vendor-{self.library}"


class VendorConvOp(VendorOp[ConvProblem]):
    """How libraries convolve, in three directions."""

    op = "conv"
    algorithm = VendorConv
    rules = RULES

    def layouts(self, problem: ConvProblem) -> Mapping[str, Layout]:
        """Return shape and strides of each role as torch's functions take it."""
        from .calls import layouts

        return layouts(problem)

    def compute(self, torch: Any, problem: ConvProblem, spec: KernelSpec) -> Callable[..., None]:
        """Return a function of the tensors in role order."""
        from .calls import compute

        return compute(torch, problem, spec.algorithm.library)

    def copies_result(self, spec: KernelSpec, problem: ConvProblem) -> bool:
        """Return whether the result is copied: only cuDNN writes into a given tensor."""
        return bool(spec.algorithm.library != "cudnn")


OP = VendorConvOp()
