"""Traced numbers: run a function of some sizes once and get it as straight code for other sizes.

A `Traced` number computes with its value and writes down how. Each comparison is written down as a guard: the code
returns None for sizes for which the function would have taken another way. What cannot be written down (a hash, an
index, a conversion) raises, so the code is either the function itself or there is none.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, isfinite
from typing import Any, NoReturn

from ..errors import ProblemError
from .problem import Problem, twin_of
from .shape_class import ShapeClass

MAX_LINES = 4096  # of one trace; a function that needs more is not worth it
Code = Callable[..., Any]
log = logging.getLogger("tilewright")


class UntraceableError(Exception):
    """A traced number was used in a way that cannot be written down. Callers catch it, and nothing else."""


def code_of(function: Callable[[Any], Any], problem: Problem, shape_class: ShapeClass) -> Code:
    """Return a function of the sizes that returns `function` of the problem of `shape_class` with these sizes.

    It returns None for sizes for which `function` would take another way than for `problem`, and for all of them if the
    way cannot be written down.

    >>> from tilewright.ops import problem_from_dict
    >>> from tilewright.model.shape_class import shape_class_of
    >>> problem = problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 4, "dtype": "fp16"})
    >>> shape_class = shape_class_of(problem, ("m",))
    >>> code_of(lambda p: (p.m * p.k,), problem, shape_class)(5), code_of(lambda p: hash(p.m), problem, shape_class)(5)
    ((20,), None)
    """
    trace = Trace([f"n{i}" for i in range(len(shape_class.extents))])
    try:
        return trace.code(function(traced_twin(trace, problem, shape_class)))
    except (UntraceableError, ProblemError) as error:  # a new problem refuses sizes that are no integers
        log.debug("computed for each size: %s", error)
    return lambda *sizes: None


def traced_twin(trace: Trace, problem: Problem, shape_class: ShapeClass) -> Any:
    """Return a copy of a problem whose sizes are the first numbers of a trace; strides follow them."""
    fields = shape_class.fields(map(trace.number, trace.names, shape_class.sizes_of(problem)))
    if fields is None:
        raise UntraceableError("its strides are not known for other sizes")
    return twin_of(problem, fields)


class Trace:
    """The lines and guards that traced numbers wrote down."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._lines: dict[str, str] = {}  # text -> name of its result
        self._needs: dict[str, tuple[str, ...]] = dict.fromkeys(self.names, ())
        self._guards: dict[str, tuple[str, ...]] = {}
        self._steps: list[tuple[str, str]] = []  # (name of the result, "" for a guard; text), as they were written down
        self._functions: dict[str, Callable[..., Any]] = {}

    def number(self, name: str, value: int) -> Traced:
        """Return the traced number of an argument."""
        return Traced(self, name, value, (name, 0))

    def line(self, text: str, needs: tuple[str, ...]) -> str:
        """Return the name of the result of `text`."""
        name = self._lines.get(text)
        if name is None:
            if len(self._lines) >= MAX_LINES:
                raise UntraceableError("too many steps")
            name = self._lines[text] = f"t{len(self._lines)}"
            self._needs[name] = needs
            self._steps.append((name, text))
        return name

    def guard(self, text: str, needs: tuple[str, ...]) -> None:
        """Write down a condition that holds."""
        if text not in self._guards:
            self._guards[text] = needs
            self._steps.append(("", text))

    def guard_result(self, function: Callable[..., Any], arguments: Any, result: Any) -> None:
        """Write down that a function of these arguments has this result."""
        name, found = f"f{len(self._functions)}", set[str]()
        self._functions[name] = _memo_of(function)
        text = f"{name}(*{_text(arguments, found)}) == {_text(result, set())}"
        self.guard(text, tuple(found))

    def code(self, result: Any) -> Code:
        """Return a function of the arguments that returns `result`, or None if a guard does not hold.

        `result` is a tuple of tuples of numbers, traced or not.
        """
        found: set[str] = set()
        text = _text(result, found)
        wanted = self._wanted([*found, *(n for needs in self._guards.values() for n in needs)])
        body = [  # in the order of the function: what a guard keeps out, a division by zero say, is not computed
            f"{name} = {step}" if name else f"if not ({step}): return None"
            for name, step in self._steps
            if not name or name in wanted
        ]
        source = "\n ".join([f"def code({', '.join(self.names)}):", *body, f"return {text}"])
        made: dict[str, Any] = {}
        exec(
            source, {"__builtins__": {}, "ceil": ceil, **self._functions}, made
        )  # names and numbers only: written by `Traced`
        return made["code"]  # type: ignore[no-any-return]

    def _wanted(self, waiting: list[str]) -> set[str]:
        wanted: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in wanted:
                wanted.add(name)
                waiting += self._needs[name]
        return wanted


