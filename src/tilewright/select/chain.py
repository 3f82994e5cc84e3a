"""chain: measured, then learned, then analytical; each ranks the candidates that the previous one does not know."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

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
from .ranking import Joined, Told
from .rounded import rounded
from .shelf import Shelf

ENOUGH = 4  # this many measured candidates are trusted over predictions
MOST_RANKINGS = 1024  # that are kept
log = logging.getLogger("tilewright")


class Chain:
    """Ranks measured candidates by time, those that a model knows by its prediction, the rest by the cost model.

    A problem that was selected without a measurement goes into the ledger, with the predicted time of the choice.

    >>> Chain(Store("/nowhere/at/all.sqlite"), Shelf([])).rank(None, [], None)
    []
    """

    name = "chain"

    def __init__(
        self, store: Store | None = None, shelf: Shelf | None = None, settings: Settings | None = None
    ) -> None:
        self.settings = settings or Settings.from_env()
        self.measured = Measured(store, self.settings)
        self.learned = Learned(shelf, self.settings)
        self._analytical = Analytical(self.settings)
        self._ledger = Ledger(self.measured.store) if self.settings.ledger else None
        self._kept: dict[tuple[int, int, int], tuple[Any, Sequence[Ranked]]] = {}
        self._changes = 0  # of the shelf, when these were ranked

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, best first; each says which selector ranked it."""
        if not candidates:
            return []
        true, stale, rest = self.measured.known(problem, candidates, device)
        asked = rounded(problem, device)
        if rest is candidates and asked is not problem:
            ranked = self._predicted(asked, candidates, device)
        else:
            ranked = self._beside(true, stale, asked, rest, device)
        if self._ledger is not None and len(true) < min(ENOUGH, len(candidates)):
            self._ledger.note(problem, device, ranked[0])
        return ranked

    def _predicted(self, asked: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return a ranking without measurements; kept for problems that are ranked as one."""
        shelf = self.learned.shelf
        if self._changes != shelf.changes:
            self._kept, self._changes = {}, shelf.changes
        key = (id(asked), id(candidates), id(device))
        kept = self._kept.get(key)
        if kept is not None:
            return kept[1]
        ranked = self._beside([], [], asked, candidates, device)
        if len(self._kept) >= MOST_RANKINGS:
            self._kept.clear()
        self._kept[key] = ((asked, candidates, device), ranked)  # they stay alive, and their identities unique
        return ranked

    def _beside(
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
            before = _merged([*true, *stale], known)
        else:
            before = known
        return Joined(before, len(other), lambda: self._by_cost(asked, other, device)) if other else before

    def _by_cost(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Rank by the cost model; each candidate says why no model was used."""
        why: dict[str, str] = {}

        def tell(r: Ranked) -> Ranked:
            backend = r.candidate.spec.backend
            if backend not in why:
                why[backend] = self.learned.silent(problem, backend, device)
            return Ranked(r.candidate, r.seconds, f"analytical: {r.reason}; {why[backend]}")

        return Told(self._analytical.ranked(problem, candidates, device), tell)


def _merged(measured: Sequence[Ranked], known: Sequence[Ranked]) -> list[Ranked]:
    """Merge both by time; the model's own order stays, because it may be better than its predicted times."""
    reached = accumulate((r.seconds or 0.0 for r in known), max)
    return in_order([*((r.seconds or 0.0, r) for r in measured), *zip(reached, known, strict=True)])


class Ledger:
    """Collects problems without a measurement and writes them to the store from time to time, and at exit.

    If the store cannot be written (another process holds it), they are kept for the next time, up to a limit.
    """

    BATCH = 256
    MOST = 16 * BATCH

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
            self._notes = [*notes, *self._notes][-self.MOST :]
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
