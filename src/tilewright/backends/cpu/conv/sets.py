"""The CPU convolution space: a few register tiles per pipeline, for every width of vector; rules keep what fits."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet
from ....ops.conv.layout import CHANNELS_FIRST
from ..gemm import sets as gemm_sets

DATA = {"direction": ["forward", "backward_data"]}
WEIGHT = {"direction": "backward_weight"}


def _tiles(
    pipeline: str, tiles: list[tuple[int, int]], inner: str = "fma", **fields: Any
) -> tuple[dict[str, Any], ...]:
    return tuple({"pipeline": pipeline, "inner": inner, "mr": mr, "nr": nr, **fields} for mr, nr in tiles)


# AVX-512 (32 registers of 16 lanes), AVX2 (16 of 8), NEON (32 of 4), SSE2 (16 of 4).
NARROW = [(14, 16), (16, 16)]  # numbers of pixels that divide the usual widths
DIRECT = _tiles("direct", [(7, 64), (14, 32), *NARROW, (6, 16), (4, 24), (12, 8)], strip_kb=[64, 256])
LANES = _tiles("lanes", [*NARROW, (7, 8)], strip_kb=32, merge=[2, 4, 8, 16])
DEPTHWISE = (
    *_tiles("depthwise", [(5, 16), (7, 16), (8, 16), (10, 16), (4, 8)], tall=2, stream=[False, True]),
    *_tiles("depthwise", [(8, 16), (4, 8), (8, 8)], stream=[False, True]),
)
IMPLICIT_TILES = [(6, 64), (14, 32), (28, 16), (6, 16), (12, 8)]
# One register of channels is left to direct tiles: there neighbouring taps share their reads.
FOLDED = _tiles("folded", [(6, 64), (8, 48), (14, 32)], strip_kb=256)
WIDE_ARCHS = ("x86_64_v4", "x86_64_vnni", "x86_64_amx")  # where folded tiles were measured
PORTABLE = (
    *_tiles("direct", [(4, 4), (4, 8)], "portable"),
    *_tiles("lanes", [(4, 4)], "portable", merge=[2, 4]),
    *_tiles("depthwise", [(4, 4)], "portable"),
    *_tiles("implicit", [(4, 8)], "portable"),
)
IMPLICIT = (
    *_tiles("implicit", IMPLICIT_TILES, rows=[96, 192]),
    *_tiles("implicit", [(6, 64), (14, 32)], "vnni"),
    *_tiles("implicit", [(32, 32), (16, 64), (16, 32), (32, 16), (16, 16)], "amx", rows=[192, 384]),
    *_tiles("implicit", [(32, 32), (16, 32)], "amx_bf16x3"),
)
WEIGHT_VECTOR = (
    *_tiles("direct", [(16, 16), (8, 32), (4, 64), (8, 8)]),
    *_tiles("lanes", [(4, 16), (4, 8)], merge=[2, 4, 8, 16]),
    *_tiles("depthwise", [(4, 64), (4, 32), (4, 16)]),
)
WEIGHT_IMPLICIT = (
    *_tiles("implicit", [(6, 64), (14, 32), (6, 16)], rows=[192, 384]),
    *_tiles("implicit", [(32, 32), (16, 32), (16, 16)], "amx", rows=[192, 384]),
    *_tiles("implicit", [(32, 32)], "amx_bf16x3", rows=384),
)

# NEON: tiles that fit 32 registers of four lanes. An implicit product of fp32 reads its rows in place, four of k per
# register, so it takes tiles with few rows; products of 16 and 8 bits pack them.
NEON_DATA = (
    *_tiles("direct", [(7, 12), (16, 4), (4, 16), (5, 16), (8, 8)], strip_kb=64),
    *_tiles("lanes", [(14, 4), (16, 4)], strip_kb=32, merge=[2, 4]),
    *_tiles("implicit", [(4, 16), (8, 8), (8, 12)], rows=[96, 192]),
    *_tiles("implicit", [(8, 12), (4, 16)], "dot"),
    *_tiles("implicit", [(8, 12), (8, 8)], "mm"),
    *_tiles("stencil", [(4, 4)], tall=4),
    *_tiles("depthwise", [(7, 4)], tall=2),
)
SVE_DATA = (
    *_tiles("implicit", [(4, 32), (8, 16), (4, 64), (8, 32)], rows=[96, 192]),
    *_tiles("implicit", [(8, 24), (8, 48)], "dot"),
)
NEON_WEIGHT = (
    *_tiles("direct", [(4, 16), (4, 24), (4, 8), (4, 4)]),
    *_tiles("lanes", [(4, 4)], merge=[2, 4]),
    *_tiles("implicit", [(8, 12), (4, 16)], rows=[192, 384]),
    *_tiles("implicit", [(8, 12)], "mm", rows=192),
    *_tiles("stencil", [(4, 4)]),
)

# 1x1 as a product: the kernels of the gemm backend for many rows.
GEMM = tuple(
    {**m, "pipeline": "gemm"} for m in (*gemm_sets.FMA, *gemm_sets.VNNI, *gemm_sets.AMX, *gemm_sets.AMX_BF16X3)
)
ARM_GEMM = tuple(
    {**m, "pipeline": "gemm"}
    for m in (*gemm_sets.NEON, *gemm_sets.SVE, *gemm_sets.SVE512, *gemm_sets.DOT, *gemm_sets.MM)
    if m.get("pipeline") != "skinny"
)

# Both operands packed; among fp32 tiles, 4x16 and 8x8 were faster than 8x12 and 16x4 for every plane that was measured.
PLANES = tuple(
    {**m, "pipeline": "planes"}
    for m in ARM_GEMM
    if m["pack_a"] and m["pack_b"] and (m["inner"] != "fma" or (m["mr"], m["nr"]) not in ((8, 12), (16, 4)))
)


def _set(name: str, algorithms: Any, signature: Any, text: str, archs: tuple[str, ...] = ("*",)) -> KernelSet:
    return KernelSet(f"cpu_conv_{name}", "conv", "cpu", algorithms, signature=signature, archs=archs, description=text)


DEFAULT_SETS = (
    _set("direct", DIRECT, DATA, "register tiles of pixels x channels of one group"),
    _set("lanes", LANES, DATA, "few channels per group: several groups in one register"),
    _set("depthwise", DEPTHWISE, DATA, "one channel per group, in place"),
    _set("implicit", IMPLICIT, DATA, "pixels as a matrix: vector FMA, 8-bit dot products, AMX"),
    _set("folded", FOLDED, {}, "a row of taps with its channels as one sum", WIDE_ARCHS),
    _set("gemm", GEMM, {}, "1x1 as a product of the gemm backend"),
    _set("weight", WEIGHT_VECTOR, WEIGHT, "gradient of the weights with vector code"),
    _set("weight_implicit", WEIGHT_IMPLICIT, WEIGHT, "gradient of the weights as a matrix product"),
    _set("neon", NEON_DATA, DATA, "tiles for NEON", gemm_sets.NEON_ARCHS),
    _set("sve", SVE_DATA, DATA, "implicit products by lanes, and dot products, on SVE", gemm_sets.SVE_ARCHS),
    _set("neon_weight", NEON_WEIGHT, WEIGHT, "tiles for NEON, gradient of the weights", gemm_sets.NEON_ARCHS),
    _set(
        "arm_gemm",
        ARM_GEMM,
        {},
        "1x1 as a product by lanes, dot or matrix products",
        (*gemm_sets.NEON_ARCHS, *gemm_sets.SVE_ARCHS),
    ),
    _set(
        "planes",
        PLANES,
        {"layout": list(CHANNELS_FIRST.values())},
        "1x1 of channels-first images as a product",
        (*gemm_sets.NEON_ARCHS, *gemm_sets.SVE_ARCHS),
    ),
    _set("portable", PORTABLE, {}, "plain C++, any machine", gemm_sets.PLAIN_ARCHS),
)
NAMED_SETS = DEFAULT_SETS
