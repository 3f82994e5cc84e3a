"""The CPU GEMM space: a few register tiles, each with the blocks and packings that are fastest for some problem."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet

PLAIN_ARCHS = ("x86_64", "generic")  # archs with only the portable inner loop
X86_VECTORS = ("x86_64_v3", "x86_64_v4", "x86_64_vnni", "x86_64_amx")
# Register tiles for AVX-512 (32 registers of 16 lanes), AVX2 (16 of 8), NEON (32 of 4): rules keep what fits.
FMA_TILES = [(6, 64), (14, 32), (8, 48), (4, 64), (8, 32), (4, 32), (28, 16), (14, 16), (6, 16), (4, 24), (12, 8)]
# Arm multiplies by a lane of a register, so tiles need no broadcasts: four rows of A are one register. In 32 registers
# 24 accumulators leave room for both operands: 8x12 on NEON, 8x24 with 256 bits, 8x48 with 512.
NEON_ARCHS, SVE_ARCHS = ("aarch64", "aarch64_dot", "aarch64_mm"), ("aarch64_sve", "aarch64_sve512")
DOT_ARCHS = ("aarch64_dot", "aarch64_mm", *SVE_ARCHS)
NEON_TILES, SVE_TILES = [(8, 12), (4, 16), (8, 8), (16, 4)], [(8, 24), (4, 48), (8, 16)]
SVE512_TILES = [(8, 48), (4, 96), (8, 32)]
PACKINGS = [(True, True), (False, True), (True, False), (False, False)]


def _tiled(inner: str, tiles: list[tuple[int, int]], packings: Any = PACKINGS) -> Any:
    """Return kernels that leave kc and mc to the launch: the selector chooses them per problem, without a build."""
    return tuple(
        {"inner": inner, "mr": mr, "nr": nr, "kc": 0, "mc": 0, "pack_a": a, "pack_b": b}
        for mr, nr in tiles
        for a, b in packings
    )


def _skinny(inner: str, tiles: list[tuple[int, int]], kc: list[int]) -> Any:
    return tuple({"pipeline": "skinny", "inner": inner, "mr": mr, "nr": nr, "kc": kc} for mr, nr in tiles)


FMA = _tiled("fma", FMA_TILES)
NEON, SVE, SVE512 = (_tiled("fma", t, [(True, True), (True, False)]) for t in (NEON_TILES, SVE_TILES, SVE512_TILES))
# B along k: whole columns for one row of A (tw/arm/skinny_column.hpp). B along n: kc rows of it at a time
# (tw/arm/skinny_walk.hpp).
NEON_SKINNY = (
    *_skinny("fma", [(1, 1)], [4096]),
    *_skinny("fma", [(1, 32), (2, 32), (4, 16)], [4, 8]),
    *_skinny("fma", [(4, 16), (8, 8), (8, 12), (12, 8)], [16, 64]),
)
PORTABLE = (
    *_tiled("portable", [(4, 4), (6, 8)], [(True, True)]),
    *_skinny("portable", [(1, 4), (1, 16), (4, 4)], [1024]),
)
VNNI = _tiled("vnni", [(6, 64), (12, 32), (8, 48), (4, 16)], [(True, True)])
# Dot products by the lanes of A, and products of 2x2 blocks.
DOT = (
    *_tiled("dot", [(8, 12), (4, 24), (4, 16), (8, 8), (8, 24), (8, 48)], [(True, True)]),
    *_skinny("dot", [(1, 4), (1, 8), (2, 8), (4, 4), (4, 6)], [1024, 2048]),
    *_skinny("dot", [(1, 64), (2, 32), (4, 16), (8, 8)], [64]),
)
MM = _tiled("mm", [(8, 12), (8, 8), (4, 16)], [(True, True)])
AMX = _tiled(
    "amx",
    [(32, 32), (16, 64), (16, 32), (32, 16), (16, 16)],
    [(True, True), (False, True)],
)
AMX_BF16X3 = _tiled("amx_bf16x3", [(32, 32), (16, 32)], [(True, True)])
# One row and B along k: several columns side by side. Memory is slower that way on NEON, which takes whole columns.
COLUMNS = _skinny("fma", [(1, 4), (1, 8)], [512, 1024])
# B along k: dot products, as many columns at a time as the registers hold, or 16 rows of A as lanes. B along n, or
# packed in panels: wide rows of B for few rows of A. kc bounds what is staged: small values serve the latter.
SKINNY = (
    *_skinny("fma", [(2, 4), (2, 8), (4, 2), (4, 4), (4, 6)], [512, 1024]),
    *_skinny("fma", [(1, 128), (1, 64), (1, 32), (2, 64), (2, 32), (4, 64), (4, 16), (8, 32), (8, 8)], [32]),
    *_skinny("fma", [(8, 16), (16, 16)], [32, 128]),
    *_skinny("vnni", [(1, 4), (1, 8), (2, 8), (4, 6)], [1024, 2048]),
    *_skinny("vnni", [(1, 128), (1, 64), (2, 64), (4, 64), (8, 16), (8, 32)], [64]),
    *_skinny("amx", [(16, 16), (16, 32), (16, 64)], [64, 256, 1024]),
)

DEFAULT_SETS = (
    KernelSet("cpu_gemm_fma", "gemm", "cpu", FMA, description="vector FMA, any float dtype"),
    KernelSet(
        "cpu_gemm_lanes",
        "gemm",
        "cpu",
        (*NEON, *NEON_SKINNY),
        archs=NEON_ARCHS,
        description="FMA by the lanes of A, on NEON",
    ),
    KernelSet("cpu_gemm_sve", "gemm", "cpu", SVE, archs=("aarch64_sve",), description="the same, 256 bits"),
    KernelSet("cpu_gemm_sve512", "gemm", "cpu", SVE512, archs=("aarch64_sve512",), description="the same, 512 bits"),
    KernelSet("cpu_gemm_portable", "gemm", "cpu", PORTABLE, archs=PLAIN_ARCHS, description="plain C++, any machine"),
    KernelSet("cpu_gemm_vnni", "gemm", "cpu", VNNI, description="8-bit dot products"),
    KernelSet(
        "cpu_gemm_dot", "gemm", "cpu", DOT, archs=DOT_ARCHS, description="dot products by the lanes of A, on Arm"
    ),
    KernelSet("cpu_gemm_mm", "gemm", "cpu", MM, archs=("aarch64_mm",), description="products of 2x2 blocks, on Arm"),
    KernelSet("cpu_gemm_amx", "gemm", "cpu", AMX, description="AMX tiles, bf16 and int8"),
    KernelSet("cpu_gemm_amx_bf16x3", "gemm", "cpu", AMX_BF16X3, description="fp16 as three bf16 products"),
    KernelSet(
        "cpu_gemm_columns",
        "gemm",
        "cpu",
        COLUMNS,
        archs=(*X86_VECTORS, *SVE_ARCHS),
        description="one row: dot products",
    ),
    KernelSet("cpu_gemm_skinny", "gemm", "cpu", SKINNY, description="few rows: B is streamed once"),
)
NAMED_SETS = DEFAULT_SETS
