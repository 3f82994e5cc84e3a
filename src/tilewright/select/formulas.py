"""The cost models as formulas: find the candidate with the smallest predicted time without Python for all others.

A backend's cost model is one of the formulas of its features, which run as C over all candidates at once (see
`compiled`). C rounds differently from the Python form of the same formulas, so candidates that tie with the best are
predicted by Python, as in `by_cost`; so are the kernels that a table describes only in part (`near`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter

import numpy as np

from ..backends import cost_reason, get_backend_op
from ..backends.formula_cost import device_numbers
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec
from ..model.problem import Problem
from ..model.selector import Ranked
from ..settings import Settings
from .features import backend_features, feature_spec, has_features, problem_numbers
from .model import SelectionModel
from .scorer import Scorer
from .trees import Trees

CLOSE = 1e-6  # C and Python agree far better
MAX_KERNELS = 1 << 14
_spec_of = attrgetter("spec")


def untrained(backend: str, op: str, arch: str) -> SelectionModel:
    """Return a model without training data, whose predictions are those of the cost model's formula.

    >>> untrained("cpu", "gemm", "x86_64_v3").name
    'untrained-cpu-x86_64_v3'
    """
    spec = feature_spec(backend, op)
    kinds = {next(iter(spec.kinds(np.zeros((0, len(spec.columns)))))): ()}  # no kernel has one of these values
    prices = np.zeros((1, len(spec.additive) + 1))
    return SelectionModel(
        "untrained", backend, op, arch, spec.digest, np.zeros(0, np.int64), prices, Trees.none(), frozenset(),
        kinds=kinds,
    )  # fmt: skip


class Formulas:
    """The cost model of a backend's kernels for an op on an arch, as C."""

    def __init__(self, backend: str, op: str, arch: str, settings: Settings) -> None:
        self._op = get_backend_op(backend, op)
        self._scorer = Scorer(untrained(backend, op, arch), settings)
        self._near = _near(backend_features(backend, op).near, self._op.has_custom_cost(arch))
        self._flags: dict[int, bool] = {}  # whether formulas are only approximate for a kernel, by its identity
        self._held: list[KernelSpec] = []  # keeps kernels alive, so that identities stay unique

    def best(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> Ranked | None:
        """Return what `by_cost` ranks first; None if C cannot decide: not built yet, or several backends."""
        if self._scorer.how != "C":
            return None
        numbers = problem_numbers(problem), device_numbers(device, problem.operand_dtype)
        scores = self._scorer.predict(candidates, *numbers)
        if scores is None:
            return None
        seconds = np.maximum(scores.seconds, self._op.least_seconds(problem, device))
        exact = dict[int, float]()
        for i in self._nears(candidates):
            exact[i] = seconds[i] = self._op.predict(candidates[i], problem, device)
        close = (seconds <= seconds[seconds.argmin()] * (1.0 + CLOSE)).nonzero()[0].tolist()
        for i in close:
            if i not in exact:
                exact[i] = self._op.predict(candidates[i], problem, device)
                if not abs(exact[i] - seconds[i]) <= CLOSE * seconds[i]:  # a product without terms takes no time
                    return None
        if not close:
            return None
        least = min(exact[i] for i in close)
        tied = [i for i in close if exact[i] == least]
        best = tied[0] if len(tied) == 1 else min(tied, key=lambda i: candidates[i].key)  # keys are slow to compute
        return Ranked(candidates[best], exact[best], cost_reason(self._op, candidates[best].spec))

    def _nears(self, candidates: Sequence[Candidate]) -> list[int]:
        """Return the places of candidates for which formulas are only approximate."""
        if self._near is None:
            return []
        try:
            flags = map(self._flags.__getitem__, map(id, map(_spec_of, candidates)))
            found: list[int] = np.flatnonzero(np.fromiter(flags, bool, len(candidates))).tolist()
            return found
        except KeyError:
            if len(self._held) > MAX_KERNELS:
                self._flags, self._held = {}, []
            self._held += [c.spec for c in candidates if id(c.spec) not in self._flags]
            self._flags.update((id(spec), self._near(spec)) for spec in self._held if id(spec) not in self._flags)
            return self._nears(candidates)


def _near(
    near: Callable[[KernelSpec], bool] | None, apart: Callable[[KernelSpec], bool] | None
) -> Callable[[KernelSpec], bool] | None:
    """Return for which kernels formulas are not the whole cost model; None: for none."""
    if apart is None or near is None:
        return apart or near
    return lambda spec: apart(spec) or near(spec)


@lru_cache(maxsize=64)
def formulas(backend: str, op: str, arch: str, settings: Settings) -> Formulas | None:
    """Return the formulas of a backend's kernels for an op; None if it has none.

    >>> formulas("reference", "gemm", "x86_64_v3", Settings.from_env()) is None
    True
    """
    return Formulas(backend, op, arch, settings) if has_features(backend, op) else None
