"""The fields of a problem as its JSON form gives them, before defaults: known names, and those that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ProblemError, check_known


def given_fields(what: str, data: Mapping[str, Any], known: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a problem, its strides as tuples; raise an error for an unknown or a missing one.

    >>> given_fields("gemm problem", {"op": "gemm", "m": 4}, ["m", "n"], ["m"])
    {'m': 4, 'strides': {}}
    """
    rest = {name: value for name, value in data.items() if name != "op"}
    for name in rest:
        check_known(f"{what} field", name, known)
    missing = [f"{name} is missing" for name in needed if name not in rest]
    if missing:
        raise ProblemError.of(what, missing, f"give {', '.join(needed)}")
    rest["strides"] = {role: tuple(s) for role, s in (rest.get("strides") or {}).items()}
    return rest
