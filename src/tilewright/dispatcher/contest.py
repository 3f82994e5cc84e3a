"""Contests: where nothing is known about a library, the first calls decide between our kernel and theirs.

`WithLibraries` ranks both sides. Measurements decide; then the outcome of an earlier contest; then predictions, if they
differ by more than the doubt about them. Else the case is open: our kernel runs, and a few calls run on the library
instead. They add at most 1% to the time of all calls, and the outcome is kept in the data folder.

There is no contest where runs must be equal (`policy.must_agree`), and none of its calls is part of a captured graph.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends import by_cost, get_backend, get_backend_op
from ..jit.background import Pending
from ..jit.launch_checks import address_of
from ..model.device import Device, memory_of
from ..model.kernel import Candidate
from ..model.locks import new_lock
from ..model.problem import Problem, identity_of
from ..model.selector import Ranked, Selector, in_order
from ..model.tensor import TensorView
from ..plan import Plan
from ..select.chain import build_keys_now
from ..select.decisions import resized_candidate
from ..select.ranking import one_after_another
from ..select.rounded import rounded
from ..settings import Settings
from ..store import store_path
from ..store.kept import CONTESTS, KeptRows
from .clocks import GpuClock, HostClock
from .library_check import LibraryCheck
from .policy import captures, is_captured, must_agree
from .reuse import is_measured

if TYPE_CHECKING:
    from .dispatcher import Dispatcher

SHARE = 0.01  # of the calls' time that a contest may add
SAMPLES = 5  # of each side, each after another call of that side
WARM = 3  # calls that are not counted
ASKED = 8  # every so many calls it is asked whether ours is what it will be
CLEAR = 1.3  # two samples are enough if one side is faster by this factor
MAX_CALLS = 2000  # after which the case is decided, or stays as it was: taking turns costs time too
BETTER = 0.98  # the library wins below this share of our time: a switch for less is not worth it
MAX_LISTS = 256
MAX_OPEN = 1024  # open cases that are kept until their plan is made
log = logging.getLogger("tilewright")


@dataclass(frozen=True)
class Outcome:
    """How a contest ended: both sides by candidate and build, and seconds per call."""

    tuning_key: str
    device: str
    ours: str
    our_build: str
    theirs: str
    their_build: str
    our_seconds: float
    their_seconds: float
    problem: str = ""

    @property
    def library_wins(self) -> bool:
        """Whether the library is faster."""
        return self.their_seconds < BETTER * self.our_seconds


class Outcomes(KeptRows[Outcome]):
    """The contests of this user on this machine."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, Outcome, lambda o: (o.tuning_key, o.device), lambda o: o.our_seconds > 0 and o.their_seconds > 0
        )

    def find(self, problem: Problem, device: Device) -> Outcome | None:
        """Return how the latest contest of a problem ended; None if there was none."""
        return self.get((problem.tuning_key, device.digest))


