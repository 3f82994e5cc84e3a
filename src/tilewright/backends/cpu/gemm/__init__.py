"""GEMM on the CPU: algorithm, rules, space, cost model and lowering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ..op import CpuOp
from .algorithm import CpuGemm
from .rules import RULES


class CpuGemmOp(CpuOp[GemmProblem]):
    """How the CPU backend computes a GEMM."""

    op = "gemm"
    package = __name__
    algorithm = CpuGemm
    rules = RULES
    thumb = "thumb"

    def storage_bytes(self, candidate: Candidate, problem: GemmProblem, kernel: Any) -> Mapping[str, int]:
        """Return the bytes of the panels of a packed B, as computed by the kernel itself."""
        from .packed import panel_bytes

        return {} if problem.b_format == "plain" else {"b": panel_bytes(kernel, problem.n, problem.k, problem.batch)}

    def packed_forms(self, problem: GemmProblem, plain: Sequence[KernelSpec], arch: Any) -> Sequence[GemmProblem]:
        """Return the problem with B in the panels of each kernel; panels have no layout, so its letter is "r"."""
        from .packed import packed_format

        names = sorted({packed_format(spec.signature, spec.algorithm) for spec in plain})
        return [problem.with_packed_b(name, "r") for name in names]

    def pack(self, spec: KernelSpec, weights: TensorView, kernel: Callable[[], Any]) -> Any:
        """Return the panels that the kernel writes."""
        from .packed import pack_b

        return pack_b(kernel(), weights)

    def thread_grid(self, candidate: Candidate, problem: GemmProblem, threads: int) -> tuple[int, ...]:
        """The (rows, columns) of threads that share a product: as the launch says, or as its cost was counted."""
        grid: tuple[int, ...] = self.cost.grid_of(candidate.spec.algorithm, problem, candidate.launch, threads)
        return grid


OP = CpuGemmOp()
