"""Samples on CPUs that nobody else uses.

A virtual machine's CPU is often one half of a core whose other half works for somebody else. While it does, kernels
take 1.2 to 2 times as long, and not all by the same factor. A loop of fixed work shows it: it is timed before and after
each sample, and the process moves to CPUs on which it is fast.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

SHARED = 1.35  # times the least time of the loop: a shared core takes 1.8 times, clocks change by 1.15
MOST_THREADS = 4  # more than these occupy the machine, and checking their CPUs would take as long as a sample
NUMBERS, CALLS = 2048, 3  # the loop stays in the first cache: a few microseconds


@cache
def _loop() -> Callable[[], object]:
    import numpy as np

    x = np.linspace(0.0, 1.0, NUMBERS)
    out = np.empty_like(x)
    return lambda: np.exp(x, out=out)


def loop_seconds() -> float:
    """Return the seconds of the loop on the CPU that this thread is on now.

    >>> 0 < loop_seconds() < 1
    True
    """
    loop = _loop()
    loop()  # other work has displaced its data
    best = float("inf")
    for _ in range(CALLS):
        begin = time.perf_counter()
        loop()
        best = min(best, time.perf_counter() - begin)
    return best


def _allowed() -> list[int]:
    """Return the CPUs that this process may use; none if it may not choose among them."""
    try:
        cpus = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cpus)
    except (AttributeError, OSError):  # a system without affinities, or a sandbox that refuses them
        return []
    return sorted(cpus)


def _move(cpus: Sequence[int], whole: bool) -> None:
    """Let this thread, or all threads of the process, run only on these CPUs."""
    os.sched_setaffinity(0, cpus)
    for task in Path("/proc/self/task").iterdir() if whole else ():
        try:
            os.sched_setaffinity(int(task.name), cpus)
        except ProcessLookupError:
            continue  # a thread that has ended


class QuietCpus:
    """Keeps this process on `threads` CPUs that work for nobody else, as far as there are some.

    `seconds` times the loop on the CPU where the thread is. With more than `MOST_THREADS` threads, and where a process
    may not choose its CPUs, nothing is checked.

    >>> QuietCpus(64).settle()
    True
    """

    def __init__(
        self,
        threads: int,
        seconds: Callable[[], float] = loop_seconds,
        move: Callable[[Sequence[int], bool], None] = _move,
    ) -> None:
        self._seconds, self._move = seconds, move
        self._allowed = _allowed()
        self._threads = threads if threads <= min(MOST_THREADS, len(self._allowed)) else 0
        self._mine: list[int] = []
        self._least = float("inf")

    def quiet(self) -> bool:
        """Return whether the CPUs of this process run at full speed now."""
        if not self._threads:
            return True
        slow = [cpu for cpu in self._mine if self._shared(cpu)]
        self._stay()
        return bool(self._mine) and not slow

    def settle(self) -> bool:
        """Move to CPUs that run at full speed; return False if there are too few: then the least slow ones are used."""
        if self.quiet():
            return True
        found: dict[int, float] = {}
        enough = self._threads if self._mine else len(self._allowed)  # see all of them once
        for cpu in [*self._mine, *(c for c in self._allowed if c not in self._mine)]:
            found[cpu] = self._timed(cpu)
            if sum(seconds <= SHARED * self._least for seconds in found.values()) >= enough:
                break
        self._mine = sorted(found, key=found.__getitem__)[: self._threads]
        self._stay()
        return all(found[c] <= SHARED * self._least for c in self._mine)

    def _shared(self, cpu: int) -> bool:
        return self._timed(cpu) > SHARED * self._least

    def _timed(self, cpu: int) -> float:
        if self._threads > 1 or self._mine != [cpu]:
            self._move([cpu], False)
        found = self._seconds()
        self._least = min(self._least, found)
        return found

    def _stay(self) -> None:
        if self._mine:
            self._move(self._mine, self._threads > 1)
