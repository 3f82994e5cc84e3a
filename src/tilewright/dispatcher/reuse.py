"""ReuseKernels: a program that compiles while it runs needs fewer kernels if near ties go to those that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any

from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec
from ..model.problem import Problem
from ..model.selector import Ranked, Selector
from ..model.summation import ANY
from ..select.ranking import one_after_another
from ..settings import Settings
from .policy import policy_for

LOSS = 0.02  # of the predicted time that a build is worth: predictions are no better than that


class ReuseKernels:
    """A selector that puts a kernel of the program first if it is predicted to lose at most 2%, and the best is new.

    That holds for predicted times and the policy `background` only. A choice then depends on the problems that came
    before, which no other policy allows. `used` returns the kernels that are loaded or being built.
    """

    def __init__(self, inner: Selector, settings: Settings, used: Callable[[], Iterable[KernelSpec]]) -> None:
        self.name, self._inner, self._settings, self._used = inner.name, inner, settings, used

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, best first, or a known kernel that is nearly as good."""
        return self._known_first(problem, self._inner.rank(problem, candidates, device))

    def predicted(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the same without measurements of the problem; some selectors never use any."""
        rank = getattr(self._inner, "predicted", self._inner.rank)
        return self._known_first(problem, rank(problem, candidates, device))

    def _known_first(self, problem: Problem, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
        if not ranked or problem.summation != ANY or policy_for(self._settings, problem) != "background":
            return ranked
        best = ranked[0]
        if best.seconds is None or is_measured(best):
            return ranked
        spec = best.candidate.spec
        same = {s.digest for s in self._used() if s.op == spec.op and s.signature == spec.signature}
        if not same or spec.digest in same:
            return ranked
        limit = (1.0 + LOSS) * best.seconds
        near = takewhile(lambda r: r.seconds is not None and r.seconds <= limit, ranked)
        other = next((r for r in near if r.candidate.spec.digest in same and not is_measured(r)), None)
        if other is None:
            return ranked
        why = f"{other.reason}; instead of {spec.name}: at most {LOSS:.0%} slower, and no build"
        first = Ranked(other.candidate, other.seconds, why)
        return one_after_another([first], len(ranked) - 1, lambda: [r for r in ranked if r is not other])


def is_measured(choice: Ranked) -> bool:
    """Return whether a time was measured, not predicted.

    >>> is_measured(Ranked(None, 1.0, "measured: 3 samples")), is_measured(Ranked(None, 1.0, "learned"))
    (True, False)
    """
    return choice.reason.startswith("measured:")
