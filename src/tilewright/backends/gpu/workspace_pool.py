"""WorkspacePool: zeroed GPU memory for workspaces. Most new shapes need a small one, and the driver takes longer to
provide it than everything else of a call takes.

Each piece is taken from a block that the driver provided, and was never used before. A block goes back to the driver
when all of its pieces are given back. Large pieces are blocks of their own.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from typing import Any

from ...model.locks import new_lock

SMALLEST, LARGEST = 4 << 20, 32 << 20  # bytes of a block; each is twice as large as the one before it
SHARE = 4  # a block has room for so many of the piece that it is made for
ALIGNMENT = 512


class _Block:
    """Memory of the driver: where the next piece begins, and how many pieces are in use."""

    __slots__ = ("address", "in_use", "next", "size")

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size = address, size
        self.next, self.in_use = address, 0


class _Use(weakref.ref[object]):
    """Notices the end of a piece's user. Much cheaper to make than `weakref.finalize`."""

    __slots__ = ("block",)
    block: _Block


class WorkspacePool:
    """Zeroed memory of one GPU. Thread-safe.

    >>> class Driver:
    ...     def allocate(self, size): return 1 << 40
    ...     def free(self, address): print("free")
    >>> class User: pass
    >>> pool, a, b = WorkspacePool(Driver()), User(), User()
    >>> pool.alloc(100, a) - pool.alloc(100, b)
    -512
    >>> del a, b
    free
    """

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._lock = new_lock()
        self._uses: dict[int, _Use] = {}  # by their identity: one user may take several pieces
        self._returned: deque[_Block] = deque()  # blocks of pieces whose users are gone
        self._block: _Block | None = None  # the one that pieces are taken from
        self._size = SMALLEST

    def alloc(self, size: int, user: object) -> int:
        """Return the address of `size` zeroed bytes, which are given back when `user` goes."""
        need = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        with self._lock:
            block = self._block
            if block is None or block.next + need > block.address + block.size:
                block = self._new(need)
            address = block.next
            block.next += need
            block.in_use += 1
        use = _Use(user, self._give_back)
        use.block = block
        self._uses[id(use)] = use
        self._settle()
        return address

    def _new(self, need: int) -> _Block:
        """Return a new block; others follow from it, unless one piece takes most of it."""
        if need * SHARE > LARGEST:
            return _Block(self._driver.allocate(need), need)
        while self._size < need * SHARE:
            self._size *= 2
        self._block = _Block(self._driver.allocate(self._size), self._size)
        self._size = min(2 * self._size, LARGEST)
        return self._block

    def _give_back(self, use: _Use) -> None:
        """Take a piece back. The collector may call this at any step, also while this thread takes a piece."""
        del self._uses[id(use)]
        if not sys.is_finalizing():  # the driver may be gone, and all memory goes back with the process
            self._returned.append(use.block)
            self._settle()

    def _settle(self) -> None:
        """Free the blocks of which no piece is in use; whoever holds the lock does it afterwards."""
        while self._returned and self._lock.acquire(blocking=False):
            try:
                self._settle_one()
            finally:
                self._lock.release()

    def _settle_one(self) -> None:
        if not self._returned:  # another thread was faster
            return
        block = self._returned.popleft()
        block.in_use -= 1
        if not block.in_use:
            if self._block is block:
                self._block = None  # what was used is not zero any more
            self._driver.free(block.address)


_known: dict[Any, WorkspacePool] = {}  # a driver lives as long as the process
_lock = new_lock()


def pool_of(driver: Any) -> WorkspacePool:
    """Return the memory for workspaces on the GPU of a driver."""
    with _lock:
        found = _known.get(driver)
        if found is None:
            found = _known[driver] = WorkspacePool(driver)
    return found
