"""blocked GEMM: one tunable, two rules, a cost model and one stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....model.backend import Stage
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec
from ....model.kernel_set import KernelSet
from ....model.rule import Broken, Rule, broken, rule
from ....model.tensor import TensorView
from ....model.tunable import tunable
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.problem import GemmSubject as Subject
from ....settings import Settings
from ...base import BackendOp


@dataclass(frozen=True)
class BlockedGemm:
    """How: the rows of A that are multiplied at a time."""

    rows: int = tunable(64, (16, 64, 256), "rows of A that are multiplied at a time")

    def label(self) -> str:
        return f"rows{self.rows}"


@rule("blocked.gemm.plain", "semantic", "fp32, one product, no epilogue")
def plain(s: Subject) -> Broken | None:
    g = s.spec.signature
    odd = g.dtype_a != "fp32" or g.dtype_out != "fp32" or g.activation != "none" or g.d or g.scale_a != "none"
    return broken("only plain fp32 products are blocked", "use another backend") if odd else None


@rule("blocked.gemm.rows", "problem", "rows <= M: a block is not larger than the product; batch == 1")
def rows(s: Subject) -> Broken | None:
    count, p = s.spec.algorithm.rows, s.problem
    if p.m < count:
        return broken(f"blocks of {count} rows for {p.m} rows", f"use rows <= {p.m}", rows=count, m=p.m)
    return broken(f"{p.batch} products", "use another backend", batch=p.batch) if p.batch > 1 else None


class BlockedStage:
    """One launch: NumPy on blocks of rows."""

    name = "blocked"
    workspace_bytes = 0

    def __init__(self, rows: int, problem: GemmProblem) -> None:
        self.rows, self.problem = rows, problem

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        from ....jit.launcher import array_over

        a, b, out = (array_over(views[role]) for role in ("a", "b", "out"))

        def run(stream: Any) -> None:
            for first in range(0, len(a), self.rows):
                out[first : first + self.rows] = a[first : first + self.rows] @ b

        return run

    def call(self, views: Mapping[str, TensorView]) -> None:
        """Return None: NumPy needs more than addresses."""


class BlockedGemmOp(BackendOp[GemmProblem]):
    """How this backend computes a product."""

    backend: ClassVar[str] = "blocked"
    op: ClassVar[str] = "gemm"
    algorithm: ClassVar[type] = BlockedGemm
    rules: ClassVar[tuple[Rule, ...]] = (plain, rows)
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        return (KernelSet("blocked_gemm", "gemm", "blocked", ({"rows": "*"},), description="blocks of rows"),)

    def default_sets(self) -> tuple[KernelSet, ...]:
        return self.kernel_sets()

    def predict(self, candidate: Candidate, problem: GemmProblem, device: Device) -> float:
        blocks = -(-problem.m // candidate.spec.algorithm.rows)
        return float(problem.flops) / 1e10 + 1e-6 * blocks

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return None: nothing has to be built."""
        return None

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return None: nothing has to be loaded."""
        return None

    def stages(self, candidate: Candidate, problem: GemmProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        return (BlockedStage(candidate.spec.algorithm.rows, problem),)


OP = BlockedGemmOp()
