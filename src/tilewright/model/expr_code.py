"""Expressions as code: C for many candidates at once, Python for single numbers.

NumPy takes a microsecond for each operation on a single number, plain Python a twentieth of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, copysign, inf, nan
from typing import Any

from .expr import COMPARISONS, Expr, Number, Symbol

Each = Callable[[Sequence[float], Sequence[float]], float]  # (numbers of a kernel, of a launch) -> result


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
    """Turns expressions into C, each distinct one into one variable. Subclasses override what differs."""

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
        self._keep: list[Expr] = []  # an id stays unique only while its object lives

    def text(self, value: Number) -> tuple[str, bool]:
        """Return (text, whether it varies between candidates) of a value."""
        if not isinstance(value, Expr):
            return self.number(value), False
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

    def number(self, value: Any) -> str:
        """Return the text of a plain number."""
        return repr(float(value))

    def line(self, value: Expr, texts: list[str], varies: list[bool]) -> str:
        """Return the text of an expression whose operands have these texts."""
        if value.operator == "**" and str(value.operands[1]) in self.POWERS:
            return self.POWERS[str(value.operands[1])].format(*texts)
        if value.operator == "/" and varies[0] and not varies[1]:
            # A division takes longer than ten products; a divisor that does not vary is inverted before the loop.
            turned = self.SPREAD.format(self.text(1.0 / value.operands[1])[0])
            return self.TEMPLATES["*"].format(texts[0], turned)
        return self.TEMPLATES[value.operator].format(*texts)


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

    def line(self, value: Expr, texts: list[str], varies: list[bool]) -> str:
        if value.operator == "/":
            plain = isinstance(value.operands[1], float) and value.operands[1] != 0.0
            return f"{texts[0]} / {texts[1]}" if plain else self.TEMPLATES["/"].format(*texts)
        return super().line(value, texts, varies)


def python_form(
    result: Number, sources: Mapping[str, str], kernel: Iterable[str]
) -> Callable[[Sequence[float], Sequence[float]], Each]:
    """Return a function of a problem's and a device's numbers that returns a function of a kernel's and a launch's.

    `sources` says where each symbol is read: `p[0]`, `d[1]`, `k[2]` or `x[3]`, for problem, device, kernel and launch.
    `kernel` names the symbols that differ between candidates. The rest is computed once per problem.

    >>> x, n = Symbol("x", True), Symbol("n", False)
    >>> python_form(x * (n + 1.0), {"x": "k[0]", "n": "p[0]"}, ["x"])([2.0], [])([5.0], [])
    15.0
    """
    writer = _PythonWriter()
    text, _ = writer.text(result)
    used, own = set(re.findall(r"\w+", " ".join([*writer.before, *writer.body, text]))), set(kernel)
    before = [f"{name} = {source}" for name, source in sources.items() if name in used - own]
    each = [f"{name} = {source}" for name, source in sources.items() if name in used & own]
    lines = ["def of_problem(p, d):", *(f"  {line}" for line in (*before, *writer.before)), "  def each(k, x):",
             *(f"    {line}" for line in (*each, *writer.body)), f"    return {text}", "  return each"]  # fmt: skip
    room: dict[str, Any] = {"divide": divide, "ceil_div": ceil_div, "power": power}
    exec(compile("\n".join(lines), "<formula>", "exec"), room)
    return room["of_problem"]
