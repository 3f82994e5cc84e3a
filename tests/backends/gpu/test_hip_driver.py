"""The HIP driver and the CK Tile launcher over the stand-in for the HIP runtime, which executes what is launched."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from code_objects import ELF
from hip_buffers import on_device
from standin_rocm import code_object, make_rocm, rocm_machine, spied

from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.ck_tile.gemm.launch import GemmArgs, GemmStage
from tilewright.backends.gpu import hip_driver as hip
from tilewright.backends.gpu import hip_library, launches
from tilewright.backends.gpu.emulated.runtime import SERVED
from tilewright.errors import DeviceError, LaunchError, TensorError
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.tensor import TensorView
from tilewright.ops import get_op
from tilewright.ops.gemm.problem import GemmProblem

PACKAGE = Path(hip.__file__).parents[1]


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_rocm(tmp_path_factory.mktemp("rocm"))


@pytest.fixture
def driver(rocm: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with rocm_machine(rocm, "gfx942,gfx1201", monkeypatch):
        found = hip.hip_driver(0)
        assert hip.hip_driver(0) is found
        yield found


@pytest.fixture
def runtime(driver: Any) -> Any:
    return SERVED[-1]


@pytest.fixture(params=["C", "Python"])
def launched_in(request, monkeypatch):
    if request.param == "Python":
        monkeypatch.setattr(launches, "launcher", lambda: SimpleNamespace(module=None))
    return request.param


def problem_of(m: int = 128, n: int = 256, k: int = 256) -> GemmProblem:
    strides = {"a": (0, k + 8, 1), "out": (0, n + 8, 1)}
    return GemmProblem.from_dict({"m": m, "n": n, "k": k, "dtype": "fp16", "strides": strides})


def spec_of() -> KernelSpec:
    return preselected_kernels("fp16_rcr_essential", "gfx942")[1]


def stage_of(folder: Path, problem: GemmProblem, launch: Launch | None = None, spec: KernelSpec | None = None) -> Any:
    spec, launch = spec or spec_of(), launch or Launch()
    code_object(folder)
    kernel = CkKernels(spec, folder, {instance_of(spec, problem.k, launch.split_k).name: "ck_gemm"})
    return GemmStage(Candidate(spec, launch), problem, kernel)


def run_on(driver: Any, stage: Any, addresses: dict[str, int], stream: int = 0) -> None:
    launches.runner(driver, stage.prepare(driver, addresses, 0))(stream)


def test_a_launch_describes_its_problem_to_the_kernel(driver, runtime, tmp_path, monkeypatch):
    problem = problem_of()
    arrays = get_op("gemm").random_tensors(problem, 1)
    around = arrays["out"].base.copy()
    stream = driver.new_stream()
    calls = spied(runtime, "hipModuleLaunchKernel", monkeypatch)
    with on_device(driver, arrays, outputs=["out"], stream=stream) as addresses:
        run_on(driver, stage_of(tmp_path, problem), addresses, stream)
    verdict = get_op("gemm").verify(problem, arrays, arrays["out"], tier="float64")
    assert verdict.ok, (verdict.error, verdict.tolerance)
    changed = np.flatnonzero(arrays["out"].base != around)
    first = (arrays["out"].ctypes.data - arrays["out"].base.ctypes.data) % (2 * (256 + 8))
    assert ((changed - first) % (2 * (256 + 8)) < 2 * 256).all(), "the space between rows is untouched"
    [words] = calls
    assert words[1:8] == (2, 1, 1, 256, 1, 1, 0)
    assert words[8] == stream


def test_a_split_clears_the_output_row_by_row_before_it_adds(driver, runtime, launched_in, tmp_path, monkeypatch):
    problem = problem_of()
    clears = spied(runtime, "hipMemset2DAsync", monkeypatch)
    kernels = spied(runtime, "hipModuleLaunchKernel", monkeypatch)
    with on_device(driver, get_op("gemm").random_tensors(problem, 1)) as addresses:
        run_on(driver, stage_of(tmp_path, problem, Launch(split_k=2)), addresses)
        assert clears == [(addresses["out"], 2 * (256 + 8), 0, 2 * 256, 128, 0)]
    assert kernels[0][1:4] == (2, 1, 2)


def test_a_persistent_grid_fills_the_gpu(driver, runtime, tmp_path, monkeypatch):
    problem = problem_of(m=256, n=512)
    spec = spec_of()
    spec = replace(spec, algorithm=replace(spec.algorithm, persistent=True))
    kernels = spied(runtime, "hipModuleLaunchKernel", monkeypatch)
    monkeypatch.setattr(type(driver), "units", lambda self: 3)
    with on_device(driver, get_op("gemm").random_tensors(problem, 1)) as addresses:
        stage = stage_of(tmp_path, problem, spec=spec)
        each = driver.blocks_per_unit(driver.load(tmp_path / "kernel.co", "ck_gemm"), 256)
        run_on(driver, stage, addresses)
    assert kernels[0][1:4] == (min(8, 3 * each), 1, 1)


def test_the_argument_struct_is_the_one_of_the_header():
    text = (PACKAGE / "ck_tile/include/tilewright_ck/gemm.hpp").read_text()
    assert f"sizeof(GemmArgs) == {ctypes.sizeof(GemmArgs)}" in text
    body = text[text.index("struct GemmArgs") : text.index("};", text.index("struct GemmArgs"))]
    names = [name + ("[" if name in ("d", "stride_d") else ";") for name, _ in GemmArgs._fields_]
    positions = [re.search(rf"[ *]{re.escape(name)}", body).start() for name in names]
    assert positions == sorted(positions)


def test_memory_is_zeroed_copied_and_given_back_after_an_error(driver, runtime):
    data = np.arange(12, dtype=np.int32)
    live = len(runtime.memory._sizes)
    address = driver.allocate(64)
    back = np.full(16, 7, np.int32)
    driver.copy_out(back.ctypes.data, address, 64)
    assert not back.any()
    driver.copy_in(address, data.ctypes.data, 48)
    driver.copy_out(back.ctypes.data, address, 48)
    assert (back[:12] == data).all()
    driver.free(address)
    with pytest.raises(ZeroDivisionError), on_device(driver, {"x": data}):
        raise ZeroDivisionError
    assert len(runtime.memory._sizes) == live
    with pytest.raises(TensorError, match="no elements"), on_device(driver, {"x": data[:0]}):
        pass


def test_errors_say_what_failed_and_what_to_do(driver, runtime, tmp_path):
    runtime.memory.limit = runtime.memory.used + 1000
    with pytest.raises(DeviceError, match=r"(?s)allocate 1,048,576 bytes.*out of memory.*free GPU memory"):
        driver.allocate(1 << 20)
    runtime.memory.limit = 1 << 30
    none = tmp_path / "none.co"
    for content in (b"", b"no code object", ELF[:4], ELF[:63], ELF[:18] + b"\x3e" + ELF[19:]):  # 62: an x86-64
        none.write_bytes(content)
        with pytest.raises(LaunchError, match=r"load the kernel k: HIP error 209.*is no code object: clear it"):
            driver.load(none, "k")
    with pytest.raises(LaunchError, match="HIP error 301"):
        driver.load(tmp_path / "absent.co", "k")
    with pytest.raises(LaunchError, match="find the kernel absent"):
        driver.load(code_object(tmp_path), "absent")
    with pytest.raises(LaunchError, match="the code object is for gfx942, the GPU is gfx1201"):
        hip.hip_driver(1).load(code_object(tmp_path), "ck_gemm")
    with pytest.raises(DeviceError, match="open GPU 3"):
        hip.hip_driver(3)
    with pytest.raises(DeviceError, match="no stream"):
        driver.synchronize(0x77)


def test_a_fault_of_a_kernel_is_an_error_of_its_launch(driver, tmp_path):
    problem = problem_of()
    arrays, said = get_op("gemm").random_tensors(problem, 1), r"(?s)launch gemm.*ck_gemm, line \d+"
    with on_device(driver, arrays) as addresses, pytest.raises(LaunchError, match=said):
        run_on(driver, stage_of(tmp_path, problem), {**addresses, "out": 0x1000})


def test_a_code_object_without_its_assembly_cannot_be_executed(driver, tmp_path):
    code = code_object(tmp_path)
    code.with_suffix(".s").unlink()
    with pytest.raises(LaunchError, match=r"no assembly text kernel\.s"):
        driver.load(code, "ck_gemm")


def test_a_kernel_that_was_built_in_part_says_which_device_kernel_it_lacks(driver, tmp_path):
    spec, problem = spec_of(), problem_of()
    code_object(tmp_path)
    stage = GemmStage(Candidate(spec, Launch()), problem, CkKernels(spec, tmp_path, {"hot_none": "x"}))
    with pytest.raises(LaunchError, match="has no device kernel"):
        stage.prepare(driver, {"a": 1, "b": 1, "out": 1}, 0)


def test_a_prepared_launch_follows_its_tensors(driver, launched_in, tmp_path):
    """Through `call`, which torch calls use, and `bind_sets`, which tuning uses."""
    problem = problem_of()
    op = get_op("gemm")
    first, second = op.random_tensors(problem, 1), op.random_tensors(problem, 2)
    stage = stage_of(tmp_path, problem)
    with on_device(driver, first, ["out"]) as here, on_device(driver, second, ["out"]) as there:
        views = [
            {r: replace(view_of(t, r), address=at[r], device="hip:0") for r, t in arrays.items()}
            for arrays, at in ((first, here), (second, there))
        ]
        for run in stage.bind_sets(views, 0):
            run(0)
        driver.clear_rows(here["out"], 2 * 264, 2 * 256, 128)
        call = stage.call(views[1])
        assert (call.in_c() is not None) == (launched_in == "C")
        call.run_pointers(*(here[role] for role in first))
    for arrays in (first, second):
        assert op.verify(problem, arrays, arrays["out"], tier="float64").ok


def test_two_sizes_that_look_like_an_address_are_no_address(driver, tmp_path, monkeypatch):
    """Side by side, m and n are the word of an address in the first set: they stay as they are in the second one."""
    made, problem = [], problem_of(m=4096 + 128, n=16)
    monkeypatch.setattr("tilewright.backends.gpu.stage.runner", lambda driver, calls: made.append(calls))
    views = [
        {role: TensorView(at, "fp16", (1 << 20,), (1,), "hip:0", False) for role in problem.roles}
        for at in ((16 << 32) + 4096, (32 << 32) + 4096)
    ]
    stage_of(tmp_path, problem).bind_sets(views, 0)
    for calls, given in zip(made, views, strict=True):
        args = GemmArgs.from_buffer_copy(calls[-1]._words)
        assert (args.a, args.m, args.n) == (given["a"].address, problem.m, problem.n)


def test_each_call_leaves_the_current_gpu_of_the_caller_as_it_was(driver, runtime):
    second = hip.hip_driver(1)
    driver.make_current()
    second.free(second.allocate(8))
    now = ctypes.c_int(-1)
    driver._lib.hipGetDevice(ctypes.byref(now))
    assert now.value == 0
    assert (driver.units(), second.units()) == (304, 64)


def test_a_launch_in_c_leaves_the_current_gpu_of_the_caller_as_it_was(driver, launched_in, tmp_path):
    """Whether the kernel runs or not."""
    problem = problem_of()
    stage = stage_of(tmp_path, problem)
    other, now = hip.hip_driver(1), ctypes.c_int(-1)
    arrays = get_op("gemm").random_tensors(problem, 1)
    with on_device(driver, arrays, ["out"]) as at:
        views = {r: replace(view_of(t, r), address=at[r], device="hip:0") for r, t in arrays.items()}
        call = stage.call(views)
        other.make_current()
        call.run_pointers(*at.values())
        with pytest.raises(LaunchError, match="cannot launch"):
            call.run_pointers(*(8 for _ in at))
        other._lib.hipGetDevice(ctypes.byref(now))
    assert now.value == 1
    assert get_op("gemm").verify(problem, arrays, arrays["out"], tier="float64").ok


def test_a_prepared_launch_refuses_a_fork(driver, tmp_path):
    stage = stage_of(tmp_path, problem_of())
    run = launches.runner(driver, stage.prepare(driver, {"a": 1, "b": 1, "out": 1}, 0))
    child = os.fork()
    if child == 0:
        try:
            run(0)
        except DeviceError as error:
            os._exit(0 if "this is its fork" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_a_fork_is_told_instead_of_left_to_hang(driver):
    driver.pid += 1
    with pytest.raises(DeviceError, match=f"this is its fork {os.getpid()}"):
        hip.hip_driver(0)


def test_without_a_runtime_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    monkeypatch.setattr(hip_library, "NAMES", ("libamdhip64-none.so",))
    with pytest.raises(DeviceError, match="install ROCm"):
        hip.HipDriver()
    assert hip_library.runtime_path() is None
