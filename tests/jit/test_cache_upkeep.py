"""Looking after a cache: info, verify, prune, clear, export, import, and disks that are full or read-only."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from build_tools import counted, leftovers, runs, shell

from tilewright.errors import CacheError, SchemaError
from tilewright.jit import Cache, CacheWarning, build_many, build_one
from tilewright.settings import Settings


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def _fill(cache: Cache, count: int, size: int = 1000) -> list[str]:
    """Entries of about `size` bytes, used one day apart, the first longest ago."""
    requests = [shell(f"head -c {size} /dev/zero > out", f"k{i}", key=i) for i in range(count)]
    for number, artifact in enumerate(build_many(requests, cache)):
        used = time.time() - 86400 * (count - number)
        os.utime(artifact.path / "meta.json", (used, used))  # type: ignore[union-attr]
    return [request.build_key for request in requests]


def test_info_counts(cache: Cache) -> None:
    _fill(cache, 3)
    build_many([shell("exit 1", "bad")], cache)
    info = cache.info()
    assert (info.entries, info.failures, info.quarantined, info.writable) == (3, 1, 0, True)
    assert info.entry_bytes >= 3000
    assert info.total_bytes > info.entry_bytes
    assert info.build_seconds > 0
    assert info.to_json()["root"] == str(cache.root)


def test_verify_finds_damage_that_the_fast_check_cannot_see(cache: Cache) -> None:
    keys = _fill(cache, 3)
    path = cache.entry_path(keys[1]) / "out"
    fact = path.stat()
    with open(path, "r+b") as stream:
        stream.write(b"x")
    os.utime(path, ns=(fact.st_atime_ns, fact.st_mtime_ns))  # same size, time and inode
    assert cache.find(keys[1]) is not None
    with pytest.warns(CacheWarning, match="sha256"):
        verdict = cache.verify()
    assert (verdict.whole, len(verdict.damaged), verdict.ok) == (2, 1, False)
    assert cache.find(keys[1]) is None
    assert cache.verify().ok
    assert len(cache.events) == 1


def test_prune_by_age(cache: Cache) -> None:
    keys = _fill(cache, 4)
    removed = cache.prune(older_than=2.5 * 86400)
    assert removed.entries == 2
    assert [cache.find(key) is not None for key in keys] == [False, False, True, True]
    assert leftovers(cache) == []


def test_prune_by_size_removes_the_least_recently_used(cache: Cache) -> None:
    keys = _fill(cache, 4, size=50_000)
    Cache(cache.root).find(keys[0])  # a use in a new process makes it the most recent
    removed = cache.prune(max_bytes=110_000)
    assert removed.entries == 2
    assert removed.bytes > 100_000
    assert [cache.find(key) is not None for key in keys] == [True, False, False, True]


@pytest.mark.parametrize("limits", [{}, {"max_bytes": -1}, {"older_than": -0.5}], ids=str)
def test_prune_refuses_limits_without_meaning(cache: Cache, limits: dict[str, float]) -> None:
    with pytest.raises(CacheError):
        cache.prune(**limits)  # type: ignore[arg-type]


def test_clear_removes_all_but_running_work(cache: Cache) -> None:
    _fill(cache, 2)
    build_many([shell("exit 1", "bad")], cache)
    with cache.locked("running"), cache.workspace("running") as folder:
        removed = cache.clear()
        assert folder.is_dir()
    assert (removed.entries, removed.failures) == (2, 1)
    assert (cache.info().entries, cache.info().failures) == (0, 0)
    assert leftovers(cache) == []


def test_sweep_removes_only_work_without_an_owner(cache: Cache) -> None:
    orphan = cache.folder("tmp") / ("0" * 64 + ".dead")
    orphan.mkdir(parents=True)
    (orphan / "half.o").write_text("")
    with cache.locked("live"), cache.workspace("live") as live:
        free = cache.folder("locks") / "free.lock"
        for path in (free, cache.folder("locks") / "live.lock"):
            path.touch()
            os.utime(path, (1, 1))
        assert cache.sweep() == 1
        assert not orphan.exists()
        assert live.exists()
        assert [path.name for path in cache.folder("locks").iterdir()] == ["live.lock"]


# Export and import.


def test_export_and_import_move_entries(cache: Cache, tmp_path: Path) -> None:
    request, other = counted(tmp_path, "k"), counted(tmp_path, "other")
    build_many([request, other], cache)
    assert cache.export(tmp_path / "all.tar.gz") == 2
    assert cache.export(tmp_path / "one.tar.gz", [request.build_key]) == 1
    target = Cache(tmp_path / "target")
    assert target.import_(tmp_path / "one.tar.gz") == 1
    assert target.import_(tmp_path / "all.tar.gz") == 1
    assert target.import_(tmp_path / "all.tar.gz") == 0
    build_many([request, other], target)
    assert (runs(tmp_path, "k"), runs(tmp_path, "other")) == (1, 1)
    assert target.find(request.build_key).log() == cache.find(request.build_key).log()  # type: ignore[union-attr]
    assert leftovers(target) == []


def test_export_reads_every_layer(cache: Cache, tmp_path: Path) -> None:
    build_one(shell("echo 1 > out"), cache)
    assert Cache(tmp_path / "user", [cache.root]).export(tmp_path / "x.tar.gz") == 1


def test_export_of_an_absent_key_is_an_error(cache: Cache, tmp_path: Path) -> None:
    with pytest.raises(CacheError, match="1 of 1 keys are not in the cache"):
        cache.export(tmp_path / "x.tar.gz", ["0" * 64])
    with pytest.raises(CacheError, match="cannot write"):
        cache.export(tmp_path / "absent" / "x.tar.gz")


def _archive(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


GOOD = b'{"schema": 1, "kind": "tilewright-cache", "keys": []}'


@pytest.mark.parametrize(
    ("members", "error", "said"),
    [
        ({"x": b""}, SchemaError, "not a cache export"),
        ({"manifest.json": b'{"schema": 9, "kind": "tilewright-cache"}'}, SchemaError, "'schema': 9"),
        ({"manifest.json": b"not json"}, CacheError, "cannot read"),
        ({"manifest.json": GOOD, "../evil": b"x"}, CacheError, "holds '../evil'"),
        ({"manifest.json": GOOD, "/etc/evil": b"x"}, CacheError, "evil', which is no file"),
        ({"manifest.json": GOOD, f"entries/{'0' * 64}/../../evil": b"x"}, CacheError, "evil', which is no file"),
        ({"manifest.json": GOOD, f"entries/{'0' * 64}/out": b"x"}, CacheError, "0000... is damaged"),
    ],
    ids=["no manifest", "schema", "garbage manifest", "parent", "absolute", "dotted", "no meta"],
)
def test_import_refuses_what_is_no_export(
    cache: Cache, tmp_path: Path, members: dict[str, bytes], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        cache.import_(_archive(tmp_path / "x.tar.gz", members))
    assert cache.info().entries == 0
    assert not (tmp_path / "evil").exists()
    assert leftovers(cache) == []


def test_import_refuses_a_link(cache: Cache, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("manifest.json")
        member.size = len(GOOD)
        archive.addfile(member, io.BytesIO(GOOD))
        link = tarfile.TarInfo(f"entries/{'0' * 64}/out")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(CacheError, match="no file of a cache entry"):
        cache.import_(tmp_path / "x.tar.gz")


def test_import_of_a_cut_file_is_told(cache: Cache, tmp_path: Path) -> None:
    build_one(shell("head -c 100000 /dev/urandom > out"), cache)
    cache.export(tmp_path / "x.tar.gz")
    data = (tmp_path / "x.tar.gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(CacheError, match="cannot read"):
        Cache(tmp_path / "target").import_(tmp_path / "cut.tar.gz")


def test_import_stops_at_the_stated_limit(cache: Cache, tmp_path: Path) -> None:
    """A bomb: a gigabyte of zeros takes a megabyte. It is refused at the limit, and nothing stays behind."""
    bomb = tmp_path / "bomb.tar.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as stream:
        for name, size in (("manifest.json", len(GOOD)), (f"entries/{'0' * 64}/out", 1 << 28)):
            member = tarfile.TarInfo(name)
            member.size = size
            stream.write(member.tobuf())
            stream.write(GOOD.ljust(512, b"\0") if size < 512 else b"")
        for _ in range(64):
            stream.write(bytes(1 << 20))
    limited = Cache(cache.root, settings=Settings(import_limit=10_000_000))
    with pytest.raises(CacheError, match=r"unpacks to more than 10,000,000 bytes.*TILEWRIGHT_IMPORT_LIMIT"):
        limited.import_(bomb)
    assert (leftovers(cache), cache.info().entries) == ([], 0)


def _raw_archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with gzip.open(path, "wb") as stream:
        for member, data in members:
            stream.write(member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512))
    return path


def _member(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member


STRANGE = {
    "a header of 100 MB": (_member("x", 100 << 20, tarfile.XHDTYPE), b""),
    "a long name of 100 MB": (_member("x", 100 << 20, tarfile.GNUTYPE_LONGNAME), b""),
    "a sparse file": (_member(f"entries/{'0' * 64}/out", 1 << 20, tarfile.GNUTYPE_SPARSE), b""),
    "a device": (_member(f"entries/{'0' * 64}/out", 0, tarfile.CHRTYPE), b""),
    "a hard link": (_member(f"entries/{'0' * 64}/out", 0, tarfile.LNKTYPE), b""),
}


@pytest.mark.parametrize("member", STRANGE.values(), ids=STRANGE)
def test_import_refuses_strange_members(cache: Cache, tmp_path: Path, member: tuple[tarfile.TarInfo, bytes]) -> None:
    path = _raw_archive(tmp_path / "x.tar.gz", (_member("manifest.json", len(GOOD)), GOOD), member)
    with pytest.raises(CacheError, match=r"header of|no file of a cache entry|cannot read"):
        cache.import_(path)
    assert (leftovers(cache), cache.info().entries) == ([], 0)


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_import_refuses_a_manifest_that_is_no_file(cache: Cache, tmp_path: Path, kind: bytes) -> None:
    first = _member("manifest.json", 0, kind)
    first.linkname = "../../x"
    with pytest.raises(SchemaError, match="not a cache export"):
        cache.import_(_raw_archive(tmp_path / "x.tar.gz", (first, b"")))
    assert leftovers(cache) == []


def test_import_refuses_a_file_that_comes_twice_or_does_not_belong(cache: Cache, tmp_path: Path) -> None:
    request = shell("echo 1 > out")
    entry = build_one(request, cache).path
    files = [(f"entries/{entry.name}/{path.name}", path.read_bytes()) for path in sorted(entry.iterdir())]
    members = [(_member(name, len(data)), data) for name, data in (("manifest.json", GOOD), *files)]
    extra = (_member(f"entries/{entry.name}/more", 1), b"x")
    for last, said in ((members[1], "twice"), (extra, "more does not belong to it")):
        target = Cache(tmp_path / said.split()[0])
        with pytest.raises(CacheError, match=said):
            target.import_(_raw_archive(tmp_path / "x.tar.gz", *members, last))
        assert (leftovers(target), target.info().entries) == ([], 0)
    assert Cache(tmp_path / "fine").import_(_raw_archive(tmp_path / "x.tar.gz", *members)) == 1


# Locks: what is being built is not removed.


def test_clear_and_prune_leave_what_another_process_holds(cache: Cache) -> None:
    keys = _fill(cache, 3)
    build_many([shell("exit 1", "bad")], cache)
    failed = shell("exit 1", "bad").build_key
    with cache.locked(keys[1]), cache.locked(failed):
        assert Cache(cache.root).prune(older_than=0).entries == 2
        assert Cache(cache.root).clear().failures == 0
        assert cache.entry_path(keys[1]).is_dir()
        assert cache.failure(failed) is not None
    removed = cache.clear()
    assert (removed.entries, removed.failures, leftovers(cache)) == (1, 1, [])


def test_building_and_clearing_at_once_is_safe(cache: Cache, tmp_path: Path) -> None:
    """One thread clears again and again while two build the same set; every result is whole at its time."""
    stop = threading.Event()
    problems: list[BaseException] = []

    def clear() -> None:
        try:
            while not stop.is_set():
                Cache(cache.root).clear()
        except BaseException as problem:
            problems.append(problem)

    cleaner = threading.Thread(target=clear)
    cleaner.start()
    try:
        for round_ in range(6):
            requests = [counted(tmp_path, f"k{round_}-{i}") for i in range(4)]
            results = build_many(requests, cache, max_workers=2)
            assert [type(result).__name__ for result in results] == ["Artifact"] * 4, results
    finally:
        stop.set()
        cleaner.join()
    assert problems == []
    assert cache.verify().ok


# Disks.


@contextlib.contextmanager
def _mounted(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("mounting a tmpfs needs root; the simulated full disk is tested instead")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_is_a_typed_error_and_loses_nothing(tmp_path: Path) -> None:
    with _mounted(tmp_path / "small", "256k"):
        cache = Cache(tmp_path / "small" / "cache")
        small, big = shell("echo 1 > out", "small"), shell("head -c 1000000 /dev/zero > out", "big")
        build_one(small, cache)
        with pytest.raises(CacheError, match=r"is full .* TILEWRIGHT_CACHE_DIR"):
            build_one(big, cache)
        assert leftovers(cache) == []
        assert cache.failure(big.build_key) is None  # the kernel is not to blame
        assert Cache(cache.root).find(small.build_key) is not None


def test_read_only_cache_can_be_read_but_not_built_into(tmp_path: Path) -> None:
    with _mounted(tmp_path / "disk", "1m"):
        there, absent = shell("echo 1 > out", "there"), shell("echo 2 > out", "absent")
        build_one(there, Cache(tmp_path / "disk" / "cache"))
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
        cache = Cache(tmp_path / "disk" / "cache")
        assert build_one(there, cache).name == "there"
        assert cache.verify().ok
        with pytest.raises(CacheError, match=r"Read-only file system.* TILEWRIGHT_CACHE_DIR"):
            build_one(absent, cache)


def test_full_disk_while_storing(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without a mount: the disk fills up at the last moment, when the finished build is flushed."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CacheError, match="is full"):
            build_many([shell("echo 1 > out", key=i) for i in range(3)], cache, max_workers=2)
    assert leftovers(cache) == []
    assert cache.info().entries == 0
    assert build_one(shell("echo 1 > out"), cache).file().read_text() == "1\n"
