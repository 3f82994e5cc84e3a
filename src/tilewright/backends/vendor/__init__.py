"""The vendor backend: kernels that call a library that is there. Nothing is generated or built.

NumPy's BLAS and torch (oneDNN, ACL, MKL) on CPUs; torch (cuBLAS, cuDNN, SDPA; hipBLASLt and MIOpen under ROCm) on GPUs.
They are candidates like any other kernel, unless the setting `vendor` is off. See docs/vendor.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model.device import Device
from ...settings import Settings
from ..base import Backend


class VendorBackend(Backend):
    """Runs wherever a library is. The devices are those that the other backends find."""

    name = "vendor"
    arch_kinds = ("x86", "arm", "generic", "nvidia", "amd")
    untried = ("amd",)
    libraries = True
    package = __name__

    def devices(self, settings: Settings) -> Sequence[Device]:
        """Return the devices that the other backends find."""
        from .. import backend_names, get_backend

        others = [get_backend(name) for name in backend_names() if name != self.name]
        return list(dict.fromkeys(device for backend in others for device in backend.devices(settings)))

    def missing(self, settings: Settings) -> str | None:
        """Return None if some library is there, else what to install; torch counts even if it is not imported yet."""
        from importlib.util import find_spec

        from .libraries import numpy_blas

        if not settings.vendor:
            return "left out: TILEWRIGHT_VENDOR=0"
        if isinstance(numpy_blas(), str) and find_spec("torch") is None:
            return f"no library: {numpy_blas()}, and torch is not installed (install torch)"
        return None


BACKEND = VendorBackend()
