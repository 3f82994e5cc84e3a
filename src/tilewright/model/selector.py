"""The selector protocol: candidates in, a ranking with predicted times and reasons out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .kernel import Candidate

if TYPE_CHECKING:
    from .device import Device
    from .problem import Problem


@dataclass(frozen=True)
class Ranked:
    """One candidate in order of preference. `seconds` is None where a selector predicts no time."""

    candidate: Candidate
    seconds: float | None
    reason: str


class Selector(Protocol):
    """Ranks candidates. The same problem, candidates and device always give the same order."""

    name: str

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """The candidates, best first; ties are broken by `Candidate.key`."""
        ...
