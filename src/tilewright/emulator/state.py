"""The registers of a group of waves that execute the same instruction.

`registers` is uint32 [vector and accumulation registers, waves, lanes], `scalars` uint32 [waves, 256]. Generated code
reaches them through views by register number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .isa import ACCUMULATORS, EXEC, SCALARS
from .numeric import F32, I32, U32, U64
from .tracking import Tracker

GARBAGE = 0x7FF7FFF7  # what a register holds before it is written: NaN as float32 and as two float16 or bfloat16


class Views(dict[int, Any]):
    """Views of registers by number, made when they are first used."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, register: int) -> Any:
        found = self[register] = self._make(register)
        return found


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
        self.limited = np.zeros((waves, 1), np.bool_)  # FP16_OVFL: overflowing results of 16 and 8 bits are limited
        self.tracker: Tracker | None = None

    @property
    def W(self) -> int:  # noqa: N802 (the name in generated code)
        """How many waves the group has."""
        return len(self.wave)

    def _attach(self, registers: Any, scalars: Any) -> None:
        self.registers, self.scalars = registers, scalars
        row, signed, floats = self.row, registers.view(I32), registers.view(F32)
        self.v = Views(lambda r: registers[row(r)])
        self.vi, self.vf = Views(lambda r: signed[row(r)]), Views(lambda r: floats[row(r)])
        whole, parts, pairs = scalars.view(I32), scalars.view(F32), scalars.view(U64)
        self.s, self.sb = Views(lambda r: scalars[:, r]), Views(lambda r: scalars[:, r : r + 1])
        self.si, self.sbi = Views(lambda r: whole[:, r]), Views(lambda r: whole[:, r : r + 1])
        self.sf, self.sbf = Views(lambda r: parts[:, r]), Views(lambda r: parts[:, r : r + 1])
        self.s64, self.sb64 = Views(lambda r: pairs[:, r // 2]), Views(lambda r: pairs[:, r // 2 : r // 2 + 1])

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
        found = self._like(self.registers[:, keep], self.scalars[keep], self.scc[keep], self.wave[keep], [(self, keep)])
        found.limited = self.limited[keep]
        return found

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
        found.limited = both(self.limited, other.limited, 0)
        if self.tracker is not None and other.tracker is not None:
            found.tracker = self.tracker.merge(other.tracker, order)
        return found

    def _like(self, registers: Any, scalars: Any, scc: Any, wave: Any, of: list[tuple[Waves, Any]]) -> Waves:
        found = object.__new__(Waves)
        found.vectors, found.accumulators, found.lanes = self.vectors, self.accumulators, self.lanes
        found._attach(np.ascontiguousarray(registers), np.ascontiguousarray(scalars))
        found.scc, found.wave, found.pc = scc, wave, self.pc
        found.tracker = None
        for group, keep in of:
            found.tracker = group.tracker.take(keep) if group.tracker is not None else None
        found.set_exec()
        return found
