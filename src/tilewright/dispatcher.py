"""Dispatcher: takes a problem and its tensors, returns the result, and explains every step on request.

A request goes: check the tensors -> plan cache -> candidates -> rules -> selector -> build or load -> plan -> launch.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .arch import get_nominal_devices
from .backends import device_at, get_backend_op
from .errors import (
    BuildError,
    BuildForbiddenError,
    DeviceError,
    SelectionError,
    TensorError,
    TilewrightError,
    ToolchainError,
)
from .model.device import Device
from .model.kernel import Candidate, KernelSpec, PlanStep
from .model.problem import Problem, identity_of, is_problem
from .model.rule import Rejection
from .model.selector import Ranked, Selector, in_turn
from .ops import get_op
from .plan import BoundPlan, PaddedStage, Plan, Plans, PreparedCalls, make_plan
from .registry import Registry, default_registry
from .select import get_selector
from .select.decisions import Decisions
from .settings import Settings

log = logging.getLogger("tilewright")
MAX_FAILED_KERNELS = 8


@dataclass(frozen=True)
class Event:
    """Something to report to the user: a kernel that failed to build, or a choice that could not be used."""

    kind: str
    message: str
    kernel: str = ""


@dataclass(frozen=True)
class Explanation:
    """The selection of one problem: ranked candidates, removed ones with their rules, and the device."""

    problem: Problem
    device: Device
    selector: str
    ranked: tuple[Ranked, ...]
    rejected: tuple[tuple[KernelSpec, tuple[Rejection, ...]], ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""  # how the problem was changed so that a kernel accepts it

    @property
    def chosen(self) -> Ranked | None:
        """The candidate that would run, if any is left."""
        return self.ranked[0] if self.ranked else None

    @property
    def steps(self) -> tuple[PlanStep, ...]:
        """The steps of the plan that would run, with the scratch buffers between them."""
        if self.chosen is None:
            return ()
        spec = self.chosen.candidate.spec
        return get_backend_op(spec.backend, spec.op).steps(self.chosen.candidate, self.problem)

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return plain JSON data; `limit` bounds the listed candidates of each kind."""
        note = {"note": self.note} if self.note else {}
        return {
            **note,
            "problem": self.problem.to_dict(),
            "device": self.device.to_dict(),
            "selector": self.selector,
            "steps": [{"name": s.name, "buffers": dict(s.buffers)} for s in self.steps],
            "ranked": [_ranked_dict(r) for r in self.ranked[:limit]],
            "rejected": [
                {"kernel": spec.name, "digest": spec.digest, "rules": [_rejection_dict(r) for r in rejections]}
                for spec, rejections in self.rejected[:limit]
            ],
            "counts": {"ranked": len(self.ranked), "rejected": len(self.rejected), "by_rule": dict(self.counts)},
        }


