"""The sweep: problems x candidates -> verified measurements in the store, until everything is done or time is up.

Every outcome is committed at once. A sweep that was killed continues where it stopped: rows in the store with the same
build, device, policy and host are not measured again.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import SchemaError, TilewrightError
from ...model.canonical import canonical
from ...model.device import Device
from ...model.kernel import Candidate, candidate_key
from ...model.locks import new_lock
from ...model.problem import Problem
from ...ops.verify import share_of
from ...store import Measurement, Store
from .station import Built, Station, seconds_left
from .task import Choice, Event, SweepPolicy, Task

MAX_WAITING = 8  # commits that a station may be ahead
USUAL = SweepPolicy().to_dict()  # rows of earlier versions lack fields that came later
ANCHORS = 2  # the best rows of an earlier run are sampled again with new candidates


@dataclass
class SweepReport:
    """The result of a sweep; `known` counts the problems of which nothing was left to measure.

    `shared` counts samples on CPUs that worked for others too, which may be too long.
    """

    problems: int = 0
    known: int = 0
    shared: int = 0
    measurements: int = 0
    skipped: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unfinished: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Measurements per second."""
        return self.measurements / self.seconds if self.seconds else 0.0


class Progress:
    """Receives the progress of a sweep; this one shows nothing."""

    def start(self, problems: int, deadline: float | None) -> None:
        """Start of the sweep."""

    def step(self, report: SweepReport, label: str) -> None:
        """Report that a problem is done."""

    def finish(self, report: SweepReport) -> None:
        """End of the sweep."""

    def stop(self) -> None:
        """Remove what is shown live; also after an error."""


