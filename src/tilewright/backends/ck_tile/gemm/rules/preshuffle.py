"""Rule 7: requirements of the pre-shuffle pipeline on tile, layout and packed format. All pass for plain B."""

from __future__ import annotations

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ..algorithm import CkTileGemm
from ..geometry import PRESHUFFLED, WIDEST_BYTES, closest, element_bytes, preshuffle_format, smaller
from .common import say, shown
from .memory import CHOICES


@rule("ck_tile.gemm.preshuffle_layout", "compile", "pre-shuffled B: A row-major")
def preshuffle_layout(p: Subject) -> Broken | None:
    """The pipeline reads A along k."""
    layout = p.signature.layout
    if p.signature.variant != "preshuffle" or layout[0] == "r":
        return None
    text = f"layout {layout} has A column-major; kernels for pre-shuffled B take only row-major A"
    return say([text], remedy=f"use layout rc{layout[2]}", layout=layout)


@rule(
    "ck_tile.gemm.preshuffle_b_layout",
    "semantic",
    "pre-shuffled B is called column-major: two specs would be one kernel",
)
def preshuffle_b_layout(p: Subject) -> Broken | None:
    """B is packed from its columns, so it has no other layout."""
    layout = p.signature.layout
    if p.signature.variant != "preshuffle" or layout[1] == "c":
        return None
    text = f"layout {layout} has pre-shuffled B, which is always packed from its columns"
    return say([text], remedy=f"use layout {layout[0]}c{layout[2]}", layout=layout)


@rule("ck_tile.gemm.preshuffle_warp_tile", "compile", "pre-shuffled B: warp_tile_n is 16 or 32")
def preshuffle_warp_tile(p: Subject) -> Broken | None:
    """CK's preshuffle policy defines the depth of one load of B only for warp tiles 16 and 32 wide."""
    a = p.algorithm
    if p.signature.variant != "preshuffle" or a.warp_tile_n in PRESHUFFLED:
        return None
    text = f"pre-shuffled B is read by warp tiles of 16 or 32 columns; {shown(a.warp_tile)} has {a.warp_tile_n}"
    table = p.arch.preshuffle_warp_tiles.get(p.signature.dtype_key, ())
    near = [t for t in table if t[1] in PRESHUFFLED]
    fix = dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), near[0], strict=True)) if near else None
    return say([text], fix, "" if fix else "use plain B", warp_tile=a.warp_tile)


@rule(
    "ck_tile.gemm.preshuffle_vector",
    "compile",
    "(warp_tile_m * warp_tile_k * sizeof(A) * (tile_m / (waves_m * warp_tile_m)) / wave) % 16 == 0",
)
def preshuffle_vector(p: Subject) -> Broken | None:
    """Each lane reads its share of the A tile from LDS in whole vectors of 16 bytes."""
    a, wave, size = p.algorithm, p.arch.wave_size, element_bytes(p.signature.dtype_a)
    unit = a.waves_m * a.warp_tile_m
    if p.signature.variant != "preshuffle" or unit <= 0:
        return None

    def share(tile_m: int) -> float:
        return float(a.warp_tile_m * a.warp_tile_k * size * (tile_m // unit) / wave)

    got = share(a.tile_m)
    if got % WIDEST_BYTES == 0 and got > 0:
        return None
    fits = closest(
        CHOICES["tile_m"],
        lambda c: abs(c - a.tile_m) / c,
        lambda c: c % unit == 0 and c >= 64 and share(c) % WIDEST_BYTES == 0,
    )
    text = (
        f"each lane reads {got:g} B of the A tile per k step (warp tile {a.warp_tile_m}x{a.warp_tile_k}, "
        f"{a.tile_m // unit} repeats, {wave} lanes); {got:g} % {WIDEST_BYTES} = {got % WIDEST_BYTES:g}"
    )
    return say([text], {"tile_m": fits} if fits else None, bytes_per_lane=got, wave=wave)


@rule(
    "ck_tile.gemm.preshuffle_load",
    "compile",
    "K1 = 16/sizeof(A), tile_k % K1 == 0, K0 = tile_k/K1, wave % K0 == 0, M2 = wave/K0, tile_m % (M2 * waves) == 0",
)
def preshuffle_load(p: Subject) -> Broken | None:
    """Vectors of 16 bytes along k, and whole waves along m, cover the A tile."""
    if p.signature.variant != "preshuffle" or p.algorithm.wave_count <= 0:
        return None
    a, wave, size = p.algorithm, p.arch.wave_size, element_bytes(p.signature.dtype_a)
    text = _load_fault(a, a.tile_k, wave, size)
    if text is None:
        return None
    step = max(1, a.waves_k * a.warp_tile_k)
    fits = smaller(
        CHOICES["tile_k"], 2 * a.tile_k + 1, lambda c: c % step == 0 and _load_fault(a, c, wave, size) is None
    )
    return say([text], {"tile_k": fits} if fits else None, tile=a.tile, wave=wave, waves=a.wave_count)


def _load_fault(a: CkTileGemm, tile_k: int, wave: int, size: float) -> str | None:
    k1 = int(WIDEST_BYTES / size)
    if tile_k % k1 or tile_k <= 0:
        return f"tile_k {tile_k} % {k1} (16-byte vectors of A) = {tile_k % k1}"
    k0 = tile_k // k1
    if wave % k0:
        return f"{k0} vectors along tile_k {tile_k} do not divide a wave of {wave}: {wave} % {k0} = {wave % k0}"
    rows = wave // k0 * a.wave_count
    if a.tile_m % rows:
        return f"tile_m {a.tile_m} % ({wave // k0} rows per wave * {a.wave_count} waves) = {a.tile_m % rows}"
    return None


@rule(
    "ck_tile.gemm.preshuffle_format",
    "known-miscompile",
    "b_format == ck_tile_n{warp_tile_n}_v{min(16/sizeof(B), warp_tile_k*warp_tile_n/wave)}",
)
def preshuffle_format_matches(p: Subject) -> Broken | None:
    """B was packed in the format that this warp tile reads."""
    s = p.signature
    if s.variant != "preshuffle":
        return None
    reads = preshuffle_format(p.algorithm, s.dtype_b, p.arch.wave_size)
    if s.b_format == reads:
        return None
    text = f"B is packed as {s.b_format}; a warp tile of {p.algorithm.warp_tile_n} columns reads {reads}"
    remedy = f"pack B as {reads}, or choose the warp tile that {s.b_format} was packed for"
    return say([text], remedy=remedy, b_format=s.b_format, reads=reads)


@rule("ck_tile.gemm.preshuffle_epilogue", "compile", "pre-shuffled B: no D operands and no activation")
def preshuffle_epilogue(p: Subject) -> Broken | None:
    """Kernels for pre-shuffled B are generated without a fused epilogue."""
    s = p.signature
    if s.variant != "preshuffle" or not (s.d or s.activation != "none"):
        return None
    text = f"pre-shuffled B with {len(s.d)} D operands and activation {s.activation} is not generated"
    return say([text], remedy="use plain B, or apply the epilogue separately", d=len(s.d), activation=s.activation)


RULES = (
    preshuffle_layout,
    preshuffle_b_layout,
    preshuffle_epilogue,
    preshuffle_warp_tile,
    preshuffle_vector,
    preshuffle_load,
    preshuffle_format_matches,
)
