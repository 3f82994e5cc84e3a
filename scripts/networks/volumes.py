"""Networks over volumes and sequences: video (R3D, I3D, X3D), medical (3D U-Net), speech (Conformer, WaveNet)."""

from __future__ import annotations

from functools import partial

from .trace import Trace


def r3d(split=False, frames=16, image=112):
    """ResNet-18 over clips; `split` makes each 3x3x3 a 1x3x3 and a 3x1x1 convolution."""
    t = Trace(3, (frames, image, image))
    if split:
        t.conv(45, (1, 7, 7), (1, 2, 2)).conv(64, (3, 1, 1))
    else:
        t.conv(64, (3, 7, 7), (1, 2, 2))
    for stage in range(4):
        width = 64 << stage
        for block in range(2):
            stride = 2 if stage and block == 0 else 1
            if stride == 2:
                t.branch(width, 1, 2)
            for i in range(2):
                s = stride if i == 0 else 1
                if split:
                    middle = t.channels * width * 27 // (t.channels * 9 + 3 * width)
                    t.conv(middle, (1, 3, 3), (1, s, s)).conv(width, (3, 1, 1), (s, 1, 1))
                else:
                    t.conv(width, 3, s)
    return t.convs


X3D_DEPTHS = {"s": (13, 160), "m": (16, 224), "l": (16, 312)}


def x3d(name):
    """X3D: inverted bottlenecks with 3x3x3 depthwise convolutions."""
    frames, image = X3D_DEPTHS[name]
    depths = (5, 10, 25, 15) if name == "l" else (3, 5, 11, 7)
    t = Trace(3, (frames, image, image)).conv(24, (1, 3, 3), (1, 2, 2)).depthwise((5, 1, 1))
    for depth, width in zip(depths, (24, 48, 96, 192), strict=True):
        inner = int(width * 2.25)
        for block in range(depth):
            t.conv(inner, 1).depthwise(3, (1, 2, 2) if block == 0 else 1).conv(width, 1)
    return t.convs


def i3d(frames=32, image=224):
    """The 3x3x3 branches of Inception blocks over clips."""
    t = Trace(3, (frames, image, image)).conv(64, 7, 2).pool((1, 3, 3), (1, 2, 2), (0, 1, 1)).conv(64, 1).conv(192, 3)
    t.pool((1, 3, 3), (1, 2, 2), (0, 1, 1))
    plan = [(96, 128, 256), (128, 192, 480), (96, 208, 512), (112, 224, 512), (128, 256, 512), (144, 288, 528),
            (160, 320, 832), (192, 384, 1024)]  # fmt: skip
    for i, (reduce, k, out) in enumerate(plan):
        t.conv(reduce, 1).conv(k, 3)
        t.channels = out
        if i in (1, 6):
            t.pool(3 if i == 1 else 2, 2, 1 if i == 1 else 0)
    return t.convs


def unet3d(size=128, base=32, levels=4, channels=4):
    """The 3D U-Net of medical segmentation."""
    t = Trace(channels, (size,) * 3)
    widths = [min(base << i, 320) for i in range(levels + 1)]
    for i, width in enumerate(widths):
        t.conv(width, 3, 2 if i else 1).conv(width, 3)
    for width in reversed(widths[:-1]):
        t.up().conv(width, 1)
        t.channels *= 2
        t.conv(width, 3).conv(width, 3)
    t.conv(3, 1)
    return t.convs


def conformer(width, steps=1500, taps=31):
    """The convolution module of a Conformer, after two strided convolutions over time."""
    t = Trace(80, (steps,)).conv(width, 3, 2).conv(width, 3, 2)
    for _ in range(2):
        t.conv(2 * width, 1)
        t.channels = width
        t.depthwise(taps).conv(width, 1)
    return t.convs


def wavenet(channels=64, steps=8000):
    """Dilated convolutions over time."""
    t = Trace(1, (steps,)).conv(channels, 2, pad=1)
    for i in range(10):
        t.conv(2 * channels, 2, dilation=1 << i, pad=1 << i)
        t.channels = channels
        t.conv(channels, 1)
        t.size = (steps,)
    return t.convs


NETWORKS = {
    "r3d_18": r3d,
    "r2plus1d_18": partial(r3d, True),
    "r3d_18_32f": partial(r3d, False, 32, 160),
    **{f"x3d_{name}": partial(x3d, name) for name in X3D_DEPTHS},
    "i3d": i3d,
    "unet3d": unet3d,
    "unet3d_64": partial(unet3d, 64, 32, 3, 1),
    "nnunet3d_96": partial(unet3d, 96, 32, 5, 1),
    **{f"conformer_{w}": partial(conformer, w) for w in (144, 256, 512)},
    "wavenet": wavenet,
}
