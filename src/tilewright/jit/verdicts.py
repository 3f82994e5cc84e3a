"""Verdicts on entries of the cache: what was found when a kernel was executed. An entry itself never changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SchemaError
from ..model.json_text import json_text, read_json
from .files import cache_errors, replace_file
from .ownership import make_folder

if TYPE_CHECKING:
    from .cache import Cache


def verdict_path(cache: Cache, build_key: str) -> Path:
    """Return the file with the verdict on an entry."""
    return cache.folder("verdicts") / build_key[:2] / f"{build_key}.json"


def read_verdict(cache: Cache, build_key: str) -> dict[str, Any] | None:
    """Return the verdict on an entry; None if there is none that can be read."""
    try:
        found = read_json(verdict_path(cache, build_key))
    except SchemaError:
        return None
    return found if isinstance(found, dict) and found.get("build_key") == build_key else None


def write_verdict(cache: Cache, build_key: str, verdict: Mapping[str, Any]) -> None:
    """Keep a verdict with an entry; it replaces an earlier one.

    >>> import tempfile
    >>> from tilewright.jit.cache import Cache
    >>> cache = Cache(tempfile.mkdtemp())
    >>> write_verdict(cache, "ab" * 32, {"state": "right"})
    >>> read_verdict(cache, "ab" * 32)["state"]
    'right'
    """
    path = verdict_path(cache, build_key)
    with cache_errors(cache.root, "record a verdict"):
        make_folder(path.parent)
        replace_file(path, json_text({**verdict, "build_key": build_key}, indent=1, sort_keys=True).encode())
