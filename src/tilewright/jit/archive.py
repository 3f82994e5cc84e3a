"""Moving cache entries between machines: one `.tar.gz` with a manifest, checked entry by entry on the way in."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tarfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from ..errors import CacheError, SchemaError
from ..model.json_text import parse_json, refuse_pipe
from .artifact import FILE_NAME
from .cache import Cache
from .entry import CorruptEntryError, OutdatedEntryError, expected_files, load_entry, read_meta
from .files import cache_errors, fsync_file, fsync_folder, list_folder, open_plain, replacing, unique_suffix
from .ownership import close_to_others, make_folder
from .upkeep import entry_folders

ARCHIVE_SCHEMA = 1
BUSY_PAUSE = 0.02  # seconds
BLOCK = 1 << 20  # bytes; also the most that one header of the archive may take
MAX_MEMBERS = 1_000_000
MAX_MANIFEST_BYTES = 128 << 20  # names a million keys
_MEMBER = re.compile(rf"entries/([0-9a-f]{{64}})/({FILE_NAME})")


def export(cache: Cache, path: Path, keys: Sequence[str] | None = None) -> int:
    """Write whole entries to `path`, in one step, and return how many; a key that is absent is an error."""
    if keys is None:
        wanted = sorted(
            {folder.name for layer in (cache.root, *cache.shared) for folder in entry_folders(cache, layer)}
        )
    else:
        wanted = sorted(set(keys))
    heard = len(cache.events)
    with cache_errors(cache.root, "export"):
        found = [(key, artifact) for key in wanted if (artifact := cache.find(key)) is not None]
    unread = [event for event in cache.events[heard:] if event.kind == "unreadable"]
    if unread:  # a file without them would look complete
        raise CacheError(f"{len(unread)} entries cannot be read, so nothing was written; {unread[0].message}")
    missing = sorted(set(wanted) - {key for key, _ in found})
    if keys is not None and missing:
        raise CacheError(f"{len(missing)} of {len(wanted)} keys are not in the cache, first {missing[0]}")
    try:
        with replacing(path) as temporary, tarfile.open(temporary, "w:gz", compresslevel=6) as archive:
            _add_bytes(archive, "manifest.json", _manifest([key for key, _ in found]))
            for key, artifact in found:
                for file in list_folder(artifact.path):
                    with open_plain(file) as stream:
                        _add_bytes(archive, f"entries/{key}/{file.name}", stream.read())
    except OSError as problem:
        raise CacheError(
            f"cannot write {path}: {problem.strerror or problem}", remedy="choose a file in a writable folder"
        ) from problem
    return len(found)


def _manifest(keys: Sequence[str]) -> bytes:
    return json.dumps({"schema": ARCHIVE_SCHEMA, "kind": "tilewright-cache", "keys": [*keys]}, indent=1).encode()


def _add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def import_(cache: Cache, path: Path) -> int:
    """Take over each entry of the file at `path` that is whole and new; return how many.

    Nothing is extracted by the archive's own paths, nothing is unpacked beyond the setting `import_limit`, and a
    damaged entry ends the import before it is used.
    """
    lock_name = f"import-{unique_suffix()}"
    with cache.locked(lock_name), cache.workspace(lock_name) as folder:
        try:
            refuse_pipe(path)
            with gzip.open(path) as stream:
                bounded = _Bounded(stream, cache.settings.import_limit, path)
                with tarfile.open(fileobj=bounded, mode="r:") as archive:
                    _unpack(cache, archive, folder, path)
        except FileNotFoundError:
            raise CacheError(
                f"{path} is not there", remedy="give a file that `tilewright cache export` wrote"
            ) from None
        except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as problem:
            raise CacheError(f"cannot read {path}: {problem}", remedy="export the cache again") from problem
        return sum(_take_over(cache, entry, path) for entry in list_folder(folder))


class _Bounded(io.RawIOBase):
    """An unpacked stream that refuses to grow past a limit, or to be read in one huge piece.

    A few kilobytes of gzip can expand to gigabytes, and a header of a tar file can claim any length.
    """

    def __init__(self, stream: gzip.GzipFile, limit: int, path: Path) -> None:
        super().__init__()
        self._stream, self._limit, self._path = stream, limit, path

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > BLOCK:
            raise CacheError(
                f"{self._path} holds a header of {size:,} bytes; the most is {BLOCK:,}", remedy="do not use it"
            )
        data = self._stream.read(size)
        self._check(self._stream.tell())
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._check(offset)
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def _check(self, position: int) -> None:
        if position > self._limit:
            raise CacheError(
                f"{self._path} unpacks to more than {self._limit:,} bytes, the limit of TILEWRIGHT_IMPORT_LIMIT",
                remedy="raise the limit if you trust the file, or export fewer kernels",
            )


def _unpack(cache: Cache, archive: tarfile.TarFile, folder: Path, path: Path) -> None:
    _check_manifest(archive, path)
    count = 0
    while (member := archive.next()) is not None:
        archive.members = []  # type: ignore[attr-defined]  # the list of all members so far would only grow
        count += 1
        match = _MEMBER.fullmatch(member.name)
        stream = _stream(archive, member) if match else None
        if match is None or stream is None or count > MAX_MEMBERS:
            raise CacheError(f"{path} holds {member.name!r}, which is no file of a cache entry", remedy="do not use it")
        with cache_errors(cache.root, "unpack an import"):
            target = folder / match[1] / match[2]
            make_folder(target.parent)
            if os.path.lexists(target):
                raise CacheError(f"{path} holds {member.name!r} twice", remedy="do not use it")
            _copy(stream, target)


def _stream(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes] | None:
    """Return the bytes of a member; None if it is a link, a device, a folder or a sparse file."""
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and member.sparse is None
    return archive.extractfile(member) if plain else None


def _check_manifest(archive: tarfile.TarFile, path: Path) -> None:
    first, data = archive.next(), b"{}"
    if first is not None and first.name == "manifest.json" and first.size <= MAX_MANIFEST_BYTES:
        stream = _stream(archive, first)
        data = b"".join(iter(lambda: stream.read(BLOCK), b"")) if stream is not None else data
    manifest = parse_json(data, f"cannot read {path}: manifest.json", most_bytes=MAX_MANIFEST_BYTES, error=CacheError)
    known = isinstance(manifest, dict) and manifest.get("kind") == "tilewright-cache"
    if not known or manifest.get("schema") != ARCHIVE_SCHEMA:
        raise SchemaError(
            f"{path} is not a cache export of schema {ARCHIVE_SCHEMA}; its manifest says {str(manifest)[:200]}",
            remedy="export it again with `tilewright cache export` of this version",
        )


def _copy(stream: IO[bytes], target: Path) -> None:
    with open(target, "xb") as out:
        while block := stream.read(BLOCK):
            out.write(block)
    close_to_others(target)


def _take_over(cache: Cache, entry: Path, path: Path) -> bool:
    try:
        load_entry(entry, entry.name)
        strange = {file.name for file in entry.iterdir()} - expected_files(read_meta(entry, entry.name))
        if strange:
            raise CorruptEntryError(f"{min(strange)} does not belong to it")
    except OutdatedEntryError:
        return False  # of an older version: it would be built again anyway
    except (CorruptEntryError, OSError) as problem:
        raise CacheError(
            f"{path}: entry {entry.name[:12]}... is damaged: {problem}", remedy="export it again"
        ) from None
    while cache.find(entry.name) is None:
        with cache.locked(entry.name) as held, cache_errors(cache.root, "import"):
            if held:
                for file in list_folder(entry):
                    fsync_file(file)
                fsync_folder(entry)
                cache.move_in(entry, entry.name)
                return True
        time.sleep(BUSY_PAUSE)  # a build of the same key is about to store it
    return False
