"""hopper: the kernels on offer. Depths are in steps of 128 bytes along K."""

from __future__ import annotations

from typing import Any

from ......model.fields import Fields
from ...set_parts import EIGHT_BIT_FLOATS, HOPPER, SIXTEEN_BIT, gemm_set

# (tile_m, tile_n, depth, warps, blocks per multiprocessor)
TILES = ((128, 256, 1, 8, 1), (256, 128, 1, 8, 1), (128, 192, 1, 8, 1), (128, 160, 1, 8, 1), (128, 128, 1, 8, 1),
         (64, 256, 1, 4, 1), (64, 192, 1, 4, 1), (64, 160, 1, 4, 1), (64, 128, 2, 4, 1), (128, 64, 1, 4, 1),
         (64, 96, 2, 4, 1), (64, 64, 2, 4, 1), (64, 128, 1, 4, 2), (64, 64, 1, 4, 2), (64, 32, 2, 4, 2))  # fmt: skip
TURNS = ((128, 192), (128, 128), (128, 64), (64, 256), (64, 192), (64, 128), (64, 64))
SHARED_INSIDE = ((128, 256, 1, 8, 1), (128, 192, 1, 8, 1), (128, 128, 1, 8, 1), (64, 128, 2, 4, 1), (64, 64, 2, 4, 1))
SHARED_AFTER = ((128, 256, 1, 8, 1), (256, 128, 1, 8, 1), (128, 192, 1, 8, 1), (128, 128, 1, 8, 1),
                (64, 256, 1, 4, 1), (64, 128, 2, 4, 1), (64, 64, 2, 4, 1), (64, 128, 1, 4, 1),
                (128, 64, 1, 4, 1))  # fmt: skip
# Columns of tiles between powers of two, by rows: 128 that take turns, 64, 256.
NARROWED_TURNS = (48, 72, 80, 88, 104, 112, 120, 136, 144, 152, 160, 168, 176, 184)
NARROWED_LOW = (48, 56, 72, 80, 88, 104, 112, 120, 136, 144, 160, 168, 176, 184, 192, 208)
NARROWED_TALL = (72, 80, 104, 112, 120, 128, 144)
# The same with more stages than eight, or one instruction where two would read the rows twice: (columns, stages).
LOOSE_LOW = ((8, 16), (24, 16), (48, 14), (160, 0))
LOOSE_TURNS = LOOSE_TALL = (96, 160)
# (rows, columns, stages, group) of tiles that programs abreast share along K; group 1: stages are handed back at once.
ABREAST = ((64, 24, 16, 8), (64, 48, 14, 8), (128, 80, 0, 8), (128, 136, 0, 1), (256, 80, 0, 8), (256, 104, 0, 1))
# (tile_m, depth, warps, blocks per multiprocessor)
SKINNY = ((64, 2, 4, 2), (64, 4, 4, 1), (128, 1, 4, 2), (128, 2, 4, 1), (128, 1, 8, 1))


def _tile(m: int, n: int, k: int, warps: int, blocks: int = 1, **further: Any) -> Fields:
    # Tall tiles leave room for one store buffer only.
    buffers = 1 if m * n >= 256 * 128 and m > n else 2
    return {"pipeline": "hopper", "tile_m": m, "tile_n": n, "tile_k": k, "warps": warps, "blocks_per_unit": blocks,
            "stages": 0, "out_buffers": buffers, **further}  # fmt: skip


def _hopper_maps(step: int) -> tuple[Fields, ...]:
    """Return the space of the hopper pipeline for operands of which `step` elements are 128 bytes."""
    maps = [_tile(m, n, step * d, w, b) for m, n, d, w, b in TILES]
    maps += [_tile(m, n, step, 8, consumers=2, out_buffers=2 if m * n <= 8192 else 1) for m, n in TURNS]
    maps += [_tile(m, n, step * d, w, b, split=True, order="tiles") for m, n, d, w, b in SHARED_INSIDE]
    maps += [_tile(m, n, step * d, w, b, split=True, order="tiles", reduce="after") for m, n, d, w, b in SHARED_AFTER]
    for n in (8, 16, 32, 64):
        for m, d, w, b in SKINNY:
            maps.append(_tile(m, n, step * d, w, b, split=True, swap_ab=True))
    maps += [_tile(64, n, step * 4, 4, split=True, swap_ab=True, reduce="after") for n in (16, 32)]
    maps.append(_tile(128, 96, step, 8, swap_ab=True))
    return tuple(maps)


