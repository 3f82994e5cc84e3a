"""analytical: each backend's cost model, as predicted seconds."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends import get_backend_op
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked, in_order


class Analytical:
    """Ranks by `BackendOp.predict`; ties are broken by the candidate's key.

    >>> Analytical().rank(None, [], None)
    []
    """

    name = "analytical"

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """The candidates, smallest predicted time first."""
        timed = []
        for candidate in candidates:
            op = get_backend_op(candidate.spec.backend, candidate.spec.op)
            seconds = op.predict(candidate, problem, device)
            timed.append((seconds, Ranked(candidate, seconds, "smallest predicted time")))
        return in_order(timed)
