"""Conv: one layer. Trace: follows the shape of the activations and notes every convolution on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Conv:
    """One convolution of a network, without a batch size."""

    g: int
    c: int
    k: int
    input: tuple[int, ...]
    filter: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]
    first: bool = False  # reads the image: nobody needs the gradient of its input


class Trace:
    """The activations of a network on their way: `channels` of size `size`."""

    def __init__(self, channels: int, size: Sequence[int]) -> None:
        self.channels, self.size = channels, tuple(size)
        self.convs: list[Conv] = []

    def conv(self, k, filter, stride=1, groups=1, dilation=1, pad=None):
        """A convolution with "same" padding unless it is given; returns self."""
        dims = len(self.size)
        f, s, d = (_each(v, dims) for v in (filter, stride, dilation))
        p = tuple((a - 1) * b // 2 for a, b in zip(f, d, strict=True)) if pad is None else _each(pad, dims)
        self.convs.append(Conv(groups, self.channels, k, self.size, f, s, d, p, first=not self.convs))
        self.channels = k
        self.size = tuple(
            (n + 2 * q - ((a - 1) * b + 1)) // t + 1 for n, q, a, b, t in zip(self.size, p, f, d, s, strict=True)
        )
        return self

    def depthwise(self, filter, stride=1, dilation=1):
        """One filter per channel."""
        return self.conv(self.channels, filter, stride, self.channels, dilation)

    def pool(self, window=2, stride=None, pad=0):
        """Pooling changes the size only."""
        dims = len(self.size)
        w, s, p = _each(window, dims), _each(stride or window, dims), _each(pad, dims)
        self.size = tuple((n + 2 * c - a) // b + 1 for n, a, b, c in zip(self.size, w, s, p, strict=True))
        return self

    def up(self, factor=2):
        """Upsampling changes the size only."""
        self.size = tuple(n * factor for n in self.size)
        return self

    def branch(self, k, filter, stride=1):
        """A shortcut: noted, but the trace stays where it is."""
        channels, size = self.channels, self.size
        self.conv(k, filter, stride)
        self.channels, self.size = channels, size
        return self


def _each(value, dims):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * dims
