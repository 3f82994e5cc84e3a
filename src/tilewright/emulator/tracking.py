"""What the sanitizer knows about a group of waves: registers that are defined, and accesses that are under way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .isa import VECTOR

MAX_VARIANTS = 4
MAX_UNDER_WAY = 64


@dataclass(frozen=True)
class Pending:
    """One memory access under way: the registers it will write, its kind, and the LDS or stored memory it touches.

    `written` is a list of (cells [waves, n], waves). Accesses of several groups of waves are alike if they differ in
    nothing else.
    """

    registers: frozenset[int]
    kind: str
    written: Any = field(default=(), compare=False)

    def joined(self, other: Pending) -> Pending:
        """Return this access, with what a like one of other waves touches."""
        seen = {id(cells) for cells, _ in self.written}
        more = [w for w in other.written if id(w[0]) not in seen]  # the groups may have parted after the access
        return replace(self, written=[*self.written, *more]) if more else self


@dataclass
class Queues:
    """Accesses under way by counter, oldest first."""

    entries: dict[str, list[Pending]] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)

    def copy(self) -> Queues:
        """Return queues that can change on their own."""
        return Queues({k: list(v) for k, v in self.entries.items()}, set(self.waiting))

    def join(self, other: Queues) -> None:
        """Take over what like accesses of other waves write."""
        for counter, queue in other.entries.items():
            own = self.entries[counter]
            own[:] = [mine.joined(theirs) for mine, theirs in zip(own, queue, strict=True)]

    def add(self, counter: str, pending: Pending) -> None:
        """Append an access."""
        queue = self.entries.setdefault(counter, [])
        queue.append(pending)
        if len(queue) > MAX_UNDER_WAY and not queue[0].registers:
            queue.pop(0)  # the hardware does not start more: the oldest store is over
        self.waiting |= pending.registers

    def wait(self, counter: str, left: int) -> list[Pending]:
        """Return the accesses that are surely over when at most `left` of a counter are under way.

        Scalar loads return in any order: while one is under way, only `left` = 0 says that it is over.
        """
        queue = self.entries.get(counter)
        if not queue or len(queue) <= left:
            return []
        over, kept = len(queue) - left, []
        if left:
            over -= sum(p.kind == "scalar" for p in queue)
        done: list[Pending] = []
        for pending in queue:
            if left and (pending.kind == "scalar" or len(done) >= over):
                kept.append(pending)
            else:
                done.append(pending)
        self.entries[counter] = kept
        self.waiting = {r for q in self.entries.values() for p in q for r in p.registers}
        return done

    def all_under_way(self) -> list[Pending]:
        """Return the accesses that are under way."""
        return [p for q in self.entries.values() for p in q]


class Tracker:
    """Definedness per register and lane, and the queues: several variants of them after waves met again."""

    def __init__(self, registers: Iterable[int], waves: int, lanes: int) -> None:
        self.undefined = set(registers)
        self.partial: dict[int, Any] = {}
        self.waves, self.lanes = waves, lanes
        self.queues = [Queues()]

    def shape(self, register: int) -> tuple[int, ...]:
        """Return the shape of the definedness of a register."""
        return (self.waves, self.lanes if register >= VECTOR else 1)

    def defined(self, register: int) -> Any:
        """Return which lanes of a register are defined: True, or bool [waves, lanes or 1]."""
        if register not in self.undefined:
            return True
        found = self.partial.get(register)
        return np.zeros(self.shape(register), np.bool_) if found is None else found

    def define(self, register: int, where: Any, value: Any = True) -> None:
        """Set the definedness of the lanes `where` (True for all) to `value`."""
        if where is True and value is True:
            self.undefined.discard(register)
            self.partial.pop(register, None)
            return
        shape = self.shape(register)
        old = np.broadcast_to(self.defined(register), shape)
        new = np.where(where, np.broadcast_to(value, shape), old)
        if new.all():
            self.define(register, True)
        else:
            self.undefined.add(register)
            self.partial[register] = new

    def take(self, keep: Any) -> Tracker:
        """Return what is known about the waves that `keep` selects."""
        found = Tracker((), int(keep.sum()), self.lanes)
        found.undefined = set(self.undefined)
        found.queues = [q.copy() for q in self.queues]
        for register, lanes in self.partial.items():
            found.partial[register] = lanes[keep]
            if found.partial[register].all():
                found.define(register, True)
        return found

    def merge(self, other: Tracker, order: Any) -> Tracker:
        """Return what is known about the waves of both, in the given order."""
        found = Tracker((), self.waves + other.waves, self.lanes)
        for register in self.undefined | other.undefined:
            halves = [np.broadcast_to(t.defined(register), t.shape(register)) for t in (self, other)]
            found.undefined.add(register)
            joined = np.concatenate(halves)[order]
            if joined.any():
                found.partial[register] = joined
        found.queues = [q.copy() for q in self.queues]
        for queues in other.queues:
            like = next((q for q in found.queues if q == queues), None)
            if like is None:
                found.queues.append(queues.copy())
            else:
                like.join(queues)
        if len(found.queues) > MAX_VARIANTS:  # keep those with the most under way
            found.queues.sort(key=lambda q: -sum(map(len, q.entries.values())))
            del found.queues[MAX_VARIANTS:]
        return found
