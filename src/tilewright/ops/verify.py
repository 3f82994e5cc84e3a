"""Verification: the outcome of comparing a result with its reference, each record naming its tier.

`float64`     the whole result in NumPy float64: exact enough, for small problems.
`device`      an fp32 or fp64 result of the device's own library, which was itself checked against float64 on samples.
`rows`        the float64 result on random rows: for large problems with a non-linear epilogue.
`projection`  random signs x: out * x against the reference times x; covers every row of a large problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UnknownNameError, VerificationError
from ..model.dtype import get_dtype
from ..model.op import Expected
from .drift import Drift, Honest, drifts
from .tolerance import Tolerance

TIERS = ("float64", "device", "rows", "projection")
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Verification:
    """The outcome: the largest error, and error and tolerance of the element with the worst ratio.

    `where` is that element's index in the result, or in `tensor` if an op writes several; `sequence` is the one of the
    batch that it belongs to. `along` is set if all elements together show what none does alone: `error` is then a
    relative error that they share, along the result or another direction.
    """

    ok: bool
    tier: str
    max_error: float
    error: float
    tolerance: float
    ratio: float
    where: tuple[int, ...] = ()
    tensor: str = ""
    sequence: int | None = None
    along: str = ""

    @property
    def spot(self) -> str:
        """The worst element in words.

        >>> Verification(False, "float64", 1.0, 1.0, 0.1, 10.0, (4, 0), "out", 2).spot
        'out (4, 0) of sequence 2'
        """
        name = f"{self.tensor} " if self.tensor else ""
        return f"{name}{self.where}" + (f" of sequence {self.sequence}" if self.sequence is not None else "")

    def require(self, what: str) -> None:
        """Raise if the result is wrong."""
        if not self.ok:
            spot = f"shared by all elements, along {self.along}" if self.along else f"at {self.spot}"
            raise VerificationError(
                f"{what}: error {self.error:.3g} > tolerance {self.tolerance:.3g} {spot} (tier {self.tier})",
                remedy="report the kernel with `tilewright run --check --json`",
            )

    def with_drift(self, found: list[Drift]) -> Verification:
        """Return this outcome, or that of the worst shared error if its ratio is larger.

        >>> Verification(True, "float64", 0.1, 0.1, 1.0, 0.1).with_drift([Drift("the result", 0.02, 0.01)]).ok
        False
        """
        worst = max(found, key=lambda d: d.ratio, default=None)
        if worst is None or worst.ratio <= self.ratio:
            return self
        return replace(
            self, ok=worst.ratio <= 1.0, error=worst.error, tolerance=worst.allowed, ratio=worst.ratio, where=(),
            along=worst.along,
        )  # fmt: skip


def share_of(error: float | None, tolerance: float | None) -> float:
    """Return the share of the tolerance that an error takes, to find the worst of several; -1 if nothing was compared.

    >>> share_of(0.25, 0.5), share_of(float("nan"), 0.5), share_of(None, None)
    (0.5, inf, -1.0)
    """
    if error is None or tolerance is None:
        return -1.0
    if not error:
        return 0.0
    return error / tolerance if tolerance and not isnan(error) else float("inf")


def require_tier(tier: str | None, tiers: tuple[str, ...]) -> None:
    """Raise if the caller names a tier that the op does not have."""
    if tier is not None and tier not in tiers:
        raise UnknownNameError("verification tier", tier, tiers)


def widened(out: Any) -> Any:
    """Return what a kernel wrote as float64.

    It may be anything. Widening a signalling NaN sets the flag for invalid operations on some CPUs; the result is NaN
    on all of them.

    >>> widened(np.array([0x7C01], np.uint16).view(np.float16))
    array([nan])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(out).astype(np.float64)


def compare(
    expected: Expected, out: Any, tolerance: Tolerance, dtype_out: str, tier: str, honest: Honest | None = None
) -> Verification:
    """Compare each element, and all together: NaN and infinity must be where the reference has them.

    `honest` is what a correct kernel does to all elements together; by default what `tolerance` says.
    """
    value, got = expected.value, widened(out)
    bound = tolerance.bound(expected)
    if value.size == 0:
        return Verification(True, tier, 0.0, 0.0, 0.0, 0.0)
    top = get_dtype(dtype_out).max_value
    reach = np.abs(value) + np.nan_to_num(bound, nan=0.0, posinf=np.inf)  # infinite operands give no bound
    over = reach >= top * (1 - tolerance.u_out)  # may round to infinity, NaN or the largest number
    same = (got == value) | (np.isnan(got) & np.isnan(value))
    special = over & (~np.isfinite(got) | (np.abs(got) >= top * (1 - 2 * tolerance.u_out)))
    with np.errstate(invalid="ignore"):
        difference = np.where(same | special, 0.0, np.abs(got - value))
    difference = np.where(np.isnan(difference), np.inf, difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(difference == 0.0, 0.0, difference / bound)
    ratio = np.where(np.isnan(ratio), np.inf, ratio)
    where = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    worst = float(ratio[where])
    place = tuple(int(i) for i in where)
    found = Verification(
        worst <= 1.0, tier, float(np.max(difference)), float(difference[where]), float(bound[where]), worst, place
    )
    if honest is None and not tolerance.length:
        return found
    compared = np.isfinite(value) & np.isfinite(got) & np.isfinite(bound) & ~special
    return found.with_drift(drifts(value, got, honest or tolerance.honest(expected), dtype_out, compared))
