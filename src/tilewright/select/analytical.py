"""analytical: each backend's cost model, as predicted seconds."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends import by_cost
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked
from ..settings import Settings
from .ranking import Ahead


class Analytical:
    """Ranks by `BackendOp.predict`; ties are broken by the candidate's key.

    >>> Analytical().rank(None, [], None)
    []
    """

    name = "analytical"

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings.from_env()

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, smallest predicted time first."""
        if not candidates:
            return []

        def best() -> Ranked | None:
            from .formulas import formulas  # NumPy is loaded only if something is selected

            spec = candidates[0].spec
            found = formulas(spec.backend, spec.op, device.arch, self._settings)
            return found.best(problem, candidates, device) if found is not None else None

        return Ahead(len(candidates), best, lambda: by_cost(problem, candidates, device))
