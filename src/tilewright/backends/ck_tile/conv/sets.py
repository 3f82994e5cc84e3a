"""The preselected convolution sets and the usual space, derived from the arch facts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

from ....arch import default_catalog
from ....model.arch import AmdArch
from ....model.dtype import get_dtype
from ....model.fields import Fields
from ....model.kernel_set import KernelSet
from ....ops.conv.signature import DIRECTIONS, RESULT, ConvSignature
from .algorithm import CkTileConv
from .rules import turned_vector

HALF = ("fp16", "bf16")
DTYPES = (*HALF, "fp32", "int8")
LAYOUTS = {2: "nhwgc", 3: "ndhwgc"}
TRAITS = (
    {"pipeline": "compv3"},
    {"pipeline": "compv4", "double_smem_buffer": True},
    {"pipeline": "mem"},
)
VECTORS: tuple[dict[str, int], ...] = ({}, {"vector_a": 1, "vector_b": 1, "vector_c": 1})
SIDES, DEPTHS = (64, 128), (32, 64)
OTHER_SIDES = (16, 32, 64, 128, 256)  # for few or many rows or columns: one pipeline, wide vectors
BLOCK, WARP_DEPTH = 256, 16


@cache
def default_sets() -> tuple[KernelSet, ...]:
    """Return one set per arch, direction, dtype and number of spatial dimensions.

    >>> default_sets()[0].op
    'conv'
    """
    archs = [a for a in default_catalog().values() if isinstance(a, AmdArch)]
    cases = product(archs, DIRECTIONS, DTYPES, LAYOUTS)
    return tuple(
        set_of(arch, direction, dtype, dims)
        for arch, direction, dtype, dims in cases
        if f"{dtype}_{dtype}_{get_dtype(dtype).accumulator}" in arch.warp_tiles
    )


def types_of(direction: str, dtype: str) -> Fields:
    """Return the dtypes of a convolution whose operands have one dtype; int8 sums are int32, and stored as such.

    >>> types_of("forward", "int8")["dtype_output"]
    'int32'
    """
    facts = get_dtype(dtype)
    found = {f"dtype_{role}": dtype for role in ("input", "weight", "output")}
    return {**found, f"dtype_{RESULT[direction]}": facts.default_out, "dtype_acc": facts.accumulator}


def set_of(arch: AmdArch, direction: str, dtype: str, dims: int) -> KernelSet:
    """Return the usual kernels of one arch, direction, dtype and number of spatial dimensions."""
    signature: Fields = {
        **types_of(direction, dtype),
        "direction": direction,
        "layout": LAYOUTS[dims],
        "d": (),
        "activation": "none",
    }
    name = f"ck_tile_conv_{arch.name}_{direction}_{dims}d_{dtype}"
    about = f"{direction} {dims}D convolutions on {arch.description}"
    maps = tuple(_algorithms(arch, ConvSignature(**signature)))
    return KernelSet(name, "conv", "ck_tile", maps, signature, (arch.name,), description=about)


def _algorithms(arch: AmdArch, signature: ConvSignature) -> list[Fields]:
    read = signature.dtype_read
    key = f"{read[0]}_{read[1]}_{signature.dtype_acc}"
    depths = (WARP_DEPTH,) if read[0] in HALF else tuple(sorted({w[2] for w in arch.warp_tiles[key]}))
    warps = [w for w in arch.warp_tiles[key] if w[0] == w[1] and w[2] in depths]
    shapes = _shapes(arch, warps, [*product(SIDES, SIDES, DEPTHS)])
    others = _shapes(arch, warps, [t for t in product(OTHER_SIDES, OTHER_SIDES, DEPTHS) if {*t[:2]} - {*SIDES}])
    shapes, others = ([{**s, **_vectors(s, signature, arch)} for s in some] for some in (shapes, others))
    store = {"vector_c": 4} if signature.dtype(signature.result) == "int32" else {}  # 16 B
    maps = [{**t, **store, **v, **s} for s in shapes for t in TRAITS for v in VECTORS]
    maps += [{**TRAITS[0], **store, **s} for s in others]
    plain = [{**TRAITS[0], **store, **s} for s in shapes]
    maps += [{**s, "specialization": "filter1x1_stride1_pad0"} for s in plain]
    if signature.direction == "backward_weight":
        maps += [{**s, "two_stage": True, "vector_c": 4} for s in plain]
        maps += [{**s, "groups_to_merge": n, "vector_c": 4} for s in plain if s["tile_m"] == 64 for n in (8, 16, 32)]
    return maps


def _shapes(arch: AmdArch, warps: Sequence[Any], tiles: Sequence[Any]) -> list[Fields]:
    """Return tiles with every map of waves and every warp tile that divides them."""
    return [
        {**_named("tile", tile), **_named("waves", waves), **_named("warp_tile", warp)}
        for tile in tiles
        for waves in arch.wave_maps
        if waves[0] * waves[1] * arch.wave_size == BLOCK and waves[2] == 1
        for warp in warps
        if all(side % (count * part) == 0 for side, count, part in zip(tile, waves, warp, strict=True))
        or {*tile[:2]} <= {*SIDES}
    ]


def _named(name: str, values: tuple[int, ...]) -> dict[str, int]:
    return {f"{name}_{d}": v for d, v in zip("mnk", values, strict=True)}


def _vectors(shape: Fields, signature: ConvSignature, arch: AmdArch) -> dict[str, int]:
    tile, waves = (tuple(shape[f"{name}_{d}"] for d in "mnk") for name in ("tile", "waves"))
    return _turned(tile, waves, signature, arch)


@cache
def _turned(tile: tuple[int, ...], waves: tuple[int, ...], signature: ConvSignature, arch: AmdArch) -> dict[str, int]:
    """Return the vectors that CK requires."""
    sides: Fields = {**_named("tile", tile), **_named("waves", waves)}
    algorithm = CkTileConv(**sides)
    found = {role: turned_vector(algorithm, signature, arch, role) for role in ("a", "b")}
    return {f"vector_{role}": v for role, v in found.items() if v is not None}
