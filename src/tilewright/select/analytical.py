"""analytical: each backend's cost model, as predicted seconds."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends import by_cost
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked


class Analytical:
    """Ranks by `BackendOp.predict`; ties are broken by the candidate's key.

    >>> Analytical().rank(None, [], None)
    []
    """

    name = "analytical"

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """The candidates, smallest predicted time first."""
        return by_cost(problem, candidates, device)
