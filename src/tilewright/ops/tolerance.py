"""How far a correct kernel may be from the reference: |x - ref| <= u_out*|ref| + c*u_acc*magnitude.

`magnitude` is the same computation on absolute values, so cancellation does not make the bound unfair. `c` grows like
the square root of the reduction length: rounding errors of a long sum behave like a random walk. Parts of a sum that
are rounded before they are added have their own, smaller size: that of a sum of many terms with either sign.

Each element is held to its bound, and all of them together to what `drift` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.dtype import get_dtype
from ..model.inexact import Inexact
from ..model.op import Expected
from .drift import Honest, shared_bias
from .smallest import SMALLEST

Array = npt.NDArray[np.float64]

EPILOGUE_ROUNDINGS = 8.0
PARTIAL_SIGMAS = 2.5
ROW_SIGMAS = 6.0
ROW_NOISE = 1.0 / (ROW_SIGMAS * sqrt(3.0))  # a rounding anywhere in a step has a third of its largest square
PART_OF_MAGNITUDE = 0.5
EXACT = Inexact()


@dataclass(frozen=True)
class Tolerance:
    """The numbers of the bound. `inexact` is what a kernel adds to the roundings of sums of `length` terms and of the
    output.

    >>> Tolerance.of("fp16", "fp32", 1024).c
    36.0
    """

    u_out: float
    u_acc: float
    c: float
    inexact: Inexact = EXACT
    smallest: float = 0.0
    epilogue_error: float = 0.0
    length: int = 0

    @classmethod
    def of(
        cls,
        dtype_out: str,
        dtype_acc: str,
        length: int,
        product_error: Inexact | float = 0.0,
        epilogue: bool = False,
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
        c, inexact = 4.0 + sqrt(max(length, 0)), Inexact.of(product_error)
        return cls(out.unit_roundoff, acc.unit_roundoff, c, inexact, smallest, fp32, length)

    def bound(self, expected: Expected) -> Array:
        """Return the largest permitted difference of each element."""
        return np.asarray(self.bound_of(expected.value, expected.magnitude, expected.parts))

    def bound_of(self, value: Any, magnitude: Any, parts: Any = None) -> Any:
        """Return the same of arrays, or of tensors on a device."""
        relative = self.u_out + self.epilogue_error + self.inexact.shared
        rounded = PARTIAL_SIGMAS * self.inexact.partial * self._parts(value, magnitude, parts)
        return relative * abs(value) + self.scale * magnitude + rounded + 0.5 * self.smallest

    @property
    def scale(self) -> float:
        """The factor of the magnitude: the errors of products, sums and epilogue."""
        return self.c * self.u_acc + 2.0 * self.inexact.every_term + self.epilogue_error

    @staticmethod
    def _parts(value: Any, magnitude: Any, parts: Any) -> Any:
        """Return the size of parts of a sum. If it is not known, sums may be ordered so that large parts cancel."""
        return parts if parts is not None else abs(value) + PART_OF_MAGNITUDE * magnitude

    def noise_of(self, value: Any, magnitude: Any, parts: Any = None) -> Any:
        """Return the root mean square of errors before the output is rounded, of arrays or of tensors."""
        i, walk = self.inexact, 1.0 / sqrt(max(self.length, 1))  # a sum of terms with either sign is so much smaller
        far = self.c * self.u_acc + i.sums + 4.0 * i.product * walk + self.epilogue_error
        near = (i.product + i.shared + self.epilogue_error) * abs(value) + far * magnitude
        return near + i.partial * self._parts(value, magnitude, parts) if i.partial else near

    @property
    def bias(self) -> float:
        """The relative error that all elements may share."""
        narrow = self.inexact.sums * sqrt(max(self.length, 1))
        terms = self.inexact.product + self.inexact.shared + narrow
        return shared_bias(self.u_acc, self.length) + terms + self.epilogue_error

    def honest(self, expected: Expected) -> Honest:
        """Return what a correct kernel does to all elements together."""
        return Honest(np.asarray(self.noise_of(expected.value, expected.magnitude, expected.parts)), self.bias)

    def row_bound(self, out: Array, magnitude_sums: Array, columns: int) -> Array:
        """Return the bound of a row's random-sign sum: independent errors add up like their root mean square."""
        rounding = self.u_out * np.sqrt(np.sum(out**2, axis=-1))
        partial = PARTIAL_SIGMAS * PART_OF_MAGNITUDE * self.inexact.partial
        scale = (self.scale + partial) * magnitude_sums / sqrt(max(columns, 1))
        steps = self.smallest * sqrt(columns / 12.0)  # an error anywhere in a step has its root mean square
        return np.asarray(ROW_SIGMAS * (scale + rounding + steps))
