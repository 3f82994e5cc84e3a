"""The meter of GPUs: launches queued back to back over rotating buffers, verified against a reference on the GPU.

Made for rate. All candidates of a problem are prepared, launched and compared before the host waits for the first time;
their samples are queued behind a pause, so that the GPU never waits for the host. Three waits per problem remain: for
the comparisons, for two short samples of each candidate, and for the further samples of those near the best.

No time rests on one sample: whatever holds up the host or the GPU for a moment would make a good kernel look bad, and
a selector that chooses it look bad too. Each candidate is sampled at two places of the queue; where they disagree, a
third one decides.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..backends import get_backend_op
from ..backends.triton.timing import clocks, sets_to_rotate
from ..jit.arrays import view_of
from ..jit.cache import Cache
from ..ops import get_op, problem_from_dict
from ..plan import make_plan
from ..settings import Settings
from .gpu_queue import GpuQueue
from .meter import Kernels, candidate_of, checker_of
from .task import SweepPolicy

MOST_SETS = 8
L2_BYTES = 60 << 20
CLOCK_SECONDS = 20.0  # asking the driver's tool takes longer than measuring
FIRST_SHARE = 0.25  # of a sample's length: the first two only tell which candidates are near the best
LEAST_LAUNCHES, MOST_LAUNCHES = 3, 48  # of a sample
NEAR, MOST_NEAR = 1.25, 10  # who is sampled further: this close to the best, and at most so many
AGREE = 1.08  # samples of a candidate that differ by more are doubtful
TOO_SLOW = 3.0  # a first launch this many times slower than the best is a sample itself; one more launch is the other
HOST_LAUNCH, HOST_MARKS = 6e-6, 2e-5  # seconds that the host takes to queue a launch, and the marks around a sample
FIRST_EXTRA = 1e-5  # seconds that a first launch may show beyond the kernel's own: the host was not ahead of it
LEADS = (1.3, 2.5, 4.0)  # times the host's seconds per launch that it is given, one attempt after the other
MOST_QUEUED = 400  # launches, of one or two kernels each: the queue takes a thousand entries
FATAL = ("cuda error", "illegal", "launch failure", "misaligned", "ecc", "device-side")


class GpuBound:
    """A candidate on each set of tensors, its first launch's seconds, and its samples."""

    __slots__ = ("calls", "first", "product_error", "samples")

    def __init__(self, calls: Sequence[Callable[[Any], Any]], product_error: float) -> None:
        self.calls, self.product_error = tuple(calls), product_error
        self.first = 0.0
        self.samples: list[float] = []

    @property
    def seconds(self) -> float:
        """Seconds per launch as far as they are known."""
        return min(self.samples) if self.samples else self.first

    @property
    def quickest(self) -> float:
        """Seconds that a launch takes at least."""
        return min(self.samples) if self.samples else max(0.0, self.first - FIRST_EXTRA)


