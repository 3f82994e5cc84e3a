"""Rules 6, 8 and 9: LDS, global loads and stores, and one known miscompile."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from .....arch import default_catalog
from .....model.arch import AmdArch
from .....model.rule import Broken, rule
from .....model.tunable import tunables_of
from .....ops.gemm.problem import GemmSubject as Subject
from ..algorithm import CkTileGemm
from ..geometry import (
    Spread,
    closest,
    element_bytes,
    load_extents,
    load_spread,
    operand_bytes,
    smaller,
    spread,
    threads,
)
from .common import say, shown
from .shape import STANDARD

CHOICES = {t.name: t.choices for t in tunables_of(CkTileGemm)}


def lds_budget(pipeline: str, arch: AmdArch) -> int:
    """Return bytes of LDS that the A and B tiles of one block may take."""
    return int(arch.lds_bytes * default_catalog().pipelines[pipeline].lds_fraction)


@rule(
    "ck_tile.gemm.lds",
    "hardware",
    "tile_m*tile_k*sizeof(A) + tile_n*tile_k*sizeof(B) <= LDS fraction of the pipeline * LDS bytes",
)
def lds(p: Subject) -> Broken | None:
    """One A tile and one B tile fit into the pipeline's share of LDS (half of it if there are two buffers)."""
    a = p.algorithm
    got, limit = operand_bytes(a, p.signature), lds_budget(a.pipeline, p.arch)
    if got <= limit:
        return None
    fix = _less_lds(p, limit)
    ways = [f"shrink {name} to {value}" for name, value in fix.items()]
    roomier = [name for name, budget in _budgets(a.pipeline) if budget >= got]
    ways += [f"use {' or '.join(roomier)}"] if roomier else []
    text = f"LDS {got:,} B > {limit:,} B ({p.arch.name}, {a.pipeline})"
    return say([text], fix, ", or ".join(ways), bytes=got, limit=limit, pipeline=a.pipeline, tile=a.tile)


def _less_lds(p: Subject, limit: int) -> dict[str, int]:
    """Return the largest legal tile_k that fits; if there is none, the largest output tile side that does."""
    a, s = p.algorithm, p.signature
    sizes = {"tile_m": element_bytes(s.dtype_a), "tile_n": element_bytes(s.dtype_b)}
    depth = sum(getattr(a, side) * size for side, size in sizes.items())
    step = max(1, a.waves_k * a.warp_tile_k)
    k = smaller(CHOICES["tile_k"], a.tile_k, lambda c: c * depth <= limit and c % step == 0 and c >= STANDARD[0][2])
    if k is not None:
        return {"tile_k": k}
    side = "tile_m" if a.tile_m >= a.tile_n else "tile_n"
    rest = depth - getattr(a, side) * sizes[side]
    unit = max(1, getattr(a, side.replace("tile", "waves")) * getattr(a, side.replace("tile", "warp_tile")))
    fitting = smaller(
        CHOICES[side], getattr(a, side), lambda c: (rest + c * sizes[side]) * a.tile_k <= limit and c % unit == 0
    )
    return {side: fitting} if fitting is not None else {}


@lru_cache(maxsize=32)
def _budgets(pipeline: str) -> tuple[tuple[str, int], ...]:
    archs = (a for a in default_catalog().values() if isinstance(a, AmdArch))
    return tuple((a.name, lds_budget(pipeline, a)) for a in archs)


@rule("ck_tile.gemm.lds_reduction", "hardware", "compv5: tile_m * tile_n * sizeof(Acc) <= LDS bytes")
def lds_reduction(p: Subject) -> Broken | None:
    """The two wave groups of compv5 add their accumulators through LDS."""
    a = p.algorithm
    if a.pipeline != "compv5":
        return None
    got = ceil(a.tile_m * a.tile_n * element_bytes(p.signature.dtype_acc))
    limit = p.arch.lds_bytes
    if got <= limit:
        return None
    other = a.tile_n * element_bytes(p.signature.dtype_acc)
    fitting = smaller(CHOICES["tile_m"], a.tile_m, lambda c: c * other <= limit)
    text = f"compv5 adds its wave groups through LDS: {got:,} B > {limit:,} B ({p.arch.name})"
    return say([text], {"tile_m": fitting} if fitting else None, bytes=got, limit=limit)


@rule(
    "ck_tile.gemm.cshuffle_repeat",
    "known-miscompile",
    "cshuffle: not (warp_tile == 32 and tile / (waves * 32) odd and > 1) in m, n",
)
def cshuffle_repeat(p: Subject) -> Broken | None:
    """An odd number of repeats of a 32-wide warp tile makes the cshuffle epilogue store wrong results."""
    a = p.algorithm
    if a.epilogue != "cshuffle":
        return None
    faults, fix = [], {}
    for d, tile, waves, warp in zip("mn", a.tile, a.waves, a.warp_tile, strict=False):
        repeat = tile // (waves * warp) if waves * warp > 0 else 0
        if warp == 32 and repeat > 1 and repeat % 2:
            faults.append(f"tile_{d} {tile} / (waves_{d} {waves} * 32) = {repeat}, odd: cshuffle stores wrong results")
            fix[f"tile_{d}"] = (repeat - 1) * waves * warp
    return say(faults, fix, tile=a.tile, waves=a.waves, warp_tile=a.warp_tile) if faults else None