class Dispatcher:
    """Chooses, builds, keeps and runs kernels. Thread-safe.

    >>> import numpy as np
    >>> from tilewright.ops import problem_from_dict
    >>> p = problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32", "layout": "rrr"})
    >>> eye, out = np.eye(2, dtype=np.float32), np.empty((2, 2), np.float32)
    >>> Dispatcher().run(p, a=eye, b=eye, out=out)[0, 0]
    np.float32(1.0)
    """

    def __init__(
        self,
        registry: Registry | None = None,
        selector: Selector | str | None = None,
        settings: Settings | None = None,
        cache: Any = None,
    ) -> None:
        self.settings = settings or Settings.from_env()
        self.registry = registry if registry is not None else default_registry()
        chosen = selector or self.settings.selector
        self.selector: Selector = get_selector(chosen, self.settings) if isinstance(chosen, str) else chosen
        self.events: list[Event] = []
        self._cache = cache
        self.calls = PreparedCalls()
        self._plans = Plans()
        self._loaded: dict[KernelSpec, Any] = {}  # kernels by their spec: opening one takes longer than a selection
        self._decisions: dict[str, Decisions] = {}
        self._lock = threading.RLock()
        self.registry.watch(self._forget_plans)
        if self.settings.verbose:
            _log_to_stderr()

    @property
    def cache(self) -> Any:
        """The kernel cache, opened at first use."""
        if self._cache is None:
            from .jit import Cache

            self._cache = Cache.from_settings(self.settings)
        return self._cache

    def device_for(self, problem: Problem, arch: str | None = None) -> Device:
        """Return the device of a problem: that of its tensors, or the nominal device of `arch`."""
        if arch is not None:
            return nominal_device(arch)
        return device_at(problem.device, self.settings)

    def explain(self, problem: Problem, arch: str | None = None) -> Explanation:
        """Return every candidate for `problem` with its predicted time, or the rule and numbers that removed it."""
        if get_op(problem.op).is_empty(problem):
            raise SelectionError(f"{problem.label()} has no elements, so no kernel runs", remedy="give sizes >= 1")
        device = self.device_for(problem, arch)
        considered = self.registry.consider(problem, device)
        ranked = self.selector.rank(problem, considered.legal, device)
        padded = None if ranked else padding_of(problem)
        if padded is not None:
            walk = self.explain(padded, arch)
            if walk.ranked:
                return replace(walk, note=f"no kernel accepts {problem.label()}: it is padded to {padded.label()}")
        return Explanation(
            problem, device, self.selector.name, tuple(ranked), tuple(considered.rejected), considered.counts()
        )

    def choose(self, problem: Problem) -> Ranked:
        """Return the selector's choice for `problem`, decided once: later calls are a dictionary lookup."""
        decisions = self._decisions.get(problem.device)
        if decisions is None:
            made = Decisions(self.registry, self.selector, self.device_for(problem))
            decisions = self._decisions.setdefault(problem.device, made)
        return decisions.choose(problem)

    def plan(self, problem: Problem) -> Plan:
        """Return the plan for `problem`: from the plan cache, or by selecting and building.

        Threads that want the same plan build it once. Threads that want other plans do not wait for it.
        """
        key = identity_of(problem)
        plan = self._plans.get(key)
        return plan if plan is not None else self._plans.get_or_make(key, lambda: self._make_plan(problem))

    def _forget_plans(self) -> None:
        """Clear the plans: the registry has changed. A plan that is being made goes into the old collection."""
        with self._lock:
            self.calls = PreparedCalls()
            self._plans = Plans()
            self._loaded = {}
            self._decisions.clear()

    def run(self, *positional: Any, problem: Problem | None = None, stream: Any = None, **tensors: Any) -> Any:
        """Compute a problem on `tensors` (by role); return the output tensor.

        `run(problem, input=x, weight=w, output=y)`. The positional form `run(x, w, y, problem)` takes the tensors in
        the order of the op's roles.
        """
        if problem is None and positional:
            problem = positional[0] if is_problem(positional[0]) else positional[-1]
            positional = tuple(p for p in positional if p is not problem)
        if not is_problem(problem):
            raise TensorError("no problem was given", remedy="call run(problem, role=tensor, ...)")
        if positional:
            tensors = _by_role(problem, positional, tensors)
        return self.bind(problem, **tensors)(stream)

    def bind(self, problem: Problem, **tensors: Any) -> BoundPlan:
        """Return a plan with its tensors and workspace; report every mismatch of the tensors at once."""
        views = self._checked(problem, tensors)
        return self.plan(problem).bind(views)

    def bind_to(self, candidate: Candidate, problem: Problem, **tensors: Any) -> BoundPlan:
        """Bind `problem` to one candidate of `explain(problem).ranked` instead of the best; no other is tried."""
        views = self._checked(problem, tensors)
        solved = self.explain(problem).problem  # padded if no kernel accepts the problem as it is
        plan = self._realise(solved, candidate)
        if solved is not problem:
            plan = Plan(problem, candidate, (PaddedStage(problem, plan),))
        return plan.bind(views)

    def _checked(self, problem: Problem, tensors: Mapping[str, Any]) -> dict[str, Any]:
        """Return views of the tensors, or raise `TensorError` with every mismatch."""
        from .jit.arrays import view_of

        op = get_op(problem.op)
        views = {role: view_of(t, role) for role, t in tensors.items() if t is not None}
        mistakes = op.mismatches(problem, views)
        if not mistakes and self.settings.strict:
            mistakes = content_mistakes(problem, {role: view.owner for role, view in views.items()})
        if mistakes:
            raise TensorError.of(f"tensors of {problem.label()}", mistakes)
        return views

    def warm_up(self, problems: Iterable[Problem], progress: Any = None) -> list[Plan]:
        """Build in parallel what `problems` will need, then plan each; nothing is compiled for them afterwards."""
        wanted = list(problems)
        specs: dict[str, KernelSpec] = {}
        for problem in wanted:
            if not get_op(problem.op).is_empty(problem):
                best = self._rank(problem)[0].candidate.spec
                specs[best.digest] = best
        if specs:
            self.registry.build(specs=list(specs.values()), cache=self.cache, settings=self.settings, progress=progress)
        return [self.plan(problem) for problem in wanted]

    def _rank(self, problem: Problem) -> Sequence[Ranked]:
        ranked = self.registry.select(problem, self.selector, self.device_for(problem))
        if ranked:
            return ranked
        explanation = self.explain(problem)  # why none is left, or the padded problem
        if not explanation.ranked:
            raise no_candidate(explanation)
        return explanation.ranked

    def _make_plan(self, problem: Problem) -> Plan:
        if get_op(problem.op).is_empty(problem):
            return Plan(problem, None, ())
        ranked = self.registry.select(problem, self.selector, self.device_for(problem))
        return self._first_usable(problem, ranked) if ranked else self._padded_plan(problem)

    def _padded_plan(self, problem: Problem) -> Plan:
        """Return the plan of a problem that no kernel accepts as it is."""
        explanation = self.explain(problem)
        if explanation.note and explanation.problem is not problem:
            self._record("padded", explanation.note, "")
            if self.settings.strict:
                raise SelectionError(explanation.note, remedy="pad the tensors yourself, or turn strict off")
            inner = self.plan(explanation.problem)
            return Plan(problem, inner.candidate, (PaddedStage(problem, inner),))
        if not explanation.ranked:
            raise no_candidate(explanation)
        return self._first_usable(problem, explanation.ranked)

    def _first_usable(self, problem: Problem, ranked: Sequence[Ranked]) -> Plan:
        """Return the plan of the best candidate that can be built or loaded; a failed kernel is tried once."""
        failures, without_tools = dict[KernelSpec, str](), dict[str, ToolchainError]()
        for choice in in_turn(ranked):
            spec = choice.candidate.spec
            if spec in failures or spec.backend in without_tools:
                continue
            if self.settings.allow_build and len(failures) >= MAX_FAILED_KERNELS:
                break  # a fault of the toolchain, not of one kernel, affects all
            try:
                plan = self._realise(problem, choice.candidate)
            except (BuildError, ToolchainError) as error:
                self._record("not-used", error.message, spec.name)
                if self.settings.strict:
                    raise
                if isinstance(error, ToolchainError):  # all kernels of the backend need the same toolchain
                    without_tools[spec.backend] = error
                else:
                    failures[spec] = error.message
                continue
            log.info("%s -> %s (%s)", problem.label(), spec.name, choice.reason)
            return plan
        if without_tools and not failures:
            raise next(iter(without_tools.values()))
        raise self._nothing_left(problem, list(failures.values()))

    def _nothing_left(self, problem: Problem, failures: list[str]) -> BuildError:
        message = f"{len(failures)} kernels for {problem.label()} could not be used; the first: {failures[0]}"
        if self.settings.allow_build:
            return BuildError(message, remedy="read the dispatcher's events, which hold every failure")
        return BuildForbiddenError(message, remedy="call warm_up(problems) or `tilewright build` first")

    def _realise(self, problem: Problem, candidate: Candidate) -> Plan:
        return make_plan(problem, candidate, self.load(candidate.spec), self.settings)

    def load(self, spec: KernelSpec) -> Any:
        """Return the loaded kernel of `spec`, built if not cached; raise `BuildForbiddenError` if that is off."""
        loaded = self._loaded
        kernel = loaded.get(spec)
        if kernel is None:
            kernel = loaded[spec] = self._load(spec)
        return kernel

    def _load(self, spec: KernelSpec) -> Any:
        op = get_backend_op(spec.backend, spec.op)
        request = op.request(spec, self.settings)
        if request is None:
            return op.load(spec, None)
        from .jit.use import load_built

        return load_built(
            request, self.cache, lambda artifact: op.load(spec, artifact), may_build=self.settings.allow_build
        )

    def _record(self, kind: str, message: str, kernel: str) -> None:
        event = Event(kind, message, kernel)
        with self._lock:
            self.events.append(event)
        log.warning("%s: %s", kind, message)


