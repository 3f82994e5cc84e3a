"""Expr: a number that is not known yet, the only class with arithmetic of its own.

A function of numbers that is called with `Expr`s returns an expression. There are two kinds of inputs:

- `Symbol`s of a formula have no value. A formula uses only `+ - * / **`, `abs` and the functions of this module, which
  compute for numbers and NumPy arrays. C and Python are generated from its expression (`expr_code`). Comparisons
  return 1.0 or 0.0. A known number may replace a symbol: parts that then have no effect are removed.
- Symbols of a `Trace` (`trace`) have a value. The function runs as usual, and each comparison is noted. What cannot be
  written down (a hash, an index, a conversion) raises `UntraceableError`.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from math import ceil
from typing import Any, NoReturn

GRID = 65536.0  # a grid (x, y) is one number in a table of candidates: x + GRID * y
Number = Any  # a float, an array of them, or an Expr
COMPARISONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal"}
ACTS: dict[str, Callable[..., Any]] = {  # what a trace can write down
    "+": python.add, "-": python.sub, "*": python.mul, "/": python.truediv, "//": python.floordiv, "%": python.mod,
    "&": python.and_, "<<": python.lshift, ">>": python.rshift, "<": python.lt, "<=": python.le, ">": python.gt,
    ">=": python.ge, "==": python.eq, "!=": python.ne, "neg": python.neg, "abs": abs, "ceil": ceil,
    "bit_length": int.bit_length,
}  # fmt: skip


class UntraceableError(Exception):
    """An expression was used in a way that cannot be written down. Callers catch it, and nothing else."""


class Expr:
    """A node of an expression: an operator and its operands (expressions or plain numbers).

    `trace` and `value` are None in a formula.

    >>> from .trace import Trace
    >>> trace = Trace(["m"])
    >>> m = trace.number("m", 100)
    >>> tiles = -(-m // 64) if m > 16 else 1
    >>> code = trace.code((tiles, m * 2.0))
    >>> code(100), code(200), code(10)
    ((2, 200.0), (4, 400.0), None)
    """

    __slots__ = ("operands", "operator", "trace", "value")

    def __init__(self, operator: str, *operands: Any, trace: Any = None, value: Any = None) -> None:
        self.operator, self.operands, self.trace, self.value = operator, operands, trace, value

    def _compared(self, sign: str, other: Any) -> bool:
        if type(other) not in (int, float, bool) and not isinstance(other, Expr):
            return NotImplemented
        if self.trace is None:
            raise UntraceableError("a formula has no value to compare: use is_true and pick")
        holds: bool = ACTS[sign](self.value, value_of(other))
        self.trace.guard(f"{{0}} {sign} {{1}}" if holds else f"not {{0}} {sign} {{1}}", self, other)
        return holds

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

    def __floordiv__(self, other: Number) -> Number:
        return _made("//", self, other)

    def __rfloordiv__(self, other: Number) -> Number:
        return _made("//", other, self)

    def __mod__(self, other: Number) -> Number:
        return _made("%", self, other)

    def __rmod__(self, other: Number) -> Number:
        return _made("%", other, self)

    def __and__(self, other: Number) -> Number:
        return _made("&", self, other)

    __rand__ = __and__

    def __lshift__(self, other: Number) -> Number:
        return _made("<<", self, other)

    def __rlshift__(self, other: Number) -> Number:
        return _made("<<", other, self)

    def __rshift__(self, other: Number) -> Number:
        return _made(">>", self, other)

    def __pow__(self, other: Number) -> Number:
        return _made("**", self, other)

    def __neg__(self) -> Number:
        return _made("neg", self)

    def __abs__(self) -> Number:
        return _made("abs", self)

    def __ceil__(self) -> Number:
        return _made("ceil", self)

    def bit_length(self) -> Number:
        """Return the number of bits, as `int.bit_length` does."""
        return _made("bit_length", self)

    def __lt__(self, other: Any) -> bool:
        return self._compared("<", other)

    def __le__(self, other: Any) -> bool:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(">=", other)

    def __eq__(self, other: object) -> bool:
        return self._compared("==", other)

    def __ne__(self, other: object) -> bool:
        return self._compared("!=", other)

    def __bool__(self) -> bool:
        return self != 0

    def __repr__(self) -> str:
        return repr(self.value)  # for people: a text does not decide anything

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(name) if self.trace is None else UntraceableError(f"{name} of a traced number")

    def _refuse(self, *_: Any) -> NoReturn:
        """Raise for what cannot be written down."""
        raise UntraceableError("a hash, an index or a conversion of an expression")

    __hash__ = __index__ = __int__ = __float__ = __round__ = __floor__ = __trunc__ = _refuse
    __rpow__ = __divmod__ = __rdivmod__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refuse


class Symbol(Expr):
    """An input with its name in the code; `varies` if it differs between candidates."""

    __slots__ = ("name", "varies")

    def __init__(self, name: str, varies: bool, trace: Any = None, value: Any = None) -> None:
        super().__init__("symbol", trace=trace, value=value)
        self.name, self.varies = name, varies


def value_of(operand: Number) -> Any:
    """Return the value of a traced number, or a plain number itself."""
    value = operand.value if isinstance(operand, Expr) else operand
    if type(value) not in (int, float, bool):
        raise UntraceableError(f"a {type(operand).__name__} without a number cannot be written down")
    return value


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer, known or traced. True is none.

    >>> from .trace import Trace
    >>> is_integer(2), is_integer(Trace(["m"]).number("m", 2)), is_integer(True), is_integer(2.0)
    (True, True, False, False)
    """
    return type(value.value if isinstance(value, Expr) else value) is int


def _made(operator: str, *operands: Number) -> Number:
    for operand in operands:
        if isinstance(operand, Expr) and operand.trace is not None:
            if operator not in ACTS:
                raise UntraceableError(f"{operator} cannot be written down")
            value = ACTS[operator](*[o.value if isinstance(o, Expr) else o for o in operands])
            if type(value) not in (int, float, bool):
                raise UntraceableError(f"{operator} with a {type(value).__name__} cannot be written down")
            return Expr(operator, *operands, trace=operand.trace, value=value)
    return _simplified(operator, *operands)


def _simplified(operator: str, *operands: Number) -> Number:
    """Return an expression of a formula; a number may decide (factors 0 and 1, a known condition, equal parts)."""
    first, second = (*operands, None)[:2]
    if operator == "pick":
        if not isinstance(first, Expr):
            return second if first else operands[2]
        if second is operands[2] or (not any(isinstance(o, Expr) for o in operands[1:]) and second == operands[2]):
            return second
    elif not isinstance(first, Expr):
        if first == 0.0 and operator in ("*", "+"):
            return second if operator == "+" else 0.0
        if first == 1.0 and operator == "*":
            return second
    elif second is not None and not isinstance(second, Expr):
        if second == 0.0 and operator in ("*", "+", "-"):
            return 0.0 if operator == "*" else first
        if second == 1.0 and operator in ("*", "/"):
            return first
    return Expr(operator, *[o if isinstance(o, Expr) else float(o) for o in operands])


def _apply(operator: str, compute: Callable[..., Any], *operands: Number) -> Number:
    for operand in operands:
        if isinstance(operand, Expr):
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
