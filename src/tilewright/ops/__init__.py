"""What is computed: one folder per operation. An op is found by its folder name; nothing else is edited to add one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import ProblemError, UnknownNameError


def op_names() -> list[str]:
    """The operations there are, by name.

    >>> "gemm" in op_names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)


@cache
def get_op(name: str) -> Any:
    """The operation called `name` (its `Op` object): its folder's name, or another that it has in problem files.

    >>> get_op("gemm").name
    'gemm'
    """
    if name in op_names():
        return import_module(f".{name}", __package__).OP
    for other in op_names():
        if name in get_op(other).also_called:
            return get_op(other)
    raise UnknownNameError("op", name, op_names())


def problem_from_dict(data: Any) -> Any:
    """A problem from its JSON form; the field `op` says which.

    >>> problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"}).flops
    16
    """
    if not isinstance(data, dict) or "op" not in data:
        raise ProblemError(
            f'a problem must be a JSON object with an "op"; got {data!r}', remedy=f"the ops are {', '.join(op_names())}"
        )
    return get_op(data["op"]).problem_from_dict(data)
