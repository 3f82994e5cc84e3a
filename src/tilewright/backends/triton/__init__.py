"""The triton backend: parameterised Triton and Gluon kernels for NVIDIA and AMD GPUs, present or not."""

from __future__ import annotations

from importlib.util import find_spec

from ...settings import Settings
from ..gpu.places import GpuBackend


class TritonBackend(GpuBackend):
    """Compiles for GPUs that need not be here; runs on those that are, and on emulated ones of AMD."""

    name = "triton"
    arch_kinds = ("nvidia", "amd")
    places = ("cuda", "hip", "emu")
    package = __name__

    def missing(self, settings: Settings) -> str | None:
        """Return the missing package or GPU, with the remedy; None if kernels can be built and run."""
        from ..gpu.detect import missing_gpu
        from ..gpu.hip_detect import hip_devices

        return self.missing_builder(settings) or (None if hip_devices() else missing_gpu())

    def missing_builder(self, settings: Settings) -> str | None:
        """Return the missing package, with the remedy; None if kernels can be built."""
        if find_spec("triton") is None:
            return "the package 'triton' is not installed. Fix: pip install 'tilewright[triton]'."
        return None


BACKEND = TritonBackend()
