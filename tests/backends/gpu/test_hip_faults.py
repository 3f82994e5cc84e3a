"""The HIP path under faults: the wrong library, captures, old runtimes, failing calls. All over the stand-in."""

from __future__ import annotations

import ctypes
import gc
import importlib.machinery
import logging
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from code_objects import ELF
from standin_rocm import code_object, make_rocm, rocm_machine, spied

from tilewright.backends.ck_tile.call import CkKernels, CodeCall
from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.gpu import hip_detect, hip_library
from tilewright.backends.gpu import hip_driver as hip
from tilewright.backends.gpu.emulated.runtime import SERVED
from tilewright.backends.gpu.hip_errors import REPORT, remedy_of, unloadable
from tilewright.errors import DeviceError, LaunchError, TilewrightError
from tilewright.jit import loaded

GLOBAL = 0  # hipStreamCaptureModeGlobal


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_rocm(tmp_path_factory.mktemp("rocm"))


@pytest.fixture
def driver(rocm: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with rocm_machine(rocm, "gfx942,gfx1201", monkeypatch):
        yield hip.hip_driver(0)


@pytest.fixture
def runtime(driver: Any) -> Iterator[Any]:
    yield SERVED[-1]
    SERVED[-1].faults.clear()


def fake_torch(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A torch in this folder, as far as `find_spec` can see."""
    spec = importlib.machinery.ModuleSpec("torch", None, origin=str(folder / "__init__.py"))
    monkeypatch.setattr(hip_library, "find_spec", lambda name: spec if name == "torch" else None)


def test_the_runtime_of_torch_is_taken_before_that_of_rocm_path(rocm, tmp_path, monkeypatch):
    fake_torch(monkeypatch, tmp_path)
    monkeypatch.setenv("ROCM_PATH", str(rocm))
    assert hip_library.runtime_path() == str(rocm / "lib" / "libamdhip64.so"), "this torch has no runtime"
    shutil.copytree(rocm / "lib", tmp_path / "lib")
    assert hip_library.runtime_path() == str(tmp_path / "lib" / "libamdhip64.so")


def test_the_runtime_that_a_loaded_torch_uses_is_taken_first(rocm, tmp_path, monkeypatch):
    """A torch that was built against the system's ROCm has no library of its own."""
    (tmp_path / "system").mkdir()
    used = shutil.copy(rocm / "lib" / "libamdhip64.so", tmp_path / "system" / "libamdhip64.so.6")
    ctypes.CDLL(str(used))
    maps = tmp_path / "maps"
    maps.write_text(f"7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n7f02-7f03 r-xp 0 08:01 2 {used}\n")
    monkeypatch.setattr(loaded, "MAPPED", maps)
    monkeypatch.setenv("ROCM_PATH", str(rocm))
    fake_torch(monkeypatch, tmp_path)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(version=SimpleNamespace(hip="6.2")))
    assert hip_library.runtime_path() == str(used)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(version=SimpleNamespace(hip=None)))
    assert hip_library.runtime_path() == str(rocm / "lib" / "libamdhip64.so"), "not a torch of ROCm"


def kernels_in(folder: Path, *instances: str) -> CkKernels:
    code_object(folder)
    return CkKernels(
        preselected_kernels("fp16_rcr_essential", "gfx942")[1], folder, dict.fromkeys(instances, "ck_gemm")
    )


def captured(driver: Any, stream: int, work: Any) -> int:
    """Return the graph of what `work` queues on a stream."""
    graph = ctypes.c_void_p()
    driver.check(driver._lib.hipStreamBeginCapture(ctypes.c_void_p(stream), GLOBAL), "begin a capture")
    try:
        work()
    finally:
        code = driver._lib.hipStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph))
    driver.check(code, "end a capture")
    return int(graph.value or 0)


