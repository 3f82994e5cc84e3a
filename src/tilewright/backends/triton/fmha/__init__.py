"""Attention on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....settings import Settings
from ...base import BackendOp
from .algorithm import TritonFmha
from .rules import RULES


class TritonFmhaOp(BackendOp):
    """How the triton backend computes attention."""

    backend: ClassVar[str] = "triton"
    op: ClassVar[str] = "fmha"
    algorithm: ClassVar[type] = TritonFmha
    rules: ClassVar[tuple[Rule, ...]] = RULES
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """The named sets of this backend."""
        from .sets import NAMED_SETS

        return NAMED_SETS

    def default_sets(self) -> tuple[KernelSet, ...]:
        """The space that a default registry offers."""
        from .sets import DEFAULT_SETS

        return DEFAULT_SETS

    def launches(self, spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
        """Numbers of splits worth considering."""
        from .cost import launches

        return launches(spec, problem, device)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """Predicted seconds by the analytical model."""
        from .cost import predict

        return predict(candidate, problem, device)

    def product_error(self, spec: KernelSpec) -> float:
        """tf32 drops 13 bits of each operand; Hopper keeps about 14 bits while it sums products of 8-bit floats."""
        s, a = spec.signature, spec.algorithm
        if s.dtype == "fp32" and a.precision == "tf32":
            return 2.0**-9
        return 2.0**-11 if s.dtype in ("fp8", "bf8") and spec.arch == "sm_90" else 0.0

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The build request of one kernel."""
        from .lower import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The kernels of an artifact; the GPU is touched at the first bind."""
        from .launch import FmhaKernel

        return FmhaKernel(spec, artifact.path)

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """One stage with every launch of the plan, which share a workspace."""
        from .launch import FmhaStage

        return (FmhaStage(candidate, problem, kernel),)


OP = TritonFmhaOp()
