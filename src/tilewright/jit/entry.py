"""One cache entry on disk: a folder `<build key>` with the outputs, the inputs, the log, and `meta.json` written last.

A folder without a readable `meta.json`, or whose files do not have the digests in it, is not an entry. The digest in
`meta.json` covers all of it, so no part can be changed unnoticed.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import stat
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import SchemaError
from ..model.json_text import parse_json, read_json
from .artifact import (
    FAILURE_KINDS,
    FILE_NAME,
    LOG_NAME,
    META_NAME,
    RESERVED_NAMES,
    Artifact,
    BuildFailure,
    BuildRequest,
    canonical_json,
    content_digest,
    sha256_text,
)
from .files import fsync_file, fsync_folder, open_plain, replace_file, sha256_file, sha256_stream, write_durably
from .ownership import close_to_others

META_SCHEMA = 2  # 1: the digest covered files and metadata only
FAILURE_SCHEMA = 2  # 1: faults of the tool were recorded as errors of the source
MAX_META_BYTES = 16 << 20
MAX_FILES = 1000
_SHA256 = re.compile(r"[0-9a-f]{64}")


class CorruptEntryError(Exception):
    """An entry that cannot be trusted; the text says why."""


class OutdatedEntryError(Exception):
    """An entry of an older schema: it is not damaged, but it is built again."""


def read_meta(folder: Path, build_key: str) -> dict[str, Any]:
    """Return the checked `meta.json` of an entry; raise `FileNotFoundError` if there is none.

    The recorded key material must give the build key again, so an entry can neither be renamed nor half written.
    Anything wrong is a `CorruptEntryError`, except that an older schema is an `OutdatedEntryError`.
    """
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise CorruptEntryError("it is not a folder")
        with open_plain(folder / META_NAME) as stream:
            data = stream.read(MAX_META_BYTES + 1)
    except OSError as problem:
        raise _corrupt_if_no_file(META_NAME, problem) from None
    try:
        meta = parse_json(data, META_NAME, most_bytes=MAX_META_BYTES)
    except SchemaError as problem:
        raise CorruptEntryError(problem.message) from None
    mistake = _meta_mistake(meta, build_key)
    if mistake is not None:
        raise CorruptEntryError(f"{META_NAME} {mistake}")
    checked: dict[str, Any] = meta
    return checked


def _corrupt_if_no_file(name: str, problem: OSError) -> Exception:
    """Return the error for a file that could not be opened: links, folders and pipes are damage, the rest is not."""
    if problem.errno in (errno.ELOOP, errno.EINVAL, errno.ENXIO, errno.EISDIR):
        return CorruptEntryError(f"{name} is a link or not a regular file")
    return problem


def _meta_mistake(meta: Any, build_key: str) -> str | None:
    """Return what is wrong with the data of a `meta.json`, None if nothing; raise `OutdatedEntryError` if it is old."""
    if not isinstance(meta, dict):
        return "is not a JSON object"
    schema = meta.get("schema")
    if type(schema) is int and 0 < schema < META_SCHEMA:
        raise OutdatedEntryError(f"{META_NAME} has schema {schema}; this version reads {META_SCHEMA}")
    if schema != META_SCHEMA or type(schema) is not int:
        return f"has schema {str(schema)[:20]!r}; this version reads {META_SCHEMA}"
    wrong = [name for name, fits in _META_FIELDS.items() if name not in meta or not fits(meta[name])]
    unknown = sorted({*meta} - {*_META_FIELDS, "schema", "spec"})
    if wrong or unknown:
        return f"has the wrong fields {', '.join([*wrong, *unknown])[:200]}"
    if "spec" in meta and not isinstance(meta["spec"], dict):
        return "has a spec that is not an object"
    if meta["build_key"] != build_key or sha256_text(canonical_json(meta["material"])) != build_key:
        return f"does not belong to build key {build_key}"
    if meta_digest(meta) != meta["sha256"]:
        return "does not match its own digest"
    return None


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _are_files(value: Any) -> bool:
    return isinstance(value, dict) and 0 < len(value) <= MAX_FILES and all(map(_is_file, value, value.values()))


def _is_file(name: str, fact: Any) -> bool:
    return (
        re.fullmatch(FILE_NAME, name) is not None
        and name not in RESERVED_NAMES
        and isinstance(fact, dict)
        and {*fact} == {"sha256", "size"}
        and _is_sha256(fact["sha256"])
        and type(fact["size"]) is int
        and fact["size"] >= 0
    )


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_META_FIELDS = {
    "build_key": _is_sha256,
    "spec_digest": _is_text,
    "name": _is_text,
    "material": _is_object,
    "files": _are_files,
    "metadata": _is_object,
    "seconds": _is_amount,
    "created": _is_amount,
    "content_sha256": _is_sha256,
    "sha256": _is_sha256,
}


def meta_digest(meta: Mapping[str, Any]) -> str:
    """Return the digest over everything in `meta` except the digest itself.

    >>> meta_digest({"a": 1, "sha256": "x"}) == meta_digest({"a": 1})
    True
    """
    return sha256_text(canonical_json({name: value for name, value in meta.items() if name != "sha256"}))


def load_entry(folder: Path, build_key: str) -> Artifact:
    """Return the artifact in `folder`; raise `CorruptEntryError` if an output differs from its digest."""
    meta = read_meta(folder, build_key)
    for name, fact in meta["files"].items():
        try:
            with open_plain(folder / name) as stream:
                size = os.fstat(stream.fileno()).st_size
                if size != fact["size"]:
                    raise CorruptEntryError(f"{name} has {size} bytes; {fact['size']} were written")
                digest = sha256_stream(stream)
        except FileNotFoundError:
            raise CorruptEntryError(f"{name} is missing") from None
        except OSError as problem:
            raise _corrupt_if_no_file(name, problem) from None
        if digest != fact["sha256"]:
            raise CorruptEntryError(f"{name} has sha256 {digest[:12]}...; {fact['sha256'][:12]}... was written")
    return Artifact(
        build_key=build_key,
        spec_digest=meta["spec_digest"],
        name=meta["name"],
        path=folder,
        files={name: fact["sha256"] for name, fact in meta["files"].items()},
        metadata=meta["metadata"],
        seconds=meta["seconds"],
        created=meta["created"],
        content_sha256=meta["content_sha256"],
    )


def expected_files(meta: Mapping[str, Any]) -> set[str]:
    """Return the allowed names in the folder of an entry: its outputs, inputs, log and meta."""
    inputs = meta["material"].get("inputs", {})
    return {*meta["files"], *(inputs if isinstance(inputs, dict) else ()), LOG_NAME, META_NAME}


def seal_entry(folder: Path, request: BuildRequest, seconds: float, metadata: Mapping[str, Any]) -> None:
    """Turn the work folder of a finished build into an entry: remove temporary files, flush, write `meta.json` last."""
    kept = {*request.inputs, *request.outputs, LOG_NAME}
    for scrap in folder.iterdir():
        if scrap.name not in kept:
            shutil.rmtree(scrap) if scrap.is_dir() and not scrap.is_symlink() else scrap.unlink()
        else:
            close_to_others(scrap)
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
    meta["sha256"] = meta_digest(meta)
    fsync_file(folder / LOG_NAME)
    write_durably(folder / META_NAME, json.dumps(meta, indent=1, sort_keys=True).encode())
    close_to_others(folder / META_NAME)
    fsync_folder(folder)


def file_signature(artifact: Artifact) -> tuple[tuple[int, int, int], ...]:
    """Return size, time and inode of each output: cheap to compare, and different once a file was changed."""
    facts = (os.stat(artifact.path / name) for name in artifact.files)
    return tuple((fact.st_size, fact.st_mtime_ns, fact.st_ino) for fact in facts)


def write_failure(path: Path, failure: BuildFailure) -> None:
    """Keep a failure with its whole log at `path`."""
    record = {"schema": FAILURE_SCHEMA, "created": round(time.time(), 3), **asdict(failure)}
    del record["cached"]
    replace_file(path, json.dumps(record, indent=1, sort_keys=True).encode())


_FAILURE_TEXTS = ("build_key", "spec_digest", "name", "reason", "command", "log", "kind")


def read_failure(path: Path, build_key: str) -> BuildFailure | None:
    """Return the failure of `build_key` kept at `path`; None if missing or unreadable (then the build runs again)."""
    try:
        record = read_json(path)
    except SchemaError:
        return None
    if not isinstance(record, dict) or record.pop("schema", None) != FAILURE_SCHEMA or "created" not in record:
        return None
    record.pop("created")
    if {*record} != {*_FAILURE_TEXTS, "seconds", "spec"}:
        return None
    texts = all(isinstance(record[name], str) for name in _FAILURE_TEXTS)
    spec = record["spec"] is None or isinstance(record["spec"], dict)
    if not texts or not spec or not _is_amount(record["seconds"]):
        return None
    if record["kind"] not in FAILURE_KINDS or record["build_key"] != build_key:
        return None
    return BuildFailure(**record, cached=True)
