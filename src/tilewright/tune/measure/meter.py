"""Meters: how one kind of device runs, verifies and samples a candidate. The measuring process uses only these."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from ...backends import get_backend_op
from ...backends.packed import stored
from ...backends.plain import spec_from_dict
from ...errors import BuildError, DeviceError
from ...jit.arrays import view_of
from ...jit.cache import Cache
from ...model.device import memory_of
from ...model.json_text import Json
from ...model.kernel import Candidate
from ...ops import get_op, problem_from_dict
from ...plan import make_plan
from ...settings import Settings
from ...store import launch_from_dict
from .quiet import QuietCpus
from .task import SweepPolicy
from .timer import refuse_emulated

TRIES = 3  # of a sample on a CPU that others use too


class Meter(Protocol):
    """One problem at a time: `prepare`, then for each candidate `bind`, `verify`, `sample`."""

    def prepare(self, problem: Mapping[str, Any], policy: SweepPolicy) -> None:
        """Prepare tensors and reference of a problem."""
        ...

    def measure_all(self, choices: Mapping[int, Mapping[str, Any]]) -> Iterator[Json] | None:
        """Yield the outcome of every candidate, with its samples; None if they are measured one by one."""
        ...

    def bind(self, choice: Mapping[str, Any]) -> Any:
        """Return a candidate, loaded and bound to the tensors."""
        ...

    def verify(self, call: Any, choice: Mapping[str, Any]) -> Json:
        """Run it once; return status, error, tolerance, tier."""
        ...

    def sample(self, call: Any) -> float:
        """Return seconds per call."""
        ...

    def clocks(self) -> Json:
        """Return the current clocks and load of the device, if known."""
        ...

    def fatal(self, error: BaseException) -> bool:
        """Return whether the process cannot continue after this error."""
        ...

    def release(self) -> None:
        """Release the tensors."""
        ...


def meter_for(device: str, policy: SweepPolicy) -> Meter:
    """Return the meter for tensors on `device`.

    >>> type(meter_for("cpu", SweepPolicy())).__name__
    'CpuMeter'
    """
    if device == "cpu":
        return CpuMeter(policy)
    refuse_emulated(device)
    if memory_of(device).startswith("cuda"):
        from .meter_gpu import GpuMeter

        return GpuMeter(policy)
    raise DeviceError(f"there is no meter for tensors on {device!r}", remedy="tune on 'cpu' or 'cuda'")


_specs: dict[str, Any] = {}


def candidate_of(choice: Mapping[str, Any]) -> Candidate:
    """Return the candidate of a plain choice; each spec is created once."""
    spec = _specs.get(choice["digest"])
    if spec is None:
        spec = _specs[choice["digest"]] = spec_from_dict(choice["spec"])
    return Candidate(spec, launch_from_dict(choice["launch"]))


class Kernels:
    """Loaded kernels by build key: each is loaded once for all problems."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._loaded: dict[str, Any] = {}

    def get(self, spec: Any, build_key: str) -> Any:
        """Return the kernel of a build, which must be in this machine's cache."""
        op, kernel = get_backend_op(spec.backend, spec.op), self._loaded.get(build_key)
        if kernel is None:
            built = bool(build_key) and not op.library(spec)
            artifact = self._cache.find(build_key) if built else None
            if built and artifact is None:
                raise BuildError(f"{spec.name} is not in the cache {self._cache.root}", remedy="build it here first")
            kernel = self._loaded[build_key] = op.load(spec, artifact)
        return kernel


class Bound:
    """A candidate bound to tensors."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call


class CpuMeter:
    """Times calls by the clock of the policy; kernels stay loaded between problems."""

    def __init__(self, policy: SweepPolicy) -> None:
        self.settings = Settings.from_env(threads=policy.threads)
        self._kernels = Kernels(Cache.from_settings(self.settings))
        self._policy = policy
        self._cpus = QuietCpus(policy.threads)
        self._shared = 0

    def prepare(self, problem: Mapping[str, Any], policy: SweepPolicy) -> None:
        """Prepare random tensors, and the reference if it is small enough to keep."""
        self._shared = 0
        self._policy, self._problem = policy, problem_from_dict(dict(problem))
        self._op = get_op(self._problem.op)
        self._tensors = self._op.random_tensors(self._problem, policy.seed)
        self._views = {role: view_of(t, role) for role, t in self._tensors.items()}
        self._check = self._op.checker(self._problem, self._tensors)
        self._poison = {r: self._tensors[r].copy() for r in self._op.out_roles(self._problem)}

    def measure_all(self, choices: Mapping[int, Mapping[str, Any]]) -> None:
        """Return None: candidates are measured one by one."""

    def bind(self, choice: Mapping[str, Any]) -> Bound:
        """Return the candidate's plan on the tensors of the problem."""
        candidate = candidate_of(choice)
        kernel = self._kernels.get(candidate.spec, choice["build"])
        views = stored(candidate.spec, self._views, lambda: kernel)
        views = {role: view_of(t, role) for role, t in views.items()}
        return Bound(make_plan(self._problem, candidate, kernel, self.settings).bind(views))

    def verify(self, call: Bound, choice: Mapping[str, Any]) -> Json:
        """Run once on a poisoned output and compare with the reference."""
        candidate = candidate_of(choice)
        spec = candidate.spec
        for role, poison in self._poison.items():
            self._tensors[role][...] = poison
        out = call.call()
        allowed = get_backend_op(spec.backend, spec.op).product_error(spec, candidate.launch)
        v = self._check(out, product_error=allowed)
        return {k: x for k, x in outcome_of(v).items() if x is not None}

    def sample(self, call: Bound) -> float:
        """Return seconds per call, on CPUs that nobody else uses; if there are none, the best of a few tries."""
        found = []
        for _ in range(TRIES):
            self._cpus.settle()
            with self._cpus.held():
                found.append(self._sample(call))
            if self._cpus.quiet():
                return found[-1]
        self._shared += 1
        return min(found)

    def _sample(self, call: Bound) -> float:
        """Return seconds per call over enough calls, the better of two halves, to ignore one interruption."""
        call.call()  # the previous candidate left its own data in the caches
        once = self._timed(call, 1)
        half = min(1000, round(0.5e-3 * self._policy.sample_ms / max(once, 1e-8)))
        return min(self._timed(call, half), self._timed(call, half)) if half else min(once, self._timed(call, 1))

    def _timed(self, call: Bound, count: int) -> float:
        run, clock = call.call, time.thread_time if self._policy.clock == "cpu" else time.perf_counter
        begin = clock()
        for _ in range(count):
            run()
        return (clock() - begin) / count

    def clocks(self) -> Json:
        """Return the load of the machine, and samples of this problem so far that other programs may have slowed down.

        Virtual machines do not report clocks.
        """
        import os

        return {"load": round(os.getloadavg()[0], 2), "shared": self._shared}

    def fatal(self, error: BaseException) -> bool:
        """Return False: nothing that Python can catch harms the process."""
        return False

    def release(self) -> None:
        """Release the tensors; kernels stay loaded."""
        self._tensors, self._views = {}, {}


def outcome_of(v: Any) -> Json:
    """Return a verification as an event of the sweep has it."""
    text = "" if v.ok else f"error {v.error:.3g} > tolerance {v.tolerance:.3g} at {v.spot}"
    return {"status": "ok" if v.ok else "wrong", "error": v.error, "tolerance": v.tolerance, "tier": v.tier,
            "message": text}  # fmt: skip
