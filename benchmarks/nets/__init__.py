"""The nets of the model benchmarks in plain torch, with random weights.

Convolution nets are torchvision's, with its parameter names. `NETS` holds each with its sizes: `gpu`, `cpu`, and
`quick`, which is tiny and serves tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .blocks import initialise
from .convnext import ConvNeXt
from .mobile import EfficientNet, MobileNetV2
from .resnet import ResNet, VideoResNet
from .transformers import Bert, Config, Llama, ViT, WhisperEncoder


@dataclass(frozen=True)
class Size:
    """One size of a net: the options of its class, and the shape of its input, batch first."""

    shape: tuple[int, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Net:
    """A net and its sizes."""

    name: str
    make: Callable[..., nn.Module]
    sizes: Mapping[str, Size]

    def model(self, size: str, device: str = "cpu", dtype: torch.dtype = torch.float32, seed: int = 0) -> nn.Module:
        """Return the net with random weights, in evaluation mode; images in channels-last memory."""
        torch.manual_seed(seed)
        with torch.device(device):
            net = self.make(**self.sizes[size].options)
        if device != "meta":
            initialise(net)
        return in_memory_format(net.to(device, dtype)).eval()

    def example(
        self, size: str, device: str = "cpu", dtype: torch.dtype = torch.float32, seed: int = 1
    ) -> torch.Tensor:
        """Return an input: token numbers, or numbers of a normal distribution."""
        shape = self.sizes[size].shape
        if device == "meta":
            return in_memory_format(torch.empty(shape, device=device, dtype=torch.int64 if self.is_text else dtype))
        drawn = torch.Generator().manual_seed(seed)
        if self.is_text:
            return torch.randint(0, self.sizes[size].options["c"].vocabulary, shape, generator=drawn).to(device)
        return in_memory_format(torch.randn(shape, generator=drawn).to(device, dtype))

    @property
    def is_text(self) -> bool:
        """Whether the input is token numbers."""
        return len(self.sizes["gpu"].shape) == 2

    @property
    def is_convolutional(self) -> bool:
        """Whether most of its work is convolutions."""
        return self.make not in (Llama, Bert, ViT, WhisperEncoder)


def in_memory_format(x: Any) -> Any:
    """Return a tensor, or a net, with channels last where it has channels: in four and five dimensions."""
    if isinstance(x, nn.Module):
        for p in x.parameters():
            p.data = in_memory_format(p.data)
        return x
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return x.contiguous(memory_format=formats[x.dim()]) if x.dim() in formats else x


IMAGES = {"gpu": (64, 3, 224, 224), "cpu": (1, 3, 224, 224), "quick": (2, 3, 32, 32)}


def _images(name: str, make: Callable[..., nn.Module], quick: Mapping[str, Any], **options: Any) -> Net:
    sizes = {size: Size(shape, {**options, **(quick if size == "quick" else {})}) for size, shape in IMAGES.items()}
    return Net(name, make, sizes)


TINY = {"classes": 10}
SMALL = Config(width=64, layers=1, heads=2, hidden=128, extent=64, vocabulary=100)  # of the tests
LLAMA = {
    "gpu": Size((2, 2048), {"c": Config(4096, 8, 32, 14336, 4096, 32000, 8)}),
    "cpu": Size((1, 256), {"c": Config(1024, 4, 16, 2816, 1024, 8000, 4)}),
    "quick": Size((2, 8), {"c": Config(64, 1, 2, 128, 64, 100, 1)}),
}
BERT = Config(768, 12, 12, 3072, 512, 30522)
VIT = Config(768, 12, 12, 3072, 197)

_ALL = (
    _images("resnext50_32x4d", ResNet, {**TINY, "layers": (1, 1), "groups": 4, "base": 16, "planes": 16},
            groups=32, base=4),
    _images("mobilenet_v2", MobileNetV2, {**TINY, "settings": ((1, 16, 1, 1), (6, 16, 2, 2)), "last": 32}),
    Net("convnext_tiny", ConvNeXt, {
        "gpu": Size((32, 3, 224, 224), {}), "cpu": Size((1, 3, 224, 224), {}),
        "quick": Size((2, 3, 32, 32), {**TINY, "dims": (16, 32), "depths": (1, 1)}),
    }),
    Net("llama", Llama, LLAMA),
    _images("resnet50", ResNet, {**TINY, "layers": (1, 1), "planes": 16}),
    _images("efficientnet_b0", EfficientNet, {**TINY, "settings": ((1, 16, 1, 1, 3), (6, 16, 2, 2, 5))}),
    Net("r3d_18", VideoResNet, {
        "gpu": Size((8, 3, 16, 112, 112), {}), "cpu": Size((1, 3, 8, 112, 112), {}),
        "quick": Size((1, 3, 4, 16, 16), {**TINY, "layers": (1, 1), "width": 16}),
    }),
    Net("bert", Bert, {
        "gpu": Size((16, 512), {"c": BERT}), "cpu": Size((1, 128), {"c": BERT}), "quick": Size((2, 8), {"c": SMALL}),
    }),
    Net("vit", ViT, {
        "gpu": Size((64, 3, 224, 224), {"c": VIT}), "cpu": Size((1, 3, 224, 224), {"c": VIT}),
        "quick": Size((2, 3, 32, 32), {**TINY, "c": Config(64, 1, 2, 128, 5)}),
    }),
    Net("whisper_encoder", WhisperEncoder, {
        "gpu": Size((8, 80, 3000), {"c": Config(768, 12, 12, 3072, 1500)}),
        "cpu": Size((1, 80, 1000), {"c": Config(512, 6, 8, 2048, 500)}),
        "quick": Size((1, 80, 16), {"c": Config(64, 1, 2, 128, 8)}),
    }),
)  # fmt: skip
NETS: dict[str, Net] = {net.name: net for net in _ALL}
