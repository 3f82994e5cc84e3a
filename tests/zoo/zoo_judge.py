"""Whether a result is right: its error is compared with the error of torch in the same dtype.

Errors are those against torch in float64, from the same rounded weights and inputs, relative to the largest number of
the tensor. A result may be `MULTIPLE` times as far off as torch's, or as torch's median of all tensors of that run:
one small tensor may be right by luck. Nets have steps, where one rounding changes a result much. Those of derivatives
(ReLU, max pooling) are taken where the judged result took them: `zoo_steps` makes an exact result for ours and one for
torch's. For other steps (routers, top-k), a result that is further off is compared with torch again, from weights that
differ by less than their rounding, and then by `MULTIPLE` times as much: before a step too, a number may be so many
times as far off as torch's.

NaN and infinity have to be where torch has them, but for overflow, which is a matter of the last rounding. Where torch
overflows and the exact number is finite, a finite number is compared with the exact one. Where only ours overflows, the
dtype has to have no room for it: for the exact number with the error that is allowed, or for a value on the way there,
which `overflows` finds in the exact computation. Sums that a kernel keeps must not overflow: they are no such values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite, sqrt
from statistics import median

import torch

Tensor = torch.Tensor
Result = Mapping[str, Tensor]
MULTIPLE = 4.0
FLOOR = 4  # unit roundoffs that are always allowed
DITHERS = 16  # one of many ReLUs near zero turns in few of them
LEAST_SCALE = 1e-3  # of the largest tensor: gradients that are zero but for rounding have no scale of their own
BLIND = 0.1  # an allowed error from which on a check shows little


def dither(seed: int) -> float:
    """Return how large the changes of the weights are, in units of half a rounding."""
    return 1.0 if seed < DITHERS // 2 else MULTIPLE


@dataclass
class Verdict:
    """How one way compares with torch: `wrong` names the tensors that are too far off, with a sentence for each."""

    error: float = 0.0
    torch: float = 0.0
    allowed: float = 0.0  # for half of the tensors
    blind: float = 0.0  # share of the tensors for which so much is allowed that little is shown
    overflows: bool = False  # numbers that are not finite were let pass: the exact computation leaves the dtype's range
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.wrong

    def to_dict(self) -> dict[str, object]:
        numbers = {"error": self.error, "torch": self.torch, "allowed": self.allowed}
        row: dict[str, object] = {name: float(f"{value:.3g}") for name, value in numbers.items()}
        if self.blind:
            row["blind"] = round(self.blind, 3)
        if self.overflows:
            row["overflows"] = True
        return {**row, "wrong": dict(list(self.wrong.items())[:8])} if self.wrong else row


def judge(
    ours: Result, torchs: Result, reference: Result, dtype: torch.dtype,
    dithered: Callable[[int], tuple[Result, Result]] | None = None, overflows: Callable[[], bool] = lambda: False,
    torchs_reference: Result | None = None,
) -> Verdict:  # fmt: skip
    """Return how far off a result is. The references are exact with the steps of ours, and with those of torch.

    `dithered` returns torch's result from slightly different weights with its reference, and `overflows` whether the
    dtype has no room for a value of the exact computation.
    """
    scales, overflows = _scales(reference), cache(overflows)
    yardsticks = _errors(torchs, reference if torchs_reference is None else torchs_reference, scales)
    verdict = _judged(ours, torchs, reference, scales, yardsticks, dtype, overflows)
    for seed in range(DITHERS if dithered is not None and verdict.wrong else 0):
        found = _errors(*dithered(seed), scales)  # type: ignore[misc]
        less = sqrt(dither(seed))  # errors of a step count nearly as they are, those that grow with the weights do not
        yardsticks = {n: max(e, found[n] / less) if isfinite(found[n]) else e for n, e in yardsticks.items()}
        verdict = _judged(ours, torchs, reference, scales, yardsticks, dtype, overflows)
        if verdict.ok:
            break
    return verdict


def right_points(ours: Result, torchs: Result, exact: Result, dtype: torch.dtype) -> list[str]:
    """Return the names of the arguments of steps that are right: each by its own scale, and by torch's error of all."""
    if not set(ours) == set(torchs) == set(exact):
        return []  # other steps than torch's: none is moved
    scales = {name: _largest(x) or 1.0 for name, x in exact.items()}
    verdict = _judged(ours, torchs, exact, scales, _errors(torchs, exact, scales), dtype, lambda: False)
    return [name for name in exact if name not in verdict.wrong]


