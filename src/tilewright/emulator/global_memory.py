"""How kernels reach global memory and scratch: loads, stores, atomics, and the checks around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .atomics import add_in_bulk, apply_atomic
from .memory import BASE, GUARD
from .numeric import I64, U16, U32, U64
from .races import INSIDE, LATE, GlobalShadow
from .state import GARBAGE, Waves

if TYPE_CHECKING:
    from .machine import Machine

SCRATCH_BASE = 0x5C00_0000_0000  # base in the descriptor of a wave's scratch, which only buffer instructions see


ORDERING = ("s_barrier",)

# Modifiers of loads that do not take what a cache of their own unit holds: atomic loads of compilers have them.
COHERENT = frozenset(("sc1", "glc", "scope"))


class GlobalUnit:
    """Global memory as instructions see it."""

    def __init__(self, machine: Machine, workgroups: int, shadow: GlobalShadow | None) -> None:
        self._machine, self._memory = machine, machine.memory
        raw = self._memory.bytes
        self.views: dict[int, Any] = {1: raw, 2: raw.view(U16), 4: raw.view(U32), 8: raw.view(U64)}
        self.shadow = shadow or (
            GlobalShadow(machine.kernel, raw.size, workgroups, machine.per_workgroup) if machine.sanitize else None
        )
        if self.shadow is not None and self.shadow.within is not None:
            self.shadow.within.begin(machine.first, machine.epoch)
        self._orders = any(i.opcode.startswith(ORDERING) or "_atomic_" in i.opcode for i in machine.kernel.instructions)

    def place(self, st: Waves, address: Any, size: int, where: Any, index: int, align: int = 1) -> Any:
        """Return byte offsets into the arena; faults are reported and moved into a guard zone."""
        offset = address - BASE
        inside = (offset >= 0) & (offset + size <= self._memory.bytes.size)
        safe = np.where(inside, offset, 0)
        valid = self._memory.valid
        good = inside & valid[safe] & valid[np.where(inside, offset + size - 1, 0)]
        bad = ~good if where is True else where & ~good
        if bad.any():
            self._machine.fault("out-of-bounds", index, st, bad, address, f"{size} bytes")
        if align > 1 and self._machine.sanitize:  # the hardware splits such accesses: it is slow, not wrong
            odd = ((offset & (align - 1)) != 0) & where
            if odd.any():
                self._machine.fault("misaligned", index, st, odd, address, f"needs {align}-byte alignment")
        return np.where(good, offset, GUARD // 2)

    def load(self, st: Waves, address: Any, words: int, where: Any, index: int) -> Any:
        """Return uint32 [words, ...] from byte addresses of any shape."""
        if self._machine.tally is not None:
            self._machine.tally.memory(address, 4 * words, where, False)
        offset = self.place(st, address, 4 * words, where, index, 4)
        if self.shadow is not None:
            self._note(st, offset, 4 * words, where, index, "load", address)
        lead = np.arange(words).reshape(words, *([1] * offset.ndim))
        if (offset & 3).any():
            raw = self._memory.bytes[(offset + 4 * lead)[..., None] + np.arange(4)]
            return np.ascontiguousarray(raw).view(U32)[..., 0]
        return self.views[4][(offset >> 2) + lead]

    def load_small(self, st: Waves, address: Any, size: int, where: Any, index: int) -> Any:
        """Return bytes or halves as uint32."""
        if self._machine.tally is not None:
            self._machine.tally.memory(address, size, where, False)
        offset = self.place(st, address, size, where, index, size)
        if self.shadow is not None:
            self._note(st, offset, size, where, index, "load", address)
        if (offset & (size - 1)).any():
            raw = self._memory.bytes
            return raw[offset].astype(U32) | (raw[offset + 1].astype(U32) << U32(8))
        return self.views[size][offset // size].astype(U32)

    def store(self, st: Waves, address: Any, values: Any, where: Any, index: int, size: int = 4) -> None:
        """Write one array [waves, lanes] after the other, `size` bytes each."""
        if self._machine.tally is not None:
            self._machine.tally.memory(address, size * len(values), where, True)
        offset = np.broadcast_to(self.place(st, address, size * len(values), where, index, size), (st.W, st.lanes))
        noted = None
        if self.shadow is not None:
            noted = self._note(st, offset, size * len(values), where, index, "store", address)
        mask = np.broadcast_to(where, offset.shape)
        view = self.views[size]
        at = offset[mask]
        if (at & (size - 1)).any():
            at, view, values = _bytewise(at, values, size, self._memory.bytes, mask)
            view[at] = values
            return
        for j, value in enumerate(values):
            view[at // size + j] = np.broadcast_to(value, offset.shape)[mask].astype(view.dtype)
        if noted is not None and self.shadow is not None and self.shadow.within is not None:
            self._note_clash(noted, at, mask, values, size, index)

    def atomic(
        self, st: Waves, address: Any, values: list[Any], where: Any, index: int, kind: str, size: int, returns: bool
    ) -> Any:
        """Apply an atomic operation and return the old values [waves, lanes], if `returns`."""
        if self._machine.tally is not None:
            self._machine.tally.memory(address, size, where, True)
        offset = np.broadcast_to(self.place(st, address, size, where, index, size), (st.W, st.lanes))
        mask = np.broadcast_to(where, offset.shape)
        if self.shadow is not None:
            self._note(st, offset, size, where, index, "exchange", address)
        view = self.views[size]
        if not returns and add_in_bulk(view, offset // size, values[0], kind, mask):
            return None
        return apply_atomic(view, offset // size, values, kind, mask)

    def _note(self, st: Waves, offset: Any, size: int, where: Any, index: int, what: str, address: Any) -> Any:
        """Record an access; return its (cells, waves)."""
        assert self.shadow is not None
        machine = self._machine
        shape = (st.W, *np.shape(offset)[1:])
        offset = np.broadcast_to(offset, shape)
        wave = np.broadcast_to(st.wave.reshape(-1, *([1] * (offset.ndim - 1))), shape)
        mask = np.broadcast_to(where, shape) & (offset != GUARD // 2)
        at, wave = offset[mask], wave[mask]
        cells = self.shadow.cells(at, size)
        if what == "load" and COHERENT & machine.kernel.instructions[index].modifiers.keys():
            self.shadow.learn(cells, machine.workgroup[wave] + machine.first)
        for c in getattr(self.shadow, what)(cells, machine.workgroup[wave] + machine.first, wave):
            lane = int(np.nonzero(mask)[1][c.at]) if offset.ndim > 1 else None
            kind, other = _party(c.other)
            machine.find(kind, index, int(wave[c.at]), lane, int(at[c.at]) + BASE, c.what + other)
        if what == "store" and self._orders:
            machine.touched.append((cells, wave))
        return cells, wave

    def _note_clash(self, noted: Any, at: Any, mask: Any, values: Any, size: int, index: int) -> None:
        """Report waves of a workgroup that write different values to the same place in one instruction."""
        assert self.shadow is not None
        if len(noted[0]) != len(at):  # some lanes are outside of every allocation
            return
        shared = self.shadow.shared(*noted)
        if not shared.any():
            return
        view = self.views[size]
        differs = np.zeros(at.shape, np.bool_)
        for j, value in enumerate(values):
            differs |= view[at // size + j] != np.broadcast_to(value, mask.shape)[mask].astype(view.dtype)
        bad = np.flatnonzero(shared & differs)
        if bad.size:
            i = int(bad[0])
            lane = int(np.nonzero(mask)[1][i])
            what = "two waves write the same bytes with no barrier between them"
            self._machine.find("wave-race", index, int(noted[1][i]), lane, int(at[i]) + BASE, what)


def _party(other: int) -> tuple[str, str]:
    """Return the kind of a race, and words for the other party."""
    if other == INSIDE:
        return "wave-race", " with no barrier between them"
    if other == LATE:
        return "store-in-flight", ""
    return "global-race", f" (workgroup {other})" if other >= 0 else " (several workgroups)"


def _bytewise(at: Any, values: Any, size: int, raw: Any, mask: Any) -> tuple[Any, Any, Any]:
    """Return (byte positions, the arena, bytes) of stores that are not aligned."""
    words = np.stack([np.broadcast_to(v, mask.shape)[mask].astype(f"u{size}") for v in values], -1)
    content = np.ascontiguousarray(words).view(np.uint8)
    return at[:, None] + np.arange(content.shape[1]), raw, content


class Scratch:
    """Private memory of every lane: [words, waves of the launch, lanes]."""

    def __init__(self, machine: Machine, waves: int, lanes: int) -> None:
        self._machine = machine
        self.size = machine.kernel.number("private_segment_fixed_size")
        self.words = np.full((-(-self.size // 4), waves, lanes), GARBAGE, U32)

    def _place(self, st: Waves, offset: Any, size: int, where: Any, index: int) -> Any:
        offset = np.broadcast_to(offset, (st.W, st.lanes)).astype(I64)
        if self._machine.tally is not None:
            self._machine.tally.scratch(size, where, offset.shape)
        bad = ((offset < 0) | (offset + size > self.size)) & where
        if bad.any():
            self._machine.fault(
                "out-of-bounds", index, st, bad, offset, f"{size} bytes, a lane has {self.size} bytes of scratch"
            )
        return np.where(bad | (offset < 0) | (offset + size > self.size), 0, offset) // 4

    def load(self, st: Waves, offset: Any, words: int, where: Any, index: int) -> list[Any]:
        """Return one array [waves, lanes] per word."""
        at = self._place(st, offset, 4 * words, where, index)
        wave, lane = st.wave[:, None], np.arange(st.lanes)
        return [self.words[at + j, wave, lane] for j in range(words)]

    def store(self, st: Waves, offset: Any, values: list[Any], where: Any, index: int) -> None:
        """Write one array [waves, lanes] per word."""
        at = self._place(st, offset, 4 * len(values), where, index)
        wave, lane = st.wave[:, None], np.arange(st.lanes)
        for j, value in enumerate(values):
            self.words[at + j, wave, lane] = np.where(where, value, self.words[at + j, wave, lane])
