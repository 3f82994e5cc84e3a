"""The CPU backend: generated C++ over a small header library, compiled at first use. The embedded default."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ToolchainError
from ...model.device import Device
from ...settings import Settings
from ..base import Backend


class CpuBackend(Backend):
    """Runs on every machine with a C++ compiler; uses the vector and matrix units found at run time."""

    name = "cpu"
    arch_kinds = ("x86", "arm", "generic")
    places = ("cpu",)
    package = __name__

    def devices(self, settings: Settings) -> Sequence[Device]:
        """Return this machine as one device."""
        from .detect import host_device

        return (host_device(settings),)

    def missing(self, settings: Settings) -> str | None:
        """Return why there is no compiler, with the remedy; None if kernels can be built."""
        from ...jit.compiler import find_compiler

        try:
            find_compiler(settings)
        except ToolchainError as error:
            return str(error)
        return None


BACKEND = CpuBackend()
