"""Formulas as Python for single numbers: straight code, generated from the same expressions as C.

NumPy takes a microsecond for each operation on a single number, plain Python a twentieth of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, copysign, inf, nan
from typing import Any

from .formula import COMPARISONS, Number, Writer

Each = Callable[[Sequence[float], Sequence[float]], float]  # (numbers of a kernel, of a launch) -> result


def divide(a: float, b: float) -> float:
    """Return `a / b` as in NumPy: infinite or not a number if b is 0.

    >>> divide(1.0, 2.0), divide(1.0, 0.0)
    (0.5, inf)
    """
    try:
        return a / b
    except ZeroDivisionError:
        return copysign(inf, a) if a else nan


def ceil_div(a: float, b: float) -> float:
    """Return `a / b` rounded up; infinite or not a number if b is 0.

    >>> ceil_div(7.0, 2.0), ceil_div(1.0, 0.0)
    (4.0, inf)
    """
    try:
        return float(ceil(a / b))
    except (ZeroDivisionError, OverflowError, ValueError):
        return divide(a, b)


def power(a: float, b: float) -> float:
    """Return `a ** b` as in NumPy: not a number if Python has a complex one, infinite if Python raises.

    >>> power(4.0, 0.5), power(0.0, -1.0)
    (2.0, inf)
    """
    try:
        found = a**b
    except (ZeroDivisionError, OverflowError):
        return inf
    return found if isinstance(found, float) else nan


class _PythonWriter(Writer):
    TEMPLATES: Mapping[str, str] = {
        **{op: f"{{0}} {op} {{1}}" for op in "+-*"}, "/": "divide({0}, {1})", "ceil_div": "ceil_div({0}, {1})",
        "least": "{0} if {0} < {1} else {1}", "most": "{0} if {0} > {1} else {1}", "pick": "{1} if {0} else {2}",
        "**": "power({0}, {1})", "abs": "abs({0})",
        **{sign: f"1.0 if {{0}} {sign} {{1}} else 0.0" for sign in COMPARISONS},
    }  # fmt: skip
    POWERS: Mapping[str, str] = {}
    ASSIGN = ("{0} = {1}", "{0} = {1}")
    SPREAD = "{0}"

    def line(self, value: Any, texts: list[str], varies: list[bool]) -> str:
        if value.operator == "/":
            plain = isinstance(value.operands[1], float) and value.operands[1] != 0.0
            return f"{texts[0]} / {texts[1]}" if plain else self.TEMPLATES["/"].format(*texts)
        return super().line(value, texts, varies)


def python_form(
    result: Number, places: Mapping[str, str], kernel: Iterable[str]
) -> Callable[[Sequence[float], Sequence[float]], Each]:
    """Return a function of a problem's and a device's numbers that returns a function of a kernel's and a launch's.

    `places` has the place of each symbol: `p[0]`, `d[1]`, `k[2]` or `x[3]`, for problem, device, kernel and launch.
    `kernel` names the symbols that differ between candidates. The rest is computed once per problem.

    >>> from .formula import Symbol
    >>> x, n = Symbol("x", True), Symbol("n", False)
    >>> python_form(x * (n + 1.0), {"x": "k[0]", "n": "p[0]"}, ["x"])([2.0], [])([5.0], [])
    15.0
    """
    writer = _PythonWriter()
    text, _ = writer.text(result)
    used, own = set(re.findall(r"\w+", " ".join([*writer.before, *writer.body, text]))), set(kernel)
    before = [f"{name} = {place}" for name, place in places.items() if name in used - own]
    each = [f"{name} = {place}" for name, place in places.items() if name in used & own]
    lines = ["def of_problem(p, d):", *(f"  {line}" for line in (*before, *writer.before)), "  def each(k, x):",
             *(f"    {line}" for line in (*each, *writer.body)), f"    return {text}", "  return each"]  # fmt: skip
    room: dict[str, Any] = {"divide": divide, "ceil_div": ceil_div, "power": power}
    exec(compile("\n".join(lines), "<formula>", "exec"), room)
    made: Callable[[Sequence[float], Sequence[float]], Each] = room["of_problem"]
    return made
