"""GpuSampler: times of many launches from few waits, each from several samples.

A short delay of the host or the GPU makes a good kernel look bad, and then also the selector that chooses it. So each
candidate is sampled at two points of the queue, those near the best longer and more often, and a sample in which the
GPU may have waited for the host is repeated.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from ...model.inexact import Inexact
from .task import SweepPolicy

SHORT_SHARE = 0.25  # of a sample's length: short ones only show which candidates are near the best
LEAST_LAUNCHES, MAX_LAUNCHES = 3, 48  # of a sample
NEAR = 1.3  # candidates this close to the best are sampled further
MAX_OFTEN, MAX_TWICE = 10, 10  # this many of them in every round, and this many more twice
AGREE = 1.08  # short samples of a candidate that differ by more are doubtful
HOPELESS = 3.0  # times the best: one more launch is enough
HOST_LAUNCH, HOST_MARKS = 6e-6, 2e-5  # seconds that the host takes to queue a launch, and the marks around a sample
FIRST_EXTRA = 1e-5  # extra seconds that a first launch may show because the host was not ahead
LEADS = (1.3, 2.5, 4.0)  # factors on the host's seconds per launch, for one attempt after the other
MAX_QUEUED = 400  # launches, of one or two kernels each: the queue takes a thousand entries


class GpuBound:
    """A candidate on each set of tensors, its first launch's seconds, its short samples and those that count."""

    __slots__ = ("calls", "first", "product_error", "samples", "short")

    def __init__(self, calls: Sequence[Callable[[Any], Any]], product_error: Inexact) -> None:
        self.calls, self.product_error = tuple(calls), product_error
        self.first = 0.0
        self.short: list[float] = []
        self.samples: list[float] = []

    @property
    def seconds(self) -> float:
        """Seconds per launch, as currently known."""
        return min(self.samples or self.short or [self.first])

    @property
    def quickest(self) -> float:
        """Minimum seconds of a launch."""
        return min(self.samples or self.short or [max(0.0, self.first - FIRST_EXTRA)])

    @property
    def doubtful(self) -> bool:
        """Whether its short samples disagree."""
        return max(self.short) > AGREE * min(self.short)