def test_memory_is_allocated_and_code_loaded_while_a_stream_is_captured(driver, runtime, tmp_path):
    stream, found = driver.new_stream(), {}
    code = code_object(tmp_path)

    def work() -> None:
        found["at"] = driver.allocate(4096)
        driver.free(driver.allocate(64))
        with driver.outside_capture(), driver._own_stream() as own:
            held = ctypes.create_string_buffer(b"12345678", 8)
            driver.copy_in(found["at"], ctypes.addressof(held), 8, own)
            driver.synchronize(own)
        driver.load(code, "ck_gemm")
        driver.clear(found["at"], 8, stream)

    graph = captured(driver, stream, work)
    back = np.zeros(8, np.uint8)
    driver.copy_out(back.ctypes.data, found["at"], 8)
    assert back.tobytes() == b"12345678", "what is captured has not run"
    driver.check(driver._lib.hipGraphLaunch(ctypes.c_void_p(graph), ctypes.c_void_p(stream)), "replay")
    driver.copy_out(back.ctypes.data, found["at"], 8)
    assert not back.any(), "only what is on the stream was captured"
    mode = ctypes.c_int(GLOBAL)
    driver._lib.hipThreadExchangeStreamCaptureMode(ctypes.byref(mode))
    assert mode.value == GLOBAL, "the thread's mode is as it was"


def test_a_wait_inside_of_a_capture_says_what_to_do(driver):
    stream = driver.new_stream()
    with pytest.raises(DeviceError, match=r"HIP error 900.*nothing may be waited for"):
        captured(driver, stream, lambda: driver.synchronize(stream))


def test_version_6_code_objects_need_rocm_6_3(driver, runtime, tmp_path):
    assert ELF[8] == 4, "version 6"
    runtime.version = 60_241_134
    said = r"HIP error 209.*version 6, which ROCm 6\.2 does not load: build the kernel again"
    with pytest.raises(LaunchError, match=said):
        driver.load(code_object(tmp_path), "ck_gemm")
    runtime.version = 60_300_000
    assert driver.load(code_object(tmp_path), "ck_gemm")


def test_error_209_is_explained_from_the_file(tmp_path):
    code = code_object(tmp_path)
    assert "is for gfx942, the GPU is gfx950" in unloadable(code, "gfx950", 60_241_134)
    assert "xnack" in unloadable(code, "gfx942", 60_300_000)
    assert "no code object" in unloadable(tmp_path / "absent.co", "gfx942", 0)


def test_a_code_object_is_loaded_once_and_unloaded_with_its_last_launch(driver, runtime, tmp_path, monkeypatch):
    loads = spied(runtime, "hipModuleLoad", monkeypatch)
    before = len(runtime.modules)
    code_object(tmp_path)
    kernels = CkKernels(
        preselected_kernels("fp16_rcr_essential", "gfx942")[1], tmp_path, {"a": "ck_gemm", "b": "ck_gemm"}
    )
    kernels.load(driver)
    call = CodeCall(driver, "k", kernels.function(driver, "b"), (1, 1, 1), 256, bytes(8))
    assert len(loads) == 1
    assert len(runtime.modules) == before + 1
    del kernels
    gc.collect()
    assert len(runtime.modules) == before + 1, "a launch is prepared"
    del call
    gc.collect()
    assert len(runtime.modules) == before
    assert driver.load(tmp_path / "kernel.co", "ck_gemm"), "it is loaded again"
    assert len(loads) == 2


def test_code_that_a_graph_of_torch_may_hold_stays(driver, runtime, tmp_path, monkeypatch):
    before = len(runtime.modules)
    kernels = kernels_in(tmp_path, "a")
    kernels.load(driver)
    monkeypatch.setattr("tilewright.backends.gpu.hip_driver.may_be_captured", lambda: True)
    del kernels
    gc.collect()
    assert len(runtime.modules) == before + 1


def test_code_is_unloaded_while_torch_is_being_imported(driver, runtime, tmp_path, monkeypatch):
    before = len(runtime.modules)
    kernels = kernels_in(tmp_path, "a")
    kernels.load(driver)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    del kernels
    gc.collect()
    assert len(runtime.modules) == before


