"""Samples on CPUs that nobody else uses.

A virtual machine's CPU is often one half of a core whose other half works for somebody else. While it does, kernels
take 1.2 to 2 times as long, and not all by the same factor. A loop of fixed work shows it: it is timed before and after
each sample, and the process moves to CPUs on which it is fast. Several threads can be in each other's way as well, on
two CPUs that are halves of one core: for them the loop runs on all their CPUs at once.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

SHARED = 1.35  # times the least time of the loop: a shared core takes 1.8 times, clocks change by 1.15
MAX_THREADS = 4  # more than these occupy the machine, and checking their CPUs would take as long as a sample
NUMBERS, CALLS = 2048, 3  # the loop stays in the first cache: a few microseconds
TOGETHER, TURNS = 64, 4  # loops in one call, which outlast the start of a thread; calls, of which the inner ones count
WORKER = re.compile(r"tilewright-(\d+)")  # the names of the pool's threads, see runtime_os.hpp
PATIENCE = 30.0  # seconds for the start of a thread
FIRST_SETS, SETS = 48, 8  # of CPUs that are tried for several threads: at first, and when a CPU has become slow


def _loop(times: int = 1) -> Callable[[], object]:
    """Return a loop on memory of its own; one call of it runs `times` loops, without Python's lock."""
    import numpy as np

    # Rows without a distance are the same row again.
    x, out = (np.lib.stride_tricks.as_strided(a, (times, NUMBERS), (0, a.itemsize))
              for a in (np.linspace(0.0, 1.0, NUMBERS), np.empty(NUMBERS)))  # fmt: skip
    return lambda: np.exp(x, out=out)


@cache
def _own_loop() -> Callable[[], object]:
    return _loop()


def _elapsed(loop: Callable[[], object]) -> float:
    begin = time.perf_counter()
    loop()
    return time.perf_counter() - begin


def loop_seconds(cpus: Sequence[int]) -> list[float]:
    """Return the seconds of the loop on each of these CPUs while it runs on all of them; one CPU: on this thread.

    >>> 0 < loop_seconds(sorted(os.sched_getaffinity(0))[:1])[0] < 1
    True
    """
    if len(cpus) == 1:
        loop = _own_loop()
        loop()  # other work has displaced its data
        return [min(_elapsed(loop) for _ in range(CALLS))]
    start = threading.Barrier(len(cpus), timeout=PATIENCE)

    def run(cpu: int) -> float:
        os.sched_setaffinity(0, [cpu])
        loop = _loop(TOGETHER)
        start.wait()
        return min([_elapsed(loop) for _ in range(TURNS)][1:-1]) / TOGETHER

    with ThreadPoolExecutor(len(cpus)) as pool:
        return list(pool.map(run, cpus))


def _allowed() -> list[int]:
    """Return the CPUs that this process may use; none if it may not choose among them."""
    try:
        cpus = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cpus)
    except (AttributeError, OSError):  # a system without affinities, or a sandbox that refuses them
        return []
    return sorted(cpus)


def _tasks() -> list[str]:
    """Return the ids of this process's threads."""
    try:
        return os.listdir("/proc/self/task")
    except OSError:
        return []


def _move(cpus: Sequence[int], whole: bool) -> None:
    """Let this thread run only on these CPUs; with `whole` all threads of the process, kernels' workers on one each.

    Left to itself, the system puts two workers on one of several CPUs for milliseconds.
    """
    os.sched_setaffinity(0, cpus)
    for task in _tasks() if whole else ():
        try:
            worker = WORKER.match(Path(f"/proc/self/task/{task}/comm").read_text())
            os.sched_setaffinity(int(task), [cpus[int(worker[1]) % len(cpus)]] if worker else cpus)
        except (FileNotFoundError, ProcessLookupError):
            continue  # a thread that has ended


