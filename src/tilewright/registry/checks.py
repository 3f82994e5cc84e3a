"""Checks of a declared kernel set: unknown names, values that are not allowed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from ..arch import get_supported_archs
from ..backends import backend_names, get_backend, get_backend_op
from ..errors import TilewrightError, UnknownNameError
from ..model.fields import field_value
from ..model.kernel_set import WILDCARD, KernelSet, listed
from ..ops import get_op, op_names


def unknown_names(kernel_set: KernelSet) -> list[str]:
    """Return a sentence for each unknown name in a set."""
    kinds: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("op", [kernel_set.op], op_names()),
        ("backend", [kernel_set.backend], backend_names()),
        ("arch", kernel_set.archs, [WILDCARD, *get_supported_archs()]),
    ]
    if kernel_set.op in op_names():
        signature = get_op(kernel_set.op).plain_problem("fp32").signature
        kinds.append(("signature field", kernel_set.signature, [f.name for f in fields(signature)]))
        if kernel_set.backend in backend_names() and kernel_set.op in get_backend(kernel_set.backend).op_names():
            tunables = [t.name for t in get_backend_op(kernel_set.backend, kernel_set.op).tunables()]
            named = dict.fromkeys(name for algorithm in kernel_set.algorithms for name in algorithm)
            kinds.append(("algorithm field", named, tunables))
    found = [UnknownNameError(kind, n, known).message for kind, given, known in kinds for n in given if n not in known]
    return found or _wrong_values(kernel_set)


def _wrong_values(kernel_set: KernelSet) -> list[str]:
    """Return the first value of a set's algorithm patterns that has a wrong type or is not allowed."""
    algorithm = get_backend_op(kernel_set.backend, kernel_set.op).algorithm
    checked: set[tuple[str, type, Any]] = set()  # thousands of patterns repeat a few values
    for name, pattern in (pair for one in kernel_set.algorithms for pair in one.items()):
        if isinstance(pattern, str) and pattern == WILDCARD:
            continue
        try:
            for value in listed(pattern, ()):
                key = (name, type(value), value) if isinstance(value, int | str) else None
                if key is None:
                    field_value(algorithm, name, value, "algorithm")
                elif key not in checked:
                    field_value(algorithm, name, value, "algorithm")
                    checked.add(key)
        except TilewrightError as error:
            return [error.message]
    return []