CALLS = {
    "hipGetDevice": lambda d, _: d.allocate(8),
    "hipDeviceGetAttribute": lambda d, _: d.units(),
    "hipMalloc": lambda d, _: d.allocate(8),
    "hipMemsetAsync": lambda d, _: d.allocate(8),
    "hipMemset2DAsync": lambda d, at: d.clear_rows(at, 8, 8, 1),
    "hipMemcpyAsync": lambda d, at: d.copy(at, at, 8),
    "hipStreamCreate": lambda d, _: d.new_stream(),
    "hipStreamCreateWithFlags": lambda d, _: d.allocate(8),
    "hipStreamSynchronize": lambda d, _: d.synchronize(),
    "hipThreadExchangeStreamCaptureMode": lambda d, _: d.allocate(8),
    "hipModuleLoad": lambda d, _: d.load(Path("x.co"), "k"),
    "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor": lambda d, _: d.blocks_per_unit(1, 64),
    "hipInit": lambda d, _: hip.HipDriver(0, d._lib._name),
    "hipSetDevice": lambda d, _: hip.HipDriver(1, d._lib._name),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_failing_call_is_an_error_with_its_code(driver, runtime, name):
    at, live = driver.allocate(64), len(runtime.memory._sizes)
    runtime.faults[name] = 719
    with pytest.raises(TilewrightError, match="HIP error 719") as caught:
        CALLS[name](driver, at)
    runtime.faults.clear()
    assert caught.value.code == 719
    assert "new one" in str(caught.value.remedy)
    assert driver._lib.hipGetLastError() == 0, "torch would report it at its next launch"
    assert len(runtime.memory._sizes) == live


@pytest.mark.parametrize("name", ["hipFree", "hipStreamDestroy", "hipModuleUnload", "hipDeviceSynchronize"])
def test_a_failing_call_that_nobody_can_handle_is_logged(driver, runtime, tmp_path, caplog, name):
    kernels = kernels_in(tmp_path, "a")
    kernels.load(driver)
    runtime.faults[name] = 700
    with caplog.at_level(logging.WARNING, "tilewright"):
        driver.free(driver.allocate(8))
        del kernels
        gc.collect()
    assert "HIP error 700" in caplog.text


def test_work_on_the_default_stream_goes_to_the_gpu_of_the_driver(driver, runtime, monkeypatch):
    seen, at, host = [], driver.allocate(64), ctypes.create_string_buffer(64)

    def spy(real: Any, *words: int) -> None:
        seen.append(runtime._current.arch)
        real(*words)

    for name in ("hipMemcpyAsync", "hipMemsetAsync", "hipMemset2DAsync", "hipStreamSynchronize", "hipStreamCreate"):
        monkeypatch.setattr(runtime, name, partial(spy, getattr(runtime, name)))
    hip.hip_driver(1).make_current()
    driver.copy_in(at, ctypes.addressof(host), 64)
    driver.copy_out(ctypes.addressof(host), at, 64)
    driver.clear(at, 64)
    driver.clear_rows(at, 8, 8, 8)
    driver.new_stream()
    assert seen
    assert set(seen) == {"gfx942"}


def test_facts_that_the_runtime_does_not_give_are_not_taken_as_zero(rocm, monkeypatch, capsys):
    lib = SimpleNamespace(
        hipInit=lambda flags: 0,
        hipGetDeviceCount=lambda into: setattr(into._obj, "value", 1) or 0,
        hipDeviceGetAttribute=lambda into, what, ordinal: 1,
    )
    monkeypatch.setattr(hip_detect.ctypes, "CDLL", lambda path: lib)
    assert hip_detect.main("x") == 1
    assert "hipDeviceGetAttribute failed with HIP error 1" in capsys.readouterr().err
    lib.hipInit = lambda flags: 100
    assert hip_detect.main("x") == 0
    assert capsys.readouterr().out == "[]\n"
    lib.hipInit = lambda flags: 35
    assert hip_detect.main("x") == 1
    lib.hipInit, lib.hipGetDeviceCount = lambda flags: 0, lambda into: 719
    capsys.readouterr()
    assert hip_detect.main("x") == 1
    assert "hipGetDeviceCount failed with HIP error 719" in capsys.readouterr().err


def test_codes_of_one_kind_have_one_remedy():
    assert remedy_of(906) == remedy_of(900) != REPORT
    assert remedy_of(123_456) == REPORT
