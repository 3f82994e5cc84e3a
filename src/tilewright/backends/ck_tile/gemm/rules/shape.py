"""Rules 1 to 4: tile, waves and warp tile against each other and against the arch."""

from __future__ import annotations

from math import lcm

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ..algorithm import CkTileGemm
from ..geometry import DIMS, closest, round_up, threads
from .common import say, shown

STANDARD = ((16, 16, 8), (16, 16, 8))  # least tile, alignment of the tile
PRESHUFFLE = ((64, 64, 32), (32, 32, 16))
PING_PONG_WAVES = (1, 1, 2)  # compv5: one wave loads while the other multiplies


@rule("ck_tile.gemm.positive", "compile", "tile, waves and warp tile are > 0 in m, n and k")
def positive(p: Subject) -> Broken | None:
    """Every extent is at least 1."""
    a = p.algorithm
    groups = (("tile", a.tile), ("waves", a.waves), ("warp_tile", a.warp_tile))
    wrong = {f"{name}_{d}": v for name, triple in groups for d, v in zip(DIMS, triple, strict=True) if v <= 0}
    wrong |= {name: v for name in ("block_per_cu", "num_wave_groups") if (v := getattr(a, name)) <= 0}
    if not wrong:
        return None
    return say([f"{name} is {v}; it must be > 0" for name, v in wrong.items()], dict.fromkeys(wrong, 1), "", **wrong)


@rule("ck_tile.gemm.fits", "compile", "waves * warp_tile <= tile in m, n and k")
def fits(p: Subject) -> Broken | None:
    """The warp tiles of all waves fit into the tile."""
    faults, fix = [], {}
    for d, t, w, wt in _by_dimension(p.algorithm):
        if 0 < t < w * wt:
            faults.append(f"waves_{d} * warp_tile_{d} = {w} * {wt} = {w * wt} > tile_{d} {t}")
            fix[f"tile_{d}"] = w * wt
    return say(faults, fix, tile=p.algorithm.tile, waves=p.algorithm.waves) if faults else None


@rule("ck_tile.gemm.divides", "compile", "tile % (waves * warp_tile) == 0 in m, n and k")
def divides(p: Subject) -> Broken | None:
    """Each wave repeats its warp tile a whole number of times."""
    faults, fix = [], {}
    for d, t, w, wt in _by_dimension(p.algorithm):
        step = w * wt
        if 0 < step <= t and t % step:
            faults.append(f"tile_{d} {t} % (waves_{d} {w} * warp_tile_{d} {wt}) = {t % step}")
            fix[f"tile_{d}"] = t - t % step
    return say(faults, fix, tile=p.algorithm.tile, waves=p.algorithm.waves) if faults else None


@rule("ck_tile.gemm.minimum", "compile", "tile >= 16 x 16 x 8 (pre-shuffled B: 64 x 64 x 32)")
def minimum(p: Subject) -> Broken | None:
    """The tile is at least the minimum of the generators."""
    least, align = PRESHUFFLE if p.signature.variant == "preshuffle" else STANDARD
    faults, fix = [], {}
    for (d, t, w, wt), low, step in zip(_by_dimension(p.algorithm), least, align, strict=True):
        if 0 < t < low:
            faults.append(f"tile_{d} {t} < {low} ({p.signature.variant})")
            fix[f"tile_{d}"] = round_up(low, lcm(step, max(1, w * wt)))
    return say(faults, fix, tile=p.algorithm.tile, least=least) if faults else None


@rule("ck_tile.gemm.alignment", "compile", "tile % (16, 16, 8) == 0 (pre-shuffled B: 32, 32, 16)")
def alignment(p: Subject) -> Broken | None:
    """The tile is a multiple of the alignment of the generators."""
    least, align = PRESHUFFLE if p.signature.variant == "preshuffle" else STANDARD
    faults, fix = [], {}
    for (d, t, w, wt), low, step in zip(_by_dimension(p.algorithm), least, align, strict=True):
        if t >= low and t % step:
            faults.append(f"tile_{d} {t} % {step} = {t % step} ({p.signature.variant})")
            fix[f"tile_{d}"] = round_up(t, lcm(step, max(1, w * wt)))
    return say(faults, fix, tile=p.algorithm.tile, alignment=align) if faults else None


