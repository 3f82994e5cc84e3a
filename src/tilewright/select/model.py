"""SelectionModel: prices for the work of a launch, corrected by trees. One file, read with only NumPy.

Predicted seconds = (sum of price x work) x exp(trees(features)). Prices are fitted to measurements of the device, one
list per kind of kernel; the trees learn the residual. The prices prune: only the best `keep` candidates go to the
trees; the first trees shorten the list once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..backends.formula_cost import PREDICTED
from ..errors import SchemaError, SelectionError, UnknownNameError
from ..model.canonical import digest
from ..model.kernel import KernelSpec
from ..model.locks import cached_property
from .features import FeatureSpec, Table, feature_spec
from .model_file import MODEL_SCHEMA, TREES, read_model, write_model, wrong_model
from .trees import Trees

KEEP = 32  # candidates that the trees see; the prices remove the others
BEYOND = 2.0  # a model is used up to this factor beyond the largest and smallest sizes in its training data
SIZES = ("flops", "threads")  # what is a size in this sense
DOUBT = 1.1  # factor on the cost model's time for a kind that was not in the training data
FIRST_TREES, SHORTER = 60, 16  # candidates that remain after the first trees; the others cannot win any more
BY_PRICES, BY_TREES, BY_COST, BY_FIRST = 0, 1, 2, 3  # what predicted a time, see native/score.hpp
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SelectionModel:
    """A trained model of one (op, direction, dtype family) on one arch, with its card.

    `covered` are the digests of the algorithms that were measured, `kinds` the values of their names and switches.
    Other algorithms of these kinds are predicted as well. Other kinds are predicted by the cost model, corrected by its
    error for its best choice among these, and a tenth slower: the lowest of many guesses is usually too low.
    If `shown` has rows (the tunables of measured kernels, as numbers), every other algorithm is of another kind.
    `reach` has the range of the problem's flop and the device's threads: the model is not used far outside of it. It is
    not used at all outside of the range of what the op names (`REACH` of its features).
    """

    family: str
    backend: str
    op: str
    arch: str
    features: str
    codes: npt.NDArray[np.int64]
    prices: Floats
    trees: Trees
    covered: frozenset[str]
    keep: int = KEEP
    card: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    reach: Mapping[str, Sequence[float]] = field(default_factory=dict)
    shown: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def name(self) -> str:
        """The file name without its suffix."""
        return f"{self.family}-{self.backend}-{self.arch}"

    @cached_property
    def digest(self) -> str:
        """Identity of the model: part of the selection snapshot."""
        arrays = [self.codes, self.prices, *vars(self.trees).values(), *([self.shown] if self.shown.size else [])]
        plain = [{k: list(v) for k, v in x.items()} for x in (self.kinds, self.reach)]
        return digest([self.name, self.features, self.keep, plain, *(a.tobytes().hex() for a in arrays)])

    @cached_property
    def spec(self) -> FeatureSpec:
        """The features, checked: a model that was trained on others cannot be used."""
        spec = feature_spec(self.backend, self.op)
        if spec.digest != self.features:
            raise SchemaError(
                f"model {self.name} was trained on features {self.features[:12]}; this version computes "
                f"{spec.digest[:12]}",
                remedy="train it again: `tilewright train`",
            )
        return spec

    def covers(self, spec: KernelSpec) -> bool:
        """Return whether kernels with this algorithm were measured when the model was trained."""
        return spec.how in self.covered

    def beyond(self, problem: Mapping[str, float], device: Mapping[str, float]) -> str:
        """Return why the model is not used for a problem on a device: what is far outside of its measurements."""
        for name, (low, high) in self.reach.items():
            value = problem[name] if name in problem else device[name]
            slack = BEYOND if name in SIZES else 1.0
            if not low / slack <= value <= high * slack:
                return f"{value:.3g} {name} are beyond model {self.name}, which was trained on {low:.3g} to {high:.3g}"
        return ""

    def groups(self, table: Table) -> npt.NDArray[np.int32]:
        """Return the price list of each row: that of its kind, or the common one (the last) for an unknown kind."""
        code = self.spec.groups(table)
        place = np.searchsorted(self.codes, code)
        place = np.minimum(place, max(len(self.codes) - 1, 0))
        known = self.codes[place] == code if len(self.codes) else np.zeros(len(code), bool)
        return np.where(known, place, len(self.codes)).astype(np.int32)

    def knows(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return whether kernels of that kind were measured: all names and switches of a row are known."""
        if self.shown.size:
            own = np.ascontiguousarray(table[:, : self.shown.shape[1]], np.float64)
            return np.array([row.tobytes() in self._shown for row in own], bool)
        known = np.ones(len(table), bool)
        for name, column in self.spec.kinds(table).items():
            if name in self.kinds:
                known &= (column[:, None] == np.asarray(self.kinds[name], np.float64)).any(axis=1)  # isin is slower
        return known

    @cached_property
    def _shown(self) -> frozenset[bytes]:
        return frozenset(row.tobytes() for row in np.ascontiguousarray(self.shown, np.float64))

    def predict(self, table: Table, problem: Mapping[str, Any], device: Mapping[str, Any]) -> Floats:
        """Return (seconds; score to sort by; predictor) of each row of a candidate table, with NumPy."""
        work = self.spec.compute(table, problem, device)
        seconds, known = self.base(table, work), self.knows(table)
        kept = _smallest(seconds, np.flatnonzero(known), self.keep)
        by = np.where(known, BY_PRICES, BY_COST).astype(np.float64)
        x = self.spec.matrix(table[kept], problem, work[kept])
        first, few = FIRST_TREES if len(self.trees) > FIRST_TREES else 0, kept
        if first:
            by[kept] = BY_FIRST
            seconds[kept] *= np.exp(self.trees.part(0, first).score(x))
            few = _smallest(seconds, kept, SHORTER)
            x = x[np.isin(kept, few)]
        by[few] = BY_TREES
        seconds[few] *= np.exp(self.trees.part(first, len(self.trees)).score(x))
        # Kinds that are not in the training data: the cost model's time, corrected like its best choice among others.
        cost = work[:, self.spec.work.index(PREDICTED)]
        liked = kept[np.argmin(cost[kept])] if len(kept) else None
        seconds[~known] = cost[~known] * (1e-6 if liked is None else DOUBT * seconds[liked] / cost[liked])
        # Candidates that prices or the first trees removed stay after the short list, at any predicted time.
        removed = (by == BY_PRICES) | (by == BY_FIRST)
        score = np.where(removed, seconds + seconds[few].max(initial=0.0), seconds)
        return np.stack([seconds, score, by])

    def base(self, table: Table, work: Table) -> Floats:
        """Return seconds by prices only."""
        at = [self.spec.work.index(n) for n in self.spec.additive]
        price = self.prices[self.groups(table)]
        total: Floats = (price[:, :-1] * work[:, at]).sum(axis=1) + price[:, -1]
        return total

    def save(self, folder: str | Path) -> Path:
        """Write the model into a folder, durably and by one rename; return the file."""
        head = {"schema": MODEL_SCHEMA, "family": self.family, "backend": self.backend, "op": self.op,
                "arch": self.arch, "features": self.features, "keep": self.keep, "card": dict(self.card),
                "covered": sorted(self.covered), "kinds": {k: list(v) for k, v in self.kinds.items()},
                "reach": {k: list(v) for k, v in self.reach.items()}}  # fmt: skip
        path = Path(folder) / f"{self.name}.npz"
        write_model(path, head, {"codes": self.codes, "prices": self.prices, "shown": self.shown, **vars(self.trees)})
        return path

    @classmethod
    def load(cls, path: str | Path) -> SelectionModel:
        """Return a model from its file. Raise `SchemaError` if it is damaged, not a model, or of other features."""
        head, arrays = read_model(Path(path))
        model = cls(
            head["family"], head["backend"], head["op"], head["arch"], head["features"], arrays["codes"],
            arrays["prices"], Trees(*(arrays[name] for name in TREES)), frozenset(head["covered"]), head["keep"],
            head["card"], head.get("kinds", {}), head.get("reach", {}), arrays.get("shown", np.zeros((0, 0))),
        )  # fmt: skip
        try:
            mistake = wrong_model(model, model.spec)
        except (UnknownNameError, SelectionError) as error:  # of a backend or an op that this version does not have
            mistake = str(error)
        if mistake:
            raise SchemaError(f"model {path} cannot be used: {mistake}", remedy="train it again, or remove the file")
        return model


def _smallest(seconds: Floats, among: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Return the places, in order, of the `count` smallest among some; the first ones win a tie."""
    return np.sort(among[np.argsort(seconds[among], kind="stable")[:count]])
