"""window: the kernels that are offered."""

from __future__ import annotations

from typing import Any

from ....gemm.set_parts import NVIDIA
from ...set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set


def windows_of(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (lines, channels, warps, span) each."""
    return tuple({"tile_m": m, "tile_n": c, "tile_k": c, "warps": w, "span": s, "stages": 1, **fields}
                 for m, c, w, s in tiles)  # fmt: skip


WINDOW = (
    (64, 16, 2, 4),
    (64, 16, 4, 4),
    (32, 16, 1, 4),
    (64, 16, 4, 2),
    (64, 32, 4, 4),
    (32, 32, 2, 4),
    (64, 32, 4, 2),
)
WINDOW_WIDE = ((64, 64, 4, 2), (64, 64, 8, 2), (64, 64, 4, 1))
WINDOW_WEIGHT = ((64, 16, 1, 2), (32, 16, 1, 4), (64, 16, 2, 4), (64, 32, 4, 2), (32, 32, 2, 2), (32, 32, 4, 4))
SPECIAL = {"filter_w": [1, 3], "stride_w": [1, 2], "phase": [0, 1]}

WINDOW_MAPS = (
    *windows_of(WINDOW, pipeline="window", channels=[0, 4, 8, 16], **SPECIAL),
    *windows_of(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 8], **SPECIAL),
    *windows_of(WINDOW_WIDE, pipeline="window", vector_bytes=[8, 16], channels=[0, 8, 16], **SPECIAL),
    *windows_of(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 16], wide=True, **SPECIAL),
)
WINDOW_WEIGHT_MAPS = (
    *windows_of(WINDOW_WEIGHT, pipeline="window", channels=[0, 4, 8, 16], filter_w=3, filter_h=3, stride_w=[1, 2],
              sum=["workspace", "atomic"]),
    *windows_of(((64, 16, 1, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=2, filter_w=[1, 3],
              filter_h=[1, 3], stride_w=[1, 2], wide=[False, True]),
    *windows_of(((64, 16, 1, 4), (64, 32, 2, 2), (64, 64, 4, 2)), pipeline="window", vector_bytes=[8, 16], filter_w=1,
              filter_h=1, stride_w=[1, 2]),
)  # fmt: skip

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    3: (
    conv_set("window", "few channels per group on the matrix units", NVIDIA, WINDOW_MAPS, direction=DATA, **SIXTEEN),
    conv_set("window_weight", "gradient of the weights, few channels per group", NVIDIA, WINDOW_WEIGHT_MAPS,
         direction=WEIGHT, **SIXTEEN),
    ),
}  # fmt: skip
