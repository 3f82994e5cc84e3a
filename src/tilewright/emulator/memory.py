"""Global memory of an emulated GPU: made-up addresses, guard zones, and which bytes belong to an allocation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import EmulatorMemoryError

BASE = 0x10_0000_0000  # made-up address of the first byte
GUARD = 4096  # bytes between two allocations that belong to none
ALIGNMENT = 256
LIMIT = 4 << 30
UNTOUCHED = 0xA5  # what fresh memory holds


class Memory:
    """An arena that grows with its allocations, up to `limit` bytes.

    >>> memory = Memory()
    >>> address = memory.allocate(np.arange(4, dtype=np.float32))
    >>> memory.read(address, np.float32, 4)
    array([0., 1., 2., 3.], dtype=float32)
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._top = GUARD
        self._sizes: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self.bytes: npt.NDArray[np.uint8] = np.full(1 << 16, UNTOUCHED, np.uint8)
        self.valid: npt.NDArray[np.bool_] = np.zeros(1 << 16, np.bool_)

    @property
    def used(self) -> int:
        """Bytes of the arena up to the end of the last allocation."""
        return self._top

    def allocate(self, content: Any) -> int:
        """Return the address of new memory: a copy of an array or of bytes, or `content` bytes of undefined content."""
        if isinstance(content, int):
            size, raw = content, None
        else:
            array = np.frombuffer(content, np.uint8) if isinstance(content, (bytes, bytearray)) else content
            raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            size = raw.size
        at = self._place(max(size, 1))
        if raw is not None:
            self.bytes[at : at + size] = raw
        self.valid[at : at + size] = True
        self._sizes[at] = size
        return BASE + at

    def _place(self, size: int) -> int:
        reusable = self._free.get(size)
        if reusable:
            return reusable.pop()
        at = self._top
        top = -(-(at + size + GUARD) // ALIGNMENT) * ALIGNMENT
        if top > self.limit:
            raise EmulatorMemoryError(
                f"{size:,} bytes more would take {top:,} bytes of emulated memory; the limit is {self.limit:,}",
                remedy="use a smaller problem, or Memory(limit=...)",
            )
        if top > self.bytes.size:
            grown = min(self.limit, max(top, 2 * self.bytes.size))
            extra = grown - self.bytes.size
            self.bytes = np.concatenate([self.bytes, np.full(extra, UNTOUCHED, np.uint8)])
            self.valid = np.concatenate([self.valid, np.zeros(extra, np.bool_)])
        self._top = top
        return at

    def free(self, address: int) -> None:
        """Give an allocation back. A later access to it is reported like any other outside of allocations."""
        at = address - BASE
        size = self._sizes.pop(at, None)
        if size is None:
            raise EmulatorMemoryError(
                f"{address:#x} is the start of no allocation", remedy="free what allocate returned, once"
            )
        self.valid[at : at + size] = False
        self.bytes[at : at + size] = UNTOUCHED
        self._free.setdefault(max(size, 1), []).append(at)

    def span(self, address: int, size: int) -> Any:
        """Return the bytes at an address as an array that shares the memory."""
        at = address - BASE
        if at < 0 or size < 0 or at + size > self.bytes.size or not self.valid[at : at + size].all():
            raise EmulatorMemoryError(
                f"{size:,} bytes at {address:#x} are not inside of an allocation", remedy="check the address"
            )
        return self.bytes[at : at + size]

    def read(self, address: int, dtype: Any, count: int) -> Any:
        """Return a copy of `count` elements."""
        return self.span(address, np.dtype(dtype).itemsize * count).copy().view(dtype)

    def write(self, address: int, content: Any) -> None:
        """Copy an array or bytes to an address."""
        array = np.frombuffer(content, np.uint8) if isinstance(content, (bytes, bytearray)) else content
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self.span(address, raw.size)[:] = raw
