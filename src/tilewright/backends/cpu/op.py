"""The common part of the CPU backend for every op: kernels are shared libraries with one C entry."""

from __future__ import annotations

from typing import Any

from ...model.inexact import Inexact
from ...model.kernel import KernelSpec, Launch
from ...model.problem import P
from ..package_op import PackageOp

# fp16 as three bf16 products omits the product of the two low halves. Arm's bf16 instructions round each product, the
# sum of two and the accumulation to odd: together at most three units of 2^-23 for a product.
PRODUCT_ERROR = {"amx_bf16x3": 2.0**-16}
ROUND_TO_ODD = 3 * 2.0**-23


def _reads_bytes(signature: Any) -> bool:
    return "int8" in (getattr(signature, "dtype_a", ""), getattr(signature, "dtype_input", ""))


class CpuOp(PackageOp[P]):
    """How the CPU backend computes one op."""

    backend = "cpu"

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return the relative error of one product if the kernel does not form it exactly."""
        inner = getattr(spec.algorithm, "inner", "")
        if inner in ("dot", "mm"):  # 8-bit products are exact
            return Inexact() if _reads_bytes(spec.signature) else Inexact(product=ROUND_TO_ODD)
        return Inexact(product=PRODUCT_ERROR.get(inner, 0.0))

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the loaded, checked kernel."""
        from ...jit.loader import load_artifact

        return load_artifact(artifact, spec.digest)
