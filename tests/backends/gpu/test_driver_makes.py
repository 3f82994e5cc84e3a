"""Both drivers of GPUs make the same calls, and none that ends a capture: torch forbids some to all threads."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tilewright.backends.gpu.cuda_driver import CudaDriver
from tilewright.backends.gpu.driver import CAPTURE_RELAXED, GpuDriver, Names
from tilewright.backends.gpu.hip_driver import HipDriver
from tilewright.errors import DeviceError, LaunchError, TilewrightError

UNSUPPORTED = 900  # of both makes: an operation that a captured stream does not permit
MAKES: tuple[type[GpuDriver], ...] = (CudaDriver, HipDriver)
ALLOWED = {"clear", "new_stream"}  # during a capture, in every mode
# Functions that only one make has, to make its GPU current and for its own words; a capture permits them.
OWN = {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuGetErrorString"} | {
    "hipGetDevice", "hipSetDevice", "hipGetErrorString", "hipGetLastError", "hipRuntimeGetVersion"
}  # fmt: skip


class Capturing:
    """A driver's library while somebody captures: refuses what is unsafe unless this thread relaxed its mode.

    `calls` has the functions by the names that drivers of both makes share. `failing` is one that returns an error.
    """

    def __init__(self, names: Names, failing: str = "") -> None:
        self._shared = {name: what for what, name in names._asdict().items()}
        self.mode, self.refused, self.calls, self.failing = 0, list[str](), list[str](), failing

    def __getattr__(self, name: str) -> Any:
        if name in OWN:
            return (lambda code: b"words") if name == "hipGetErrorString" else lambda *_: 0
        what = self._shared.get(name, name)

        def call(*arguments: Any) -> int:
            self.calls.append(what)
            if what == self.failing:
                return 1
            if what == "capture_mode":
                found = ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_int))
                self.mode, found[0] = found[0], self.mode
            elif what not in ALLOWED and self.mode != CAPTURE_RELAXED:
                self.refused.append(what)
                return UNSUPPORTED
            elif what in ("load", "allocate", "function"):
                ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_void_p))[0] = 4096
            return 0

        return call


def driver_of(make: type[GpuDriver], failing: str = "") -> tuple[Any, Capturing]:
    library = Capturing(make.names, failing)
    driver: Any = object.__new__(type(make.__name__, (make,), {"entry_names": ()}))
    library.mode = CAPTURE_RELAXED  # no capture has begun
    GpuDriver.__init__(driver, 0, library)
    library.mode = 0
    library.calls.clear()
    driver._context = ctypes.c_void_p(1)
    return driver, library


class Owner:
    """Something that uses a kernel as long as it lives."""


def worked(driver: Any, folder: Path) -> None:
    """Load, allocate, free, and let the owner of the code go."""
    (folder / "kernel").write_bytes(b"code")
    owner = Owner()
    assert driver.load(folder / "kernel", "kernel", 1024, owner=owner) == 4096
    assert driver.load(folder / "kernel", "kernel", 1024) == 4096
    driver._release(str(folder / "kernel"))
    at = driver.allocate(256)
    driver.free(at)
    del owner
    gc.collect()


def test_both_makes_do_the_same_and_end_no_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.backends.gpu.driver.may_be_captured", lambda: False)
    calls = []
    for make in MAKES:
        driver, library = driver_of(make)
        worked(driver, tmp_path)
        assert library.refused == []
        assert library.mode == 0  # what the caller's own calls may do is as before
        calls.append(library.calls)
    assert calls[0] == calls[1]
    assert {"load", "function", "allocate", "clear", "wait_stream", "free", "unload"} <= {*calls[0]}
    assert calls[0].count("load") == 1  # a file is loaded once


@pytest.mark.parametrize("failing", ["load", "function", "allocate", "clear", "new_stream", "wait_stream", "free"])
def test_both_makes_fail_alike(failing: str, tmp_path: Path, caplog: Any) -> None:
    said = []
    for make in MAKES:
        driver, library = driver_of(make, failing)
        caplog.clear()
        try:
            with caplog.at_level(logging.WARNING, "tilewright"):
                worked(driver, tmp_path)
            failed: tuple[Any, ...] = ("logged", *[r.getMessage() for r in caplog.records])
        except TilewrightError as error:
            failed = type(error), error.message, error.code  # type: ignore[attr-defined]
        said.append([str(x).replace(make.make, "MAKE").partition("(")[0] for x in failed])
        assert library.mode == 0, "the mode comes back after an error"
        assert library.calls.count("free") == (failing not in ("load", "function", "allocate")), (
            "nothing is left behind"
        )
    assert said[0] == said[1]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("use", [lambda d: d.allocate(8), lambda d: d.check_process(), lambda d: d.make_current()])
def test_a_fork_frees_nothing_and_says_so(make: type[GpuDriver], use: Callable[[Any], Any]) -> None:
    driver, library = driver_of(make)
    driver.pid = os.getpid() + 1
    driver.free(4096)
    assert library.calls == []
    with pytest.raises(DeviceError, match="this is its fork"):
        use(driver)


def test_shared_memory_beyond_the_static_limit_is_asked_for(tmp_path: Path) -> None:
    driver, library = driver_of(CudaDriver)
    driver.load(tmp_path / "kernel.cubin", "kernel", 64 * 1024)
    assert "cuFuncSetAttribute" in library.calls
    assert library.refused == []
    driver, _ = driver_of(CudaDriver, "cuFuncSetAttribute")
    with pytest.raises(LaunchError, match="give kernel 65,536 bytes of shared memory"):
        driver.load(tmp_path / "kernel.cubin", "kernel", 64 * 1024)


@pytest.mark.gpu
def test_a_capture_of_torch_goes_on(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from tilewright.backends.gpu.cuda_driver import cuda_driver

    torch: Any = pytest.importorskip("torch", reason="torch is not installed: nothing is captured")
    source = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n\0"
    (tmp_path / "nothing.ptx").write_text(source)
    driver, x, graph = cuda_driver(), torch.ones(1000, device="cuda"), torch.cuda.CUDAGraph()
    blocks = [driver.allocate(1 << 20) for _ in range(2)]
    with ThreadPoolExecutor(1) as pool, torch.cuda.graph(graph):
        double = x * 2
        pool.submit(driver.load, tmp_path / "nothing.ptx", "nothing", 0).result()
        pool.submit(driver.free, blocks[0]).result()
        driver.free(blocks[1])
        result = double + 1
    graph.replay()
    assert result.eq(3).all()
