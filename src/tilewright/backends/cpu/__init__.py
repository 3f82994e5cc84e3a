"""The CPU backend: generated C++ over a small header library, compiled at first use. The embedded default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...errors import ToolchainError
from ...model.device import Device
from ...settings import Settings
from ..base import Backend


class CpuBackend(Backend):
    """Runs on every machine with a C++ compiler; uses the vector and matrix units found at run time."""

    name: ClassVar[str] = "cpu"
    arch_kinds: ClassVar[tuple[str, ...]] = ("x86", "arm", "generic")
    places: ClassVar[tuple[str, ...]] = ("cpu",)
    package: ClassVar[str] = __name__

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
