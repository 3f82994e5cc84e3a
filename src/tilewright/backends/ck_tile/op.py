"""The common part of this backend's ops: they build code objects for AMD GPUs."""

from __future__ import annotations

from typing import Any, ClassVar

from ...model.kernel import KernelSpec
from ...model.problem import P
from ...settings import Settings
from ..base import BackendOp


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
