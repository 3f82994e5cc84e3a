"""What a kernel rounds apart from its operands, its fp32 sums and its output: verification allows for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Inexact:
    """Relative errors that a kernel adds, each where it arises.

    `product`: of every product that is not formed exactly (tf32, fp16 as three bf16 products).
    `sums`: of a running sum that is narrower than the accumulator (8-bit products on Hopper).
    `partial`: of parts of a sum that are rounded before they are added up (split K into a 16-bit output).
    `shared`: of all terms alike, because operands of a product are cut off instead of rounded.
    `merged` is no error of a number: groups of a convolution share products, in which zeros replace the weights of
    other groups. An infinity in one group can make the results of others NaN.
    """

    product: float = 0.0
    sums: float = 0.0
    partial: float = 0.0
    shared: float = 0.0
    merged: bool = False

    @classmethod
    def of(cls, value: Inexact | float) -> Inexact:
        """Return the value; a number is the error of a product.

        >>> Inexact.of(0.5)
        Inexact(product=0.5, sums=0.0, partial=0.0, shared=0.0, merged=False)
        """
        return value if isinstance(value, Inexact) else cls(product=value)

    @property
    def every_term(self) -> float:
        """The errors that may add up over all terms of a sum."""
        return self.product + self.sums
