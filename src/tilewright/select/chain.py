"""chain: measured, then learned, then analytical; each answers for what the one before it does not know."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Sequence

from ..errors import TilewrightError
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked
from ..settings import Settings
from ..store import Missed, Store
from .analytical import Analytical
from .learned import Learned
from .measured import Measured
from .shelf import Shelf

ENOUGH = 4  # so many measured candidates make a table that is trusted over predictions
log = logging.getLogger("tilewright")


class Chain:
    """Ranks measured candidates by their times, those that a model knows by its prediction, the rest by the cost model.

    A problem that no measurement answered goes into the ledger, with the predicted time of the choice.

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
        self._ledger = Ledger(self.measured.store) if self.settings.ledger else None

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """The candidates, best first; each says who ranked it."""
        if not candidates:
            return []
        true, stale, rest = self.measured.known(problem, candidates, device)
        known, other = self.learned.predicted(problem, rest, device)
        last = [
            Ranked(r.candidate, r.seconds, f"analytical: {r.reason}") for r in Analytical().rank(problem, other, device)
        ]
        if len(true) >= min(ENOUGH, len(candidates)):
            return [*true, *stale, *known, *last]
        if len(true) + len(stale) >= min(ENOUGH, len(candidates)):
            ranked = [*stale, *true, *known, *last]
        else:  # a few measurements say nothing of the others: all are compared by their times
            ranked = sorted([*true, *stale, *known], key=lambda r: (r.seconds or 0.0, r.candidate.key)) + last
        if self._ledger is not None:
            self._ledger.note(problem, device, ranked[0])
        return ranked


class Ledger:
    """Collects problems without a measurement and writes them to the store now and then, and at exit."""

    BATCH = 256

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._notes: dict[tuple[str, str], Missed] = {}
        atexit.register(self.flush)

    def note(self, problem: Problem, device: Device, chosen: Ranked) -> None:
        """Remember that `chosen` was taken on a prediction."""
        if device.nominal:
            return
        key = (problem.tuning_key, device.digest)
        by = chosen.reason.split(":")[0]
        with self._lock:
            known = self._notes.get(key)
            count = known.count + 1 if known is not None else 1
            self._notes[key] = Missed(*key, problem.to_dict(), count, chosen.seconds or 0.0, by)
            full = len(self._notes) >= self.BATCH
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what was collected; a store that cannot be written is told of, once."""
        with self._lock:
            notes, self._notes = self._notes, {}
        if not notes:
            return
        try:
            self._store.miss(notes.values())
        except TilewrightError as error:
            log.warning("the ledger was not written: %s", error)
