"""GEMM on GPUs through Triton: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....model.backend import Stage
from ....model.device import Device
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.prologue import prologue_error
from ....settings import Settings
from ...formula_cost import device_numbers
from ...gpu.amd_gemm import launch_parts
from ...gpu.counted_op import CountedOp
from ...gpu.kernel_counts import KernelCounts
from .algorithm import PACKED_BYTES, PACKED_FORMAT, TritonGemm, packed_block
from .rules import RULES


class TritonGemmOp(CountedOp[GemmProblem]):
    """How the triton backend computes a GEMM."""

    backend = "triton"
    op = "gemm"
    package = __name__
    algorithm = TritonGemm
    rules = RULES
    thumb = "cost"

    def read_dtype(self, spec: KernelSpec) -> str:
        """Return the dtype of the operands."""
        return str(spec.signature.dtype_a)

    def counted_seconds(
        self, candidate: Candidate, problem: GemmProblem, device: Device, counts: KernelCounts
    ) -> float:
        """Return the seconds of a counted kernel by the formulas of products on AMD GPUs."""
        from ....ops.gemm.features import numbers
        from .amd_cost import kernel_numbers

        k = kernel_numbers(candidate, counts, self.peak_rate(candidate.spec))
        return float(launch_parts(k, numbers(problem), device_numbers(device, problem.operand_dtype))["seconds"])

    def storage_bytes(self, candidate: Candidate, problem: GemmProblem, kernel: Any) -> Mapping[str, int]:
        """Return what a packed B takes: whole blocks along k."""
        if problem.b_format == "plain":
            return {}
        blocks = -(-problem.k // packed_block(problem.dtype_b))
        return {"b": problem.batch * blocks * problem.n * PACKED_BYTES}

    def packed_forms(self, problem: GemmProblem, plain: Sequence[KernelSpec], arch: Any) -> Sequence[GemmProblem]:
        """Return the problem with B in blocks along k."""
        return (problem.with_packed_b(PACKED_FORMAT, "r"),)

    def pack(self, spec: KernelSpec, weights: TensorView, kernel: Callable[[], Any]) -> Any:
        """Return B in blocks along k."""
        from .packing import blocked

        return blocked(weights.owner, packed_block(weights.dtype))

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return the relative error of one product if the kernel does not form it exactly.

        tf32 drops 13 bits of each operand. The tensor cores of Hopper align the products of 8-bit floats to the
        largest one and keep about 14 bits while they sum. What a prologue gives may be rounded the other way.
        """
        s, a = spec.signature, spec.algorithm
        before = prologue_error(s.dtype_a, s.prologue_a) + prologue_error(s.dtype_b, s.prologue_b)
        if s.dtype_a == "fp32" and a.precision == "tf32":
            return Inexact(product=2.0**-9 + before)
        if s.dtype_a in ("fp8", "bf8") and spec.arch == "sm_90":
            return Inexact(sums=2.0**-11 if a.accumulate == "fast" else 2.0**-13)
        return Inexact(product=before)

    def stages(self, candidate: Candidate, problem: GemmProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the product, with the copies that a staged kernel makes first."""
        from ...gpu.stage import units_of
        from .launch import GemmStage

        return (GemmStage(candidate, problem, kernel, units_of(kernel.spec.arch)),)


OP = TritonGemmOp()
