"""The cost models as steps for one candidate: the same operations in the same order as their Python form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..backends.formula_cost import DEVICE, LAUNCH, PREDICTED, kind_of
from ..model.expr import Expr, Symbol
from ..model.expr_code import python_form
from . import parts as cpu_parts


class _Steps:
    """A formula as steps: each is an operator and its operands, which are earlier steps, inputs or numbers."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self.steps: list[list[Any]] = []
        self._seen: dict[str, int] = {}
        self._nodes: dict[int, Any] = {}
        self._keep: list[Any] = []

    def place(self, value: Any) -> Any:
        """Return the operand of a value: a number, an input such as "p3", or the place of its step."""
        if not isinstance(value, Expr):
            return ["#", float(value)]
        if isinstance(value, Symbol):
            source, _, at = self._places[value.name].partition("[")
            return [source, int(at[:-1])]
        if id(value) not in self._nodes:
            step = [value.operator, *(self.place(o) for o in value.operands)]
            key = repr(step)
            if key not in self._seen:
                self._seen[key] = len(self.steps)
                self.steps.append(step)
            self._nodes[id(value)] = ["t", self._seen[key]]
            self._keep.append(value)
        return self._nodes[id(value)]


def _symbols(op: str, of: Any) -> tuple[dict[str, str], dict[str, Any], list[float]]:
    """Return (place of each symbol, the inputs of the formulas, the values of the tunable they differ by)."""
    backend = of.WITH_FORMULAS[op]
    features, tunables = backend.features(), backend.tunables()
    assert features is not None
    problem = tuple(_numbers(op, of))
    names = (*(t.name for t in tunables), *features.CONSTANTS)
    sources = {"k": ("", *names), "x": LAUNCH, "p": problem, "d": DEVICE}
    places = {
        f"{'k' if x == 'x' else x}_{n}": f"{x}[{i}]" for x, listed in sources.items() for i, n in enumerate(listed)
    }
    kind = kind_of(tunables)
    assert kind is not None
    inputs = {
        "k": {n: Symbol(f"k_{n}", True) for n in (*names, *LAUNCH)},
        "p": {n: Symbol(f"p_{n}", False) for n in problem},
        "d": {n: Symbol(f"d_{n}", False) for n in DEVICE},
        "kind": kind.name,
    }
    return places, inputs, [kind.encode(c) for c in kind.choices]


def _numbers(op: str, of: Any) -> Mapping[str, float]:
    parts = of.PARTS[op]
    return parts.numbers(parts.op.plain_problem("fp32"))


def _work(op: str, inputs: Mapping[str, Any], kind: float, of: Any) -> Mapping[str, Any]:
    features = of.WITH_FORMULAS[op].features()
    assert features is not None
    return features.work({**inputs["k"], inputs["kind"]: kind}, inputs["p"], inputs["d"])


def _predicted(op: str, inputs: Mapping[str, Any], kind: float, of: Any) -> Any:
    return _work(op, inputs, kind, of)[PREDICTED]


def work_programs(op: str, of: Any) -> list[dict[str, Any]]:
    """Return everything that a launch does (the work features, in their order) as steps, one program per kind."""
    places, inputs, kinds = _symbols(op, of)
    found = []
    for kind in kinds:
        writer = _Steps(places)
        results = [writer.place(value) for value in _work(op, inputs, kind, of).values()]
        found.append({"kind": kind, "steps": writer.steps, "result": ["#", 0.0], "results": results})
    return found


def formula_programs(of: Any = cpu_parts) -> dict[str, list[dict[str, Any]]]:
    """Return the formulas of each op, one for each kind of kernel, as steps for the evaluator.

    `of` is the module with the definitions of a backend: PARTS and WITH_FORMULAS.

    >>> [made["kind"] for made in formula_programs()["gemm"]]
    [0.0, 1.0]
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for op in of.WITH_FORMULAS:
        places, inputs, kinds = _symbols(op, of)
        for kind in kinds:
            writer = _Steps(places)
            result = writer.place(_predicted(op, inputs, kind, of))
            found.setdefault(op, []).append({"kind": kind, "steps": writer.steps, "result": result})
    return found


@cache
def _python_forms(op: str) -> dict[float, Any]:
    places, inputs, kinds = _symbols(op, cpu_parts)
    own = [f"k_{n}" for n in inputs["k"]]
    return {kind: python_form(_predicted(op, inputs, kind, cpu_parts), places, own) for kind in kinds}


def python_formula(
    op: str, kernel: Sequence[float], launch: Sequence[float], p: Sequence[float], d: Sequence[float]
) -> float:
    """Return the predicted microseconds by the Python form of the formulas."""
    return _python_forms(op)[kernel[0]](p, d)(kernel, launch)
