"""Consistency checks of the arch facts: mistakes that a well-formed file can still have.

Each check yields one sentence per problem: the place, the value, and the limit it breaks.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import nearest
from ..model.arch import FMHA_FAMILIES, AmdArch, Arch, CpuArch, FmhaTile, NvidiaArch, Table, Tile
from ..model.device import Device
from ..model.dtype import DTYPES
from ..model.fields import Bounds
from ..settings import Settings
from .catalog import SPECS, ArchCatalog, FmhaTables, read_catalog, read_document
from .inherit import lay_over

MAX_WAVES_PER_BLOCK = 16
MAX_RATE = 10**9  # operations of one unit in one cycle
RATE_ONLY = frozenset({"tf32"})
VECTOR_BITS = (128, 256, 512)
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")  # it is part of file names and of generated source
_BLOCK_LENGTH = {"fwd_appendkv": 4, "bwd": 9}

Problems = Iterator[str]


def check(extra: str | os.PathLike[str] | None = None, *, base: str | os.PathLike[str] = SPECS) -> list[str]:
    """Return every problem of the arch facts; an empty list means that they are sound.

    The facts are those in `base`, with the overlay `extra`; without `extra`, the one that TILEWRIGHT_ARCH_FILE names.

    >>> check()
    []
    """
    overlay = extra or Settings.from_env().arch_file
    document = read_document(Path(base))
    return find_problems(lay_over(document, read_document(Path(overlay))) if overlay else document)


def find_problems(document: Mapping[str, Any]) -> list[str]:
    """Return the structural mistakes of a whole document or, if there are none, the contradictions in it."""
    mistakes: list[str] = []
    catalog = read_catalog(document, mistakes)
    if isinstance(document.get("fmha_tables"), Mapping):
        mistakes += FmhaTables(document["fmha_tables"]).mistakes()
    if catalog is None or mistakes:
        return mistakes
    problems = [*_check_shared(catalog)]
    for arch in catalog.values():
        problems += _check_common(arch, catalog)
        problems += _CHECKS[type(arch)](arch, catalog)
    return problems


def _check_shared(catalog: ArchCatalog) -> Problems:
    for name, pipeline in catalog.pipelines.items():
        if not 0 < pipeline.lds_fraction <= 1:
            yield f"pipelines.{name}: lds_fraction {pipeline.lds_fraction} is not in (0, 1]"
    for pipeline_name, epilogue, scheduler in sorted(catalog.unsupported_traits):
        yield from _known("unsupported_traits", "pipeline", [pipeline_name], catalog.pipelines)
        yield from _known("unsupported_traits", "epilogue", [epilogue], catalog.epilogues)
        yield from _known("unsupported_traits", "scheduler", [scheduler], catalog.schedulers)
    listed = [(c["a"], c["b"]) for c in catalog.resolved["dtype_combinations"]]
    yield from _distinct("dtype_combinations", ["_".join(pair) for pair in listed])
    for combination in catalog.dtype_combinations.values():
        names = [combination.a, combination.b, combination.acc]
        yield from _known("dtype_combinations", "dtype", names, DTYPES)
    for name, device in catalog.devices.items():
        yield from _known(f"devices.{name}", "arch", [device.arch], catalog.archs)
        for field in ("units", "clock_mhz", "bandwidth_gbps"):
            if getattr(device, field) <= 0:
                yield f"devices.{name}.{field}: got {getattr(device, field)}; it must be > 0"
        for field, limit in Device.ALLOWED.items():
            mistake = limit.mistake(getattr(device, field)) if isinstance(limit, Bounds) else None
            if mistake:
                yield f"devices.{name}.{field}: got {getattr(device, field)}; {mistake}"


def _check_common(arch: Arch, catalog: ArchCatalog) -> Problems:
    where = f"archs.{arch.name}"
    if not NAME.fullmatch(arch.name):
        yield f"{where}: a name consists of at most 64 letters, digits and _ . + -; it begins with a letter, digit or _"
    yield from _known(where, "dtype", arch.dtypes, DTYPES)
    yield from _distinct(f"{where}.dtypes", arch.dtypes)
    yield from _known(f"{where}.ops_per_cycle", "dtype", arch.ops_per_cycle, {*arch.dtypes, *RATE_ONLY})
    for dtype, rate in arch.ops_per_cycle.items():
        if not 0 < rate <= MAX_RATE:
            yield f"{where}.ops_per_cycle.{dtype}: got {rate}; it must be > 0 and at most {MAX_RATE:,}"


def _check_amd(arch: Any, catalog: ArchCatalog) -> Problems:
    where = f"archs.{arch.name}"
    yield from _positive(arch, "wave_size", "lds_bytes", "lds_banks", "simds_per_unit", "max_threads_per_block")
    yield from _known(f"{where}.pipelines", "pipeline", arch.pipelines, catalog.pipelines)
    yield from _check_wave_maps(arch)
    yield from _check_keys(where, "matrix_instructions", arch.matrix_instructions, arch, catalog)
    for table in ("warp_tiles", "preshuffle_warp_tiles"):
        tiles = getattr(arch, table)
        yield from _check_keys(where, table, tiles, arch, catalog)
        for key, listed in tiles.items():
            yield from _check_composed(f"{where}.{table}.{key}", listed, arch.matrix_instructions.get(key, ()))
    shuffles = [p for p in arch.pipelines if p in catalog.pipelines and catalog.pipelines[p].preshuffle]
    if bool(shuffles) != bool(arch.preshuffle_warp_tiles):
        yield f"{where}: pre-shuffle pipelines {shuffles} do not match {len(arch.preshuffle_warp_tiles)} tile lists"
    yield from _check_withheld(arch, catalog)
    yield from _check_fmha(arch)


def _check_wave_maps(arch: AmdArch) -> Problems:
    where = f"archs.{arch.name}.wave_maps"
    yield from _distinct(where, arch.wave_maps)
    if not arch.wave_maps:
        yield f"{where}: is empty; no block could be launched"
    for waves in arch.wave_maps:
        count = math.prod(waves)
        if not 0 < count <= MAX_WAVES_PER_BLOCK:
            yield f"{where}: {_x(waves)} is {count} waves; a block has 1 to {MAX_WAVES_PER_BLOCK}"
        elif count * arch.wave_size > arch.max_threads_per_block:
            threads = count * arch.wave_size
            yield f"{where}: {_x(waves)} is {threads} threads; a block has at most {arch.max_threads_per_block}"


def _check_keys(where: str, table: str, tiles: Table[Any], arch: Arch, catalog: ArchCatalog) -> Problems:
    operands = {c.key: (c.a, c.b) for c in catalog.dtype_combinations.values()}
    for key, listed in tiles.items():
        place = f"{where}.{table}.{key}"
        if key not in operands:
            yield from _known(f"{where}.{table}", "dtype key", [key], operands)
            continue
        lacking = [d for d in dict.fromkeys(operands[key]) if d not in arch.dtypes]
        if lacking:
            yield f"{place}: {arch.name} does not list {', '.join(lacking)} among its dtypes"
        if isinstance(listed, tuple):
            yield from _distinct(place, listed)
            yield from (f"{place}: {_x(tile)} has an extent of 0" for tile in listed if 0 in tile)


def _check_composed(place: str, tiles: Iterable[Tile], native: Iterable[Tile]) -> Problems:
    """Check that a warp tile is one native instruction, or several with the same m and n along k."""
    steps = [*native]
    for m, n, k in tiles:
        if 0 not in (m, n, k) and not any((m, n) == step[:2] and k % max(step[2], 1) == 0 for step in steps):
            yield f"{place}: {_x((m, n, k))} is not a multiple along k of a matrix instruction ({_list(steps)})"


def _check_withheld(arch: AmdArch, catalog: ArchCatalog) -> Problems:
    where = f"archs.{arch.name}.withheld"
    yield from _known(where, "dtype key", arch.withheld, catalog.dtype_keys)
    for key, withheld in arch.withheld.items():
        claimed = {*arch.warp_tiles.get(key, ()), *arch.preshuffle_warp_tiles.get(key, ())}
        both = claimed & {*withheld.warp_tiles, *withheld.preshuffle_warp_tiles}
        if both or (claimed and not withheld.warp_tiles and not withheld.preshuffle_warp_tiles):
            yield f"{where}.{key}: {_list(sorted(both or claimed))} is offered and withheld at once"
    for key, tiles in arch.newer_than_ck_warp_tiles.items():
        known = {*arch.warp_tiles.get(key, ()), *arch.preshuffle_warp_tiles.get(key, ())}
        stray = [t for t in tiles if t not in known]
        if stray:
            yield f"archs.{arch.name}.newer_than_ck_warp_tiles.{key}: {_list(stray)} is in no warp-tile table"


def _check_fmha(arch: AmdArch) -> Problems:
    where = f"archs.{arch.name}.fmha"
    yield from _known(f"{where}.families", "family", arch.fmha.families, FMHA_FAMILIES)
    yield from _known(f"{where}.absent", "family", [k.split("/")[0] for k in arch.fmha.absent], FMHA_FAMILIES)
    unsaid = [f for f in FMHA_FAMILIES if f not in arch.fmha.families and f not in arch.fmha.absent]
    if unsaid:
        yield f"{where}: {', '.join(unsaid)} is missing; give tiles, or a reason under 'absent'"
    for family, by_dtype in arch.fmha.families.items():
        if family in arch.fmha.absent:
            yield f"{where}.{family}: is offered and absent at once"
        yield from _known(f"{where}.{family}", "dtype", by_dtype, arch.dtypes)
        for dtype, table in by_dtype.items():
            used = {p for tile in table.tiles for p in tile.pipelines}
            idle = [p for p in table.pipelines if p not in used]
            if idle:
                yield f"{where}.{family}.{dtype}: no tile runs in {', '.join(idle)}"
            native = arch.matrix_instructions.get(f"{dtype}_{dtype}_fp32", ())
            for tile in table.tiles:
                place = f"{where}.{family}.{dtype} {_x(tile.block)}"
                yield from _known(place, "pipeline", tile.pipelines, table.pipelines)
                yield from _check_fmha_tile(place, family, tile, arch, native)


def _check_fmha_tile(place: str, family: str, tile: FmhaTile, arch: AmdArch, native: tuple[Tile, ...]) -> Problems:
    length = _BLOCK_LENGTH.get(family, 6)
    if len(tile.block) != length or min(tile.block) <= 0:
        yield f"{place}: need {length} block extents > 0"
        return
    if not tile.pipelines:
        yield f"{place}: names no pipeline"
    if family == "fwd_appendkv":
        return
    products = 3 if family == "bwd" else 2
    if len(tile.waves) != products or len(tile.warp_tiles) != 2:
        yield f"{place}: need waves for {products} products and 2 warp tiles"
        return
    yield from _check_composed(place, dict.fromkeys(tile.warp_tiles), native)
    for waves in dict.fromkeys(tile.waves):
        threads = math.prod(waves) * arch.wave_size
        if not 0 < threads <= arch.max_threads_per_block:
            yield f"{place}: waves {_x(waves)} are {threads} threads; a block has 1 to {arch.max_threads_per_block}"
    block = tile.block
    shapes = [block[:3]] if family == "bwd" else [block[:3], (block[0], block[3], block[4])]
    for extents, waves, warp in zip(shapes, tile.waves, tile.warp_tiles, strict=False):
        steps = [w * t for w, t in zip(waves, warp, strict=True)]
        if any(s == 0 or extent % s for extent, s in zip(extents, steps, strict=True)):
            yield f"{place}: {_x(extents)} is not a multiple of waves x warp tile ({_x(steps)})"
    if family != "bwd" and (block[5] < tile.hdim[0] or block[5] % block[2] or block[3] < tile.hdim[1]):
        yield f"{place}: bk0max {block[5]}, bk0 {block[2]} and bn1 {block[3]} do not cover hdim {_x(tile.hdim)}"


def _check_nvidia(arch: Any, catalog: ArchCatalog) -> Problems:
    nvidia: NvidiaArch = arch
    where = f"archs.{nvidia.name}"
    yield from _positive(nvidia, "warp_size", "smem_per_block_bytes", "registers_per_sm", "max_threads_per_block")
    if nvidia.smem_per_block_bytes + nvidia.smem_reserved_per_block_bytes > nvidia.smem_per_sm_bytes:
        yield (
            f"{where}: shared memory per block ({nvidia.smem_per_block_bytes} B and "
            f"{nvidia.smem_reserved_per_block_bytes} B reserved) > per SM ({nvidia.smem_per_sm_bytes} B)"
        )
    yield from _check_keys(where, "mma", nvidia.mma, nvidia, catalog)
    yield from _check_keys(where, "wgmma", nvidia.wgmma, nvidia, catalog)


def _check_cpu(arch: Any, catalog: ArchCatalog) -> Problems:
    cpu: CpuArch = arch
    where = f"archs.{cpu.name}"
    yield from _positive(cpu, "vector_bits", "vector_registers", "fma_ports")
    if cpu.vector_bits not in VECTOR_BITS:
        yield f"{where}.vector_bits: got {cpu.vector_bits}; the header library has 128, 256 and 512"
    if cpu.cpu_flags and not cpu.machines:
        yield f"{where}: needs CPU flags but names no machine; flags are spelt differently on each"
    for inner, dtypes in cpu.inners.items():
        yield from _known(f"{where}.inners.{inner}", "dtype", dtypes, cpu.dtypes)
    if any(inner.startswith("amx") for inner in cpu.inners) and cpu.amx is None:
        yield f"{where}: has an amx inner loop but no amx tile geometry"
    parent = catalog.archs.get(cpu.parent or "")
    dropped = sorted({*parent.cpu_flags} - {*cpu.cpu_flags}) if isinstance(parent, CpuArch) else []
    if dropped:
        yield f"{where}.cpu_flags: lacks {', '.join(dropped)} of its parent {cpu.parent}, whose code it must run"
    for flag in cpu.optional_features:
        if flag in cpu.cpu_flags:
            yield f"{where}.optional_features.{flag}: is already required (cpu_flags)"


_CHECKS: dict[type[Arch], Callable[[Any, ArchCatalog], Problems]] = {
    AmdArch: _check_amd,
    NvidiaArch: _check_nvidia,
    CpuArch: _check_cpu,
}


def _known(where: str, kind: str, names: Iterable[str], known: Iterable[str]) -> Problems:
    options = [*known]
    for name in names:
        if name not in options:
            near = nearest(name, options)
            yield f"{where}: unknown {kind} {name!r}" + (f"; did you mean {near!r}?" if near else "")


def _distinct(where: str, items: Iterable[Any]) -> Problems:
    seen: set[Any] = set()
    for item in items:
        if item in seen:
            yield f"{where}: {_x(item) if isinstance(item, tuple) else item} is listed twice"
        seen.add(item)


def _positive(arch: Arch, *fields: str) -> Problems:
    for field in fields:
        if getattr(arch, field) <= 0:
            yield f"archs.{arch.name}.{field}: got {getattr(arch, field)}; it must be > 0"


def _x(extents: Iterable[int]) -> str:
    return "x".join(map(str, extents))


def _list(tiles: Iterable[Tile]) -> str:
    return ", ".join(map(_x, tiles)) or "none"