@lru_cache(maxsize=64)
def _memo_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with a memo: each way that is tried for some sizes asks for the same result."""
    return lru_cache(maxsize=1024)(function)


def _text(result: Any, found: set[str]) -> str:
    if isinstance(result, Traced):
        found.add(result.name)
        return result.name
    if isinstance(result, (tuple, list)):
        return "(" + "".join(f"{_text(x, found)}, " for x in result) + ")"
    if type(result) not in (int, float, bool) or not isfinite(result):
        raise UntraceableError(f"{result!r:.40} cannot be written down")
    return repr(result)


def settled(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(*arguments)`, a tuple of numbers; a trace has one way for each result, not for each step.

    The arguments are numbers and tuples of them. The function depends on nothing else.

    >>> trace = Trace(["m"])
    >>> side = settled(lambda size: 8 if size[0] > 50 else 4, (trace.number("m", 100), 2))
    >>> code = trace.code((side,))
    >>> code(60), code(50)
    ((8,), None)
    """
    trace = _trace_of(arguments)
    if trace is None:
        return function(*arguments)
    result = function(*_values(arguments))
    trace.guard_result(function, arguments, result)
    return result


def _trace_of(value: Any) -> Trace | None:
    if isinstance(value, tuple):
        return next((found for found in map(_trace_of, value) if found is not None), None)
    return value.trace if isinstance(value, Traced) else None


def _values(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_values, value))
    return value.value if isinstance(value, Traced) else value


class Traced:
    """A number whose computation is written down.

    `origin` is (argument, offset) of an argument plus a constant, None for anything else.

    >>> trace = Trace(["m"])
    >>> m = trace.number("m", 100)
    >>> tiles = -(-m // 64) if m > 16 else 1
    >>> code = trace.code((tiles, m * 2.0))
    >>> code(100), code(200), code(10)
    ((2, 200.0), (4, 400.0), None)
    """

    __slots__ = ("name", "origin", "trace", "value")

    def __init__(self, trace: Trace, name: str, value: Any, origin: tuple[str, int] | None = None) -> None:
        self.trace, self.name, self.value, self.origin = trace, name, value, origin

    def _made(self, act: Callable[[Any, Any], Any], sign: str, other: Any, swapped: bool = False) -> Any:
        value, name, needs = _operand(other)
        a, b = (value, self.value) if swapped else (self.value, value)
        text = f"{name} {sign} {self.name}" if swapped else f"{self.name} {sign} {name}"
        origin = None
        if act is operator.add and type(value) is int and not needs and self.origin is not None:
            origin = (self.origin[0], self.origin[1] + value)
        return Traced(self.trace, self.trace.line(text, (self.name, *needs)), act(a, b), origin)

    def _compared(self, act: Callable[[Any, Any], bool], sign: str, other: Any) -> bool:
        if type(other) not in (int, float, bool, Traced):
            return NotImplemented  # type: ignore[no-any-return]
        value, name, needs = _operand(other)
        holds: bool = act(self.value, value)
        text = f"{self.name} {sign} {name}"
        self.trace.guard(text if holds else f"not {text}", (self.name, *needs))
        return holds

    def __add__(self, other: Any) -> Any:
        return self._made(operator.add, "+", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._made(operator.sub, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._made(operator.sub, "-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._made(operator.mul, "*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._made(operator.mul, "*", other, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._made(operator.floordiv, "//", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._made(operator.floordiv, "//", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._made(operator.truediv, "/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._made(operator.truediv, "/", other, True)

    def __mod__(self, other: Any) -> Any:
        return self._made(operator.mod, "%", other)

    def __rmod__(self, other: Any) -> Any:
        return self._made(operator.mod, "%", other, True)

    def __and__(self, other: Any) -> Any:
        return self._made(operator.and_, "&", other)

    __rand__ = __and__

    def __lshift__(self, other: Any) -> Any:
        return self._made(operator.lshift, "<<", other)

    def __rlshift__(self, other: Any) -> Any:
        return self._made(operator.lshift, "<<", other, True)

    def __rshift__(self, other: Any) -> Any:
        return self._made(operator.rshift, ">>", other)

    def __neg__(self) -> Traced:
        return Traced(self.trace, self.trace.line(f"-{self.name}", (self.name,)), -self.value)

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __ceil__(self) -> Traced:
        return Traced(self.trace, self.trace.line(f"ceil({self.name})", (self.name,)), ceil(self.value))

    def bit_length(self) -> Traced:
        """Return the number of bits, as `int.bit_length` does."""
        return Traced(self.trace, self.trace.line(f"{self.name}.bit_length()", (self.name,)), self.value.bit_length())

    def __lt__(self, other: Any) -> bool:
        return self._compared(operator.lt, "<", other)

    def __le__(self, other: Any) -> bool:
        return self._compared(operator.le, "<=", other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(operator.gt, ">", other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(operator.ge, ">=", other)

    def __eq__(self, other: object) -> bool:
        return self._compared(operator.eq, "==", other)

    def __ne__(self, other: object) -> bool:
        return self._compared(operator.ne, "!=", other)

    def __bool__(self) -> bool:
        return self != 0

    def __repr__(self) -> str:
        return repr(self.value)  # for people: a text does not decide anything

    def _refuse(self, *_: Any) -> NoReturn:
        """Raise for what cannot be written down."""
        raise UntraceableError("a hash, an index or a conversion of a traced number")

    __hash__ = __index__ = __int__ = __float__ = __round__ = __floor__ = __trunc__ = _refuse
    __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refuse
    __getattr__ = _refuse


def _operand(other: Any) -> tuple[Any, str, tuple[str, ...]]:
    """Return value, text and needed names of the other side of an operation."""
    if isinstance(other, Traced):
        return other.value, other.name, (other.name,)
    if type(other) not in (int, float, bool):
        raise UntraceableError(f"a {type(other).__name__} cannot be written down")
    return other, f"({other!r})", ()
