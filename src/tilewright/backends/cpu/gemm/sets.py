"""The CPU GEMM space: a few register tiles, each with the blocks and packings that win somewhere."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet

# Register tiles for AVX-512 (32 registers of 16 lanes), AVX2 (16 of 8) and SSE2 (16 of 4): rules keep what fits.
FMA_TILES = [(6, 64), (14, 32), (8, 48), (4, 64), (8, 32), (4, 32), (28, 16), (14, 16), (6, 16), (4, 24), (12, 8)]
PACKINGS = [(True, True), (False, True), (True, False), (False, False)]


def _tiled(inner: str, tiles: list[tuple[int, int]], kc: list[int], mc: list[int], packings: Any = PACKINGS) -> Any:
    return tuple(
        {"inner": inner, "mr": mr, "nr": nr, "kc": kc, "mc": mc, "pack_a": a, "pack_b": b}
        for mr, nr in tiles
        for a, b in packings
    )


FMA = _tiled("fma", FMA_TILES, [256, 512, 1024], [96, 384])
PORTABLE = (
    *_tiled("portable", [(4, 4), (6, 8)], [256, 1024], [192], [(True, True)]),
    {"pipeline": "skinny", "inner": "portable", "mr": [1, 4], "nr": [4, 16], "kc": 1024},
)
VNNI = _tiled("vnni", [(6, 64), (14, 32), (8, 48), (4, 16)], [512, 1024, 2048], [192, 384], [(True, True)])
AMX = _tiled(
    "amx",
    [(32, 32), (16, 64), (16, 32), (32, 16), (16, 16)],
    [512, 1024, 2048],
    [192, 384],
    [(True, True), (False, True)],
)
AMX_BF16X3 = _tiled("amx_bf16x3", [(32, 32), (16, 32)], [512, 1024], [192, 384], [(True, True)])
SKINNY = (
    {"pipeline": "skinny", "inner": "fma", "mr": [1, 2, 4, 8, 16], "nr": [4, 16, 64], "kc": [512, 1024]},
    {"pipeline": "skinny", "inner": "vnni", "mr": [1, 2, 4, 8], "nr": [4, 16, 64], "kc": 1024},
    {"pipeline": "skinny", "inner": "amx", "mr": 16, "nr": [16, 32, 64], "kc": [512, 1024]},
)

DEFAULT_SETS = (
    KernelSet("cpu_gemm_fma", "gemm", "cpu", FMA, description="vector FMA, any float dtype"),
    KernelSet("cpu_gemm_portable", "gemm", "cpu", PORTABLE, archs=("x86_64",), description="plain C++, any machine"),
    KernelSet("cpu_gemm_vnni", "gemm", "cpu", VNNI, description="8-bit dot products"),
    KernelSet("cpu_gemm_amx", "gemm", "cpu", AMX, description="AMX tiles, bf16 and int8"),
    KernelSet("cpu_gemm_amx_bf16x3", "gemm", "cpu", AMX_BF16X3, description="fp16 as three bf16 products"),
    KernelSet("cpu_gemm_skinny", "gemm", "cpu", SKINNY, description="few rows: B is streamed once"),
)
NAMED_SETS = DEFAULT_SETS
