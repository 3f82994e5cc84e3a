"""Convolution on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.rule import Rule
from ....settings import Settings
from ...base import BackendOp
from .algorithm import TritonConv
from .rules import RULES


class TritonConvOp(BackendOp):
    """How the triton backend computes a convolution."""

    backend: ClassVar[str] = "triton"
    op: ClassVar[str] = "conv"
    algorithm: ClassVar[type] = TritonConv
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
        """Splits worth considering."""
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
        """The relative error of one product where the kernel does not form it exactly: tf32 drops 13 bits."""
        return 2.0**-9 if spec.signature.dtype_read[0] == "fp32" and spec.algorithm.precision == "tf32" else 0.0

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The build request of one kernel; that of a product is the gemm backend's own."""
        from .lower import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The kernels of an artifact; the GPU is touched at the first bind."""
        from .launch import open_kernels

        return open_kernels(spec, artifact.path)

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """One stage: the convolution with the sum of its shares, or a product over the same memory."""
        from .launch import ConvStage, ProductStage

        stage = ProductStage if candidate.spec.algorithm.pipeline == "gemm" else ConvStage
        return (stage(candidate, problem, kernel),)


OP = TritonConvOp()
