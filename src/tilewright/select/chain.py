"""chain: measured, then learned, then analytical; each ranks the candidates that the previous one does not know."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from ..errors import TilewrightError
from ..jit.background import Background
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.locks import new_lock
from ..model.problem import Problem
from ..model.selector import Ranked, in_order
from ..settings import Settings
from ..store import Missed, Store
from .analytical import Analytical
from .learned import Learned
from .measured import Measured
from .model_directory import ModelDirectory
from .ranking import LazyRanking, one_after_another
from .rounded import rounded

ENOUGH = 4  # this many measured candidates are trusted over predictions
log = logging.getLogger("tilewright")


class Chain:
    """Ranks measured candidates by time, those that a model knows by its prediction, the rest by the cost model.

    A problem that was selected without a measurement goes into the ledger, with the predicted time of the choice.

    >>> Chain(Store("/nowhere/at/all.sqlite"), ModelDirectory([])).rank(None, [], None)
    []
    """

    name = "chain"
    shares_decisions = True  # by problems of nearly the same size (`Decisions`)

    def __init__(
        self, store: Store | None = None, models: ModelDirectory | None = None, settings: Settings | None = None
    ) -> None:
        self.settings = settings or Settings.from_env()
        self.measured = Measured(store, self.settings)
        self.learned = Learned(models, self.settings)
        self._analytical = Analytical(self.settings)
        self._ledger = Ledger(self.measured.store) if self.settings.ledger else None

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, best first; each says which selector ranked it."""
        if not candidates:
            return []
        true, stale, rest = self.measured.known(problem, candidates, device)
        ranked = self._merged(true, stale, rounded(problem, device), rest, device)
        if len(true) < min(ENOUGH, len(candidates)):
            self.note(problem, device, ranked[0])
        return ranked

    @property
    def changes(self) -> int:
        """How often the trained models have changed."""
        return self.learned.models.changes

    def is_measured(self, problem: Problem, device: Device) -> bool:
        """Return whether the store has times of this very problem."""
        return bool(self.measured.rows(problem, device))

    def predicted(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, smallest predicted time of this very problem first; measurements have no say."""
        return self._merged([], [], problem, candidates, device)

    def note(self, problem: Problem, device: Device, choice: Ranked) -> None:
        """Write into the ledger that `choice` was not measured."""
        if self._ledger is not None:
            self._ledger.note(problem, device, choice)

    def _merged(
        self, true: Sequence[Ranked], stale: Sequence[Ranked], asked: Problem, rest: Sequence[Candidate], device: Device
    ) -> Sequence[Ranked]:
        """Return the measured candidates and the `rest`, best first."""
        known, other = self.learned.predicted(asked, rest, device)
        enough = min(ENOUGH, len(true) + len(stale) + len(rest))
        if len(true) >= enough:
            before: Sequence[Ranked] = [*true, *stale, *known]
        elif len(true) + len(stale) >= enough:
            before = [*stale, *true, *known]
        elif true or stale:  # a few measurements say nothing about the others: compare all by their times
            before = merged_by_time([*true, *stale], known)
        else:
            before = known
        if not other:
            return before
        return one_after_another(before, len(other), lambda: self._by_cost(asked, other, device))

    def _by_cost(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Rank by the cost model; each candidate says why no model was used."""
        why: dict[str, str] = {}

        def describe(r: Ranked) -> Ranked:
            backend = r.candidate.spec.backend
            if backend not in why:
                why[backend] = self.learned.silent(problem, backend, device)
            return Ranked(r.candidate, r.seconds, f"analytical: {r.reason}; {why[backend]}")

        ranked = self._analytical.ranked(problem, candidates, device)
        return LazyRanking(lambda: describe(ranked[0]), lambda: map(describe, ranked), len(ranked))


def merged_by_time(measured: Sequence[Ranked], known: Sequence[Ranked]) -> list[Ranked]:
    """Merge both by time; the model's own order stays, because it may be better than its predicted times."""
    reached = accumulate((r.seconds or 0.0 for r in known), max)
    return in_order([*((r.seconds or 0.0, r) for r in measured), *zip(reached, known, strict=True)])


class Ledger:
    """Collects problems without a measurement and writes them to the store from time to time, and at exit.

    If the store cannot be written (another process holds it), they are kept for the next time, up to a limit.
    """

    BATCH = 256
    MAX_NOTES = 16 * BATCH

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = new_lock()
        self._notes: list[tuple[Problem, Device, Ranked]] = []
        self._reported = False

    def note(self, problem: Problem, device: Device, chosen: Ranked) -> None:
        """Remember that `chosen` was chosen by a prediction; its entry is computed when it is written."""
        if device.nominal:
            return
        with self._lock:
            self._notes.append((problem, device, chosen))
            count = len(self._notes)
            if count == 1:
                _unwritten.add(self)
        if count % self.BATCH == 0:  # writing takes longer than a selection: the call does not wait for it
            _writer().submit(lambda cancel: self.flush())

    def flush(self) -> None:
        """Write what was collected; logs one warning if the store cannot be written."""
        with self._lock:
            notes, self._notes = self._notes, []
            _unwritten.discard(self)
        missed: dict[tuple[str, str], Missed] = {}
        for problem, device, chosen in notes:
            key = (problem.tuning_key, device.digest)
            count = missed[key].count + 1 if key in missed else 1
            by = chosen.reason.split(":")[0]
            missed[key] = Missed(*key, problem.to_dict(), count, chosen.seconds or 0.0, by)
        try:
            if missed:
                self._store.miss(missed.values())
        except TilewrightError as error:
            self._keep(notes)
            if not self._reported:
                self._reported = True
                log.warning("the ledger was not written: %s", error)

    def _keep(self, notes: list[tuple[Problem, Device, Ranked]]) -> None:
        """Keep notes that were not written for the next time."""
        with self._lock:
            self._notes = [*notes, *self._notes][-self.MAX_NOTES :]
            _unwritten.add(self)


_unwritten: set[Ledger] = set()  # keeps ledgers alive until they are written


@cache
def _writer() -> Background:
    """Return the thread that writes ledgers."""
    return Background(1)


@atexit.register
def _flush_all() -> None:
    for ledger in _unwritten.copy():
        ledger.flush()
