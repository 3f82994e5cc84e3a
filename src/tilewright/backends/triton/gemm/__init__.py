"""GEMM on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....settings import Settings
from ...base import BackendOp
from .algorithm import TritonGemm
from .rules import RULES


class TritonGemmOp(BackendOp):
    """How the triton backend computes a GEMM."""

    backend: ClassVar[str] = "triton"
    op: ClassVar[str] = "gemm"
    algorithm: ClassVar[type] = TritonGemm
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
        """Splits and grids worth considering."""
        from .cost import launches

        return launches(spec, problem, device)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """Predicted seconds by the analytical model."""
        from .cost import predict

        return predict(candidate, problem, device)

    def preference(self, candidate: Candidate, problem: Any, device: Device) -> tuple[float, str]:
        """Score and reason by rules of thumb."""
        from .cost import preference

        return preference(candidate, problem, device)

    def product_error(self, spec: KernelSpec) -> float:
        """The relative error of one product where the kernel does not form it exactly.

        tf32 drops 13 bits of each operand. The tensor cores of Hopper align the products of 8-bit floats to the
        largest one and keep about 14 bits while they sum.
        """
        s, a = spec.signature, spec.algorithm
        if s.dtype_a == "fp32" and a.precision == "tf32":
            return 2.0**-9
        if s.dtype_a in ("fp8", "bf8") and spec.arch == "sm_90":
            return 2.0**-11 if a.accumulate == "fast" else 2.0**-13
        return 0.0

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The build request of one kernel."""
        from .lower import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The kernel of an artifact; the GPU is touched at the first bind."""
        from .launch import GemmKernel

        return GemmKernel(spec, artifact.path)

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """One stage: the product, with the copies that a staged kernel makes first."""
        from ..stage import units_of
        from .launch import GemmStage

        return (GemmStage(candidate, problem, kernel, units_of(kernel.spec.arch)),)


OP = TritonGemmOp()
