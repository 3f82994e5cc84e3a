"""Which tier verifies a GEMM, and how each is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import VerificationError
from ...model.device import memory_of
from ...model.inexact import Inexact
from ...model.op import Expected
from ...model.tensor import Tensors
from ..drift import Honest
from ..tolerance import ROW_NOISE, Tolerance
from ..verify import TIERS, Verification, compare, require_tier, widened
from .problem import GemmProblem
from .reference import expected as gemm_expected
from .reference import multiplied

FLOAT64_FLOPS = 2e9  # above this the whole float64 product takes too long for a user
SAMPLED_ROWS = 16


def verify(
    problem: GemmProblem,
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
    tolerance = tolerance_of(problem, product_error)
    if tier == "device":
        return _on_device(problem, tensors, out, tolerance)
    if memory_of(problem.device) != "cpu":
        from .on_device import to_host

        tensors, out = to_host({r: t for r, t in tensors.items() if r != "out"}), to_host({"out": out})["out"]
    result = np.asarray(out)
    if tier == "float64":
        return compare(gemm_expected(problem, tensors), result, tolerance, problem.dtype_out, tier)
    rng = np.random.default_rng(seed)
    if tier == "rows":
        rows = np.sort(rng.choice(problem.m, min(problem.m, SAMPLED_ROWS), replace=False))
        return _compare_rows(problem, tensors, result, tolerance, rows)
    if problem.groups:
        raise VerificationError("the tier 'projection' knows one B, and groups have many", remedy="use float64 or rows")
    summable = np.isfinite(widened(result)).reshape(-1, problem.m, problem.n).all(axis=(0, 2))
    if not summable.all():  # a sum with an infinity says nothing about its terms
        found = _compare_rows(problem, tensors, result, tolerance, np.flatnonzero(~summable)[:SAMPLED_ROWS])
        if not found.ok or not summable.any():
            return found
        rows = np.flatnonzero(summable)
        problem, tensors = _rows(problem, tensors, rows)
        result = result[..., rows, :]
    return _project(problem, tensors, result, tolerance, rng)


def _compare_rows(
    problem: GemmProblem, tensors: Tensors, result: Any, tolerance: Tolerance, rows: npt.NDArray[np.int64]
) -> Verification:
    part, cut = _rows(problem, tensors, rows)
    return compare(gemm_expected(part, cut), result[..., rows, :], tolerance, problem.dtype_out, "rows")


def _on_device(problem: GemmProblem, tensors: Tensors, out: Any, tolerance: Tolerance) -> Verification:
    from .on_device import verify as verify_on_device

    if memory_of(problem.device) == "cpu" or problem.has_prologue:
        what = "has no prologues" if problem.has_prologue else "needs tensors on a GPU"
        raise VerificationError(f"the tier 'device' {what}", remedy="use float64, rows or projection")
    return verify_on_device(problem, tensors, out, tolerance)


def has_epilogue(problem: GemmProblem) -> bool:
    """Return whether anything is computed after the product: a plain int8 product stays exact."""
    scaled = problem.scale_a != "none" or problem.scale_b != "none"
    return scaled or bool(problem.d) or not problem.epilogue.is_identity


def tolerance_of(problem: GemmProblem, product_error: Inexact | float = 0.0) -> Tolerance:
    """Return the tolerance by the result's dtype, the accumulator and the length of the sums."""
    return Tolerance.of(problem.dtype_out, problem.dtype_acc, problem.k, product_error, has_epilogue(problem))


def choose_tier(problem: GemmProblem) -> str:
    """Return the most thorough tier that is affordable for this problem."""
    if problem.flops <= FLOAT64_FLOPS:
        return "float64"
    if memory_of(problem.device) != "cpu" and not problem.has_prologue:
        return "device"
    return "projection" if problem.epilogue.is_linear(len(problem.d)) and not problem.groups else "rows"


def _rows(problem: GemmProblem, tensors: Tensors, rows: npt.NDArray[np.int64]) -> tuple[GemmProblem, dict[str, Any]]:
    """Compare the same problem restricted to some rows of A."""
    cut = {r: np.asarray(t) for r, t in tensors.items() if r != "out"}
    for role in cut:
        full = role == "a" or (role[0] in "ad" and problem.shape(role)[0] == problem.m and problem.m > 1)
        if full:
            cut[role] = cut[role][..., rows, :]
    if problem.groups:
        cut["ends"] = np.searchsorted(rows, cut["ends"])  # how many of the rows come before each end
    if problem.scale_a == "row":
        cut["scale_a"] = cut["scale_a"].reshape(-1)[rows]
    if problem.scale_a == "block":
        cut["scale_a"] = cut["scale_a"][rows]
    return replace(problem, m=len(rows), strides={}), cut


def _project(
    problem: GemmProblem, tensors: Tensors, out: Any, tolerance: Tolerance, rng: np.random.Generator
) -> Verification:
    signs = rng.choice((-1.0, 1.0), problem.n)
    (a, size_a), (b, size_b) = multiplied(problem, tensors)
    columns: npt.NDArray[np.float64] = np.ones(problem.n)
    if problem.scale_b in ("tensor", "row"):
        columns = columns * np.asarray(tensors["scale_b"], dtype=np.float64).reshape(-1)
    rows = np.ones(1)
    if problem.scale_a in ("tensor", "row"):
        rows = np.asarray(tensors["scale_a"], dtype=np.float64).reshape(-1)
    alpha = problem.epilogue.alpha
    want = alpha * rows * _chain(a, b, columns * signs)
    size = np.abs(alpha * rows) * _chain(size_a, size_b, np.abs(columns))
    for i in range(len(problem.d)):
        beta = problem.epilogue.beta if i == 0 else 1.0
        d = beta * np.broadcast_to(np.asarray(tensors[f"d{i}"]).astype(np.float64), out.shape)
        want, size = want + d @ signs, size + np.abs(d).sum(-1)
    got = widened(out)
    bound = tolerance.row_bound(got, size, problem.n)
    exact = Tolerance(0.0, 1.0, 1.0)  # `bound` already includes everything: pass it as the magnitude
    honest = Honest(bound * ROW_NOISE, tolerance.bias)
    return compare(Expected(want, bound), got @ signs, exact, "fp64", "projection", honest)


def _chain(a: Any, b: Any, vector: Any) -> Any:
    """Return a @ (b @ vector) for matrices or stacks of them."""
    return np.matmul(a, np.matmul(b, vector)[..., None])[..., 0]


def checker(problem: GemmProblem, tensors: Tensors) -> Callable[..., Verification]:
    """Return a function (out, product_error=0.0) -> Verification that checks many results against one reference."""
    if memory_of(problem.device) != "cpu" and not problem.has_prologue:
        from .device_checker import device_checker

        return device_checker(problem, tensors)
    if choose_tier(problem) != "float64":
        return lambda out, product_error=0.0: verify(problem, tensors, out, product_error=product_error)
    reference = gemm_expected(problem, tensors)

    def check(out: Any, product_error: Inexact | float = 0.0) -> Verification:
        return compare(reference, np.asarray(out), tolerance_of(problem, product_error), problem.dtype_out, "float64")

    return check
