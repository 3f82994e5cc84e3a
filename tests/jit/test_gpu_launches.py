"""Launches on a GPU by the C launcher, with a driver that writes down what it is given."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import weakref
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from memo_calls import named, record

from tilewright.backends.gpu.call import GpuCall, GpuKernel
from tilewright.backends.gpu.launches import runner
from tilewright.jit.launcher import launcher

DRIVER = r"""
#include <cstdint>
#include <cstring>
struct Config { unsigned grid[3], block[3], shared; void* stream; };
static uint64_t seen[64]; static int count, refuse, outside;
extern "C" int launch(const Config* c, void* function, void** params, void**) {
  if (refuse) return refuse--;
  seen[count++] = (uint64_t)c->stream;
  seen[count++] = (uint64_t)function;
  for (int i = 0; params[i]; ++i) seen[count++] = *(uint64_t*)params[i];
  return 0;
}
extern "C" int move(void* map, void* address) {
  if (!address) return 1;
  if (outside) return outside = 0, 2;
  memcpy(map, &address, 8);
  return 0;
}
extern "C" int take(uint64_t* out) { int n = count; memcpy(out, seen, sizeof seen); count = 0; return n; }
extern "C" void refuse_next(int n) { refuse = n; }
extern "C" void leave_context() { outside = 1; }
"""


class Driver:
    """A loaded recording driver, and parameter blocks for it."""

    def __init__(self, folder: Path) -> None:
        (folder / "driver.cpp").write_text(DRIVER)
        path = folder / "driver.so"
        subprocess.run(["g++", "-shared", "-fPIC", "-o", path, folder / "driver.cpp"], check=True)
        self.lib = ctypes.CDLL(str(path))
        self.errors: list[tuple[int, int]] = []
        self.config = (ctypes.c_uint * 32)()
        self.cells = (ctypes.c_uint64 * 4)(0, 0, 77, 0)
        self.params = (ctypes.c_void_p * 4)(*(ctypes.addressof(self.cells) + 8 * i for i in range(3)), None)

    def launches(self, stream: int | None, current: Any = None) -> Any:
        def at(thing: Any) -> int:
            return ctypes.cast(thing, ctypes.c_void_p).value or 0

        def failed(index: int, code: int) -> None:
            self.errors.append((index, code))
            if code == 1:
                raise RuntimeError(f"launch {index}: {code}")

        where = ctypes.addressof(self.cells)
        cells = ((where, 0, False, 16), (where + 8, 1, True, 0))
        places = ((ctypes.addressof(self.config), 5, ctypes.addressof(self.params)),)
        make = launcher().module.GpuLaunches
        return make((at(self.lib.launch), at(self.lib.move)), 2, places, cells, stream, failed, current, 3, self)

    def taken(self) -> list[int]:
        out = (ctypes.c_uint64 * 64)()
        return list(out[: self.lib.take(out)])


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return Driver(tmp_path_factory.mktemp("driver"))


def test_launches_move_pointers_and_tensor_maps(driver: Driver) -> None:
    launches = driver.launches(None, lambda ordinal: 100 + ordinal)
    launches.run(9, 1000, 2000)
    launches.run(None, 1000, 3000)
    launches.run(0, 1000, 3000)
    assert driver.taken() == [9, 5, 1016, 2000, 77, 103, 5, 1016, 3000, 77, 0, 5, 1016, 3000, 77]
    with pytest.raises(TypeError, match="2 addresses"):
        launches.run(9, 1000)
    with pytest.raises(OverflowError):
        launches.run(9, -5, 2000)


def test_an_error_of_the_driver_is_reported_and_the_next_launch_is_right(driver: Driver) -> None:
    launches = driver.launches(None)
    driver.lib.refuse_next(2)  # once with 2, which the callback mends, then with 1
    with pytest.raises(RuntimeError, match="launch 0: 1"):
        launches.run(9, 1000, 2000)
    assert driver.errors == [(0, 2), (0, 1)]
    with pytest.raises(RuntimeError, match="launch -1: 1"):
        launches.run(9, 4000, 0)
    launches.run(9, 1000, 2000)
    assert driver.taken() == [9, 5, 1016, 2000, 77]


def test_a_tensor_map_is_moved_again_if_only_the_context_of_a_thread_was_missing(driver: Driver) -> None:
    launches = driver.launches(None)
    driver.lib.leave_context()
    launches.run(9, 1000, 2000)  # the callback made it current
    assert driver.errors[-1] == (-1, 2)
    assert driver.taken() == [9, 5, 1016, 2000, 77]


def test_a_memo_runs_launches_of_the_stream_that_their_workspace_belongs_to(driver: Driver, torch: Any) -> None:
    """Tensors on the host work on stream 0, so launches of another stream are a miss."""
    memo = launcher().module.Memo(16)
    x, y = torch.ones(4), torch.ones(4)
    memo.keep("f", named(x, y), *record(driver.launches(7), (x, y)))
    assert not memo.run("f", named(x, y))
    memo.keep("f", named(x, y), *record(driver.launches(0), (x, y)))
    assert memo.run("f", named(x, y))
    assert driver.taken() == [0, 5, x.data_ptr() + 16, y.data_ptr(), 77]
    assert len(memo) == 2


class Meddled:
    """Two kernels on a pointer and a tensor map of each of two tensors, by a driver in Python that refuses one thing.

    `failed` lets another thread run the same launches on other tensors, as it may while Python makes a context current.
    """

    OURS, THEIRS = (1000, 2000), (5000, 6000)

    def __init__(self, refused: str) -> None:
        self.refused, self.seen = refused, list[tuple[int, ...]]()
        self.cells = (ctypes.c_uint64 * 5)()  # a pointer and a map of each tensor
        at = ctypes.addressof(self.cells)
        self.params = (ctypes.c_void_p * 5)(*(at + 8 * i for i in range(4)), None)
        self.config = (ctypes.c_uint * 32)()
        self.launch = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(self._launch)
        self.move = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 2)(self._move)
        entries = [ctypes.cast(f, ctypes.c_void_p).value for f in (self.launch, self.move)]
        cells = [(at + 8 * i, i // 2, bool(i % 2), 0) for i in range(4)]
        config, params = ctypes.addressof(self.config), ctypes.addressof(self.params)
        places = tuple((config, kernel, params) for kernel in (1, 2))
        make = launcher().module.GpuLaunches
        self.launches = make(tuple(entries), 2, places, tuple(cells), None, self._failed, None, 0, self)

    def _refuses(self, what: str) -> bool:
        refuses = what == self.refused
        self.refused = "" if refuses else self.refused
        return refuses

    def _launch(self, config: int, kernel: int, params: int, extra: int) -> int:
        if self._refuses(f"kernel {kernel}"):
            return 201
        stream = ctypes.c_uint64.from_address(config + 32).value
        self.seen.append((stream, kernel, *self.cells[:4]))
        return 0

    def _move(self, where: int, address: int) -> int:
        if self._refuses(f"map {(where - ctypes.addressof(self.cells)) // 8}"):
            return 201
        ctypes.c_uint64.from_address(where).value = address
        return 0

    def _failed(self, index: int, code: int) -> None:
        other = Thread(target=self.launches.run, args=(8, *self.THEIRS))
        other.start()
        other.join()


@pytest.mark.parametrize("refused", ["kernel 1", "kernel 2", "map 1", "map 3", "nothing"])
@pytest.mark.parametrize("before", [False, True], ids=["first", "again"])
def test_a_launch_that_is_tried_again_has_its_own_addresses(refused: str, before: bool) -> None:
    found = Meddled("" if before else refused)
    if before:
        found.launches.run(9, *found.THEIRS)
        found.seen.clear()
        found.refused = refused
    found.launches.run(9, *found.OURS)
    ours, theirs = (1000, 1000, 2000, 2000), (5000, 5000, 6000, 6000)
    assert [row for row in found.seen if row[0] == 9] == [(9, 1, *ours), (9, 2, *ours)]
    others = [(8, 1, *theirs), (8, 2, *theirs)] if refused != "nothing" else []
    assert [row for row in found.seen if row[0] == 8] == others


def test_a_missing_context_is_entered_and_c_launches_again() -> None:
    """What Python would launch itself could have the addresses of another thread."""
    entered: list[int] = []
    driver = SimpleNamespace(entered=lambda code: not entered.append(code), ordinal=0)
    found = Meddled("kernel 2")
    driver.entries = tuple(ctypes.cast(f, ctypes.c_void_p).value for f in (found.launch, found.move))
    config, params = ctypes.addressof(found.config), ctypes.addressof(found.params)
    calls = [SimpleNamespace(places=(config, kernel, params)) for kernel in (1, 2)]
    runner(driver, calls)(9)
    assert entered == [201]
    assert [row[:2] for row in found.seen] == [(9, 1), (9, 2)]


@pytest.mark.parametrize(
    ("stream", "own", "status", "is_kept"),
    [(7, 7, 1, True), (7, 7, 0, False), (7, 7, 2, False), (7, None, 1, False), (0, 0, 1, False)],
    ids=["captured", "not captured", "capture ended by an error", "no workspace", "default stream"],
)
def test_what_a_captured_launch_needs_stays(stream: int, own: int | None, status: int, is_kept: bool) -> None:
    """A graph may be replayed when everything else has forgotten the launch."""

    class Owner:
        """Owns a workspace."""

    def is_capturing(at: int, into: int) -> int:
        ctypes.c_int.from_address(into).value = status
        return 0

    found, owner = Meddled(""), Owner()
    capturing = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 2)(is_capturing)
    entries = [ctypes.cast(f, ctypes.c_void_p).value for f in (found.launch, found.move, found.move, capturing)]
    driver = SimpleNamespace(entries=tuple(entries), ordinal=0)
    call = SimpleNamespace(places=(ctypes.addressof(found.config), 1, ctypes.addressof(found.params)))
    run = runner(driver, [call], own, owner)
    run(stream)
    run(stream)
    ref = weakref.ref(owner)
    del owner, run
    gc.collect()
    assert (ref() is not None) == is_kept
    assert len(found.seen) == 2


@pytest.mark.parametrize(("codes", "launched"), [([0], 1), ([201, 0], 2), ([201, 700], 2), ([700], 1)])
def test_a_launch_by_python_is_tried_again_only_without_a_context(codes: list[int], launched: int) -> None:
    class Driver:
        ordinal = 0

        def __init__(self) -> None:
            self.left, self.launches = list(codes), 0

        def launch(self, *_: Any) -> int:
            self.launches += 1
            return self.left.pop(0)

        def entered(self, code: int) -> bool:
            return code == 201

        def check(self, code: int, what: str) -> None:
            raise RuntimeError(f"{what}: {code}")

    meta = {"schema": 1, "name": "k", "args": [], "shared": 0, "threads": 32, "pdl": False, "backend": "cuda",
            "global_scratch": 0, "profile_scratch": 0}  # fmt: skip
    kernel, driver = GpuKernel(Path(), "", meta), Driver()
    kernel._functions[driver] = 1
    call = GpuCall(kernel, driver, (1, 1, 1), {})
    if codes[-1]:
        with pytest.raises(RuntimeError, match="launch k: 700"):
            call(0)
    else:
        call(0)
    assert driver.launches == launched
