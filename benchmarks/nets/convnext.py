"""convnext_tiny: depthwise 7x7 layers and linear layers over channels. Stochastic depth is left out, as in `mobile`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from .blocks import pooled


class LayerNorm2d(nn.LayerNorm):
    """Layer norm over the channels of [n, c, h, w]."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        last = functional.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return last.permute(0, 3, 1, 2)


class Permute(nn.Module):
    def __init__(self, *dims: int) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.permute(self.dims)


class CNBlock(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, 7, padding=3, groups=dim),
            Permute(0, 2, 3, 1),
            nn.LayerNorm(dim, eps=1e-6),
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            Permute(0, 3, 1, 2),
        )
        self.layer_scale = nn.Parameter(torch.full((dim, 1, 1), 1e-6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer_scale * self.block(x) + x


class ConvNeXt(nn.Module):
    def __init__(
        self, dims: Sequence[int] = (96, 192, 384, 768), depths: Sequence[int] = (3, 3, 9, 3), classes: int = 1000
    ) -> None:
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(3, dims[0], 4, 4), LayerNorm2d(dims[0], eps=1e-6))]
        for i, (dim, depth) in enumerate(zip(dims, depths, strict=True)):
            if i:
                before = dims[i - 1]
                parts.append(nn.Sequential(LayerNorm2d(before, eps=1e-6), nn.Conv2d(before, dim, 2, 2)))
            parts.append(nn.Sequential(*(CNBlock(dim) for _ in range(depth))))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(LayerNorm2d(dims[-1], eps=1e-6), nn.Flatten(1), nn.Linear(dims[-1], classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(pooled(self.features(x))[:, :, None, None])
