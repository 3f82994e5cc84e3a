"""Canonical form and digest of a value: they define its identity.

The canonical form omits fields at their default, so a field added later with a default keeps every old digest.
Defaults therefore never change within one schema version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any

_PLAIN = frozenset((bool, int, float, str))


def canonical(value: Any) -> Any:
    """Return `value` as plain JSON data, without dataclass fields at their default.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Tile:
    ...     m: int
    ...     padded: bool = False
    >>> canonical(Tile(64))
    {'m': 64}
    """
    if value is None or type(value) in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: canonical(v) for name, v in _stated(value)}
    if isinstance(value, Mapping):
        return {str(k): canonical(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [canonical(v) for v in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical form: {value!r}")


def canonical_json(value: Any) -> str:
    """Return the canonical form as JSON text with sorted keys and no spaces.

    >>> canonical_json({"b": 1, "a": (2,)})
    '{"a":[2],"b":1}'
    """
    return json.dumps(canonical(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> str:
    """Return 64 hex digits that identify the canonical form.

    >>> digest({"a": 1}) == digest({"a": 1}), len(digest({}))
    (True, 64)
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _stated(value: Any) -> list[tuple[str, Any]]:
    """Return (name, value) of the fields that are not at their default."""
    found = []
    for name, default, factory in _identity_fields(value.__class__):
        v = getattr(value, name)
        if factory is not None:
            default = factory()
        if default is MISSING or v != default:
            found.append((name, v))
    return found


@cache
def _identity_fields(kind: Any) -> tuple[tuple[str, Any, Callable[[], Any] | None], ...]:
    """Return (name, default, default factory) of the fields that define the identity; computed once per class."""
    return tuple(
        (f.name, f.default, None if f.default_factory is MISSING else f.default_factory)
        for f in fields(kind)
        if f.metadata.get("identity", True)
    )
