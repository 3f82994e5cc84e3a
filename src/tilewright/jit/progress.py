"""Progress of a build: the `Progress` protocol, none, plain lines, bars, and a notice for calls that wait."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

PATIENCE = 2.0  # seconds that a caller waits before a notice says why
NOTEBOOKS = ("ZMQInteractiveShell", "Shell")  # the shells of Jupyter and of Colab


class Progress(Protocol):
    """Receives the events of the pool; by default it ignores them. Calls come one at a time, from any thread.

    `status` is built, cached, failed or stopped (by a cancel); `seconds` is the time of the build, 0 if it was cached.
    A kernel from the cache is `done` without a `begin`. After a cancel some kernels are never `done`.
    """

    def start(self, total: int) -> None:
        """Start of a build of `total` kernels."""
        return

    def begin(self, name: str) -> None:
        """Start of the compile of `name`."""
        return

    def done(self, name: str, seconds: float, status: str) -> None:
        """End of the build of `name`."""
        return

    def finish(self) -> None:
        """End of the whole build."""
        return


class NoProgress(Progress):
    """Shows nothing.

    >>> NoProgress().start(3)
    """


class _Tally:
    """Counts shared by both shown forms."""

    def __init__(self) -> None:
        self.total, self.started = 0, 0.0
        self.counts: dict[str, int] = {}

    def begin(self, total: int) -> None:
        self.total, self.started, self.counts = total, time.monotonic(), {}

    def add(self, status: str) -> int:
        self.counts[status] = self.counts.get(status, 0) + 1
        return sum(self.counts.values())

    def summary(self) -> str:
        order = ("built", "cached", "failed", "stopped")
        parts = [f"{self.counts[s]} {s}" for s in order if self.counts.get(s)]
        return f"{', '.join(parts) or 'nothing built'} in {time.monotonic() - self.started:.2f} s"


class LineProgress(Progress):
    """One line per built or failed kernel and a summary; what was cached is only counted.

    >>> p = LineProgress(sys.stdout); p.start(1); p.done("gemm", 0.5, "built")
    [1/1] built   0.50 s  gemm
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._tally = _Tally()

    def start(self, total: int) -> None:
        """Start counting."""
        self._tally.begin(total)

    def done(self, name: str, seconds: float, status: str) -> None:
        """Write the line of one kernel."""
        number = self._tally.add(status)
        if status != "cached":
            print(f"[{number}/{self._tally.total}] {status:<7} {seconds:.2f} s  {name}", file=self._stream, flush=True)

    def finish(self) -> None:
        """Write the summary."""
        print(f"kernels: {self._tally.summary()}", file=self._stream, flush=True)


class _Builds:
    """The builds of this process that somebody waited for: how many, their time, if the hint was given."""

    count, seconds, hinted = 0, 0.0, False


class WaitNotice(Progress):
    """Says on stderr why a call waits, if a compile takes over two seconds: one line per compile.

    The number of the kernel in this process and, once some were compiled, the expected remaining time come first.
    """

    def __init__(self, stream: TextIO | None = None, patience: float = PATIENCE) -> None:
        self._stream, self._patience = stream if stream is not None else sys.stderr, patience
        self._timers: dict[str, threading.Timer] = {}

    def begin(self, name: str) -> None:
        """Start the clock of one compile."""
        timer = self._timers[name] = threading.Timer(self._patience, self._say, (name,))
        timer.daemon = True
        timer.start()

    def done(self, name: str, seconds: float, status: str) -> None:
        """Stop the clock of one compile."""
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
            _Builds.count, _Builds.seconds = _Builds.count + 1, _Builds.seconds + seconds

    def finish(self) -> None:
        """Stop every clock."""
        while self._timers:
            self._timers.popitem()[1].cancel()

    def _say(self, name: str) -> None:
        left = max(_Builds.seconds / _Builds.count - self._patience, 1) if _Builds.count else 0
        rest = f", about {left:.0f} s left" if left else ""
        short = name if len(name) <= 24 else name[-8:]  # the digest
        _write(self._stream, f"kernel {_Builds.count + 1}: compiling for {self._patience:.0f} s{rest}, {short}")


