"""Convolution by NumPy in float64, rounded once to the result's dtype."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec
from ....model.kernel_set import KernelSet
from ....model.tensor import TensorView
from ....settings import Settings
from ...base import BackendOp

FLOPS_PER_SECOND = 5e8  # a rough figure: it only has to rank behind every real kernel


@dataclass(frozen=True)
class ReferenceConv:
    """The reference has no choices to make."""

    def label(self) -> str:
        """A short readable text; display only."""
        return "numpy"


class ReferenceStage:
    """Computes the expected answer and writes it into the result's tensor."""

    name = "reference"
    workspace_bytes = 0

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """A function that computes on these host tensors."""
        from ....jit.launcher import array_over
        from ....ops.conv.reference import expected
        from ....ops.conv.shapes import grouped

        problem = self.problem
        arrays = {role: array_over(view) for role, view in views.items()}
        out = grouped(problem, problem.result, arrays[problem.result])

        def launch(stream: Any) -> None:
            out[...] = expected(problem, arrays).value.reshape(out.shape).astype(out.dtype)

        return launch


class ReferenceConvOp(BackendOp):
    """How the reference computes a convolution."""

    backend: ClassVar[str] = "reference"
    op: ClassVar[str] = "conv"
    algorithm: ClassVar[type] = ReferenceConv
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """One set with the one kernel there is."""
        return (KernelSet("reference_conv", "conv", "reference", ({},), description="NumPy float64"),)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """A pessimistic guess."""
        return float(problem.flops) / FLOPS_PER_SECOND + 1e-4

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Nothing has to be built."""
        return None

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Nothing has to be loaded."""
        return None

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """One stage that runs NumPy."""
        return (ReferenceStage(problem),)


OP = ReferenceConvOp()
