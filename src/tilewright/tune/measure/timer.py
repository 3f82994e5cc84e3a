"""Timers: time calls in turn (A B A B ...), and measure the noise of the machine.

Ratios between calls come from one interleaved run, round by round, so that a machine that drifts slows both sides
equally. The first call is timed twice under two names; the deviation of its ratio to itself from 1 is the noise floor.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import repeat
from statistics import median
from typing import Any, Protocol

from ...errors import DeviceError, TilewrightError, check_known
from ...model.device import is_emulated, memory_of

TWIN = "(self)"  # the name under which the first call is timed a second time
CACHES = ("hot", "cold", "rotate")
MODES = ("eager", "graph")
QUIET_NOISE = 0.05  # headlines rest on runs with no more noise than this
MIN_ROUNDS = 3
Calls = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True)
class Policy:
    """How times are taken; recorded with every result.

    `cache` "hot" calls again on the same tensors; "cold" evicts them before every call; "rotate" (on a GPU) cycles
    through more tensors than the L2 cache holds. `mode` "graph" replays recorded launches. A sample is as many calls as
    fill `min_sample_ms`. `settle_ms` is the pause before each sample in which the worker threads of the previous call
    go to sleep; calls for `rewarm_ms` then wake those of the next one. After `max_seconds` no further round starts, but
    there are always three.

    >>> Policy.for_threads(1).settle_ms < Policy.for_threads(2).settle_ms
    True
    """

    threads: int = 1
    cache: str = "hot"
    mode: str = "eager"
    rounds: int = 11
    warmup_ms: float = 20.0
    min_sample_ms: float = 5.0
    settle_ms: float = 3.0
    rewarm_ms: float = 1.0
    max_seconds: float = 10.0

    def __post_init__(self) -> None:
        check_known("cache policy", self.cache, CACHES)
        check_known("timing mode", self.mode, MODES)
        if self.rounds < MIN_ROUNDS:
            raise TilewrightError(f"rounds is {self.rounds}; at least {MIN_ROUNDS} are needed for a median")

    @classmethod
    def for_threads(cls, threads: int, **changes: Any) -> Policy:
        """Return the policy for `threads` threads: with workers, each sample waits until idle ones stop spinning.

        libgomp keeps its workers spinning for milliseconds; OpenBLAS far longer (`settings.QUIET_BLAS` shortens that).
        """
        return cls(threads=threads, settle_ms=changes.pop("settle_ms", 3.0 if threads == 1 else 40.0), **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class Timing:
    """Seconds per call: the median of the samples, and their quartiles.

    >>> Timing.of([1.0, 2.0, 3.0], calls=1).seconds
    2.0
    """

    seconds: float
    low: float
    high: float
    calls: int
    samples: tuple[float, ...] = field(repr=False)

    @classmethod
    def of(cls, samples: Sequence[float], calls: int) -> Timing:
        """Return the timing of some samples, each the mean of `calls` calls."""
        ordered = sorted(samples)
        quarter = (len(ordered) - 1) / 4
        return cls(median(ordered), ordered[int(quarter)], ordered[-1 - int(quarter)], calls, tuple(samples))

    @property
    def spread(self) -> float:
        """The distance of the quartiles relative to the median."""
        return (self.high - self.low) / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Comparison:
    """Timings of one interleaved run, by name in the order given; `notes` has observations such as clocks."""

    timings: Mapping[str, Timing]
    twin: Timing
    policy: Policy
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The call that the others are compared with."""
        return next(iter(self.timings))

    def ratio(self, name: str) -> float:
        """Return the time of this call divided by that of the first: the median over the rounds.

        >>> t = Timing.of([1.0, 1.0, 1.0], 1)
        >>> Comparison({"ours": t, "theirs": Timing.of([2.0, 2.0, 3.0], 1)}, t, Policy()).ratio("theirs")
        2.0
        """
        return _ratio(self.timings[name], self.timings[self.first])

    def interval(self, name: str) -> tuple[float, float]:
        """Return the smallest and the largest ratio of the rounds, without the outer tenth on each side.

        >>> t = Timing.of([1.0, 1.0, 1.0], 1)
        >>> Comparison({"ours": t, "theirs": Timing.of([2.0, 2.0, 3.0], 1)}, t, Policy()).interval("theirs")
        (2.0, 3.0)
        """
        found = sorted(_ratios(self.timings[name], self.timings[self.first]))
        outer = (len(found) - 1) // 10
        return found[outer], found[-1 - outer]

    @property
    def noise_floor(self) -> float:
        """The deviation of the first call's ratio to itself from 1; smaller differences are not significant."""
        return abs(_ratio(self.twin, self.timings[self.first]) - 1.0)

    @property
    def noise(self) -> float:
        """The noise floor, or half the relative width of the widest interval of a ratio if that is more.

        >>> t = Timing.of([1.0, 1.0, 1.0], 1)
        >>> Comparison({"ours": t, "theirs": Timing.of([2.0, 2.0, 3.0], 1)}, t, Policy()).noise
        0.25
        """
        widths = [(high - low) / (2 * self.ratio(n)) for n in self.timings for low, high in [self.interval(n)]]
        return max(self.noise_floor, *widths)

    @property
    def quiet(self) -> bool:
        """Whether the run was steady enough for a headline."""
        return self.noise <= QUIET_NOISE


