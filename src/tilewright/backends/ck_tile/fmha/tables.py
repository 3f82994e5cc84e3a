"""Mapping between the tile tables of the arch facts and the fields of algorithms.

`block` of a tile has another order in each family (see `FmhaTile`); this is the only place that knows it.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter

from ....arch import default_catalog, get_arch
from ....model.arch import AmdArch, FmhaTable, FmhaTile
from ....model.fields import Fields
from ....model.kernel import KernelSpec
from .algorithm import CkTileFmha

COMBINE_WIDTH = 32  # columns of V that a combine block handles
ROWS_1D = 64  # query rows of a block of the element-wise backward kernels


def table_of(arch: str, family: str, dtype: str) -> FmhaTable | None:
    """Return the tiles and pipelines of a family for a dtype, or None if the arch has none."""
    return _table(default_catalog().digest, arch, family, dtype)


@lru_cache(maxsize=256)
def _table(catalog: str, arch: str, family: str, dtype: str) -> FmhaTable | None:
    facts = get_arch(arch)
    if not isinstance(facts, AmdArch) or family not in facts.fmha.families:
        return None
    return facts.fmha.families[family].get(dtype)


def fields_of(tile: FmhaTile, family: str) -> Fields:
    """Return the algorithm fields of a tile of the tables.

    >>> from tilewright.arch import get_fmha_tiles
    >>> fields_of(get_fmha_tiles("gfx942", "fwd_appendkv", "fp16")[2], "fwd_appendkv")["tile_n1"]
    128
    """
    sizes: Fields
    if family == "fwd_appendkv":
        rows, keys, hdim_q, hdim_v = tile.block
        nothing = dict.fromkeys(_PRODUCT_FIELDS, 0)
        sizes = {"tile_m0": rows, "tile_n0": keys, "tile_k0max": hdim_q, "tile_n1": hdim_v}
        return {"stage": "append", **nothing, "tile_k0": 0, "tile_k1": 0, **sizes}
    if family == "bwd":
        m0, n0, k0, k1, _, _, k4, hdim_q, hdim_v = tile.block
        blocks = {"tile_m0": m0, "tile_n0": n0, "tile_k0": k0, "tile_k1": k1, "tile_k4": k4}
        sizes = {"stage": "dq_dk_dv", **blocks, "tile_k0max": hdim_q, "tile_n1": hdim_v}
        sizes["max_seqlen_q"] = tile.max_seqlen_q or 0
    else:
        names = ("tile_m0", "tile_n0", "tile_k0", "tile_n1", "tile_k1", "tile_k0max")
        sizes = {"stage": "attend", **dict(zip(names, tile.block, strict=True))}
    waves = {f"waves{i}_{d}": w[j] for i, w in enumerate(tile.waves) for j, d in enumerate("mn")}
    warps = {f"warp{i}_{d}": w[j] for i, w in enumerate(tile.warp_tiles) for j, d in enumerate("mnk")}
    return {**sizes, **waves, **warps, "block_per_cu": tile.block_per_cu or 0}


_PRODUCT_FIELDS = tuple(
    [f"waves{i}_{d}" for i in (0, 1, 2) for d in "mn"] + [f"warp{i}_{d}" for i in (0, 1) for d in "mnk"]
)
SHAPE_FIELDS = (
    "tile_m0", "tile_n0", "tile_k0", "tile_n1", "tile_k1", "tile_k4", "tile_k0max", *_PRODUCT_FIELDS, "max_seqlen_q",
)  # fmt: skip

_read_shape = attrgetter(*SHAPE_FIELDS)


def shape_of(algorithm: CkTileFmha) -> tuple[int, ...]:
    """Return the fields that a tile of the tables determines."""
    return _read_shape(algorithm)


def tiles_like(spec: KernelSpec) -> tuple[FmhaTile, ...]:
    """Return the tiles of the tables that have the shape of this kernel."""
    s = spec.signature
    return _by_shape(default_catalog().digest, spec.arch, s.family, s.dtype).get(shape_of(spec.algorithm), ())


@lru_cache(maxsize=256)
def _by_shape(catalog: str, arch: str, family: str, dtype: str) -> dict[tuple[int, ...], tuple[FmhaTile, ...]]:
    """Return the tiles of one table by shape; `catalog` is the digest of the facts they are read from."""
    table, found = table_of(arch, family, dtype), dict[tuple[int, ...], tuple[FmhaTile, ...]]()
    for tile in table.tiles if table is not None else ():
        shape = shape_of(CkTileFmha(**fields_of(tile, family)))
        found[shape] = (*found.get(shape, ()), tile)
    return found


def tile_hdim(tile: FmhaTile, family: str) -> tuple[int, int]:
    """Return the widest heads (q, v) of a tile: from its block, which may be wider than its name."""
    if family == "fwd_appendkv":
        return tile.block[2], tile.block[3]
    if family == "bwd":
        return tile.block[7], tile.block[8]
    return tile.block[5], tile.block[3]


def plain_fields(stage: str, hdim: int, key_block: int = 0) -> Fields:
    """Return the fields of a stage without matrix products: combine, dot_do_o and convert_dq.

    >>> plain_fields("combine", 128)["tile_n1"]
    32
    """
    zero = dict.fromkeys((n for n in SHAPE_FIELDS if n != "tile_m0"), 0)
    common = {**zero, "stage": stage, "pipeline": "none", "tile_m0": ROWS_1D}
    if stage == "combine":
        return {**common, "tile_n1": COMBINE_WIDTH, "tile_k0max": hdim}
    if stage == "dot_do_o":
        return {**common, "tile_n1": hdim}
    return {**common, "tile_n0": key_block, "tile_k0max": hdim}
