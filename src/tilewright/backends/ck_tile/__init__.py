"""The ck_tile backend: AMD GPUs through CK Tile kernels, compiled on any Linux machine."""

from __future__ import annotations

from typing import ClassVar

from ...errors import ToolchainError
from ...settings import Settings
from ..base import Backend


class CkTile(Backend):
    """AMD GPUs through CK Tile."""

    name: ClassVar[str] = "ck_tile"
    arch_kinds: ClassVar[tuple[str, ...]] = ("amd",)
    package: ClassVar[str] = __name__

    @property
    def runs_on(self) -> tuple[str, ...]:
        """Nothing yet: this version compiles for AMD GPUs, but finds none to launch on."""
        return ()

    def missing(self, settings: Settings) -> str | None:
        """What keeps this backend from building, or else from running, kernels here; None where nothing does."""
        from ..gpu.hip_driver import missing_gpu
        from .toolchain import find_toolchain

        try:
            find_toolchain(settings)
        except ToolchainError as problem:
            return str(problem)
        return missing_gpu()


BACKEND = CkTile()
