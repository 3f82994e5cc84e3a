"""The file operations of a crash-safe cache: durable writes, atomic rename, a lock per name."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import CacheError
from ..model.locks import after_fork

_FULL = {errno.ENOSPC, errno.EDQUOT}
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


@contextlib.contextmanager
def cache_errors(root: Path, doing: str) -> Iterator[None]:
    """Turn an `OSError` of the body into a `CacheError` that names the folder and the remedy.

    >>> with cache_errors(Path("/c"), "write"):  # doctest: +ELLIPSIS
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    ...
    tilewright.errors.CacheError: the disk of the cache folder /c is full (No space left on device) while ...
    """
    try:
        yield
    except OSError as problem:
        raise cache_error(root, doing, problem) from problem


def cache_error(root: Path, doing: str, problem: OSError) -> CacheError:
    """Return the `CacheError` for an `OSError` while `doing` something in the cache at `root`."""
    detail = problem.strerror or str(problem)
    if problem.errno in _FULL:
        return CacheError(
            f"the disk of the cache folder {root} is full ({detail}) while trying to {doing}",
            remedy="free some space, run `tilewright cache prune`, or set TILEWRIGHT_CACHE_DIR to a folder on another "
            "disk; what was built before is intact",
        )
    if problem.errno in _NO_LOCKS:
        return CacheError(
            f"the file system of the cache folder {root} has no file locks ({detail})",
            remedy="set TILEWRIGHT_CACHE_DIR to a folder on a local disk",
        )
    return CacheError(
        f"cannot {doing} in the cache folder {root}: {detail}",
        remedy="make the folder writable, or set TILEWRIGHT_CACHE_DIR to one that is",
    )


def fsync_folder(folder: Path) -> None:
    """Make the names inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_file(path: Path) -> None:
    """Make the bytes of `path` durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; raise `OSError` (ELOOP or EINVAL) for a link, a folder, a pipe or a device.

    >>> with open_plain(__file__) as stream:
    ...     len(stream.read(3))
    3
    """
    # O_NONBLOCK: opening a pipe without a writer would wait forever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def move_folder(folder: Path, target: Path, first: str) -> None:
    """Rename `folder`; copy and remove it if it is in a layer of an overlay file system that cannot be renamed.

    Then the file `first`, without which the folder means nothing, is removed before the others. Images of containers
    are such layers.
    """
    try:
        os.rename(folder, target)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        shutil.copytree(folder, target, symlinks=True)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(folder / first)
        shutil.rmtree(folder)


def write_durably(path: Path, data: bytes) -> None:
    """Write `data` to `path` and wait until it is on disk."""
    with open(path, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def replace_file(path: Path, data: bytes) -> None:
    """Write `data` to `path`. The file is never incomplete, not even after a crash."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file next to `path`. Its content replaces `path` durably when the block ends.

    If the block raises, the temporary file is removed and `path` stays as it was. A process that is killed leaves its
    temporary file behind; the next call for the same `path` removes it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.txt"
    >>> with replacing(path) as temporary:
    ...     _ = temporary.write_text("all of it")
    >>> path.read_text()
    'all of it'
    """
    _remove_abandoned(path)
    temporary, lock = _locked_temporary(path)
    try:
        yield temporary
        fsync_file(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    finally:
        os.close(lock)
    fsync_folder(path.parent)


def _locked_temporary(path: Path) -> tuple[Path, int]:
    """Create an empty file next to `path`; the descriptor holds a lock on it while its writer lives."""
    while True:
        temporary = path.with_name(f".{unique_suffix()}.{path.name}")  # keeps the ending, which names the format
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if temporary.exists():
                return temporary, descriptor
        except BlockingIOError:
            pass  # another process treated it as abandoned before it was locked
        except OSError:
            return temporary, descriptor  # without locks nobody removes it
        os.close(descriptor)


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files for `path` whose writers are dead. Only a clean-up: errors are ignored."""
    name = re.compile(rf"\.[0-9a-f]{{12}}\.{re.escape(path.name)}")
    with contextlib.suppress(OSError), os.scandir(path.parent) as found:
        for entry in found:
            if name.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for ending in ("-wal", "-shm", "-journal", ""):  # SQLite keeps up to three more files
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{path}{ending}")
        finally:
            os.close(descriptor)


def unique_suffix() -> str:
    """Return twelve random hex digits.

    >>> len(unique_suffix())
    12
    """
    return os.urandom(6).hex()


def sha256_file(path: str | os.PathLike[str]) -> str:
    """Return the hex sha256 of a file's bytes."""
    with open(path, "rb") as stream:
        return sha256_stream(stream)


def sha256_stream(stream: BinaryIO) -> str:
    """Return the hex sha256 of the rest of `stream`.

    >>> import io
    >>> sha256_stream(io.BytesIO(b""))[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def folder_bytes(folder: Path) -> int:
    """Return the sum of the sizes of the files under `folder`; files that disappear meanwhile count as 0."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(base, name)).st_size
    return total


def list_folder(folder: Path) -> list[Path]:
    """Return the paths in `folder`, sorted, without hidden names; none if the folder does not exist."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


class _Held:
    """The descriptors of locks that this process holds.

    A forked child has copies of them, which would keep the locks held after the parent's end, for ever if the child is
    the one that waits. So it closes its copies; the parent still holds its own.
    """

    def __init__(self) -> None:
        self.descriptors: set[int] = set()
        after_fork(self.close)

    def close(self) -> None:
        for descriptor in self.descriptors:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self.descriptors.clear()


_held = _Held()


class NameLock:
    """An exclusive lock between processes (and threads), free again the moment its holder dies.

    The holder removes the lock file on release. That is safe because `acquire` compares the file that it locked with
    the file of that name, and starts over if they differ.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.lock"
    >>> first, second = NameLock(path), NameLock(path)
    >>> first.acquire(), second.acquire()
    (True, False)
    >>> first.release(); second.acquire()
    True
    >>> second.release()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._process = 0

    def acquire(self) -> bool:
        """Try to take the lock without waiting; return whether this object holds it."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                current = self._is_current(descriptor)
            except BlockingIOError:
                os.close(descriptor)
                return False
            except BaseException:
                os.close(descriptor)
                raise
            if current:
                self._descriptor, self._process = descriptor, os.getpid()
                _held.descriptors.add(descriptor)
                return True
            os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Release the lock; do nothing if it is not held, or held by the process that forked this one."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None or self._process != os.getpid():
            return
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        _held.descriptors.discard(descriptor)
        os.close(descriptor)
