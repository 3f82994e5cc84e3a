"""RegNet X and Y, ShuffleNet: networks whose 3x3 convolutions have few channels per group."""

from __future__ import annotations

from functools import partial

from .trace import Trace

# depths, widths, channels per group, squeeze-and-excite
REGNETS = {
    "x_200mf": ((1, 1, 4, 7), (24, 56, 152, 368), 8, False),
    "x_400mf": ((1, 2, 7, 12), (32, 64, 160, 384), 16, False),
    "x_800mf": ((1, 3, 7, 5), (64, 128, 288, 672), 16, False),
    "x_1_6gf": ((2, 4, 10, 2), (72, 168, 408, 912), 24, False),
    "x_3_2gf": ((2, 6, 15, 2), (96, 192, 432, 1008), 48, False),
    "x_8gf": ((2, 5, 15, 1), (80, 240, 720, 1920), 120, False),
    "x_16gf": ((2, 6, 13, 1), (256, 512, 896, 2048), 128, False),
    "y_400mf": ((1, 3, 6, 6), (48, 104, 208, 440), 8, True),
    "y_800mf": ((1, 3, 8, 2), (64, 144, 320, 784), 16, True),
    "y_1_6gf": ((2, 6, 17, 2), (48, 120, 336, 888), 24, True),
    "y_3_2gf": ((2, 5, 13, 1), (72, 216, 576, 1512), 24, True),
    "y_16gf": ((2, 4, 11, 1), (224, 448, 1232, 3024), 112, True),
}


def regnet(name, image=224):
    """A RegNet: bottlenecks without expansion whose 3x3 convolutions are grouped."""
    depths, widths, group_width, _ = REGNETS[name]
    t = Trace(3, (image, image)).conv(32, 3, 2)
    for depth, width in zip(depths, widths, strict=True):
        per_group = min(group_width, width)
        for block in range(depth):
            s = 2 if block == 0 else 1
            if block == 0:
                t.branch(width, 1, 2)
            t.conv(width, 1).conv(width, 3, s, width // per_group).conv(width, 1)
    return t.convs


SHUFFLENETS = {1: (144, 24), 2: (200, 24), 3: (240, 24), 4: (272, 24), 8: (384, 24)}


def shufflenet(groups, image=224):
    """ShuffleNet v1: grouped 1x1 convolutions around depthwise ones."""
    width, stem = SHUFFLENETS[groups]
    t = Trace(3, (image, image)).conv(stem, 3, 2).pool(3, 2, 1)
    for stage, blocks in enumerate((4, 8, 4)):
        out = width << stage
        inner = out // 4 // groups * groups
        for block in range(blocks):
            first = stage == 0 and block == 0
            t.conv(inner, 1, groups=1 if first else groups)
            t.depthwise(3, 2 if block == 0 else 1)
            t.conv(out, 1, groups=groups)
    return t.convs


NETWORKS = {
    **{f"regnet_{name}": partial(regnet, name) for name in REGNETS},
    "regnet_y_400mf_384": partial(regnet, "y_400mf", 384),
    **{f"shufflenet_g{g}": partial(shufflenet, g) for g in SHUFFLENETS},
}
