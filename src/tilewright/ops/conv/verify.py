"""Which tier verifies a convolution, and how each is computed.

`float64`: the whole result. `device`: the same by the GPU's own library. `projection`: the result's channels summed
with random signs, against the convolution of weights (or inputs) summed with the same signs; covers every pixel at a
fraction of the work. `rows`: the float64 result on random windows of the output, for large problems with a non-linear
epilogue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import VerificationError
from ...model.device import memory_of
from ...model.inexact import Inexact
from ...model.op import Expected
from ...model.tensor import Tensors
from ..drift import Honest
from ..gemm.epilogue import Epilogue
from ..tolerance import ROW_NOISE, Tolerance
from ..verify import TIERS, Verification, compare, require_tier, widened
from .problem import ConvProblem
from .reference import convolve, expected, operands_of
from .shapes import along, grouped
from .windows import cut_window, draw_window

FLOAT64_FLOPS = 2e9  # above this the whole float64 result takes too long for a user
WINDOWS = 4


def verify(
    problem: ConvProblem,
    tensors: Tensors,
    out: Any,
    *,
    tier: str | None = None,
    product_error: Inexact | float = 0.0,
    seed: int = 0,
) -> Verification:
    """Compare `out` with the reference; the tier is chosen by size unless it is given."""
    require_tier(tier, TIERS)
    tier = tier or choose_tier(problem)
    if tier == "device":
        if memory_of(problem.device) == "cpu":
            raise VerificationError("the tier 'device' needs tensors on a GPU", remedy="use float64 or projection")
        return checker(problem, tensors)(out, product_error=product_error)
    if memory_of(problem.device) != "cpu":
        from ..gemm.on_device import to_host

        tensors = to_host({r: t for r, t in tensors.items() if r != problem.result})
        out = to_host({"out": out})["out"]
    tolerance = tolerance_of(problem, product_error)
    result = np.asarray(grouped(problem, problem.result, np.asarray(out)))
    rng = np.random.default_rng(seed)
    if tier == "projection" and not _linear(problem):
        tier = "rows"
    if tier == "rows" and problem.direction != "forward":
        tier = "projection"  # gradients are linear: every element can be covered
    if tier == "projection" and not np.isfinite(widened(result)).all():
        tier = "float64"  # a sum with an infinity says nothing about its terms
    if tier == "rows":
        checks = [_check_window(problem, tensors, result, tolerance, rng) for _ in range(WINDOWS)]
        return max(checks, key=lambda v: v.ratio)
    if tier == "projection":
        return _project(problem, tensors, result, tolerance, rng)
    want = expected(problem, tensors)
    return _compare(problem, tensors, want, result.reshape(want.value.shape), product_error)


def _compare(
    problem: ConvProblem, tensors: Tensors, want: Expected, result: Any, product_error: Inexact | float
) -> Verification:
    """Compare every element.

    A kernel may multiply zeros where a tap lies outside, or leave such taps out: both are right if the other factor is
    infinite or NaN. So are NaN in all groups of a pixel for a kernel that merges them.
    """
    tolerance, dtype = tolerance_of(problem, product_error), _dtype_out(problem)
    found = compare(want, result, tolerance, dtype, "float64")
    if found.ok or np.isfinite(want.magnitude).all():
        return found
    zeros, left_out = (expected(problem, tensors, padding) for padding in (True, False))
    nan = np.isnan(zeros.value)
    if Inexact.of(product_error).merged and problem.result != "weight":
        grouped_nan = grouped(problem, problem.result, ~np.isfinite(zeros.value)).any(axis=(1, 2), keepdims=True)
        nan |= np.broadcast_to(grouped_nan, problem.extents(problem.result)).reshape(nan.shape)
    nan &= np.isnan(widened(result))
    accepted = Expected(np.where(nan, np.nan, left_out.value), np.where(nan, np.nan, left_out.magnitude))
    return compare(accepted, result, tolerance, dtype, "float64")


def tolerance_of(problem: ConvProblem, product_error: Inexact | float = 0.0) -> Tolerance:
    """Return the tolerance by the result's dtype, the accumulator and the length of the sums."""
    extra = bool(problem.d) or problem.epilogue.activation != "none" or problem.epilogue.alpha != 1.0
    return Tolerance.of(_dtype_out(problem), problem.dtype_acc, problem.gemm.k, product_error, extra)


