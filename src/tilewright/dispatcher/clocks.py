"""Clocks of contests: how long calls take where the program makes them, without waiting for a GPU."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from statistics import median_low
from typing import Any

from ..model.device import memory_of

EVENTS_COST = 0.25  # of the time of a call that the host takes to measure it on a GPU
MAX_DROPPED = 3  # times of each side that are dropped because another program had the core
THREAD = getattr(resource, "RUSAGE_THREAD", None)  # Linux


class HostClock:
    """Measures a call on the host: its result is there at once.

    A call that the system interrupted for another program takes ten times as long. Its time is dropped, a few times for
    each side: on a machine that is always busy, such times are all there are.
    """

    waiting = False
    least_s = 2e-4  # of a call of which two samples are enough: what else goes on adds more than that factor to others

    def __init__(self) -> None:
        self._found: list[tuple[int, float]] = []
        self._dropped = [0, 0]

    def measure(self, side: int, run: Callable[[], Any]) -> Any:
        """Return the result of a call of a side, and keep its time."""
        before, begin = interruptions(), time.perf_counter()
        result = run()
        seconds = time.perf_counter() - begin
        if interruptions() != before and self._dropped[side] < MAX_DROPPED:
            self._dropped[side] += 1
        else:
            self._found.append((side, seconds))
        return result

    def results(self) -> list[tuple[int, float]]:
        """Return the times that are new: (side, seconds)."""
        found, self._found = self._found, []
        return found


def interruptions() -> int:
    """Return how often the system took the core from this thread; 0 if it does not say.

    >>> interruptions() >= 0
    True
    """
    return resource.getrusage(THREAD).ru_nivcsw if THREAD is not None else 0


def mark(place: str) -> Any:
    """Return this moment: on a GPU an event of the current stream there, which need not be the current GPU.

    >>> begin = mark("cpu")
    >>> end = mark("cpu")
    >>> is_reached(end), seconds_between(begin, end) >= 0
    (True, True)
    """
    if memory_of(place) == "cpu":
        return time.perf_counter()
    cuda = sys.modules["torch"].cuda
    event = cuda.Event(enable_timing=True)
    event.record(cuda.current_stream(place))
    return event


def is_reached(moment: Any) -> bool:
    """Return whether the place of a mark has come to it; nobody waits for a GPU."""
    return isinstance(moment, float) or bool(moment.query())


def seconds_between(begin: Any, end: Any) -> float:
    """Return the seconds between two marks of one place that are reached."""
    return end - begin if isinstance(begin, float) else begin.elapsed_time(end) * 1e-3


class GpuClock:
    """Measures a call on a GPU by events of the current stream; nobody waits for them.

    Between two events lies the host's time too, if the GPU waits for it. A call that finds work before it on the stream
    is measured without: the least time would be that of another situation than the program's, so the middle one counts.
    """

    least_s = 0.0
    costs = EVENTS_COST
    typical = staticmethod(median_low)

    def __init__(self, place: str) -> None:
        self._place = place
        self._begun: list[tuple[int, Any, Any]] = []

    @property
    def waiting(self) -> bool:
        """Whether a call was measured whose time is not known yet."""
        return bool(self._begun)

    def measure(self, side: int, run: Callable[[], Any]) -> Any:
        """Return the result of a call of a side, between two events."""
        begin = mark(self._place)
        result = run()
        self._begun.append((side, begin, mark(self._place)))
        return result

    def results(self) -> list[tuple[int, float]]:
        """Return the times of calls that are done: (side, seconds)."""
        done = [entry for entry in self._begun if is_reached(entry[2])]
        self._begun = [entry for entry in self._begun if entry not in done]
        return [(side, seconds_between(begin, end)) for side, begin, end in done]
