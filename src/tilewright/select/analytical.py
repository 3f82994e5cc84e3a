"""analytical: each backend's cost model, as predicted seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends import by_cost
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec
from ..model.problem import Problem
from ..model.selector import Ranked
from ..settings import Settings
from .ranking import LazyRanking
from .rounded import rounded


class Analytical:
    """Ranks by `BackendOp.predict`; ties are broken by the candidate's key.

    >>> Analytical().rank(None, [], None)
    []
    """

    name = "analytical"

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings.from_env()
        self._formulas: dict[tuple[str, str, str], Any] = {}

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, smallest predicted time of the `rounded` problem first."""
        return self.ranked(rounded(problem, device), candidates, device) if candidates else []

    def ranked(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, smallest predicted time of this very problem first."""

        def best() -> Ranked | None:
            found = self._formulas_of(candidates[0].spec, device.arch)
            return found.best(problem, candidates, device) if found is not None else None

        return LazyRanking(best, lambda: by_cost(problem, candidates, device), len(candidates))

    def _formulas_of(self, spec: KernelSpec, arch: str) -> Any:
        """Return the formulas of a backend's kernels; settings are slow to look up, and they do not change here."""
        key = (spec.backend, spec.op, arch)
        if key not in self._formulas:
            from .formulas import formulas  # NumPy is loaded only if something is selected

            self._formulas[key] = formulas(*key, self._settings)
        return self._formulas[key]
