"""Fuzz targets for what lies in a cache or is handed over with one: entries, archives, failures, manifests."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz_targets import AcceptedError, check_spec_is_clean, check_types, specs
from fuzz_values import MARK, TEXTS, bad_value, changed, changed_bytes, changed_text

from tilewright.backends.plain import spec_from_dict
from tilewright.codegen.ck.manifest import NAME, read_manifest
from tilewright.jit import BuildRequest, Cache, build_one
from tilewright.jit.artifact import FAILURE_KINDS, BuildFailure
from tilewright.jit.entry import meta_digest
from tilewright.settings import Settings

REQUEST = BuildRequest("", "copy", {"a": "hi\n"}, (("cp", "a", "b"),), ("b",), {"of": "the fuzz"})
SETTINGS = Settings.from_env(import_limit=1 << 20)


def heard(event: Any) -> None:
    """Take note of nothing: every input is a damaged entry."""


@cache
def whole() -> dict[str, bytes]:
    """The files of a whole entry."""
    with tempfile.TemporaryDirectory() as folder:
        made = build_one(REQUEST, Cache(folder, settings=SETTINGS))
        return {path.name: path.read_bytes() for path in made.path.iterdir()}


def changed_meta(rng: Random) -> bytes:
    """A `meta.json` that was changed; often with its digest made right again, as an attacker can."""
    meta = json.loads(whole()["meta.json"])
    if rng.random() < 0.3:
        return changed_text(meta, rng)
    made = changed(meta, rng)
    if isinstance(made, dict) and rng.random() < 0.6:
        try:
            made["sha256"] = meta_digest(made)
        except ValueError:
            made["sha256"] = "0" * 64  # NaN has no canonical text
    return json.dumps(made).encode()


def put_entry(folder: Path, rng: Random) -> None:
    """Write an entry with something wrong in it."""
    folder.mkdir(parents=True)
    for name, data in whole().items():
        (folder / name).write_bytes(data)
    act, path = rng.randrange(8), folder / rng.choice(list(whole()))
    if act < 5:
        (folder / "meta.json").write_bytes(changed_meta(rng))
    elif act == 5:
        path.write_bytes(changed_bytes(path.read_bytes(), rng))
    else:
        path.unlink()
        make: tuple[Callable[[], object], ...] = (
            path.mkdir,
            lambda: os.mkfifo(path),
            lambda: path.symlink_to("/etc/passwd"),
            lambda: path.symlink_to(folder),
            lambda: None,
        )
        rng.choice(make)()


def check_artifact(artifact: Any) -> None:
    """Raise if an entry was taken whose files are not what was stored, or whose fields have other types."""
    check_types(artifact)
    for name, digest in artifact.files.items():
        path = artifact.path / name
        if path.is_symlink() or path.parent != artifact.path or "/" in name:
            raise AcceptedError(f"an entry with the file {name!r}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest or path.read_bytes() != whole().get(name):
            raise AcceptedError(f"an entry whose file {name!r} is another one")


def cache_entry(rng: Random) -> None:
    with tempfile.TemporaryDirectory() as root:
        place = Cache(root, settings=SETTINGS).entry_path(REQUEST.build_key)
        put_entry(place, rng)
        if rng.random() < 0.2:
            shared = Cache(Path(root, "own"), [root], SETTINGS, on_event=heard)
            found = shared.find(REQUEST.build_key)
            shared.info()
        else:
            mine = Cache(root, settings=SETTINGS, on_event=heard)
            if mine.info().entries != 1:
                raise AcceptedError("info does not count the entry")
            if rng.random() < 0.5:
                verdict = mine.verify()
                if verdict.whole + len(verdict.damaged) + verdict.outdated != 1:
                    raise AcceptedError(f"verify says nothing of the entry: {verdict}")
            found = mine.find(REQUEST.build_key)
        if found is not None:
            check_artifact(found)


def cache_failure(rng: Random) -> None:
    failure = BuildFailure(REQUEST.build_key, "", "copy", "cp failed", "cp a b", "a log", 0.5)
    with tempfile.TemporaryDirectory() as root:
        mine = Cache(root, settings=SETTINGS, on_event=heard)
        mine.remember(failure)
        path = mine.failure_path(REQUEST.build_key)
        path.write_bytes(changed_text(json.loads(path.read_bytes()), rng))
        found = mine.failure(REQUEST.build_key)
        mine.info()
        if found is not None:
            check_types(found)
            if found.kind not in FAILURE_KINDS or found.build_key != REQUEST.build_key:
                raise AcceptedError(f"a failure of kind {found.kind!r} for {found.build_key!r}")


def archive(rng: Random) -> bytes:
    """The tar file of an export, with members added, changed, repeated or of another kind."""
    key = REQUEST.build_key
    files = {f"entries/{key}/{name}": data for name, data in whole().items()}
    manifest: Any = {"schema": 1, "kind": "tilewright-cache", "keys": [key]}
    act = rng.randrange(7)
    if act == 0:
        files[f"entries/{key}/meta.json"] = changed_meta(rng)
    manifest_text = changed_text(manifest, rng) if act == 1 else json.dumps(manifest).encode()
    members = [("manifest.json", manifest_text), *files.items()]
    if act == 2:
        name = rng.choice((*TEXTS, f"entries/{key}/../../x", f"entries/{key}/more", "/etc/x", members[-1][0]))
        members.insert(rng.randrange(1, len(members) + 1), (name, rng.choice((b"", b"hi", bytes(2 << 20)))))
    if act == 3:
        rng.shuffle(members)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=rng.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))) as file:
        odd = rng.randrange(len(members)) if act in (4, 5) else -1
        for number, (name, data) in enumerate(members):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            if number == odd:
                member.type = rng.choice((b"1", b"2", b"3", b"5", b"6", b"S", b"L", b"x", b"g"))
                member.linkname = rng.choice(("/etc/passwd", "../../x", members[0][0]))
                member.mode, member.uid = rng.choice(((0o4777, 0), (0, 2**21 - 1)))
            file.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def cache_archive(rng: Random) -> None:
    plain = archive(rng)
    if rng.random() < 0.3:
        plain = changed_bytes(plain, rng)
    packed = gzip.compress(plain, 1)
    if rng.random() < 0.2:
        packed = changed_bytes(packed, rng)
    with tempfile.TemporaryDirectory() as folder:
        file, root = Path(folder, "cache.tar.gz"), Path(folder, "cache")
        file.write_bytes(packed)
        mine = Cache(root, settings=SETTINGS, on_event=heard)
        try:
            taken = mine.import_(file)
        finally:
            strange = {path.name for path in Path(folder).iterdir()} - {"cache.tar.gz", "cache"}
            left = list((root / "v1" / "tmp").iterdir()) if (root / "v1" / "tmp").is_dir() else []
            if strange or left:
                raise AcceptedError(f"an import left {strange or left}")
        found = mine.find(REQUEST.build_key)
        if taken != mine.info().entries or taken != (found is not None):
            raise AcceptedError(f"{taken} entries were taken, {mine.info().entries} are there")
        if found is not None:
            check_artifact(found)
        shutil.rmtree(root)


@cache
def manifest_document() -> Any:
    made = [spec_from_dict(data) for data in specs() if data["backend"] == "ck_tile"][:3]
    kernels = {
        f"{spec.name}.hpp": {"digest": spec.digest, "sha256": "0" * 64, "instances": ["i"], "spec": spec.to_dict()}
        for spec in made
    }
    plain = {"schema": 1, "backend": "ck_tile", "ck_revision": "1.2.0", "kernels": kernels}
    return json.loads(json.dumps({**plain, "rejected": {"gemm": {"lds": 2}}}))


def manifest(rng: Random) -> None:
    document = changed(manifest_document(), rng)
    if isinstance(document, dict) and isinstance(document.get("kernels"), dict) and rng.random() < 0.2:
        name = rng.choice((*TEXTS, "../x.hpp", "/etc/x.hpp", "a/b.hpp", ".hpp", "..", bad_value(rng)))
        document["kernels"][str(name)] = next(iter(manifest_document()["kernels"].values()))
    text = changed_text(manifest_document(), rng) if rng.random() < 0.3 else json.dumps(document).encode()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, NAME).write_bytes(text)
        found = read_manifest(Path(folder))
        assert found is not None
        json.loads(found.to_text())
        for file in found.kernels:
            if Path(folder, file).parent != Path(folder) or MARK in file or "\0" in file:
                raise AcceptedError(f"a manifest with the file {file!r}")
            check_spec_is_clean(found.spec(file))


CACHES: dict[str, Callable[[Random], None]] = {
    f.__name__: f
    for f in (
        cache_entry,
        cache_failure,
        cache_archive,
        manifest,
    )
}
