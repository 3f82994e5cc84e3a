"""Verifying many results of one GEMM on a GPU: the float64 reference stays there, a check passes over the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..tolerance import Tolerance
from ..verify import Verification
from .on_device import check_reference, expected_rows, scaled_b
from .problem import GemmProblem
from .verify import has_epilogue, verify

MOST_ELEMENTS = 1 << 28  # of the output; beyond it the reference is computed for each check


def device_checker(problem: GemmProblem, tensors: Mapping[str, Any]) -> Callable[..., Verification]:
    """A function (out, product_error=0.0) -> Verification, tier `device`; every element is compared."""
    if problem.m * problem.n * problem.batch > MOST_ELEMENTS:
        return lambda out, product_error=0.0: verify(problem, tensors, out, tier="device", product_error=product_error)
    check_reference(replace(problem, m=48, n=40, k=200, batch=1, strides={}, alignment={}, split_k=None))
    value, magnitude = expected_rows(problem, tensors, scaled_b(problem, tensors), slice(0, problem.m))
    size = value.abs()

    def check(out: Any, product_error: float = 0.0) -> Verification:
        t = Tolerance.of(problem.dtype_out, problem.dtype_acc, problem.k, product_error, has_epilogue(problem))
        bound = (t.u_out + t.epilogue_error) * size + (t.scale * magnitude + 0.5 * t.smallest)
        difference = (out.double() - value).abs()
        ratio = (difference / bound).nan_to_num(nan=float("inf"))
        flat = int(ratio.argmax())
        worst = float(ratio.flatten()[flat])
        if not worst <= 1.0:  # infinities may be right where the reference overflows: the full comparison knows
            return verify(problem, tensors, out, tier="device", product_error=product_error)
        error, allowed = float(difference.flatten()[flat]), float(bound.flatten()[flat])
        where = tuple(int(i) for i in np.unravel_index(flat, tuple(ratio.shape)))
        return Verification(True, "device", error, error, allowed, worst, where)

    return check
