"""Plain data as readable text: containers that fit a line stay on one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def pretty(value: Any, scalar: Callable[[Any], str] = json.dumps, *, width: int = 118, indent: int = 0) -> str:
    """Return `value` (dicts, lists, scalars) as text with two-space indents; `scalar` formats keys and scalars.

    >>> pretty({"a": [1, 2]})
    '{"a": [1, 2]}'
    """
    line = _one_line(value, scalar)
    if not isinstance(value, (dict, list, tuple)) or 2 * indent + len(line) <= width:
        return line
    pad, end = "  " * (indent + 1), "  " * indent
    if isinstance(value, dict):
        rows = [f"{scalar(k)}: {pretty(v, scalar, width=width, indent=indent + 1)}" for k, v in value.items()]
        opening, closing = "{", "}"
    else:
        rows = [pretty(v, scalar, width=width, indent=indent + 1) for v in value]
        opening, closing = "[", "]"
    return f"{opening}\n" + ",\n".join(pad + row for row in rows) + f"\n{end}{closing}"


def _one_line(value: Any, scalar: Callable[[Any], str]) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {_one_line(v, scalar)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_one_line(v, scalar) for v in value) + "]"
    return scalar(value)
