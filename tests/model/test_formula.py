"""Formulas as C: what numbers decide leaves no trace, and equal parts are computed once."""

from __future__ import annotations

import pytest

from tilewright.model.formula import Expression, Symbol, c_lines, ceil_div, is_true, most, pick

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
    assert isinstance(kept, Expression)
    assert kept is not X
