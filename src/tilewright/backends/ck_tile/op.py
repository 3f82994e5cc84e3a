"""The common part of this backend's ops: they build code objects for AMD GPUs."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ...model.device import Device
from ...model.dtype import get_dtype
from ...model.kernel import Candidate, KernelSpec
from ...model.problem import P
from ...settings import Settings
from ..formula_cost import device_numbers, least_seconds, problem_numbers
from ..gpu.kernel_counts import cost_basis
from ..package_op import PackageOp


def split_error(dtype_out: str, dtype_acc: str, split_k: int) -> float:
    """Return the error of a sum whose parts are rounded to the output dtype and added there.

    Each split rounds its part, and each addition the sum so far: 2 * split_k roundings to the nearest, independent.
    The error is relative to the size of such sums.

    >>> split_error("fp16", "fp32", 2) == 2.0**-10, split_error("fp32", "fp32", 2)
    (True, 0.0)
    """
    out, acc = get_dtype(dtype_out).unit_roundoff, get_dtype(dtype_acc).unit_roundoff
    return sqrt(2.0 * split_k) * out if split_k > 1 and out > acc else 0.0


class CkTileOp(PackageOp[P]):
    """An op of CK Tile; subclasses name op, algorithm and rules, and add sets, launches and cost."""

    backend = "ck_tile"

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return the build of one kernel: a code object for its arch, compiled on any Linux machine."""
        from .compile import request_of

        return request_of(spec, settings)

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return estimated seconds of one launch on the (nominal) device; never checked on hardware."""
        return max(self.formula_cost.seconds(candidate, problem, device), self.least_seconds(problem, device))

    def least_seconds(self, problem: P, device: Device) -> float:
        """Return the time of the bytes and the products."""
        return least_seconds(problem_numbers(problem), device_numbers(device, problem.operand_dtype))

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction rests on: counts of the compiled kernel, or tile sizes."""
        return cost_basis(spec)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the device kernels of an artifact; the GPU is first used by a bind."""
        from .call import CkKernels

        return CkKernels(spec, artifact.path, artifact.metadata["symbols"])
