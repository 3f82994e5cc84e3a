"""Helpers of the rule modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....model.rule import Broken, broken


def say(faults: Sequence[str], fix: dict[str, Any] | None = None, remedy: str = "", **values: Any) -> Broken:
    """Return the result of a broken rule. `fix` are changes that satisfy it, and the remedy if no other is given."""
    if fix:
        values["fix"] = fix
        remedy = remedy or "set " + ", ".join(f"{name} to {_shown(value)}" for name, value in fix.items())
    return broken("; ".join(faults), remedy, **values)


def shown(triple: Sequence[int]) -> str:
    """Return a shape as text.

    >>> shown((256, 128, 64))
    '256x128x64'
    """
    return "x".join(map(str, triple))


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