class WithLibraries:
    """A selector that ranks kernels of libraries beside those that another selector ranks."""

    def __init__(self, inner: Selector, settings: Settings) -> None:
        self.name, self._inner, self._settings = inner.name, inner, settings
        self.outcomes = Outcomes(store_path(settings).parent / CONTESTS)
        self._parts: dict[int, tuple[Sequence[Candidate], list[Candidate], list[Candidate]]] = {}
        self._open: dict[Any, tuple[Candidate, Candidate]] = {}  # the best of both sides, by the problem's identity

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @property
    def changes(self) -> int:
        """How often an answer may have changed: by other models, or by a contest."""
        found: int = self._inner.changes + self.outcomes.added  # type: ignore[attr-defined]
        return found

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, best first. In an open case the best of ours is first."""
        return self._ranked(problem, candidates, device, self._inner.rank)

    def predicted(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the same without measurements of the problem; some selectors never use any."""
        return self._ranked(problem, candidates, device, getattr(self._inner, "predicted", self._inner.rank))

    def _ranked(
        self, problem: Problem, candidates: Sequence[Candidate], device: Device, rank: Callable[..., Sequence[Ranked]]
    ) -> Sequence[Ranked]:
        ours, theirs = self._split(candidates)
        if not ours or not theirs:
            return rank(problem, candidates, device)
        mine, other = rank(problem, ours, device), self._theirs(problem, theirs, device)
        standing = self._standing(problem, mine[0], other[0], device)
        if standing == "open":
            if len(self._open) >= MAX_OPEN:
                self._open.clear()
            self._open[identity_of(problem)] = mine[0].candidate, other[0].candidate
        first, second = (other, mine) if standing == "theirs" else (mine, other)
        return one_after_another([first[0]], len(candidates) - 1, lambda: by_time([*first[1:], *second]))

    def _theirs(self, problem: Problem, theirs: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the kernels of libraries, best first: measured ones, then by their prices; no model knows them.

        Nor does a selector that a program has written, which may read the tiles of a kernel.
        """
        measured = getattr(self._inner, "measured", None)
        if measured is None:
            return by_cost(problem, theirs, device)
        true, stale, rest = measured.known(problem, theirs, device)
        return [*true, *by_time([*stale, *by_cost(problem, rest, device)])]

    @property
    def has_open_cases(self) -> bool:
        """Whether any case waits for a plan."""
        return bool(self._open)

    def open_case(
        self, problem: Problem, device: Device, chosen: Candidate
    ) -> tuple[Problem, Candidate, Candidate] | None:
        """Return (problem, our kernel, the library's) of the open case that a problem belongs to; None in a clear case.

        It may be that of a problem with rounded sizes, whose decision problems near it share.
        """
        for asked in (problem, rounded(problem, device)):
            sides = self._open.pop(identity_of(asked), None)
            if sides is not None and sides[0].spec == chosen.spec:
                return asked, *sides
        return None

    def _split(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """Return (ours, theirs); the same lists for the same candidates, so that scorers know them."""
        kept = self._parts.get(id(candidates))
        if kept is None or kept[0] is not candidates:
            if len(self._parts) >= MAX_LISTS:
                self._parts.clear()
            ours = [c for c in candidates if not is_library(c)]
            theirs = [c for c in candidates if is_library(c)]
            kept = self._parts[id(candidates)] = (candidates, ours, theirs)  # the list stays alive
        return kept[1], kept[2]

    def _standing(self, problem: Problem, mine: Ranked, other: Ranked, device: Device) -> str:
        """Return who is faster: ours, theirs, or open."""
        if mine.seconds is None or other.seconds is None:
            return "ours"  # a selector without times
        ratio = other.seconds / max(mine.seconds, 1e-12)
        if is_measured(mine) and is_measured(other):
            return "theirs" if ratio < BETTER else "ours"
        known = None if must_agree(problem, self._settings) else self.outcomes.find(problem, device)
        if known is not None and self._is_valid(known, mine.candidate, other.candidate):
            return "theirs" if known.library_wins else "ours"
        spec = other.candidate.spec
        doubt = get_backend_op(spec.backend, spec.op).doubt(spec, problem)
        if ratio * doubt < 1.0:  # on a GPU a contest has to run it first: libraries may refuse what rules allow
            return "theirs" if memory_of(problem.device) == "cpu" else "open"
        return "ours" if ratio > doubt else "open"

    def _is_valid(self, known: Outcome, mine: Candidate, other: Candidate) -> bool:
        if (known.ours, known.theirs) != (mine.key, other.key):
            return False
        builds = (known.our_build, mine.spec), (known.their_build, other.spec)
        return all(build in build_keys_now(spec, self._settings) for build, spec in builds)


def by_time(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return candidates of both sides by their times.

    >>> [r.reason for r in by_time([Ranked(None, 2.0, "a"), Ranked(None, 1.0, "b")])]
    ['b', 'a']
    """
    return in_order([(r.seconds if r.seconds is not None else float("inf"), r) for r in ranked])


def is_library(candidate: Candidate) -> bool:
    """Return whether a kernel is one of a library."""
    return get_backend(candidate.spec.backend).libraries


def enter(dispatcher: Dispatcher, problem: Problem, plan: Plan) -> Plan:
    """Return the plan; if its case is open, with a contest for its first calls."""
    selector = dispatcher.selector
    if plan.candidate is None or plan.awaits is not None or not isinstance(selector, WithLibraries):
        return plan
    if not selector.has_open_cases:
        return plan
    if must_agree(problem, dispatcher.settings) or is_captured(problem):
        return plan
    device = dispatcher.device_for(problem)
    case = selector.open_case(problem, device, plan.candidate)
    rival = resized_candidate(case[2], problem, device) if case is not None else None
    if case is None or rival is None:
        return plan
    other = dispatcher.realise(problem, rival)
    asked, *sides = case

    def decided(seconds: tuple[float, float] | None) -> bool:
        library_wins = False
        if seconds is not None:
            builds = [build_keys_now(c.spec, dispatcher.settings)[0] for c in sides]
            outcome = Outcome(
                asked.tuning_key, device.digest, sides[0].key, builds[0], sides[1].key, builds[1], *seconds,
                problem.label(),
            )  # fmt: skip
            selector.outcomes.add(outcome)
            library_wins = outcome.library_wins
            winner = sides[1] if library_wins else sides[0]
            times = " against ".join(f"{s * 1e3:.4g} ms" for s in sorted(seconds))
            dispatcher.record("contest", f"{problem.label()}: {winner.spec.name} is faster, {times}", winner.spec.name)
        if library_wins:
            plan.successor = other
        else:  # the plan goes on: ranking all candidates again would find the same
            plan.contest = plan.awaits = None
        done.finish()
        return library_wins

    done = plan.awaits = Pending()
    turns = Turns(problem.device, decided, lambda: must_agree(problem, dispatcher.settings))
    turns.detour = dispatcher.note_detour
    plan.contest = Contest(turns, other, lambda views: LibraryCheck(problem, rival, views))
    return plan


class Contest:
    """The calls of one problem while its case is open: `Turns` between the kernels of two plans."""

    def __init__(self, turns: Turns, rival: Plan, check: Callable[[Mapping[str, Any]], LibraryCheck]) -> None:
        self._turns, self._rival, self._check = turns, rival, check

    def call(self, mine: Any, views: Mapping[str, Any]) -> Any:
        """Return a call that takes turns between both sides; ours alone if one of them has no prepared call."""
        other = self._rival.prepared_call(views)
        if mine is None or other is None or not hasattr(mine, "run_pointers"):
            return mine
        kind = PointerTurns if hasattr(other, "run_pointers") else TensorTurns
        return kind(self._turns, mine, other, self._check(views))

    def run(self, mine: Any, views: Mapping[str, TensorView]) -> Any:
        """Return the result of a call of `Dispatcher.run`, by ours, bound to these tensors, or by the library.

        Ours alone, and no turn, if the library does not take such tensors.
        """
        if self._turns.rests():
            return self._rival.bind(views)() if self._turns.library_won else mine()
        other = self._rival.prepared_call(views)
        if other is None:
            return mine()

        def is_right() -> bool:
            check = self._check(views)
            if hasattr(other, "run_pointers"):
                return check.on_addresses(other.run_pointers, tuple(view.address for view in views.values()))
            return check.on_tensors(other.run_tensors, tuple(view.owner for view in views.values()))

        return self._turns.take_turn(mine, lambda: self._rival.bind(views)(), is_right)


class Turns:
    """Calls that take turns between ours and theirs until it is clear who is faster.

    `decided` gets the seconds of both, or None if the case stays open, and returns whether the library computes from
    now on; `agrees` says whether runs must be equal now. Nothing is measured before `is_ready` says that ours is what
    it will be: its kernels are built.
    """

    def __init__(
        self,
        place: str,
        decided: Callable[[tuple[float, float] | None], bool],
        agrees: Callable[[], bool],
        clock: Any = None,
        is_ready: Callable[[], bool] | None = None,
    ) -> None:
        self._place, self._decided, self._agrees, self._is_ready = place, decided, agrees, is_ready
        self._clock = clock or (HostClock() if memory_of(place) == "cpu" else GpuClock(memory_of(place)))
        self._wanted: int = getattr(self._clock, "samples", SAMPLES)
        self._costs: float = getattr(self._clock, "costs", 0.0)
        self._typical: Callable[[Sequence[float]], float] = getattr(self._clock, "typical", min)
        self._calls, self._is_warm, self._is_checked, self._over = 0, False, False, False
        self._samples: tuple[list[float], list[float]] = ([], [])
        self._tries = 0  # measured calls of the library, with those whose time was dropped
        # number of the call that has something to decide; those before it are ours
        self._next: float = ASKED if is_ready is not None else 0
        self.library_won = False
        self.detour: Callable[[], None] = lambda: None  # called with each call that comes when it is decided
        self._lock = new_lock()

    def rests(self) -> bool:
        """Return whether the call that is made now decides nothing, and count it then: it runs without a turn."""
        if self._over:
            self.detour()
            return True
        if self._calls + 1 < self._next:
            self._calls += 1
            return True
        return False

    def take_turn(
        self, ours: Callable[[], Any], theirs: Callable[[], Any], is_right: Callable[[], bool] = lambda: True
    ) -> Any:
        """Return what one of both returns; measure it if that decides something.

        `is_right` is asked once, before the first call of the library: if its result is wrong, it has lost.
        """
        if self.rests() or not self._lock.acquire(blocking=False):  # another thread's call is measured just now
            return theirs() if self.library_won else ours()
        try:
            return self._turn(ours, theirs, is_right)
        finally:
            self._lock.release()

    def _turn(self, ours: Callable[[], Any], theirs: Callable[[], Any], is_right: Callable[[], bool]) -> Any:
        self._calls += 1
        if captures(self._place):
            return ours()
        if self._agrees():
            self._next = self._calls + ASKED
            return ours()
        if self._is_ready is not None and self._calls <= MAX_CALLS:
            if not self._is_ready():
                self._next = self._calls + ASKED
                return ours()
            self._calls, self._next, self._is_ready = 0, 0, None
        for side, seconds in self._clock.results():
            self._samples[side].append(seconds)
        own, other = self._samples
        if self._calls > MAX_CALLS:
            self._end(self._found() if own and other else None)
            return ours()
        if self._is_warm:  # the call before was one of the library too
            self._is_warm = False
            self._tries += 1
            return self._tried(lambda: self._clock.measure(1, theirs), ours)
        if len(own) < self._wanted + len(other):  # both sides at the same times: machines are busy now and then
            if self._calls <= WARM or self._clock.waiting:
                return ours()
            self._next = self._calls + self._costs / SHARE  # measuring adds to the time of calls, too
            return self._clock.measure(0, ours)
        if self._is_clear():
            self._end(self._found())
            return ours()
        self._next = self._allowed_from()
        if self._calls >= self._next and not self._clock.waiting:
            if not self._is_checked and not is_right():
                self._end((min(own), float("inf")))
            else:
                self._is_checked = True
                self._is_warm = True
                return self._tried(theirs, ours)
        return ours()

    def _tried(self, theirs: Callable[[], Any], ours: Callable[[], Any]) -> Any:
        """Return what a library returns; if it fails, it has lost, and ours computes."""
        try:
            return theirs()
        except RuntimeError as error:  # what torch raises
            log.warning("a library failed and is left out: %s", error)
            self._end((min(self._samples[0]), float("inf")))
            return ours()

    def _found(self) -> tuple[float, float]:
        """Return the seconds of both sides, of ours from the time in which the library was measured."""
        own, other = self._samples
        return self._typical(own[-len(other) :]), self._typical(other)

    def _is_clear(self) -> bool:
        """Return whether the library was measured often enough: sooner if one side is much faster."""
        if len(self._samples[1]) in (0, 1):
            return False
        if len(self._samples[1]) >= self._wanted:
            return True
        own, other = self._found()
        return own >= self._clock.least_s and not own / CLEAR < other < own * CLEAR

    def _allowed_from(self) -> float:
        """Return the number of the call from which two more of the library stay within the share, as far as known."""
        own, other = self._samples
        mine = self._typical(own)
        each = max(0.0, self._typical(other) - mine) if other else mine
        return min(math.ceil(2 * (self._tries + 1) * each / max(SHARE * mine, 1e-12)), MAX_CALLS + 1)

    def _end(self, seconds: tuple[float, float] | None) -> None:
        self.library_won = self._decided(seconds)
        self._over = True


class PointerTurns:
    """A call on addresses that takes turns; when it is decided, it runs the winner until calls are prepared anew."""

    is_library = True  # not a kernel of the C launcher

    def __init__(self, turns: Turns, mine: Any, other: Any, check: LibraryCheck) -> None:
        self._turns, self._mine, self._other, self._check = turns, mine.run_pointers, other.run_pointers, check

    def run_pointers(self, *addresses: int) -> None:
        """Compute on tensors at these addresses."""
        turns = self._turns
        if turns.rests():
            (self._other if turns.library_won else self._mine)(*addresses)
            return
        turns.take_turn(
            lambda: self._mine(*addresses),
            lambda: self._other(*addresses),
            lambda: self._check.on_addresses(self._other, addresses),
        )


class TensorTurns:
    """The same on tensors, if the library takes nothing else."""

    is_library = True

    def __init__(self, turns: Turns, mine: Any, other: Any, check: LibraryCheck) -> None:
        self._turns, self._mine, self._other, self._check = turns, mine.run_pointers, other.run_tensors, check

    def run_tensors(self, *tensors: Any) -> None:
        """Compute on these tensors."""
        turns = self._turns
        if turns.rests():
            if turns.library_won:
                self._other(*tensors)
            else:
                self._mine(*map(_address, tensors))
            return
        turns.take_turn(
            lambda: self._mine(*map(_address, tensors)),
            lambda: self._other(*tensors),
            lambda: self._check.on_tensors(self._other, tensors),
        )


def _address(tensor: Any) -> int:
    return int(tensor.data_ptr()) if hasattr(tensor, "data_ptr") else address_of(tensor)
