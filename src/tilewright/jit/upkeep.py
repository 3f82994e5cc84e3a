"""Maintain a cache: list its content, check it, and remove what is no longer needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import CacheError
from .artifact import META_NAME
from .cache import Cache
from .entry import CorruptEntryError, OutdatedEntryError, read_meta
from .files import cache_errors, folder_bytes, list_folder
from .ownership import FOREIGN, LAYOUT
from .verdicts import verdict_path


@dataclass(frozen=True)
class CacheInfo:
    """The content of a cache; `shared` names each lower layer with its number of entries."""

    root: Path
    exists: bool
    writable: bool
    entries: int
    entry_bytes: int
    failures: int
    quarantined: int
    total_bytes: int
    build_seconds: float
    shared: tuple[tuple[Path, int], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the same as plain JSON values."""
        values = asdict(self)
        values["root"] = str(self.root)
        values["shared"] = [{"root": str(root), "entries": count} for root, count in self.shared]
        return values


@dataclass(frozen=True)
class CacheVerdict:
    """Result of checking a cache: how many entries are whole, and what was wrong with the others.

    `outdated` entries are of an older version: not damaged, and built again when they are needed.
    """

    whole: int
    damaged: tuple[str, ...]
    outdated: int = 0

    @property
    def ok(self) -> bool:
        """Whether every entry is whole."""
        return not self.damaged


@dataclass(frozen=True)
class Removed:
    """How much was removed from a cache."""

    entries: int = 0
    failures: int = 0
    quarantined: int = 0
    bytes: int = 0


def entry_folders(cache: Cache, layer: Path | None = None) -> Iterator[Path]:
    """Yield the folders of the entries in one layer (by default the user's own), by build key."""
    for prefix in list_folder((layer or cache.root) / LAYOUT / "entries"):
        yield from (folder for folder in list_folder(prefix) if folder.is_dir())


def info(cache: Cache) -> CacheInfo:
    """Return what `cache` holds; change and create nothing."""
    with cache_errors(cache.root, "look"):
        return _info(cache)


def _info(cache: Cache) -> CacheInfo:
    folders = list(entry_folders(cache))
    place = cache.root
    while not place.exists() and place != place.parent:
        place = place.parent
    return CacheInfo(
        root=cache.root,
        exists=cache.root.is_dir(),
        writable=place.is_dir() and os.access(place, os.W_OK | os.X_OK),
        entries=len(folders),
        entry_bytes=sum(folder_bytes(folder) for folder in folders),
        failures=sum(1 for _ in _failure_files(cache)),
        quarantined=len(list_folder(cache.folder("quarantine"))),
        total_bytes=folder_bytes(cache.root / LAYOUT),
        build_seconds=round(sum(seconds for _, seconds in build_times(cache)), 3),
        shared=tuple((root, sum(1 for _ in entry_folders(cache, root))) for root in cache.shared),
    )


def build_times(cache: Cache) -> Iterator[tuple[str, float]]:
    """Yield the name and the seconds of each build that the user's own layer holds; unreadable entries are left out."""
    with cache_errors(cache.root, "look"):
        for folder in entry_folders(cache):
            with contextlib.suppress(CorruptEntryError, OutdatedEntryError, OSError):
                meta = read_meta(folder, folder.name)
                yield str(meta["name"]), float(meta["seconds"])


def _is_outdated(folder: Path) -> bool:
    try:
        read_meta(folder, folder.name)
    except OutdatedEntryError:
        return True
    except (CorruptEntryError, OSError):
        return False
    return False


def _failure_files(cache: Cache) -> Iterator[Path]:
    for prefix in list_folder(cache.folder("failures")):
        yield from list_folder(prefix)


def verify(cache: Cache) -> CacheVerdict:
    """Read every byte of every entry again; damaged entries are moved to quarantine and reported as events."""
    fresh = Cache(cache.root, (), cache.settings, on_event=cache.report)
    whole = outdated = 0
    with cache_errors(cache.root, "look"):
        for folder in entry_folders(cache):
            if _is_outdated(folder):
                outdated += 1
            elif fresh.find(folder.name) is not None:
                whole += 1
    damaged = tuple(event.message for event in fresh.events)
    return CacheVerdict(whole, damaged, outdated)


def prune(cache: Cache, max_bytes: int | None, older_than: float | None) -> Removed:
    """Remove what was not used for `older_than` seconds, then the least recently used beyond `max_bytes`.

    Work folders of dead processes are always removed; failures and quarantined entries by age. What another process
    is building stays.
    """
    if max_bytes is None and older_than is None:
        raise CacheError("prune was given no limit", remedy="pass max_bytes or older_than (seconds)")
    for name, value in (("max_bytes", max_bytes), ("older_than", older_than)):
        if value is not None and value < 0:
            raise CacheError(f"{name} is {value}; it must be >= 0")
    oldest = time.time() - older_than if older_than is not None else float("-inf")
    with cache_errors(cache.root, "prune"):
        return _remove(cache, oldest, max_bytes)


def _remove(cache: Cache, oldest: float, max_bytes: int | None = None) -> Removed:
    """Remove what was last used before `oldest`, then the least recently used beyond `max_bytes`."""
    cache.sweep(again=True)
    entries, freed = 0, 0
    by_age = sorted((_last_used(folder), folder_bytes(folder), folder) for folder in entry_folders(cache))
    excess = sum(size for _, size, _ in by_age) - max_bytes if max_bytes is not None else 0
    for used, size, folder in by_age:
        if (used < oldest or freed < excess) and _discard(cache, folder.name, folder):
            entries, freed = entries + 1, freed + size
    failures = _remove_failures(cache, oldest)
    quarantined, size = _remove_quarantined(cache, oldest)
    return Removed(entries, failures, quarantined, freed + size)


def _last_used(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / META_NAME).stat().st_mtime
    return 0.0


def _discard(cache: Cache, build_key: str, folder: Path) -> bool:
    """Remove the folder under the lock that builds of `build_key` take; False if one runs, or the folder is gone."""
    with cache.locked(build_key) as held:
        if held:
            verdict_path(cache, build_key).unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                cache.discard(folder)
                return True
    return False


def _is_older(path: Path, oldest: float) -> bool:
    try:
        return path.lstat().st_mtime < oldest
    except FileNotFoundError:  # another process removed it
        return False


def _remove_failures(cache: Cache, oldest: float) -> int:
    removed = 0
    for path in _failure_files(cache):
        if _is_older(path, oldest):
            with cache.locked(path.stem) as held, contextlib.suppress(FileNotFoundError):
                if held:
                    path.unlink()
                    removed += 1
    return removed


def _remove_quarantined(cache: Cache, oldest: float) -> tuple[int, int]:
    """Remove what was quarantined before `oldest`; return how many, and their bytes."""
    removed, freed = 0, 0
    for path in list_folder(cache.folder("quarantine")):
        if _is_older(path, oldest):
            size = folder_bytes(path)
            with contextlib.suppress(FileNotFoundError):
                cache.discard(path)
                removed, freed = removed + 1, freed + size
    return removed, freed


def clear(cache: Cache) -> Removed:
    """Remove every entry, failure and quarantined folder; what another process is building stays."""
    with cache_errors(cache.root, "clear"):
        removed = _remove(cache, float("inf"))
        for probe in list_folder(cache.folder("probes")):
            probe.unlink(missing_ok=True)
        for foreign in cache.root.glob(f"{FOREIGN}*"):
            shutil.rmtree(foreign, ignore_errors=True)
    return removed
