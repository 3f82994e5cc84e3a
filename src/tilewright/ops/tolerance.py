"""How far a correct kernel may be from the reference: |x - ref| <= u_out*|ref| + c*u_acc*magnitude.

`magnitude` is the same computation on absolute values, so cancellation does not make the bound unfair. `c` grows like
the square root of the reduction length: rounding errors of a long sum behave like a random walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from ..model.dtype import get_dtype
from ..model.op import Expected

Array = npt.NDArray[np.float64]

EPILOGUE_ROUNDINGS = 8.0
SMALLEST = {
    "fp16": 2.0**-24,
    "bf16": 2.0**-133,
    "fp8": 2.0**-9,
    "bf8": 2.0**-16,
    "fp8_fnuz": 2.0**-10,
    "bf8_fnuz": 2.0**-17,
}


@dataclass(frozen=True)
class Tolerance:
    """The numbers of the bound. `product_error` is the relative error of one product if a kernel does not form it
    exactly (0 for the usual fused multiply-add; 2**-17 for fp16 as three bf16 products).

    >>> Tolerance.of("fp16", "fp32", 1024).c
    36.0
    """

    u_out: float
    u_acc: float
    c: float
    product_error: float = 0.0
    smallest: float = 0.0
    epilogue_error: float = 0.0

    @classmethod
    def of(
        cls, dtype_out: str, dtype_acc: str, length: int, product_error: float = 0.0, epilogue: bool = False
    ) -> Tolerance:
        """Return the tolerance for an output dtype, an accumulator and a reduction length.

        An epilogue (scales, D operands, activation) is computed in fp32, which adds a few roundings; what it gives, and
        a sum of floats, is rounded to the nearest integer if the output has integers.

        >>> Tolerance.of("int32", "int32", 64, epilogue=True).smallest, Tolerance.of("int32", "int32", 64).smallest
        (1.0, 0.0)
        >>> Tolerance.of("int32", "fp32", 64).smallest
        1.0
        """
        out, acc = get_dtype(dtype_out), get_dtype(dtype_acc)
        rounds = epilogue or acc.kind == "float"
        smallest = float(rounds) if out.kind == "int" else SMALLEST.get(dtype_out, 0.0)
        fp32 = EPILOGUE_ROUNDINGS * get_dtype("fp32").unit_roundoff if epilogue else 0.0
        return cls(out.unit_roundoff, acc.unit_roundoff, 4.0 + sqrt(max(length, 0)), product_error, smallest, fp32)

    def bound(self, expected: Expected) -> Array:
        """Return the largest permitted difference of each element."""
        relative = self.u_out + self.epilogue_error
        return np.asarray(relative * np.abs(expected.value) + self.scale * expected.magnitude + 0.5 * self.smallest)

    @property
    def scale(self) -> float:
        """The factor of the magnitude: the errors of products, sums and epilogue."""
        return self.c * self.u_acc + 2.0 * self.product_error + self.epilogue_error

    def row_bound(self, out: Array, magnitude_sums: Array, columns: int) -> Array:
        """Return the bound of a row's random-sign sum: independent errors add up like their root mean square."""
        scale = self.scale * magnitude_sums / sqrt(max(columns, 1))
        rounding = self.u_out * np.sqrt(np.sum(out**2, axis=-1))
        steps = self.smallest * sqrt(columns / 12.0)  # an error anywhere in a step has its root mean square
        return np.asarray(6.0 * (scale + rounding + steps))
