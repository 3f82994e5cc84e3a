"""The shared error of a result along the reference (`drift`), for tensors that stay on a GPU."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..model.dtype import get_dtype
from .drift import SAMPLE, SIGMAS, Drift, crossing
from .tolerance import Tolerance


def drift_sums(value: Any, magnitude: Any, got: Any, tolerance: Tolerance, dtype: str, kind: Any) -> Any:
    """Return three sums over the finite elements: difference from the rounded reference times reference, reference
    squared, and mean square error times reference squared. `value` and `got` are float64; `kind` is torch's dtype."""
    import torch

    finite = value.isfinite() & got.isfinite()
    v = torch.where(finite, value, 0.0)
    rounded = v.to(kind).double()
    finite &= rounded.isfinite()  # what overflows is not compared
    v = torch.where(finite, v, 0.0)
    off = torch.where(finite, got - rounded, 0.0)
    square = crossing(tolerance.noise_of(v, torch.where(finite, magnitude, 0.0)), v, dtype)
    return torch.stack([(off * v).sum(), (v * v).sum(), (square * v * v).sum()])


def shares_of(value: Any) -> float:
    """Return how many elements have the same value on average, from a sample (see `drift.shares`)."""
    flat = value.reshape(-1)
    sample = flat[:: max(1, flat.numel() // SAMPLE)].float()
    return float(sample.numel() / max(1, sample.unique().numel()))


def allowed_drift(sums: Any, repeats: float, bias: float, dtype: str) -> float:
    """Return how large the shared relative error may be; infinite for integers and where there is no reference."""
    _, size, noise = (float(x) for x in sums)
    if not size > 0.0 or get_dtype(dtype).kind == "int":
        return float("inf")
    return bias + SIGMAS * sqrt(repeats * noise) / size


def drift_of(sums: Any, repeats: float, bias: float, dtype: str) -> list[Drift]:
    """Return the shared error of sums over a whole result."""
    allowed = allowed_drift(sums, repeats, bias, dtype)
    return [] if allowed == float("inf") else [Drift("the result", abs(float(sums[0] / sums[1])), allowed)]
