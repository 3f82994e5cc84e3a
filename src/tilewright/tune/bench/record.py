"""Benchmarks: verify the kernel that the dispatcher selects, then time it with its peers in one interleaved run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import Any

from ...backends import get_backend_op
from ...dispatcher import Dispatcher
from ...errors import TilewrightError
from ...model.device import Device
from ...model.inexact import Inexact
from ...model.json_text import Json
from ...model.kernel import Candidate, KernelSpec
from ...model.problem import Problem
from ...model.tensor import Tensors
from ...ops import get_op
from ...ops.verify import share_of
from ..measure.gpu_timer import buffer_sets, gpu_policy
from ..measure.timer import Comparison, Policy, Timer, timer_for
from .peers import Peer, PeerCall, Unable

OURS = "tilewright"


@dataclass(frozen=True)
class BenchRecord:
    """One line of `bench --out`: what ran, how fast, how accurate, and the peers of the same run.

    `error` and `tolerance` are those of the element with the worst ratio. A peer maps to its `time_ms` and `tflops`,
    and to `ratio`: its time divided by ours, round by round, which lies between `low` and `high` in most rounds. If it
    could not compute the problem, all of them are None and `reason` says why. `policy` has the `noise` of the run, the
    spread of the peers included, and whether it was `quiet`: steady enough for a headline. `failure` is set if the
    problem could not be run at all, `launch` if the candidate was given and not selected.
    """

    problem: Mapping[str, Any]
    label: str
    kernel: str | None = None
    digest: str | None = None
    backend: str | None = None
    arch: str | None = None
    device: str | None = None
    time_ms: float | None = None
    tflops: float | None = None
    gbps: float | None = None
    error: float | None = None
    tolerance: float | None = None
    tier: str | None = None
    ok: bool = False
    selector: str | None = None
    peers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    failure: str | None = None
    launch: str | None = None
    events: tuple[str, ...] = ()
    samples: tuple[float, ...] = field(default=(), repr=False)

    def to_dict(self) -> Json:
        """Return the JSON object of problem files' results; `failure` and `launch` only if they are set."""
        hidden = {"label", "events", "samples"} | {n for n in ("failure", "launch") if getattr(self, n) is None}
        return {k: v for k, v in vars(self).items() if k not in hidden}


@dataclass(frozen=True)
class Ground:
    """What calls of one problem are compared on: sets of random tensors (one on the host), timer and policy."""

    device: Device
    tensors: Sequence[Tensors]
    timer: Timer
    policy: Policy
    threads: int
    on_host: bool

    def lane(self, calls: Sequence[Any]) -> Any:
        """Return one call per set of tensors as the timer takes them: a single one on the host."""
        return calls[0] if self.on_host else calls


def ground_of(
    dispatcher: Dispatcher, problem: Problem, policy: Policy | None = None, timer: Timer | None = None, seed: int = 0
) -> Ground:
    """Draw tensors for `problem`, and take the timer and policy of the device that it runs on."""
    threads = dispatcher.settings.resolved_threads()
    policy = policy or Policy.for_threads(threads)
    op, device, on_host = get_op(problem.op), dispatcher.device_for(problem), problem.device == "cpu"
    policy = policy if on_host else gpu_policy(policy)
    sets = 1 if on_host else buffer_sets(problem, policy, device.cache_bytes)
    timer = timer or timer_for(problem.device, evict_bytes=2 * max(device.cache_bytes, 32 << 20))
    tensors = [op.random_tensors(problem, seed + i) for i in range(sets)]
    return Ground(device, tensors, timer, policy, threads, on_host)


