"""The cache as values and files: keys, entries, damage, layers."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
from pathlib import Path

import pytest
from build_tools import counted, leftovers, runs, shell
from hypothesis import given
from hypothesis import strategies as st

from tilewright.errors import BuildError, CacheError
from tilewright.jit import BuildRequest, Cache, CacheWarning, build_many, build_one
from tilewright.jit.artifact import canonical_json, neutral_command
from tilewright.settings import Settings

BASE = BuildRequest("spec", "k", {"a.cpp": "int x;"}, (("g++", "a.cpp"),), ("k.so",), {"isa": "v3"})


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", settings=Settings())


# Keys.


def test_build_key_is_stable_across_versions() -> None:
    """A changed digest here throws away every user's cache: raise KEY_SCHEMA and say so in the changelog."""
    assert BASE.build_key == "c653b5cb9ccea34954d9a2bc83f4f61587ec487ea1fa287b8aaeb4054485f7aa"


@pytest.mark.parametrize(
    "change",
    [
        {"spec_digest": "other"},
        {"inputs": {"a.cpp": "int y;"}},
        {"inputs": {"b.cpp": "int x;"}},
        {"commands": (("g++", "-O3", "a.cpp"),)},
        {"outputs": ("k.so", "k.map")},
        {"key": {"isa": "v4"}},
        {"key": {"isa": "v3", "headers": "1"}},
        {"inspect": "m:f"},
    ],
    ids=str,
)
def test_build_key_changes_with_everything_that_changes_the_result(change: dict[str, object]) -> None:
    assert dataclasses.replace(BASE, **change).build_key != BASE.build_key  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"name": "shown differently"}, {"timeout": 1.0}], ids=str)
def test_build_key_leaves_out_what_does_not(change: dict[str, object]) -> None:
    assert dataclasses.replace(BASE, **change).build_key == BASE.build_key  # type: ignore[arg-type]


def test_paths_are_neutral_but_options_are_not() -> None:
    here = neutral_command(["/usr/bin/g++", "-I/a/inc", "-isystem", "/b", "--rocm-path=/opt/rocm", "-L/c", "/d/x.o"])
    there = neutral_command(["/opt/bin/g++", "-I/z/inc2", "-isystem", "/y", "--rocm-path=/r", "-L/q", "/tmp/x.o"])
    assert here == there
    assert neutral_command(["g++", "-DROOT=/a"]) != neutral_command(["g++", "-DROOT=/b"])
    assert neutral_command(["ld", "/a/libm.so"]) != neutral_command(["ld", "/a/libc.so"])


def test_request_is_a_value() -> None:
    copy = pickle.loads(pickle.dumps(BASE))
    assert copy == BASE
    assert {copy: 1}[BASE] == 1
    assert copy.build_key == BASE.build_key


TEXT = st.text('ab "é\\', max_size=5)


@given(st.dictionaries(TEXT, st.one_of(st.integers(), TEXT, st.booleans()), max_size=6))
def test_canonical_json_ignores_order(values: dict[str, object]) -> None:
    backwards = dict(reversed(list(values.items())))
    assert canonical_json(values) == canonical_json(backwards)
    assert json.loads(canonical_json(values)) == values


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "-o", "meta.json", "build.log", ""])
def test_unsafe_file_names_are_refused(name: str) -> None:
    with pytest.raises(BuildError, match="not plain or is reserved"):
        dataclasses.replace(BASE, outputs=(name,))


def test_values_without_json_form_are_refused() -> None:
    with pytest.raises(BuildError, match="only JSON values"):
        _ = dataclasses.replace(BASE, key={"path": Path("/x")}).build_key


# Entries.


def test_entry_records_its_key_material_and_schema(cache: Cache) -> None:
    request = shell("echo hello; echo 1 > out", spec_digest="abc", key=7)
    artifact = build_one(request, cache)
    meta = json.loads((artifact.path / "meta.json").read_text())
    assert meta["schema"] == 2
    assert meta["material"]["key"] == {"version": 7}
    assert meta["material"]["spec_digest"] == meta["spec_digest"] == "abc"
    assert set(meta) == {
        *("schema", "build_key", "spec_digest", "name", "material", "files", "metadata", "seconds", "created"),
        *("content_sha256", "sha256"),
    }
    assert artifact.log() == "$ sh -eu script.sh\nhello\n"
    assert sorted(p.name for p in artifact.path.iterdir()) == ["build.log", "meta.json", "out", "script.sh"]


def _write_schema_1(cache: Cache) -> str:
    """Store the bytes that the first released version wrote; return their build key."""
    key = "f2716f9beae95df789cdd2757c6cc2b17b8e80c1fbf3f984daa905fafc932348"
    folder = cache.entry_path(key)
    folder.mkdir(parents=True)
    (folder / "out").write_text("1\n")
    (folder / "meta.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "build_key": key,
                "spec_digest": "abc",
                "name": "old",
                "material": {
                    "schema": 1,
                    "spec_digest": "abc",
                    "inputs": {"script.sh": "0" * 64},
                    "commands": [["sh", "script.sh"]],
                    "outputs": ["out"],
                    "key": {"isa": "x86-64-v3"},
                },
                "files": {
                    "out": {"sha256": "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865", "size": 2}
                },
                "metadata": {"registers": 32},
                "seconds": 0.5,
                "created": 1700000000.0,
                "content_sha256": "9fd7ab44a92c88f5f5ef5ecef862d7f57a6056edef12fdd4c33bf20bf019143e",
            }
        )
    )
    return key


