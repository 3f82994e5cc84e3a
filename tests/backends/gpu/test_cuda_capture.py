"""Calls of the CUDA driver while a graph is captured: torch's captures forbid some of them to all threads."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import pytest

from tilewright.backends.gpu.cuda_driver import CAPTURE_RELAXED, CudaDriver
from tilewright.errors import LaunchError

UNSUPPORTED = 900  # CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
ALLOWED = {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuGetErrorString", "cuMemsetD8Async", "cuStreamCreate"}


class Capturing:
    """The driver's library while somebody captures: refuses what is unsafe unless this thread relaxed its mode."""

    def __init__(self) -> None:
        self.mode, self.refused, self.calls = 0, list[str](), list[str]()

    def __getattr__(self, name: str) -> Any:
        def call(*_: Any) -> int:
            self.calls.append(name)
            if name in ALLOWED or self.mode == CAPTURE_RELAXED:
                return 0
            self.refused.append(name)
            return UNSUPPORTED

        return call

    def cuThreadExchangeStreamCaptureMode(self, mode: Any) -> int:  # noqa: N802
        found = ctypes.cast(mode, ctypes.POINTER(ctypes.c_int))
        self.mode, found[0] = found[0], self.mode
        return 0


def driver_of(library: Any) -> CudaDriver:
    driver = CudaDriver.__new__(CudaDriver)
    driver.pid, driver._lib, driver._context = os.getpid(), library, ctypes.c_void_p(1)
    return driver


def test_kernels_are_loaded_and_memory_comes_and_goes_during_a_capture(tmp_path: Path) -> None:
    library = Capturing()
    driver = driver_of(library)
    (tmp_path / "kernel.cubin").write_bytes(b"code")
    driver.load(tmp_path / "kernel.cubin", "kernel", 64 * 1024)
    driver.free(driver.allocate(256))
    assert {"cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute", "cuMemAlloc_v2", "cuMemFree_v2"} <= {
        *library.calls
    }
    assert library.refused == []
    assert library.mode == 0  # what the caller's own calls may do is as before


def test_the_mode_comes_back_after_an_error(tmp_path: Path) -> None:
    library = Capturing()
    library.cuModuleLoadData = lambda *_: 209  # type: ignore[attr-defined]  # no binary for this GPU
    (tmp_path / "kernel.cubin").write_bytes(b"code")
    with pytest.raises(LaunchError, match="load the kernel"):
        driver_of(library).load(tmp_path / "kernel.cubin", "kernel", 0)
    assert library.mode == 0


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
