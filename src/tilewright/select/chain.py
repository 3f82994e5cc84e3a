"""Selectors that know measurements: measured, and chain, the default.

`measured` ranks by the store's times for exactly this problem on this device. They are valid for the build that would
run now; times of another build of the same kernel are priors: they may rank, and are marked stale. `chain` is measured,
then learned, then analytical; each ranks the candidates that the previous one does not know.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from ..backends import get_backend_op
from ..errors import TilewrightError
from ..jit.background import Background
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec, candidate_key
from ..model.locks import new_lock
from ..model.problem import Problem
from ..model.selector import Ranked, in_order
from ..settings import Settings
from ..store import CALL_PATIENCE, Measurement, Missed, Store, launch_from_dict, store_path
from .analytical import Analytical
from .learned import Learned
from .model_directory import ModelDirectory
from .ranking import LazyRanking, one_after_another
from .rounded import rounded

TIE = 0.02
UNSEEN_S = 0.25  # seconds in which a selection may miss what another process measures
ENOUGH = 4  # this many measured candidates are trusted over predictions
log = logging.getLogger("tilewright")


class Measured:
    """Ranks measured candidates by time, valid ones before stale ones; the others follow by the analytical model.

    >>> Measured(Store("/nowhere/at/all.sqlite")).rank(None, [], None)
    []
    """

    name = "measured"

    def __init__(self, store: Store | None = None, settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_env()
        self.store = store if store is not None else Store(store_path(self.settings), CALL_PATIENCE)
        self._build_keys: dict[str, tuple[str, ...]] = {}
        self._reported: set[str] = set()
        self._absent: dict[tuple[str, str], tuple[int, float]] = {}  # writes of this process by then, and when

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """Return the candidates in this order: measured on this build, measured on another, not measured."""
        if not candidates:
            return []
        true, stale, other = self.known(problem, candidates, device)
        return [*true, *stale, *Analytical(self.settings).rank(problem, other, device)]

    def known(
        self, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> tuple[list[Ranked], list[Ranked], Sequence[Candidate]]:
        """Return (measured on the build that would run, measured on another one, not measured or failed)."""
        rows = self.rows(problem, device)
        if not rows:
            return [], [], candidates
        true: list[tuple[float, Ranked]] = []
        stale: list[tuple[float, Ranked]] = []
        other = []
        for candidate in candidates:
            found = rows.get(candidate.key, [])
            mine = [r for r in found if r.build_key in self._same_keys(candidate.spec)]
            row = min(mine or found, key=lambda r: r.seconds, default=None)
            if row is None:
                other.append(candidate)
                continue
            what = f"{row.seconds * 1e6:.4g} us, {len(row.samples)} samples, {row.tier}"
            text = f"measured: {what}" if mine else f"stale: measured on another build: {what}"
            (true if mine else stale).append((row.seconds, Ranked(candidate, row.seconds, text)))
        return settled(true), settled(stale), other

    def rows(self, problem: Problem, device: Device) -> dict[str, list[Measurement]]:
        """Return the measurements of this very problem, by the key of the candidate.

        Every new shape asks, and asking the file takes longer than choosing a kernel. So, if it had none for this op
        and device, what another process writes is found within `UNSEEN_S` seconds.
        """
        asked, written, now = (problem.op, device.digest), Store.writes, time.monotonic()
        absent = self._absent.get(asked)
        if absent is not None and absent[0] == written and now - absent[1] < UNSEEN_S:
            return {}
        try:
            if not self.store.holds(*asked):
                self._absent[asked] = (written, now)
                return {}
            rows = list(self.store.rows(tuning_key=problem.tuning_key, device=device.digest, status="ok"))
        except TilewrightError as error:
            self._report(f"measurements not used: {error}")
            return {}
        found: dict[str, list[Measurement]] = {}
        for row in rows:
            try:
                key = candidate_key(row.spec_digest, launch_from_dict(row.launch))
            except (TilewrightError, TypeError) as error:
                self._report(f"measurements with such a launch are not used: {error}")
                continue
            found.setdefault(key, []).append(row)
        return found

    def _report(self, text: str) -> None:
        """Log a warning once: every new problem reads the store."""
        if text not in self._reported:
            self._reported.add(text)
            log.warning("%s", text)

    def _same_keys(self, spec: KernelSpec) -> tuple[str, ...]:
        """Return the keys of the build that would run now; computed once per kernel."""
        keys = self._build_keys.get(spec.digest)
        if keys is None:
            keys = self._build_keys[spec.digest] = build_keys_now(spec, self.settings)
        return keys


def build_keys_now(spec: KernelSpec, settings: Settings) -> tuple[str, ...]:
    """Return the key of the build that would run now, then those of earlier builds of the same bytes.

    ("-",) if it cannot be built here, which matches no measurement.
    """
    op = get_backend_op(spec.backend, spec.op)
    try:
        request = op.request(spec, settings)
    except TilewrightError:
        return ("-",)
    return request.same_keys if request is not None else (op.library(spec),)


def settled(timed: Sequence[tuple[float, Ranked]], tie: float = TIE) -> list[Ranked]:
    """Return candidates by time; among those within `tie` of the best, the smallest key comes first, so that noise does
    not decide.

    >>> settled([])
    []
    """
    ordered = sorted(timed, key=lambda pair: (pair[0], pair[1].candidate.key))
    if not ordered:
        return []
    limit = ordered[0][0] * (1.0 + tie)
    close = sorted((r for s, r in ordered if s <= limit), key=lambda r: r.candidate.key)
    return [*close, *(r for s, r in ordered if s > limit)]


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
