"""Train a small ResNeXt for 20 steps, by torch and by tilewright's kernels: the losses are the same.

The argument `cuda` trains on a GPU, in bfloat16.

Needs: torch

Prints:
    0  Conv2d  taken
    ...
    loss ... -> ... in 20 steps on cpu, as with torch
"""

import sys

import torch
from torch import nn

import tilewright.torch as tt


class Block(nn.Module):
    """A residual block with a grouped convolution between two pointwise ones."""

    def __init__(self, channels: int, groups: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(channels, channels, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, groups=groups, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 1, bias=False), nn.BatchNorm2d(channels),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.branch(x))


def small_resnext() -> nn.Module:
    torch.manual_seed(0)
    body = [Block(32, 8) for _ in range(2)]
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), *body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)
    )


def train(device: str, steps: int = 20, patched: bool = False) -> list[float]:
    model = small_resnext().to(device, memory_format=torch.channels_last)
    chance = torch.Generator().manual_seed(1)
    images = torch.randn(8, 3, 8, 8, generator=chance).to(device, memory_format=torch.channels_last)
    labels = torch.randint(0, 10, (8,), generator=chance).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    if patched:
        print(tt.patch(model, only=["conv", "linear"]).report)
    losses = []
    for _ in range(steps):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    theirs, ours = train(device), train(device, patched=True)
    tolerance = 1e-3 if device == "cpu" else 5e-2
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=tolerance, atol=tolerance)
    print(f"loss {ours[0]:.3f} -> {ours[-1]:.3f} in {len(ours)} steps on {device}, as with torch")


if __name__ == "__main__":
    main()
