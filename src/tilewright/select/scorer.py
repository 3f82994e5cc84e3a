"""Scorer: predicts the times of candidates with a model, problem after problem.

A problem's candidates are mostly those of the previous problem, so their own values stay in one table and a selection
only names rows of it. The model runs as C generated from its features. While that is built beside the program, and if
nothing may be built, it runs in NumPy, which returns the same in many times the time (`how` says which).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..jit.background import Background
from ..model.kernel import Candidate
from ..model.locks import new_lock
from ..settings import Settings
from .compiled import Bench, CompiledModel
from .features import Table
from .model import Floats, SelectionModel

FEW_ROWS = 512
MAX_ROWS = 1 << 14  # candidates in the table; when it is full, a new one is started


class Scores(NamedTuple):
    """Predictions for candidates: seconds, sort key, and what predicted them (see `model`).

    `best` is the place of the smallest score; `ties` candidates have it.
    """

    seconds: Floats
    score: Floats
    by: Floats
    best: int
    ties: int


class Scorer:
    """Predicts times of candidates by one model. Thread-safe."""

    def __init__(self, model: SelectionModel, settings: Settings | None = None) -> None:
        self.model, self._settings = model, settings
        self._lock = new_lock()
        self._rows: Table
        self._group: Any
        self._native = CompiledModel.of(model, settings, build=False)
        self._forget()
        if self._native is None and (settings or Settings.from_env()).may_build:
            _beside().submit(self._build_native)

    @property
    def how(self) -> str:
        """What it predicts with now: "C" or "NumPy"."""
        return "C" if self._bench is not None else "NumPy"

    def predict(
        self, candidates: Sequence[Candidate], problem: Mapping[str, Any], device: Mapping[str, Any]
    ) -> Scores | None:
        """Return the predictions for candidates; None if one is of another backend. `problem` has its op's numbers."""
        with self._lock:
            places = self._rows_of(candidates)
            if self._foreign and places.min() < 0:
                return None
            if self._bench is not None:
                found, best, ties = self._bench.predict(places, problem.values(), device)
                return Scores(found[0], found[1], found[2], best, ties)
            found = self.model.predict(self._rows[places], problem, device)
        score = found[1]
        best = int(score.argmin())
        return Scores(found[0], score, found[2], best, int((score == score[best]).sum()))

    def _build_native(self, cancel: threading.Event) -> None:
        """Build the C form and use it from then on. If that fails, the log says why, once.

        The compiler runs outside of the lock: others predict by NumPy until it is done.
        """
        native = CompiledModel.of(self.model, self._settings, cancel=cancel)
        with self._lock:
            self._native = native
            self._room(len(self._rows))

    def _rows_of(self, candidates: Sequence[Candidate]) -> Any:
        """Return the rows of candidates; add new ones."""
        try:
            return np.fromiter(map(self._row, map(id, candidates)), np.int32, len(candidates))
        except KeyError:
            new = [c for c in candidates if id(c) not in self._places]
        if len(self._held) + len(new) > MAX_ROWS and self._held:
            self._forget()
            new = list(candidates)
        self._add(new)
        return self._rows_of(candidates)

    def _forget(self) -> None:
        """Start a new table. Candidates are found by identity, so the table keeps them alive."""
        self._held: list[Candidate] = []
        self._places: dict[int, int] = {}  # the row of a candidate, -1 for one of another backend
        self._kinds: dict[int, int] = {}  # the price list of a kernel
        self._row = self._places.__getitem__
        self._count = 0  # rows in use
        self._foreign = False  # whether a candidate of another backend was ever seen
        self._room(FEW_ROWS)

    def _add(self, new: Sequence[Candidate]) -> None:
        mine = [c for c in new if c.spec.backend == self.model.backend]
        self._foreign |= len(mine) < len(new)
        first, last = self._count, self._count + len(mine)
        if last > len(self._rows):
            self._room(2 * last)
        table = self.model.spec.table(mine)
        self._rows[first:last], self._group[first:last] = table, self._groups(mine, table)
        self._held += new
        self._places.update((id(candidate), -1) for candidate in new)
        self._places.update((id(candidate), row) for row, candidate in enumerate(mine, first))
        self._count = last

    def _groups(self, candidates: Sequence[Candidate], table: Table) -> list[int]:
        """Return the price lists of candidates, -1 for kinds that the model was not trained on; kernels keep theirs,
        because most new candidates are new launches of known kernels."""
        new = {id(c.spec): i for i, c in enumerate(candidates) if id(c.spec) not in self._kinds}
        if new:
            places = list(new.values())
            found = np.where(self.model.knows(table[places]), self.model.groups(table[places]), -1).tolist()
            self._kinds.update(zip(new, found, strict=True))
        return [self._kinds[id(c.spec)] for c in candidates]

    def _room(self, rows: int) -> None:
        """Grow the table to `rows` rows and keep its content."""
        kept = self._count
        table, group = np.zeros((rows, len(self.model.spec.columns))), np.zeros(rows, np.int32)
        if kept:
            table[:kept], group[:kept] = self._rows[:kept], self._group[:kept]
        self._rows, self._group = table, group
        self._bench = Bench(self._native, table, group) if self._native is not None else None


def wait_for_builds(seconds: float | None = None) -> bool:
    """Wait until the C forms that are being built are there; False if that takes longer. For benchmarks and tests.

    >>> wait_for_builds()
    True
    """
    return _beside().submit(lambda cancel: None).wait(seconds)  # one thread does all, in order


@cache
def _beside() -> Background:
    """Return the thread that builds C forms: no prediction waits for a compiler."""
    return Background(1)
