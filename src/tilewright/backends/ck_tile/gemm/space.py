"""The open space of explain, search and default registries, derived only from the arch facts.

A new arch in `arch_specs.json` gets its space without a change here.
"""

from __future__ import annotations

from typing import Any

from ....arch import default_catalog
from ....arch.catalog import ArchCatalog
from ....model.arch import AmdArch, DtypeCombination, Tile
from ....model.dtype import get_dtype
from ....model.fields import Fields
from ....model.kernel_set import KernelSet
from .algorithm import QUANT, CkTileGemm
from .geometry import preshuffle_format
from .rules.types import LEAST_BITS, TWO_DTYPE_PIPELINES

ROW_OUT = ("rcr", "rrr", "crr", "ccr")
COL_OUT = ("rcc", "rrc", "crc", "ccc")  # cshuffle has no column-major form
SIDES = (16, 32, 64, 128, 256)
PLAIN: tuple[Fields, ...] = (
    {"pipeline": "compv3"},
    {"pipeline": "compv4", "double_smem_buffer": True},
    {"pipeline": "mem", "scheduler": "interwave"},
)
BATCHED_SIDES = (32, 64, 128, 256)
BATCHED: tuple[Fields, ...] = (
    {"pipeline": "compv3", "family": "batched"},
    {"pipeline": "mem", "scheduler": "interwave", "family": "batched"},
)
GROUPED: tuple[Fields, ...] = (
    {"pipeline": "compv3", "family": "grouped"},
    {"pipeline": "compv3", "family": "grouped", "persistent": True},
    {"pipeline": "mem", "scheduler": "interwave", "family": "grouped"},
)
BY_ROWS = ("rcr", "rrr")  # A and the output
SHARED_SIDES = (64, 128, 256)
SHARED: tuple[Fields, ...] = ({"pipeline": "compv3", "family": "stream_k_atomic"},)
SCALED: tuple[Fields, ...] = ({"pipeline": "compv3", "family": "quant"},)
SHUFFLED = ({"pipeline": "preshufflev2", "double_smem_buffer": True},)
PADS: tuple[dict[str, bool], ...] = ({}, {"pad_m": True, "pad_n": True, "pad_k": True})


def default_sets(catalog: ArchCatalog | None = None) -> tuple[KernelSet, ...]:
    """Return one set per arch, dtype combination and format of B: about a thousand combinations per signature.

    >>> default_sets()[0].backend
    'ck_tile'
    """
    return _sets_of(catalog or default_catalog())


_CACHE: dict[str, tuple[KernelSet, ...]] = {}


def _sets_of(catalog: ArchCatalog) -> tuple[KernelSet, ...]:
    if catalog.digest not in _CACHE:
        archs = [a for a in catalog.values() if isinstance(a, AmdArch)]
        whole = [c for c in catalog.dtype_combinations.values() if get_dtype(c.a).bits >= LEAST_BITS]
        pairs = [(a, c) for a in archs for c in whole]
        _CACHE[catalog.digest] = tuple(s for a, c in pairs for s in _sets(a, c))
    return _CACHE[catalog.digest]


