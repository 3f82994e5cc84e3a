"""The ck_tile backend: AMD GPUs through CK Tile kernels, compiled on any Linux machine."""

from __future__ import annotations

from ...errors import ToolchainError
from ...settings import Settings
from ..gpu.places import GpuBackend


class CkTile(GpuBackend):
    """AMD GPUs, present or emulated, through CK Tile."""

    name = "ck_tile"
    arch_kinds = ("amd",)
    places = ("hip", "cuda", "emu")
    package = __name__
    amd_only = True

    def missing(self, settings: Settings) -> str | None:
        """Return why this backend cannot build, or else cannot run, kernels here; None if it can."""
        from ..gpu.hip_detect import missing_hip

        return self.missing_builder(settings) or missing_hip()

    def missing_builder(self, settings: Settings) -> str | None:
        """Return why this backend cannot build kernels here; None if it can."""
        from .toolchain import find_toolchain

        try:
            find_toolchain(settings)
        except ToolchainError as problem:
            return str(problem)
        return None


BACKEND = CkTile()
