"""The meter of GPUs: launches queued back to back over rotating buffers, verified against a reference on the GPU.

It is built for throughput. All candidates of a problem are prepared, launched and compared before the host first waits;
their samples are queued after a pause, so that the GPU never waits for the host. Three waits per problem remain: for
the comparisons, for two short samples of each candidate, and for the further samples of those near the best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...backends import device_at, get_backend_op
from ...backends.gpu.timing import clocks, sets_to_rotate
from ...backends.packed import stored
from ...jit.arrays import view_of
from ...jit.cache import Cache
from ...model.json_text import Json
from ...ops import get_op, problem_from_dict
from ...ops.device_check import DeviceCheck
from ...plan import make_plan
from ...settings import Settings
from .gpu_queue import GpuQueue
from .gpu_sampler import GpuBound, GpuSampler
from .meter import Kernels, candidate_of, outcome_of
from .task import SweepPolicy

MAX_SETS, FEW_SETS = 8, 2
SMALLEST_CACHE = 60 << 20  # bytes; that of an H200
CLOCK_SECONDS = 20.0  # a query of the driver's tool takes longer than a measurement
FATAL = ("cuda error", "illegal", "launch failure", "misaligned", "ecc", "device-side")


class GpuMeter:
    """Times launches on the one GPU that this process sees."""

    def __init__(self, policy: SweepPolicy, queue: Any = None) -> None:
        self.settings = Settings.from_env()
        self._kernels = Kernels(Cache.from_settings(self.settings))
        self._clocks: tuple[float, dict[str, Any]] = (0.0, {})
        self._queue = queue or GpuQueue()
        self._sampler = GpuSampler(self._queue)
        self._launched_before: set[str] = set()

    def prepare(self, problem: Mapping[str, Any], policy: SweepPolicy) -> None:
        """Prepare tensors on the GPU: one random set, and copies that together exceed the cache, if few can."""
        self._policy, self._problem = policy, problem_from_dict(dict(problem))
        self._op = get_op(self._problem.op)
        first = self._op.random_tensors(self._problem, policy.seed)
        cache = max(SMALLEST_CACHE, device_at(self._problem.device, self.settings).cache_bytes)
        count = sets_to_rotate(self._problem.bytes, cache, MAX_SETS) if policy.cache != "hot" else 1
        if count * self._problem.bytes <= cache:
            count = min(count, FEW_SETS)  # all stay in the cache: more would only cost time to prepare
        self._sets = [first, *({r: _copy(t) for r, t in first.items()} for _ in range(count - 1))]
        self._views = [{r: view_of(t, r) for r, t in s.items()} for s in self._sets]
        self._check: Any = self._op.checker(self._problem, first)
        self._poison = {r: first[r].clone() for r in self._op.out_roles(self._problem)}
        self._spaces: list[Any] = []

    def measure_all(self, choices: Mapping[int, Mapping[str, Any]]) -> Iterator[Json]:
        """Yield the outcome of every candidate, with all its samples. Any candidate may have caused a GPU fault."""
        bound: dict[int, GpuBound] = {}
        for index, choice in choices.items():
            try:
                bound[index] = self.bind(choice)
            except Exception as error:  # a kernel that cannot be loaded or bound does not affect the others
                if self.fatal(error):
                    raise
                yield {"index": index, "error_of": error}
        found = self._verify_all(bound)
        self._sampler.sample_all([c for i, c in bound.items() if found[i]["status"] == "ok"], self._policy)
        for index, call in bound.items():
            yield {"index": index, **found[index], "samples": call.samples, "clocks": self.clocks()}

    def bind(self, choice: Mapping[str, Any]) -> GpuBound:
        """Return the candidate's plan on every set, with its own workspace."""
        candidate = candidate_of(choice)
        spec = candidate.spec
        kernel = self._kernels.get(spec, choice["build"])
        plan = make_plan(self._problem, candidate, kernel, self.settings)
        allowed = get_backend_op(spec.backend, spec.op).product_error(spec, candidate.launch)
        parts: tuple[Any, ...] = plan.stages
        held = [stored(spec, s, lambda: kernel) for s in self._views]
        views = [{role: view_of(t, role) for role, t in s.items()} for s in held]
        stages = [s.bind_sets(views, self._space(s.workspace_bytes)) for s in parts]
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

    def verify(self, call: GpuBound, choice: Mapping[str, Any]) -> Json:
        """Launch once on a poisoned output and compare every element with the reference."""
        found = outcome_of(self._check(self._launched(call), product_error=call.product_error))
        call.first = self._queue.seconds(*self._first)
        return found

    def _launched(self, call: GpuBound) -> Any:
        """Return the output of one launch on the first set."""
        for role, poison in self._poison.items():
            self._sets[0][role].copy_(poison)
        begin = self._queue.mark()
        call.calls[0](self._queue.stream)
        self._first = (begin, self._queue.mark())
        return self._sets[0][self._op.out_roles(self._problem)[0]]

    def _verify_all(self, bound: Mapping[int, GpuBound]) -> dict[int, Json]:
        """Return the verification of every candidate; those that the quick check finds wrong are checked alone."""
        if not isinstance(self._check, DeviceCheck):
            return {i: self.verify(c, {}) for i, c in bound.items()}
        spans: dict[int, tuple[Any, Any]] = {}
        for index, call in bound.items():
            self._check.queue(self._launched(call), call.product_error)
            spans[index] = self._first
        found = dict(zip(bound, map(outcome_of, self._check.results()), strict=True))
        for index, call in bound.items():
            call.first = self._queue.seconds(*spans[index])
            if found[index]["status"] != "ok":
                found[index] = self.verify(call, {})
        return found

    def sample(self, call: GpuBound) -> float:
        """Return the seconds per launch of one sample."""
        self._sampler.take([call], self._policy.sample_ms * 1e-3)
        return call.samples[-1]

    def clocks(self) -> Json:
        """Return clocks, temperature and power, at most twenty seconds old."""
        if time.monotonic() - self._clocks[0] > CLOCK_SECONDS or not self._clocks[1]:
            self._clocks = (time.monotonic(), clocks())
        return self._clocks[1]

    def fatal(self, error: BaseException) -> bool:
        """Return whether the GPU faulted: its context is then unusable and the process must end."""
        text = str(error).lower()
        return any(word in text for word in FATAL)

    def release(self) -> None:
        """Release the tensors; kernels stay loaded."""
        self._sets, self._views, self._poison, self._spaces = [], [], {}, []
        self._check = lambda out, product_error=0.0: None


def _in_turn(launches: Sequence[Callable[[Any], Any]]) -> Callable[[Any], None]:
    def run(stream: Any) -> None:
        for launch in launches:
            launch(stream)

    return run


def _copy(tensor: Any) -> Any:
    """Return a copy with the same strides."""
    import torch

    made = torch.empty_strided(tuple(tensor.shape), tuple(tensor.stride()), dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
