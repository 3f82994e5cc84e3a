"""strip: the kernels that are offered."""

from __future__ import annotations

from typing import Any

from ....gemm.set_parts import NVIDIA
from ...set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set


def _strips(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (lines, channels, warps, span, turns ahead) each."""
    names = ("tile_m", "tile_n", "warps", "span", "stages")
    return tuple({"pipeline": "strip", **dict(zip(names, t, strict=True)), "tile_k": t[1], **fields} for t in tiles)


# Lines times channels: 16 x 16 per warp (16 x 8 if products take several columns), or some channels per thread of
# the vector units.
STRIP = ((16, 64, 4, 2, 2), (16, 64, 4, 4, 2))
STRIP_ROWS = ((16, 64, 4, 4, 2), (32, 32, 4, 4, 1))
STRIP_STRIDED = ((32, 64, 8, 2, 1), (16, 64, 4, 4, 2), (16, 64, 4, 4, 1), (16, 64, 4, 2, 1), (16, 32, 2, 4, 1))
STRIP_PHASE = ((16, 64, 4, 8, 1), (16, 128, 8, 4, 1), (16, 64, 4, 4, 1))
STRIP_WEIGHT = ((16, 64, 4, 4, 2), (16, 64, 4, 8, 2), (16, 32, 2, 4, 2))
STRIP_WEIGHT_STRIDED = ((16, 64, 4, 2, 4), (16, 64, 4, 2, 3), (16, 64, 4, 4, 2), (16, 32, 2, 4, 2))
STRIP_PAIRS = ((16, 64, 8, 4, 2), (16, 32, 4, 8, 1))
# Of the gradients of depthwise weights, by the filter's size; then those of 5x5 filters that move by 2.
STRIP_PLANES = {3: ((16, 64, 8, 4, 2), (16, 32, 4, 8, 2), (16, 16, 4, 8, 3), (16, 8, 2, 8, 3)),
                5: ((16, 64, 8, 4, 2), (16, 32, 4, 4, 2), (16, 16, 2, 4, 2)),
                7: ((16, 32, 4, 8, 1), (16, 32, 4, 4, 1), (16, 16, 2, 8, 1))}  # fmt: skip
STRIP_PLANES_STRIDED = ((16, 32, 4, 2, 4), (16, 32, 4, 2, 2), (16, 16, 4, 4, 2), (16, 8, 2, 4, 2))
# Of depthwise layers themselves and of their inputs' gradients, where they move by 1.
STRIP_CHANNELS = {3: ((4, 8, 1, 16, 1), (4, 16, 2, 16, 2)),
                  5: ((4, 32, 4, 16, 3), (16, 32, 4, 4, 3), (8, 32, 4, 8, 3)),
                  7: ((16, 16, 4, 8, 3), (8, 16, 4, 16, 3), (4, 16, 4, 32, 4))}  # fmt: skip
THREE = {"filter_h": 3, "filter_w": 3, "stride_w": [1, 2], "phase": [0, 1]}
FIVE, SEVEN = ({**THREE, "filter_h": n, "filter_w": n} for n in (5, 7))
ONE = {"channels": 1, "vector_bytes": [8, 16]}
FEW = {"channels": [2, 4, 8, 16], "filter_h": 3, "filter_w": 3}
COLUMNS = {"channels": 1, "pair": 8}
STRIP_MAPS = (
    *_strips(STRIP, **FEW),
    *_strips(STRIP_ROWS, rows=2, **FEW),
    *_strips(STRIP_STRIDED, stride_w=2, **FEW),
    *_strips(STRIP_PHASE, stride_w=2, phase=1, **FEW),
    *_strips(((16, 64, 4, 2, 2),), rows=2, stride_w=2, phase=1, **FEW),
)
STRIP_WEIGHT_MAPS = (
    *_strips(STRIP_WEIGHT, **FEW),
    *_strips(STRIP_WEIGHT_STRIDED, stride_w=2, **FEW),
)
STRIP_ONE_MAPS = (
    *(m for n, t in STRIP_CHANNELS.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(((16, 16, 2, 8, 1), (32, 8, 2, 4, 1)), **COLUMNS, **{**THREE, "stride_w": 2}),
    *_strips(((4, 64, 2, 2, 3), (4, 64, 2, 4, 2), (8, 32, 2, 4, 2)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (16, 64, 8, 4, 2)), **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((16, 32, 4, 4, 1), (16, 32, 4, 4, 2)), rows=2, **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((4, 64, 4, 4, 2), (8, 32, 4, 4, 2), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((4, 32, 2, 4, 1), (4, 32, 2, 7, 1)), channels=1, filter_h=5, filter_w=5, stride_w=2),
    *_strips(((16, 32, 4, 8, 1),), **COLUMNS, **{**SEVEN, "stride_w": 2}),
    *_strips(((8, 32, 4, 8, 1),), **ONE, **SEVEN),
)
STRIP_ONE_WEIGHT_MAPS = (
    *(m for n, t in STRIP_PLANES.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(STRIP_PLANES_STRIDED, channels=1, pair=16, filter_h=5, filter_w=5, stride_w=2),
    *_strips(STRIP_PAIRS, channels=1, pair=2, **THREE),
    *_strips(((8, 32, 2, 4, 1), (4, 64, 2, 4, 1), (16, 64, 4, 4, 1)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (8, 32, 2, 4, 1), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((8, 32, 4, 4, 1), (4, 32, 2, 4, 1)), **ONE, **SEVEN),
)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    4: (
    conv_set("strip", "few channels per group, each pixel read once", NVIDIA, STRIP_MAPS, direction=DATA, **SIXTEEN),
    conv_set("strip_weight", "gradient of the weights, few channels per group, each pixel read once", NVIDIA,
         STRIP_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    conv_set("strip_one", "one channel per group, each pixel read once", NVIDIA, STRIP_ONE_MAPS, direction=DATA,
         **SIXTEEN),
    conv_set("strip_one_weight", "gradient of the weights, one channel per group, each pixel read once", NVIDIA,
         STRIP_ONE_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    ),
}  # fmt: skip
