"""GemmSignature: what a GEMM kernel computes, independent of the sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.dtype import DTYPES
from ...model.fields import Bounds, Limit
from ...model.layout import GEMM_LAYOUTS
from ...model.tensor import PACKED_FORMAT_NAME
from .epilogue import ACTIVATIONS, COMBINES, DTensor
from .prologue import PrologueStep, prologue_label

SCALES = ("none", "tensor", "row", "block")
SCALE_BLOCK = 128


@dataclass(frozen=True)
class GemmSignature:
    """Operand types, layout and epilogue. `scale_a` "row" is one factor per row of A, `scale_b` "row" one per column
    of the product. "block" is one factor per row of A and `scale_block` steps of k, or one per square of `scale_block`
    steps of B. `b_format` is "plain", or the packed format that B must be in. `prologue_a` and `prologue_b` are what is
    done to A and B before the product.

    >>> GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr").variant
    'standard'
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {
        **dict.fromkeys(("dtype_a", "dtype_b", "dtype_acc", "dtype_out"), tuple(DTYPES)),
        "layout": GEMM_LAYOUTS,
        "scale_a": SCALES,
        "scale_b": SCALES,
        "combine": COMBINES,
        "activation": ACTIVATIONS,
        "b_format": re.compile(PACKED_FORMAT_NAME),
        "scale_block": Bounds(1, 1 << 20),
    }

    dtype_a: str
    dtype_b: str
    dtype_acc: str
    dtype_out: str
    layout: str = "rcr"
    scale_a: str = "none"
    scale_b: str = "none"
    combine: str = "add"
    activation: str = "none"
    d: tuple[DTensor, ...] = ()
    b_format: str = "plain"
    scale_block: int = SCALE_BLOCK
    prologue_a: tuple[PrologueStep, ...] = ()
    prologue_b: tuple[PrologueStep, ...] = ()

    @property
    def variant(self) -> str:
        """The CK dispatcher's name of the variant: standard, preshuffle, multi_d or multi_abd."""
        if self.b_format != "plain":
            return "preshuffle"
        if self.has_prologue:
            return "multi_abd"
        return "multi_d" if self.d or self.activation != "none" else "standard"

    @property
    def has_prologue(self) -> bool:
        """Whether A or B goes through steps before the product."""
        return bool(self.prologue_a or self.prologue_b)

    @property
    def dtype_key(self) -> str:
        """The key of the arch tables: A_B_Acc."""
        return f"{self.dtype_a}_{self.dtype_b}_{self.dtype_acc}"

    def label(self) -> str:
        """Return a short readable text; display only."""
        types = self.dtype_a if self.dtype_a == self.dtype_b else f"{self.dtype_a}x{self.dtype_b}"
        parts = [types, self.layout]
        if self.dtype_out != self.dtype_a:
            parts.append(f"to-{self.dtype_out}")
        if self.scale_a != "none" or self.scale_b != "none":
            parts.append(f"scaled-{self.scale_a}-{self.scale_b}")
        if self.scale_block != SCALE_BLOCK:
            parts.append(f"blocks-of-{self.scale_block}")
        for name, steps in (("a", self.prologue_a), ("b", self.prologue_b)):
            if steps:
                parts.append(f"{name}-{prologue_label(steps)}")
        if self.d:
            parts.append(f"{self.combine}-d{len(self.d)}")
        if self.activation != "none":
            parts.append(self.activation.replace("_", "-"))
        if self.b_format != "plain":
            parts.append("preshuffled")
        return "_".join(parts)
