"""Progress of a sweep: a live bar on a terminal, a line every few seconds elsewhere; both with rate and time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TextIO, TypeVar

from ...errors import plural
from .station import seconds_left
from .sweep import Progress, SweepReport

LINE_SECONDS = 10.0


class Labelled(Protocol):
    """What can be named in a line."""

    @property
    def label(self) -> str:
        """A short readable text."""
        ...


R = TypeVar("R", bound=Labelled)


class SweepLines(Progress):
    """A line every ten seconds, and one at the end.

    >>> lines = SweepLines(sys.stdout)
    >>> lines.start(2, None)
    >>> lines.finish(SweepReport(problems=2, measurements=40, seconds=4.0))
    measured: 2 problems, 40 candidates in 4.0 s (10.0/s)
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.total, self.shown_at = 0, 0.0
        self.deadline: float | None = None

    def start(self, problems: int, deadline: float | None) -> None:
        """Start counting."""
        self.total, self.deadline, self.shown_at = problems, deadline, time.monotonic()

    def step(self, report: SweepReport, label: str) -> None:
        """Write a line if the last one is old."""
        if time.monotonic() - self.shown_at >= LINE_SECONDS:
            self.shown_at = time.monotonic()
            print(f"{self.text(report)}  {label}", file=self.stream, flush=True)

    def finish(self, report: SweepReport) -> None:
        """Write the summary."""
        bad = ", ".join(f"{n} {s}" for s, n in sorted(report.statuses.items()) if s != "ok")
        known = f", {report.skipped} known already" if report.skipped else ""
        left = f", {report.unfinished} problems not reached" if report.unfinished else ""
        shared = f", {plural(report.shared, 'sample')} on CPUs that others used too" if report.shared else ""
        count = f"{plural(report.problems, 'problem')}, {plural(report.measurements, 'candidate')}"
        text = f"measured: {count} in {report.seconds:.1f} s"
        print(
            f"{text} ({report.rate:.1f}/s){known}{left}{shared}{', ' + bad if bad else ''}",
            file=self.stream,
            flush=True,
        )

    def text(self, report: SweepReport) -> str:
        """Return the current state."""
        done = report.problems + report.known
        return f"[{done}/{self.total}] {report.rate:.0f}/s, {remaining(report, self.total, self.deadline)}"


def remaining(report: SweepReport, total: int, deadline: float | None) -> str:
    """Return the time left: until everything is done, or until the budget ends.

    >>> remaining(SweepReport(problems=5, seconds=10.0), 10, None)
    '10 s left'
    """
    if not report.problems:
        return "..."
    needed = report.seconds / report.problems * max(0, total - report.problems - report.known)
    return f"{min(needed, max(0.0, seconds_left(deadline))):.0f} s left"


class SweepBar(SweepLines):
    """A live bar: problems, candidates per second, time left, and what is measured."""

    def start(self, problems: int, deadline: float | None) -> None:
        """Show the empty bar."""
        super().start(problems, deadline)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar: Any = Bar(
            TextColumn("measuring"), BarColumn(bar_width=20), MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"), TextColumn("[dim]{task.fields[label]}"),
            console=Console(file=self.stream), transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=problems, state="", label="")
        self._bar.start()

    def step(self, report: SweepReport, label: str) -> None:
        """Advance the bar."""
        state = f"{report.rate:.0f}/s, {remaining(report, self.total, self.deadline)}"
        self._bar.update(self._task, completed=report.problems + report.known, state=state, label=label)

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()

    def finish(self, report: SweepReport) -> None:
        """Remove the bar and write the summary."""
        self.stop()
        super().finish(report)


def sweep_progress(quiet: bool = False) -> Progress:
    """Return the progress display for this terminal.

    >>> type(sweep_progress(quiet=True)).__name__
    'Progress'
    """
    return Progress() if quiet else _shown()


def _shown() -> SweepLines:
    return SweepBar() if sys.stderr.isatty() else SweepLines()


def watched(records: Iterable[R], total: int, shown: SweepLines | None = None) -> Iterator[R]:
    """Yield the records of `total` problems, with the progress display of a sweep.

    >>> list(watched([], 0))
    []
    """
    shown, report, begun = shown or _shown(), SweepReport(), time.monotonic()
    shown.start(total, None)
    try:
        for record in records:
            report.problems, report.measurements = report.problems + 1, report.measurements + 1
            report.seconds = time.monotonic() - begun
            shown.step(report, record.label)
            yield record
    finally:
        shown.stop()
