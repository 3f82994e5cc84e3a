"""The HIP runtime as `GpuCall` uses a driver: launches by a configuration block, no tensor maps."""

from __future__ import annotations

from typing import Any

from ...errors import LaunchError
from . import hip_driver as shared
from .cuda_driver import LaunchConfig


class HipDriver(shared.HipDriver):
    """What `cuda_driver` offers, for AMD GPUs."""

    def launch(self, config_at: int, function: Any, params: Any, extra: Any) -> int:
        """Launch by the same configuration block that the CUDA driver takes."""
        c = LaunchConfig.from_address(config_at)
        return self.launch_raw(function.value or 0, c.grid, c.block, c.shared, c.stream or 0, params)

    def encode(self, into: int, meta: dict[str, Any], address: int, shape: list[int], strides: list[int]) -> None:
        """AMD GPUs have no tensor maps; no kernel for them asks for one."""
        raise LaunchError("AMD GPUs have no tensor maps", remedy="use the pointer pipeline")


def hip_driver(ordinal: int = 0) -> HipDriver:
    """The runtime with GPU `ordinal` current; initialises it at the first call."""
    found: HipDriver = shared.hip_driver(ordinal, HipDriver)
    return found
