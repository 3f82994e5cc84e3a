"""learned: a model trained on measurements predicts seconds. It marks kernels that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends.formula_cost import device_numbers
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Ranked, in_order
from ..settings import Settings
from .analytical import Analytical
from .features import family_of, problem_numbers
from .model import BY_COST, BY_FIRST, BY_PRICES, BY_TREES, SelectionModel
from .model_directory import ModelDirectory
from .ranking import LazyRanking, one_after_another
from .rounded import rounded
from .scorer import Scorer

REASONS = {
    BY_TREES: "model {}",
    BY_FIRST: "the first trees of model {}",
    BY_PRICES: "prices of model {}",
    BY_COST: "the cost model, corrected by model {}",
}


class Learned:
    """Ranks candidates by a model's prediction; those of backends without a model follow by the analytical one.

    >>> Learned(ModelDirectory([])).rank(None, [], None)
    []
    """

    name = "learned"

    def __init__(self, models: ModelDirectory | None = None, settings: Settings | None = None) -> None:
        self.settings = settings
        self.models = models if models is not None else ModelDirectory.of(settings)
        self._scorers: dict[str, Scorer] = {}

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Sequence[Ranked]:
        """Return the candidates, smallest predicted time first; those that no model predicts come last."""
        asked = rounded(problem, device) if candidates else problem
        known, other = self.predicted(asked, candidates, device)
        if not other:
            return known
        return one_after_another(known, len(other), lambda: Analytical(self.settings).ranked(asked, other, device))

    def predicted(
        self, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> tuple[Sequence[Ranked], Sequence[Candidate]]:
        """Return (candidates that a model predicts, ranked; the others) for this very problem."""
        if not candidates:
            return [], []
        family = family_of(problem)
        model = self.models.find(family, candidates[0].spec.backend, device.arch)
        ranking = self._ranking(model, problem, candidates, device) if model is not None else None
        if ranking is not None:
            return ranking, []
        if len({c.spec.backend for c in candidates}) == 1:
            return [], candidates
        return self._by_backend(family, problem, candidates, device)

    def silent(self, problem: Problem, backend: str, device: Device) -> str:
        """Return why no model ranks the candidates of a backend; empty if one does."""
        family = family_of(problem)
        model = self.models.find(family, backend, device.arch)
        if model is None:
            return self.models.refused(family, backend, device.arch) or f"no model for {family} on {device.arch}"
        return model.beyond(problem_numbers(problem), device_numbers(device, problem.operand_dtype))

    def _by_backend(
        self, family: str, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> tuple[Sequence[Ranked], Sequence[Candidate]]:
        """Return the same for candidates of several backends, each with or without a model."""
        found: list[Ranked] = []
        other: list[Candidate] = []
        for backend in dict.fromkeys(c.spec.backend for c in candidates):
            mine = [c for c in candidates if c.spec.backend == backend]
            model = self.models.find(family, backend, device.arch)
            ranking = self._ranking(model, problem, mine, device) if model is not None else None
            if ranking is None:
                other += mine
            else:
                found += ranking
        return in_order([(r.seconds or 0.0, r) for r in found]), other

    def _ranking(
        self, model: SelectionModel, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> LazyRanking | None:
        """Return the candidates by a model; None if one is of another backend, or the problem is out of range."""
        asked, where = problem_numbers(problem), device_numbers(device, problem.operand_dtype)
        if model.beyond(asked, where):
            return None
        scorer = self._scorers.get(model.name)
        if scorer is None or scorer.model is not model:
            scorer = self._scorers[model.name] = Scorer(model, self.settings)
        scores = scorer.predict(candidates, asked, where)
        if scores is None:
            return None

        def describe(i: int) -> Ranked:
            new = "" if model.covers(candidates[i].spec) else ", which was not shown this kernel"
            text = REASONS[int(scores.by[i])].format(model.name)
            return Ranked(candidates[i], float(scores.seconds[i]), f"learned: {text}{new}")

        def best() -> Ranked:
            tied = (
                (scores.score == scores.score[scores.best]).nonzero()[0].tolist() if scores.ties > 1 else [scores.best]
            )
            return describe(min(tied, key=lambda i: candidates[i].key))

        def whole() -> list[Ranked]:
            return in_order([(score, describe(i)) for i, score in enumerate(scores.score.tolist())])

        return LazyRanking(best, whole, len(candidates))
