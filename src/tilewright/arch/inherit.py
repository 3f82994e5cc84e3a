"""Parents and overlays: an arch entry is a JSON merge patch (RFC 7396) on its parent.

Objects merge field by field, null removes a field, and anything else replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import nearest
from ..model.fields import shown
from ..model.json_text import Json

NOT_INHERITED = frozenset({"parent", "derived_from", "description"})


def merge(base: Any, patch: Any) -> Any:
    """Return `patch` applied to `base` as a JSON merge patch; neither is changed.

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


def lay_over(document: Mapping[str, Any], overlay: Mapping[str, Any]) -> Json:
    """Return `document` with an overlay applied. Arch entries are patches: a null in one is kept for its parent.

    >>> lay_over({"archs": {"a": {"x": 1}}}, {"archs": {"b": {"parent": "a", "x": None}}})["archs"]["b"]
    {'parent': 'a', 'x': None}
    """
    merged: Json = merge(dict(document), {k: v for k, v in overlay.items() if k != "archs"})
    added = overlay.get("archs", {})
    if not isinstance(added, dict):
        return {**merged, "archs": added}
    archs = {**document.get("archs", {})}
    for name, entry in added.items():
        archs[name] = _both(archs.get(name, {}), entry)
    return {**merged, "archs": {name: entry for name, entry in archs.items() if entry is not None}}


def _both(first: Any, second: Any) -> Any:
    """Return one patch with the effect of `first` followed by `second`."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return second
    return {**first, **{key: _both(first.get(key), value) for key, value in second.items()}}


def resolve(archs: Mapping[str, Any], mistakes: list[str]) -> dict[str, Json]:
    """Return each arch with its ancestors applied, in file order; the parent's name is kept as `derived_from`."""
    done: dict[str, Json | None] = {}
    for name in archs:
        _resolve_one(name, archs, done, (), mistakes)
    return {name: entry for name in archs if (entry := done.get(name)) is not None}


def _resolve_one(
    name: str, archs: Mapping[str, Any], done: Json, below: tuple[str, ...], mistakes: list[str]
) -> Json | None:
    """Return the resolved entry, or None and report its mistake once; `below` are the descendants that need it."""
    if name not in done:
        wrong = _wrong_entry(name, archs, below)
        if wrong:
            mistakes.append(f"archs.{name}: {wrong}")
        done[name] = None if wrong else _patched(name, archs, done, below, mistakes)
    return done[name]


def _wrong_entry(name: str, archs: Mapping[str, Any], below: tuple[str, ...]) -> str | None:
    entry = archs[name]
    if not isinstance(entry, dict):
        return f"need an object, got {shown(entry)}"
    parent = entry.get("parent")
    if parent is None:
        return None
    if not isinstance(parent, str):
        return f"parent is {shown(parent)}; it must be the name of an arch"
    if parent in (*below, name):
        return f"its parents form a circle ({' -> '.join((*below, name, parent))})"
    if parent not in archs:
        near = nearest(str(parent), [other for other in archs if other != name])
        return f"unknown parent {parent!r}" + (f"; did you mean {near!r}?" if near else "")
    return None


def _patched(name: str, archs: Mapping[str, Any], done: Json, below: tuple[str, ...], mistakes: list[str]) -> Any:
    entry = archs[name]
    parent = entry.get("parent")
    if parent is None:
        return merge({}, entry)
    base = _resolve_one(parent, archs, done, (*below, name), mistakes)
    if base is None:
        return None
    kind = base.get("kind")
    if entry.get("kind", kind) != kind:
        mistakes.append(f"archs.{name}: kind {entry['kind']!r} differs from {kind!r} of its parent {parent}")
        return None
    inherited = {k: v for k, v in base.items() if k not in NOT_INHERITED}
    return {**merge(inherited, {k: v for k, v in entry.items() if k != "parent"}), "derived_from": parent}
