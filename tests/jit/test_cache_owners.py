"""Code is loaded only from folders that nobody else can write."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from build_tools import counted, runs, shell

from tilewright.errors import CacheError
from tilewright.jit import Cache, CacheWarning, build_many, build_one, find_compiler
from tilewright.jit.ownership import make_folder, trusted_owners
from tilewright.settings import Settings

OTHER = 54321  # a user id that is neither root nor anybody here


@pytest.fixture
def loose_umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _give_away(path: Path, uid: int = OTHER) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    for each in (path, *path.rglob("*")):
        os.chown(each, uid, -1)


@pytest.mark.usefixtures("loose_umask")
def test_everything_that_is_created_belongs_to_its_owner_only(tmp_path: Path) -> None:
    root = tmp_path / "new" / "cache"
    settings = Settings(cache_dir=str(root))
    find_compiler(settings)  # writes what it learnt into the cache folder, before anything else creates it
    cache = Cache(root, settings=settings)
    build_one(shell("echo 1 > out; chmod 666 out"), cache)
    build_one(shell("echo 2 > out", key=2), cache)
    folders = [path for path in [root.parent, root, *root.rglob("*")] if path.is_dir()]
    assert {_mode(path) for path in folders} == {0o700}
    files = [path for path in root.rglob("*") if path.is_file() and "entries" in path.parts]
    assert len(files) == 8
    assert not any(_mode(path) & 0o022 for path in files)


def test_the_users_own_folder_is_tightened_with_one_message(tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    build_one(request, Cache(tmp_path / "cache"))
    os.chmod(tmp_path / "cache", 0o777)
    cache = Cache(tmp_path / "cache")
    with pytest.warns(CacheWarning, match=r"could be written by others \(mode 0777\); it is now 0755") as told:
        build_one(request, cache)
    build_one(request, cache)
    build_one(request, Cache(tmp_path / "cache"))
    assert (_mode(tmp_path / "cache"), len(told), runs(tmp_path, "k")) == (0o755, 1, 1)
    assert [event.kind for event in cache.events] == ["tightened"]
    assert cache.verify().ok


def test_what_lies_in_an_open_folder_is_tightened_too(tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    folder = build_one(request, Cache(tmp_path / "cache")).path
    os.chmod(tmp_path / "cache", 0o755)
    for path in (folder, folder.parent, folder / "out"):
        os.chmod(path, 0o777)
    build_one(request, Cache(tmp_path / "cache"))
    assert runs(tmp_path, "k") == 1
    assert not any(_mode(path) & 0o022 for path in (folder, folder.parent, folder / "out"))


def test_a_folder_of_another_user_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    build_one(request, Cache(tmp_path / "cache"))
    _give_away(tmp_path / "cache")
    os.chmod(tmp_path / "cache", 0o777)
    for use in (lambda c: c.find(request.build_key), lambda c: build_one(request, c), lambda c: c.verify()):
        with pytest.raises(CacheError, match=f"belongs to uid {OTHER}, and this process runs as .*CACHE_OWNERS"):
            use(Cache(tmp_path / "cache"))
    assert runs(tmp_path, "k") == 1
    named = Cache(tmp_path / "cache", settings=Settings(cache_owners=f"nobody, {OTHER}"))
    with pytest.raises(CacheError, match="can be written by others"):  # it is not ours to tighten
        named.find(request.build_key)
    os.chmod(tmp_path / "cache", 0o755)
    assert named.find(request.build_key) is not None
    os.chmod(tmp_path / "cache", 0o777)
    assert Cache(tmp_path / "cache", settings=Settings(cache_owners="*")).find(request.build_key) is not None


def test_a_shared_layer_of_another_user_is_refused_with_one_message(tmp_path: Path) -> None:
    requests = [counted(tmp_path, name) for name in "ab"]
    for request in requests:
        build_one(request, Cache(tmp_path / "shared"))
    _give_away(tmp_path / "shared")
    cache = Cache(tmp_path / "user", [tmp_path / "shared"])
    with pytest.warns(CacheWarning, match="nothing is loaded from it") as told:
        built = build_many(requests, cache)
    assert len(told) == 1
    assert all(artifact.path.is_relative_to(tmp_path / "user") for artifact in built)  # type: ignore[union-attr]
    trusting = Cache(tmp_path / "other", [tmp_path / "shared"], Settings(cache_owners=str(OTHER)))
    assert trusting.find(requests[0].build_key) is not None


def test_one_entry_of_another_user_is_not_used(tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    folder = build_one(request, Cache(tmp_path / "cache")).path
    os.chmod(tmp_path / "cache", 0o755)
    _give_away(folder)
    with pytest.warns(CacheWarning, match=f"belongs to uid {OTHER}"):
        build_one(request, Cache(tmp_path / "cache"))
    assert runs(tmp_path, "k") == 2


def test_an_ordinary_user_trusts_what_root_owns_and_nobody_else(tmp_path: Path) -> None:
    """The other way round: a user reads an image's cache that root made, and refuses that of a third user."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    request = shell("echo 1 > out")
    build_one(request, Cache(tmp_path / "cache"))
    for path in (tmp_path / "cache", *(tmp_path / "cache").rglob("*")):
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    for parent in (tmp_path, *tmp_path.parents[:-2]):
        os.chmod(parent, _mode(parent) | 0o011)
    program = """
import os, sys
from tilewright.errors import CacheError
from tilewright.jit import Cache
from tilewright.settings import Settings
os.setgroups([]); os.setgid(54322); os.setuid(54322)
try:
    print(Cache(sys.argv[1], settings=Settings()).find(sys.argv[2]) is not None)
except CacheError as error:
    print(error.message)
"""

    def say() -> str:
        command = [sys.executable, "-c", program, str(tmp_path / "cache"), request.build_key]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert say() == "True\n"
    os.chown(tmp_path / "cache", OTHER, -1)
    assert f"belongs to uid {OTHER}, and this process runs as uid 54322" in say()


def test_a_toolchain_in_a_folder_of_another_user_is_not_run(tmp_path: Path) -> None:
    from tilewright.backends.ck_tile.toolchain_install import MANIFEST, install_folder, installed

    settings = Settings(cache_dir=str(tmp_path / "cache"))
    folder = install_folder(settings)
    make_folder(folder)
    (folder / MANIFEST).touch()
    assert installed(settings) == folder
    _give_away(tmp_path / "cache")
    with pytest.raises(CacheError, match=f"belongs to uid {OTHER}"):
        installed(settings)


def test_the_user_behind_sudo_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    owners = trusted_owners(Settings())
    assert owners is not None
    assert (OTHER in owners) == (os.geteuid() == 0)


def test_an_unknown_user_in_the_setting_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match="'no-such-user', who does not exist here"):
        Cache(tmp_path, settings=Settings(cache_owners="root,no-such-user")).find("0" * 64)


def test_make_folder_says_what_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "inner"):
        with pytest.raises(OSError, match=r"File exists|Not a directory"):
            make_folder(path)