def bench_problem(
    dispatcher: Dispatcher,
    problem: Problem,
    peers: Sequence[Peer] = (),
    policy: Policy | None = None,
    timer: Timer | None = None,
    seed: int = 0,
    candidate: Candidate | None = None,
) -> BenchRecord:
    """Run, verify and time one problem with `peers`, on new random tensors; with `candidate` if one is given.

    >>> from tilewright.ops import problem_from_dict
    >>> problem = problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    >>> bench_problem(Dispatcher(), problem, policy=Policy(rounds=3, min_sample_ms=0.1)).ok
    True
    """
    op, seen = get_op(problem.op), len(dispatcher.events)
    ground = ground_of(dispatcher, problem, policy, timer, seed)
    device, tensors = ground.device, ground.tensors
    bind = partial(dispatcher.bind_to, candidate) if candidate is not None else dispatcher.bind
    bounds = [bind(problem, **dispatcher.stored(problem, t)) for t in tensors]
    bound = bounds[0]
    verification = op.verify(problem, tensors[0], bound(), product_error=product_error(bound.plan))
    answers = {peer.name: [prepare_peer(peer, problem, t, ground.threads) for t in tensors] for peer in peers}
    calls: Json = {OURS: ground.lane(bounds)}
    for name, found in answers.items():
        able = [a.call for a in found if isinstance(a, PeerCall)]
        if len(able) == len(tensors):
            calls[name] = ground.lane(able)
    comparison = ground.timer.compare(calls, ground.policy)
    ours = comparison.timings[OURS]
    spec = bound.plan.candidate.spec if bound.plan.candidate else None
    return BenchRecord(
        problem=problem.to_dict(),
        label=problem.label(),
        kernel=bound.plan.kernel,
        digest=spec.digest if spec else None,
        backend=spec.backend if spec else None,
        arch=spec.arch if spec else device.arch,
        device=device.name,
        time_ms=ours.seconds * 1e3,
        tflops=problem.flops / ours.seconds / 1e12,
        gbps=problem.bytes / ours.seconds / 1e9,
        error=verification.error,
        tolerance=verification.tolerance,
        tier=verification.tier,
        ok=verification.ok,
        selector=dispatcher.selector.name,
        peers={name: _peer_record(problem, name, found[-1], comparison) for name, found in answers.items()},
        policy=_policy_record(comparison, ground.timer),
        launch=candidate.launch.label() if candidate is not None else None,
        events=tuple(e.message for e in dispatcher.events[seen:]),
        samples=ours.samples,
    )


def bench_problems(
    dispatcher: Dispatcher,
    problems: Iterable[Problem],
    peers: Sequence[Peer] = (),
    policy: Policy | None = None,
    exhaustive: bool = False,
) -> Iterator[BenchRecord]:
    """Yield a record per problem; a problem that cannot be run is recorded with its failure and stops nothing else.

    `exhaustive` yields a record per candidate of each problem, best ranked first.
    """
    for problem in problems:
        for candidate in candidates_of(dispatcher, problem) if exhaustive else [None]:
            try:
                yield bench_problem(dispatcher, problem, peers, policy, candidate=candidate)
            except TilewrightError as error:
                yield failed_record(problem, str(error), dispatcher.selector.name, candidate)


def candidates_of(dispatcher: Dispatcher, problem: Problem) -> list[Candidate | None]:
    """Return every candidate for `problem`, best ranked first; [None] if there is none, so that a run reports why."""
    return [r.candidate for r in dispatcher.explain(problem).ranked] or [None]


def failed_record(problem: Problem, failure: str, selector: str, candidate: Candidate | None = None) -> BenchRecord:
    """Return the record of a problem that could not be run, by any kernel or by `candidate`."""
    record = BenchRecord(problem=problem.to_dict(), label=problem.label(), selector=selector, failure=failure)
    if candidate is None:
        return record
    return replace(record, kernel=candidate.spec.name, launch=candidate.launch.label())


def prebuild(
    dispatcher: Dispatcher, problems: Iterable[Problem], progress: Any = None, exhaustive: bool = False
) -> int:
    """Build in parallel the kernels that `problems` will use; return how many. Failures appear when they are run.

    With `exhaustive`, build the kernels of all candidates.
    """
    specs: dict[str, KernelSpec] = {}
    for problem in problems:
        if not get_op(problem.op).is_empty(problem):
            ranked = dispatcher.explain(problem).ranked
            specs |= {r.candidate.spec.digest: r.candidate.spec for r in (ranked if exhaustive else ranked[:1])}
    if specs and dispatcher.settings.may_build:
        dispatcher.registry.build(
            specs=list(specs.values()), cache=dispatcher.cache, settings=dispatcher.settings, progress=progress
        )
    return len(specs)


