"""The preselected convolution sets and the usual space, derived from the arch facts."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from ....arch import default_catalog
from ....model.arch import AmdArch
from ....model.kernel_set import KernelSet
from ....ops.conv.signature import DIRECTIONS

DTYPES = ("fp16", "bf16")
LAYOUTS = {2: "nhwgc", 3: "ndhwgc"}
TRAITS = (
    {"pipeline": "compv3"},
    {"pipeline": "compv4", "double_smem_buffer": True},
    {"pipeline": "mem"},
)
VECTORS: tuple[dict[str, int], ...] = ({}, {"vector_a": 1, "vector_b": 1, "vector_c": 1})
SIDES = (64, 128)


@cache
def default_sets() -> tuple[KernelSet, ...]:
    """One set per arch, direction, dtype and number of spatial dimensions.

    >>> default_sets()[0].op
    'conv'
    """
    archs = [a for a in default_catalog().values() if isinstance(a, AmdArch)]
    cases = product(archs, DIRECTIONS, DTYPES, LAYOUTS)
    return tuple(
        _set(arch, direction, dtype, dims)
        for arch, direction, dtype, dims in cases
        if f"{dtype}_{dtype}_fp32" in arch.warp_tiles
    )


def _set(arch: AmdArch, direction: str, dtype: str, dims: int) -> KernelSet:
    signature = {
        **{f"dtype_{role}": dtype for role in ("input", "weight", "output")},
        "dtype_acc": "fp32",
        "direction": direction,
        "layout": LAYOUTS[dims],
        "d": (),
        "activation": "none",
    }
    name = f"ck_tile_conv_{arch.name}_{direction}_{dims}d_{dtype}"
    about = f"{direction} {dims}D convolutions on {arch.description}"
    maps = tuple(_algorithms(arch, direction, f"{dtype}_{dtype}_fp32"))
    return KernelSet(name, "conv", "ck_tile", maps, signature, (arch.name,), description=about)


def _algorithms(arch: AmdArch, direction: str, key: str) -> list[dict[str, Any]]:
    shapes = [
        {
            "tile_m": list(SIDES),
            "tile_n": list(SIDES),
            "tile_k": [32, 64],
            **dict(zip(("waves_m", "waves_n", "waves_k"), waves, strict=True)),
            **dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), tile, strict=True)),
        }
        for waves in arch.wave_maps
        if waves[0] * waves[1] * arch.wave_size == 256 and waves[2] == 1
        for tile in arch.warp_tiles[key]
        if tile[0] == tile[1] and tile[2] == 16
    ]
    maps = [{**s, **t, **v} for s in shapes for t in TRAITS for v in VECTORS]
    maps += [{**s, **TRAITS[0], "specialization": "filter1x1_stride1_pad0"} for s in shapes]
    if direction == "backward_weight":
        maps += [{**s, **TRAITS[0], "two_stage": True, "vector_c": 4} for s in shapes]
        maps += [{**_small(arch), "groups_to_merge": n} for n in (8, 16, 32)]
    return maps


def _small(arch: AmdArch) -> dict[str, Any]:
    """A small tile for many narrow groups; its waves are the first map that fits."""
    waves = next(w for w in arch.wave_maps if w[0] * 16 <= 64 and w[1] * 16 <= 64)
    shape = {"tile_m": 64, "tile_n": 64, "tile_k": 32, "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 16}
    return {**shape, **dict(zip(("waves_m", "waves_n", "waves_k"), waves, strict=True)), "vector_b": 4, "vector_c": 4}
