"""Products by NumPy's BLAS and by torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....model.backend import Stage
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tunable import tunable
from ....ops.gemm.problem import GemmProblem
from ....settings import Settings
from ..op import Library, VendorOp
from .rules import RULES


@dataclass(frozen=True)
class VendorGemm(Library):
    """How: the library that multiplies."""

    library: str = tunable("torch", ("torch", "blas"), "torch: cuBLAS, hipBLASLt, MKL, oneDNN; blas: that of NumPy")


class VendorGemmOp(VendorOp[GemmProblem]):
    """How libraries compute a product: `mm` and its relatives with `out=`, `cblas_sgemm`."""

    op = "gemm"
    package = __name__
    algorithm = VendorGemm
    rules = RULES

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
