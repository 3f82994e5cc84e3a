"""The common part of this backend's ops: they build code objects for AMD GPUs."""

from __future__ import annotations

from typing import Any, ClassVar

from ...model.dtype import get_dtype
from ...model.kernel import KernelSpec
from ...model.problem import P
from ...settings import Settings
from ..base import BackendOp


def split_error(dtype_out: str, dtype_acc: str, split_k: int) -> float:
    """Return the error of a sum whose parts are rounded to the output dtype and added there, once per split.

    It is relative to the sum of absolute products, as that of a product is; a bound counts it twice.

    >>> split_error("fp16", "fp32", 2) == 2.0**-11, split_error("fp32", "fp32", 2)
    (True, 0.0)
    """
    out, acc = get_dtype(dtype_out).unit_roundoff, get_dtype(dtype_acc).unit_roundoff
    return split_k * out / 2 if split_k > 1 and out > acc else 0.0


class CkTileOp(BackendOp[P]):
    """An op of CK Tile; subclasses name op, algorithm and rules, and add sets, launches and cost."""

    backend: ClassVar[str] = "ck_tile"
    builds: ClassVar[bool] = True

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return the build of one kernel: a code object for its arch, compiled on any Linux machine."""
        from .compile import request_of

        return request_of(spec, settings)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the device kernels of an artifact; the GPU is first used by a bind."""
        from .call import CkKernels

        return CkKernels(spec, artifact.path, artifact.metadata["symbols"])