def _judged(
    ours: Result, torchs: Result, reference: Result, scales: Mapping[str, float], yardsticks: Mapping[str, float],
    dtype: torch.dtype, overflows: Callable[[], bool],
) -> Verdict:  # fmt: skip
    verdict = Verdict()
    if set(ours) != set(torchs):
        verdict.wrong["tensors"] = f"differ: {sorted(set(ours) ^ set(torchs))[:4]}"
        return verdict
    errors = _errors(ours, reference, scales)
    usual = median(yardsticks.values()) if yardsticks else 0.0
    limits = []
    for name, error in errors.items():
        allowed = MULTIPLE * max(yardsticks[name], usual) + FLOOR * torch.finfo(dtype).eps / 2
        limits.append(allowed)
        room = torch.finfo(dtype).max - allowed * scales[name]
        odd, found = _odd_numbers(ours[name], torchs[name], reference[name], room)
        if odd and found is not None and overflows():
            found, verdict.overflows = None, True
        if found is None and not error <= allowed:
            found = f"error {error:.3g}, torch's {yardsticks[name]:.3g}, allowed {allowed:.3g}"
        if found is not None:
            verdict.wrong[name] = found
    verdict.allowed = median(limits) if limits else 0.0
    verdict.blind = sum(limit > BLIND for limit in limits) / max(1, len(limits))
    verdict.error = max(errors.values(), default=0.0)
    verdict.torch = max(yardsticks.values(), default=0.0)
    return verdict


def _scales(reference: Result) -> dict[str, float]:
    largest = {name: _largest(x) for name, x in reference.items()}
    least = LEAST_SCALE * max(largest.values(), default=0.0)
    return {name: max(value, least) or 1.0 for name, value in largest.items()}


def _largest(x: Tensor) -> float:
    finite = x[x.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _errors(found: Result, reference: Result, scales: Mapping[str, float]) -> dict[str, float]:
    """Return the relative error of each tensor; infinite if its shape is another one."""
    errors = {}
    for name, expected in reference.items():
        x = found.get(name)
        if x is None or x.shape != expected.shape:
            errors[name] = float("inf")
            continue
        difference = (x.to(expected.dtype) - expected).abs()
        finite = difference[difference.isfinite()]
        errors[name] = float(finite.max()) / scales[name] if finite.numel() else 0.0
    return errors


def _odd_numbers(ours: Tensor, torchs: Tensor, reference: Tensor, room: float) -> tuple[bool, str | None]:
    """Return what is wrong with NaN and infinity, and whether overflow may explain it.

    An exact number above `room` may become infinite.
    """
    if ours.shape != torchs.shape:
        return False, f"shape {tuple(ours.shape)}, torch's {tuple(torchs.shape)}"
    known = reference.isfinite()
    missing = ours.isfinite() & ~torchs.isfinite() & ~known
    odd = ~ours.isfinite() & torchs.isfinite() & ~(known & (reference.abs() > room))
    if missing.any():
        return False, f"{int(missing.sum())} numbers are finite that are not in torch, nor exactly"
    if not odd.any():
        return False, None
    largest = float(reference[odd].abs().max())
    text = f"{int(odd.sum())} numbers are not finite where torch's are; exactly they are at most {largest:.3g}"
    return bool((known | ~odd).all()), text
