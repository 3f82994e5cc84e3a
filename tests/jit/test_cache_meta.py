"""Whatever `meta.json`, a failure record or the folder of an entry holds: at worst the entry is a damaged one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from build_tools import counted, leftovers, runs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.jit import Artifact, Cache, CacheWarning, build_many, build_one
from tilewright.jit.entry import CorruptEntryError, OutdatedEntryError, meta_digest, read_meta

FIELDS = (
    *("schema", "build_key", "spec_digest", "name", "material", "files", "metadata", "seconds", "created"),
    *("content_sha256", "sha256", "spec"),
)


def _deep(text: str) -> str:
    return text.replace('"metadata": {}', '"metadata": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}")


def _with(field: str, value: Any) -> Any:
    """An edit of one field that also makes the digest right again: an attacker can count."""

    def edit(text: str) -> str:
        meta = {**json.loads(text), field: value}
        return json.dumps({**meta, "sha256": meta_digest(meta)} if field != "sha256" else meta)

    return edit


TEXTS = {
    "name changed": lambda text: text.replace('"name": "k"', '"name": "j"'),
    "seconds changed": lambda text: text.replace('"created": ', '"created": 1'),
    "spec added": lambda text: text.replace('"seconds"', '"spec": {"op": "gemm"}, "seconds"'),
    "deep": _deep,
    "a list": lambda text: f"[{text}]",
    "null": lambda text: "null",
    "a number": lambda text: "9" * 5000,
    "not UTF-8": lambda text: b"\xff\xfe" + text.encode(),
    "a key twice": lambda text: text.replace('"name": "k"', '"name": "k", "name": "k"'),
    "NaN": lambda text: text.replace('"metadata": {}', '"metadata": {"a": NaN}'),
    "empty": lambda text: "",
    "files a list": _with("files", []),
    "files of text": _with("files", {"out": "x"}),
    "no files": _with("files", {}),
    "file outside": _with("files", {"../../../x": {"sha256": "0" * 64, "size": 1}}),
    "file absolute": _with("files", {"/etc/passwd": {"sha256": "0" * 64, "size": 1}}),
    "file reserved": _with("files", {"build.log": {"sha256": "0" * 64, "size": 1}}),
    "size negative": _with("files", {"out": {"sha256": "0" * 64, "size": -1}}),
    "size a bool": _with("files", {"out": {"sha256": "0" * 64, "size": True}}),
    "sha256 of text": _with("files", {"out": {"sha256": "x", "size": 2}}),
    "metadata a list": _with("metadata", []),
    "material a list": _with("material", []),
    "seconds of text": _with("seconds", "1"),
    "seconds negative": _with("seconds", -1),
    "name a number": _with("name", 1),
    "spec a list": _with("spec", [1]),
    "schema a bool": _with("schema", True),
    "schema of text": _with("schema", "2"),
    "schema zero": _with("schema", 0),
    "a field too many": _with("extra", 1),
}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.mark.parametrize("change", TEXTS.values(), ids=TEXTS)
def test_any_damage_is_found_reported_and_mended(cache: Cache, tmp_path: Path, change: Any) -> None:
    request = counted(tmp_path, "k")
    meta = build_one(request, cache).path / "meta.json"
    changed = change(meta.read_text())
    meta.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    fresh = Cache(cache.root)
    assert fresh.info().entries == 1
    with pytest.warns(CacheWarning, match="is damaged.*moved to"):
        assert build_one(request, fresh).file().read_text() == "k\n"
    assert (runs(tmp_path, "k"), [event.kind for event in fresh.events]) == (2, ["corrupt"])
    assert (fresh.verify().ok, leftovers(fresh)) == (True, [])


def _link(path: Path) -> None:
    moved = path.rename(path.with_name(path.name + ".moved"))
    path.symlink_to(moved)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


PLACES = {
    "output a link": lambda folder: _link(folder / "out"),
    "meta a link": lambda folder: _link(folder / "meta.json"),
    "output a pipe": lambda folder: _pipe(folder / "out"),
    "meta a pipe": lambda folder: _pipe(folder / "meta.json"),
    "output a folder": lambda folder: _folder(folder / "out"),
    "entry a link": _link,
}


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_links_pipes_and_folders_are_not_followed(cache: Cache, tmp_path: Path, change: Any) -> None:
    request = counted(tmp_path, "k")
    change(build_one(request, cache).path)
    fresh = Cache(cache.root)
    with pytest.warns(CacheWarning, match="is damaged"):
        build_one(request, fresh)
    assert runs(tmp_path, "k") == 2


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_changes_of_meta_are_all_noticed(tmp_path: Path, data: st.DataObject) -> None:
    """Single bytes changed, or a field replaced by any JSON: never accepted, never another exception."""
    request = counted(tmp_path, "fuzz")
    cache = Cache(tmp_path / "fuzz")
    folder = build_one(request, cache).path
    good = (folder / "meta.json").read_bytes()
    if data.draw(st.booleans()):
        at, bit = data.draw(st.integers(0, len(good) - 1)), data.draw(st.integers(0, 7))
        bad = bytearray(good)
        bad[at] ^= 1 << bit
    else:
        value = data.draw(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
        bad = bytearray(json.dumps({**json.loads(good), data.draw(st.sampled_from(FIELDS)): value}).encode())
    same = _same(bytes(bad), good)
    (folder / "meta.json").write_bytes(bad)
    try:
        read_meta(folder, request.build_key)
        assert same  # only what leaves the meaning as it was, such as white space
    except (CorruptEntryError, OutdatedEntryError):
        pass
    finally:
        (folder / "meta.json").write_bytes(good)


def _same(bad: bytes, good: bytes) -> bool:
    try:
        return bool(json.loads(bad) == json.loads(good))
    except (ValueError, RecursionError):
        return False


RECORDS = {
    "deep": "[" * 100_000,
    "a list": "[]",
    "empty": "{}",
    "kind a list": {"kind": []},
    "kind unknown": {"kind": "other"},
    "seconds of text": {"seconds": "1"},
    "log a number": {"log": 1},
    "of another key": {"build_key": "0" * 64},
    "schema": {"schema": 9},
    "too many": {"more": 1},
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_failure_that_cannot_be_read_is_tried_again(cache: Cache, tmp_path: Path, record: Any) -> None:
    request = counted(tmp_path, "k", f"test -e {tmp_path}/now")
    build_many([request], cache)
    path = cache.failure_path(request.build_key)
    assert cache.failure(request.build_key) is not None
    good = json.loads(path.read_text())
    path.write_text(record if isinstance(record, str) else json.dumps({**good, **record}))
    (tmp_path / "now").touch()
    [result] = build_many([request], Cache(cache.root))
    assert isinstance(result, Artifact)
    assert runs(tmp_path, "k") == 2
