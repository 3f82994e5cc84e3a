"""The registers of a group of waves that execute the same instruction.

`registers` is uint32 [vector registers + accumulation registers, waves, lanes], `scalars` uint32 [waves, 256]. Generated
code reaches them through lists of views, one entry per register.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .isa import ACCUMULATORS, EXEC, SCALARS
from .numeric import F32, I32, U32, U64
from .tracking import Tracker

GARBAGE = 0x7FF7FFF7  # what a register holds before it is written: NaN as float32 and as two float16 or bfloat16


class Waves:
    """Registers and program counter of waves in lockstep."""

    def __init__(self, vectors: int, accumulators: int, waves: int, lanes: int) -> None:
        self.vectors, self.accumulators, self.lanes = vectors, accumulators, lanes
        self._attach(
            np.full((vectors + accumulators, waves, lanes), GARBAGE, U32), np.full((waves, SCALARS), GARBAGE, U32)
        )
        self.scc = np.zeros(waves, np.bool_)
        self.wave = np.arange(waves)  # the number of each wave in the launch
        self.pc = 0
        self.E: Any = True  # lanes that execute: True, or bool [waves, lanes]
        self.saturate8 = False
        self.tracker: Tracker | None = None

    @property
    def W(self) -> int:
        """How many waves the group has."""
        return len(self.wave)

    def _attach(self, registers: Any, scalars: Any) -> None:
        self.registers, self.scalars = registers, scalars
        gap = [None] * (ACCUMULATORS - self.vectors)
        self.v = self._rows(registers, gap)
        self.vi, self.vf = self._rows(registers.view(I32), gap), self._rows(registers.view(F32), gap)
        signed, floats, pairs = scalars.view(I32), scalars.view(F32), scalars.view(U64)
        every = range(SCALARS)
        self.s, self.sb = [scalars[:, i] for i in every], [scalars[:, i : i + 1] for i in every]
        self.si, self.sbi = [signed[:, i] for i in every], [signed[:, i : i + 1] for i in every]
        self.sf, self.sbf = [floats[:, i] for i in every], [floats[:, i : i + 1] for i in every]
        self.s64 = [pairs[:, i // 2] for i in every]
        self.sb64 = [pairs[:, i // 2 : i // 2 + 1] for i in every]

    def _rows(self, registers: Any, gap: list[None]) -> list[Any]:
        rows = list(registers)
        return [*rows[: self.vectors], *gap, *rows[self.vectors :]]

    def row(self, register: int) -> int:
        """Return the row of a vector register."""
        return register if register < ACCUMULATORS else self.vectors + register - ACCUMULATORS

    def block(self, register: int, count: int) -> Any:
        """Return `count` consecutive vector registers as [count, waves, lanes]."""
        row = self.row(register)
        return self.registers[row : row + count]

    def set_exec(self) -> Any:
        """Read the execution mask from its scalar registers, and return it."""
        bits = self.scalars[:, EXEC : EXEC + (2 if self.lanes == 64 else 1)]
        if (bits == 0xFFFFFFFF).all():
            self.E = True
        else:
            raw = np.ascontiguousarray(bits).view(np.uint8)
            self.E = np.unpackbits(raw, axis=1, bitorder="little").view(np.bool_)
        return self.E

    def take(self, keep: Any) -> Waves:
        """Return a group of the waves that `keep` (bool per wave) selects."""
        return self._like(self.registers[:, keep], self.scalars[keep], self.scc[keep], self.wave[keep], [(self, keep)])

    def merge(self, other: Waves) -> Waves:
        """Return one group of the waves of both, ordered by number. Both are at the same instruction."""
        order = np.argsort(np.concatenate([self.wave, other.wave]), kind="stable")

        def both(a: Any, b: Any, axis: int) -> Any:
            return np.take(np.concatenate([a, b], axis), order, axis)

        found = self._like(
            both(self.registers, other.registers, 1),
            both(self.scalars, other.scalars, 0),
            both(self.scc, other.scc, 0),
            both(self.wave, other.wave, 0),
            [],
        )
        if self.tracker is not None and other.tracker is not None:
            found.tracker = self.tracker.merge(other.tracker, order)
        return found

    def _like(self, registers: Any, scalars: Any, scc: Any, wave: Any, of: list[tuple[Waves, Any]]) -> Waves:
        found = object.__new__(Waves)
        found.vectors, found.accumulators, found.lanes = self.vectors, self.accumulators, self.lanes
        found._attach(np.ascontiguousarray(registers), np.ascontiguousarray(scalars))
        found.scc, found.wave, found.pc, found.saturate8 = scc, wave, self.pc, self.saturate8
        found.tracker = None
        for group, keep in of:
            found.tracker = group.tracker.take(keep) if group.tracker is not None else None
        found.set_exec()
        return found
