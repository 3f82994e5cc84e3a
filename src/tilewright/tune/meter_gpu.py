"""The meter of GPUs: graph replays over rotating buffers, verified against a reference that stays on the GPU.

Made for rate: tensors are drawn once per problem and copied, a graph holds enough launches for one sample, and nothing
waits for the GPU but the end of a sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ..backends import get_backend_op
from ..backends.triton.timing import CapturedCalls, clocks, sets_to_rotate
from ..jit.arrays import view_of
from ..jit.cache import Cache
from ..ops import get_op, problem_from_dict
from ..plan import make_plan
from ..settings import Settings
from .meter import Kernels, candidate_of, checker_of
from .task import SweepPolicy

MOST_SETS = 8
L2_BYTES = 60 << 20
CLOCK_SECONDS = 20.0  # asking the driver's tool takes longer than measuring
GRAPH_LAUNCHES = 512
FATAL = ("cuda error", "illegal", "launch failure", "misaligned", "ecc", "device-side")


class GpuBound:
    """A candidate on each set of tensors, and its graph once it was captured."""

    __slots__ = ("calls", "graph", "replays")

    def __init__(self, calls: list[Callable[[], Any]]) -> None:
        self.calls, self.replays = calls, 1
        self.graph: CapturedCalls | None = None


class GpuMeter:
    """Times launches on the one GPU that this process sees."""

    def __init__(self, policy: SweepPolicy) -> None:
        self.settings = Settings.from_env()
        self._kernels = Kernels(Cache.from_settings(self.settings))
        self._clocks: tuple[float, dict[str, Any]] = (0.0, {})

    def prepare(self, problem: Mapping[str, Any], policy: SweepPolicy) -> None:
        """Tensors on the GPU: one random set, and copies that together exceed the L2 cache (eight at most)."""
        self._policy, self._problem = policy, problem_from_dict(dict(problem))
        self._op = get_op(self._problem.op)
        first = self._op.random_tensors(self._problem, policy.seed)
        count = sets_to_rotate(self._problem.bytes, L2_BYTES, MOST_SETS) if policy.cache != "hot" else 1
        self._sets = [first, *({r: _copy(t) for r, t in first.items()} for _ in range(count - 1))]
        self._views = [{r: view_of(t, r) for r, t in s.items()} for s in self._sets]
        self._check = checker_of(self._op, self._problem, first)
        self._poison = {r: first[r].clone() for r in self._op.out_roles(self._problem)}

    def bind(self, choice: Mapping[str, Any]) -> GpuBound:
        """The candidate's plan on every set."""
        candidate = candidate_of(choice)
        kernel = self._kernels.get(candidate.spec, choice["build"])
        plan = make_plan(self._problem, candidate, kernel, self.settings)
        return GpuBound([plan.bind(views) for views in self._views])

    def verify(self, call: GpuBound, choice: Mapping[str, Any]) -> dict[str, Any]:
        """Launch once on a poisoned output and compare every element with the reference."""
        spec = candidate_of(choice).spec
        for role, poison in self._poison.items():
            self._sets[0][role].copy_(poison)
        out = call.calls[0]()
        allowed = get_backend_op(spec.backend, spec.op).product_error(spec)
        v = self._check(out, product_error=allowed)
        text = "" if v.ok else f"error {v.error:.3g} > tolerance {v.tolerance:.3g} at {v.where}"
        return {"status": "ok" if v.ok else "wrong", "error": v.error, "tolerance": v.tolerance, "tier": v.tier,
                "message": text}  # fmt: skip

    def sample(self, call: GpuBound, best: float | None) -> float:
        """Seconds per launch of one sample; the first time, the graph is captured and sized."""
        if call.graph is not None:
            return call.graph.sample(call.replays)
        graph = CapturedCalls(call.calls)
        graph.sample()
        once = graph.sample() * graph.launches
        wanted = self._policy.sample_ms * 1e-3
        repeat = max(1, min(GRAPH_LAUNCHES // graph.launches, round(wanted / max(once, 1e-7))))
        if repeat > 2:  # short kernels: the gaps between replays must not count
            graph = CapturedCalls(call.calls, repeat)
            graph.sample()
        call.graph = graph
        call.replays = max(1, round(wanted / max(once * (repeat if repeat > 2 else 1), 1e-7)))
        return graph.sample(call.replays)

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
        self._sets, self._views, self._poison = [], [], {}
        self._check = lambda out, product_error=0.0: None


def _copy(tensor: Any) -> Any:
    """A copy with the same strides."""
    import torch

    made = torch.empty_strided(tuple(tensor.shape), tuple(tensor.stride()), dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
