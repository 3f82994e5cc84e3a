"""Several processes on one cache: shared work, and kill -9 at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from build_tools import leftovers, wait_for

from tilewright.jit import Artifact, Cache, build_many, cxx_request
from tilewright.settings import Settings

KERNELS = 6

PROGRAM = """
import sys
from test_pool_processes import kernels
from tilewright.jit import Artifact, Cache, build_many
results = build_many(kernels(sys.argv[1], sys.argv[2]), Cache(sys.argv[2]), max_workers=2)
assert all(isinstance(r, Artifact) for r in results), results
print(len(results))
"""


def kernels(compiler: str, root: str) -> list[object]:
    settings = Settings(cxx=compiler, cache_dir=root)
    return [
        cxx_request(
            f'extern "C" __attribute__((visibility("default"))) int f() {{ return {i}; }}',
            name=f"k{i}",
            settings=settings,
        )
        for i in range(KERNELS)
    ]


@pytest.fixture
def compiler(tmp_path: Path) -> Path:
    """The real compiler behind a script that logs each compile."""
    script = tmp_path / "logging-g++"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *-shared*) echo "$$" >> {tmp_path}/compiles;; esac\nexec g++ "$@"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return script


def _compiles(tmp_path: Path) -> int:
    path = tmp_path / "compiles"
    return len(path.read_text().splitlines()) if path.exists() else 0


def _start(compiler: Path, root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(compiler), str(root)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_compile_each_kernel_once(compiler: Path, tmp_path: Path) -> None:
    root = tmp_path / "cache"
    processes = [_start(compiler, root) for _ in range(2)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert (process.returncode, output.strip()) == (0, str(KERNELS)), errors
    assert _compiles(tmp_path) == KERNELS
    cache = Cache(root)
    assert cache.verify().whole == KERNELS
    assert leftovers(cache) == []


def test_kill_9_at_any_moment_leaves_a_usable_cache(compiler: Path, tmp_path: Path) -> None:
    """Killed in the first compile, after some, and at random; each time the next build finishes the set."""
    root = tmp_path / "cache"
    shaken = random.Random(0)
    abandoned = []
    for target, delay in ((1, 0.0), (3, 0.1), (5, 0.2)):
        process = _start(compiler, root)
        begun = _compiles(tmp_path)
        _wait_for_compiles(tmp_path, begun + min(target, KERNELS - _stored(root)), process)
        time.sleep(shaken.uniform(0, delay))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        cache = Cache(root)
        abandoned.append(leftovers(cache))
        assert cache.verify().ok, cache.events
    assert abandoned[0]  # the first kill did hit a running build
    before, whole = _compiles(tmp_path), _stored(root)
    results = build_many(kernels(str(compiler), str(root)), cache, max_workers=2)  # type: ignore[arg-type]
    assert all(isinstance(result, Artifact) for result in results)
    assert _compiles(tmp_path) - before == KERNELS - whole  # what was finished was not compiled again
    wait_for(lambda: Cache(root).sweep() == 0 and not list(cache.folder("tmp").iterdir()), 60)
    for path in cache.folder("locks").iterdir():  # of a process killed after it stored its kernel: free, swept by age
        with cache.locked(path.stem) as mine:
            assert mine


def _wait_for_compiles(tmp_path: Path, count: int, process: subprocess.Popen[str]) -> None:
    wait_for(lambda: _compiles(tmp_path) >= count or process.poll() is not None, 20)


def _stored(root: Path) -> int:
    return Cache(root).info().entries


def test_a_dead_builders_lock_is_free_at_once(tmp_path: Path) -> None:
    """The owner of a running build dies without a word; the next build neither waits nor is refused."""
    program = """
import sys, time
from tilewright.jit import Cache
cache = Cache(sys.argv[1])
with cache.locked("k") as mine, cache.workspace("k") as folder:
    (folder / "half").write_text("x")
    print(mine, flush=True)
    time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    cache = Cache(tmp_path)
    with cache.locked("k") as mine:
        assert not mine
    assert cache.sweep(again=True) == 0
    process.kill()
    process.communicate()
    assert len(leftovers(cache)) == 2
    assert cache.sweep(again=True) == 1
    with cache.locked("k") as mine:
        assert mine
    assert leftovers(cache) == []