class Sweep:
    """Measures candidates of problems on stations into a store.

    `device` describes what the stations run on; `built` maps spec digests to builds. `built_at` has the builds of
    stations by name, if they are on several machines: compilers may differ.
    """

    def __init__(
        self,
        store: Store,
        stations: Sequence[Station],
        device: Device,
        built: Mapping[str, Built],
        policy: SweepPolicy | None = None,
        refresh: bool = False,
        built_at: Mapping[str, Mapping[str, Built]] | None = None,
    ) -> None:
        self.store, self.stations, self.device = store, list(stations), device
        self.built, self.policy, self.refresh = built, policy or SweepPolicy(), refresh
        self.built_at = built_at or {}
        self.run_id = uuid.uuid4().hex[:12]
        self._lock = new_lock()
        self._policy, self._choices = self.policy.to_dict(), dict[tuple[str, str], Choice]()
        self._devices: dict[Device, dict[str, Any]] = {}
        self._writer = ThreadPoolExecutor(1, "tilewright-store")
        self._kept: deque[Future[None]] = deque()

    def run(
        self,
        work: Iterable[tuple[Any, Sequence[Candidate]]],
        deadline: float | None = None,
        progress: Progress | None = None,
    ) -> SweepReport:
        """Measure the candidates of each problem, in order, until `deadline` (of `time.monotonic`)."""
        tasks, progress = list(work), progress or Progress()
        progress.start(len(tasks), deadline)
        try:
            return self._run(tasks, deadline, progress)
        finally:
            progress.stop()

    def _run(
        self, tasks: list[tuple[Any, Sequence[Candidate]]], deadline: float | None, progress: Progress
    ) -> SweepReport:
        report, begin = SweepReport(), time.monotonic()
        todo: queue.SimpleQueue[tuple[Any, Sequence[Candidate]]] = queue.SimpleQueue()
        for item in tasks:
            todo.put(item)
        threads = [
            threading.Thread(target=self._serve, args=(s, todo, deadline, report, progress, begin), daemon=True)
            for s in self.stations[1:]
        ]
        for thread in threads:
            thread.start()
        self._serve(self.stations[0], todo, deadline, report, progress, begin)
        for thread in threads:
            thread.join()
        self._settle()
        report.unfinished = todo.qsize()
        if len(report.lost) == len(self.stations) and not report.measurements:
            raise TilewrightError(f"no station is left to measure on; the first: {report.lost[0]}")
        report.seconds = time.monotonic() - begin
        progress.finish(report)
        return report

    def _serve(
        self, station: Station, todo: Any, deadline: float | None, report: SweepReport, progress: Progress, begin: float
    ) -> None:
        """Let one station measure problem after problem; if it is lost, the others take its problem."""
        while seconds_left(deadline) > 0:
            try:
                problem, candidates = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done = self._problem(station, problem, candidates, report)
            except Exception as error:  # of any kind: a thread that ends with its problem would lose it silently
                todo.put((problem, candidates))
                kind = "" if isinstance(error, (StationLostError, TilewrightError)) else f"{type(error).__name__}: "
                with self._lock:
                    report.lost.append(f"{station.name}: {kind}{error}")
                return
            with self._lock:
                report.problems += done
                report.known += not done
                report.seconds = time.monotonic() - begin
                progress.step(report, problem.label())

    def _problem(
        self, station: Station, problem: Problem, candidates: Sequence[Candidate], report: SweepReport
    ) -> bool:
        device, builds = station.device or self.device, self.built_at.get(station.name, self.built)
        known = self._known(problem, device, station.host)
        choices: list[tuple[Choice, Measurement | None]] = []
        earlier: list[tuple[Choice, Measurement]] = []
        for candidate in candidates:
            built = builds.get(candidate.spec.digest)
            if built is None or built.failure:
                continue
            choice = self._choice(candidate, built)
            kernel = candidate_key(choice.digest, choice.launch)
            row = next((known[kernel, key] for key in built.same_keys if (kernel, key) in known), None)
            if row is None:
                choices.append((choice, None))
            else:
                earlier.append((choice, row))
        with self._lock:
            report.skipped += len(earlier)
        if not choices:
            return False
        best = sorted((pair for pair in earlier if pair[1].ok), key=lambda pair: pair[1].seconds)[:ANCHORS]
        chosen = [*best, *choices]
        task = Task(problem.to_dict(), tuple(c for c, _ in chosen), self.policy)
        rows = dict(enumerate(row for _, row in chosen))
        together: list[Event] = []
        shared = 0
        for event in station.measure(task):
            together.append(event)
            found = event.clocks.get("shared")
            shared = max(shared, found if isinstance(found, int) else 0)
            if not event.open:
                self._keep(problem.tuning_key, task, device, together, rows, report)
                together = []
        with self._lock:
            report.shared += shared
        return True

    def _keep(
        self, key: str, task: Task, device: Device, events: Sequence[Event], rows: dict[int, Any], report: SweepReport
    ) -> None:
        """Commit results at once in the background, while the station continues."""

        def work() -> None:
            for event in events:
                rows[event.index] = self._checked_row(key, task, device, event, rows[event.index])
            with self._lock:
                self.store.put({e.index: rows[e.index] for e in events}.values())
                for event in events:
                    self._count(report, event, rows[event.index])

        if len(self._kept) >= MAX_WAITING:
            self._kept.popleft().result()  # raises what went wrong
        self._kept.append(self._writer.submit(work))

    def _settle(self) -> None:
        """Wait until all results are in the store."""
        while self._kept:
            self._kept.popleft().result()

    def _plain(self, device: Device) -> dict[str, Any]:
        return self._devices.get(device) or self._devices.setdefault(device, device.to_dict())

    def _count(self, report: SweepReport, event: Event, row: Measurement) -> None:
        if event.more:
            return
        report.measurements += 1
        report.statuses[row.status] += 1
        if row.status != "ok":
            report.failures.append(f"{row.spec_digest[:8]} {row.status}: {row.message}")

    def _known(self, problem: Problem, device: Device, host: str) -> dict[tuple[str, str], Measurement]:
        """Return the rows that stay: those of this host, as another one with such a device may be slower."""
        if self.refresh:
            return {}
        mine = {k: v for k, v in self.policy.to_dict().items() if k != "rounds"}
        return {
            (r.candidate, r.build_key): r
            for r in self.store.rows(tuning_key=problem.tuning_key, device=device.digest)
            if host in ("", r.host) and {k: v for k, v in {**USUAL, **r.policy}.items() if k != "rounds"} == mine
        }

    def _choice(self, candidate: Candidate, built: Built) -> Choice:
        choice = self._choices.get((candidate.key, built.build_key))
        if choice is None:
            spec, launch = candidate.spec, canonical(candidate.launch)
            choice = Choice(spec.to_dict(), spec.digest, launch, built.build_key, built.artifact, built.toolchain)
            self._choices[candidate.key, built.build_key] = choice
        return choice

    def _checked_row(
        self, key: str, task: Task, device: Device, event: Event, before: Measurement | None
    ) -> Measurement:
        """Return the row of an event; an impossible time is stored as an error, and the sweep continues."""
        try:
            return self._row(key, task, device, event, before)
        except SchemaError as error:
            wrong = replace(event, status="error", samples=(), error=None, tolerance=None, message=error.message)
            return self._row(key, task, device, wrong, None)

    def _row(self, key: str, task: Task, device: Device, event: Event, before: Measurement | None) -> Measurement:
        """Return the row after an event; `before` holds the samples of earlier ones. The worst error counts."""
        status, choice = event.status, task.choices[event.index]
        known = before if before is not None and before.ok and status == "ok" else None
        outcomes: list[Measurement | Event] = [event] if known is None else [known, event]
        checked = max(outcomes, key=lambda outcome: share_of(outcome.error, outcome.tolerance))
        return Measurement(
            problem=task.problem,
            tuning_key=key,
            spec=choice.spec,
            spec_digest=choice.digest,
            launch=choice.launch,
            build_key=choice.build_key,
            device=self._plain(device),
            status=status,
            samples=(*(known.samples if known else ()), *event.samples) if status == "ok" else (),
            error=checked.error,
            tolerance=checked.tolerance,
            tier=checked.tier,
            clocks=dict(event.clocks or (known.clocks if known else {})),
            policy=self._policy,
            artifact=choice.artifact,
            toolchain=choice.toolchain,
            host=event.host,
            run=self.run_id,
            at=time.time(),
            message=event.message,
        )


class StationLostError(Exception):
    """A station on another machine is gone for good; its problem goes to the others."""


def build_failures(built: Iterable[Built], problems: Mapping[str, Any], device: Device) -> Iterator[Measurement]:
    """Return rows for kernels that did not build, with the problem that first needed each."""
    for b in built:
        if b.failure and not b.cancelled and b.digest in problems:
            problem, spec = problems[b.digest]
            yield Measurement(
                problem.to_dict(), problem.tuning_key, spec.to_dict(), b.digest, {}, b.build_key, device.to_dict(),
                status="build", toolchain=b.toolchain, at=time.time(), message=b.failure[:500],
            )  # fmt: skip
