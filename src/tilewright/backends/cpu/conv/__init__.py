"""Convolution on the CPU: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....settings import Settings
from ...base import BackendOp
from ..gemm import PRODUCT_ERROR
from .algorithm import CpuConv
from .rules import RULES


class CpuConvOp(BackendOp):
    """How the CPU backend computes a convolution."""

    backend: ClassVar[str] = "cpu"
    op: ClassVar[str] = "conv"
    algorithm: ClassVar[type] = CpuConv
    rules: ClassVar[tuple[Rule, ...]] = RULES
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """The named sets of this backend."""
        from .sets import DEFAULT_SETS

        return DEFAULT_SETS

    def default_sets(self) -> tuple[KernelSet, ...]:
        """The space that a default registry offers."""
        return self.kernel_sets()

    def launches(self, spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
        """One thread for tiny problems, all of them otherwise; split-K as asked."""
        from .cost import launches

        return launches(problem, device)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """Predicted seconds by the analytical model."""
        from .cost import predict

        return predict(candidate, problem, device)

    def preference(self, candidate: Candidate, problem: Any, device: Device) -> tuple[float, str]:
        """Score and reason by rules of thumb."""
        from .thumb import preference

        return preference(candidate, problem, device)

    def product_error(self, spec: KernelSpec) -> float:
        """The relative error of one product where the kernel does not form it exactly."""
        return PRODUCT_ERROR.get(spec.algorithm.inner, 0.0)

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The build request of one kernel."""
        from .lower import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The loaded, checked kernel."""
        from ....jit.loader import load_kernel

        return load_kernel(artifact.file(), spec.digest)


OP = CpuConvOp()
