"""Copies of problems whose fields hold other things than sizes: extents, traced numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def twin_of(problem: Any, changed: Mapping[str, Any]) -> Any:
    """Return a copy of a problem with other values of some fields, of any type; nothing that was derived is kept.

    >>> from tilewright.ops import problem_from_dict
    >>> twin_of(problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 4, "dtype": "fp16"}), {"m": "many"}).shape("a")
    ('many', 4)
    """
    twin = object.__new__(type(problem))
    twin.__dict__.update({f.name: getattr(problem, f.name) for f in fields(problem)})
    twin.__dict__.update(changed, exact_key=object())  # unlike any other: memos by key have nothing for it
    return twin
