"""One cache entry on disk: a folder `<build key>` with the outputs, the inputs, the log, and `meta.json` written last.

A folder without a readable `meta.json`, or whose files do not have the digests that it names, is not an entry.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .artifact import (
    FAILURE_KINDS,
    LOG_NAME,
    META_NAME,
    Artifact,
    BuildFailure,
    BuildRequest,
    canonical_json,
    content_digest,
    sha256_text,
)
from .files import fsync_file, fsync_folder, replace_file, sha256_file, write_durably

META_SCHEMA = 1
FAILURE_SCHEMA = 1


class CorruptEntryError(Exception):
    """An entry that cannot be trusted; the text says why."""


def read_meta(folder: Path, build_key: str) -> dict[str, Any]:
    """The checked `meta.json` of an entry; `FileNotFoundError` where there is none.

    The recorded key material must give the build key again, so an entry can neither be renamed nor half written.
    """
    data = (folder / META_NAME).read_bytes()
    try:
        meta = json.loads(data)
        schema, material, stored_key = meta["schema"], meta["material"], meta["build_key"]
        for name in ("spec_digest", "name", "files", "metadata", "seconds", "created", "content_sha256"):
            meta[name]
    except (ValueError, KeyError, TypeError) as problem:
        raise CorruptEntryError(f"{META_NAME} cannot be read ({problem!r})") from None
    if schema != META_SCHEMA:
        raise CorruptEntryError(f"{META_NAME} has schema {schema!r}; this version reads {META_SCHEMA}")
    if stored_key != build_key or sha256_text(canonical_json(material)) != build_key:
        raise CorruptEntryError(f"{META_NAME} does not belong to build key {build_key}")
    if content_digest(_digests(meta), meta["metadata"]) != meta["content_sha256"]:
        raise CorruptEntryError(f"{META_NAME} does not match its own content digest")
    return dict(meta)


def _digests(meta: Mapping[str, Any]) -> dict[str, str]:
    return {name: fact["sha256"] for name, fact in meta["files"].items()}


def load_entry(folder: Path, build_key: str) -> Artifact:
    """The artifact in `folder`, every output checked against its digest; `CorruptEntryError` where one differs."""
    meta = read_meta(folder, build_key)
    for name, fact in meta["files"].items():
        path = folder / name
        try:
            size = path.stat().st_size
            if size != fact["size"]:
                raise CorruptEntryError(f"{name} has {size} bytes; {fact['size']} were written")
            digest = sha256_file(path)
        except FileNotFoundError:
            raise CorruptEntryError(f"{name} is missing") from None
        if digest != fact["sha256"]:
            raise CorruptEntryError(f"{name} has sha256 {digest[:12]}...; {fact['sha256'][:12]}... was written")
    return Artifact(
        build_key=build_key,
        spec_digest=meta["spec_digest"],
        name=meta["name"],
        path=folder,
        files=_digests(meta),
        metadata=meta["metadata"],
        seconds=meta["seconds"],
        created=meta["created"],
        content_sha256=meta["content_sha256"],
    )


def seal_entry(folder: Path, request: BuildRequest, seconds: float, metadata: Mapping[str, Any]) -> None:
    """Makes the work folder of a finished build an entry: scraps removed, files durable, `meta.json` written last."""
    kept = {*request.inputs, *request.outputs, LOG_NAME}
    for scrap in folder.iterdir():
        if scrap.name not in kept:
            shutil.rmtree(scrap) if scrap.is_dir() and not scrap.is_symlink() else scrap.unlink()
    files = {}
    for name in sorted(request.outputs):
        path = folder / name
        fsync_file(path)
        files[name] = {"sha256": sha256_file(path), "size": path.stat().st_size}
    digests = {name: str(fact["sha256"]) for name, fact in files.items()}
    meta = {
        "schema": META_SCHEMA,
        "build_key": request.build_key,
        "spec_digest": request.spec_digest,
        "name": request.name,
        "material": request.material,
        "files": files,
        "metadata": dict(metadata),
        "seconds": round(seconds, 6),
        "created": round(time.time(), 3),
        "content_sha256": content_digest(digests, metadata),
    }
    if request.spec is not None:
        meta["spec"] = dict(request.spec)
    fsync_file(folder / LOG_NAME)
    write_durably(folder / META_NAME, json.dumps(meta, indent=1, sort_keys=True).encode())
    fsync_folder(folder)


def file_signature(artifact: Artifact) -> tuple[tuple[int, int, int], ...]:
    """Size, time and inode of each output: cheap to compare, and different once a file was touched."""
    facts = (os.stat(artifact.path / name) for name in artifact.files)
    return tuple((fact.st_size, fact.st_mtime_ns, fact.st_ino) for fact in facts)


def write_failure(path: Path, failure: BuildFailure) -> None:
    """Keeps a failure with its whole log at `path`."""
    record = {"schema": FAILURE_SCHEMA, "created": round(time.time(), 3), **asdict(failure)}
    del record["cached"]
    replace_file(path, json.dumps(record, indent=1, sort_keys=True).encode())


def read_failure(path: Path) -> BuildFailure | None:
    """The failure kept at `path`, or None where there is none or it cannot be read (then the build runs again)."""
    try:
        record = json.loads(path.read_bytes())
        if record.pop("schema") != FAILURE_SCHEMA or record["kind"] not in FAILURE_KINDS:
            return None
        record.pop("created")
        return BuildFailure(**record, cached=True)
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None
