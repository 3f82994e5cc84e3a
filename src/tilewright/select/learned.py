"""learned: a model trained on measurements, as predicted seconds. It has an opinion only of kernels it was shown."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked, in_order
from ..settings import Settings
from .analytical import Analytical
from .features import device_numbers, family_of, operand_dtype, problem_numbers
from .model import Predictor, SelectionModel
from .shelf import Shelf


class Learned:
    """Ranks the kernels that a model knows by its prediction; the others follow by the analytical model.

    >>> Learned(Shelf([])).rank(None, [], None)
    []
    """

    name = "learned"

    def __init__(self, shelf: Shelf | None = None, settings: Settings | None = None) -> None:
        self.settings = settings
        self.shelf = shelf if shelf is not None else Shelf.of(settings)

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """The candidates, smallest predicted time first; what no model knows comes after what one does."""
        known, other = self.predicted(problem, candidates, device)
        return [*known, *Analytical().rank(problem, other, device)]

    def predicted(
        self, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> tuple[list[Ranked], list[Candidate]]:
        """(candidates that a model knows, ranked; the others)."""
        if not candidates:
            return [], []
        family, scored, other = family_of(problem), [], []
        for backend in dict.fromkeys(c.spec.backend for c in candidates):
            mine = [c for c in candidates if c.spec.backend == backend]
            model = self.shelf.find(family, backend, device.arch)
            if model is None:
                other += mine
                continue
            chosen: list[Candidate] = []
            for c in mine:
                (chosen if model.covers(c.spec) else other).append(c)
            scored += self._scored(model, problem, chosen, device)
        return in_order(scored), other

    def _scored(
        self, model: SelectionModel, problem: Problem, chosen: list[Candidate], device: Device
    ) -> list[tuple[float, Ranked]]:
        if not chosen:
            return []
        predictor = Predictor(model, chosen, self.settings)
        seconds, kept = predictor.predict(problem_numbers(problem), device_numbers(device, operand_dtype(problem)))
        worst = float(seconds[kept.astype(bool)].max(initial=0.0))
        found = []
        by_trees, by_prices = f"learned: model {model.name}", f"learned: prices of model {model.name}"
        for candidate, s, trees in zip(chosen, seconds.tolist(), kept.tolist(), strict=True):
            # What the prices removed from the short list stays behind it, whatever they say of its time.
            found.append((s if trees else worst + s, Ranked(candidate, s, by_trees if trees else by_prices)))
        return found