@rule(
    "ck_tile.gemm.missing_wait",
    "known-miscompile",
    "gfx90a: not (compv3 and tile == 256x256x64 and 4 waves of 16-bit operands)",
)
def missing_wait(p: Subject) -> Broken | None:
    """clang loads into accumulation registers before the main loop, and reads them in its first turn without a wait.

    The emulator's sanitizer reports it (`register used before the wait for its load`). The tile needs more registers
    than there are.
    """
    a = p.algorithm
    if p.arch.name != "gfx90a" or a.pipeline != "compv3" or a.tile != (256, 256, 64) or a.wave_count != 4:
        return None
    if element_bytes(p.signature.dtype_a) != 2:
        return None
    text = (
        "the compiler leaves out the wait for loads into accumulation registers (gfx90a, compv3, 256x256x64, 4 waves)"
    )
    return say([text], {"tile_k": 32}, tile=a.tile, pipeline=a.pipeline)


@rule(
    "ck_tile.gemm.load_a",
    "compile",
    "X0 * (wave // X0) == wave, X1 = min(vec, X*Y/block), X0 = X/X1, vec = 16 B, 8 B or 1 element; "
    "A row: X, Y = tile_k, tile_m",
)
def load_a(p: Subject) -> Broken | None:
    """The lanes of every wave cover whole rows of the A tile."""
    return _load(p, "a")


@rule(
    "ck_tile.gemm.load_b",
    "compile",
    "X0 * (wave // X0) == wave, X1 = min(vec, X*Y/block), X0 = X/X1, vec = 16 B, 8 B or 1 element; "
    "B col: X, Y = tile_k, tile_n",
)
def load_b(p: Subject) -> Broken | None:
    """The lanes of every wave cover whole rows of the B tile."""
    return _load(p, "b")


def _load(p: Subject, role: str) -> Broken | None:
    if p.signature.variant == "preshuffle":
        return None  # these pipelines load A and B differently: see the preshuffle rules
    found = load_spread(p.algorithm, p.signature, p.arch, role)
    if found.covers:
        return None
    dtype = p.signature.dtype_a if role == "a" else p.signature.dtype_b
    x, y, dim = load_extents(p.algorithm, p.signature, role)
    block, groups = threads(p.algorithm, p.arch), p.algorithm.num_wave_groups
    size, wave = element_bytes(dtype), p.arch.wave_size
    fits = closest(
        CHOICES[f"tile_{dim}"],
        lambda c: abs(c - x) / c,
        lambda c: c != x and spread(c, y, block, wave, size, groups).covers,
    )
    fix = {f"tile_{dim}": fits} if fits else None
    text = f"{role.upper()} tile {x}x{y} of {dtype}: {found.fault}"
    return say([text], fix, "" if fix else "use another tile", **_numbers(found, block, wave))


def _numbers(s: Spread, block: int, wave: int) -> dict[str, float]:
    return {"x": s.x, "y": s.y, "vector": s.vector, "lanes": s.lanes, "block": block, "wave": wave}


# The only targets for which CK 1.2.0 transposes operands with LDS reads, of 8 bytes per lane.
TRANSPOSING, READ_BYTES = ("gfx950",), 8
READS = {1: (1, 4), 2: (1, 2), 4: (1,)}  # bytes of an element -> reads per lane that CK has a warp product for


@rule(
    "ck_tile.gemm.turned_reads",
    "compile",
    "gfx950, A column-major or B row-major: warp_tile_n * warp_tile_k * size / wave is 8 B, 16 B of 16-bit or 32 B "
    "of 8-bit operands",
)
def turned_reads(p: Subject) -> Broken | None:
    """Operands that run across k are transposed by the LDS read, in pieces that the warp product must support."""
    a, s, wave = p.algorithm, p.signature, p.arch.wave_size
    if p.arch.name not in TRANSPOSING or s.layout[:2] == "rc" or s.variant == "preshuffle":
        return None
    size = element_bytes(s.dtype_a)
    got, counts = a.warp_tile_n * a.warp_tile_k * size / wave, READS.get(int(size), ())
    allowed = [READ_BYTES * n for n in counts]
    if got in allowed or got <= 0:
        return None
    table = p.arch.warp_tiles.get(s.dtype_key, ())
    newer = p.arch.newer_than_ck_warp_tiles.get(s.dtype_key, ())
    near = [t for t in table if t[1] * t[2] * size / wave in allowed and t not in newer]
    fix = dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), near[0], strict=True)) if near else None
    text = (
        f"layout {s.layout} turns an operand as it is read: {got:g} B of {s.dtype_a} per lane for a warp tile of "
        f"{shown(a.warp_tile)}; CK has products for {' and '.join(map(str, allowed)) or 'no'} B"
    )
    return say([text], fix, "" if fix else "use layout rcr or rcc", bytes=got, allowed=tuple(allowed))


RULES = (lds, lds_reduction, cshuffle_repeat, missing_wait, load_a, load_b, turned_reads)
