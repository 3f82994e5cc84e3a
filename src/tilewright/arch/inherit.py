"""Parents and overlays: an arch entry is a JSON merge patch (RFC 7396) on its parent.

Objects merge field by field, null removes a field, and anything else replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import nearest

NOT_INHERITED = frozenset({"parent", "derived_from", "description"})


def merge(base: Any, patch: Any) -> Any:
    """`patch` applied to `base` as a JSON merge patch; neither is changed.

    >>> merge({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"d": 3}})
    {'b': {'c': 2, 'd': 3}}
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def resolve(archs: Mapping[str, Any], mistakes: list[str]) -> dict[str, dict[str, Any]]:
    """Each arch with its ancestors applied, in file order; the parent's name is kept as `derived_from`."""
    resolved: dict[str, dict[str, Any]] = {}
    for name in archs:
        entry = _resolve_one(name, archs, (), mistakes)
        if entry is not None:
            resolved[name] = entry
    return resolved


def _resolve_one(
    name: str, archs: Mapping[str, Any], seen: tuple[str, ...], mistakes: list[str]
) -> dict[str, Any] | None:
    entry = archs[name]
    if not isinstance(entry, dict):
        mistakes.append(f"archs.{name}: need an object, got {entry!r}")
        return None
    parent = entry.get("parent")
    if parent is None:
        root: dict[str, Any] = merge({}, entry)
        return root
    if parent in (*seen, name):
        mistakes.append(f"archs.{name}: its parents form a circle ({' -> '.join((*seen, name, parent))})")
        return None
    if parent not in archs:
        near = nearest(str(parent), archs)
        mistakes.append(f"archs.{name}: unknown parent {parent!r}" + (f"; did you mean {near!r}?" if near else ""))
        return None
    base = _resolve_one(parent, archs, (*seen, name), mistakes)
    if base is None:
        return None
    if entry.get("kind", base.get("kind")) != base.get("kind"):
        mistakes.append(
            f"archs.{name}: kind {entry['kind']!r} differs from its parent's ({parent}: {base.get('kind')!r})"
        )
        return None
    inherited = {k: v for k, v in base.items() if k not in NOT_INHERITED}
    merged = merge(inherited, {k: v for k, v in entry.items() if k != "parent"})
    return {**merged, "derived_from": parent}