class QuietCpus:
    """Keeps this process on `threads` CPUs that work for nobody else, as far as there are some.

    `seconds` times the loop on CPUs, on all of them at once. With more than `MAX_THREADS` threads, and where a process
    may not choose its CPUs, nothing is checked.

    >>> QuietCpus(64).settle()
    True
    """

    def __init__(
        self,
        threads: int,
        seconds: Callable[[Sequence[int]], list[float]] = loop_seconds,
        move: Callable[[Sequence[int], bool], None] = _move,
    ) -> None:
        self._seconds, self._move = seconds, move
        self._allowed = _allowed()
        self._threads = threads if threads <= min(MAX_THREADS, len(self._allowed)) else 0
        self._mine: list[int] = []
        self._tasks_then: list[str] = []  # threads when the process last moved
        self._was_quiet = False  # when the CPUs were last looked at, after a sample
        self._least: dict[int, float] = {}  # of one CPU, by the number of CPUs at work
        self._lots = random.Random(0)

    def quiet(self) -> bool:
        """Return whether the CPUs of this process run at full speed now."""
        self._was_quiet = self._look()
        return self._was_quiet

    def settle(self) -> bool:
        """Move to CPUs that run at full speed; return False if there are too few: then the least slow ones are used.

        If they did when `quiet` was last asked, this returns at once: the look after a sample is the look before the
        next one.
        """
        if self._was_quiet or self._look():
            self._was_quiet = False
            if self._threads > 1 and _tasks() != self._tasks_then:
                self._go()  # there are new workers
            return True
        alone = self._alone()
        fast = [cpu for cpu, seconds in alone.items() if self._is_full(seconds, 1)]
        if self._threads > 1 and len(fast) >= self._threads:
            self._mine = self._together(fast)
        else:
            self._mine = sorted(alone, key=alone.__getitem__)[: self._threads]
        self._go()
        return len(fast) >= self._threads and (self._threads == 1 or self._look())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep this thread on the first of several CPUs meanwhile: the others belong to the workers.

        Not longer: threads that it starts begin where it may run.
        """
        if self._threads < 2 or not self._mine:
            yield
            return
        self._move(self._mine[:1], False)
        try:
            yield
        finally:
            self._move(self._mine, False)

    def _go(self) -> None:
        self._move(self._mine, self._threads > 1)
        self._tasks_then = _tasks()

    def _look(self) -> bool:
        if not self._threads:
            return True
        return bool(self._mine) and self._is_full(max(self._timed(self._mine)), self._threads)

    def _alone(self) -> dict[int, float]:
        """Return the times of CPUs by themselves; one thread needs only one, after all were seen once."""
        found: dict[int, float] = {}
        enough = 1 if self._mine and self._threads == 1 else len(self._allowed)
        for cpu in [*self._mine, *(c for c in self._allowed if c not in self._mine)]:
            self._move([cpu], False)
            found[cpu] = self._timed([cpu])[0]
            if sum(self._is_full(seconds, 1) for seconds in found.values()) >= enough:
                break
        return found

    def _together(self, fast: list[int]) -> list[int]:
        """Return a set of CPUs that run at full speed together, or the fastest that was seen."""
        known = self._threads in self._least
        some = self._filled([cpu for cpu in self._mine if cpu in fast], fast)
        seen: list[tuple[float, list[int]]] = []
        for _ in range(SETS if known else FIRST_SETS):
            times = self._timed(some)
            seen.append((max(times), some))
            if known and self._is_full(max(times), self._threads):
                break
            slowest = some[times.index(max(times))]
            some = self._filled([cpu for cpu in some if cpu != slowest], fast, slowest)
        return min(seen)[1]

    def _filled(self, some: list[int], cpus: list[int], without: int | None = None) -> list[int]:
        """Return these CPUs with others added by lot; `without` only if there is no other one."""
        others = [cpu for cpu in cpus if cpu not in some and cpu != without]
        others = others if len(others) >= self._threads - len(some) else [cpu for cpu in cpus if cpu not in some]
        return sorted([*some, *self._lots.sample(others, self._threads - len(some))])

    def _is_full(self, seconds: float, count: int) -> bool:
        return seconds <= SHARED * self._least[count]

    def _timed(self, cpus: Sequence[int]) -> list[float]:
        """Return the time of each of these CPUs, while all of them work; the fastest one shows full speed."""
        found = self._seconds(cpus)
        self._least[len(cpus)] = min(self._least.get(len(cpus), found[0]), *found)
        return found
