"""mobilenet_v2 and efficientnet_b0: nets of inverted residuals, whose 3x3 and 5x5 layers are depthwise.

Stochastic depth and dropout are left out: two training steps must give the same gradients to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from .blocks import ConvNorm, pooled

# expansion, output channels, layers, stride
MOBILENET_V2 = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
)  # fmt: skip
# expansion, output channels, layers, stride, filter
EFFICIENTNET_B0 = (
    (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)  # fmt: skip


class InvertedResidual(nn.Module):
    def __init__(self, c_in: int, c_out: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = c_in * expansion
        first = [ConvNorm(c_in, hidden, 1, activation=nn.ReLU6)] if expansion != 1 else []
        depthwise = ConvNorm(hidden, hidden, 3, stride, hidden, nn.ReLU6)
        self.conv = nn.Sequential(*first, depthwise, nn.Conv2d(hidden, c_out, 1, bias=False), nn.BatchNorm2d(c_out))
        self.adds = stride == 1 and c_in == c_out

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, settings: Sequence[Sequence[int]] = MOBILENET_V2, last: int = 1280, classes: int = 1000) -> None:
        super().__init__()
        c_in, layers = 32, [ConvNorm(3, 32, 3, 2, activation=nn.ReLU6)]
        for expansion, c_out, count, stride in settings:
            for i in range(count):
                layers.append(InvertedResidual(c_in, c_out, 1 if i else stride, expansion))
                c_in = c_out
        self.features = nn.Sequential(*layers, ConvNorm(c_in, last, 1, activation=nn.ReLU6))
        self.classifier = nn.Sequential(nn.Identity(), nn.Linear(last, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(pooled(self.features(x)))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)
        self.activation, self.scale_activation = nn.SiLU(), nn.Sigmoid()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = self.activation(self.fc1(x.mean((2, 3), keepdim=True)))
        return self.scale_activation(self.fc2(scale)) * x


class MBConv(nn.Module):
    def __init__(self, c_in: int, c_out: int, stride: int, expansion: int, kernel: int) -> None:
        super().__init__()
        hidden = c_in * expansion
        first = [ConvNorm(c_in, hidden, 1, activation=nn.SiLU)] if expansion != 1 else []
        depthwise = ConvNorm(hidden, hidden, kernel, stride, hidden, nn.SiLU)
        squeeze = SqueezeExcitation(hidden, max(1, c_in // 4))
        self.block = nn.Sequential(*first, depthwise, squeeze, ConvNorm(hidden, c_out, 1, activation=None))
        self.adds = stride == 1 and c_in == c_out

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x) + x if self.adds else self.block(x)


class EfficientNet(nn.Module):
    def __init__(self, settings: Sequence[Sequence[int]] = EFFICIENTNET_B0, classes: int = 1000) -> None:
        super().__init__()
        c_in, stages = 32, [ConvNorm(3, 32, 3, 2, activation=nn.SiLU)]
        for expansion, c_out, count, stride, kernel in settings:
            blocks = []
            for i in range(count):
                blocks.append(MBConv(c_in, c_out, 1 if i else stride, expansion, kernel))
                c_in = c_out
            stages.append(nn.Sequential(*blocks))
        self.features = nn.Sequential(*stages, ConvNorm(c_in, 4 * c_in, 1, activation=nn.SiLU))
        self.classifier = nn.Sequential(nn.Identity(), nn.Linear(4 * c_in, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(pooled(self.features(x)))
