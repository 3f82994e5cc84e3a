"""Launches on a GPU by the C launcher, with a driver that writes down what it is given."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import pytest
from memo_calls import named, record

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
    driver.lib.refuse_next(2)
    launches.run(9, 1000, 2000)  # the callback mended it
    assert driver.errors[-1] == (0, 2)
    with pytest.raises(RuntimeError, match="launch 0: 1"):
        launches.run(9, 1000, 2000)
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
