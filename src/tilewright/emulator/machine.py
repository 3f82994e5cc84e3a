"""One batch of workgroups in execution: units, scheduler, findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import EmulatorError, KernelFaultError, StepLimitError
from .counts import Tally
from .global_memory import GlobalUnit, Scratch
from .isa import EXEC, SCC, VCC, VECTOR
from .lds import Lds
from .memory import Memory
from .program import Block, Program
from .races import GlobalShadow
from .report import KINDS, Findings
from .sanitizer import Sanitizer, register_name
from .state import Waves

Trace = Callable[[str], None]
PATIENCE = 2048  # blocks that one group may execute while others wait


@dataclass(frozen=True)
class Batch:
    """Workgroups that execute together: `count` of `total`, from number `first`; waves and bytes of LDS of each."""

    first: int
    count: int
    total: int
    waves: int
    lds_bytes: int


class Machine:
    """Executes groups of waves in lockstep: the group at the lowest instruction first, so that groups meet again."""

    def __init__(
        self, program: Program, memory: Memory, findings: Findings, batch: Batch, step_limit: int = 0,
        shadow: GlobalShadow | None = None, tally: Tally | None = None,
    ) -> None:  # fmt: skip
        self.tally = tally
        self.program, self.kernel, self.memory = program, program.kernel, memory
        self.sanitize = program.sanitize
        self.per_workgroup, self.first = batch.waves, batch.first
        self.workgroup = np.repeat(np.arange(batch.count), batch.waves)  # of each wave
        self.epoch, self.finished = np.zeros(batch.count, np.int32), np.zeros(batch.count, np.int64)
        self.findings = findings
        self.instructions = self.wave_instructions = 0
        self.step_limit = step_limit
        self.constants_at = 0
        self.trace: Trace | None = None
        self.loaded_undefined: Any = None
        self.arriving_cells: Any = None
        self.touched: list[Any] = []  # (cells, waves) of the access to LDS, or of the store, that is executed
        self.lds = Lds(self, batch.count, batch.lds_bytes)
        self.globals = GlobalUnit(self, batch.total, shadow)
        self.scratch = Scratch(self, batch.count * batch.waves, self.kernel.wave_size)
        self.sanitizer = Sanitizer(self)

    # ---- findings

    def find(self, kind: str, index: int, wave: int, lane: int | None, address: int | None, detail: str) -> None:
        """Record a finding about one wave."""
        self.findings.add(
            kind, index, wave=wave % self.per_workgroup, workgroup=int(self.workgroup[wave]) + self.first, lane=lane,
            address=address, detail=detail,
        )  # fmt: skip

    def fault(self, kind: str, index: int, st: Waves, bad: Any, address: Any, detail: str) -> None:
        """Record what would be a fault on a GPU; without the sanitizer it ends the run."""
        bad = np.broadcast_to(bad, np.broadcast_shapes(np.shape(bad), (st.W, *([1] * (np.ndim(bad) - 1)))))
        place = tuple(int(x[0]) for x in np.nonzero(bad))
        wave, lane = int(st.wave[place[0]]), place[1] if len(place) > 1 else None
        where = int(np.broadcast_to(address, bad.shape)[place])
        if self.sanitize:
            self.find(kind, index, wave, lane, where, detail)
            return
        i = self.kernel.instructions[index]
        who = f"workgroup {int(self.workgroup[wave]) + self.first}, wave {wave % self.per_workgroup}, lane {lane}"
        raise KernelFaultError(
            f"{KINDS[kind]} ({detail}): kernel {self.kernel.name}, line {i.line}: {i.text}; {who}, address {where:#x}",
            kernel=self.kernel.name, line=i.line, remedy="run with sanitize=True to see every fault",
        )  # fmt: skip

    def stored_defined(self, st: Waves, index: int) -> Any:
        """Return which lanes store a defined value."""
        return self.sanitizer.stored_defined(st, index)

    def traced(self, st: Waves, index: int) -> None:
        """Tell what an instruction did: who executed it, and what its registers hold in the first wave and lane."""
        assert self.trace is not None
        first, i = int(st.wave[0]), self.kernel.instructions[index]
        who = f"workgroup {int(self.workgroup[first]) + self.first} wave {first % self.per_workgroup}"
        more = f" and {st.W - 1} more" if st.W > 1 else ""
        lane = 0 if st.E is True else int(st.E[0].argmax())
        values = [
            f"{register_name(r)}={int(st.v[r - VECTOR][0, lane] if r >= VECTOR else st.scalars[0, r]):#x}"
            for r in sorted(self.program.accesses[index].writes)[:4]
            if r != SCC
        ]
        self.trace(f"{who}{more}: {i.line}: {i.text}" + (f"  ; {' '.join(values)}" if values else ""))

    # ---- scheduling

    def run(self, start: Waves) -> None:
        """Execute until every wave has ended."""
        ready, parked = [start], list[Waves]()
        while ready or parked:
            if not ready:
                ready, parked = self._release(parked)
                continue
            ready.sort(key=lambda g: g.pc)
            group = ready.pop(0)
            while ready and ready[0].pc == group.pc:
                group = group.merge(ready.pop(0))
            self._advance(group, ready, parked)

    def _advance(self, st: Waves, ready: list[Waves], parked: list[Waves]) -> None:
        """Execute one group until it ends, splits, waits, meets another group, or has had its turn."""
        limit = ready[0].pc if ready else None
        patience = PATIENCE
        while True:
            block = self.program.block(st.pc)
            self._run(block, st)
            self._count(block, st)
            if not self._next(st, block, ready, parked):
                return
            patience -= 1
            if limit is not None and (st.pc >= limit or patience < 0):
                if patience < 0:  # a loop that may wait for another group: let that one go first
                    self._let_others(st, ready, parked)
                else:
                    ready.append(st)
                return

    def _run(self, block: Block, st: Waves) -> None:
        try:
            block.run(st, self)
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, MemoryError) as error:
            first, last = (self.kernel.instructions[i].line for i in (st.pc, block.end - 1))
            raise EmulatorError(
                f"internal error (please report it) in kernel {self.kernel.name}, lines {first} to {last}: {error}",
                kernel=self.kernel.name, line=first, remedy="attach the assembly text to the report",
            ) from error  # fmt: skip

    def _let_others(self, st: Waves, ready: list[Waves], parked: list[Waves]) -> None:
        others = list(ready)
        ready.clear()
        for group in others:
            rest: list[Waves] = []
            self._advance(group, rest, parked)
            ready.extend(rest)
        ready.append(st)

    def _count(self, block: Block, st: Waves) -> None:
        self.instructions += block.count
        self.wave_instructions += block.count * st.W
        if self.tally is not None:
            self.tally.block(st.pc, st.W)
        if self.step_limit and self.instructions > self.step_limit:
            i = self.kernel.instructions[block.end - 1]
            raise StepLimitError(
                f"kernel {self.kernel.name} executed {self.instructions:,} instructions without an end; it is at line"
                f" {i.line}: {i.text}",
                kernel=self.kernel.name, line=i.line, remedy="check its loops, or raise step_limit",
            )  # fmt: skip

    def _next(self, st: Waves, block: Block, ready: list[Waves], parked: list[Waves]) -> bool:
        """Move the program counter; return whether the group goes on."""
        last = block.last
        st.pc = block.end
        if last is None:
            return True
        if last.opcode == "s_endpgm":
            np.add.at(self.finished, self.workgroup[st.wave], 1)
            return False
        if last.opcode in ("s_barrier", "s_barrier_wait"):
            return self._at_barrier(st, last.index, ready, parked)
        if last.opcode == "s_branch":
            st.pc = self.kernel.labels[last.operands[0]]
            return True
        if last.opcode.startswith("s_cbranch_"):
            return self._branch(st, last.opcode[10:], self.kernel.labels[last.operands[0]], ready)
        raise KernelFaultError(
            f"kernel {self.kernel.name}, line {last.line}: {last.text!r} ends the run",
            kernel=self.kernel.name, line=last.line, remedy="a trap is a failed assertion; calls are not emulated",
        )  # fmt: skip

    def _branch(self, st: Waves, condition: str, target: int, ready: list[Waves]) -> bool:
        taken = self._taken(st, condition)
        if taken.all():
            st.pc = target
        elif taken.any():
            away, on = st.take(taken), st.take(~taken)
            away.pc = target
            ready += [away, on]
            return False
        return True

    @staticmethod
    def _taken(st: Waves, condition: str) -> Any:
        if condition.startswith("scc"):
            return st.scc.copy() if condition == "scc1" else ~st.scc
        register = VCC if condition.startswith("vcc") else EXEC
        bits = st.s64[register] if st.lanes == 64 else st.s[register]
        return (bits == 0) == condition.endswith("ccz") if register == VCC else (bits == 0) == (condition == "execz")

    def _at_barrier(self, st: Waves, index: int, ready: list[Waves], parked: list[Waves]) -> bool:
        if self.sanitize and self.kernel.instructions[index].opcode == "s_barrier":
            self.sanitizer.barrier(st, index)
        alive = self.per_workgroup * len(self.epoch) - int(self.finished.sum())
        if not ready and not parked and alive == len(st.wave):
            self.epoch += 1
            return True
        parked.append(st)
        return False

    def _release(self, parked: list[Waves]) -> tuple[list[Waves], list[Waves]]:
        """Let the workgroups go on of which every wave that did not end is at a barrier."""
        waiting = np.zeros(len(self.epoch), np.int64)
        for st in parked:
            np.add.at(waiting, self.workgroup[st.wave], 1)
        full = (waiting > 0) & (waiting + self.finished == self.per_workgroup)
        if not full.any():
            i = self.kernel.instructions[parked[0].pc - 1]
            raise KernelFaultError(
                f"deadlock in kernel {self.kernel.name}: waves wait at line {i.line} for others that never come",
                kernel=self.kernel.name, line=i.line, remedy="let every wave of a workgroup reach the barrier",
            )  # fmt: skip
        if self.sanitize:
            self._check_places(parked, full)
        ready, rest = [], []
        for st in parked:
            go = full[self.workgroup[st.wave]]
            if go.any():
                ready.append(st if go.all() else st.take(go))
            if not go.all():
                rest.append(st if not go.any() else st.take(~go))
        self.epoch[full] += 1
        return ready, rest

    def _check_places(self, parked: list[Waves], full: Any) -> None:
        """Report waves of one workgroup that meet at different barriers."""
        place = np.full(len(full), -1)
        for st in parked:
            groups = self.workgroup[st.wave]
            other = (place[groups] >= 0) & (place[groups] != st.pc) & full[groups]
            if other.any():
                at = int(np.flatnonzero(other)[0])
                line = self.kernel.instructions[int(place[groups[at]]) - 1].line
                detail = f"another wave of the workgroup waits at line {line}"
                self.find("divergent-barrier", st.pc - 1, int(st.wave[at]), None, None, detail)
            place[groups] = st.pc
