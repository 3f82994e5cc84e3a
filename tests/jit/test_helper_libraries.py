"""Libraries that are no kernels (launchers, thread pool, scorer, ceilings) are loaded as kernels are.

They come from a private copy of the bytes that were stored. A file that is replaced between check and load is noticed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built_helpers import with_helpers

from tilewright.backends.cpu.detect import host_arch
from tilewright.jit import Artifact, Cache, CacheWarning
from tilewright.jit.launcher import c_launcher
from tilewright.jit.library import dlopen
from tilewright.jit.native_build import load_runtime
from tilewright.select import compiled
from tilewright.select.features import feature_spec
from tilewright.settings import Settings
from tilewright.tune.bench import ceilings


def _ceilings() -> Any:
    settings = Settings.from_env()
    return ceilings._build(settings, host_arch(settings), None)


LOADERS: dict[str, Callable[[], Any]] = {
    "launcher": c_launcher,
    "runtime": lambda: load_runtime(dlopen),
    "scorer": lambda: compiled._load(feature_spec("cpu", "gemm"), Settings.from_env(), True, None),
    "ceilings": _ceilings,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds all of them."""
    folder = with_helpers(tmp_path_factory.mktemp("built") / "cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
        for load in LOADERS.values():
            load()
    return folder


@pytest.fixture
def root(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    shutil.copytree(built, folder)
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
    return folder


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system does not list what a process maps")
@pytest.mark.parametrize("name", LOADERS)
def test_no_file_of_the_cache_is_mapped(name: str, root: Path) -> None:
    assert LOADERS[name]() is not None
    assert str(root) not in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("name", LOADERS)
def test_a_file_replaced_after_the_check_is_built_again(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, damaged = Cache.find, []

    def find(self: Cache, build_key: str, **options: Any) -> Artifact | None:
        found = real(self, build_key, **options)
        if found is not None and not damaged:
            damaged.append(found)
            before = os.stat(found.file())
            data = bytearray(found.file().read_bytes())
            data[-1] ^= 1  # in the section table, which nobody reads at run time: without a check it would be loaded
            found.file().write_bytes(data)
            os.utime(found.file(), ns=(before.st_atime_ns, before.st_mtime_ns))
        return found

    monkeypatch.setattr(Cache, "find", find)
    with pytest.warns(CacheWarning, match="is damaged.*built again"):
        assert LOADERS[name]() is not None
    assert len(damaged) == 1
    assert Cache(root).verify().ok
