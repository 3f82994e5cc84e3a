"""Errors that the elements of a result share. Together they show far smaller ones than any single element can.

A correct result differs from the rounded reference by independent errors with mean zero. A wrong factor, in contrast,
moves all elements along one direction: along the reference itself, or along its derivative by that factor. So the
difference is projected on such directions, where independent errors cancel like the square root of their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.dtype import get_dtype, numpy_dtype
from .smallest import SMALLEST

Array = npt.NDArray[np.float64]

SIGMAS = 6.0
SAMPLE = 1 << 18  # elements that are looked at for distinct values
TRUNCATION = 1.0 / 16.0  # of the accumulator's last place per term: matrix units cut a sum off after 16 terms or more
FEW = 64.0  # more roundings of the accumulator that all elements may share


@dataclass(frozen=True)
class Honest:
    """What a correct kernel does. `noise` is the root mean square of each element's error before the result is
    rounded; `bias` is the relative error that all elements may share. `directions`: further ones to look along.
    `shift` is the error of each element by roundings of numbers that many elements are made of, such as equal
    probabilities: those errors do not cancel, so a kernel may share them."""

    noise: Array
    bias: float
    directions: Mapping[str, Array] = field(default_factory=dict)
    shift: Array | None = None


@dataclass(frozen=True)
class Drift:
    """A shared error along a direction, as a share of that direction, and how large it may be."""

    along: str
    error: float
    allowed: float

    @property
    def ratio(self) -> float:
        """The error as a share of what is permitted."""
        if not self.error:
            return 0.0
        return self.error / self.allowed if self.allowed else float("inf")


def shared_bias(u_acc: float, length: int) -> float:
    """Return the relative error that all sums of `length` terms may share: matrix units cut sums off.

    >>> shared_bias(2.0**-24, 1024) < 2.0e-5
    True
    """
    return u_acc * (FEW + TRUNCATION * length)


def rounded_to(value: Array, dtype: str) -> Array:
    """Return the values rounded to a dtype, in float64."""
    if get_dtype(dtype).numpy is None:
        return value
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(value.astype(numpy_dtype(dtype)).astype(np.float64))


def rounding_error(value: Array, dtype: str) -> Array:
    """Return the errors of rounding to a dtype; 0 for what overflows, which is judged element by element.

    >>> rounding_error(np.array([1.0 + 2.0**-10 / 4, 1e9]), "fp16") * 2.0**12
    array([-1.,  0.])
    """
    with np.errstate(invalid="ignore"):
        error = rounded_to(value, dtype) - value
    return np.where(np.isfinite(error), error, 0.0)


def crossing(noise: Any, value: Any, dtype: str, nearness: Any = 1.0) -> Any:
    """Return the mean square difference of two rounded numbers that differ by `noise` before (arrays or tensors).

    A small error moves a number to the next one of the dtype rarely, but then by a whole step. `nearness` says how much
    likelier that is than for numbers that lie anywhere.
    """
    step = 2.0 * get_dtype(dtype).unit_roundoff * abs(value) + SMALLEST.get(dtype, 0.0)
    return noise * noise + noise * step * nearness


def nearness(noise: Array, value: Array, rounded: Array, dtype: str) -> Array:
    """Return how much likelier than on average `noise` changes what each value is rounded to; 1 on average.

    Any error moves a number that lies halfway. Sums of narrow numbers do so often.

    >>> nearness(np.full(2, 0.01), np.array([1.5, 1.001]), np.array([1.5, 1.0]), "bf8").round(3)
    array([0., 0.])
    >>> nearness(np.full(2, 0.01), np.array([1.125, 1.124]), np.array([1.0, 1.0]), "bf8").round(1)
    array([12.5, 11.3])
    >>> nearness(np.array([5e-324]), np.array([3.5e-323]), np.array([0.0]), "fp16")
    array([0.])
    """
    size = np.ldexp(1.0, np.frexp(value)[1] - 1)  # the power of two below it
    step = np.maximum(2.0 * get_dtype(dtype).unit_roundoff * size, SMALLEST.get(dtype, 0.0))
    known = (noise > 0.0) & (step > 0.0)
    noise = np.maximum(noise, 2.0**-500 * step)  # so small that a division by it overflows
    half, noise = np.where(known, 0.5 * step, 1.0), np.where(known, noise, 1.0)
    left = np.maximum(half - np.abs(value - rounded), 0.0)
    with np.errstate(over="ignore", under="ignore"):
        found = half / noise * np.exp(-left / noise) / -np.expm1(-half / noise)
    return np.where(known, found, 1.0)


def shares(value: Array) -> float:
    """Return how many elements have the same value on average: equal values may share their errors.

    >>> shares(np.ones((4, 4))), shares(np.arange(16.0))
    (16.0, 1.0)
    """
    sample = value.reshape(-1)[:: max(1, value.size // SAMPLE)].astype(np.float32)
    return sample.size / np.unique(sample).size


def drifts(value: Array, got: Array, honest: Honest, dtype: str, compared: Any) -> list[Drift]:
    """Return the shared errors of a result: along the reference and further directions, and their norm.

    `compared` chooses the elements: those that are finite in both.
    """
    if get_dtype(dtype).kind == "int":
        return []
    rounded = rounded_to(value, dtype)
    compared = compared & np.isfinite(rounded)  # what overflows is judged element by element
    value, got, noise, rounded = (
        x[compared] for x in (value, got, np.broadcast_to(honest.noise, value.shape), rounded)
    )
    if not value.size:
        return []
    off, square = got - rounded, crossing(noise, value, dtype, nearness(noise, value, rounded, dtype))
    shift = np.zeros_like(value) if honest.shift is None else honest.shift[compared]
    repeats = shares(value)
    found = [_norm(off, rounded, square, shift, repeats)]
    further = {name: d[compared] for name, d in honest.directions.items()}
    for name, direction in {"the result": value, **further}.items():
        size = float(np.sum(direction**2))
        if size > 0.0:
            spread = SIGMAS * sqrt(repeats * float(np.sum(square * direction**2))) + abs(
                float(np.sum(shift * direction))
            )
            found.append(Drift(name, abs(float(np.sum(off * direction))) / size, honest.bias + spread / size))
    return found


def _norm(off: Array, rounded: Array, square: Array, shift: Array, repeats: float) -> Drift:
    """Return the norm of the difference beside twice what is expected; more for few elements."""
    total, size = float(np.sum(square)), float(np.linalg.norm(rounded))
    count = max(1.0, total * total / max(float(np.sum(square * square)), 1e-300) / repeats) if total else 1.0
    share = 1.0 / size if size else 1.0
    allowed = (2.0 + 6.0 / sqrt(count)) * sqrt(total) + float(np.linalg.norm(shift))
    return Drift("its norm", float(np.linalg.norm(off)) * share, allowed * share)
