"""The common part of the reference for every op: nothing is built, one stage runs NumPy, real kernels rank first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from ...model.backend import Stage
from ...model.device import Device
from ...model.kernel import Candidate, KernelSpec
from ...model.kernel_set import KernelSet
from ...model.problem import P
from ...model.tensor import Views
from ...settings import Settings
from ..base import BackendOp

FLOPS_PER_SECOND = 5e8  # a rough figure: it only has to rank behind every real kernel


@dataclass(frozen=True)
class Numpy:
    """The algorithm of the reference, which has no fields."""

    def label(self) -> str:
        """Return a short readable text; display only."""
        return "numpy"


def rounded(value: Any, dtype: Any) -> Any:
    """Return an array rounded once to `dtype`, as kernels do.

    Integers are rounded to nearest even and saturated; a NaN becomes the smallest one. The cast gets only numbers that
    it can represent: what it does with others differs between CPUs.

    >>> import numpy as np
    >>> rounded(np.array([1.7, -1.7, 2.5, 1e20, np.nan]), np.dtype("int32"))
    array([          2,          -2,           2,  2147483647, -2147483648],
          dtype=int32)
    """
    import numpy as np

    if np.dtype(dtype).kind not in "iu":
        return value.astype(dtype)
    limits = np.iinfo(dtype)
    return np.where(np.isnan(value), limits.min, np.clip(np.rint(value), limits.min, limits.max)).astype(dtype)


class ReferenceStage(Generic[P]):
    """Computes the expected result and writes it into the output tensors."""

    name = "reference"
    workspace_bytes = 0

    def __init__(self, op: ReferenceOp[P], problem: P) -> None:
        self.op, self.problem = op, problem

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function that computes on these host tensors."""
        from ...jit.launcher import array_over

        arrays = {role: array_over(view) for role, view in views.items()}
        return lambda stream: self.op.compute(self.problem, arrays)

    def call(self, views: Views) -> None:
        """Return None: NumPy needs more than addresses."""


class ReferenceOp(BackendOp[P]):
    """How the reference computes one op; subclasses say which, and compute."""

    backend = "reference"
    algorithm = Numpy
    builds = True

    def compute(self, problem: P, arrays: Mapping[str, Any]) -> None:
        """Write the result into the arrays of the output roles."""
        raise NotImplementedError

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return one set with the only kernel."""
        return (KernelSet(f"reference_{self.op}", self.op, "reference", ({},), description="NumPy float64"),)

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return a pessimistic estimate."""
        return float(problem.flops) / FLOPS_PER_SECOND + 1e-4

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return None: nothing has to be built."""
        return None

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return None: nothing has to be loaded."""
        return None

    def stages(self, candidate: Candidate, problem: P, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage that runs NumPy."""
        return (ReferenceStage(self, problem),)
