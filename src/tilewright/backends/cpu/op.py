"""The common part of the CPU backend for every op: kernels are shared libraries with one C entry."""

from __future__ import annotations

from typing import Any, ClassVar

from ...model.kernel import KernelSpec, Launch
from ...model.problem import P
from ..package_op import PackageOp

# fp16 as three bf16 products omits the product of the two low halves.
PRODUCT_ERROR = {"amx_bf16x3": 2.0**-16}


class CpuOp(PackageOp[P]):
    """How the CPU backend computes one op."""

    backend: ClassVar[str] = "cpu"

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> float:
        """Return the relative error of one product if the kernel does not form it exactly."""
        return PRODUCT_ERROR.get(getattr(spec.algorithm, "inner", ""), 0.0)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the loaded, checked kernel."""
        from ...jit.loader import load_artifact

        return load_artifact(artifact, spec.digest)
