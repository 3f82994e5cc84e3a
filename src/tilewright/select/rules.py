"""rules: each backend's own rules of thumb, as a score with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends import get_backend_op
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked, in_order


class Rules:
    """Ranks by `BackendOp.preference`; ties are broken by the candidate's key.

    >>> Rules().rank(None, [], None)
    []
    """

    name = "rules"

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """Return the candidates, smallest score first."""
        scored = []
        for candidate in candidates:
            op = get_backend_op(candidate.spec.backend, candidate.spec.op)
            score, reason = op.preference(candidate, problem, device)
            scored.append((score, Ranked(candidate, None, reason)))
        return in_order(scored)
