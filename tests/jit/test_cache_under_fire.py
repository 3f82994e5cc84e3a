"""Neighbours that do as they like: a cache deleted or replaced, eight threads, slow disks, a clock set back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from build_tools import counted, leftovers, runs, shell, wait_for

from tilewright.dispatcher import Dispatcher
from tilewright.jit import Artifact, Cache, build_many, build_one
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings

THREADS = 8
PROBLEM = {"op": "gemm", "m": 24, "n": 16, "k": 8, "dtype": "fp32", "layout": "rrr"}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def _all(work, count: int = THREADS) -> list[object]:
    """What `work(number)` returns or raises in each of `count` threads that start together."""
    barrier, found = threading.Barrier(count), [None] * count

    def run(number: int) -> None:
        barrier.wait()
        try:
            found[number] = work(number)
        except BaseException as problem:
            found[number] = problem

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return list(found)


def test_eight_threads_build_each_kernel_once(cache: Cache, tmp_path: Path) -> None:
    requests = [counted(tmp_path, f"k{i}") for i in range(4)]
    found = _all(lambda number: [build_one(requests[(number + i) % 4], cache).name for i in range(4)])
    assert all(sorted(names) == [f"k{i}" for i in range(4)] for names in found), found  # type: ignore[call-overload]
    assert [runs(tmp_path, f"k{i}") for i in range(4)] == [1] * 4
    assert (leftovers(cache), cache.verify().whole) == ([], 4)


@pytest.mark.filterwarnings("ignore::tilewright.jit.CacheWarning")
def test_eight_threads_mend_a_damaged_entry_once(cache: Cache, tmp_path: Path) -> None:
    request = counted(tmp_path, "k")
    for round_ in range(5):
        (build_one(request, cache).path / "out").write_text("damaged")
        found = _all(lambda number: build_one(request, Cache(cache.root)).file().read_text())
        assert found == ["k\n"] * THREADS
        assert runs(tmp_path, "k") == round_ + 2


def test_eight_threads_compute_while_the_cache_is_deleted_and_replaced(tmp_path: Path) -> None:
    """One dispatcher, eight threads, and a ninth that removes the whole cache folder three times."""
    settings = Settings(cache_dir=str(tmp_path / "cache"), threads=1, ledger=False)
    dispatcher = Dispatcher(settings=settings)
    stop = threading.Event()

    def remove() -> None:
        for _ in range(3):
            stop.wait(0.3)
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)

    def compute(number: int) -> bool:
        problem = problem_from_dict({**PROBLEM, "m": 8 + number % 2})
        a, b = (np.random.default_rng(number).random(s, np.float32) for s in ((8 + number % 2, 8), (8, 16)))
        out = np.zeros((8 + number % 2, 16), np.float32)
        for _ in range(20):
            out[:] = 0
            dispatcher.run(problem, a=a, b=b, out=out)
            np.testing.assert_allclose(out, a @ b, rtol=1e-5)
        return True

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        assert _all(compute) == [True] * THREADS
    finally:
        stop.set()
        remover.join()


def test_a_cache_deleted_during_a_build_is_built_into_again(cache: Cache, tmp_path: Path) -> None:
    request = counted(tmp_path, "k", f"while [ ! -e {tmp_path}/go ]; do sleep 0.02; done")

    def remove() -> None:
        wait_for(lambda: runs(tmp_path, "k") == 1)
        shutil.rmtree(cache.root)
        (tmp_path / "go").touch()

    remover = threading.Thread(target=remove)
    remover.start()
    artifact = build_one(request, cache)
    remover.join()
    assert artifact.file().read_text() == "k\n"
    assert (runs(tmp_path, "k"), leftovers(cache), cache.failure(request.build_key)) == (2, [], None)


def test_a_cache_replaced_by_another_is_read_anew(cache: Cache, tmp_path: Path) -> None:
    ours, theirs = counted(tmp_path, "ours"), counted(tmp_path, "theirs")
    build_one(ours, cache)
    build_one(theirs, Cache(tmp_path / "other"))
    os.rename(cache.root, tmp_path / "away")
    os.rename(tmp_path / "other", cache.root)
    assert build_one(theirs, cache).name == "theirs"
    assert runs(tmp_path, "theirs") == 1
    assert build_one(ours, cache).file().read_text() == "ours\n"  # not the path that is no longer there
    assert runs(tmp_path, "ours") == 2


# A clock that is set back, or was ahead once.


@pytest.mark.parametrize("ahead", [1e9, 3600 * 24, -1e9], ids=["ahead", "a day ahead", "behind"])
def test_times_from_another_clock_disturb_nothing(cache: Cache, tmp_path: Path, ahead: float) -> None:
    request = counted(tmp_path, "k")
    artifact = build_one(request, cache)
    other = time.time() + ahead
    stale = cache.folder("locks") / "stale.lock"
    orphan = cache.folder("tmp") / "dead.0123456789ab"
    stale.touch()
    orphan.mkdir()
    for path in (stale, orphan, artifact.path / "meta.json", artifact.path / "out"):
        os.utime(path, (other, other))
    fresh = Cache(cache.root)
    assert fresh.find(request.build_key) is not None
    assert abs((artifact.path / "meta.json").stat().st_mtime - time.time()) < 3600  # used now, by this clock
    assert fresh.sweep() == 1
    assert leftovers(fresh) == []
    assert fresh.prune(older_than=7200).entries == 0
    assert fresh.prune(older_than=0).entries == 1


def test_a_clock_that_jumps_during_a_build_is_no_time_limit(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.time()
    jumps = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: start - 1e6 * next(jumps))
    results = build_many([shell("sleep 0.1; echo 1 > out", key=i, timeout=60.0) for i in range(3)], cache)
    assert all(isinstance(result, Artifact) for result in results)
    assert cache.verify().ok


# A slow disk, as over a network.


def test_two_processes_on_a_slow_disk_build_each_kernel_once(tmp_path: Path, fault_shim: Path) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from build_tools import counted
from tilewright.jit import Cache, build_many
requests = [counted(Path({str(tmp_path)!r}), f"k{{i}}") for i in range(5)]
results = build_many(requests, Cache({str(tmp_path / "cache")!r}))
assert [result.file().read_text() for result in results] == [f"k{{i}}\\n" for i in range(5)]
"""
    env = {**os.environ, "LD_PRELOAD": str(fault_shim), "TW_FAULT_DELAY_US": "3000", "TW_FAULT_UNDER": str(tmp_path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", program], env=env, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    assert [runs(tmp_path, f"k{i}") for i in range(5)] == [1] * 5
    cache = Cache(tmp_path / "cache")
    assert (cache.verify().whole, leftovers(cache)) == (5, [])
