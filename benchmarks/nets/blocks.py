"""Parts that several nets share. Parameter names are those of torchvision, so that its weights load."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


class ConvNorm(nn.Sequential):
    """A convolution that keeps the size at stride 1, its norm and its activation; 0, 1 and 2 by name."""

    def __init__(
        self,
        c_in: int,
        c_out: int,
        kernel: int = 3,
        stride: int = 1,
        groups: int = 1,
        activation: Callable[[], nn.Module] | None = nn.ReLU,
    ) -> None:
        conv = nn.Conv2d(c_in, c_out, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False)
        last = [] if activation is None else [activation()]
        super().__init__(conv, nn.BatchNorm2d(c_out), *last)


class Residual(nn.Module):
    """The end of a residual block: `relu(x + shortcut)`; `downsample` brings the input to the size of the output."""

    downsample: nn.Module | None

    def shortcut(self, x: torch.Tensor) -> torch.Tensor:
        return x if self.downsample is None else self.downsample(x)


def pooled(x: torch.Tensor) -> torch.Tensor:
    """Return the mean over all pixels: [n, c]."""
    return x.flatten(2).mean(2)


def initialise(net: nn.Module) -> nn.Module:
    """Draw weights and statistics that keep the size of activations: deep random nets stay in the range of fp16.

    Batch norm gets statistics that are not 0 and 1, so that folding it wrongly shows.
    """
    for part in net.modules():
        if isinstance(part, CONVOLUTIONS):
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
        elif isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, 0.0, 0.02)
        elif isinstance(part, NORMS):
            nn.init.uniform_(part.weight, 0.5, 1.0)
            nn.init.normal_(part.bias, 0.0, 0.1)
            nn.init.normal_(part.running_mean, 0.0, 0.1)
            nn.init.uniform_(part.running_var, 0.5, 1.5)
        if isinstance(part, (*CONVOLUTIONS, nn.Linear)) and part.bias is not None:
            nn.init.normal_(part.bias, 0.0, 0.02)
    return net
