"""Attention on the CPU: algorithm, rules, cost model and lowering."""

from __future__ import annotations

from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....settings import Settings
from ...base import BackendOp
from .algorithm import CpuFmha
from .rules import RULES

SETS = (
    KernelSet("cpu_fmha", "fmha", "cpu", ({"row_vectors": [4, 2, 1]},), description="attention forward on the CPU"),
)


class CpuFmhaOp(BackendOp):
    """How the CPU backend computes attention."""

    backend: ClassVar[str] = "cpu"
    op: ClassVar[str] = "fmha"
    algorithm: ClassVar[type] = CpuFmha
    rules: ClassVar[tuple[Rule, ...]] = RULES
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """The named sets of this backend."""
        return SETS

    def default_sets(self) -> tuple[KernelSet, ...]:
        """The space that a default registry offers."""
        return SETS

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """Predicted seconds by the analytical model."""
        from .cost import predict

        return predict(candidate, problem, device)

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The build request of one kernel."""
        from .lower import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The loaded, checked kernel."""
        from ....jit.loader import load_kernel

        return load_kernel(artifact.file(), spec.digest)


OP = CpuFmhaOp()
