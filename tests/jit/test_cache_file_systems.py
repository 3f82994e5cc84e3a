"""The cache on file systems that are no local disk: layers of an overlay, as in containers, and stale handles."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from build_tools import counted, leftovers, runs

import tilewright.jit.entry as entry
from tilewright.errors import CacheError
from tilewright.jit import Cache, CacheWarning, build_one

Overlay = tuple[Path, Path, Callable[[], None]]


@pytest.fixture
def overlay(tmp_path: Path) -> Iterator[Overlay]:
    """The lower layer, the folder that shows it below a writable one, and a function that mounts it."""
    lower, upper, work, shown = (tmp_path / name for name in ("lower", "upper", "work", "shown"))
    for folder in (lower, upper, work, shown):
        folder.mkdir()
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    command = ["mount", "-t", "overlay", "overlay", "-o", options, str(shown)]
    try:
        mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("an overlay cannot be mounted here (it takes root)")
    subprocess.run(["umount", str(shown)], check=True)

    def mount() -> None:
        subprocess.run(command, check=True)

    yield lower, shown, mount
    subprocess.run(["umount", "-l", str(shown)], capture_output=True)


def test_a_damaged_entry_of_an_image_is_replaced(overlay: Overlay, tmp_path: Path) -> None:
    """A folder of a lower layer cannot be renamed (EXDEV)."""
    lower, shown, mount = overlay
    request = counted(tmp_path, "k")
    entry = build_one(request, Cache(lower / "cache")).path
    mount()
    cache = Cache(shown / "cache")
    assert cache.find(request.build_key) is not None
    seen = shown / entry.relative_to(lower)
    (seen / "out").write_text("damaged")
    with pytest.warns(CacheWarning, match="will be built again"):
        assert build_one(request, Cache(shown / "cache")).file("out").read_text() == "k\n"
    assert (runs(tmp_path, "k"), leftovers(cache), cache.verify().ok) == (2, [], True)
    assert (cache.clear().entries, cache.find(request.build_key)) == (1, None)
    build_one(request, cache)
    assert runs(tmp_path, "k") == 3


def test_an_image_that_others_could_write_is_refused(overlay: Overlay, tmp_path: Path) -> None:
    lower, shown, mount = overlay
    request = counted(tmp_path, "k")
    build_one(request, Cache(lower / "cache"))
    os.chmod(lower / "cache", 0o777)
    mount()
    with pytest.raises(CacheError, match="can be written by others"):
        build_one(request, Cache(shown / "cache"))
    assert runs(tmp_path, "k") == 1


def test_a_stale_handle_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On NFS a file that another machine replaced answers ESTALE: the entry is ignored and built anew elsewhere."""
    request, shared = counted(tmp_path, "k"), tmp_path / "shared"
    build_one(request, Cache(shared))
    real = entry.open_plain

    def stale(path: str | os.PathLike[str]) -> object:
        if str(path).startswith(str(shared)):
            raise OSError(errno.ESTALE, "Stale file handle", str(path))
        return real(path)

    monkeypatch.setattr(entry, "open_plain", stale)
    with pytest.warns(CacheWarning, match="Stale file handle.*it is ignored"):
        build_one(request, Cache(tmp_path / "user", [shared]))
    assert runs(tmp_path, "k") == 2
