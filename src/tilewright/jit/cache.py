"""The content-addressed cache of built kernels: one writable user cache over any number of read-only shared ones.

    <root>/v1/entries/ab/<build key>/    outputs, inputs, build.log, meta.json (written last)
              failures/ab/<key>.json     failed builds with their whole log
              verdicts/ab/<key>.json     what executing an entry on small problems showed (`verdicts.py`)
              tmp/<key>.<random>/        work in progress; belongs to the holder of locks/<key>.lock
              locks/  quarantine/  probes/

An entry appears by one rename and never changes afterwards. A process that dies at any moment leaves at most a folder
in `tmp`, which the next build removes, because the operating system has released the lock of its owner.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CacheError
from ..settings import Settings
from .artifact import META_NAME, Artifact, BuildFailure, BuildRequest
from .entry import (
    CorruptEntryError,
    OutdatedEntryError,
    file_signature,
    load_entry,
    read_failure,
    seal_entry,
    write_failure,
)
from .files import NameLock, cache_errors, fsync_folder, list_folder, move_folder, unique_suffix
from .ownership import (
    LAYOUT,
    entry_exposure,
    exposure,
    layer_exposure,
    make_folder,
    refusal,
    start_anew,
    trusted_owners,
)

if TYPE_CHECKING:
    from .upkeep import CacheInfo, CacheVerdict, Removed

LOCK_AGE = 3600.0  # seconds after which a free lock file is removed
USED_RESOLUTION = 3600.0  # seconds: resolution of the time of last use, so that hits rarely write
ATTEMPTS = 8  # to create something while another process removes the folder around it


class CacheWarning(UserWarning):
    """Something in the cache is not as expected, and what was done about it."""


@dataclass(frozen=True)
class CacheEvent:
    """Something to report to the user: `kind` is corrupt, unloadable, unreadable, foreign or refused."""

    kind: str
    build_key: str
    path: Path
    message: str


def default_root(settings: Settings | None = None) -> Path:
    """Return the folder of the user's cache: the setting `cache_dir`, or the platform's cache folder.

    >>> str(default_root(Settings(cache_dir="/tmp/x")))
    '/tmp/x'
    """
    if settings is not None and settings.cache_dir:
        return Path(settings.cache_dir).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("tilewright", appauthor=False))


def _mark_used(meta: Path) -> None:
    """Record the time of use for `prune`, at most once per `USED_RESOLUTION`; not in a read-only cache.

    A time in the future is corrected too: the clock was set back since.
    """
    with contextlib.suppress(OSError):
        if abs(time.time() - meta.stat().st_mtime) > USED_RESOLUTION:
            os.utime(meta)


def _warn(event: CacheEvent) -> None:
    warnings.warn(event.message, CacheWarning, stacklevel=5)


class Cache:
    """Built kernels by build key: `find` reads every layer, builds go into the user's own.

    Nothing is created until something is written. `events` lists what went wrong so far; `on_event` is called at once
    (by default it issues a `CacheWarning`).

    >>> import tempfile
    >>> Cache(Path(tempfile.mkdtemp())).find("0" * 64) is None
    True
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        shared: Sequence[str | os.PathLike[str]] = (),
        settings: Settings | None = None,
        on_event: Callable[[CacheEvent], None] = _warn,
    ) -> None:
        self.settings = settings if settings is not None else Settings.from_env()
        self.root = Path(root).expanduser().absolute() if root is not None else default_root(self.settings)
        self.shared = tuple(Path(folder).expanduser().absolute() for folder in shared)
        self.events: list[CacheEvent] = []
        self._on_event = on_event
        self._loaded: dict[str, tuple[Artifact, tuple[Any, ...]]] = {}
        self._rejected: set[Path] = set()  # entries of shared layers that could not be loaded
        self._refused: set[Path] = set()  # shared layers that others can write
        self._swept = False

    @classmethod
    def from_settings(cls, settings: Settings | None = None) -> Cache:
        """Return the cache of the settings: `cache_dir` over each folder of `shared_cache`.

        >>> Cache.from_settings(Settings(cache_dir="/a", shared_cache="/b:/c")).shared == (Path("/b"), Path("/c"))
        True
        """
        settings = settings if settings is not None else Settings.from_env()
        shared = [folder for folder in settings.shared_cache.split(os.pathsep) if folder]
        return cls(None, shared, settings)

    # Paths.

    def folder(self, kind: str) -> Path:
        """Return the user cache's folder for `kind`: entries, failures, verdicts, tmp, locks, quarantine or probes."""
        return self.root / LAYOUT / kind

    def entry_path(self, build_key: str, layer: Path | None = None) -> Path:
        """Return the path of the entry of `build_key` in `layer` (by default the user's own)."""
        return (layer or self.root) / LAYOUT / "entries" / build_key[:2] / build_key

    def failure_path(self, build_key: str) -> Path:
        """Return the path of the recorded failure of `build_key`."""
        return self.folder("failures") / build_key[:2] / f"{build_key}.json"

    # Reading.

    def find(self, build_key: str, *, lock_held: bool = False, again: bool = False) -> Artifact | None:
        """Return the artifact of `build_key` from the first layer that has it whole, or None.

        A damaged entry is moved to quarantine, reported, and treated as missing. Digests are checked at the first use
        in this process, or if `again`; later the files' size, time and inode are compared. `lock_held` means that the
        caller holds the lock of this key. Raise `CacheError` if others can write the user's cache.
        """
        known = self._loaded.get(build_key)
        if known is not None and not again:
            with contextlib.suppress(OSError):
                if file_signature(known[0]) == known[1]:
                    return known[0]
            self._loaded.pop(build_key, None)
        for layer in (self.root, *self.shared):
            artifact = self._load(build_key, layer, lock_held)
            if artifact is not None:
                return artifact
        return None

    def count(self, most: int) -> int:
        """Return how many entries all layers have, or `most` if there are more; nothing is read of them.

        >>> import tempfile
        >>> Cache(Path(tempfile.mkdtemp())).count(10)
        0
        """
        layers = ((layer / LAYOUT / "entries").glob("*/*") for layer in (self.root, *self.shared))
        return sum(1 for _ in islice(chain.from_iterable(layers), most))

    def _load(self, build_key: str, layer: Path, lock_held: bool) -> Artifact | None:
        folder = self.entry_path(build_key, layer)
        if folder in self._rejected or not self._is_trusted(layer):
            return None
        try:
            artifact = self._read(folder, build_key)
            self._loaded[build_key] = (artifact, file_signature(artifact))
        except OutdatedEntryError:
            return None  # complete, but of an older version: the next build replaces it
        except CorruptEntryError as problem:
            return self._put_aside(build_key, layer, str(problem), lock_held)
        except (FileNotFoundError, NotADirectoryError):
            if folder.is_dir():  # entries appear complete, so a folder without meta.json was damaged later
                return self._put_aside(build_key, layer, f"{META_NAME} is missing", lock_held)
            return None
        except OSError as problem:
            message = f"cache entry {folder} cannot be read ({problem}); it is ignored"
            self.report(CacheEvent("unreadable", build_key, folder, message))
            return None
        if layer == self.root:
            _mark_used(folder / META_NAME)
        return artifact

    def _read(self, folder: Path, build_key: str) -> Artifact:
        artifact = load_entry(folder, build_key)
        why = entry_exposure(folder, trusted_owners(self.settings))
        if why is not None:
            raise CorruptEntryError(why)
        return artifact

    def _is_trusted(self, layer: Path) -> bool:
        """Return whether code may be loaded from `layer`: nobody else can have written it.

        If others can have written the user's own, its content is moved aside; raise `CacheError` if that is impossible.
        """
        found = layer_exposure(layer, trusted_owners(self.settings))
        if found is None:
            return True
        if layer == self.root:
            self._start_anew(*found)
            return True
        if layer not in self._refused:
            self._refused.add(layer)
            self.report(CacheEvent("refused", "", layer, refusal(*found).message))
        return False

    def _start_anew(self, folder: Path, why: str) -> None:
        """Move the content of the user's own cache aside, because others can have written it; raise if impossible."""
        moved = start_anew(self.root)
        if moved is None or layer_exposure(self.root, trusted_owners(self.settings)) is not None:
            raise refusal(folder, why)
        self._loaded.clear()
        done = f"its content is not used and was moved to {', '.join(map(str, moved))}" if moved else "it was empty"
        message = f"the cache folder {folder} {why}; {done}; {self.root} is now private"
        self.report(CacheEvent("foreign", "", self.root, message))

    def reject(self, artifact: Artifact, reason: str) -> None:
        """Quarantine an entry that is complete but cannot be loaded, and report it; the next build makes a new one."""
        folder, key = artifact.path, artifact.build_key
        self._loaded.pop(key, None)
        if folder == self.entry_path(key):
            try:
                with self.locked(key) as held:
                    done = f"it was moved to {self._quarantine(folder)}" if held else "another process is building it"
            except (OSError, CacheError) as problem:
                done = f"moving it away failed ({problem})"
        else:
            self._rejected.add(folder)
            done = "it is ignored, because that cache is shared and read-only"
        self.report(CacheEvent("unloadable", key, folder, f"cache entry {folder} cannot be used: {reason}; {done}"))

    def _put_aside(self, build_key: str, layer: Path, reason: str, lock_held: bool) -> Artifact | None:
        """Report a damaged entry and quarantine it; return a replacement that another process stored meanwhile."""
        folder = self.entry_path(build_key, layer)
        if layer != self.root:
            done = "it is ignored, because that cache is shared and read-only"
        else:
            try:
                with self.locked(build_key, already=lock_held) as held:
                    if not held:
                        return None  # another process is repairing it now and reports it
                    with contextlib.suppress(CorruptEntryError, OutdatedEntryError, OSError):
                        return self._read(folder, build_key)
                    done = f"it was moved to {self._quarantine(folder)} and will be built again"
            except (OSError, CacheError) as problem:
                done = f"it is ignored; moving it away failed ({problem})"
        message = f"cache entry {folder} is damaged: {reason}; {done}"
        self.report(CacheEvent("corrupt", build_key, folder, message))
        return None

    def _quarantine(self, folder: Path) -> Path:
        owners = trusted_owners(self.settings)
        if exposure(folder.parent, owners) is not None:  # a new entry would be as exposed as this one
            folder = folder.parent
        target = self.folder("quarantine") / f"{folder.name}.{unique_suffix()}"
        make_folder(target.parent)
        move_folder(folder, target, META_NAME)
        return target

    def report(self, event: CacheEvent) -> None:
        """Add `event` to the list and pass it to `on_event`."""
        self.events.append(event)
        self._on_event(event)

    def failure(self, build_key: str) -> BuildFailure | None:
        """Return the last failure of `build_key` in the user's cache, with its whole log, or None."""
        return read_failure(self.failure_path(build_key), build_key)

    # Writing; the pool calls these while it holds the lock of the build key.

    @contextlib.contextmanager
    def locked(self, build_key: str, *, already: bool = False) -> Iterator[bool]:
        """Yield whether this block alone may build `build_key`; False, without waiting, if another does.

        With `already` the caller holds the lock, and this does nothing.

        >>> import tempfile
        >>> with Cache(Path(tempfile.mkdtemp())).locked("k") as mine:
        ...     mine
        True
        """
        if already:
            yield True
            return
        with cache_errors(self.root, "create a lock"):
            lock = NameLock(self.folder("locks") / f"{build_key}.lock")
            held = self._acquire(lock)
        try:
            yield held
        finally:
            lock.release()

    def _acquire(self, lock: NameLock) -> bool:
        for attempt in range(ATTEMPTS):
            make_folder(lock.path.parent)
            self._is_trusted(self.root)
            try:
                return lock.acquire()
            except FileNotFoundError:  # the whole cache was removed at this moment
                if attempt == ATTEMPTS - 1:
                    raise
        return False

    @contextlib.contextmanager
    def workspace(self, lock_name: str) -> Iterator[Path]:
        """Yield an empty work folder inside the cache; remove it afterwards. The caller holds the lock `lock_name`."""
        with cache_errors(self.root, "create a work folder"):
            folder = self.folder("tmp") / f"{lock_name}.{unique_suffix()}"
            make_folder(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, folder: Path, request: BuildRequest, seconds: float, metadata: Mapping[str, Any]) -> Artifact:
        """Turn the work folder of a finished build into the entry of its key, by one rename, and return it."""
        with cache_errors(self.root, "store a finished build"):
            seal_entry(folder, request, seconds, metadata)
            self.move_in(folder, request.build_key)
            with contextlib.suppress(FileNotFoundError):
                self.failure_path(request.build_key).unlink()
        found = self.find(request.build_key, lock_held=True)
        if found is None:
            raise CacheError(
                f"{request.name} was stored in {self.root} but cannot be read back",
                remedy="check the disk, or set TILEWRIGHT_CACHE_DIR to a folder on another one",
            )
        return found

    def move_in(self, folder: Path, build_key: str) -> None:
        """Rename a sealed work folder to its place; an existing complete entry stays. Raises `OSError`."""
        target = self.entry_path(build_key)
        for attempt in range(ATTEMPTS):
            if os.path.lexists(target):
                if self._load(build_key, self.root, lock_held=True) is not None:
                    return
                if os.path.lexists(target):  # of an older version, or unreadable: this one is better
                    self.discard(target)
            try:
                make_folder(target.parent)
                os.rename(folder, target)
                break
            except OSError as problem:  # removed, or stored by another process, at this moment
                known = problem.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT)
                if not known or attempt == ATTEMPTS - 1 or not folder.is_dir():
                    raise
        fsync_folder(target.parent)

    def remember(self, failure: BuildFailure) -> None:
        """Record a failed build with its whole log."""
        path = self.failure_path(failure.build_key)
        with cache_errors(self.root, "record a failed build"):
            make_folder(path.parent)
            write_failure(path, failure)

    def sweep(self, *, again: bool = False) -> int:
        """Remove the work folders of dead processes; return how many. Runs once per object unless `again`."""
        if self._swept and not again:
            return 0
        self._swept = True
        removed = 0
        with contextlib.suppress(OSError, CacheError):  # only tidies up: the build itself reports errors
            for folder in list_folder(self.folder("tmp")):
                with self.locked(folder.name.split(".")[0]) as held:
                    if held:
                        shutil.rmtree(folder, ignore_errors=True)
                        removed += 1
            # A process that dies between lock and work folder leaves its lock. Skip young ones: even a check takes a
            # lock for a moment.
            for path in list_folder(self.folder("locks")):
                with contextlib.suppress(FileNotFoundError):
                    if abs(time.time() - path.stat().st_mtime) > LOCK_AGE:
                        with self.locked(path.stem):
                            pass
        return removed

    def discard(self, path: Path) -> None:
        """Rename a folder away, then remove it, so that nobody ever sees a part of it. Raises `OSError`."""
        trash = self.folder("tmp") / f"trash-{unique_suffix()}"
        make_folder(trash.parent)
        move_folder(path, trash, META_NAME)
        shutil.rmtree(trash, ignore_errors=True)

    # Upkeep.

    def info(self) -> CacheInfo:
        """Return what the cache holds: entries, bytes, failures, quarantine, layers."""
        from . import upkeep

        return upkeep.info(self)

    def verify(self) -> CacheVerdict:
        """Check every entry of the user's cache against its digests; quarantine damaged ones."""
        from . import upkeep

        return upkeep.verify(self)

    def prune(self, max_bytes: int | None = None, older_than: float | None = None) -> Removed:
        """Remove entries not used for `older_than` seconds, then the least recently used beyond `max_bytes`."""
        from . import upkeep

        return upkeep.prune(self, max_bytes, older_than)

    def clear(self) -> Removed:
        """Remove every entry, failure and quarantined folder of the user's cache; shared ones stay."""
        from . import upkeep

        return upkeep.clear(self)

    def export(self, path: str | os.PathLike[str], keys: Sequence[str] | None = None) -> int:
        """Write the entries `keys` (by default all, of every layer) into a `.tar.gz`; return how many."""
        from . import archive

        return archive.export(self, Path(path), keys)

    def import_(self, path: str | os.PathLike[str]) -> int:
        """Check and take over the entries of an exported file; return how many were new.

        Import only files you trust: an entry is native code, and digests show damage, not intent.
        """
        from . import archive

        return archive.import_(self, Path(path))
