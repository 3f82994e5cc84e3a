"""depthwise: the kernels that are offered."""

from __future__ import annotations

from ...set_parts import ALL, DATA, WEIGHT, conv_set
from ..window.sets import windows_of

DEPTHWISE = ((8, 64, 2, 4), (4, 64, 1, 4), (16, 64, 4, 4), (8, 64, 4, 4), (8, 64, 2, 8), (4, 64, 2, 8), (16, 32, 2, 4),
             (32, 16, 2, 4), (64, 8, 2, 4), (8, 64, 2, 2))  # fmt: skip
DEPTHWISE_WEIGHT = ((8, 64, 4, 4), (4, 64, 4, 4), (4, 64, 2, 4), (8, 32, 4, 4), (4, 32, 2, 8), (8, 64, 8, 8),
                    (16, 16, 4, 4),                    (4, 64, 4, 2), (2, 64, 4, 2))  # fmt: skip
FILTERS = {"filter_w": [1, 3, 5, 7], "stride_w": [1, 2], "phase": [0, 1]}
SQUARE = tuple({"filter_h": n, "filter_w": n, "stride_w": [1, 2]} for n in (1, 3, 5, 7))
DEPTHWISE_WEIGHT_MAPS = tuple(
    m
    for f in SQUARE
    for m in (
        *windows_of(DEPTHWISE_WEIGHT, pipeline="depthwise", vector_bytes=[2, 8, 16], **f),
        *windows_of(DEPTHWISE_WEIGHT[:1], pipeline="depthwise", vector_bytes=16, sum="atomic", **f),
        *windows_of(DEPTHWISE_WEIGHT[3:4], pipeline="depthwise", vector_bytes=2, wide=True, **f),
    )
)
DEPTHWISE_MAPS = (
    *windows_of(DEPTHWISE, pipeline="depthwise", vector_bytes=[2, 8, 16], **FILTERS),
    *windows_of(DEPTHWISE[:1], pipeline="depthwise", vector_bytes=[2, 16], wide=True, **FILTERS),
)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    5: (
    conv_set("depthwise", "one channel per group on the vector units", ALL, DEPTHWISE_MAPS, direction=DATA),
    conv_set("depthwise_weight", "gradient of the weights, one channel per group", ALL, DEPTHWISE_WEIGHT_MAPS,
         direction=WEIGHT),
    ),
}  # fmt: skip
