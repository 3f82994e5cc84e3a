"""Work beside the program: threads that wait for compilers, and end with the process.

The threads are daemons. At exit the running compilers are cancelled, which leaves a clean cache; if the process is
killed, the cache is as safe as with any other build.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import BuildCancelledError
from ..model.locks import after_fork, new_lock

GRACE = 5.0  # seconds at exit in which cancelled compilers may end

Work = Callable[[threading.Event], Any]  # takes the event that cancels it


class Pending:
    """Work that was handed in. A fork has no threads: there it counts as done, without a result."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._done, self._ended, self._pid = threading.Event(), threading.Event(), os.getpid()

    def done(self) -> bool:
        """Return whether the work is done, well or not."""
        return self._done.is_set() or os.getpid() != self._pid

    def finish(self) -> None:
        """Let `done` say so; called by the one who did the work."""
        self._done.set()

    def end(self, error: BaseException | None = None) -> None:
        """Let `done` and `wait` say that it is over: nothing follows."""
        self.error = error or self.error
        self._done.set()
        self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is done and what was to follow it too; False if that takes longer than `seconds`."""
        return os.getpid() != self._pid or self._ended.wait(seconds)


class Background:
    """Runs work in at most `workers` threads, in the order in which it came. Thread-safe.

    >>> background, answers = Background(1), []
    >>> background.submit(lambda cancel: answers.append("built")).wait(10), answers
    (True, ['built'])
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._renew()
        _all.add(self)
        after_fork(self._renew)

    def _renew(self) -> None:
        self._lock, self._cancel = new_lock(), threading.Event()
        self._waiting: deque[tuple[Work, Pending, Callable[[Pending], None] | None]] = deque()
        self._threads: list[threading.Thread] = []

    def submit(self, work: Work, then: Callable[[Pending], None] | None = None) -> Pending:
        """Hand in work; `then` is called with its `Pending` in the thread that did it, and may `finish` it early.

        After `stop` nothing runs: the `Pending` is over, with `BuildCancelledError`.
        """
        pending = Pending()
        with self._lock:
            if self._cancel.is_set():
                pending.end(_cancelled())
                return pending
            self._waiting.append((work, pending, then))
            self._threads = [t for t in self._threads if t.is_alive()]
            if len(self._threads) < self._workers:
                thread = threading.Thread(target=self._run, name="tilewright-background", daemon=True)
                self._threads.append(thread)
                thread.start()
        return pending

    def _run(self) -> None:
        while not self._cancel.is_set():
            with self._lock:
                if not self._waiting:
                    self._threads.remove(threading.current_thread())
                    return
                work, pending, then = self._waiting.popleft()
            try:
                work(self._cancel)
            except BaseException as error:
                pending.error = error
            try:
                if then is not None and not self._cancel.is_set():
                    then(pending)
            finally:
                pending.end()

    def stop(self) -> None:
        """Cancel what runs and what waits, and wait a while for the threads."""
        stop_all([self])

    def cancel(self) -> list[threading.Thread]:
        """Cancel what runs and what waits; return the threads, which end soon."""
        with self._lock:
            self._cancel.set()
            dropped = list(self._waiting)
            self._waiting.clear()
            threads = list(self._threads)
        for _, pending, _ in dropped:
            pending.end(_cancelled())
        return threads


def _cancelled() -> BuildCancelledError:
    return BuildCancelledError("the build was cancelled: background builds have stopped")


def stop_all(backgrounds: Iterable[Background]) -> None:
    """Stop several of them; all their threads have `GRACE` seconds together."""
    threads = [thread for background in backgrounds for thread in background.cancel()]
    end = time.monotonic() + GRACE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))


_all: weakref.WeakSet[Background] = weakref.WeakSet()


@atexit.register
def _stop_at_exit() -> None:
    stop_all(list(_all))
