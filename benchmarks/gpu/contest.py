"""Contests: many candidates of one problem, each verified, the fastest timed in turn with peers on the same tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from places import HERE  # noqa: F401  (the path to the package)

from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate
from tilewright.model.problem import Problem
from tilewright.ops import get_op
from tilewright.tune.bench.peers import Peer, PeerCall, Unable
from tilewright.tune.bench.record import Ground, ground_of, prepare_peer
from tilewright.tune.measure.meter_gpu import FATAL
from tilewright.tune.measure.timer import MIN_ROUNDS, Policy

QUICK_MS = 0.7  # of a sample of the first round


@dataclass
class Entrant:
    """A candidate: `error` is its worst element as a share of the tolerance, `quick` and `seconds` are per launch."""

    candidate: Candidate
    place: int
    error: float | None = None
    quick: float | None = None
    seconds: float | None = None
    failure: str = ""
    calls: Any = field(default=None, repr=False)

    @property
    def right(self) -> bool:
        """Whether it ran and its output is within the tolerance."""
        return not self.failure and self.error is not None and self.error <= 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return a row of the results: times in microseconds, the algorithm by label and by fields."""
        spec = self.candidate.spec
        row = {"digest": spec.digest, "algorithm": spec.algorithm.label(), "fields": spec.to_dict()["algorithm"],
               "launch": asdict(self.candidate.launch), "place": self.place}  # fmt: skip
        times = {"error": self.error, "quick_us": _microseconds(self.quick), "us": _microseconds(self.seconds)}
        return row | times | ({"failed": self.failure} if self.failure else {})


@dataclass(frozen=True)
class Contest:
    """The entrants in the order given, the seconds of each peer, why one has none, and the noise of the last turns."""

    problem: Problem
    entrants: tuple[Entrant, ...]
    peers: dict[str, float]
    unable: dict[str, str]
    sets: int
    noise: float | None = None

    @property
    def best(self) -> Entrant | None:
        """The fastest right candidate that was timed to the end."""
        return min((e for e in self.entrants if e.right and e.seconds), key=lambda e: e.seconds or 0.0, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return one line of the results."""
        peers = {f"{name}_us": _microseconds(seconds) for name, seconds in self.peers.items()}
        return {"problem": self.problem.to_dict(), "sets": self.sets, **peers, "unable": self.unable,
                "noise": self.noise, "candidates": [e.to_dict() for e in self.entrants]}  # fmt: skip


def _microseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1e6, 3)


def contest(
    dispatcher: Dispatcher,
    problem: Problem,
    candidates: Sequence[Candidate],
    peers: Sequence[Peer] = (),
    policy: Policy | None = None,
    finalists: int = 6,
    on_start: Callable[[Candidate], Any] | None = None,
) -> Contest:
    """Verify and briefly time every candidate; time the first of them and the fastest few again, in turn with `peers`.

    A candidate that cannot be built or launched is recorded with its failure. Each is passed to `on_start` before it
    runs, so that a hang can be pinned down. A fault that leaves the device unusable is raised.

    >>> from tilewright.ops import problem_from_dict
    >>> problem = problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    >>> dispatcher = Dispatcher()
    >>> some = [r.candidate for r in dispatcher.explain(problem).ranked[:1]]
    >>> contest(dispatcher, problem, some, policy=Policy(rounds=3, min_sample_ms=0.1)).best.right
    True
    """
    ground = ground_of(dispatcher, problem, policy)
    judge = _Judge(dispatcher, problem, ground)
    entrants = [Entrant(candidate, place) for place, candidate in enumerate(candidates)]
    for entrant in entrants:
        if on_start is not None:
            on_start(entrant.candidate)
        judge.try_out(entrant)
        for late in _ranked(entrants)[finalists:]:
            late.calls = late.calls if late.place == 0 else None  # its tensors and workspace are given back
    lanes: dict[str, Any] = {str(e.place): e.calls for e in _ranked(entrants) if e.calls is not None}
    answers = {p.name: [prepare_peer(p, problem, t, ground.threads) for t in ground.tensors] for p in peers}
    unable = {name: a.reason for name, found in answers.items() for a in found if isinstance(a, Unable)}
    for name, found in answers.items():
        if name not in unable:
            lanes[name] = ground.lane([a.call for a in found if isinstance(a, PeerCall)])
    comparison = ground.timer.compare(lanes, ground.policy) if lanes else None
    timed = comparison.timings if comparison else {}
    for entrant in entrants:
        entrant.calls = None
        entrant.seconds = timed[str(entrant.place)].seconds if str(entrant.place) in timed else None
    return Contest(problem, tuple(entrants), {n: timed[n].seconds for n in answers if n in timed}, unable,
                   len(ground.tensors), comparison.noise if comparison else None)  # fmt: skip


def _ranked(entrants: Sequence[Entrant]) -> list[Entrant]:
    """The right ones so far, fastest first."""
    return sorted((e for e in entrants if e.right and e.quick is not None), key=lambda e: (e.quick, e.place))


class _Judge:
    """Runs one candidate after the other on the same tensors, the outputs poisoned anew for each."""

    def __init__(self, dispatcher: Dispatcher, problem: Problem, ground: Ground) -> None:
        self._dispatcher, self._problem, self._ground = dispatcher, problem, ground
        op = get_op(problem.op)
        self._poison = {r: _copied(ground.tensors[0][r]) for r in op.out_roles(problem)}
        self._check = op.checker(problem, ground.tensors[0])
        self._policy = replace(ground.policy, rounds=MIN_ROUNDS, min_sample_ms=QUICK_MS, warmup_ms=QUICK_MS)

    def try_out(self, entrant: Entrant) -> None:
        """Set error, quick time and calls of the entrant, or its failure."""
        spec = entrant.candidate.spec
        try:
            first, *others = self._ground.tensors
            bounds = [self._dispatcher.bind_to(entrant.candidate, self._problem, **first)]
            # The sets are drawn alike: one look at the first is enough.
            bounds += [bounds[0].plan.bind({r: view_of(x, r) for r, x in t.items()}) for t in others]
            for role, poison in self._poison.items():
                _fill(self._ground.tensors[0][role], poison)
            allowed = get_backend_op(spec.backend, spec.op).product_error(spec, entrant.candidate.launch)
            entrant.error = float(self._check(bounds[0](), product_error=allowed).ratio)
            if entrant.right:
                calls = self._ground.lane(bounds)
                entrant.quick = self._ground.timer.compare({"": calls}, self._policy).timings[""].seconds
                entrant.calls = calls
        except Exception as error:  # a kernel that cannot be built or launched does not end the others
            if any(word in str(error).lower() for word in FATAL):
                raise
            entrant.failure = f"{type(error).__name__}: {str(error)[-200:]}"


def _copied(tensor: Any) -> Any:
    return tensor.clone() if hasattr(tensor, "clone") else tensor.copy()


def _fill(tensor: Any, value: Any) -> None:
    if hasattr(tensor, "copy_"):
        tensor.copy_(value)
    else:
        tensor[...] = value
