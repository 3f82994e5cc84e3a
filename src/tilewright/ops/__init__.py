"""What is computed: one folder per operation. An op is found by its folder name; adding one needs no other edit."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import ProblemError, UnknownNameError
from ..model.fields import INT64_MAX, shown
from ..model.op import Op
from ..model.problem import Problem


def op_names() -> list[str]:
    """Return the names of all operations.

    >>> "gemm" in op_names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)


@cache
def get_op(name: str) -> Op[Any]:
    """Return the `Op` object called `name`: the name of its folder, or its name in problem files.

    >>> get_op("gemm").name
    'gemm'
    """
    if name in op_names():
        return import_module(f".{name}", __package__).OP
    for other in op_names():
        if name in get_op(other).also_called:
            return get_op(other)
    raise UnknownNameError("op", name, op_names())


# The forms that the ops rely on before they look at values.
FORMS = {
    "op": "a name",
    "device": "a name such as cpu or cuda:0",
    "d": "a list of operands",
    "strides": "an object: the strides of each tensor",
    "alignment": "an object: bytes for each tensor",
}


MAX_STRIDE = INT64_MAX // 8  # elements, of at most 8 bytes each


# What `capture` notes beside a problem: how often it came, and how long one call took. No part of the problem.
NOTES = ("count", "time_ms")


def problem_from_dict(data: Any) -> Problem:
    """Return a problem from its JSON form; the field `op` names the op. Counts and times of `capture` are ignored.

    >>> problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"}).flops
    16
    """
    if not isinstance(data, dict) or "op" not in data:
        raise ProblemError(
            f'a problem must be a JSON object with an "op"; got {shown(data)}',
            remedy=f"the ops are {', '.join(op_names())}",
        )
    wrong = form_mistakes(data)
    if wrong:
        raise ProblemError.of("the problem", wrong)
    plain = {name: value for name, value in data.items() if name not in NOTES}
    return get_op(data["op"]).problem_from_dict(plain)


def form_mistakes(data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the form of a problem, before its op looks at the values.

    >>> form_mistakes({"op": "gemm", "strides": [1, 2]})
    ['strides is [1, 2]; it must be an object: the strides of each tensor']
    """
    wrong = [
        f"{name} is {shown(data[name])}; it must be {words}"
        for name, words in FORMS.items()
        if name in data and not _has_form(name, data[name])
    ]
    wrong += _member_mistakes(data)
    return wrong + [
        f"{name} is {shown(data[name])}; it must be a number >= 0, or null"
        for name in NOTES
        if not _is_note(data, name)
    ]


def _has_form(name: str, value: Any) -> bool:
    if name in ("op", "device"):
        return isinstance(value, str)
    if name == "d":
        return isinstance(value, (list, tuple))
    return value is None or isinstance(value, Mapping)


def _member_mistakes(data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong inside the strides and alignments of a problem."""
    found = []
    if isinstance(data.get("strides"), Mapping):
        found += [
            f"strides of {role!r:.40} are {shown(steps)}; they must be a list of whole numbers up to {MAX_STRIDE:,}"
            for role, steps in data["strides"].items()
            if not isinstance(steps, (list, tuple))
            or not all(map(_is_stride, steps))
            or not all(_is_int64(s) and -MAX_STRIDE <= s <= MAX_STRIDE for s in steps)
        ]
    if isinstance(data.get("alignment"), Mapping):
        found += [
            f"alignment of {role!r:.40} is {shown(size)}; it must be a whole number of bytes"
            for role, size in data["alignment"].items()
            if not _is_int64(size) or size < 1
        ]
    return found


def _is_note(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name)
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0)


def _is_int64(value: Any) -> bool:
    return type(value) is int and -INT64_MAX <= value <= INT64_MAX


def _is_stride(value: Any) -> bool:
    return _is_int64(value) and -MAX_STRIDE <= value <= MAX_STRIDE
