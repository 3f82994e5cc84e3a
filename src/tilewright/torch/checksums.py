"""Checksums of tensors, on the device where they are: for changes that leave no trace in torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

Tensor = torch.Tensor
PART = 1 << 22  # numbers that are added at once: the sums need some memory


@torch.no_grad()
def checksum(tensors: Iterable[Tensor]) -> int:
    """Return a number that depends on every bit of the tensors and on its position.

    >>> x = torch.arange(5.0)
    >>> before = checksum([x])
    >>> x.data[2], x.data[4] = 4.0, 2.0
    >>> checksum([x]) == before, checksum([x.sort().values]) == before
    (False, True)
    """
    sums = [part for tensor in tensors for part in _sums(tensor)]
    devices = dict.fromkeys(s.device for s in sums)
    return hash(tuple(value for device in devices for value in _read([s for s in sums if s.device == device])))


def _read(sums: list[Tensor]) -> list[int]:
    """Return the sums of one device: one transfer for all of them."""
    return torch.stack(sums).tolist()


def _sums(tensor: Tensor) -> Iterator[Tensor]:
    """Return sums of bits times odd numbers modulo 2**64: another bit, or two values in turn, changes them."""
    if tensor.device.type == "meta":
        return
    bits = tensor.detach().contiguous().flatten().view(torch.uint8)
    bits = bits.view(torch.int32) if bits.numel() % 4 == 0 else bits
    for start in range(0, bits.numel(), PART):
        part = bits[start : start + PART]
        odd = torch.arange(1, 2 * part.numel(), 2, device=part.device)
        yield (part.to(torch.int64) * odd).sum()
