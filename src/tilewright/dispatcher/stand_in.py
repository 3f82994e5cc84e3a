"""StandIns: plans that run at once while a better kernel is compiled, and the switch to it.

A stand-in is the best kernel that is built; without one, what the program gave as `Dispatcher.stand_in`, or a backend
that compiles nothing (the reference, on the host). While no kernel is built at all, calls do not wait for a choice:
kernels are chosen in the background too, as soon as no new problems come.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..arch import get_arch
from ..backends import backend_names, get_backend, get_backend_op
from ..errors import BuildError, CacheError, CaptureError, LaunchError, TilewrightError, ToolchainError, plural
from ..jit.background import Background, Pending
from ..jit.launcher import build_in_background, launcher
from ..jit.library import runtime_library
from ..model.arch import CpuArch
from ..model.device import memory_of
from ..model.kernel import Candidate, KernelSpec
from ..model.locks import new_lock
from ..model.problem import Problem, identity_of
from ..model.selector import Ranked, in_turn
from ..model.summation import ANY
from ..model.tensor import TensorView
from ..plan import Plan, make_plan, on_stream, tensor_over
from .policy import is_captured, refuse_capture

if TYPE_CHECKING:
    from .dispatcher import Dispatcher

# Computes a problem on the caller's tensors (by role), on the current stream; False if it cannot. It may have a `name`,
# and `takes(problem)`, which says beforehand whether it can.
StandIn = Callable[[Problem, Mapping[str, Any]], bool]
MAX_LOOKED_AT = 8  # kernels among which a built one is preferred to a stand-in of the program
FEW = 8  # entries of a cache that holds libraries of this package, but hardly any kernel
PATIENCE = 1.0  # seconds of one call: what takes longer without a compiler waits for the compiler
LOOK_AGAIN = 1.0  # seconds after which a kernel that was not built is looked for again: others may have built it
RETRY = 30.0  # seconds after which a kernel is tried again whose source is not at fault; doubled at each failure
MAX_RETRY = 3600.0
QUIET = 0.2  # seconds without a new problem after which kernels are chosen: until then the program runs Python


class GivenStage:
    """A stage that hands the caller's tensors, as the problem sees them, to a function that the program gave."""

    workspace_bytes = 0

    def __init__(self, problem: Problem, compute: StandIn) -> None:
        self._problem, self._compute = problem, compute
        self.name: str = getattr(compute, "name", "stand-in")

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that computes on the tensors behind `views`."""
        tensors = {role: tensor_over(view, of_torch=True) for role, view in views.items()}

        def launch(stream: Any) -> None:
            with on_stream(self._problem.device, stream):
                done = self._compute(self._problem, tensors)
            if not done:
                raise BuildError(f"the stand-in cannot compute {self._problem.label()}", remedy='use build="wait"')

        return launch

    def call(self, views: Mapping[str, TensorView]) -> None:
        """Return None: it needs the tensors themselves."""


class StandIns:
    """What a dispatcher compiles in the background, and the plans that it runs meanwhile."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._building: dict[str, Pending] = {}  # by the digest of a kernel
        self._specs: dict[str, KernelSpec] = {}  # the kernels whose builds were begun
        self._left_out: dict[str, float] = {}  # until when a kernel (by its digest) is not tried again
        self._without_tools: dict[str, float] = {}  # the same of backends whose toolchain is missing
        self._failures: dict[str, int] = {}  # how often, by the same names
        self._limit_reported = False
        self._retries: Background | None = None  # one thread, which waits for the next retry
        self._retry: Pending | None = None
        self._keys: dict[str, str] = {}  # of builds, by the digest of a kernel; empty: nothing to build
        self._absent: dict[str, float] = {}  # until when nobody looks for a build again, by its key
        self._lock = new_lock()
        self._background: Background | None = None
        self._launcher_begun = False
        self._chooser: Background | None = None  # one thread: choosing is Python's work
        self._choices: list[Pending] = []
        self._chosen: set[Any] = set()  # identities of problems whose kernels were chosen there
        self._newest = 0.0  # when the newest problem came
        self._nothing_built: bool | None = None  # None: not looked yet

    def at_once(self, problem: Problem, select: Callable[[Problem], Sequence[Ranked]]) -> Plan | None:
        """Return a plan on the program's stand-in before a kernel is chosen; None if some kernel may be built."""
        dispatcher = self._dispatcher
        self._build_launcher()
        if not hasattr(dispatcher.stand_in, "takes") or not self._is_fresh():
            return None
        if identity_of(problem) in self._chosen:
            return None
        found = None if is_captured(problem) else self._given(problem)
        if found is None:
            return None
        name = found.stages[0].name
        dispatcher.record("stand-in", f"{problem.label()} runs on {name} until its kernel is chosen and built", name)
        with self._lock:
            self._newest = time.monotonic()
            if self._chooser is None:
                self._chooser = Background(1)
            found.awaits = self._chooser.submit(lambda cancel: self._choose(problem, select, found, cancel))
            self._choices.append(found.awaits)
        return found

    def _is_fresh(self) -> bool:
        """Return whether no kernel is built: the cache was empty, and no build has ended since."""
        if self._nothing_built is None:
            self._nothing_built = self._dispatcher.cache.count(FEW) < FEW
        return self._nothing_built

    def kernels_are_built(self) -> None:
        """Choose kernels before calls from now on: they may be built."""
        self._nothing_built = False

    def _choose(self, problem: Problem, select: Any, plan: Plan, cancel: threading.Event) -> None:
        """Choose the kernel of a problem, and begin to build it; `plan` stands in until then."""
        while not cancel.is_set() and (left := self._newest + QUIET - time.monotonic()) > 0:
            cancel.wait(left)
        self._chosen.add(identity_of(problem))  # also if that fails: the next call then raises the error
        best = select(problem)[0].candidate
        if not cancel.is_set() and not self.is_built(best.spec) and not self._is_left_out(best.spec):
            plan.awaits = self.build(best.spec)

    def plan(self, problem: Problem, ranked: Sequence[Ranked], most_failures: int) -> Plan | None:
        """Return the plan of the best kernel if it is built, else of a stand-in; None if there is neither."""
        self._build_launcher()
        skipped, plan = False, None
        for candidate in (r.candidate for r in in_turn(ranked)):
            spec = candidate.spec
            if self._is_limit_reached(most_failures):
                skipped = True
                break
            if self._is_left_out(spec):
                skipped |= spec.digest in self._left_out
                continue
            if self._dispatcher.is_built(spec):
                plan = self._realised(problem, candidate)
                if plan is not None:
                    return self._until_retry(plan) if skipped else plan
            if not self._is_left_out(spec):
                return self._until_built(problem, spec, ranked)
        plan = self._meanwhile(problem, ranked)
        return plan if plan is None or not skipped else self._until_retry(plan)

    def _is_limit_reached(self, most_failures: int) -> bool:
        """Return whether so many kernels are left out that the compiler seems to be at fault; record it once."""
        now = time.monotonic()
        count = sum(now < until for until in [*self._left_out.values()])
        if count < most_failures:
            self._limit_reported = False
        elif not self._limit_reported:
            self._limit_reported = True
            were = f"{plural(count, 'kernel')} {'was' if count == 1 else 'were'} not built"
            self._dispatcher.record("not-used", f"{were}: no more are compiled for now, stand-ins go on", "")
        return count >= most_failures

    def _until_retry(self, plan: Plan) -> Plan:
        """Let calls of a plan be planned again when the next of the kernels that are left out may be tried again."""
        now = time.monotonic()
        times = [until for until in [*self._left_out.values()] if now < until < math.inf]
        if not times:
            return plan

        def then(done: Pending) -> None:
            done.finish()
            self._dispatcher.forget_calls()

        with self._lock:
            if self._retry is None or self._retry.done():
                self._retries = self._retries or Background(1)
                self._retry = self._retries.submit(lambda cancel: cancel.wait(min(times) - now), then)
            plan.awaits = self._retry
        return plan

    def is_building(self, plan: Plan) -> bool:
        """Return whether a plan stands in for a kernel that is being chosen or built, not for one that has failed."""
        return plan.awaits is not None and plan.awaits is not self._retry

    def _until_built(self, problem: Problem, spec: KernelSpec, ranked: Sequence[Ranked]) -> Plan | None:
        """Begin to build a kernel, and return the plan of a stand-in; None, and no build, if there is none."""
        refuse_capture(problem, spec.name)
        found = self._meanwhile(problem, ranked)
        if found is not None:
            name = found.kernel if found.candidate is not None else found.stages[0].name
            self._dispatcher.record("stand-in", f"{problem.label()} runs on {name} until {spec.name} is built", name)
            found.awaits = self.build(spec)
        return found

    def _realised(self, problem: Problem, candidate: Candidate) -> Plan | None:
        """Return the plan of a kernel that is built; None, and leave the kernel out, if it cannot be used after all."""
        try:
            return self._dispatcher.realise(problem, candidate)
        except CaptureError:
            raise
        except TilewrightError as error:
            self._fail(candidate.spec, error)
        return None

    def _meanwhile(self, problem: Problem, ranked: Sequence[Ranked]) -> Plan | None:
        """Return the plan that runs without a compiler: the best kernel that is built, or a generic one."""
        given = self._given(problem)
        most = len(ranked) if given is None else MAX_LOOKED_AT
        return self._best_built(problem, ranked, most) or given or self._generic(problem)

    def _best_built(self, problem: Problem, ranked: Sequence[Ranked], most: int) -> Plan | None:
        """Return the plan of the first of the best `most` kernels that is built; None if none is."""
        checked: set[str] = set()
        for candidate in (r.candidate for r in in_turn(ranked)):
            digest = candidate.spec.digest
            if digest in checked:
                continue
            if len(checked) >= most:
                break
            checked.add(digest)
            if not self._is_left_out(candidate.spec) and self.is_built(candidate.spec):
                plan = self._realised(problem, candidate)
                if plan is not None:
                    return plan
        return None

    def _given(self, problem: Problem) -> Plan | None:
        compute = self._dispatcher.stand_in
        takes = getattr(compute, "takes", None)
        if compute is None or (takes is not None and not takes(problem)) or problem.summation != ANY:
            return None  # nobody knows in which order it sums
        return Plan(problem, None, (GivenStage(problem, compute),))

    def _generic(self, problem: Problem) -> Plan | None:
        """Return the plan of a backend that compiles nothing, on the host; None if it refuses or is slow."""
        if memory_of(problem.device) != "cpu" or problem.summation != ANY:
            return None
        device = self._dispatcher.device_for(problem)
        arch = get_arch(device.arch)
        for backend in (name for name in backend_names() if not get_backend(name).compiles):
            op = get_backend_op(backend, problem.op)
            spec = KernelSpec(problem.op, backend, arch.name, problem.signature, op.algorithm())
            if not op.check(spec, arch, problem) and op.predict(Candidate(spec), problem, device) <= PATIENCE:
                return make_plan(problem, Candidate(spec), None, self._dispatcher.settings)
        return None

    def is_built(self, spec: KernelSpec) -> bool:
        """Return whether a kernel can run without a compiler. Without its toolchain, the backend is left out."""
        key = self._keys.get(spec.digest)
        if key is None:  # a request reads the kernel's sources: every problem asks about many kernels
            try:
                request = get_backend_op(spec.backend, spec.op).request(spec, self._dispatcher.settings)
            except ToolchainError as error:
                self._fail(spec, error)
                return False
            key = self._keys[spec.digest] = "" if request is None else request.build_key
        if not key:
            return True
        now = time.monotonic()
        if now < self._absent.get(key, 0.0):
            return False
        if self._dispatcher.cache.find(key) is not None:
            return True
        self._absent[key] = now + LOOK_AGAIN
        return False

    def build(self, spec: KernelSpec) -> Pending:
        """Compile a kernel in the background, once however many problems wait for it."""
        with self._lock:
            pending = self._building.get(spec.digest)
            if pending is not None and not pending.done():
                return pending

            def work(cancel: threading.Event) -> None:
                from ..jit.pool import build_one

                request = get_backend_op(spec.backend, spec.op).request(spec, self._dispatcher.settings)
                build_one(request, self._dispatcher.cache, cancel=cancel)
                launcher(self._dispatcher.cache, cancel)  # else the first call of the kernel would wait for it
                if isinstance(get_arch(spec.arch), CpuArch):
                    runtime_library(self._dispatcher.cache, cancel)

            def then(done: Pending) -> None:
                self._finished(spec, done)

            self._specs[spec.digest] = spec
            pending = self._building[spec.digest] = self._threads().submit(work, then)
            return pending

    def building(self) -> list[KernelSpec]:
        """Return the kernels whose builds were begun and have not failed."""
        with self._lock:
            return [spec for spec in self._specs.values() if not self._is_left_out(spec)]

    def _build_launcher(self) -> None:
        """Begin to build the C launcher, at the first plan, if it is not there: calls run without it meanwhile."""
        if self._launcher_begun:
            return
        self._launcher_begun = True
        with self._lock:
            background = self._threads()
        pending = build_in_background(background, self._dispatcher.cache, self._dispatcher.forget_calls)
        if pending is not None:
            with self._lock:
                self._building["launcher"] = pending

    def _threads(self) -> Background:
        if self._background is None:
            self._background = Background(self._dispatcher.settings.resolved_workers())
        return self._background

    def _finished(self, spec: KernelSpec, done: Pending) -> None:
        """Report the end of a build; calls that were prepared on its stand-ins are planned again."""
        self.kernels_are_built()
        self._absent.pop(self._keys.get(spec.digest, ""), None)
        if done.error is not None:
            self._fail(spec, done.error)
        else:
            self._dispatcher.record("switched", f"{spec.name} is built and replaces its stand-ins", spec.name)
        done.finish()  # first: whoever plans a call from now on gets the new kernel
        self._dispatcher.forget_calls()

    def _is_left_out(self, spec: KernelSpec) -> bool:
        until = max(self._left_out.get(spec.digest, 0.0), self._without_tools.get(spec.backend, 0.0))
        return time.monotonic() < until

    def _fail(self, spec: KernelSpec, error: BaseException) -> None:
        """Leave out a kernel that cannot be used; for lack of a toolchain, all kernels of its backend."""
        lacks_tools = isinstance(error, ToolchainError)
        name, left_out = (spec.backend, self._without_tools) if lacks_tools else (spec.digest, self._left_out)
        with self._lock:
            if self._is_left_out(spec):
                return
            count = self._failures[name] = self._failures.get(name, 0) + 1
            pause = math.inf if is_final(error) else min(RETRY * 2.0 ** (count - 1), MAX_RETRY)
            left_out[name] = time.monotonic() + pause
        text = error.message if isinstance(error, TilewrightError) else repr(error)
        if lacks_tools:
            self._dispatcher.record("not-used", text, spec.name)
        else:
            self._dispatcher.record("build-failed", f"{spec.name} was not built, stand-ins go on: {text}", spec.name)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for every build that was begun; False if that takes longer than `seconds`."""
        end = None if seconds is None else time.monotonic() + seconds
        for pendings in (lambda: self._choices, self._building.values):  # what is chosen is built afterwards
            with self._lock:
                waiting = list(pendings())
            if not all(pending.wait(None if end is None else max(0.0, end - time.monotonic())) for pending in waiting):
                return False
        return True


def is_final(error: BaseException) -> bool:
    """Return whether the same build would fail again: the kernel is at fault, not the machine.

    >>> is_final(BuildError("killed")), is_final(BuildError("syntax", permanent=True)), is_final(TypeError())
    (False, True, True)
    """
    if isinstance(error, BuildError):
        return error.permanent
    return not isinstance(error, (CacheError, LaunchError, ToolchainError, OSError, MemoryError))
