"""Verify many results of one GEMM on a GPU: the float64 reference stays there, and a check reads the output once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...model.inexact import Inexact
from ...model.tensor import Tensors
from ..device_check import DeviceCheck
from ..verify import Verification
from .on_device import check_reference, expected_rows, scaled_b, verify
from .problem import GemmProblem
from .verify import tolerance_of

MAX_ELEMENTS = 1 << 28  # of the output; beyond it the reference is computed for each check


def device_checker(problem: GemmProblem, tensors: Tensors) -> Callable[..., Verification]:
    """Return a function (out, product_error=0.0) -> Verification, tier `device`, that compares every element."""

    def again(out: Any, product_error: Inexact | float = 0.0) -> Verification:
        return verify(problem, tensors, out, tolerance_of(problem, product_error))

    if problem.m * problem.n * problem.batch > MAX_ELEMENTS:
        return again
    check_reference(problem)
    value, magnitude = expected_rows(problem, tensors, scaled_b(problem, tensors), slice(0, problem.m))
    return DeviceCheck(value, magnitude, partial(tolerance_of, problem), again, problem.dtype_out)