def merge_records(records: Sequence[BenchRecord]) -> BenchRecord:
    """Return one record from runs of the same problem with different peers: our time is the median of all samples.

    Its error is the worst one. Runs of different kernels are no record of either: they are a failure.

    >>> one = BenchRecord({}, "p", time_ms=1.0, tflops=2.0, gbps=1.0, ok=True, samples=(0.001,))
    >>> merge_records([one, replace(one, samples=(0.003,))]).time_ms
    2.0
    """
    failed = [r for r in records if r.failure is not None]
    if failed:
        return failed[0]
    first = records[0]
    kernels = dict.fromkeys(f"{r.kernel} {r.launch or ''}".strip() for r in records)
    if len(kernels) > 1:
        return replace(first, ok=False, failure=f"its processes chose different kernels: {', '.join(kernels)}")
    worst = max(records, key=lambda r: (not r.ok, share_of(r.error, r.tolerance)))
    samples = tuple(s for r in records for s in r.samples)
    seconds = median(samples)
    factor = (first.time_ms or 0.0) / 1e3 / seconds
    noise: Json = {name: max(r.policy.get(name, 0.0) for r in records) for name in ("noise_floor", "noise")}
    noise["quiet"] = all(r.policy.get("quiet") for r in records)
    return replace(
        worst,
        time_ms=seconds * 1e3,
        tflops=(first.tflops or 0.0) * factor,
        gbps=(first.gbps or 0.0) * factor,
        peers={name: peer for r in records for name, peer in r.peers.items()},
        policy={**first.policy, **noise},
        events=tuple(dict.fromkeys(e for r in records for e in r.events)),
        samples=samples,
    )


def prepare_peer(peer: Peer, problem: Problem, tensors: Tensors, threads: int) -> PeerCall | Unable:
    """Return the peer's call with as many threads as ours has, or why it has none. It is called once."""
    try:
        unable = peer.limit_threads(threads)
        answer = Unable(unable) if unable else peer.prepare(problem, tensors)
        if isinstance(answer, PeerCall):
            answer.call()
    except Exception as error:  # another library: it may raise anything
        text = str(error).strip().partition("\n")[0][:160]
        return Unable(f"{peer.name}: {type(error).__name__}{': ' if text else ''}{text}")
    return answer


def product_error(plan: Any) -> Inexact:
    """Return how much a plan's kernel may deviate by the way it forms products and sums."""
    if plan.candidate is None:
        return Inexact()
    spec = plan.candidate.spec
    return get_backend_op(spec.backend, spec.op).product_error(spec, plan.candidate.launch)


def _peer_record(problem: Problem, name: str, answer: PeerCall | Unable, comparison: Comparison) -> Json:
    if isinstance(answer, Unable):
        return {"time_ms": None, "tflops": None, "ratio": None, "low": None, "high": None, "reason": answer.reason}
    seconds = comparison.timings[name].seconds
    rates = {"time_ms": seconds * 1e3, "tflops": problem.flops / seconds / 1e12}
    low, high = comparison.interval(name)
    return {**rates, "ratio": comparison.ratio(name), "low": low, "high": high, "call": answer.what}


def _policy_record(comparison: Comparison, timer: Timer) -> Json:
    ours = comparison.timings[OURS]
    return {
        **comparison.policy.to_dict(),
        "timer": timer.name,
        "rounds": len(ours.samples),
        "calls_per_sample": ours.calls,
        "spread": ours.spread,
        "noise_floor": comparison.noise_floor,
        "noise": comparison.noise,
        "quiet": comparison.quiet,
        **comparison.notes,
    }