class GpuMeter:
    """Times launches on the one GPU that this process sees."""

    def __init__(self, policy: SweepPolicy, queue: Any = None) -> None:
        self.settings = Settings.from_env()
        self._kernels = Kernels(Cache.from_settings(self.settings))
        self._clocks: tuple[float, dict[str, Any]] = (0.0, {})
        self._queue = queue or GpuQueue()
        self._turn, self._host_launch = 0, HOST_LAUNCH
        self._launched_before: set[str] = set()

    def prepare(self, problem: Mapping[str, Any], policy: SweepPolicy) -> None:
        """Tensors on the GPU: one random set, and copies that together exceed the L2 cache (eight at most)."""
        self._policy, self._problem = policy, problem_from_dict(dict(problem))
        self._op = get_op(self._problem.op)
        first = self._op.random_tensors(self._problem, policy.seed)
        count = sets_to_rotate(self._problem.bytes, L2_BYTES, MOST_SETS) if policy.cache != "hot" else 1
        self._sets = [first, *({r: _copy(t) for r, t in first.items()} for _ in range(count - 1))]
        self._views = [{r: view_of(t, r) for r, t in s.items()} for s in self._sets]
        self._check: Any = checker_of(self._op, self._problem, first)
        self._poison = {r: first[r].clone() for r in self._op.out_roles(self._problem)}
        self._spaces: list[Any] = []

    def measure_all(self, choices: Mapping[int, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The outcome of every candidate, with all its samples. A fault of the GPU may be anybody's: see `fatal`."""
        bound: dict[int, GpuBound] = {}
        for index, choice in choices.items():
            try:
                bound[index] = self.bind(choice)
            except Exception as error:  # a kernel that cannot be loaded or bound is no fault of the others
                if self.fatal(error):
                    raise
                yield {"index": index, "error_of": error}
        found = self._verify_all(bound)
        self._sample_all({i: c for i, c in bound.items() if found[i]["status"] == "ok"})
        for index, call in bound.items():
            yield {"index": index, **found[index], "samples": call.samples, "clocks": self.clocks()}

    def bind(self, choice: Mapping[str, Any]) -> GpuBound:
        """The candidate's plan on every set, with a workspace of its own."""
        candidate = candidate_of(choice)
        spec = candidate.spec
        kernel = self._kernels.get(spec, choice["build"])
        plan = make_plan(self._problem, candidate, kernel, self.settings)
        allowed = get_backend_op(spec.backend, spec.op).product_error(spec)
        parts: tuple[Any, ...] = plan.stages
        stages = [s.bind_sets(self._views, self._space(s.workspace_bytes)) for s in parts]
        calls = stages[0] if len(stages) == 1 else [_in_turn(launches) for launches in zip(*stages, strict=True)]
        if choice["build"] not in self._launched_before:  # the driver loads code at the first launch
            self._launched_before.add(choice["build"])
            calls[0](self._queue.stream)
        return GpuBound(calls, allowed)

    def _space(self, size: int) -> int:
        if not size:
            return 0
        self._spaces.append(self._queue.zeros(size))
        return int(self._spaces[-1].data_ptr())

    def verify(self, call: GpuBound, choice: Mapping[str, Any]) -> dict[str, Any]:
        """Launch once on a poisoned output and compare every element with the reference."""
        found = _outcome(self._check(self._launched(call), product_error=call.product_error))
        call.first = self._queue.seconds(*self._first)
        return found

    def _launched(self, call: GpuBound) -> Any:
        """The output of one launch on the first set."""
        for role, poison in self._poison.items():
            self._sets[0][role].copy_(poison)
        begin = self._queue.mark()
        call.calls[0](self._queue.stream)
        self._first = (begin, self._queue.mark())
        return self._sets[0][self._op.out_roles(self._problem)[0]]

    def _verify_all(self, bound: Mapping[int, GpuBound]) -> dict[int, dict[str, Any]]:
        """The verification of every candidate; those that a quick look finds wrong are looked at alone."""
        if not hasattr(self._check, "queue"):
            return {i: self.verify(c, {}) for i, c in bound.items()}
        spans: dict[int, tuple[Any, Any]] = {}
        for index, call in bound.items():
            self._check.queue(self._launched(call), call.product_error)
            spans[index] = self._first
        found = dict(zip(bound, map(_outcome, self._check.results()), strict=True))
        for index, call in bound.items():
            call.first = self._queue.seconds(*spans[index])
            if found[index]["status"] != "ok":
                found[index] = self.verify(call, {})
        return found

    def _sample_all(self, calls: Mapping[int, GpuBound]) -> None:
        """Two short samples of each, then further ones in turn of those near the best, every other round backwards."""
        if not calls:
            return
        best = min(c.first for c in calls.values())
        wanted = self._policy.sample_ms * 1e-3
        hopeless = [c for c in calls.values() if c.first > TOO_SLOW * best and c.first > 0.2 * wanted]
        likely = [c for c in calls.values() if c not in hopeless]
        for call in hopeless:
            call.samples.append(call.first)
        self._take([*likely, *hopeless, *likely[::-1]], FIRST_SHARE * wanted)
        ranked = sorted(calls.values(), key=lambda c: c.seconds)
        best = ranked[0].seconds
        near = [c for c in ranked[:MOST_NEAR] if c.seconds <= NEAR * best]
        rest = [c for c in ranked[len(near) :] if c.seconds <= TOO_SLOW * best]
        doubtful = [c for c in rest if max(c.samples) > AGREE * c.seconds]
        turns = [near if n % 2 else near[::-1] for n in range(2, self._policy.rounds)]
        self._take([*(c for turn in turns for c in turn), *doubtful], wanted)

    def sample(self, call: GpuBound) -> float:
        """Seconds per launch of one sample."""
        self._take([call], self._policy.sample_ms * 1e-3)
        return call.samples[-1]

    def _take(self, calls: Sequence[GpuBound], seconds: float) -> None:
        """A sample of each call in order, queued as a whole; then one wait.

        Where the GPU had caught up with the host, so that the sample may tell of the host, it is taken again.
        """
        for lead in LEADS:
            calls = self._take_once(calls, seconds, lead, last=lead == LEADS[-1])
            if not calls:
                return

    def _take_once(self, calls: Sequence[GpuBound], seconds: float, lead: float, last: bool) -> list[GpuBound]:
        """A sample of each call; answers those whose sample is worth nothing."""
        counts = [_launches(c, seconds) for c in calls]
        pauses = _pauses([c.quickest for c in calls], counts, lead * self._host_launch)
        taken = []
        gc.disable()  # a collection takes longer than the lead of the host
        start = time.perf_counter()
        for call, count, pause in zip(calls, counts, pauses, strict=True):
            if pause:
                self._queue.pause(pause)
            if count > 1:
                self._launch(call, 1)  # the one before it left its own code in the caches
            begin = self._queue.mark()
            self._launch(call, count)
            end = self._queue.mark()
            taken.append((call, count, begin, end, self._queue.reached(begin)))
        self._adapt(time.perf_counter() - start, len(calls), sum(counts) + len(counts))
        self._queue.wait()
        gc.enable()
        again = []
        for call, count, begin, end, reached in taken:
            each = self._queue.seconds(begin, end) / count
            if reached and each < 3 * HOST_LAUNCH and not last:
                again.append(call)
            else:
                call.samples.append(each)
        return again

    def _adapt(self, seconds: float, samples: int, launches: int) -> None:
        """Learn how long this host takes to queue a launch; a full queue, which holds it up, teaches little."""
        each = (seconds - samples * HOST_MARKS) / max(1, launches)
        target = min(max(each, HOST_LAUNCH / 2), 3 * HOST_LAUNCH)
        self._host_launch += 0.2 * (target - self._host_launch)

    def _launch(self, call: GpuBound, count: int) -> None:
        """Some launches, each on the next set: whoever comes after finds its operands in memory, not in a cache."""
        stream, sets = self._queue.stream, len(call.calls)
        for turn in range(self._turn, self._turn + count):
            call.calls[turn % sets](stream)
        self._turn += count

    def clocks(self) -> dict[str, Any]:
        """Clocks, temperature and power, as they were at most twenty seconds ago."""
        if time.monotonic() - self._clocks[0] > CLOCK_SECONDS or not self._clocks[1]:
            self._clocks = (time.monotonic(), clocks())
        return self._clocks[1]

    def fatal(self, error: BaseException) -> bool:
        """A fault on the GPU leaves the context unusable: the process must end."""
        text = str(error).lower()
        return any(word in text for word in FATAL)

    def release(self) -> None:
        """Let go of the tensors; kernels stay."""
        self._sets, self._views, self._poison, self._spaces = [], [], {}, []
        self._check = lambda out, product_error=0.0: None


def _launches(call: GpuBound, seconds: float) -> int:
    """How many launches a sample of about `seconds` has; one that was found hopeless is launched once more."""
    if call.samples == [call.first]:
        return 1
    return max(LEAST_LAUNCHES, min(MOST_LAUNCHES, round(seconds / max(call.seconds, 1e-6))))


def _pauses(seconds: Sequence[float], counts: Sequence[int], host_launch: float = HOST_LAUNCH) -> list[float]:
    """How long the GPU must wait before each sample so that it is never ahead of the host; 0: not at all.

    The queue takes some thousand launches: a pause serves the samples until the next one.
    """
    pauses, at, launches = [0.0] * len(counts), 0, MOST_QUEUED
    for place, (each, count) in enumerate(zip(seconds, counts, strict=True)):
        launches += count + 1
        if launches > MOST_QUEUED:
            at, launches = place, count + 1
        lead = (count + 1) * (host_launch - each) + HOST_MARKS
        pauses[at] += max(0.0, lead)
    return pauses


def _outcome(v: Any) -> dict[str, Any]:
    text = "" if v.ok else f"error {v.error:.3g} > tolerance {v.tolerance:.3g} at {v.where}"
    return {"status": "ok" if v.ok else "wrong", "error": v.error, "tolerance": v.tolerance, "tier": v.tier,
            "message": text}  # fmt: skip


def _in_turn(launches: Sequence[Callable[[Any], Any]]) -> Callable[[Any], None]:
    def run(stream: Any) -> None:
        for launch in launches:
            launch(stream)

    return run


def _copy(tensor: Any) -> Any:
    """A copy with the same strides."""
    import torch

    made = torch.empty_strided(tuple(tensor.shape), tuple(tensor.stride()), dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