def _narrowed_maps() -> tuple[Fields, ...]:
    """Kernels whose tiles fit a number of rows between powers of two, swapped so that rows are columns of a tile."""
    maps = [_tile(128, n, 64, 8, consumers=2, out_buffers=2 if n <= 64 else 1) for n in NARROWED_TURNS]
    maps += [_tile(64, n, 64, 4) for n in NARROWED_LOW]
    maps += [_tile(256, n, 64, 8, out_buffers=1) for n in NARROWED_TALL]
    maps.append(_tile(128, 48, 64, 4, split=True, order="tiles", reduce="after", out_buffers=1))
    return tuple({**m, "swap_ab": True} for m in maps)


def _loose_maps() -> tuple[Fields, ...]:
    """Kernels for a few hundred rows whose warps do not meet in the loop; swapped as the narrowed ones."""
    maps = [_tile(64, n, 64, 4, stages=s) for n, s in LOOSE_LOW]
    maps += [_tile(128, n, 64, 8, consumers=2, out_buffers=1) for n in LOOSE_TURNS]
    maps += [_tile(256, n, 64, 8, out_buffers=1) for n in LOOSE_TALL]
    maps = [{**m, "one_block": m["tile_n"] in (8, 96, 160)} for m in maps]
    maps += [_tile(m, n, 64, 4 if m == 64 else 8, stages=s, group=g, split=True, order="abreast", out_buffers=1)
             for m, n, s, g in ABREAST]  # fmt: skip
    return tuple({**m, "swap_ab": True, "loose": True} for m in maps)


def _staged_maps(step: int) -> tuple[Fields, ...]:
    """Kernels for operands or outputs that TMA cannot address: copies in front, stores through pointers."""
    both = ({"operands": "staged", "store": "pointer"}, {"operands": "staged"}, {"store": "pointer"})
    maps = [_tile(m, n, step * d, w, b, **{**f, "out_buffers": 1}) for m, n, d, w, b in SHARED_INSIDE for f in both]
    return tuple(maps)


PROMOTED = tuple({**m, "accumulate": "promoted"} for m in _hopper_maps(128) if m["tile_n"] <= 128)
EIGHT_BIT = [*EIGHT_BIT_FLOATS, "int8"]
# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    0: (
    gemm_set("triton_hopper_16bit", "warp-specialised TMA and wgmma kernels", (HOPPER,), _hopper_maps(64),
         dtype_a=SIXTEEN_BIT),
    gemm_set("triton_hopper_columns", "tiles of any multiple of 8 columns, for a few hundred rows", (HOPPER,),
         _narrowed_maps(), dtype_a=SIXTEEN_BIT),
    gemm_set("triton_hopper_loose", "rings without barriers, and tiles shared by programs abreast, for few rows",
         (HOPPER,), _loose_maps(), dtype_a=SIXTEEN_BIT),
    gemm_set("triton_hopper_16bit_unaligned", "the same behind a copy of the operands", (HOPPER,), _staged_maps(64),
         dtype_a=SIXTEEN_BIT),
    gemm_set("triton_hopper_clusters", "programs that share copies of B, for rows off cache lines", (HOPPER,),
         tuple(_tile(m, n, 64, w, consumers=c, cluster=2, out_buffers=2 if m * n <= 8192 else 1)
               for m, n, w, c in ((64, 128, 4, 1), (64, 64, 4, 1), (128, 128, 8, 2), (128, 192, 8, 2))),
         dtype_a=SIXTEEN_BIT),
    gemm_set("triton_hopper_8bit", "warp-specialised 8-bit kernels", (HOPPER,), _hopper_maps(128), dtype_a=EIGHT_BIT),
    gemm_set("triton_hopper_8bit_unaligned", "the same behind a copy of the operands", (HOPPER,), _staged_maps(128),
         dtype_a=EIGHT_BIT),
    ),
    # Factors per block of k are applied step by step, so sums are promoted anyway.
    2: tuple(
    gemm_set(f"triton_hopper_block_{role}", "fp8 with factors per block of k", (HOPPER,), PROMOTED,
         dtype_a=EIGHT_BIT_FLOATS, **{role: "block"})
    for role in ("scale_a", "scale_b")
    ),
}  # fmt: skip
# Offered by name only: what rounds more than the dtypes say.
NAMED = {
    0: (gemm_set("triton_hopper_tf32", "fp32 operands rounded to tf32", (HOPPER,), _hopper_maps(32), dtype_a="fp32"),),
    2: (gemm_set("triton_hopper_fp8_promoted", "fp8 with fp32 sums after each k-step", (HOPPER,), PROMOTED,
         dtype_a=EIGHT_BIT_FLOATS),),
}  # fmt: skip
