"""Who touched which byte of LDS and of global memory: shadows that find races."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .assembly import Kernel

NOBODY, MANY = -1, -2


def granule_of(kernel: Kernel, prefixes: tuple[str, ...]) -> int:
    """Return the bytes per shadow cell: 4, or less if the kernel has narrower stores of this kind."""
    size = 4
    for i in kernel.instructions:
        if i.opcode.startswith(prefixes):
            if any(part in i.opcode for part in ("_b8", "_byte")):
                return 1
            if any(part in i.opcode for part in ("_b16", "_short", "_pk_add")):
                size = min(size, 2)
    return size


@dataclass(frozen=True)
class Conflict:
    """A race: position in the access (flat over the active lanes), the cell, and the other party."""

    what: str
    at: int
    cell: int
    other: int


class LdsShadow:
    """Last writer and readers of every cell of LDS, with the barrier interval (epoch) in which they came.

    Waves of a workgroup race if one writes what another touches in the same interval.
    """

    def __init__(self, kernel: Kernel, workgroups: int, stride: int) -> None:
        self.granule = granule_of(kernel, ("ds_write", "ds_store"))
        cells = workgroups * stride // self.granule
        self.writer, self.written = np.full(cells, NOBODY, np.int32), np.full(cells, -1, np.int32)
        self.reader, self.read = np.full(cells, NOBODY, np.int32), np.full(cells, -1, np.int32)
        self.state = np.zeros(cells, np.uint8)  # 0 never written, 1 defined, 2 written with an undefined value
        self.late = np.full(cells, -1, np.int32)  # the last barrier that did not wait for the store
        self.arriving = np.zeros(cells, np.bool_)  # a load from global memory to LDS is under way

    def cells(self, offsets: Any, size: int) -> Any:
        """Return the cells of `size` bytes at byte offsets: [..., cells per access]."""
        count = max(1, size // self.granule)
        return (offsets // self.granule)[..., None] + np.arange(count)

    def load(self, cells: Any, wave: Any, epoch: Any) -> Iterator[Conflict]:
        """Record a read of cells [n, k] by waves [n] in epochs [n]; yield what is wrong."""
        flat, who, when = cells.reshape(-1), np.repeat(wave, cells.shape[1]), np.repeat(epoch, cells.shape[1])
        racing = (self.written[flat] == when) & (self.writer[flat] != who)
        yield from self._first("a wave reads what another one writes", racing, flat, self.writer, cells.shape[1])
        yield from self._first(
            "read of LDS that a load is still writing", self.arriving[flat], flat, self.writer, cells.shape[1]
        )
        others = (self.read[flat] == when) & (self.reader[flat] != who)
        self.reader[flat] = np.where(others, MANY, who)
        self.reader[flat[self.reader[flat] != who]] = MANY  # several waves in one instruction
        self.read[flat] = when

    def store(
        self, cells: Any, wave: Any, epoch: Any, defined: Any = True, arriving: bool = False
    ) -> Iterator[Conflict]:
        """Record a write of cells; yield what is wrong."""
        flat, who, when = cells.reshape(-1), np.repeat(wave, cells.shape[1]), np.repeat(epoch, cells.shape[1])
        racing = (self.written[flat] == when) & (self.writer[flat] != who)
        yield from self._first("two waves write the same bytes", racing, flat, self.writer, cells.shape[1])
        racing = (self.read[flat] == when) & (self.reader[flat] != who)
        yield from self._first("a wave writes what another one reads", racing, flat, self.reader, cells.shape[1])
        self.writer[flat], self.written[flat], self.late[flat] = who, when, -1
        self.state[flat] = 1 if defined is True else np.where(np.repeat(defined, cells.shape[1]), 1, 2)
        self.arriving[flat] = arriving

    def shared(self, cells: Any, wave: Any) -> Any:
        """Return which accesses [n] of a store that was just recorded another wave did in the same instruction."""
        return (self.writer[cells] != wave[:, None]).any(axis=-1)

    def arrived(self, cells: Any, epoch: Any) -> None:
        """Record that loads to LDS are over: from now on a barrier orders them."""
        self.arriving[cells.reshape(-1)] = False
        self.written[cells.reshape(-1)] = np.repeat(epoch, cells.shape[1])

    def passed(self, cells: Any, epoch: Any, barrier: int) -> None:
        """Record that a store is still under way at a barrier: it is as if it came after it."""
        self.written[cells.reshape(-1)] = np.repeat(epoch, cells.shape[1]) + 1
        self.late[cells.reshape(-1)] = barrier

    def never_written(self, cells: Any) -> Any:
        """Return which accesses [n] touch a cell that was never written."""
        return (self.state[cells] == 0).any(axis=-1)

    def undefined(self, cells: Any) -> Any:
        """Return which accesses [n] touch a cell that holds an undefined value."""
        return (self.state[cells] == 2).any(axis=-1)

    @staticmethod
    def _first(what: str, bad: Any, flat: Any, other: Any, per_access: int) -> Iterator[Conflict]:
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            yield Conflict(what, at // per_access, int(flat[at]), int(other[flat[at]]))


class GlobalShadow:
    """Which workgroup wrote and read every cell of global memory.

    Nothing orders the workgroups of a launch, so a cell that one writes and another touches is a race; unless the later
    one did an atomic access that the earlier one had done before it.
    """

    def __init__(self, kernel: Kernel, bytes_: int, workgroups: int) -> None:
        self.granule = granule_of(kernel, ("global_", "buffer_", "flat_"))
        cells = bytes_ // self.granule + 1
        self.writer, self.reader = np.full(cells, NOBODY, np.int32), np.full(cells, NOBODY, np.int32)
        self.atomic = np.zeros(cells, np.bool_)
        self._seen: dict[int, int] = {}  # cell of an atomic access -> workgroups (bits) that others learn of there
        self._knows = [1 << w for w in range(workgroups)]

    def cells(self, offsets: Any, size: int) -> Any:
        """Return the cells of `size` bytes at byte offsets: [..., cells per access]."""
        first = offsets // self.granule
        return first[..., None] + np.arange(max(1, size // self.granule))

    def load(self, cells: Any, workgroup: Any) -> Iterator[Conflict]:
        """Record reads by workgroups [n]; yield what is wrong."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        racing = (self.writer[flat] != NOBODY) & (self.writer[flat] != who) & ~self.atomic[flat]
        yield from self._first("a workgroup reads what another one writes", racing, flat, who, cells.shape[1])
        old = self.reader[flat]
        self.reader[flat] = np.where((old == NOBODY) | (old == who), who, MANY)
        self.reader[flat[self.reader[flat] != who]] = MANY  # several workgroups in one instruction

    def store(self, cells: Any, workgroup: Any) -> Iterator[Conflict]:
        """Record writes; yield what is wrong."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        writer, reader = self.writer[flat], self.reader[flat]
        racing = (writer != NOBODY) & (writer != who)
        yield from self._first("two workgroups write the same bytes", racing, flat, who, cells.shape[1])
        racing = (reader != NOBODY) & (reader != who)
        yield from self._first("a workgroup writes what another one reads", racing, flat, who, cells.shape[1], True)
        self.writer[flat], self.atomic[flat] = who, False
        racing = self.writer[flat] != who  # several workgroups in one instruction
        yield from self._first("two workgroups write the same bytes", racing, flat, who, cells.shape[1])

    def exchange(self, cells: Any, workgroup: Any) -> Iterator[Conflict]:
        """Record atomic accesses: they order the workgroups that meet at a cell."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        racing = (self.writer[flat] != NOBODY) & (self.writer[flat] != who) & ~self.atomic[flat]
        yield from self._first(
            "an atomic access meets a plain write of another workgroup", racing, flat, who, cells.shape[1]
        )
        self.writer[flat], self.atomic[flat] = who, True
        for cell, group in sorted(set(zip(flat.tolist(), who.tolist(), strict=True))):
            known = self._seen.get(cell, 0) | self._knows[group]
            self._seen[cell] = self._knows[group] = known

    def _first(
        self, what: str, bad: Any, flat: Any, who: Any, per_access: int, readers: bool = False
    ) -> Iterator[Conflict]:
        """Yield the first of the bad accesses that no atomic access ordered."""
        if not bad.any():
            return
        places = np.flatnonzero(bad)
        others = (self.reader if readers else self.writer)[flat[places]]
        _, first = np.unique(np.stack([who[places], others]), axis=1, return_index=True)
        for i in np.sort(first):
            at, other = places[i], int(others[i])
            if other == MANY or not self._knows[int(who[at])] >> other & 1:
                yield Conflict(what, int(at) // per_access, int(flat[at]), other)
                return
