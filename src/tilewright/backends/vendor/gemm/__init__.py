"""Products by NumPy's BLAS and by torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ....model.backend import Stage
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tunable import tunable
from ....ops.gemm.problem import GemmProblem
from ....settings import Settings
from ..op import VendorOp
from ..tensors import Layout
from .rules import RULES


@dataclass(frozen=True)
class VendorGemm:
    """How: the library that multiplies."""

    library: str = tunable("torch", ("torch", "blas"), "torch: cuBLAS, hipBLASLt, MKL, oneDNN; blas: that of NumPy")

    def label(self) -> str:
        """Return a short readable text; display only."""
        return f"vendor-{self.library}"


class VendorGemmOp(VendorOp[GemmProblem]):
    """How libraries compute a product: `mm` and its relatives with `out=`, `cblas_sgemm`."""

    op = "gemm"
    algorithm = VendorGemm
    rules = RULES

    def layouts(self, problem: GemmProblem) -> Mapping[str, Layout]:
        """Return shape and strides of each role as torch's functions take it."""
        from .calls import layouts

        return layouts(problem)

    def compute(self, torch: Any, problem: GemmProblem, spec: KernelSpec) -> Callable[..., None]:
        """Return a function of the tensors in role order."""
        from .calls import compute

        return compute(torch, problem)

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return the error of 8-bit sums: the tensor cores of Hopper keep about 14 bits while they sum."""
        narrow = spec.signature.dtype_a in ("fp8", "bf8") and spec.arch == "sm_90"
        return Inexact(sums=2.0**-11) if narrow else Inexact()

    def stages(self, candidate: Candidate, problem: GemmProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage that calls BLAS or torch."""
        if candidate.spec.algorithm.library != "blas":
            return super().stages(candidate, problem, kernel, settings)
        from .blas import BlasStage

        return (BlasStage(candidate.spec.name, problem, settings.threads),)


OP = VendorGemmOp()