def _by_role(problem: Problem, positional: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return all tensors of a call by role; positional ones are in the order of the op's roles."""
    roles = get_op(problem.op).roles(problem)
    mistakes = [
        f"{role} is given twice, by its place and by its name" for role in roles[: len(positional)] if role in named
    ]
    if len(positional) > len(roles):
        mistakes.append(f"{len(positional)} tensors without a name were given; there are {len(roles)} roles")
    if mistakes:
        order = ", ".join((*roles, "problem"))
        raise TensorError.of(f"tensors of {problem.label()}", mistakes, remedy=f"the order is ({order})")
    return {**named, **dict(zip(roles, positional, strict=False))}


def padding_of(problem: Problem) -> Problem | None:
    """Return the problem padded so that more kernels accept it; None if its op cannot, or if nothing needs padding."""
    padded: Problem | None = get_op(problem.op).padded(problem)
    return padded


def content_mistakes(problem: Problem, tensors: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the lengths and tables in tensors, for ops that have any. Copies from a GPU."""
    from .jit.arrays import as_numpy

    op = get_op(problem.op)
    held = {role: as_numpy(tensors[role]) for role in op.index_roles if tensors.get(role) is not None}
    return op.content_mistakes(problem, held) if held else []


def nominal_device(arch: str) -> Device:
    """Return the first nominal device of `arch`, for hardware that this machine does not have.

    >>> nominal_device("gfx942").name
    'MI300X'
    """
    devices = get_nominal_devices(arch)
    if not devices:
        raise DeviceError(f"no nominal device is listed for {arch}", remedy="add one to the devices of arch_specs.json")
    return devices[0]


def no_candidate(explanation: Explanation) -> TilewrightError:
    """Return the error that says why no candidate is left."""
    label, arch = explanation.problem.label(), explanation.device.arch
    if not explanation.rejected:
        return SelectionError(
            f"no kernel is declared for {label} on {arch}",
            remedy="declare a kernel set for it, see `tilewright support`",
        )
    rules = ", ".join(f"{rule} ({count})" for rule, count in sorted(explanation.counts.items()))
    spec, rejections = explanation.rejected[0]
    removed = f"all {len(explanation.rejected)} candidates for {label} on {arch} are removed by rules: {rules}"
    return SelectionError(
        f"{removed}; for example {spec.name}: {rejections[0]}",
        remedy="see `tilewright explain`",
    )


def _ranked_dict(ranked: Ranked) -> dict[str, Any]:
    return {
        "kernel": ranked.candidate.spec.name,
        "digest": ranked.candidate.spec.digest,
        "backend": ranked.candidate.spec.backend,
        "launch": ranked.candidate.launch.label(),
        "predicted_ms": None if ranked.seconds is None else ranked.seconds * 1e3,
        "reason": ranked.reason,
    }


def _rejection_dict(rejection: Rejection) -> dict[str, Any]:
    return {
        "rule": rejection.rule,
        "message": rejection.message,
        "values": dict(rejection.values),
        "remedy": rejection.remedy,
    }


def _log_to_stderr() -> None:
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("tilewright: %(message)s"))
        log.addHandler(handler)
    log.setLevel(logging.INFO)
