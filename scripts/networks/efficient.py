"""MobileNet v1-v3, EfficientNet, ConvNeXt, Xception: depthwise and pointwise convolutions."""

from __future__ import annotations

from functools import partial
from math import ceil

from .trace import Trace


def _round(channels, divisor=8):
    rounded = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * channels else rounded


def mobilenet_v1(width=1.0, image=224):
    """Depthwise separable convolutions in a line."""
    t = Trace(3, (image, image)).conv(_round(32 * width), 3, 2)
    plan = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    for k, stride in plan:
        t.depthwise(3, stride).conv(_round(k * width), 1)
    return t.convs


def _inverted(t, inner, k, filter, stride):
    if inner != t.channels:
        t.conv(inner, 1)
    t.depthwise(filter, stride).conv(k, 1)


def mobilenet_v2(width=1.0, image=224):
    """Inverted residuals: (expansion, channels, repeats, stride)."""
    t = Trace(3, (image, image)).conv(_round(32 * width), 3, 2)
    plan = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, k, repeats, stride in plan:
        for i in range(repeats):
            _inverted(t, t.channels * expansion, _round(k * width), 3, stride if i == 0 else 1)
    return t.conv(1280, 1).convs


V3_LARGE = [(3, 16, 16, 1), (3, 64, 24, 2), (3, 72, 24, 1), (5, 72, 40, 2), (5, 120, 40, 1), (5, 120, 40, 1),
            (3, 240, 80, 2), (3, 200, 80, 1), (3, 184, 80, 1), (3, 184, 80, 1), (3, 480, 112, 1), (3, 672, 112, 1),
            (5, 672, 160, 2), (5, 960, 160, 1), (5, 960, 160, 1)]  # fmt: skip
V3_SMALL = [(3, 16, 16, 2), (3, 72, 24, 2), (3, 88, 24, 1), (5, 96, 40, 2), (5, 240, 40, 1), (5, 240, 40, 1),
            (5, 120, 48, 1), (5, 144, 48, 1), (5, 288, 96, 2), (5, 576, 96, 1), (5, 576, 96, 1)]  # fmt: skip


def mobilenet_v3(plan, image=224):
    """Rows of (filter, expanded channels, channels, stride)."""
    t = Trace(3, (image, image)).conv(16, 3, 2)
    for filter, inner, k, stride in plan:
        _inverted(t, inner, k, filter, stride)
    return t.conv(t.channels * 6, 1).convs


# width, depth, resolution
EFFICIENTNETS = {"b0": (1.0, 1.0, 224), "b1": (1.0, 1.1, 240), "b2": (1.1, 1.2, 260), "b3": (1.2, 1.4, 300),
                 "b4": (1.4, 1.8, 380), "b5": (1.6, 2.2, 456), "b7": (2.0, 3.1, 600)}  # fmt: skip


def efficientnet(name):
    """Rows of (expansion, filter, stride, channels, repeats), scaled."""
    width, depth, image = EFFICIENTNETS[name]
    t = Trace(3, (image, image)).conv(_round(32 * width), 3, 2)
    plan = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
            (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]  # fmt: skip
    for expansion, filter, stride, k, repeats in plan:
        for i in range(ceil(repeats * depth)):
            _inverted(t, t.channels * expansion, _round(k * width), filter, stride if i == 0 else 1)
    return t.conv(_round(1280 * width), 1).convs


CONVNEXTS = {"tiny": ((3, 3, 9, 3), 96), "small": ((3, 3, 27, 3), 96), "base": ((3, 3, 27, 3), 128),
             "large": ((3, 3, 27, 3), 192), "xlarge": ((3, 3, 27, 3), 256)}  # fmt: skip


def convnext(name, image=224):
    """A patch stem, then 7x7 depthwise convolutions between pointwise ones."""
    depths, width = CONVNEXTS[name]
    t = Trace(3, (image, image)).conv(width, 4, 4, pad=0)
    for stage, depth in enumerate(depths):
        if stage:
            t.conv(width << stage, 2, 2, pad=0)
        for _ in range(depth):
            t.depthwise(7).conv(4 * t.channels, 1).conv(t.channels // 4, 1)
            t.channels = width << stage
    return t.convs


def xception(image=299):
    """Depthwise separable convolutions with wide layers."""
    t = Trace(3, (image, image)).conv(32, 3, 2, pad=0).conv(64, 3, pad=0)
    for k in (128, 256, 728):
        t.branch(k, 1, 2).depthwise(3).conv(k, 1).depthwise(3).conv(k, 1).pool(3, 2, 1)
    t.depthwise(3).conv(728, 1)
    return t.branch(1024, 1, 2).depthwise(3).conv(1024, 1).pool(3, 2, 1).depthwise(3).conv(1536, 1).convs


NETWORKS = {
    **{f"mobilenet_v1_{w}": partial(mobilenet_v1, w) for w in (0.25, 0.5, 1.0)},
    **{f"mobilenet_v2_{w}": partial(mobilenet_v2, w) for w in (0.5, 1.0, 1.4)},
    "mobilenet_v3_large": partial(mobilenet_v3, V3_LARGE),
    "mobilenet_v3_small": partial(mobilenet_v3, V3_SMALL),
    **{f"efficientnet_{name}": partial(efficientnet, name) for name in EFFICIENTNETS},
    **{f"convnext_{name}": partial(convnext, name) for name in CONVNEXTS},
    "convnext_tiny_384": partial(convnext, "tiny", 384),
    "xception": xception,
}