def _ratios(of: Timing, to: Timing) -> list[float]:
    return [x / y for x, y in zip(of.samples, to.samples, strict=True)]


def _ratio(of: Timing, to: Timing) -> float:
    return median(_ratios(of, to))


class Timer(Protocol):
    """Times calls of one kind of device. The others are compared with the first call."""

    name: str

    def compare(self, calls: Calls, policy: Policy) -> Comparison:
        """Time all calls in turn under `policy`; each call must leave its device idle or be waited for."""
        ...


class CpuTimer:
    """Times calls on the host by its clock.

    `clock` returns nanoseconds. `evict` empties the caches for the cold policy; by default it overwrites
    `evict_bytes`, which must exceed the last-level cache.

    >>> result = CpuTimer().compare({"sum": lambda: sum(range(100))}, Policy(rounds=3, min_sample_ms=0.1, settle_ms=0))
    >>> result.timings["sum"].seconds > 0
    True
    """

    name = "cpu"

    def __init__(
        self,
        clock: Callable[[], int] = time.perf_counter_ns,
        evict: Callable[[], Any] | None = None,
        evict_bytes: int = 64 << 20,
    ) -> None:
        self._clock = clock
        self._evict = evict or _overwriter(evict_bytes)

    def compare(self, calls: Calls, policy: Policy) -> Comparison:
        """Time all calls in turn, with the garbage collector disabled."""
        if not calls:
            raise TilewrightError("nothing was given to time", remedy="give at least one call")
        lanes = [*calls.items(), (TWIN, calls[next(iter(calls))])]
        collecting = gc.isenabled()
        gc.disable()
        try:
            counts = {name: self._warm_up(call, policy) for name, call in calls.items()}
            counts[TWIN] = next(iter(counts.values()))
            samples = self._rounds(lanes, counts, policy)
        finally:
            if collecting:
                gc.enable()
        timings = {name: Timing.of(samples[name], counts[name]) for name in calls}
        return Comparison(timings, Timing.of(samples[TWIN], counts[TWIN]), policy)

    def _rounds(
        self, lanes: list[tuple[str, Callable[[], Any]]], counts: Mapping[str, int], policy: Policy
    ) -> dict[str, list[float]]:
        samples: dict[str, list[float]] = {name: [] for name, _ in lanes}
        end = self._clock() + int(policy.max_seconds * 1e9)
        for number in range(policy.rounds):
            for name, call in turned(lanes, number):
                samples[name].append(self._sample(call, counts[name], policy))
            if number + 1 >= MIN_ROUNDS and self._clock() > end:
                break
        return samples

    def _sample(self, call: Callable[[], Any], count: int, policy: Policy) -> float:
        """Return seconds per call, after the previous sample's threads could go to sleep and this call's could wake."""
        time.sleep(policy.settle_ms / 1e3)
        awake = self._clock() + policy.rewarm_ms * 1e6
        call()
        while self._clock() < awake:
            call()
        if policy.cache == "cold":
            self._evict()
        start = self._clock()
        for _ in repeat(None, count):
            call()
        return (self._clock() - start) / 1e9 / count

    def _warm_up(self, call: Callable[[], Any], policy: Policy) -> int:
        """Run `call` until it is warm; return how many calls make one sample."""
        start, done = self._clock(), 0
        while done < 2 or self._clock() - start < policy.warmup_ms * 1e6:
            call()
            done += 1
        if policy.cache == "cold":
            return 1
        begin = self._clock()
        call()
        once = max(1, self._clock() - begin)
        once = min(once, max(1, (begin - start) // done))
        return max(1, round(policy.min_sample_ms * 1e6 / once))


def turned(lanes: list[Any], number: int) -> list[Any]:
    """Return the lanes in the order of a round, so that none always follows the same neighbour.

    Every other round goes backwards, and every second pair of rounds starts with another lane.

    >>> [turned(["a", "b", "c"], number) for number in range(3)]
    [['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'c', 'a']]
    """
    start = number // 2 % len(lanes)
    turned = lanes[start:] + lanes[:start]
    return turned[::-1] if number % 2 else turned


def _overwriter(size: int) -> Callable[[], Any]:
    buffer: Any = None

    def overwrite() -> None:
        nonlocal buffer
        import numpy as np

        if buffer is None:
            buffer = np.zeros(size // 8, np.int64)
        buffer += 1

    return overwrite


def refuse_emulated(place: str) -> None:
    """Raise an error if the device at `place` is emulated: its times say nothing about a GPU.

    >>> refuse_emulated("cpu")
    """
    if is_emulated(place):
        raise DeviceError(
            f"{place} is an emulated GPU, whose times say nothing about a real one",
            remedy="use `tilewright run --check` there, and measure on the GPU itself",
        )


def timer_for(device: str, evict_bytes: int = 64 << 20) -> Timer:
    """Return the timer of the tensors' device; `evict_bytes` is twice its last-level cache.

    >>> timer_for("cpu").name
    'cpu'
    """
    if device == "cpu":
        return CpuTimer(evict_bytes=evict_bytes)
    refuse_emulated(device)
    if memory_of(device).startswith("cuda"):
        from .gpu_timer import GpuTimer

        return GpuTimer(evict_bytes // 2)
    raise DeviceError(f"there is no timer for tensors on {device!r}", remedy="use tensors on 'cpu' or 'cuda'")
