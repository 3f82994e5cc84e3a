"""resnet50 and resnext50_32x4d, and r3d_18, their relative for video."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from .blocks import Residual, pooled


class Bottleneck(Residual):
    """1x1, 3x3 (grouped in ResNeXt), 1x1, each with batch norm."""

    expansion = 4

    def __init__(self, c_in: int, planes: int, stride: int, groups: int, base: int) -> None:
        super().__init__()
        width, c_out = planes * base // 64 * groups, planes * self.expansion
        self.conv1, self.bn1 = nn.Conv2d(c_in, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, c_out, 1, bias=False), nn.BatchNorm2d(c_out)
        self.relu = nn.ReLU()
        self.downsample = None
        if stride != 1 or c_in != c_out:
            self.downsample = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return self.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(
        self,
        layers: Sequence[int] = (3, 4, 6, 3),
        groups: int = 1,
        base: int = 64,
        planes: int = 64,
        classes: int = 1000,
    ) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, planes, 7, 2, 3, bias=False), nn.BatchNorm2d(planes)
        self.relu, self.maxpool = nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        c_in = planes
        for i, count in enumerate(layers):
            width, blocks = planes << i, []
            for j in range(count):
                blocks.append(Bottleneck(c_in, width, 2 if i and not j else 1, groups, base))
                c_in = width * Bottleneck.expansion
            self.add_module(f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(c_in, classes)
        self.stages = [f"layer{i + 1}" for i in range(len(layers))]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for name in self.stages:
            x = getattr(self, name)(x)
        return self.fc(pooled(x))


class BasicBlock3d(Residual):
    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Sequential(nn.Conv3d(c_in, c_out, 3, stride, 1, bias=False), nn.BatchNorm3d(c_out), nn.ReLU())
        self.conv2 = nn.Sequential(nn.Conv3d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm3d(c_out))
        self.relu = nn.ReLU()
        self.downsample = None
        if stride != 1 or c_in != c_out:
            self.downsample = nn.Sequential(nn.Conv3d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm3d(c_out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.conv2(self.conv1(x)) + self.shortcut(x))


class VideoResNet(nn.Module):
    def __init__(self, layers: Sequence[int] = (2, 2, 2, 2), width: int = 64, classes: int = 400) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv3d(3, width, (3, 7, 7), (1, 2, 2), (1, 3, 3), bias=False), nn.BatchNorm3d(width), nn.ReLU()
        )
        c_in = width
        for i, count in enumerate(layers):
            c_out, blocks = width << i, []
            for j in range(count):
                blocks.append(BasicBlock3d(c_in, c_out, 2 if i and not j else 1))
                c_in = c_out
            self.add_module(f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(c_in, classes)
        self.stages = [f"layer{i + 1}" for i in range(len(layers))]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for name in self.stages:
            x = getattr(self, name)(x)
        return self.fc(pooled(x))
