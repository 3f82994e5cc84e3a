"""ConvSignature: what a convolution kernel computes, independent of the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.dtype import DTYPES
from ...model.fields import Limit
from ...model.locks import cached_property
from ..gemm.epilogue import ACTIVATIONS, FORWARD, DTensor
from .layout import CONV_LAYOUTS, dims_of

DIRECTIONS = ("forward", "backward_data", "backward_weight")
# The tensor that each direction computes; the other two are read.
RESULT = {"forward": "output", "backward_data": "input", "backward_weight": "weight"}
SHORT = {"forward": "fwd", "backward_data": "bwdd", "backward_weight": "bwdw"}


@dataclass(frozen=True)
class ConvSignature:
    """Direction, types, layout (which determines the number of spatial dimensions) and epilogue.

    >>> ConvSignature("forward", "fp16", "fp16", "fp16", "fp32").dims
    2
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {
        "direction": DIRECTIONS,
        **dict.fromkeys(("dtype_input", "dtype_weight", "dtype_output", "dtype_acc"), tuple(DTYPES)),
        "layout": CONV_LAYOUTS,
        "combine": FORWARD,
        "activation": ACTIVATIONS,
    }

    direction: str
    dtype_input: str
    dtype_weight: str
    dtype_output: str
    dtype_acc: str
    layout: str = "nhwgc"
    combine: str = "add"
    activation: str = "none"
    d: tuple[DTensor, ...] = ()

    @property
    def dims(self) -> int:
        """The number of spatial dimensions."""
        return dims_of(self.layout)

    @property
    def result(self) -> str:
        """The role that is computed."""
        return RESULT[self.direction]

    def dtype(self, role: str) -> str:
        """Return the dtype of input, weight, output or a d operand."""
        if role.startswith("d") and role[1:].isdigit():
            return self.d[int(role[1:])].dtype
        return {"input": self.dtype_input, "weight": self.dtype_weight, "output": self.dtype_output}[role]

    @cached_property
    def dtype_read(self) -> tuple[str, str]:
        """The dtypes of the two tensors that are multiplied."""
        roles = [r for r in ("input", "weight", "output") if r != self.result]
        return self.dtype(roles[0]), self.dtype(roles[1])

    def label(self) -> str:
        """Return a short readable text; display only."""
        first, second = self.dtype_read
        parts = [SHORT[self.direction], first if first == second else f"{first}x{second}", self.layout]
        if self.dtype(self.result) != first:
            parts.append(f"to-{self.dtype(self.result)}")
        if self.d:
            parts.append(f"{self.combine}-d{len(self.d)}")
        if self.activation != "none":
            parts.append(self.activation.replace("_", "-"))
        return "_".join(parts)
