"""Calls that the tests of the C launcher's memo keep, and their records."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.jit.memo import Record


class Calls:
    """A prepared launch that writes down the addresses it is run on."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, ...]] = []

    def run_pointers(self, *addresses: int) -> None:
        self.seen.append(addresses)


def address_of(tensor: Any) -> int:
    return int(tensor.ctypes.data if isinstance(tensor, np.ndarray) else tensor.data_ptr())


def named(*tensors: Any) -> dict[str, Any]:
    return {f"t{i}": tensor for i, tensor in enumerate(tensors)}


def reach(tensor: Any) -> tuple[int, int]:
    size = tensor.itemsize if isinstance(tensor, np.ndarray) else tensor.element_size()
    count = tensor.size if isinstance(tensor, np.ndarray) else tensor.numel()
    return 0, size * count


def record(call: Any, tensors: tuple[Any, ...], maker: Any = None, same: tuple[tuple[int, int], ...] = ()) -> Record:
    """The record of a call that writes its last tensor."""
    last = len(tensors) - 1
    example = tuple(t if t is not None else maker() for t in tensors)
    makers = tuple(maker if t is None else None for t in tensors)
    return Record(call, tuple(map(reach, example)), (last,), same, makers, tuple(range(len(tensors))))


def operands() -> tuple[Any, Any, Any]:
    return np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.empty((2, 4), np.float32)
