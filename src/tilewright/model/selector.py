"""The selector protocol: candidates in, a ranking with predicted times and reasons out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from .kernel import Candidate

if TYPE_CHECKING:
    from .device import Device
    from .problem import Problem


@dataclass(frozen=True)
class Ranked:
    """One candidate in order of preference. `seconds` is None if a selector predicts no time."""

    candidate: Candidate
    seconds: float | None
    reason: str


class Selector(Protocol):
    """Ranks candidates. The same problem, candidates and device always give the same order."""

    name: str

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, best first; ties are broken by `Candidate.key`."""
        ...


def in_order(scored: Sequence[tuple[float, Ranked]]) -> list[Ranked]:
    """Sort by score, smallest first; ties by the candidate's key (computed only in a tie)."""
    by_score = sorted(scored, key=itemgetter(0))
    result: list[Ranked] = []
    for _, group in groupby(by_score, key=itemgetter(0)):
        tied = [ranked for _, ranked in group]
        result += tied if len(tied) == 1 else sorted(tied, key=lambda r: r.candidate.key)
    return result


def in_turn(ranked: Sequence[Ranked]) -> Iterator[Ranked]:
    """Yield the candidates, best first. The order of the others is found only if the first is not enough.

    >>> [r.reason for r in in_turn([Ranked(None, 1.0, "a"), Ranked(None, 2.0, "b")])]
    ['a', 'b']
    """
    if ranked:
        yield ranked[0]
        for i in range(1, len(ranked)):
            yield ranked[i]
