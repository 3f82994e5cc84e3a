"""first_fit: the first legal candidate in the registry's order; predicts nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked


class FirstFit:
    """Keeps the registry's order: by priority, then as declared.

    >>> FirstFit().rank(None, [], None)
    []
    """

    name = "first_fit"

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """Return the candidates in the given order."""
        return [Ranked(c, None, f"number {i} in the registry's order") for i, c in enumerate(candidates, 1)]
