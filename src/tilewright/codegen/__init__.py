"""Generators: CK Tile kernels as files, and reference pages.

`tilewright codegen` is the command line; from Python:

>>> import tempfile
>>> from tilewright.codegen import CodegenRunner, KernelConfig
>>> CodegenRunner(tempfile.mkdtemp()).generate_from_config(KernelConfig(tile_m=128, tile_n=128)).written[0][:4]
'gemm'
"""

from __future__ import annotations

from .ck.emit import Generated, parallel_generate
from .kernel_config import (
    CommonTypeMappings,
    KernelConfig,
    TileConfig,
    TraitConfig,
    TraitConfigBase,
    valid_warp_configs,
    valid_wave_configs,
)
from .runner import CodegenRunner

__all__ = [
    "CodegenRunner",
    "CommonTypeMappings",
    "Generated",
    "KernelConfig",
    "TileConfig",
    "TraitConfig",
    "TraitConfigBase",
    "parallel_generate",
    "valid_warp_configs",
    "valid_wave_configs",
]