def _write(stream: TextIO, text: str) -> None:
    hint = "" if _Builds.hinted else " (TILEWRIGHT_QUIET=1 hides this)"  # once per process
    _Builds.hinted = True
    said = f"tilewright: {text}{hint}"
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        import textwrap  # a program that waits for nothing needs none

        said = textwrap.fill(said, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    print(said, file=stream, flush=True)


@contextmanager
def noticed(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Say on stderr what the block does, after 2, 6, 14 ... seconds; the function that is given takes done and total.

    >>> with noticed("counting kernels") as step:
    ...     step(1, 3)
    """
    ended, state, started = threading.Event(), [0, 0], time.monotonic()

    def watch() -> None:
        pause = PATIENCE
        while not ended.wait(pause):
            pause *= 2
            seconds, (done, total) = time.monotonic() - started, state
            left = f", about {seconds * (total - done) / done:.0f} s left" if done else ""
            count = f"{done} of {total}, " if total else ""
            _write(sys.stderr, f"{count}{seconds:.0f} s{left}: {what}")

    if not quiet:
        threading.Thread(target=watch, name="tilewright-notice", daemon=True).start()
    try:
        yield lambda done, total: state.__setitem__(slice(None), (done, total))
    finally:
        ended.set()


class _Bar:
    """What both bars share: the counts and the names in flight. Subclasses draw them."""

    def __init__(self) -> None:
        self._tally = _Tally()
        self._flying: list[str] = []

    def begin(self, name: str) -> None:
        """Add `name` to those in flight."""
        self._flying.append(name)
        self._show()

    def done(self, name: str, seconds: float, status: str) -> None:
        """Advance the bar; a failed kernel also leaves a line above it."""
        if name in self._flying:
            self._flying.remove(name)
        self._tally.add(status)
        if status == "failed":
            self._leave(f"failed {seconds:.2f} s  {name}")
        self._show()

    def _show(self) -> None:
        raise NotImplementedError

    def _leave(self, text: str) -> None:
        """Leave a line above the bar."""
        raise NotImplementedError


class LiveProgress(_Bar):
    """A live bar on a terminal: done / total, kernels per second, and the names in flight."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        self._console = Console(file=stream if stream is not None else sys.stderr)
        self._bar = Bar(
            TextColumn("building", table_column=Column(min_width=8)),
            BarColumn(bar_width=20, table_column=Column(min_width=20)),  # the names in flight get the rest
            MofNCompleteColumn(table_column=Column(min_width=7)),
            TextColumn("{task.fields[rate]}", table_column=Column(min_width=6)),
            TimeElapsedColumn(table_column=Column(min_width=7)),
            TextColumn(
                "[dim]{task.fields[names]}", markup=True, table_column=Column(overflow="ellipsis", no_wrap=True)
            ),
            console=self._console,
            transient=True,
        )
        self._task: Any = None

    def start(self, total: int) -> None:
        """Show the empty bar."""
        self._tally.begin(total)
        self._task = self._bar.add_task("", total=total, rate="", names="")
        self._bar.start()

    def _leave(self, text: str) -> None:
        self._console.print(text, markup=False, style="red", highlight=False)

    def _show(self) -> None:
        elapsed = time.monotonic() - self._tally.started
        count = sum(self._tally.counts.values())
        rate = f"{count / elapsed:.1f}/s" if count and elapsed > 0 else ""
        names = ", ".join(self._flying[:3]).replace("[", r"\[")
        more = f" and {len(self._flying) - 3} more" if len(self._flying) > 3 else ""
        self._bar.update(self._task, completed=count, rate=rate, names=names + more)

    def finish(self) -> None:
        """Replace the bar by the summary."""
        self._bar.stop()
        self._console.print(f"kernels: {self._tally.summary()}", markup=False, highlight=False)


class NotebookProgress(_Bar):
    """A bar of text that writes over itself, for notebooks: no widgets, no package. A summary stays of a long build."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        self._stream = stream if stream is not None else sys.stderr
        self._wide = 0  # of what is written over

    def start(self, total: int) -> None:
        """Show the empty bar."""
        self._tally.begin(total)
        self._show()

    def finish(self) -> None:
        """Replace the bar by the summary, or by nothing if nobody had to wait."""
        waited = time.monotonic() - self._tally.started >= PATIENCE
        self._put(f"kernels: {self._tally.summary()}\n" if waited else "")

    def _show(self) -> None:
        count, total = sum(self._tally.counts.values()), max(self._tally.total, 1)
        elapsed = time.monotonic() - self._tally.started
        left = f"<{_clock(elapsed * (total - count) / count)}" if 0 < count < total else ""
        names = ", ".join(name[-8:] for name in self._flying[:3])  # digests
        bar = "█" * (10 * count // total)
        self._put(f"building {100 * count // total:>3}%|{bar:<10}| {count}/{total} [{_clock(elapsed)}{left}] {names}")

    def _leave(self, text: str) -> None:
        self._put(f"{text}\n")

    def _put(self, text: str) -> None:
        shown = text.rstrip()
        end = "\n" if text.endswith("\n") else ""
        print(f"\r{shown:<{self._wide}}", end=end, file=self._stream, flush=True)
        self._wide = 0 if end else len(shown)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, of any program that shows notebooks.

    >>> in_notebook()
    False
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ in NOTEBOOKS


def waiting_progress(quiet: bool) -> Progress:
    """Return the progress of a build that a call waits for: a bar in notebooks, else a notice after two seconds.

    >>> type(waiting_progress(quiet=True)).__name__
    'NoProgress'
    """
    if quiet:
        return NoProgress()
    return NotebookProgress() if in_notebook() else WaitNotice()


def progress_for(stream: TextIO | None = None) -> Progress:
    """Return the progress for `stream` (by default stderr): a bar on a terminal or in a notebook, else plain lines.

    >>> import io
    >>> type(progress_for(io.StringIO())).__name__
    'LineProgress'
    """
    stream = stream if stream is not None else sys.stderr
    if in_notebook():
        return NotebookProgress(stream)
    if not stream.isatty():
        return LineProgress(stream)
    try:
        return LiveProgress(stream)
    except ImportError:  # rich is only decoration
        return LineProgress(stream)