def choose_tier(problem: ConvProblem) -> str:
    """Return the most thorough tier that is affordable for this problem."""
    if problem.flops <= FLOAT64_FLOPS:
        return "float64"
    if memory_of(problem.device) != "cpu" and not (problem.d and problem.result == "weight"):
        return "device"
    return "projection" if _linear(problem) else "rows"


def checker(problem: ConvProblem, tensors: Tensors) -> Callable[..., Verification]:
    """Return a function (out, product_error=0.0) -> Verification that checks many results against one reference."""
    if memory_of(problem.device) != "cpu" and not (problem.d and problem.result == "weight"):
        from .on_device import device_checker

        return device_checker(problem, tensors)
    if choose_tier(problem) != "float64":
        return lambda out, product_error=0.0: verify(problem, tensors, out, product_error=product_error)
    want = expected(problem, tensors)

    def check(out: Any, product_error: Inexact | float = 0.0) -> Verification:
        result = np.asarray(grouped(problem, problem.result, np.asarray(out))).reshape(want.value.shape)
        return _compare(problem, tensors, want, result, product_error)

    return check


def _linear(problem: ConvProblem) -> bool:
    return problem.epilogue.is_linear(len(problem.d))


def _dtype_out(problem: ConvProblem) -> str:
    return problem.dtype(problem.result)


def _check_window(
    problem: ConvProblem, tensors: Tensors, result: Any, tolerance: Tolerance, rng: np.random.Generator
) -> Verification:
    window = draw_window(problem, rng)
    part, cut = cut_window(problem, tensors, window)
    want = expected(part, cut)
    got = result[along(*window.slices)][window.image : window.image + 1]
    return compare(want, got.reshape(want.value.shape), tolerance, _dtype_out(problem), "rows")


def _project(
    problem: ConvProblem, tensors: Tensors, result: Any, tolerance: Tolerance, rng: np.random.Generator
) -> Verification:
    """Compare sums with random signs along axis 2 of the result (axis 1 of its source) within each group."""
    forward = problem.direction == "forward"
    columns = problem.k_group if forward else problem.c_group
    plain_part = replace(problem, strides={}, epilogue=Epilogue(), d=())
    small = replace(plain_part, k=problem.g) if forward else replace(plain_part, c=problem.g)
    read = operands_of(problem, tensors)
    source, axis = ("weight", 1) if forward else ("weight", 2) if problem.result == "input" else ("input", 2)
    signs = rng.choice((-1.0, 1.0), (problem.g, columns))
    alpha = problem.epilogue.alpha
    want = alpha * convolve(small, {**read, source: _sum(read[source], axis, signs, source)})
    plain = {r: np.abs(t) for r, t in read.items()}
    ones = np.ones_like(signs)
    size = abs(alpha) * convolve(small, {**plain, source: _sum(plain[source], axis, ones, source)})
    place = problem.result
    for i in range(len(problem.d)):
        beta = problem.epilogue.beta if i == 0 else 1.0
        d = beta * grouped(problem, f"d{i}", np.asarray(tensors[f"d{i}"])).astype(np.float64)
        d = np.broadcast_to(d, result.shape)
        want, size = want + _sum(d, 2, signs, place), size + _sum(np.abs(d), 2, ones, place)
    got = widened(result)
    bound = tolerance.row_bound(np.moveaxis(got, 2, -1), np.moveaxis(size, 2, -1)[..., 0], columns)
    exact = Tolerance(0.0, 1.0, 1.0)  # `bound` already includes everything: pass it as the magnitude
    with np.errstate(invalid="ignore"):  # infinities of both signs give NaN, which is wrong
        sums = np.moveaxis(_sum(got, 2, signs, place), 2, -1)[..., 0]
    honest = Honest(bound * ROW_NOISE, tolerance.bias)
    return compare(Expected(np.moveaxis(want, 2, -1)[..., 0], bound), sums, exact, "fp64", "projection", honest)


def _sum(array: Any, axis: int, signs: Any, role: str) -> Any:
    """Return the sum along a channel axis with each group's own signs; the axis stays, with extent 1."""
    shape = [1] * array.ndim
    shape[0 if role == "weight" else 1], shape[axis] = signs.shape
    return (array * signs.reshape(shape)).sum(axis=axis, keepdims=True)
