"""ResNet, Wide ResNet, ResNeXt (bottlenecks), dilated ResNet with ASPP heads, and U-Net in two dimensions."""

from __future__ import annotations

from functools import partial

from .trace import Trace

DEPTHS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def resnet(depth, groups=1, width=64, image=224, dilate=False):
    """ResNet of a depth; `groups` and `width` per group make it a ResNeXt or a Wide ResNet."""
    t = Trace(3, (image, image)).conv(64, 7, 2).pool(3, 2, 1)
    bottleneck = depth >= 50
    dilation = 1
    for stage, blocks in enumerate(DEPTHS[depth]):
        base, stride = 64 << stage, 1 if stage == 0 else 2
        if dilate and stage >= 2:
            dilation, stride = dilation * 2, 1
        out = base * 4 if bottleneck else base
        for block in range(blocks):
            s = stride if block == 0 else 1
            if block == 0 and (s != 1 or t.channels != out):
                t.branch(out, 1, s)
            if bottleneck:
                inner = base * width // 64 * groups
                t.conv(inner, 1).conv(inner, 3, s, groups, dilation).conv(out, 1)
            else:
                t.conv(base, 3, s).conv(base, 3)
    if dilate:
        for rate in (12, 24, 36):
            Trace.conv(t, 256, 3, dilation=rate)
            t.channels = out
        t.conv(256, 1).conv(256, 3).conv(21, 1)
    return t.convs


def unet(image=256, base=64, levels=4, channels=3):
    """The U-Net of segmentation, with padded convolutions."""
    t = Trace(channels, (image, image))
    widths = [base << i for i in range(levels + 1)]
    for i, width in enumerate(widths):
        t.conv(width, 3).conv(width, 3)
        if i < levels:
            t.pool()
    for width in reversed(widths[:-1]):
        t.up().conv(width, 1)
        t.channels *= 2  # the skip connection
        t.conv(width, 3).conv(width, 3)
    t.conv(2, 1)
    return t.convs


NETWORKS = {
    **{f"resnet{d}": partial(resnet, d) for d in DEPTHS},
    "wide_resnet50_2": partial(resnet, 50, 1, 128),
    "wide_resnet101_2": partial(resnet, 101, 1, 128),
    "resnext50_32x4d": partial(resnet, 50, 32, 4),
    "resnext101_32x8d": partial(resnet, 101, 32, 8),
    "resnext101_64x4d": partial(resnet, 101, 64, 4),
    "resnet50_detection": partial(resnet, 50, image=800),
    "resnext50_detection": partial(resnet, 50, 32, 4, image=512),
    "deeplab_resnet50": partial(resnet, 50, image=512, dilate=True),
    "unet": unet,
    "unet_medical": partial(unet, 512, 32, 5, 1),
    "unet_diffusion": partial(unet, 64, 128, 3, 4),
}