def test_an_entry_of_schema_1_is_old_not_damaged(cache: Cache) -> None:
    """Its digest covered a part only. It is not used, not called corrupt, and counted by `verify`."""
    key = _write_schema_1(cache)
    assert cache.find(key) is None
    verdict = cache.verify()
    assert (verdict.whole, verdict.damaged, verdict.outdated, verdict.ok) == (0, (), 1, True)
    assert cache.events == []
    assert cache.info().entries == 1
    assert cache.export(cache.root / "x.tar.gz") == 0


def test_an_entry_of_schema_1_is_replaced_by_the_next_build(cache: Cache, tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    meta = build_one(request, cache).path / "meta.json"
    record = json.loads(meta.read_text())
    del record["sha256"]
    meta.write_text(json.dumps({**record, "schema": 1}))
    fresh = Cache(cache.root)
    assert build_one(request, fresh).file().read_text() == "k\n"
    assert (runs(tmp_path, "k"), fresh.events, leftovers(fresh)) == (2, [], [])
    assert json.loads(meta.read_text())["schema"] == 2


def test_missing_cache_answers_none_and_creates_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "absent")
    assert cache.find("0" * 64) is None
    assert cache.failure("0" * 64) is None
    assert cache.info().entries == 0
    assert not (tmp_path / "absent").exists()


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(bytes(data))


DAMAGE = {
    "flipped bit": lambda folder: _flip(folder / "out"),
    "cut short": lambda folder: (folder / "out").write_bytes(b""),
    "file gone": lambda folder: (folder / "out").unlink(),
    "meta garbage": lambda folder: (folder / "meta.json").write_text("{"),
    "meta gone": lambda folder: (folder / "meta.json").unlink(),
    "meta of another key": lambda folder: (folder / "meta.json").write_text(
        (folder / "meta.json").read_text().replace('"version": 0', '"version": 1')
    ),
    "metadata changed": lambda folder: (folder / "meta.json").write_text(
        (folder / "meta.json").read_text().replace('"metadata": {}', '"metadata": {"a": 1}')
    ),
    "future schema": lambda folder: (folder / "meta.json").write_text(
        (folder / "meta.json").read_text().replace('"schema": 2,\n "seconds"', '"schema": 99,\n "seconds"')
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_detected_told_and_mended(cache: Cache, tmp_path: Path, damage: object) -> None:
    request = counted(tmp_path, "k")
    folder = build_one(request, cache).path
    damage(folder)  # type: ignore[operator]
    fresh = Cache(cache.root)
    with pytest.warns(CacheWarning, match="is damaged.*moved to.*built again"):
        [mended] = build_many([request], fresh)
    assert (mended.path / "out").read_text() == "k\n"
    assert runs(tmp_path, "k") == 2
    assert [event.kind for event in fresh.events] == ["corrupt"]
    assert len(list(fresh.folder("quarantine").iterdir())) == 1
    assert leftovers(fresh) == []


def test_a_change_after_the_first_find_is_noticed(cache: Cache, tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    artifact = build_one(request, cache)
    assert cache.find(request.build_key) is artifact
    (artifact.path / "out").write_text("tampered\n")
    with pytest.warns(CacheWarning, match="bytes"):
        assert cache.find(request.build_key) is None


def test_on_event_replaces_the_warning(tmp_path: Path) -> None:
    heard: list[str] = []
    request = shell("echo 1 > out")
    folder = build_one(request, Cache(tmp_path)).path
    _flip(folder / "out")
    assert Cache(tmp_path, on_event=lambda event: heard.append(event.message)).find(request.build_key) is None
    assert len(heard) == 1


# Layers.


def test_shared_layer_is_read_and_never_written(tmp_path: Path) -> None:
    shared, user = tmp_path / "shared", tmp_path / "user"
    request, other = counted(tmp_path, "k"), counted(tmp_path, "other")
    build_one(request, Cache(shared))
    before = sorted(shared.rglob("*"))
    cache = Cache.from_settings(
        Settings(cache_dir=str(user), shared_cache=f"{shared}{os.pathsep}{tmp_path / 'absent'}")
    )
    artifacts = build_many([request, other], cache)
    assert [artifact.path.is_relative_to(shared) for artifact in artifacts] == [True, False]  # type: ignore[union-attr]
    assert runs(tmp_path, "k") == 1
    assert sorted(shared.rglob("*")) == before
    assert cache.info().shared == ((shared, 1), (tmp_path / "absent", 0))


def test_damage_in_a_shared_layer_is_told_and_built_into_the_users(tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    folder = build_one(request, Cache(tmp_path / "shared")).path
    _flip(folder / "out")
    cache = Cache(tmp_path / "user", [tmp_path / "shared"])
    with pytest.warns(CacheWarning, match="shared and read-only"):
        artifact = build_one(request, cache)
    assert artifact.path.is_relative_to(tmp_path / "user")
    assert folder.is_dir()


def test_settings_name_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "a"))
    assert Cache.from_settings().root == tmp_path / "a"
    assert Cache().root == tmp_path / "a"
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Cache().root == tmp_path / "xdg" / "tilewright"


def test_new_cache_belongs_to_its_owner_only(cache: Cache) -> None:
    build_one(shell("echo 1 > out"), cache)
    assert cache.root.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_exist_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    assert cache.find("0" * 64) is None
    with pytest.raises(CacheError, match="TILEWRIGHT_CACHE_DIR"):
        build_one(shell("echo 1 > out"), cache)