@rule("ck_tile.gemm.wave_map", "listed", "waves is one of the arch's wave maps (compv5: 1x1x2)")
def wave_map(p: Subject) -> Broken | None:
    """The arrangement of waves is one that the arch's kernels are written for."""
    a = p.algorithm
    waves = a.waves
    ping_pong = a.pipeline == "compv5"
    maps = (PING_PONG_WAVES,) if ping_pong else p.arch.wave_maps
    owner = "compv5" if ping_pong else p.arch.name
    if waves in maps or min(waves) <= 0:
        return None
    best = closest(maps, lambda m: _steps(m, waves) + (0 if _repeats(a.tile, m, a.warp_tile) else 100), lambda m: True)
    fix = dict(zip(("waves_m", "waves_n", "waves_k"), best, strict=True)) if best else {}
    known = ", ".join(map(shown, maps))
    return say([f"waves {shown(waves)} is not a wave map of {owner}: {known}"], fix, waves=waves, wave_maps=maps)


@rule("ck_tile.gemm.block_size", "hardware", "wave_size * waves_m * waves_n * waves_k <= max_threads_per_block")
def block_size(p: Subject) -> Broken | None:
    """The block has no more threads than the hardware launches."""
    got, most = threads(p.algorithm, p.arch), p.arch.max_threads_per_block
    if got <= most:
        return None
    count = most // p.arch.wave_size
    text = f"{p.algorithm.wave_count} waves of {p.arch.wave_size} = {got:,} threads > {most:,} ({p.arch.name})"
    return say([text], remedy=f"use at most {count} waves", threads=got, limit=most)


@rule(
    "ck_tile.gemm.warp_tile",
    "hardware",
    "warp_tile is in the arch's table for A_B_Acc (pre-shuffled B has its own table)",
)
def warp_tile(p: Subject) -> Broken | None:
    """The warp tile maps to matrix instructions that the arch has for these dtypes."""
    shuffled = p.signature.variant == "preshuffle"
    table = p.arch.preshuffle_warp_tiles if shuffled else p.arch.warp_tiles
    tiles = table.get(p.signature.dtype_key)
    asked = p.algorithm.warp_tile
    if tiles is None or asked in tiles or min(asked) <= 0:
        return None  # the rule "dtypes" reports a key without a table
    a = p.algorithm
    best = closest(tiles, lambda w: _steps(w, asked) + (0 if _repeats(a.tile, a.waves, w) else 100), lambda w: True)
    fix = dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), best, strict=True)) if best else {}
    kind = "pre-shuffled " if shuffled else ""
    known = ", ".join(map(shown, tiles))
    text = f"warp tile {shown(asked)} is not one of the {kind}{p.signature.dtype_key} tiles of {p.arch.name}: {known}"
    return say([text], fix, warp_tile=asked, warp_tiles=tiles)


@rule("ck_tile.gemm.released", "compile", "warp_tile is one that the headers of CK 1.2.0 have")
def released(p: Subject) -> Broken | None:
    """Some warp tiles need later headers than those that kernels are generated for."""
    asked, key = p.algorithm.warp_tile, p.signature.dtype_key
    newer = p.arch.newer_than_ck_warp_tiles.get(key, ())
    if asked not in newer:
        return None
    table = p.arch.preshuffle_warp_tiles if p.signature.variant == "preshuffle" else p.arch.warp_tiles
    tiles = [w for w in table.get(key, ()) if w not in newer]
    a = p.algorithm
    best = closest(tiles, lambda w: _steps(w, asked) + (0 if _repeats(a.tile, a.waves, w) else 100), lambda w: True)
    fix = dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), best, strict=True)) if best else {}
    text = f"warp tile {shown(asked)} of {key} is newer than CK 1.2.0"
    return say([text], fix, warp_tile=asked, newer=tuple(newer))


def _by_dimension(a: CkTileGemm) -> list[tuple[str, int, int, int]]:
    return list(zip(DIMS, a.tile, a.waves, a.warp_tile, strict=True))


def _steps(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return the distance of two shapes, in doublings."""
    return float(sum(abs(x.bit_length() - y.bit_length()) for x, y in zip(one, other, strict=True)))


def _repeats(tile: tuple[int, ...], waves: tuple[int, ...], warp: tuple[int, ...]) -> bool:
    return all(w * v > 0 and t % (w * v) == 0 for t, w, v in zip(tile, waves, warp, strict=True))


RULES = (positive, fits, divides, minimum, alignment, wave_map, block_size, warp_tile, released)
