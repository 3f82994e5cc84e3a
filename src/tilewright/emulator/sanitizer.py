"""Checks before every instruction: waits, undefined values, barriers. Races live in `races`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .emit import Access
from .isa import ACCUMULATORS, EXEC, M0, NULL, SCALARS, SCC, VECTOR
from .state import Waves
from .tracking import Pending, Tracker

if TYPE_CHECKING:
    from .machine import Machine


def register_name(register: int) -> str:
    """Return the name of a register as assembly spells it.

    >>> register_name(5), register_name(256 + 7), register_name(256 + 512 + 1)
    ('s5', 'v7', 'a1')
    """
    if register < SCALARS:
        return {106: "vcc_lo", 107: "vcc_hi", M0: "m0", EXEC: "exec_lo", EXEC + 1: "exec_hi", SCC: "scc"}.get(
            register, f"s{register}"
        )
    number = register - VECTOR
    return f"a{number - ACCUMULATORS}" if number >= ACCUMULATORS else f"v{number}"


class Sanitizer:
    """Follows what each group of waves has written, loaded and waited for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._program = machine.program
        self._counters = machine.kernel.isa.counters
        self._newest = Pending(frozenset(), "")

    def track(self, st: Waves, scalars: set[int], vectors: int) -> None:
        """Start with nothing defined but what the launch set: these scalars and the first vector registers."""
        every = set(range(SCALARS)) - scalars - {EXEC, EXEC + 1, NULL}
        every |= {VECTOR + r for r in range(vectors, st.vectors)}
        every |= {VECTOR + ACCUMULATORS + r for r in range(st.accumulators)}
        st.tracker = Tracker(every, st.W, st.lanes)

    def wait(self, st: Waves, index: int) -> None:
        """Take what a wait instruction waits for as over."""
        assert st.tracker is not None
        shadow = self._machine.lds.shadow
        assert shadow is not None
        for counter, left in self._program.waits[index].items():
            for queues in st.tracker.queues:
                for pending in queues.wait(counter, left):
                    if pending.kind == "dma":
                        for cells, wave in pending.written:
                            here = np.isin(wave, st.wave)
                            epoch = self._machine.epoch[self._machine.workgroup[wave[here]]]
                            shadow.arrived(cells[here], epoch)
                    elif pending.kind == "lds" and shadow.any_reading:
                        for cells, wave in pending.written:
                            shadow.read_over(cells[np.isin(wave, st.wave)])

    def check(self, st: Waves, index: int) -> None:
        """Check one instruction before it is executed, and note what it does."""
        tracker = st.tracker
        assert tracker is not None
        access = self._program.accesses[index]
        for queues in tracker.queues:
            if queues.waiting:
                self._check_waits(st, index, access, queues)
        if not access.reads.isdisjoint(tracker.undefined):
            self._undefined(st, index, access, tracker)
        elif not access.writes.isdisjoint(tracker.undefined):
            self._define(st, access, tracker, True)
        if access.kind and access.kind != "dma":
            if access.publishes:
                self._publish(st)
            self._newest = pending = Pending(access.writes, access.kind, [])
            for queues in tracker.queues:
                queues.add(access.counter, pending)

    def _check_waits(self, st: Waves, index: int, access: Access, queues: Any) -> None:
        early = access.reads & queues.waiting
        if early:
            self._find("missing-wait", st, index, f"{_names(early)} read while a load to it is under way")
            queues.waiting -= early  # one report is enough
        over = access.writes & queues.waiting
        if over and not self._same_queue(access, over, queues):
            self._find("missing-wait", st, index, f"{_names(over)} written while a load to it is under way")
            queues.waiting -= over

    @staticmethod
    def _same_queue(access: Access, over: frozenset[int], queues: Any) -> bool:
        """Loads of one counter come back in order, so a later one may overwrite an earlier one."""
        if not access.counter or access.kind == "scalar":
            return False
        return not any(
            p.registers & over for counter, q in queues.entries.items() if counter != access.counter for p in q
        )

    def _undefined(self, st: Waves, index: int, access: Access, tracker: Tracker) -> None:
        bad = sorted(access.reads & tracker.undefined)
        lanes: Any = True if access.whole_wave else st.E
        for uses, what in ((access.addresses, "used as an address"), (access.stored, "stored to memory")):
            if what == "stored to memory" and not access.to_global:
                continue
            for register in bad:
                if register in uses:
                    self._report_undefined(st, index, tracker, register, lanes, what)
        if access.branches:
            for register in bad:
                self._report_undefined(st, index, tracker, register, True, "decides a branch")
        defined: Any = True
        if not access.kind:  # what a load brings is defined; its address was checked
            parts = [self._read(tracker, r, access.lane) for r in bad]
            defined = parts[0]
            for part in parts[1:]:
                defined = defined | part if access.selects else defined & part
            if access.selects and len(bad) < len(access.reads):
                defined = self._selected(tracker, access)
        self._define(st, access, tracker, defined)

    @staticmethod
    def _read(tracker: Tracker, register: int, lane: int) -> Any:
        """Return which lanes of a register that is read are defined: all of them, or the one that is read."""
        found = tracker.defined(register)
        return found if lane < 0 or register < VECTOR or found is True else found[:, lane : lane + 1]

    @staticmethod
    def _selected(tracker: Tracker, access: Access) -> Any:
        """Mark a selection as defined if any of its candidates is."""
        vectors = [r for r in access.reads if r >= VECTOR]
        candidates = vectors or list(access.reads)
        found: Any = False
        for r in candidates:
            found = found | tracker.defined(r)
        return True if np.all(found) else found

    def _define(self, st: Waves, access: Access, tracker: Tracker, defined: Any) -> None:
        for register in access.writes:
            if register >= VECTOR and access.lane >= 0:
                tracker.define(register, np.arange(st.lanes)[None, :] == access.lane, defined)
            elif register >= VECTOR:
                tracker.define(register, True if access.whole_wave else st.E, defined)
            elif defined is True:
                tracker.define(register, True)
            else:  # a scalar of lanes: taken as defined if any lane that executes is
                lanes = np.broadcast_to(defined, (st.W, defined.shape[1])) & (
                    st.E if defined.shape[1] == st.lanes else True
                )
                tracker.define(register, True, lanes.any(axis=1, keepdims=True))

    def _report_undefined(self, st: Waves, index: int, tracker: Tracker, register: int, lanes: Any, what: str) -> None:
        bad = ~np.broadcast_to(tracker.defined(register), (st.W, st.lanes)) & lanes
        if bad.any():
            wave, lane = (int(x[0]) for x in np.nonzero(bad))
            number = int(st.wave[wave])
            self._machine.find(
                "undefined-register", index, number, lane if register >= VECTOR else None, None,
                f"{register_name(register)} was never written and is {what}",
            )  # fmt: skip

    def after(self, st: Waves, index: int) -> None:
        """Note what an access to LDS, or a store, has brought or left under way."""
        tracker, machine = st.tracker, self._machine
        assert tracker is not None
        access = self._program.accesses[index]
        if access.kind == "dma":
            written, machine.arriving_cells = machine.arriving_cells, None
            for queues in tracker.queues:
                queues.add(access.counter, Pending(frozenset(), "dma", [] if written is None else [written]))
            return
        if machine.touched:
            self._newest.written.extend(machine.touched)
            machine.touched.clear()
        if machine.loaded_undefined is not None:
            for register in access.writes:
                tracker.define(register, machine.loaded_undefined, False)
            machine.loaded_undefined = None

    def stored_defined(self, st: Waves, index: int) -> Any:
        """Return which lanes store a defined value."""
        assert st.tracker is not None
        found: Any = True
        for register in self._program.accesses[index].stored & st.tracker.undefined:
            found = st.tracker.defined(register) & found
        return found

    def barrier(self, st: Waves, index: int) -> None:
        """A barrier orders accesses only if they are over; others count as accesses after it."""
        assert st.tracker is not None
        local, shared, machine = self._machine.lds.shadow, self._machine.globals.shadow, self._machine
        assert local is not None
        assert shared is not None
        for pending in (p for q in st.tracker.queues for p in q.all_under_way() if p.written and p.kind != "dma"):
            for cells, wave in pending.written:
                here = np.isin(wave, st.wave)
                group = machine.workgroup[wave[here]]
                if pending.kind == "lds-store":
                    local.passed(cells[here], machine.epoch[group], index)
                elif pending.kind == "lds":
                    local.read_later(cells[here], wave[here])
                elif shared.within is not None:
                    shared.within.passed(cells[here], wave[here])

    def _publish(self, st: Waves) -> None:
        """An atomic access tells others of stores before it. They may not be under way any more."""
        assert st.tracker is not None
        shadow = self._machine.globals.shadow
        assert shadow is not None
        for pending in (p for q in st.tracker.queues for p in q.all_under_way() if p.written and p.kind == "store"):
            for cells, wave in pending.written:
                shadow.published(cells[np.isin(wave, st.wave)])

    def halves(self, st: Waves, index: int) -> None:
        """Report factors of a product of RDNA 3 whose rows differ between the halves of the wave."""
        for register in sorted(self._program.accesses[index].paired):
            rows = st.v[register - VECTOR]
            if not np.array_equal(rows[:, :16], rows[:, 16:]):
                wave, lane = (int(x[0]) for x in np.nonzero(rows[:, :16] != rows[:, 16:]))
                what = f"{register_name(register)} of lane {lane} and of lane {lane + 16}"
                self._machine.find("wmma-halves", index, int(st.wave[wave]), lane, None, what)
                return

    def too_early(self, st: Waves, index: int) -> None:
        """Report an instruction that has too few wait states before it."""
        self._find("wait-states", st, index, self._program.early[index])

    def _find(self, kind: str, st: Waves, index: int, detail: str) -> None:
        self._machine.find(kind, index, int(st.wave[0]), None, None, detail)


def _names(registers: frozenset[int] | set[int]) -> str:
    names = [register_name(r) for r in sorted(registers)]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
