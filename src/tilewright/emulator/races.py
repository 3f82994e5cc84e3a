"""Who touched which byte of LDS and of global memory: shadows that find races."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .assembly import Kernel

NOBODY, MANY = -1, -2
ARRIVING = "read of LDS that a load is still writing"
UNDER_WAY = "a wave writes what a read of another one, under way at the barrier before it, still reads"
INSIDE, LATE = -3, -4  # parties of races that are no other workgroup: another wave, a store that is under way


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


def _each(epoch: Any, count: int) -> Any:
    """Return the intervals of all cells of accesses: one number if it is the same for all."""
    return epoch if np.ndim(epoch) == 0 else np.repeat(epoch, count)


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
        self.atomic = np.zeros(cells, np.bool_)  # the last write was an atomic access
        self.reading = np.full(cells, NOBODY, np.int32)  # waves whose reads passed a barrier while under way
        self.any_reading = False
        self._has_arriving = self._has_others = False  # whether any cell is arriving; late or atomic

    def cells(self, offsets: Any, size: int) -> Any:
        """Return the cells of `size` bytes at byte offsets: [..., cells per access]."""
        count = max(1, size // self.granule)
        return (offsets // self.granule)[..., None] + np.arange(count)

    def load(self, cells: Any, wave: Any, epoch: Any) -> Iterator[Conflict]:
        """Record a read of cells [n, k] by waves [n] in epochs [n], or one for all; yield what is wrong."""
        flat, who, when = cells.reshape(-1), np.repeat(wave, cells.shape[1]), _each(epoch, cells.shape[1])
        racing = self.written[flat] == when
        if racing.any():
            racing &= self.writer[flat] != who
            yield from self._first("a wave reads what another one writes", racing, flat, self.writer, cells.shape[1])
        if self._has_arriving:
            racing = self.arriving[flat]
            yield from self._first(ARRIVING, racing, flat, self.writer, cells.shape[1])
        others = (self.read[flat] == when) & (self.reader[flat] != who)
        self.reader[flat] = np.where(others, MANY, who)
        self.reader[flat[self.reader[flat] != who]] = MANY  # several waves in one instruction
        self.read[flat] = when

    def store(
        self, cells: Any, wave: Any, epoch: Any, defined: Any = True, arriving: bool = False
    ) -> Iterator[Conflict]:
        """Record a write of cells; yield what is wrong."""
        flat, who, when = cells.reshape(-1), np.repeat(wave, cells.shape[1]), _each(epoch, cells.shape[1])
        racing = self.written[flat] == when
        if racing.any():
            racing &= self.writer[flat] != who
            yield from self._first("two waves write the same bytes", racing, flat, self.writer, cells.shape[1])
        racing = self.read[flat] == when
        if racing.any():
            racing &= self.reader[flat] != who
            yield from self._first("a wave writes what another one reads", racing, flat, self.reader, cells.shape[1])
        if self.any_reading:
            racing = (self.reading[flat] != NOBODY) & (self.reading[flat] != who)
            yield from self._first(UNDER_WAY, racing, flat, self.reading, cells.shape[1])
        self.writer[flat], self.written[flat] = who, when
        if self._has_others:
            self.late[flat], self.atomic[flat] = -1, False
        self.state[flat] = 1 if defined is True else np.where(np.repeat(defined, cells.shape[1]), 1, 2)
        if arriving or self._has_arriving:
            self._has_arriving = True
            self.arriving[flat] = arriving

    def exchange(self, cells: Any, wave: Any, epoch: Any) -> Iterator[Conflict]:
        """Record atomic accesses: they do not race with each other, but with plain ones."""
        flat, who, when = cells.reshape(-1), np.repeat(wave, cells.shape[1]), _each(epoch, cells.shape[1])
        here = self.written[flat] == when
        others = here & (self.writer[flat] != who)
        racing = others & ~self.atomic[flat]
        yield from self._first("an atomic access meets a plain write", racing, flat, self.writer, cells.shape[1])
        racing = (self.read[flat] == when) & (self.reader[flat] != who)
        yield from self._first("an atomic access meets a plain read", racing, flat, self.reader, cells.shape[1])
        self.writer[flat] = np.where(others, MANY, who)
        self.writer[flat[self.writer[flat] != who]] = MANY  # several waves in one instruction
        self.atomic[flat] = ~here | self.atomic[flat]  # a plain write of this interval stays one
        self.written[flat], self.late[flat] = when, -1
        self._has_others = True

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
        self._has_others = True

    def read_later(self, cells: Any, wave: Any) -> None:
        """Record that reads are under way at a barrier: it does not order them, the wait for them does."""
        flat, who = cells.reshape(-1), np.repeat(wave, cells.shape[1])
        self.reading[flat] = np.where((self.reading[flat] == NOBODY) | (self.reading[flat] == who), who, MANY)
        self.reading[flat[self.reading[flat] != who]] = MANY  # several waves in one instruction
        self.any_reading = True

    def read_over(self, cells: Any) -> None:
        """Record that reads which were under way at a barrier are over."""
        self.reading[cells.reshape(-1)] = NOBODY

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


class WaveShadow:
    """Which wave of a workgroup wrote and read every cell of global memory last, and in which barrier interval.

    A party is one number: the wave in the launch, and the interval in its lowest bits. Each workgroup has one wave more
    than it has, which stands for several. Most of what a kernel reads it never writes: reads are kept in a list until a
    store comes near them, or a barrier.
    """

    BITS = 20
    MASK = (1 << BITS) - 1
    MAX_READS = 64

    def __init__(self, cells: int, waves: int) -> None:
        self._waves = waves
        self.writer, self.reader = np.zeros(cells, np.int64), np.zeros(cells, np.int64)  # 0: nobody
        self._stored = (cells, 0)  # the range of all stores
        self._reads: list[tuple[int, int, Any, Any, Any]] = []  # first cell, behind the last, cells, waves, intervals
        self.begin(0, np.zeros(1, np.int32))

    def begin(self, first: int, epochs: Any) -> None:
        """Begin with other workgroups: the number of the first one, and the barriers that each has passed."""
        self._first, self._epochs = first, epochs
        self._reads.clear()

    def party(self, wave: Any, epochs: Any = None) -> Any:
        """Return the numbers of waves [n]; `epochs` is now if it is not given."""
        group, number = np.divmod(wave.astype(np.int64), self._waves)
        when = (self._epochs if epochs is None else epochs)[group]
        return (((group + self._first + 1) * (self._waves + 1) + number) << self.BITS) | (when & self.MASK)

    def other(self, old: Any, party: Any) -> Any:
        """Return where `old` is another wave of the same workgroup in the same interval."""
        together = (old >> self.BITS) // (self._waves + 1) == (party >> self.BITS) // (self._waves + 1)
        return (old != party) & ((old ^ party) & self.MASK == 0) & together

    def _many(self, party: Any) -> Any:
        """Return the number that stands for several waves of a workgroup."""
        wave = party >> self.BITS
        return ((wave - wave % (self._waves + 1) + self._waves) << self.BITS) | (party & self.MASK)

    def load(self, cells: Any, wave: Any, atomic: Any) -> Any:
        """Record reads of cells [n, k]; return which (flat) race with a write, or None."""
        if not cells.size:
            return None
        low, high = int(cells[:, 0].min()), int(cells[:, -1].max()) + 1
        if low >= self._stored[1] or high <= self._stored[0]:
            self._reads.append((low, high, cells, wave, self._epochs.copy()))
            if len(self._reads) > self.MAX_READS:
                self._forget()
            return None
        flat, party = cells.reshape(-1), np.repeat(self.party(wave), cells.shape[1])
        racing = self.other(self.writer[flat], party) & ~atomic[flat]
        self._read(flat, party)
        return racing

    def _forget(self) -> None:
        """Drop reads that a barrier lies behind; put the others into the shadow."""
        for _, _, cells, wave, epochs in self._reads:
            if (epochs == self._epochs).any():
                self._read(cells.reshape(-1), np.repeat(self.party(wave, epochs), cells.shape[1]))
        self._reads.clear()

    def _read(self, flat: Any, party: Any) -> None:
        old = self.reader[flat]
        self.reader[flat] = party
        several = self.other(old, party) | self.other(self.reader[flat], party)
        self.reader[flat[several]] = self._many(party[several])

    def store(self, cells: Any, wave: Any) -> tuple[Any, Any]:
        """Record writes; return which (flat) race with a write, and with a read."""
        flat, party = self._writing(cells, wave)
        both = self.other(self.writer[flat], party), self.other(self.reader[flat], party)
        self.writer[flat] = party
        return both

    def exchange(self, cells: Any, wave: Any, atomic: Any) -> Any:
        """Record atomic accesses; return which (flat) race with a plain write."""
        flat, party = self._writing(cells, wave)
        others = self.other(self.writer[flat], party)
        self.writer[flat] = np.where(others, self._many(party), party)
        return others & ~atomic[flat]

    def _writing(self, cells: Any, wave: Any) -> tuple[Any, Any]:
        flat, party = cells.reshape(-1), np.repeat(self.party(wave), cells.shape[1])
        if flat.size:
            low, high = int(cells[:, 0].min()), int(cells[:, -1].max()) + 1
            self._stored = min(low, self._stored[0]), max(high, self._stored[1])
            near = [r for r in self._reads if r[0] < high and low < r[1]]
            self._reads = [r for r in self._reads if not (r[0] < high and low < r[1])]
            for _, _, read, by, epochs in near:
                self._read(read.reshape(-1), np.repeat(self.party(by, epochs), read.shape[1]))
        return flat, party

    def passed(self, cells: Any, wave: Any) -> None:
        """Record that stores are still under way at a barrier: it is as if they came after it."""
        flat, mine = cells.reshape(-1), np.repeat(self.party(wave), cells.shape[1])
        last = self.writer[flat] == mine
        self.writer[flat[last]] = mine[last] + 1


class GlobalShadow:
    """Which workgroup wrote and read every cell of global memory.

    Nothing orders the workgroups of a launch, so a cell that one writes and another touches is a race; unless the later
    one did an atomic access that the earlier one had done before it.
    """

    def __init__(self, kernel: Kernel, bytes_: int, workgroups: int, waves: int = 1) -> None:
        self.granule = granule_of(kernel, ("global_", "buffer_", "flat_"))
        cells = bytes_ // self.granule + 1
        self.within = WaveShadow(cells, waves) if waves > 1 else None
        self._late: Any = None  # stores that were under way when an atomic access of their wave published them
        self.writer, self.reader = np.full(cells, NOBODY, np.int32), np.full(cells, NOBODY, np.int32)
        self.atomic = np.zeros(cells, np.bool_)
        self._seen: dict[int, int] = {}  # cell of an atomic access -> workgroups (bits) that others learn of there
        self._knows = [1 << w for w in range(workgroups)]

    def cells(self, offsets: Any, size: int) -> Any:
        """Return the cells of `size` bytes at byte offsets: [..., cells per access]."""
        first = offsets // self.granule
        return first[..., None] + np.arange(max(1, size // self.granule))

    def load(self, cells: Any, workgroup: Any, wave: Any) -> Iterator[Conflict]:
        """Record reads by workgroups [n]; yield what is wrong."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        if self.within is not None:
            racing = self.within.load(cells, wave, self.atomic)
            if racing is not None:
                yield from self._inside("a wave reads what another one writes", racing, flat, cells.shape[1])
        if self._late is not None:
            early = self._late[flat] & (self.writer[flat] != who)
            what = "another workgroup learns of it by an atomic access, and reads it"
            yield from self._inside(what, early, flat, cells.shape[1], LATE)
        writer = self.writer[flat]
        racing = writer != NOBODY
        if racing.any():
            racing &= (writer != who) & ~self.atomic[flat]
            yield from self._first("a workgroup reads what another one writes", racing, flat, who, cells.shape[1])
        old = self.reader[flat]
        self.reader[flat] = np.where((old == NOBODY) | (old == who), who, MANY)
        self.reader[flat[self.reader[flat] != who]] = MANY  # several workgroups in one instruction

    def store(self, cells: Any, workgroup: Any, wave: Any) -> Iterator[Conflict]:
        """Record writes; yield what is wrong."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        if self.within is not None:
            written, read = self.within.store(cells, wave)
            yield from self._inside("two waves write the same bytes", written, flat, cells.shape[1])
            yield from self._inside("a wave writes what another one reads", read, flat, cells.shape[1])
        if self._late is not None:
            self._late[flat] = False
        writer, reader = self.writer[flat], self.reader[flat]
        racing = (writer != NOBODY) & (writer != who)
        yield from self._first("two workgroups write the same bytes", racing, flat, who, cells.shape[1])
        racing = (reader != NOBODY) & (reader != who)
        yield from self._first("a workgroup writes what another one reads", racing, flat, who, cells.shape[1], True)
        self.writer[flat], self.atomic[flat] = who, False
        racing = self.writer[flat] != who  # several workgroups in one instruction
        yield from self._first("two workgroups write the same bytes", racing, flat, who, cells.shape[1])

    def exchange(self, cells: Any, workgroup: Any, wave: Any) -> Iterator[Conflict]:
        """Record atomic accesses: they order the workgroups that meet at a cell."""
        flat, who = cells.reshape(-1), np.repeat(workgroup, cells.shape[1])
        if self.within is not None:
            racing = self.within.exchange(cells, wave, self.atomic)
            yield from self._inside("an atomic access meets a plain write", racing, flat, cells.shape[1])
        racing = (self.writer[flat] != NOBODY) & (self.writer[flat] != who) & ~self.atomic[flat]
        yield from self._first(
            "an atomic access meets a plain write of another workgroup", racing, flat, who, cells.shape[1]
        )
        self.writer[flat], self.atomic[flat] = who, True
        for cell, group in sorted(set(zip(flat.tolist(), who.tolist(), strict=True))):
            known = self._seen.get(cell, 0) | self._knows[group]
            self._seen[cell] = self._knows[group] = known

    def learn(self, cells: Any, workgroup: Any) -> None:
        """Record loads that see what atomic accesses of others wrote: whoever reads their cell comes after them."""
        if self._seen:
            for cell, group in set(zip(cells.reshape(-1).tolist(), np.repeat(workgroup, cells.shape[1]), strict=True)):
                self._knows[group] |= self._seen.get(cell, 0)

    def shared(self, cells: Any, wave: Any) -> Any:
        """Return which accesses [n] of a store that was just recorded another wave did in the same instruction."""
        assert self.within is not None
        return self.within.other(self.within.writer[cells], self.within.party(wave)[:, None]).any(axis=-1)

    def published(self, cells: Any) -> None:
        """Record that stores are under way when an atomic access of their wave tells others of them."""
        if self._late is None:
            self._late = np.zeros(len(self.writer), np.bool_)
        self._late[cells.reshape(-1)] = True

    @staticmethod
    def _inside(what: str, bad: Any, flat: Any, per_access: int, party: int = INSIDE) -> Iterator[Conflict]:
        """Yield the first race with another wave of the workgroup, or with a store that is under way."""
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            yield Conflict(what, at // per_access, int(flat[at]), party)

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
