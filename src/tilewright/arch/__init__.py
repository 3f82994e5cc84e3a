"""Arch facts: one JSON file, its checks, queries, and static copies of it.

>>> from tilewright.arch import get_lds_limit
>>> get_lds_limit("compv3", "gfx942")
65536
"""

from __future__ import annotations

from .catalog import ArchCatalog, default_catalog, load_archs
from .checks import check
from .describe import describe
from .export import FORMATS, export
from .queries import (
    get_arch,
    get_arch_family,
    get_cpu_archs,
    get_dtype_info,
    get_element_size,
    get_fmha_tiles,
    get_lds_limit,
    get_nominal_device,
    get_nominal_devices,
    get_preshuffle_pipelines,
    get_preshuffle_warp_tile_combos,
    get_supported_archs,
    get_valid_dtype_combos,
    get_warp_tile_combos,
    get_wave_maps,
    get_wave_size,
    is_dtype_combo_valid,
    is_trait_combo_unsupported,
    why_no_warp_tiles,
)

__all__ = [
    "FORMATS",
    "ArchCatalog",
    "check",
    "default_catalog",
    "describe",
    "export",
    "get_arch",
    "get_arch_family",
    "get_cpu_archs",
    "get_dtype_info",
    "get_element_size",
    "get_fmha_tiles",
    "get_lds_limit",
    "get_nominal_device",
    "get_nominal_devices",
    "get_preshuffle_pipelines",
    "get_preshuffle_warp_tile_combos",
    "get_supported_archs",
    "get_valid_dtype_combos",
    "get_warp_tile_combos",
    "get_wave_maps",
    "get_wave_size",
    "is_dtype_combo_valid",
    "is_trait_combo_unsupported",
    "load_archs",
    "why_no_warp_tiles",
]
