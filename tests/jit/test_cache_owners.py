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


OPENED = {
    "all of it": lambda root: [root, *root.rglob("*")],
    "the folder": lambda root: [root],
    "its version": lambda root: [root / "v1"],
    "its entries": lambda root: [root / "v1" / "entries"],
    "its work folders": lambda root: [root / "v1" / "tmp"],
}
INSIDE = {
    "a shelf": lambda folder: folder.parent,
    "an entry": lambda folder: folder,
    "a file": lambda folder: folder / "out",
    "meta": lambda folder: folder / "meta.json",
}


@pytest.mark.parametrize("what", OPENED)
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o722])
def test_a_cache_that_others_could_write_is_set_aside_not_tightened_and_loaded(
    tmp_path: Path, what: str, mode: int
) -> None:
    request, root = counted(tmp_path, "k"), tmp_path / "cache"
    entry = build_one(request, Cache(root)).path
    for path in OPENED[what](root):
        os.chmod(path, mode)
    _forge(entry)
    cache = Cache(root)
    with pytest.warns(CacheWarning, match=r"can be written by others.*is not used and was moved to") as told:
        assert build_one(request, cache).file("out").read_text() != "foreign"
    assert (len(told), [event.kind for event in cache.events], runs(tmp_path, "k")) == (1, ["foreign"], 2)
    build_one(request, Cache(root))
    assert (runs(tmp_path, "k"), Cache(root).verify().ok) == (2, True)
    assert not any(_mode(path) & 0o022 for path in [root, *(root / "v1").rglob("*")])
    [aside] = root.glob("foreign-v1-*")  # what was there is as it was
    assert (aside / entry.relative_to(root / "v1") / "out").read_text() == "foreign"
    cache.clear()
    assert not [*root.glob("foreign-*")]


@pytest.mark.parametrize("what", INSIDE)
@pytest.mark.parametrize("outer", [0o700, 0o755])
def test_an_entry_that_others_could_write_is_built_again(tmp_path: Path, what: str, outer: int) -> None:
    """The mode of the folder around it does not matter: it may have been open when the entry was changed."""
    request, root = counted(tmp_path, "k"), tmp_path / "cache"
    entry = build_one(request, Cache(root)).path
    os.chmod(root, outer)
    os.chmod(INSIDE[what](entry), 0o777)
    _forge(entry)
    with pytest.warns(CacheWarning, match=r"can be written by others.*will be built again"):
        assert build_one(request, Cache(root)).file("out").read_text() != "foreign"
    assert runs(tmp_path, "k") == 2
    build_one(request, Cache(root))
    assert runs(tmp_path, "k") == 2


def _forge(entry: Path) -> None:
    """Replace an output by another and make all digests right again, as anybody who can write it does."""
    import hashlib
    import json

    from tilewright.jit.artifact import content_digest
    from tilewright.jit.entry import meta_digest

    (entry / "out").write_text("foreign")
    meta = json.loads((entry / "meta.json").read_text())
    meta["files"]["out"] = {"sha256": hashlib.sha256(b"foreign").hexdigest(), "size": 7}
    meta["content_sha256"] = content_digest({"out": meta["files"]["out"]["sha256"]}, meta["metadata"])
    meta["sha256"] = meta_digest(meta)
    (entry / "meta.json").write_text(json.dumps(meta))


def test_an_empty_folder_that_others_could_write_is_made_private(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    os.chmod(tmp_path / "cache", 0o775)
    request = counted(tmp_path, "k")
    with pytest.warns(CacheWarning, match=r"mode 0775\); it was empty; .* is now private"):
        build_one(request, Cache(tmp_path / "cache"))
    build_one(request, Cache(tmp_path / "cache"))
    assert (runs(tmp_path, "k"), _mode(tmp_path / "cache")) == (1, 0o755)


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_an_open_folder_with_other_things_in_it_is_refused_and_left_alone(tmp_path: Path, mode: int) -> None:
    """Such as /tmp: taking permissions there would break other programs."""
    root = tmp_path / "everybody"
    root.mkdir()
    if mode == 0o777:
        (root / "letter.txt").touch()
    os.chmod(root, mode)
    for use in (lambda c: c.find("0" * 64), lambda c: build_one(shell("echo 1 > out"), c)):
        with pytest.raises(CacheError, match=r"can be written by others.*nothing is loaded from it"):
            use(Cache(root))
    assert _mode(root) == mode


@pytest.mark.parametrize("what", [*OPENED, *INSIDE])
def test_a_shared_layer_that_others_could_write_is_neither_used_nor_changed(tmp_path: Path, what: str) -> None:
    request, shared = counted(tmp_path, "k"), tmp_path / "shared"
    entry = build_one(request, Cache(shared)).path
    for path in OPENED[what](shared) if what in OPENED else [INSIDE[what](entry)]:
        os.chmod(path, 0o777)
    _forge(entry)
    before = {path: _mode(path) for path in [shared, *shared.rglob("*")]}
    with pytest.warns(CacheWarning, match=r"can be written by others"):
        built = build_one(request, Cache(tmp_path / "user", [shared]))
    assert (built.file("out").read_text() != "foreign", runs(tmp_path, "k")) == (True, 2)
    assert {path: _mode(path) for path in [shared, *shared.rglob("*")]} == before


def test_code_that_another_user_put_into_an_open_cache_does_not_run(tmp_path: Path) -> None:
    """With a real second user, who overwrites a kernel in a cache of mode 777 and renews the digests."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    request, root = shell("echo mine > out"), tmp_path / "cache"
    entry = build_one(request, Cache(root)).path
    for path in [root, *root.rglob("*")]:
        os.chmod(path, 0o777)
    for parent in (tmp_path, *tmp_path.parents[:-2]):
        os.chmod(parent, _mode(parent) | 0o011)
    program = f"import os, sys; sys.path[:0] = {sys.path!r}; from pathlib import Path; import test_cache_owners as t\n"
    program += f"os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER}); t._forge(Path({str(entry)!r}))"
    subprocess.run([sys.executable, "-c", program], check=True, cwd="/")
    assert (entry / "out").read_text() == "foreign"
    with pytest.warns(CacheWarning, match="is not used and was moved to"):
        assert build_one(request, Cache(root)).file("out").read_text() == "mine\n"


def test_a_kernel_of_another_user_in_an_open_folder_does_not_run(tmp_path: Path) -> None:
    """The folder of entries is open, so another user replaces one entry by his own, with safe modes."""
    request, root = counted(tmp_path, "k"), tmp_path / "cache"
    entry = build_one(request, Cache(root)).path
    _forge(entry)
    _give_away(entry)
    with pytest.warns(CacheWarning, match=f"belongs to uid {OTHER}"):
        assert build_one(request, Cache(root)).file("out").read_text() != "foreign"


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
    with pytest.raises(CacheError, match="can be written by others"):  # it is not ours to renew
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


@pytest.mark.parametrize("opened", ["toolchains", "", "bin", "bin/clang"])
def test_a_toolchain_that_others_could_write_is_not_run(tmp_path: Path, opened: str) -> None:
    from tilewright.backends.ck_tile.toolchain_install import MANIFEST, install_folder, installed

    settings = Settings(cache_dir=str(tmp_path / "cache"))
    folder = install_folder(settings)
    make_folder(folder / "bin")
    for name in (MANIFEST, "bin/clang"):
        (folder / name).touch()
    assert installed(settings) == folder
    os.chmod(folder.parent if opened == "toolchains" else folder / opened, 0o775)
    with pytest.raises(CacheError, match="can be written by others"):
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
