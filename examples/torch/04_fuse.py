"""Fuse a model for inference: batch norm, residual and activation go into the kernels of the convolutions.

Needs: torch

Prints:
    Conv2d + BatchNorm2d + relu
    Conv2d + BatchNorm2d + add + relu
    difference from the model's own forward below 1e-4: True
"""

import torch
from torch import nn

import tilewright.torch as tt


class Block(nn.Module):
    """A residual block."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(y)))


torch.manual_seed(0)
net, x = Block().eval(), torch.randn(1, 8, 6, 6)
with torch.no_grad(), tt.patch(net, fuse=True, only=()) as patched:
    net(x)
    for entry in patched.report.taken:
        if entry.path.endswith("(fusion)"):
            print(entry.kind)
    print("difference from the model's own forward below 1e-4:", float(patched.check(x)) < 1e-4)
