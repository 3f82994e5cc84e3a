"""Traces: run a function of some sizes once and get it as straight code for other sizes.

The function computes with symbols that have a value (`expr`). Each comparison is written down as a guard: the code
returns None for sizes for which the function would have taken another way. So the code is either the function itself,
or there is none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, isfinite
from typing import Any

from ..errors import ProblemError
from .expr import ACTS, Expr, Symbol, UntraceableError, value_of
from .problem import Problem, ShapeClass, refitted

MAX_GUARDS = 16384  # of one trace; a function that needs more is not worth it
Code = Callable[..., Any]
log = logging.getLogger("tilewright")


def code_of(function: Callable[[Any], Any], problem: Problem, shape_class: ShapeClass) -> Code:
    """Return a function of the sizes that returns `function` of the problem of `shape_class` with these sizes.

    It returns None for sizes for which `function` would take another way than for `problem`, and for all of them if the
    way cannot be written down.

    >>> from tilewright.ops import problem_from_dict
    >>> from tilewright.model.problem import shape_class_of
    >>> problem = problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 4, "dtype": "fp16"})
    >>> shape_class = shape_class_of(problem, ("m",))
    >>> code_of(lambda p: (p.m * p.k,), problem, shape_class)(5), code_of(lambda p: hash(p.m), problem, shape_class)(5)
    ((20,), None)
    """
    trace = Trace([f"n{i}" for i in range(len(shape_class.extents))])
    try:
        return trace.code(function(traced_problem(trace, problem, shape_class)))
    except (UntraceableError, ProblemError) as error:  # a new problem refuses sizes that are no integers
        log.debug("computed for each size: %s", error)
    return lambda *sizes: None


def traced_problem(trace: Trace, problem: Problem, shape_class: ShapeClass) -> Any:
    """Return a copy of a problem whose sizes are the first numbers of a trace; strides follow them."""
    fields = shape_class.fields(map(trace.number, trace.names, shape_class.sizes_of(problem)))
    if fields is None:
        raise UntraceableError("its strides are not known for other sizes")
    return refitted(problem, exact_key=object(), **fields)  # a key like no other: memos have nothing for it


class Trace:
    """The guards of a function that runs on symbols with these names."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._guards: list[tuple[str, tuple[Any, ...]]] = []  # a text, and what to put into it
        self._functions: dict[str, Callable[..., Any]] = {}

    def number(self, name: str, value: int) -> Symbol:
        """Return the symbol of an argument."""
        return Symbol(name, True, self, value)

    def guard(self, text: str, *operands: Any) -> None:
        """Write down a condition that holds."""
        if len(self._guards) >= MAX_GUARDS:
            raise UntraceableError("too many steps")
        self._guards.append((text, operands))

    def guard_result(self, function: Callable[..., Any], arguments: Any, result: Any) -> None:
        """Write down that a function of these arguments has this result."""
        name = f"f{len(self._functions)}"
        self._functions[name] = _memo_of(function)
        self.guard(f"{name}(*{{0}}) == {{1}}", arguments, result)

    def code(self, result: Any) -> Code:
        """Return a function of the arguments that returns `result`, or None if a guard does not hold.

        `result` is a tuple of tuples of numbers, traced or not.
        """
        writer = _Writer()
        try:
            for text, operands in self._guards:  # first: what a guard excludes, say a division by zero, is not computed
                writer.guard(text.format(*map(writer.text, operands)))
            text = writer.text(result)
        except RecursionError:
            raise UntraceableError("too many steps") from None
        source = "\n ".join([f"def code({', '.join(self.names)}):", *writer.body, f"return {text}"])
        made: dict[str, Any] = {}
        given = {"__builtins__": {}, "abs": abs, "ceil": ceil, **self._functions}
        exec(source, given, made)  # names and numbers only
        return made["code"]


TEMPLATES: Mapping[str, str] = {
    **{sign: f"{{0}} {sign} {{1}}" for sign in ACTS},
    "neg": "-{0}", "abs": "abs({0})", "ceil": "ceil({0})", "bit_length": "{0}.bit_length()",
}  # fmt: skip


class _Writer:
    """Turns expressions into lines of Python, each distinct one into one variable, where it is first needed."""

    def __init__(self) -> None:
        self.body: list[str] = []
        self._names: dict[str, str] = {}  # of variables, by what they hold; "" of conditions
        self._nodes: dict[int, str] = {}  # the same by expression; the trace and the result keep these alive

    def guard(self, text: str) -> None:
        """Add a condition, once."""
        line = f"if not ({text}): return None"
        if line not in self._names:
            self._names[line] = ""
            self.body.append(line)

    def text(self, value: Any) -> str:
        """Return the text of a number or of tuples of them."""
        if isinstance(value, (tuple, list)):
            return "(" + "".join([f"{x if type(x) is int else self.text(x)}, " for x in value]) + ")"
        if not isinstance(value, Expr):
            if type(value) not in (int, float, bool) or not isfinite(value):
                raise UntraceableError(f"{value!r:.40} cannot be written down")
            return repr(value)
        if isinstance(value, Symbol):
            return value.name
        found = self._nodes.get(id(value))
        if found is None:
            line = TEMPLATES[value.operator].format(*map(self.text, value.operands))
            found = self._names.get(line)
            if found is None:
                found = self._names[line] = f"t{len(self._names)}"
                self.body.append(f"{found} = {line}")
            self._nodes[id(value)] = found
        return found


@lru_cache(maxsize=64)
def _memo_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with a memo: each way that is tried for some sizes asks for the same result."""
    return lru_cache(maxsize=1024)(function)


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
    return value.trace if isinstance(value, Expr) else None


def _values(value: Any) -> Any:
    return tuple(map(_values, value)) if isinstance(value, tuple) else value_of(value)
