"""TensorView: what a launch needs to know about a tensor of any library. PackedTensor: shuffled weights.

What a strided tensor reaches in memory is defined in `jit/native/tilewright_extent.h`; the functions here are its twin
for machines without a compiler, and the fuzzer compares both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..errors import TensorError
from .dtype import get_dtype
from .locks import cached_property

MAX_BYTES = 2**63 - 1  # kernels compute addresses in signed 64-bit integers
MAX_ELEMENT_BYTES = 8  # of an element of any dtype
VECTOR = 16  # bytes that GPU kernels read at once; `kVector` in C is the same number
EXACT_ELEMENTS = 1 << 16  # up to this size, elements that share an address are counted exactly
PACKED_FORMAT_NAME = r"[a-z0-9_.]{1,64}"


@dataclass(frozen=True)
class TensorView:
    """Address, dtype, shape and strides (in elements) of a tensor that the caller owns.

    >>> TensorView(4096, "fp32", (2, 3), (3, 1), "cpu", False).extent
    (0, 24)
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str
    readonly: bool
    owner: Any = field(default=None, repr=False, compare=False)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """(first, one past last) byte that the view reaches, relative to its address."""
        return extent_of(self.shape, self.strides, get_dtype(self.dtype).bits)

    @property
    def misplaced(self) -> str | None:
        """Why the view cannot be at its address: no memory, or beyond 64 bits; None if it can.

        >>> TensorView(0, "fp32", (2,), (1,), "cpu", False).misplaced
        'has 2 elements and no memory (its address is 0)'
        """
        (low, high), address = self.extent, self.address
        if low == high:
            return None
        if not address:
            return f"has {prod(self.shape)} elements and no memory (its address is 0)"
        if address < 0 or address + low < 0 or address + high > MAX_BYTES:
            return f"reaches from {low} to {high} bytes around address {address:#x}, which 64 bits do not address"
        return None

    @property
    def alignment(self) -> int:
        """The largest power of two, up to 64, that divides the address."""
        return min(64, self.address & -self.address) if self.address else 64

    def overlaps(self, other: TensorView) -> bool:
        """Return whether the byte ranges of two views overlap (conservative: interleaved views count)."""
        return self.device == other.device and extents_overlap(self.address, self.extent, other.address, other.extent)

    @property
    def is_dense(self) -> bool:
        """Whether the elements fill their memory without gaps, the first one lowest."""
        return self.extent == (0, -(-prod(self.shape) * get_dtype(self.dtype).bits // 8))

    @property
    def overlaps_itself(self) -> bool:
        """Return whether several elements share one address (conservative if an exact check takes too long).

        >>> TensorView(0, "fp32", (4, 4), (1, 1), "cpu", False).overlaps_itself
        True
        """
        return overlap_within(self.shape, self.strides)

    def same_memory(self, other: TensorView) -> bool:
        """Return whether two views are the same elements in the same order."""
        mine = (self.address, self.dtype, self.shape, self.strides, self.device)
        return mine == (other.address, other.dtype, other.shape, other.strides, other.device)


Tensors = Mapping[str, Any]  # tensors of any library, by role
Views = Mapping[str, TensorView]  # by role
Addresses = Mapping[str, int]  # by role


@dataclass(frozen=True)
class PackedTensor:
    """Weights rearranged for one kernel format.

    The format is part of a kernel's signature, so a kernel that expects another one is refused by rule. `storage`
    holds the bytes; `shape` and `dtype` describe the matrix that was packed. `letter` is the one that problems with
    this format have in their layout.
    """

    format: str
    dtype: str
    shape: tuple[int, ...]
    storage: Any = field(repr=False, compare=False)
    letter: str = "r"

    def __post_init__(self) -> None:
        if type(self.format) is not str or not re.fullmatch(PACKED_FORMAT_NAME, self.format):
            raise TensorError(f"format of a packed tensor is {self.format!r:.80}", remedy="pack it with pack_weights")
        get_dtype(self.dtype)
        sizes = self.shape if isinstance(self.shape, tuple) else ()
        if len(sizes) != 2 or not all(type(n) is int and 0 <= n <= MAX_BYTES for n in sizes):
            raise TensorError(f"a packed tensor has shape {self.shape!r:.80}; it must be (k, n)")
        if self.letter not in ("r", "c"):
            raise TensorError(f"a packed tensor has letter {self.letter!r:.80}; it must be r or c")


def extent_of(shape: Sequence[int], strides: Sequence[int], bits: int) -> tuple[int, int]:
    """Return the (first, one past last) byte that a tensor with elements of `bits` bits reaches from its address.

    >>> extent_of((2, 3), (-10, 1), 32), extent_of((3,), (1,), 4), extent_of((0, 3), (3, 1), 32)
    ((-40, 12), (0, 2), (0, 0))
    """
    if 0 in shape:
        return (0, 0)
    reach = [s * (n - 1) for s, n in zip(strides, shape, strict=True)]
    low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return (low * bits // 8, -(-(high + 1) * bits // 8))


def extents_overlap(x: int, a: tuple[int, int], y: int, b: tuple[int, int]) -> bool:
    """Return whether the bytes `a` around address `x` overlap the bytes `b` around address `y`.

    >>> extents_overlap(100, (0, 8), 108, (0, 8)), extents_overlap(100, (0, 8), 108, (-1, 8))
    (False, True)
    """
    return a[0] != a[1] and b[0] != b[1] and x + a[0] < y + b[1] and y + b[0] < x + a[1]


def overlap_within(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether two elements of a strided tensor share an address.

    Strides are enough for views of dense tensors. Others are counted, or refused if they are large.

    >>> overlap_within((2, 3), (3, 1)), overlap_within((2, 3), (2, 1)), overlap_within((2, 2), (3, 2))
    (False, True, False)
    """
    if 0 in shape:
        return False
    steps = sorted((abs(step), n) for step, n in zip(strides, shape, strict=True) if n > 1)
    reach = 0
    for step, n in steps:
        if step <= reach:
            return _counted_overlap(steps)
        reach += step * (n - 1)
    return False


def _counted_overlap(steps: Sequence[tuple[int, int]]) -> bool:
    if prod(n for _, n in steps) > EXACT_ELEMENTS:
        return True
    addresses = {0}
    for step, n in steps:
        reached = {at + step * i for at in addresses for i in range(n)}
        if len(reached) < len(addresses) * n:
            return True
        addresses = reached
    return False


def reach_of(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the distance between the first and last element of a tensor in memory, in elements.

    >>> reach_of((2, 3), (-10, 1))
    12
    """
    return sum(abs(step) * (n - 1) for step, n in zip(strides, shape, strict=True) if n > 1)


def overflows(reaches: Mapping[str, int], dtype: Callable[[str], str]) -> list[str]:
    """Return a sentence for each tensor whose addresses do not fit 64 bits; `reaches` has `reach_of` by role.

    >>> overflows({"a": 2**40, "b": 2**62}, lambda role: "fp16")
    ['b spans 4611686018427387905 elements: its addresses overflow 64 bits']
    """
    return [
        f"{role} spans {reach + 1} elements: its addresses overflow 64 bits"
        for role, reach in reaches.items()
        if (reach + 1) * get_dtype(dtype(role)).bytes > MAX_BYTES
    ]