def _sets(arch: AmdArch, dtypes: DtypeCombination) -> list[KernelSet]:
    signature: Fields = {"dtype_a": dtypes.a, "dtype_b": dtypes.b, "dtype_acc": dtypes.acc}
    sets = []
    if dtypes.key in arch.warp_tiles:
        tiles = _deepest(arch, dtypes.key, arch.warp_tiles[dtypes.key])
        traits = [t for t in PLAIN if dtypes.a == dtypes.b or t["pipeline"] in TWO_DTYPE_PIPELINES]
        algorithms = _algorithms(arch, dtypes, tiles, traits)
        name, plain = f"ck_tile_{arch.name}_{dtypes.key}", {**signature, "b_format": "plain"}
        sets.append(_set(name, {**plain, "layout": list(ROW_OUT)}, algorithms, arch))
        unshuffled = [{**a, "epilogue": "default"} for a in algorithms]
        sets.append(_set(f"{name}_col_out", {**plain, "layout": list(COL_OUT)}, unshuffled, arch))
        if dtypes.a == dtypes.b:
            batched = _algorithms(arch, dtypes, tiles, BATCHED, BATCHED_SIDES)
            sets.append(_set(f"{name}_batched", {**plain, "layout": list(ROW_OUT)}, batched, arch))
            grouped = _algorithms(arch, dtypes, tiles, GROUPED, BATCHED_SIDES)
            sets.append(_set(f"{name}_grouped", {**plain, "d": (), "layout": list(BY_ROWS)}, grouped, arch))
            shared = _algorithms(arch, dtypes, tiles, SHARED, SHARED_SIDES)
            bare = {**plain, "d": (), "activation": "none", "layout": list(ROW_OUT)}
            sets.append(_set(f"{name}_stream_k", bare, shared, arch))
            if dtypes.acc == "fp32":
                sets += _scaled_sets(name, bare, arch, dtypes, tiles)
    if dtypes.key in arch.preshuffle_warp_tiles and "preshufflev2" in arch.pipelines:
        for tile in _deepest(arch, dtypes.key, arch.preshuffle_warp_tiles[dtypes.key]):
            packed = preshuffle_format(_with_warp_tile(tile), dtypes.b, arch.wave_size)
            algorithms = _algorithms(arch, dtypes, (tile,), SHUFFLED)
            name = f"ck_tile_{arch.name}_{dtypes.key}_{packed}"
            sets.append(_set(name, {**signature, "b_format": packed}, algorithms, arch))
    return sets


def _scaled_sets(
    name: str, bare: Fields, arch: AmdArch, dtypes: DtypeCombination, tiles: tuple[Tile, ...]
) -> list[KernelSet]:
    """Return one set for each pair of scales that CK's kernel takes; block scales are those of 8-bit floats."""
    sets = []
    for (scale_a, scale_b), kind in QUANT.items():
        if "block" in (scale_a, scale_b) and get_dtype(dtypes.a).bits != LEAST_BITS:
            continue
        signature = {**bare, "layout": "rcr", "scale_a": scale_a, "scale_b": scale_b}
        algorithms = _algorithms(arch, dtypes, tiles, SCALED, SHARED_SIDES)
        sets.append(_set(f"{name}_{kind}", signature, algorithms, arch))
    return sets


def family_of(kernel_set: KernelSet) -> str:
    """Return the family of the kernels of a set of the open space.

    >>> sorted({family_of(s) for s in default_sets()})
    ['batched', 'grouped', 'quant', 'stream_k_atomic', 'universal']
    """
    return str(kernel_set.algorithms[0].get("family", "universal"))


def _set(name: str, signature: Fields, algorithms: list[Fields], arch: AmdArch) -> KernelSet:
    about = f"the open space of {arch.description}"
    return KernelSet(name, "gemm", "ck_tile", tuple(algorithms), signature, (arch.name,), description=about)


def _algorithms(
    arch: AmdArch, dtypes: DtypeCombination, tiles: tuple[Tile, ...], traits: Any, sides: tuple[int, ...] = SIDES
) -> list[Fields]:
    size = max(get_dtype(dtypes.a).bytes, get_dtype(dtypes.b).bytes)
    depths = [int(64 / size), int(128 / size)]  # a row of a tile is one or two cache lines of 64 bytes
    maps = [
        {
            "tile_m": list(sides),
            "tile_n": list(sides),
            "tile_k": depths,
            **dict(zip(("waves_m", "waves_n", "waves_k"), waves, strict=True)),
            **dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), tile, strict=True)),
        }
        for waves in _usual_waves(arch)
        for tile in tiles
    ]
    return [{**shape, **trait, **pads} for shape in maps for trait in traits for pads in PADS]


def _usual_waves(arch: AmdArch) -> list[Tile]:
    """Return the wave maps that fill the arch's usual block of 256 threads."""
    return [w for w in arch.wave_maps if w[0] * w[1] * w[2] * arch.wave_size == 256] or list(arch.wave_maps)


def _deepest(arch: AmdArch, key: str, tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return the deepest square warp tile of each width that released headers have."""
    newer = arch.newer_than_ck_warp_tiles.get(key, ())
    best: dict[int, Tile] = {}
    for tile in tiles:
        m, n, k = tile
        if m == n and tile not in newer and k > best.get(m, (0, 0, 0))[2]:
            best[m] = tile
    return tuple(best.values())


def _with_warp_tile(tile: Tile) -> CkTileGemm:
    return CkTileGemm(warp_tile_m=tile[0], warp_tile_n=tile[1], warp_tile_k=tile[2])
