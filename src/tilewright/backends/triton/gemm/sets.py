"""The kernels that the triton backend offers, as kernel sets. Depths are in steps of 128 bytes along K."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet
from .algorithm import PACKED_FORMAT

HOPPER = "sm_90"
NVIDIA = ("sm_80", "sm_90")
AMD = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")
SIXTEEN_BIT = ["fp16", "bf16"]
EIGHT_BIT_FLOATS = ["fp8", "bf8"]

# (tile_m, tile_n, depth, warps, blocks per multiprocessor)
TILES = ((128, 256, 1, 8, 1), (256, 128, 1, 8, 1), (128, 192, 1, 8, 1), (128, 160, 1, 8, 1), (128, 128, 1, 8, 1),
         (64, 256, 1, 4, 1), (64, 192, 1, 4, 1), (64, 160, 1, 4, 1), (64, 128, 2, 4, 1), (128, 64, 1, 4, 1),
         (64, 96, 2, 4, 1), (64, 64, 2, 4, 1), (64, 128, 1, 4, 2), (64, 64, 1, 4, 2), (64, 32, 2, 4, 2))  # fmt: skip
TURNS = ((128, 192), (128, 128), (128, 64), (64, 256), (64, 192), (64, 128), (64, 64))
SHARED_INSIDE = ((128, 256, 1, 8, 1), (128, 192, 1, 8, 1), (128, 128, 1, 8, 1), (64, 128, 2, 4, 1), (64, 64, 2, 4, 1))
SHARED_AFTER = ((128, 256, 1, 8, 1), (256, 128, 1, 8, 1), (128, 192, 1, 8, 1), (128, 128, 1, 8, 1),
                (64, 256, 1, 4, 1), (64, 128, 2, 4, 1), (64, 64, 2, 4, 1), (64, 128, 1, 4, 1),
                (128, 64, 1, 4, 1))  # fmt: skip
# (tile_m, depth, warps, blocks per multiprocessor)
SKINNY = ((64, 2, 4, 2), (64, 4, 4, 1), (128, 1, 4, 2), (128, 2, 4, 1), (128, 1, 8, 1))


def _tile(m: int, n: int, k: int, warps: int, blocks: int = 1, **further: Any) -> dict[str, Any]:
    # Tall tiles leave room for one store buffer only.
    buffers = 1 if m * n >= 256 * 128 and m > n else 2
    return {"pipeline": "hopper", "tile_m": m, "tile_n": n, "tile_k": k, "warps": warps, "blocks_per_unit": blocks,
            "stages": 0, "out_buffers": buffers, **further}  # fmt: skip


def _hopper_maps(step: int) -> tuple[dict[str, Any], ...]:
    """The space of the hopper pipeline for operands of which `step` elements are 128 bytes."""
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


def _staged_maps(step: int) -> tuple[dict[str, Any], ...]:
    """Kernels for operands or outputs that TMA cannot address: copies in front, stores through pointers."""
    tiles = ((128, 256, 1, 8, 1), (128, 192, 1, 8, 1), (128, 128, 1, 8, 1), (64, 128, 2, 4, 1), (64, 64, 2, 4, 1))
    both = ({"operands": "staged", "store": "pointer"}, {"operands": "staged"}, {"store": "pointer"})
    maps = [_tile(m, n, step * d, w, b, **{**f, "out_buffers": 1}) for m, n, d, w, b in tiles for f in both]
    return tuple(maps)


def _pointer_maps(vectors: tuple[int, ...], step: int, **further: Any) -> tuple[dict[str, Any], ...]:
    base = {"pipeline": "pointer", "tile_k": step, "vector_bytes": list(vectors), "even_k": [False, True], **further}
    return (
        {**base, "tile_m": 128, "tile_n": 128, "warps": 8, "stages": 3},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "stages": 4, "split": [False, True]},
        {**base, "tile_m": 32, "tile_n": 32, "warps": 4, "stages": 4, "split": [False, True]},
        {**base, "tile_m": 128, "tile_n": 16, "warps": 4, "stages": 4, "split": [False, True], "swap_ab": True},
    )


def _amd_maps(step: int, **further: Any) -> tuple[dict[str, Any], ...]:
    base = {"pipeline": "pointer", "tile_k": step, "stages": 2, "even_k": [False, True], **further}
    return (
        {**base, "tile_m": 256, "tile_n": 256, "warps": 8},
        {**base, "tile_m": 128, "tile_n": 128, "warps": 4},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "split": [False, True]},
        {**base, "tile_m": 64, "tile_n": 16, "warps": 4, "split": [False, True], "swap_ab": True},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "vector_bytes": 1},
    )


def _set(name: str, text: str, archs: tuple[str, ...], maps: tuple[dict[str, Any], ...], **signature: Any) -> KernelSet:
    return KernelSet(name, "gemm", "triton", maps, signature, archs, 0, text)


ANY = _pointer_maps((1,), 32, unit=False, wide=True)

DEFAULT_SETS: tuple[KernelSet, ...] = (
    _set("triton_hopper_16bit", "warp-specialised TMA and wgmma kernels", (HOPPER,), _hopper_maps(64),
         dtype_a=SIXTEEN_BIT),
    _set("triton_hopper_16bit_unaligned", "the same behind a copy of the operands", (HOPPER,), _staged_maps(64),
         dtype_a=SIXTEEN_BIT),
    _set("triton_hopper_clusters", "programs that share copies of B, for rows off cache lines", (HOPPER,),
         tuple(_tile(m, n, 64, w, consumers=c, cluster=2, out_buffers=2 if m * n <= 8192 else 1)
               for m, n, w, c in ((64, 128, 4, 1), (64, 64, 4, 1), (128, 128, 8, 2), (128, 192, 8, 2))),
         dtype_a=SIXTEEN_BIT),
    _set("triton_hopper_8bit", "warp-specialised 8-bit kernels", (HOPPER,), _hopper_maps(128),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"]),
    _set("triton_hopper_8bit_unaligned", "the same behind a copy of the operands", (HOPPER,), _staged_maps(128),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"]),
    _set("triton_nvidia_16bit", "pointer kernels", NVIDIA, _pointer_maps((2, 4, 8, 16), 64), dtype_a=SIXTEEN_BIT),
    _set("triton_nvidia_8bit", "pointer kernels", NVIDIA, _pointer_maps((1, 4, 16), 64),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"]),
    _set("triton_nvidia_8bit_packed", "pointer kernels for packed weights", NVIDIA, _pointer_maps((1, 4, 16), 128),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"], b_format=PACKED_FORMAT),
    _set("triton_nvidia_fp32", "pointer kernels with exact fp32 products", NVIDIA,
         _pointer_maps((4, 16), 32, precision="ieee"), dtype_a="fp32"),
    _set("triton_any_strides", "pointer kernels for any strides", (*NVIDIA, *AMD), ANY,
         dtype_a=[*SIXTEEN_BIT, *EIGHT_BIT_FLOATS, "fp8_fnuz", "bf8_fnuz", "int8"]),
    _set("triton_any_strides_fp32", "pointer kernels for any strides", (*NVIDIA, *AMD),
         _pointer_maps((1,), 32, unit=False, wide=True, precision="ieee"), dtype_a="fp32"),
    _set("triton_amd_16bit", "pointer kernels", AMD, _amd_maps(64), dtype_a=SIXTEEN_BIT),
    _set("triton_amd_8bit", "pointer kernels", AMD, _amd_maps(64),
         dtype_a=[*EIGHT_BIT_FLOATS, "fp8_fnuz", "bf8_fnuz", "int8"]),
    _set("triton_amd_fp32", "pointer kernels", AMD, _amd_maps(32, precision="ieee"), dtype_a="fp32"),
)  # fmt: skip

PROMOTED = tuple({**m, "accumulate": "promoted"} for m in _hopper_maps(128) if m["tile_n"] <= 128)

# Factors per block of k are applied step by step, so sums are promoted anyway.
BLOCK_SCALED = tuple(
    _set(f"triton_hopper_block_{role}", "fp8 with factors per block of k", (HOPPER,), PROMOTED,
         dtype_a=EIGHT_BIT_FLOATS, **{role: "block"})
    for role in ("scale_a", "scale_b")
)  # fmt: skip
DEFAULT_SETS = (*DEFAULT_SETS, *BLOCK_SCALED)

# Not in the defaults: what rounds more than the dtypes say has to be asked for.
NAMED_SETS = (
    *DEFAULT_SETS,
    _set("triton_hopper_tf32", "fp32 operands rounded to tf32", (HOPPER,), _hopper_maps(32), dtype_a="fp32"),
    _set("triton_nvidia_tf32", "fp32 operands rounded to tf32, pointer kernels", NVIDIA, _pointer_maps((4, 16), 32),
         dtype_a="fp32"),
    _set("triton_hopper_fp8_promoted", "fp8 with fp32 sums after each k-step", (HOPPER,), PROMOTED,
         dtype_a=EIGHT_BIT_FLOATS),
    _set("triton_tma_persistent", "the compiler-pipelined yardstick", (HOPPER,),
         ({"pipeline": "tma_persistent", "tile_m": 128, "tile_n": [128, 256], "tile_k": 64, "warps": 8, "stages": 3},),
         dtype_a=SIXTEEN_BIT),
)  # fmt: skip
