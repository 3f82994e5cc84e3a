"""Formulas as C and as Python: what numbers decide leaves no trace, equal parts are computed once, both agree."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.model.expr import Expr, Symbol, UntraceableError, ceil_div, is_true, least, most, pick
from tilewright.model.expr_code import c_lines, python_form

X, Y, N = Symbol("x", True), Symbol("y", True), Symbol("n", False)


def test_a_known_condition_leaves_one_branch() -> None:
    def formula(kind: object) -> object:
        return pick(is_true("==", kind, 2.0), ceil_div(X, Y), X * Y)

    assert c_lines({"f": formula(2.0)})[1] == ["const vec t0 = ceil_div(x, y);"]
    assert c_lines({"f": formula(1.0)})[1] == ["const vec t0 = x * y;"]
    assert "pick(" in " ".join(c_lines({"f": formula(Symbol("kind", True))})[1])


@pytest.mark.parametrize(
    ("left", "what"),
    [(X * 1.0, X), (1.0 * X, X), (X * 0.0, 0.0), (0.0 * X, 0.0), (X + 0.0, X), (0.0 + X, X), (X - 0.0, X), (X / 1.0, X),
     (pick(Y, X, X), X), (pick(Y, 3.0, 3.0), 3.0), (pick(0.0, X, Y), Y), (pick(1.0, X, Y), X)],
)  # fmt: skip
def test_what_cannot_matter_is_left_out(left: object, what: object) -> None:
    assert left is what or left == what


@pytest.mark.parametrize("kept", [0.0 - X, 1.0 / X, X - 1.0, X + Y, most(X, 0.0), pick(Y, X, 1.0), X / 2.0])
def test_what_matters_stays(kept: object) -> None:
    assert isinstance(kept, Expr)
    assert kept is not X


FORMULAS: dict[str, Any] = {
    "sums": lambda x, y, n: (x + n * 2.0 - y) * (x + n * 2.0 - y) / (n + 3.0),
    "quotients": lambda x, y, n: 1.0 / x + x / y + y / n,
    "rounded up": lambda x, y, n: ceil_div(x, y) + ceil_div(0.0 - n, x),
    "limits": lambda x, y, n: least(x, y) * most(y, n),
    "powers": lambda x, y, n: x**0.5 + abs(y) ** n,
    "cases": lambda x, y, n: pick(is_true("<", x, y), pick(is_true(">=", n, 1.0), x, y), is_true("==", x, n)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_python_form_computes_what_numpy_does(name: str) -> None:
    made = python_form(FORMULAS[name](X, Y, N), {"x": "k[0]", "y": "k[1]", "n": "p[0]"}, ["x", "y"])
    numbers = (-3.0, 0.0, 0.5, 1.0, 7.0, 1e308)
    for n in numbers:
        each = made([n], [])
        for x, y in product(numbers, repeat=2):
            with np.errstate(all="ignore"):
                want = float(FORMULAS[name](np.float64(x), np.float64(y), np.float64(n)))
            assert np.isclose(each([x, y], []), want, rtol=1e-15, equal_nan=True) or not np.isfinite(want), (x, y, n)


def test_python_computes_what_does_not_vary_once_for_a_problem() -> None:
    seen: list[int] = []

    class Watched(list[float]):
        def __getitem__(self, at: Any) -> Any:
            seen.append(at)
            return super().__getitem__(at)

    each = python_form(X * (N + 1.0), {"x": "k[0]", "n": "p[0]"}, ["x"])(Watched([2.0]), [])
    assert [each([x], []) for x in (1.0, 2.0)] == [3.0, 6.0]
    assert seen == [0]


def test_one_class_has_arithmetic() -> None:
    source, found = Path(tilewright.__file__).parent, set()
    for path in source.rglob("*.py"):
        if "emulator" not in path.relative_to(source).parts:
            text = path.read_text()
            defined = re.search(
                r"^\s+(def )?__r?(add|sub|mul|truediv|floordiv|mod|pow|neg)__( =|\()", text, re.MULTILINE
            )
            found |= {path.relative_to(source).as_posix()} if defined else set()
    assert found == {"model/expr.py"}


def test_a_formula_cannot_branch() -> None:
    for branch in (lambda: X > 1.0, lambda: bool(X), lambda: X == Y):
        with pytest.raises(UntraceableError, match="use is_true and pick"):
            branch()
