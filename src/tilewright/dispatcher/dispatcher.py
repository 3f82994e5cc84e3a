"""Dispatcher: takes a problem and its tensors, returns the result, and explains every step on request.

A request goes: check the tensors -> plan cache -> candidates -> rules -> selector -> build or load -> plan -> launch.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..arch import get_arch
from ..backends import device_at, get_backend_op
from ..backends.packed import stored
from ..errors import (
    BuildError,
    BuildForbiddenError,
    CaptureError,
    SelectionError,
    TensorError,
    TilewrightError,
    ToolchainError,
    count_mistakes,
)
from ..model.arch import CpuArch
from ..model.device import Device
from ..model.fields import check_fields
from ..model.kernel import Candidate, KernelSpec
from ..model.locks import new_rlock
from ..model.problem import MAX_SHAPE_CLASSES, Problem, ShapeClass, identity_of, is_problem, key_of
from ..model.selector import Ranked, Selector, in_turn
from ..model.summation import ANY
from ..ops import get_op
from ..plan import BoundPlan, PaddedStage, Plan, Plans, PreparedCalls, empty_plan, make_plan
from ..registry import Registry, default_registry
from ..select import get_selector
from ..select.decisions import Decisions
from ..select.rounded import ROUNDING, rounded
from ..settings import Settings
from .arguments import by_role, checked_views
from .contest import WithLibraries, enter
from .explanation import Event, Explanation, no_candidate, padding_of
from .nominal import nominal_device
from .policy import is_captured, policy_for, refuse_capture
from .reuse import ReuseKernels
from .stand_in import StandIn, StandIns

log = logging.getLogger("tilewright")
MAX_FAILED_KERNELS = 8
DETOURS = 32  # calls through a contest that is over that cost as much as preparing a call
EXPECTED = ("stand-in", "switched", "contest")  # events that are part of normal work: only `verbose` shows them


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
        *,
        build: str | None = None,
        stand_in: StandIn | None = None,
    ) -> None:
        self.settings = settings or Settings.from_env()
        if build is not None:
            self.settings = replace(self.settings, build=Settings.from_env({}, build=build).build)
        self.stand_in = stand_in
        self.registry = registry if registry is not None else default_registry(vendor=self.settings.vendor)
        chosen = selector or self.settings.selector
        chosen = get_selector(chosen, self.settings) if isinstance(chosen, str) else chosen
        if self.settings.build == "background":
            chosen = ReuseKernels(chosen, self.settings, self._used_kernels)
        self.selector: Selector = WithLibraries(chosen, self.settings) if self.settings.vendor else chosen
        self.events: list[Event] = []
        self._cache = cache
        self.calls = PreparedCalls()
        self._other_mode: tuple[PreparedCalls, Plans, set[ShapeClass], dict[str, Decisions]] | None = None
        self._detours = 0  # calls through contests that are over, since calls were forgotten
        self._plans = Plans()
        self._settled: set[ShapeClass] = set()  # shape classes whose kernels were chosen, built and loaded
        self._loaded: dict[str, tuple[KernelSpec, Any]] = {}  # by digest
        self._wanted: dict[str, KernelSpec] = {}  # kernels of `warm_up`, by digest
        self._decisions: dict[str, Decisions] = {}
        self._devices: dict[str, Device] = {}  # by the name that tensors give them
        self._rehearsed: dict[Any, Problem] | None = None
        self._lock = new_rlock()
        self._stand_ins = StandIns(self)
        self.registry.watch(self._forget_plans)
        if self.settings.verbose:
            _log_to_stderr()

    @property
    def cache(self) -> Any:
        """The kernel cache, opened at first use."""
        if self._cache is None:
            from ..jit import Cache

            self._cache = Cache.from_settings(self.settings)
        return self._cache

    def device_for(self, problem: Problem, arch: str | None = None) -> Device:
        """Return the device of a problem: that of its tensors, looked for once, or the nominal device of `arch`."""
        if arch is not None:
            return nominal_device(arch)
        found = self._devices.get(problem.device)
        if found is None:  # every new shape asks, and finding devices and compilers takes longer than choosing a kernel
            found = self._devices[problem.device] = device_at(problem.device, self.settings)
        return found

    def explain(self, problem: Problem, arch: str | None = None) -> Explanation:
        """Return every candidate for `problem` with its predicted time, or the rule and numbers that removed it."""
        if get_op(problem.op).is_empty(problem):
            raise SelectionError(f"{problem.label()} has no elements, so no kernel runs", remedy="give sizes >= 1")
        device = self.device_for(problem, arch)
        decisions = self._decisions_of(problem, arch)
        ordered = decisions.with_one_order(problem)
        considered = self.registry.consider(ordered, device)
        ranked = self.selector.rank(ordered, considered.legal, device)
        if ranked:
            ranked = decisions.rank(ordered, ranked)
        padded = None if ranked else padding_of(problem, device)
        if padded is not None:
            walk = self.explain(padded, arch)
            if walk.ranked:
                return replace(walk, note=f"no kernel accepts {problem.label()}: it is padded to {padded.label()}")
        asked = rounded(problem, device) if self.selector.name in ROUNDING else problem
        return Explanation(
            problem, device, self.selector.name, tuple(ranked), tuple(considered.rejected), considered.counts(),
            predicted_as="" if identity_of(asked) == identity_of(problem) else asked.label(),
            summation="" if ordered.summation == ANY else ordered.summation,
        )  # fmt: skip

    def choose(self, problem: Problem) -> Ranked:
        """Return the selector's choice for `problem`, decided once: later calls are a dictionary lookup."""
        return self._decisions_of(problem).choose(problem)

    def _decisions_of(self, problem: Problem, arch: str | None = None) -> Decisions:
        """Return the decisions for the device of a problem, or for the nominal device of `arch`."""
        self.follow_mode()
        place = arch or problem.device
        found = self._decisions.get(place)
        if found is None:
            made = Decisions(self.registry, self.selector, self.device_for(problem, arch))
            found = self._decisions.setdefault(place, made)
        return found

    def plan(self, problem: Problem) -> Plan:
        """Return the plan for `problem`: from the plan cache, or by selecting and building.

        Threads that want the same plan build it once. Threads that want other plans do not wait for it.
        """
        self.follow_mode()
        key = key_of(problem, get_op(problem.op).extents)
        rehearsed = self._rehearsed  # another thread may end the rehearsal now
        if rehearsed is not None:
            rehearsed[key] = problem
            return empty_plan(problem)
        plans = self._plans  # taken before the choice: a change of the registry meanwhile leaves this plan behind
        plan = plans.get(key)
        if plan is None:
            plan = self._plan_like_others(problem, key)
            if plan is not None:
                return plans.put(key, enter(self, problem, plan) if self.settings.vendor else plan)
            plan = plans.get_or_make(key, lambda: self._make_plan(problem))
            if plan.candidate is not None and plan.awaits is None and isinstance(key[0], ShapeClass):
                if len(self._settled) >= MAX_SHAPE_CLASSES:
                    self._settled.clear()
                self._settled.add(key[0])
        if plan.awaits is not None and plan.awaits.done():  # a stand-in whose successor is built, or failed; a contest
            self._plans.drop(key, plan)
            return self.plan(problem) if plan.successor is None else self._plans.put(key, plan.successor)
        return plan

    def _plan_like_others(self, problem: Problem, key: tuple[Any, ...]) -> Plan | None:
        """Return the plan of a problem that differs from planned ones only in size, if its kernel is loaded.

        That needs neither a policy nor a turn.
        """
        if key[0] not in self._settled:
            return None
        decisions = self._decisions_of(problem)
        choice = decisions.shared(problem)
        loaded = None if choice is None else self._loaded.get(choice.candidate.spec.digest)
        if choice is None or loaded is None:
            return None
        self.selector.note(problem, decisions.device, choice)  # type: ignore[attr-defined]
        self._log_choice(problem, choice)
        return make_plan(problem, choice.candidate, loaded[1], self.settings)

    def plan_if_loaded(self, problem: Problem) -> Plan | None:
        """Return a plan, which is not kept, of a problem like planned ones but for sizes; None if nothing is loaded."""
        return self._plan_like_others(problem, key_of(problem, get_op(problem.op).extents))

    def _log_choice(self, problem: Problem, choice: Ranked) -> None:
        if log.isEnabledFor(logging.INFO):
            log.info("%s -> %s (%s)", problem.label(), choice.candidate.spec.name, choice.reason)

    def _forget_plans(self) -> None:
        """Clear the plans: the registry has changed. A plan that is being made goes into the old collection."""
        with self._lock:
            self.calls = PreparedCalls(self.calls.deterministic)
            self._plans = Plans()
            self._settled = set()
            self._loaded = {}
            self._other_mode = None
            self._decisions = {place: made.renewed() for place, made in self._decisions.items()}

    def follow_mode(self) -> None:
        """Use the calls, plans and choices that belong to torch's mode now. Every call asks; C asks for known ones.

        In the deterministic mode runs must agree: neither a library that won a contest nor a stand-in computes then.
        """
        if is_deterministic() is self.calls.deterministic or self._rehearsed is not None:
            return
        with self._lock:
            now = is_deterministic()
            if now is not self.calls.deterministic:
                mine = self.calls, self._plans, self._settled, self._decisions
                renewed = {place: made.renewed() for place, made in self._decisions.items()}
                other = self._other_mode or (PreparedCalls(now), Plans(), set(), renewed)
                self.calls, self._plans, self._settled, self._decisions = other
                self._other_mode = mine

    @contextmanager
    def rehearsal(self) -> Iterator[Mapping[Any, Problem]]:
        """Collect the problems of every call on this dispatcher, in all threads; nothing is built and nothing runs.

        Results have their shapes, and any values. `warm_up` then builds what the collected problems need.

        >>> import numpy as np, tilewright
        >>> dispatcher = Dispatcher()
        >>> with dispatcher.rehearsal() as problems:
        ...     _ = tilewright.gemm(np.ones((4, 2), "f4"), np.ones((2, 3), "f4"), dispatcher=dispatcher)
        >>> [problem.label() for problem in problems.values()]
        ['gemm 4x3x2 fp32_rrr']
        """
        with self._lock:
            if self._rehearsed is not None:
                raise TilewrightError("a rehearsal of this dispatcher is running", remedy="end it first")
            found: dict[Any, Problem] = {}
            kept, rehearsed = self.calls, PreparedCalls(self.calls.deterministic)
            self._rehearsed, self.calls = found, rehearsed
        try:
            yield found
        finally:
            with self._lock:
                # Calls that were forgotten meanwhile stay forgotten: they may run kernels of plans that are gone.
                self._rehearsed = None
                self.calls = kept if self.calls is rehearsed else PreparedCalls(kept.deterministic)

    def forget_calls(self) -> None:
        """Forget the prepared calls, of the other mode too: their next ones ask for a plan again."""
        with self._lock:
            self.calls = PreparedCalls(self.calls.deterministic)
            if self._other_mode is not None:
                calls, plans, settled, decisions = self._other_mode
                self._other_mode = PreparedCalls(calls.deterministic), plans, settled, decisions

    def note_detour(self) -> None:
        """Count a call through a contest that is over; forget the calls when that costs as much as preparing them.

        A net has a contest for many of its layers: each of them would let all calls of the net be prepared again.
        """
        self._detours += 1
        if self._detours >= DETOURS * len(self.calls):
            self._detours = 0
            self.forget_calls()

    def wait_for_builds(self, seconds: float | None = None) -> bool:
        """Wait until everything that is compiled in the background is done; False if that takes longer.

        >>> Dispatcher(build="background").wait_for_builds()
        True
        """
        return self._stand_ins.wait(seconds)

    @property
    def open_contests(self) -> int:
        """How many problems compare our kernel with a library in their calls (docs/vendor.md).

        >>> Dispatcher().open_contests
        0
        """
        plans = self._plans.all()
        return sum(plan.contest is not None and plan.awaits is not None and not plan.awaits.done() for plan in plans)

    @property
    def is_rehearsing(self) -> bool:
        """Whether a `rehearsal` is running: problems are recorded, and nothing is built.

        >>> Dispatcher().is_rehearsing
        False
        """
        return self._rehearsed is not None

    def is_built(self, spec: KernelSpec) -> bool:
        """Return whether a kernel is in the cache, or needs no build.

        >>> from tilewright.ops import problem_from_dict
        >>> dispatcher = Dispatcher()
        >>> plan = dispatcher.plan(problem_from_dict({"op": "gemm", "m": 4, "n": 3, "k": 2, "dtype": "fp32"}))
        >>> dispatcher.is_built(plan.candidate.spec)
        True
        """
        return spec.digest in self._loaded or self._stand_ins.is_built(spec)

    def _used_kernels(self) -> list[KernelSpec]:
        """Return the kernels that are loaded, being built, or to be built by `warm_up`."""
        loaded = [spec for spec, _ in self._loaded.copy().values()]
        return [*loaded, *self._stand_ins.building(), *self._wanted.copy().values()]

    def build_later(self, spec: KernelSpec) -> None:
        """Compile a kernel in the background, once."""
        self._stand_ins.build(spec)

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
            tensors = by_role(problem, positional, tensors)
        views = checked_views(problem, tensors, self.settings.strict)
        plan = self.plan(problem)
        if plan.contest is not None and stream is None:
            return plan.contest.run(plan.bind(views), views)
        return plan.bind(views)(stream)

    def bind(self, problem: Problem, **tensors: Any) -> BoundPlan:
        """Return a plan with its tensors and workspace; report every mismatch of the tensors at once.

        A bound plan never switches to another kernel, so this waits for the best one unless builds are forbidden. Each
        call of it checks the contents of lengths and tables in host memory again.
        """
        views = checked_views(problem, tensors, self.settings.strict)
        plan = self.plan(problem)
        if plan.contest is None and self._stand_ins.is_building(plan) and not isinstance(plan.stages[0], PaddedStage):
            plan = self._best_usable(problem, self._rank(problem))
        return plan.bind(views, reads_indices=True)

    def bind_to(self, candidate: Candidate, problem: Problem, **tensors: Any) -> BoundPlan:
        """Bind `problem` to one candidate of `explain(problem).ranked` instead of the best; no other is tried."""
        views = checked_views(problem, tensors, self.settings.strict)
        solved = self.explain(problem).problem  # padded if no kernel accepts the problem as it is
        plan = self.realise(solved, candidate)
        if solved is not problem:
            plan = Plan(problem, candidate, (PaddedStage(problem, plan),))
        return plan.bind(views, reads_indices=True)

    def stored(self, problem: Problem, tensors: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return tensors of a problem as its kernels read them: B is packed if the problem has a packed format.

        >>> from tilewright.ops import get_op, problem_from_dict
        >>> dispatcher = Dispatcher()
        >>> problem = problem_from_dict({"op": "gemm", "m": 4, "n": 3, "k": 2, "dtype": "fp32"})
        >>> tensors = get_op("gemm").random_tensors(problem, 0)
        >>> dispatcher.stored(problem, tensors) is tensors
        True
        """
        if not get_op(problem.op).packed(problem):
            return tensors
        candidate = self.plan(problem).candidate
        return tensors if candidate is None else stored(candidate.spec, tensors, lambda: self.load(candidate.spec))

    def warm_up(self, problems: Iterable[Problem], progress: Any = None, jobs: int | None = None) -> list[Plan]:
        """Build in parallel what `problems` will need, then plan each; nothing is compiled for them afterwards.

        `jobs` kernels are compiled at a time; None: as many as the setting `build_workers` says.
        """
        wanted = list(problems)
        specs: dict[str, KernelSpec] = {}
        for problem in wanted:
            if not get_op(problem.op).is_empty(problem):
                best = self._rank(problem)[0].candidate.spec
                specs[best.digest] = self._wanted[best.digest] = best
        if specs:
            options = {"cache": self.cache, "settings": self.settings, "progress": progress}
            self.registry.build(jobs, specs=list(specs.values()), **options)
            self._stand_ins.kernels_are_built()
        return [self.plan(problem) for problem in wanted]

    def _rank(self, problem: Problem) -> Sequence[Ranked]:
        ranked = self._decisions_of(problem).rank(problem)
        if ranked:
            return ranked
        explanation = self.explain(problem)  # why none is left, or the padded problem
        if not explanation.ranked:
            raise no_candidate(explanation)
        return explanation.ranked

    def _make_plan(self, problem: Problem) -> Plan:
        """Return the plan of a problem: its candidates are ranked, and the best one is built if it must be."""
        if get_op(problem.op).is_empty(problem):
            return empty_plan(problem)
        if policy_for(self.settings, problem) == "background":
            plan = self._stand_ins.at_once(problem, self._rank)
            if plan is not None:
                return plan
        ranked = self._decisions_of(problem).rank(problem)
        if not ranked:
            return self._padded_plan(problem)
        return enter(self, problem, self._first_usable(problem, ranked))

    def _padded_plan(self, problem: Problem) -> Plan:
        """Return the plan of a problem that no kernel accepts as it is."""
        explanation = self.explain(problem)
        if explanation.note and explanation.problem is not problem:
            self.record("padded", explanation.note, "")
            if self.settings.strict:
                raise SelectionError(explanation.note, remedy="pad the tensors yourself, or turn strict off")
            inner = self.plan(explanation.problem)
            plan = Plan(problem, inner.candidate, (PaddedStage(problem, inner),))
            plan.awaits = inner.awaits
            return plan
        if not explanation.ranked:
            raise no_candidate(explanation)
        return self._first_usable(problem, explanation.ranked)

    def _first_usable(self, problem: Problem, ranked: Sequence[Ranked]) -> Plan:
        """Return the plan of the best candidate that can be built or loaded; a failed kernel is tried once.

        With the policy `background` that is a stand-in, if there is any, until the best one is built.
        """
        if policy_for(self.settings, problem) == "background":
            plan = self._stand_ins.plan(problem, ranked, MAX_FAILED_KERNELS)
            if plan is not None:
                return plan
        return self._best_usable(problem, ranked)

    def _best_usable(self, problem: Problem, ranked: Sequence[Ranked]) -> Plan:
        failures, without_tools = dict[KernelSpec, str](), dict[str, ToolchainError]()
        for choice in in_turn(ranked):
            spec = choice.candidate.spec
            if spec in failures or spec.backend in without_tools:
                continue
            if self.settings.may_build and len(failures) >= MAX_FAILED_KERNELS:
                break  # a fault of the toolchain, not of one kernel, affects all
            try:
                plan = self.realise(problem, choice.candidate)
            except CaptureError:
                raise
            except (BuildError, ToolchainError) as error:
                self.record("not-used", error.message, spec.name)
                if self.settings.strict:
                    raise
                if isinstance(error, ToolchainError):  # all kernels of the backend need the same toolchain
                    without_tools[spec.backend] = error
                else:
                    failures[spec] = error.message
                continue
            self._log_choice(problem, choice)
            return plan
        if without_tools and not failures:
            raise next(iter(without_tools.values()))
        raise self._nothing_left(problem, list(failures.values()))

    def _nothing_left(self, problem: Problem, failures: list[str]) -> BuildError:
        message = f"{len(failures)} kernels for {problem.label()} could not be used; the first: {failures[0]}"
        if self.settings.may_build:
            return BuildError(message, remedy="read the dispatcher's events, which hold every failure")
        return BuildForbiddenError(message, remedy="call warm_up(problems) or `tilewright build` first")

    def realise(self, problem: Problem, candidate: Candidate) -> Plan:
        """Return the plan of one candidate; its kernel is built if it is not, and if that is allowed."""
        spec = candidate.spec
        _check_candidate(problem, candidate)
        if self.settings.may_build and is_captured(problem) and not self.is_built(spec):
            refuse_capture(problem, spec.name)
        return make_plan(problem, candidate, self.load(spec), self.settings)

    def load(self, spec: KernelSpec) -> Any:
        """Return the loaded kernel of `spec`, built if not cached; raise `BuildForbiddenError` if that is off."""
        loaded = self._loaded  # taken before the build: a change of the registry meanwhile leaves this kernel behind
        found = loaded.get(spec.digest)
        if found is None:
            found = loaded[spec.digest] = spec, self._load(spec)
        return found[1]

    def _load(self, spec: KernelSpec) -> Any:
        op = get_backend_op(spec.backend, spec.op)
        request = op.request(spec, self.settings)
        if request is None:
            return op.load(spec, None)
        from ..jit.launcher import prepare_launches
        from ..jit.use import load_built

        settings = self.settings
        kernel = load_built(request, self.cache, lambda artifact: op.load(spec, artifact), may_build=settings.may_build)
        threads = settings.resolved_threads() if isinstance(get_arch(spec.arch), CpuArch) else 1
        prepare_launches(self.cache, threads, settings.may_build)
        return kernel

    def record(self, kind: str, message: str, kernel: str) -> None:
        """Add an event, which the user can read in `events`, and log it."""
        event = Event(kind, message, kernel)
        with self._lock:
            self.events.append(event)
        log.log(logging.INFO if kind in EXPECTED else logging.WARNING, "%s: %s", kind, message)


def is_deterministic() -> bool:
    """Return whether torch is in its deterministic mode; torch is asked only if the program has loaded it.

    >>> is_deterministic()
    False
    """
    torch = sys.modules.get("torch._C")
    return torch is not None and bool(torch._get_deterministic_algorithms())


def _check_candidate(problem: Problem, candidate: Candidate) -> None:
    """Raise `SelectionError` if a rule refuses a candidate for a problem: it may be one that a user made."""
    spec, launch = candidate.spec, candidate.launch
    check_fields(launch, "launch")
    broken = get_backend_op(spec.backend, spec.op).check_problem(spec, get_arch(spec.arch), problem, launch)
    if broken:
        remedy = "take a candidate of explain(problem).ranked"
        what = f"{spec.name} with the launch {launch.label()} for {problem.label()}"
        raise SelectionError(count_mistakes(what, [str(b) for b in broken]), remedy=remedy)


def _log_to_stderr() -> None:
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("tilewright: %(message)s"))
        log.addHandler(handler)
    log.setLevel(logging.INFO)
