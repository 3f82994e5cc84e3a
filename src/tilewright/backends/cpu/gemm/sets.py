"""The CPU GEMM space: a few register tiles, each with the blocks and packings that win somewhere."""

from __future__ import annotations

from ....model.kernel_set import KernelSet

PACKINGS = [{"pack_a": a, "pack_b": b} for a in (True, False) for b in (True, False)]

# Register tiles for AVX-512 (32 registers), AVX2 and SSE2 (16): rules keep those that fit the arch.
FMA_TILES = [(6, 64), (14, 32), (8, 48), (12, 32), (16, 16), (6, 16), (4, 24), (12, 8), (4, 8)]
FMA = tuple(
    {"inner": "fma", "mr": mr, "nr": nr, "kc": [256, 512, 1024], "mc": [96, 384], "nc": 4096, **packing}
    for mr, nr in FMA_TILES
    for packing in PACKINGS
)
PORTABLE = ({"inner": "portable", "mr": [4, 6], "nr": [4, 8], "kc": [256, 512], "mc": [96, 384], "nc": 4096},)
VNNI = ({"inner": "vnni", "mr": [6, 12], "nr": [16, 32, 64], "kc": [512, 1024], "mc": [96, 384], "nc": 4096},)
AMX = ({"inner": "amx", "mr": [16, 32], "nr": [16, 32], "kc": [512, 1024, 2048], "mc": [96, 384], "nc": 4096},)
AMX_BF16X3 = ({"inner": "amx_bf16x3", "mr": 32, "nr": 32, "kc": [512, 1024], "mc": [96, 384], "nc": 4096},)
SKINNY = (
    {"pipeline": "skinny", "inner": ["portable", "fma", "vnni", "amx"], "mr": [1, 4, 8, 16], "nr": [16, 64], "kc": 512},
)

DEFAULT_SETS = (
    KernelSet("cpu_gemm_fma", "gemm", "cpu", FMA, description="vector FMA, any float dtype"),
    KernelSet("cpu_gemm_portable", "gemm", "cpu", PORTABLE, description="plain C++, any machine", priority=-1),
    KernelSet("cpu_gemm_vnni", "gemm", "cpu", VNNI, description="8-bit dot products"),
    KernelSet("cpu_gemm_amx", "gemm", "cpu", AMX, description="AMX tiles, bf16 and int8"),
    KernelSet("cpu_gemm_amx_bf16x3", "gemm", "cpu", AMX_BF16X3, description="fp16 as three bf16 products"),
)
NAMED_SETS = DEFAULT_SETS
