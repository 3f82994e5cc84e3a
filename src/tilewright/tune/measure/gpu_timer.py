"""Time calls on a GPU by its own clock: graph replays over rotating buffers, or launches after the cache is emptied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...backends.gpu.timing import USUAL_CACHE_BYTES, CapturedCalls, clocks, sets_to_rotate, time_in_turn
from ...errors import TilewrightError
from ...model.device import memory_of
from ...model.problem import Problem
from .timer import MIN_ROUNDS, TWIN, Comparison, Policy, Timing

WARMUP_MS = 25.0
Lanes = Mapping[str, Sequence[Callable[[], Any]]]


def gpu_policy(policy: Policy) -> Policy:
    """Return the GPU policy that matches a host policy: cold stays cold, hot becomes rotating buffers.

    >>> gpu_policy(Policy()).mode, gpu_policy(Policy(cache="cold")).mode
    ('graph', 'eager')
    """
    if policy.mode == "graph" or policy.cache == "rotate":
        return policy
    cold = policy.cache == "cold"
    return replace(policy, threads=1, mode="eager" if cold else "graph", cache="cold" if cold else "rotate",
                   warmup_ms=WARMUP_MS, settle_ms=0.0, rewarm_ms=0.0)  # fmt: skip


def buffer_sets(problem: Problem, policy: Policy, cache_bytes: int) -> int:
    """Return the number of tensor sets of a policy: more than the largest cache holds if they rotate, else one.

    >>> from tilewright.ops import problem_from_dict
    >>> p = problem_from_dict({"op": "gemm", "m": 1024, "n": 1024, "k": 1024, "dtype": "fp16"})
    >>> buffer_sets(p, Policy(mode="graph", cache="rotate"), 50 << 20), buffer_sets(p, Policy(cache="cold"), 50 << 20)
    (17, 1)
    """
    return sets_to_rotate(problem.bytes, cache_bytes or USUAL_CACHE_BYTES) if policy.cache == "rotate" else 1


class GpuTimer:
    """Times calls on torch's current GPU. Each lane is a sequence of calls, one per set of tensors.

    `graph` replays a graph that holds each call once; `eager` launches one by one between two events, after a write of
    twice the largest cache if the policy is cold. Clocks, temperature and power are recorded afterwards.
    """

    name = "cuda"

    def __init__(self, cache_bytes: int = 0) -> None:
        self._flush_bytes = 2 * (cache_bytes or USUAL_CACHE_BYTES)

    def compare(self, calls: Mapping[str, Any], policy: Policy) -> Comparison:
        """Sample all lanes in turn under `policy`."""
        if not calls:
            raise TilewrightError("nothing was given to time", remedy="give at least one call")
        lanes: Lanes = {n: tuple(c) if isinstance(c, Sequence) else (c,) for n, c in calls.items()}
        samples, counts = (self._graphs if policy.mode == "graph" else self._launches)(lanes, policy)
        timings = {name: Timing.of(samples[name], counts[name]) for name in lanes}
        twin = Timing.of(samples[TWIN], counts[TWIN])
        notes = {"sets": len(next(iter(lanes.values()))), "clocks": clocks()}
        return Comparison(timings, twin, policy, notes)

    def _graphs(self, lanes: Lanes, policy: Policy) -> tuple[dict[str, Any], dict[str, int]]:
        graphs = {name: CapturedCalls(calls) for name, calls in lanes.items()}
        graphs[TWIN] = graphs[next(iter(lanes))]
        found = time_in_turn(graphs, max(policy.rounds, MIN_ROUNDS), policy.min_sample_ms, policy.warmup_ms)
        return {n: s.samples for n, s in found.items()}, {n: g.launches for n, g in graphs.items()}

    def _launches(self, lanes: Lanes, policy: Policy) -> tuple[dict[str, Any], dict[str, int]]:
        lanes = {**lanes, TWIN: lanes[next(iter(lanes))]}
        counts = {}
        for name, calls in lanes.items():
            once = self._sample(calls, 1, policy)
            counts[name] = max(1, min(200, round(policy.min_sample_ms * 1e-3 / max(once, 1e-7))))
        samples: dict[str, list[float]] = {name: [] for name in lanes}
        for _ in range(policy.rounds):
            for name, calls in lanes.items():
                samples[name].append(self._sample(calls, counts[name], policy))
        return samples, counts

    def _sample(self, calls: Sequence[Callable[[], Any]], count: int, policy: Policy) -> float:
        """Return the mean seconds per call of `count` calls, each between two events."""
        import torch as torch_module

        torch: Any = torch_module  # its CUDA classes have no types
        flush = torch.empty(self._flush_bytes, dtype=torch.int8, device="cuda") if policy.cache == "cold" else None
        pairs = []
        for i in range(count):
            if flush is not None:
                flush.zero_()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            calls[i % len(calls)]()
            end.record()
            pairs.append((begin, end))
        torch.cuda.synchronize()
        return sum(float(b.elapsed_time(e)) for b, e in pairs) * 1e-3 / count


def wait_for(device: str) -> None:
    """Wait until the device has finished its launches; return at once for the host.

    >>> wait_for("cpu")
    """
    if memory_of(device) != "cpu":
        import torch

        torch.cuda.synchronize(memory_of(device))
