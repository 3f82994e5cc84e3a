"""Formulas that are written once and run in three ways: on NumPy arrays, as C, and as Python for single numbers.

A formula is a Python function of numbers that uses only `+ - * / **`, `abs` and the functions of this module. Called
with arrays it computes; called with `Symbol`s it returns its expression, from which C (`c_lines`) and Python
(`formula_python`) are generated. Comparisons return 1.0 or 0.0. A known number may replace a symbol: parts that then
have no effect are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

GRID = 65536.0  # a grid (x, y) is one number in a table of candidates: x + GRID * y
Number = Any  # a float, an array of them, or an Expression
COMPARISONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal"}


class Expression:
    """A node of a formula: an operator and its operands (expressions or plain numbers)."""

    __slots__ = ("operands", "operator")

    def __init__(self, operator: str, *operands: Any) -> None:
        self.operator = operator
        self.operands = tuple(o if isinstance(o, Expression) else float(o) for o in operands)

    def __add__(self, other: Number) -> Number:
        return _made("+", self, other)

    def __radd__(self, other: Number) -> Number:
        return _made("+", other, self)

    def __sub__(self, other: Number) -> Number:
        return _made("-", self, other)

    def __rsub__(self, other: Number) -> Number:
        return _made("-", other, self)

    def __mul__(self, other: Number) -> Number:
        return _made("*", self, other)

    def __rmul__(self, other: Number) -> Number:
        return _made("*", other, self)

    def __truediv__(self, other: Number) -> Number:
        return _made("/", self, other)

    def __rtruediv__(self, other: Number) -> Number:
        return _made("/", other, self)

    def __pow__(self, other: Number) -> Expression:
        return Expression("**", self, other)

    def __abs__(self) -> Expression:
        return Expression("abs", self)


class Symbol(Expression):
    """An input of a formula, with its name in C; `varies` if it differs between candidates."""

    __slots__ = ("name", "varies")

    def __init__(self, name: str, varies: bool) -> None:
        super().__init__("symbol")
        self.name, self.varies = name, varies


def _made(operator: str, *operands: Number) -> Number:
    """Return an expression, simplified if a number decides (factors 0 and 1, a known condition, equal parts)."""
    first, second = operands[:2]
    if operator == "pick":
        third = operands[2]
        if not isinstance(first, Expression):
            return second if first else third
        if second is third or (not isinstance(second, Expression) and second == third):
            return second
        return Expression(operator, *operands)
    if not isinstance(first, Expression):
        if first == 0.0 and operator in ("*", "+"):
            return second if operator == "+" else 0.0
        if first == 1.0 and operator == "*":
            return second
    elif not isinstance(second, Expression):
        if second == 0.0 and operator in ("*", "+", "-"):
            return 0.0 if operator == "*" else first
        if second == 1.0 and operator in ("*", "/"):
            return first
    return Expression(operator, *operands)


def _apply(operator: str, compute: Callable[..., Any], *operands: Number) -> Number:
    for operand in operands:
        if isinstance(operand, Expression):
            return _made(operator, *operands)
    return compute(*operands)


def ceil_div(a: Number, b: Number) -> Number:
    """Return `a / b` rounded up.

    >>> float(ceil_div(7.0, 2.0))
    4.0
    """
    import numpy as np

    return _apply("ceil_div", lambda x, y: np.ceil(np.divide(x, y)), a, b)


def floor_div(a: Number, b: Number) -> Number:
    """Return `a / b` rounded down.

    >>> float(floor_div(7.0, 2.0))
    3.0
    """
    return 0.0 - ceil_div(0.0 - a, b)


def least(a: Number, b: Number) -> Number:
    """Return the smaller one.

    >>> float(least(2.0, 3.0))
    2.0
    """
    import numpy as np

    return _apply("least", np.minimum, a, b)


def most(a: Number, b: Number) -> Number:
    """Return the larger one.

    >>> float(most(2.0, 3.0))
    3.0
    """
    import numpy as np

    return _apply("most", np.maximum, a, b)


def pick(condition: Number, yes: Number, no: Number) -> Number:
    """Return `yes` if the condition is not 0, else `no`.

    >>> float(pick(is_true("<", 1.0, 2.0), 5.0, 6.0))
    5.0
    """
    import numpy as np

    return _apply("pick", lambda c, y, n: np.where(np.not_equal(c, 0.0), y, n), condition, yes, no)


def is_true(comparison: str, a: Number, b: Number) -> Number:
    """Return 1.0 if the comparison (`<`, `<=`, `>`, `>=`, `==`) holds, else 0.0.

    >>> float(is_true(">", 1.0, 2.0))
    0.0
    """
    import numpy as np

    test = getattr(np, COMPARISONS[comparison])
    return _apply(comparison, lambda x, y: np.where(test(x, y), 1.0, 0.0), a, b)


def c_lines(results: Mapping[str, Number]) -> tuple[list[str], list[str], dict[str, str]]:
    """Return (lines before the loop, lines of its body, C expression of each result) for a set of formulas.

    Parts that do not vary between candidates are computed once, before the loop, as `double`; equal parts only once.
    The rest is a `vec`, several candidates at once (`select/native/formula.hpp` has the operators).

    >>> x, n = Symbol("x", True), Symbol("n", False)
    >>> c_lines({"y": x * (n + 1.0)})
    (['const double t0 = n + 1.0;'], ['const vec t1 = x * all(t0);'], {'y': 't1'})
    """
    writer = Writer()
    named = {}
    for name, value in results.items():
        text, varies = writer.text(value)
        named[name] = text if varies else f"all({text})"
    return writer.before, writer.body, named


class Writer:
    """Turns expressions into C, each distinct one into one variable. `formula_python` overrides what differs."""

    TEMPLATES: Mapping[str, str] = {
        **{name: f"{name}({{0}}, {{1}})" for name in ("ceil_div", "least", "most")},
        "pick": "pick({0}, {1}, {2})", "**": "power({0}, {1})", "abs": "absolute({0})",
        **{sign: f"{name}({{0}}, {{1}})" for sign, name in COMPARISONS.items()},
        **{op: f"{{0}} {op} {{1}}" for op in "+-*/"},
    }  # fmt: skip

    # A power takes longer than the rest of a formula.
    POWERS: Mapping[str, str] = {
        "2.0": "{0} * {0}", "3.0": "{0} * {0} * {0}", "0.5": "square_root({0})",
        "0.75": "square_root({0}) * square_root(square_root({0}))",
    }  # fmt: skip
    ASSIGN = ("const double {0} = {1};", "const vec {0} = {1};")  # for values that do not vary, and that do
    SPREAD = "all({0})"  # a value that does not vary, combined with one that does

    def __init__(self) -> None:
        self.before: list[str] = []
        self.body: list[str] = []
        self._seen: dict[str, tuple[str, bool]] = {}
        self._nodes: dict[int, tuple[str, bool]] = {}
        self._keep: list[Expression] = []  # an id stays unique only while its object lives

    def text(self, value: Number) -> tuple[str, bool]:
        """Return (text, whether it varies between candidates) of a value."""
        if not isinstance(value, Expression):
            return repr(float(value)), False
        if isinstance(value, Symbol):
            return value.name, value.varies
        known = self._nodes.get(id(value))
        if known is None:
            parts = [self.text(o) for o in value.operands]
            varies = any(v for _, v in parts)
            texts = [self.SPREAD.format(t) if varies and not v else t for t, v in parts]
            line = self.line(value, texts, [v for _, v in parts])
            known = self._seen.get(line)
            if known is None:
                name = f"t{len(self._seen)}"
                (self.body if varies else self.before).append(self.ASSIGN[varies].format(name, line))
                known = self._seen[line] = (name, varies)
            self._nodes[id(value)] = known
            self._keep.append(value)
        return known

    def line(self, value: Expression, texts: list[str], varies: list[bool]) -> str:
        """Return the text of an expression whose operands have these texts."""
        if value.operator == "**" and str(value.operands[1]) in self.POWERS:
            return self.POWERS[str(value.operands[1])].format(*texts)
        if value.operator == "/" and varies[0] and not varies[1]:
            # A division takes longer than ten products; a divisor that does not vary is inverted before the loop.
            turned = self.SPREAD.format(self.text(1.0 / value.operands[1])[0])
            return self.TEMPLATES["*"].format(texts[0], turned)
        return self.TEMPLATES[value.operator].format(*texts)
