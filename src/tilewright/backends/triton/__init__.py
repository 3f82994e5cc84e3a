"""The triton backend: parameterised Triton and Gluon kernels for NVIDIA and AMD GPUs, present or not."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import ClassVar

from ...model.device import Device
from ...settings import Settings
from ..base import Backend


class TritonBackend(Backend):
    """Compiles for GPUs that need not be here; runs on the NVIDIA GPUs that are."""

    name: ClassVar[str] = "triton"
    arch_kinds: ClassVar[tuple[str, ...]] = ("nvidia", "amd")
    places: ClassVar[tuple[str, ...]] = ("cuda",)
    package: ClassVar[str] = __name__

    @property
    def runs_on(self) -> tuple[str, ...]:
        """NVIDIA GPUs. For those of AMD it compiles, but this version finds none to launch on."""
        return ("nvidia",)

    def devices(self, settings: Settings) -> Sequence[Device]:
        """The GPUs of this machine; asking creates no context."""
        from ..gpu.detect import gpu_devices

        return gpu_devices()

    def missing(self, settings: Settings) -> str | None:
        """The missing package or GPU, with the remedy; None where kernels can be built and run."""
        from ..gpu.detect import missing_gpu

        if find_spec("triton") is None:
            return "the package 'triton' is not installed. Fix: pip install 'tilewright[triton]'."
        return missing_gpu()


BACKEND = TritonBackend()