class GpuSampler:
    """Takes samples on one queue, each launch on the next of a candidate's sets."""

    def __init__(self, queue: Any) -> None:
        self._queue, self._turn, self._host_launch = queue, 0, HOST_LAUNCH

    def sample_all(self, calls: Sequence[GpuBound], policy: SweepPolicy) -> None:
        """Sample every candidate: short samples, then long ones in turn of those near the best.

        Every other round goes backwards. If there are long samples, only they count.
        """
        if not calls:
            return
        wanted = policy.sample_ms * 1e-3
        self._take_short(calls, wanted)
        ranked = sorted(calls, key=lambda c: c.seconds)
        best = ranked[0].seconds
        near = [c for c in ranked if c.seconds <= NEAR * best]
        often, twice = near[:MAX_OFTEN], near[MAX_OFTEN : MAX_OFTEN + MAX_TWICE]
        twice += [c for c in ranked if c.doubtful and c.seconds <= HOPELESS * best and c not in near]
        turns = [often if n % 2 else often[::-1] for n in range(policy.rounds)]
        self.take([*(c for turn in turns for c in turn), *twice, *twice[::-1]], wanted)
        _level(calls)

    def _take_short(self, calls: Sequence[GpuBound], wanted: float) -> None:
        """Take two short samples of each; of the hopeless ones, the first launch and one more."""
        best = min(c.first for c in calls)
        hopeless = [c for c in calls if c.first > HOPELESS * best and c.first > 0.2 * wanted]
        likely = [c for c in calls if c not in hopeless]
        self.take([*likely, *hopeless, *likely[::-1]], SHORT_SHARE * wanted, once=hopeless)
        for call in calls:
            call.short, call.samples = call.samples, []
        for call in hopeless:
            call.short.append(call.first)

    def take(self, calls: Sequence[GpuBound], seconds: float, once: Sequence[GpuBound] = ()) -> None:
        """Take a sample of each call in order, queued as a whole, then wait once; those in `once` are one launch long.

        If the GPU had caught up with the host, the sample may measure the host and is repeated.
        """
        for lead in LEADS:
            if calls:
                calls = self._attempt(calls, seconds, once, lead)

    def _attempt(
        self, calls: Sequence[GpuBound], seconds: float, once: Sequence[GpuBound], lead: float
    ) -> list[GpuBound]:
        """Take a sample of each call; return those whose sample is not valid."""
        counts = [1 if c in once else _launches(c, seconds) for c in calls]
        pauses = pauses_before([c.quickest for c in calls], counts, lead * self._host_launch)
        gc.disable()  # a collection takes longer than the lead of the host
        try:
            taken = self._queued(calls, counts, pauses)
            self._queue.wait()
        finally:
            gc.enable()
        again = []
        for call, count, begin, end, reached in taken:
            each = self._queue.seconds(begin, end) / count
            if reached and each < 3 * HOST_LAUNCH and lead != LEADS[-1]:
                again.append(call)
            else:
                call.samples.append(each)
        return again

    def _queued(self, calls: Sequence[GpuBound], counts: Sequence[int], pauses: Sequence[float]) -> list[Any]:
        """Return (call, launches, first mark, last mark, whether the GPU had caught up) of a sample of each call."""
        taken, start = [], time.perf_counter()
        for call, count, pause in zip(calls, counts, pauses, strict=True):
            if pause:
                self._queue.pause(pause)
            if count > 1:
                self._launch(call, 1)  # the previous call left its own code in the caches
            begin = self._queue.mark()
            self._launch(call, count)
            end = self._queue.mark()
            taken.append((call, count, begin, end, self._queue.reached(begin)))
        self._adapt(time.perf_counter() - start, len(calls), sum(counts) + len(counts))
        return taken

    def _launch(self, call: GpuBound, count: int) -> None:
        """Launch `count` times, each on the next set, so that operands come from memory, not from a cache."""
        stream, sets = self._queue.stream, len(call.calls)
        for turn in range(self._turn, self._turn + count):
            call.calls[turn % sets](stream)
        self._turn += count

    def _adapt(self, seconds: float, samples: int, launches: int) -> None:
        """Learn how long this host takes to queue a launch; a full queue delays it and says little."""
        each = (seconds - samples * HOST_MARKS) / max(1, launches)
        target = min(max(each, HOST_LAUNCH / 2), 3 * HOST_LAUNCH)
        self._host_launch += 0.2 * (target - self._host_launch)


def _launches(call: GpuBound, seconds: float) -> int:
    return max(LEAST_LAUNCHES, min(MAX_LAUNCHES, round(seconds / max(call.seconds, 1e-6))))


def _level(calls: Sequence[GpuBound]) -> None:
    """Give calls without long samples their short ones, scaled by the others' ratio of long to short samples.

    Marks take time too: a sixth of a short sample of short launches.
    """
    share = median(median(c.samples) / min(c.short) for c in calls if c.samples)
    for call in calls:
        if not call.samples:
            call.samples = [share * s for s in call.short]


def pauses_before(seconds: Sequence[float], counts: Sequence[int], host_launch: float = HOST_LAUNCH) -> list[float]:
    """Return how long the GPU must pause before each sample so that it is never ahead of the host; 0: not at all.

    The queue holds about a thousand launches: a pause serves the samples until the next one.
    """
    pauses, at, launches = [0.0] * len(counts), 0, MAX_QUEUED
    for place, (each, count) in enumerate(zip(seconds, counts, strict=True)):
        launches += count + 1
        if launches > MAX_QUEUED:
            at, launches = place, count + 1
        lead = (count + 1) * (host_launch - each) + HOST_MARKS
        pauses[at] += max(0.0, lead)
    return pauses
