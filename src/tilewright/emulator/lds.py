"""LDS of every workgroup of a launch: reads, writes, atomics, and the checks around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .atomics import apply_atomic
from .numeric import I64, U8, U16, U32, U64
from .races import ARRIVING, UNDER_WAY, LdsShadow
from .state import GARBAGE, Waves

if TYPE_CHECKING:
    from .machine import Machine

EXPLAINED = (ARRIVING, UNDER_WAY)  # races that a barrier does not cure


class Lds:
    """One array for all workgroups; a workgroup's part begins at `stride` times its number."""

    def __init__(self, machine: Machine, workgroups: int, size: int) -> None:
        self._machine, self.size = machine, size
        self.stride = max(16, -(-size // 16) * 16)
        self.words = np.full(workgroups * self.stride // 4, GARBAGE, U32)
        self.views: dict[int, Any] = {
            1: self.words.view(U8),
            2: self.words.view(U16),
            4: self.words,
            8: self.words.view(U64),
        }
        self.shadow = LdsShadow(machine.kernel, workgroups, self.stride) if machine.sanitize else None

    def place(self, st: Waves, address: Any, size: int, index: int, align: int) -> Any:
        """Return byte offsets into `words` of LDS addresses; faults are reported and moved to the start."""
        address = np.broadcast_to(address, (st.W, st.lanes))
        if self._machine.tally is not None:
            self._machine.tally.lds(st, address, size)
        bad = (address < 0) | (address + size > self.size)
        if st.E is not True:
            bad = bad & st.E
        if bad.any():
            self._machine.fault(
                "lds-out-of-bounds",
                index,
                st,
                bad,
                address,
                f"{size} bytes, the workgroup has {self.size} bytes of LDS",
            )
        if align > 1:
            odd = (address & (align - 1)) != 0
            if st.E is not True:
                odd = odd & st.E
            if odd.any():
                self._machine.fault("misaligned", index, st, odd, address, f"LDS access needs {align}-byte alignment")
                bad = bad | odd
        if st.E is not True:
            bad = bad | ~st.E
        base = self._machine.workgroup[st.wave][:, None] * self.stride
        return base + (np.where(bad, 0, address) if bad.any() else address)

    def load(self, st: Waves, address: Any, words: int, index: int) -> Any:
        """Return uint32 [words, waves, lanes]."""
        at = self.place(st, address, 4 * words, index, 4)
        if self.shadow is not None:
            self._note_load(st, at, 4 * words, index)
        return self.words[(at >> 2) + np.arange(words)[:, None, None]]

    def load_small(self, st: Waves, address: Any, size: int, index: int) -> Any:
        """Return bytes or halves as uint32 [waves, lanes]."""
        at = self.place(st, address, size, index, size)
        if self.shadow is not None:
            self._note_load(st, at, size, index)
        return self.views[size][at // size].astype(U32)

    def store(self, st: Waves, address: Any, values: Any, index: int, size: int = 4, arriving: bool = False) -> None:
        """Write one array [waves, lanes] after the other, `size` bytes each."""
        at = self.place(st, address, size * len(values), index, size)
        view = self.views[size]
        cells = self._note_store(st, at, size * len(values), index, arriving) if self.shadow is not None else None
        for j, value in enumerate(values):
            value = np.broadcast_to(value, at.shape).astype(view.dtype)
            if st.E is True:
                view[at // size + j] = value
            else:
                view[(at // size + j)[st.E]] = value[st.E]
        if cells is not None:
            self._note_clash(st, at, values, size, cells, index)

    def atomic(self, st: Waves, address: Any, values: list[Any], kind: str, size: int, index: int) -> Any:
        """Apply an atomic operation lane by lane and return the old values [waves, lanes] (of `size` bytes)."""
        at = self.place(st, address, size, index, size)
        mask = np.ones(at.shape, np.bool_) if st.E is True else st.E
        if self.shadow is not None:
            self._note_atomic(st, at, size, kind, index)
        return apply_atomic(self.views[size], at // size, values, kind, mask)

    def _active(self, st: Waves, at: Any) -> tuple[Any, Any, Any]:
        """Return (byte offsets, waves, lanes) of the lanes that execute."""
        wave = np.broadcast_to(st.wave[:, None], at.shape)
        lane = np.broadcast_to(np.arange(st.lanes), at.shape)
        if st.E is True:
            return at.reshape(-1), wave.reshape(-1), lane.reshape(-1)
        return at[st.E], wave[st.E], lane[st.E]

    def _epoch(self, wave: Any) -> Any:
        """Return the barrier intervals that waves are in: one number if all workgroups are in the same."""
        every = self._machine.epoch
        return every[0] if (every == every[0]).all() else every[self._machine.workgroup[wave]]

    def _note_load(self, st: Waves, at: Any, size: int, index: int) -> None:
        assert self.shadow is not None
        offsets, wave, lane = self._active(st, at)
        cells = self.shadow.cells(offsets, size)
        epoch = self._epoch(wave)
        for c in self.shadow.load(cells, wave, epoch):
            if self.shadow.late[c.cell] >= 0:
                early, detail = (
                    int(self.shadow.late[c.cell]),
                    "no wait for LDS writes before it that another wave reads",
                )
                self._machine.find("lds-in-flight", early, max(0, c.other), None, None, detail)
            else:
                self._report("lds-race", index, c.what, wave[c.at], lane[c.at], c.cell, c.other)
        self._machine.touched.append((cells, wave))
        self._note_never_written(cells, wave, lane, index)
        self._note_undefined(st, at, cells)

    def _note_atomic(self, st: Waves, at: Any, size: int, kind: str, index: int) -> None:
        """Record a read-modify-write: all but an exchange need a value that was written before."""
        assert self.shadow is not None
        offsets, wave, lane = self._active(st, at)
        cells = self.shadow.cells(offsets, size)
        for c in self.shadow.exchange(cells, wave, self._epoch(wave)):
            self._report("lds-race", index, c.what, wave[c.at], lane[c.at], c.cell, c.other)
        self._machine.touched.append((cells, wave))
        known: Any = np.broadcast_to(self._machine.stored_defined(st, index), at.shape)
        known = known[np.broadcast_to(st.E, at.shape)]
        undefined = self._note_undefined(st, at, cells)
        if kind != "swap":
            self._note_never_written(cells, wave, lane, index)
            known = known & ~undefined
        self.shadow.state[cells] = np.where(known, 1, 2)[:, None]

    def _note_never_written(self, cells: Any, wave: Any, lane: Any, index: int) -> None:
        assert self.shadow is not None
        never = self.shadow.never_written(cells)
        if never.any():
            i = int(np.flatnonzero(never)[0])
            self._report("undefined-lds", index, "", wave[i], lane[i], int(cells[i, 0]), None)

    def _note_undefined(self, st: Waves, at: Any, cells: Any) -> Any:
        """Record that a loaded value is as undefined as the stored one was; return which lanes load such a value."""
        assert self.shadow is not None
        undefined = self.shadow.undefined(cells)
        if undefined.any():
            mask = np.zeros(at.shape, np.bool_)
            mask[np.broadcast_to(st.E, at.shape)] = undefined
            self._machine.loaded_undefined = (
                mask if self._machine.loaded_undefined is None else (self._machine.loaded_undefined | mask)
            )
        return undefined

    def _note_store(self, st: Waves, at: Any, size: int, index: int, arriving: bool) -> Any:
        assert self.shadow is not None
        offsets, wave, lane = self._active(st, at)
        cells = self.shadow.cells(offsets, size)
        epoch = self._epoch(wave)
        defined = self._machine.stored_defined(st, index)
        if defined is not True:
            defined = np.broadcast_to(defined, at.shape)[np.broadcast_to(st.E, at.shape)]
        for c in self.shadow.store(cells, wave, epoch, defined, arriving):
            self._report("lds-race", index, c.what, wave[c.at], lane[c.at], c.cell, c.other)
        if arriving:
            self._machine.arriving_cells = cells, wave
        else:
            self._machine.touched.append((cells, wave))
        return cells

    def _note_clash(self, st: Waves, at: Any, values: Any, size: int, cells: Any, index: int) -> None:
        """Report waves that write different values to the same place in one instruction."""
        assert self.shadow is not None
        offsets, wave, lane = self._active(st, at)
        shared = self.shadow.shared(cells, wave)
        if not shared.any():
            return
        view, mask = self.views[size], np.broadcast_to(st.E, at.shape)
        differs = np.zeros(offsets.shape, np.bool_)
        for j, value in enumerate(values):
            wanted = np.broadcast_to(value, at.shape).astype(view.dtype)[mask]
            differs |= view[offsets // size + j] != wanted
        bad = np.flatnonzero(shared & differs)
        if bad.size:
            i = int(bad[0])
            other = int(self.shadow.writer[cells[i]][self.shadow.writer[cells[i]] != wave[i]][0])
            self._report("lds-race", index, "two waves write the same bytes", wave[i], lane[i], int(cells[i, 0]), other)

    def _report(self, kind: str, index: int, what: str, wave: Any, lane: Any, cell: int, other: int | None) -> None:
        assert self.shadow is not None
        parties = "" if other is None else f"{what} (wave {other})" if other >= 0 else f"{what} (several waves)"
        self._machine.find(
            kind, index, int(wave), int(lane), cell * self.shadow.granule % self.stride,
            parties + (" with no barrier between them" if kind == "lds-race" and what not in EXPLAINED else ""),
        )  # fmt: skip


def lds_address(st: Waves, register: Any, offset: int) -> Any:
    """Return byte addresses of a DS instruction, modulo 2**32: a base may lie below 0. Idle lanes get 0."""
    address = (register.astype(I64) + offset) & 0xFFFFFFFF
    return address if st.E is True else np.where(st.E, address, 0)
