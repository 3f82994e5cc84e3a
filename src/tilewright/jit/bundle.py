"""Moving cache entries between machines: one `.tar.gz` with a manifest, checked entry by entry on the way in."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tarfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from ..errors import CacheError, SchemaError
from .artifact import FILE_NAME
from .cache import Cache
from .entry import CorruptEntryError, load_entry
from .files import cache_errors, fsync_file, fsync_folder, list_folder, unique_suffix
from .upkeep import entry_folders

BUNDLE_SCHEMA = 1
BUSY_PAUSE = 0.02  # seconds
_MEMBER = re.compile(rf"entries/([0-9a-f]{{64}})/({FILE_NAME})")


def export(cache: Cache, path: Path, keys: Sequence[str] | None = None) -> int:
    """Writes whole entries to `path` (by one rename) and answers how many; a key that is absent is an error."""
    if keys is None:
        wanted = sorted(
            {folder.name for layer in (cache.root, *cache.shared) for folder in entry_folders(cache, layer)}
        )
    else:
        wanted = sorted(set(keys))
    found = [(key, artifact) for key in wanted if (artifact := cache.find(key)) is not None]
    missing = sorted(set(wanted) - {key for key, _ in found})
    if keys is not None and missing:
        raise CacheError(f"{len(missing)} of {len(wanted)} keys are not in the cache, first {missing[0]}")
    temporary = path.with_name(f".{path.name}.{unique_suffix()}")
    try:
        with tarfile.open(temporary, "w:gz", compresslevel=6) as archive:
            _add_bytes(archive, "manifest.json", _manifest([key for key, _ in found]))
            for key, artifact in found:
                for file in list_folder(artifact.path):
                    _add_bytes(archive, f"entries/{key}/{file.name}", file.read_bytes())
        fsync_file(temporary)
        os.replace(temporary, path)
    except OSError as problem:
        raise CacheError(
            f"cannot write {path}: {problem.strerror or problem}", remedy="choose a file in a writable folder"
        ) from problem
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return len(found)


def _manifest(keys: Sequence[str]) -> bytes:
    return json.dumps({"schema": BUNDLE_SCHEMA, "kind": "tilewright-cache", "keys": [*keys]}, indent=1).encode()


def _add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def import_(cache: Cache, path: Path) -> int:
    """Takes over each entry of the file at `path` that is whole and new; answers how many.

    Nothing is extracted by the archive's own paths, and a damaged entry ends the import before it is used.
    """
    lock_name = f"import-{unique_suffix()}"
    with cache.locked(lock_name), cache.workspace(lock_name) as folder:
        try:
            with tarfile.open(path, "r:gz") as archive:
                _unpack(cache, archive, folder, path)
        except FileNotFoundError:
            raise CacheError(
                f"{path} is not there", remedy="give a file that `tilewright cache export` wrote"
            ) from None
        except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as problem:
            raise CacheError(f"cannot read {path}: {problem}", remedy="export the cache again") from problem
        return sum(_take_over(cache, entry, path) for entry in list_folder(folder))


def _unpack(cache: Cache, archive: tarfile.TarFile, folder: Path, path: Path) -> None:
    first = archive.next()
    stream = archive.extractfile(first) if first is not None and first.name == "manifest.json" else None
    manifest = json.loads(stream.read()) if stream is not None else {}
    if manifest.get("kind") != "tilewright-cache" or manifest.get("schema") != BUNDLE_SCHEMA:
        raise SchemaError(
            f"{path} is not a cache export of schema {BUNDLE_SCHEMA}; its manifest says {str(manifest)[:200]}",
            remedy="export it again with `tilewright cache export` of this version",
        )
    while (member := archive.next()) is not None:
        match = _MEMBER.fullmatch(member.name)
        stream = archive.extractfile(member) if match and member.isfile() else None
        if match is None or stream is None:
            raise CacheError(f"{path} holds {member.name!r}, which is no file of a cache entry", remedy="do not use it")
        with cache_errors(cache.root, "unpack an import"):
            target = folder / match[1]
            target.mkdir(exist_ok=True)
            (target / match[2]).write_bytes(stream.read())


def _take_over(cache: Cache, entry: Path, path: Path) -> bool:
    try:
        load_entry(entry, entry.name)
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
