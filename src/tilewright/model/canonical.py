"""Canonical form and digest of a value: what identity is made of.

The canonical form leaves out fields that are at their default, so a field added later with a default keeps every old
digest. Defaults therefore never change within one schema version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any


def canonical(value: Any) -> Any:
    """`value` as plain JSON data, dataclass fields at their default left out.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Tile:
    ...     m: int
    ...     padded: bool = False
    >>> canonical(Tile(64))
    {'m': 64}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: canonical(v) for f, v in _stated(value)}
    if isinstance(value, Mapping):
        return {str(k): canonical(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [canonical(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical form: {value!r}")


def canonical_json(value: Any) -> str:
    """The canonical form as JSON text with sorted keys and no spaces.

    >>> canonical_json({"b": 1, "a": (2,)})
    '{"a":[2],"b":1}'
    """
    return json.dumps(canonical(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> str:
    """64 hex digits that identify the canonical form.

    >>> digest({"a": 1}) == digest({"a": 1}), len(digest({}))
    (True, 64)
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _stated(value: Any) -> list[tuple[Field[Any], Any]]:
    pairs = []
    for f in fields(value):
        v = getattr(value, f.name)
        default = (
            f.default if f.default is not MISSING else f.default_factory() if callable(f.default_factory) else MISSING
        )
        if f.metadata.get("identity", True) and (default is MISSING or v != default):
            pairs.append((f, v))
    return pairs
