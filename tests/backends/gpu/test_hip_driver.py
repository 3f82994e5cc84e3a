"""The HIP path against a small library that stands in for the runtime: it computes what the arguments describe."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm
from tilewright.backends.ck_tile.gemm.instances import instances
from tilewright.backends.ck_tile.gemm.launch import GemmArgs, GemmKernel, GemmStage, ordinal_of
from tilewright.backends.gpu import hip_driver as hip
from tilewright.backends.gpu.hip_buffers import on_device
from tilewright.errors import DeviceError, LaunchError, TensorError
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.tensor import TensorView
from tilewright.ops.gemm.problem import GemmProblem

HERE = Path(__file__).parent
CODE = (HERE / "data" / "probe_gfx942.co").read_bytes()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder laid out like ROCm with the stand-in as its runtime."""
    root = tmp_path_factory.mktemp("rocm")
    (root / "lib").mkdir()
    target = root / "lib" / "libamdhip64.so"
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", "-o", target, HERE / "fake_hip.cpp"], check=True)
    return root


@pytest.fixture
def driver(library: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("ROCM_PATH", str(library))
    monkeypatch.setattr(hip, "_DRIVERS", {})
    found = hip.hip_driver(0)
    assert hip.hip_driver(0) is found
    return found


def spec_of(problem: GemmProblem, **changes: Any) -> KernelSpec:
    algorithm = CkTileGemm(64, 64, 16, 2, 2, 1, 16, 16, 16, **{"pad_m": True, "pad_n": True, "pad_k": True, **changes})
    return KernelSpec("gemm", "ck_tile", "gfx942", problem.signature, algorithm)


def kernel_of(spec: KernelSpec, folder: Path) -> GemmKernel:
    (folder / "kernel.co").write_bytes(CODE)
    return GemmKernel(spec, folder, {i.name: f"symbol_{i.name}" for i in instances(spec)})


def tensors(problem: GemmProblem, seed: int = 1) -> dict[str, np.ndarray]:
    """A row-major with a padded row, B column-major, an output with a padded row full of NaN, and D."""
    rng = np.random.default_rng(seed)
    a = np.empty((problem.m, problem.k + 4), np.float32)[:, : problem.k]
    a[:] = rng.standard_normal(a.shape)
    b = rng.standard_normal((problem.n, problem.k)).astype(np.float32).T
    out = np.full((problem.m, problem.n + 8), np.nan, np.float32)[:, : problem.n]
    made = {"a": a, "b": b, "out": out}
    for i in range(len(problem.d)):
        made[f"d{i}"] = rng.standard_normal((problem.m, problem.n)).astype(np.float32)
    return made


def problem_of(m: int = 70, n: int = 50, k: int = 40, **more: Any) -> GemmProblem:
    strides = {"a": (0, k + 4, 1), "out": (0, n + 8, 1)}
    return GemmProblem.from_dict({"m": m, "n": n, "k": k, "dtype": "fp32", "strides": strides, **more})


@pytest.mark.parametrize(
    ("more", "launch", "changes"),
    [
        ({}, Launch(), {}),
        ({}, Launch(), {"persistent": True}),
        ({"d": [{"dtype": "fp32"}], "epilogue": {"combine": "add"}}, Launch(), {}),
        ({}, Launch(split_k=2), {}),
    ],
)
def test_a_launch_describes_its_problem_to_the_kernel(driver, tmp_path, more, launch, changes):
    problem = problem_of(**more)
    spec = spec_of(problem, **changes)
    assert not [r for r in OP.check(spec, get_arch("gfx942")) if r.rule.endswith(("dtypes", "warp_tile"))]
    stage = GemmStage(Candidate(spec, launch), problem, kernel_of(spec, tmp_path))
    arrays = tensors(problem)
    stream = driver.new_stream()
    with on_device(driver, arrays, outputs=["out"], stream=stream) as addresses:
        run = stage.prepare(driver, addresses)
        for _ in range(2):  # a split adds: the second launch must clear what the first left
            run(stream)
    wanted = arrays["a"] @ arrays["b"] + sum(v for k, v in arrays.items() if k.startswith("d"))
    np.testing.assert_allclose(arrays["out"], wanted, rtol=1e-4, atol=1e-4)
    assert np.isnan(arrays["out"].base[:, problem.n :]).all()  # the space between rows is untouched
    assert driver._lib.fake_live() == 0
    grid = [driver._lib.fake_last(i) for i in range(7)]
    tiles = 2 * 1
    expected = [min(6, tiles), 1, 1] if spec.algorithm.persistent else [tiles, 1, launch.split_k]
    assert grid == [*expected, 256, 1, 1, 0]
    driver._lib.fake_stream.restype = ctypes.c_void_p
    assert driver._lib.fake_stream() == stream


def test_the_argument_struct_is_the_one_of_the_header():
    text = (HERE.parents[2] / "src/tilewright/backends/ck_tile/include/tilewright_ck/gemm.hpp").read_text()
    assert f"sizeof(GemmArgs) == {ctypes.sizeof(GemmArgs)}" in text
    body = text[text.index("struct GemmArgs") : text.index("};", text.index("struct GemmArgs"))]
    names = [name + ("[" if name in ("d", "stride_d") else ";") for name, _ in GemmArgs._fields_]
    positions = [re.search(rf"[ *]{re.escape(name)}", body).start() for name in names]
    assert positions == sorted(positions)


def test_memory_is_zeroed_copied_and_given_back_after_an_error(driver):
    data = np.arange(12, dtype=np.int32)
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
    assert driver._lib.fake_live() == 0
    with pytest.raises(TensorError, match="no elements"), on_device(driver, {"x": data[:0]}):
        pass


def test_errors_say_what_failed_and_what_to_do(driver, tmp_path):
    driver._lib.fake_fail(2)
    with pytest.raises(DeviceError, match=r"allocate 1,024 bytes.*out of memory.*free GPU memory"):
        driver.allocate(1024)
    with pytest.raises(LaunchError, match=r"load the kernel k: HIP error 209.*this GPU's arch"):
        driver.load(b"no code object", "k")
    with pytest.raises(LaunchError, match="find the kernel absent"):
        driver.load(CODE, "absent")
    problem = problem_of()
    spec = spec_of(problem)
    stage = GemmStage(Candidate(spec, Launch()), problem, kernel_of(spec, tmp_path))
    with on_device(driver, tensors(problem)) as addresses:
        run = stage.prepare(driver, addresses)
        driver._lib.fake_fail(1)
        with pytest.raises(LaunchError, match=f"launch {spec.name}"):
            run(None)
    with pytest.raises(DeviceError, match="open GPU 3"):
        hip.HipDriver(3, driver._lib._name)


def test_a_kernel_that_was_built_in_part_says_which_device_kernel_it_lacks(driver, tmp_path):
    problem = problem_of()
    spec = spec_of(problem)
    (tmp_path / "kernel.co").write_bytes(CODE)
    stage = GemmStage(Candidate(spec, Launch()), problem, GemmKernel(spec, tmp_path, {"hot_none": "x"}))
    with pytest.raises(LaunchError, match="has no device kernel"):
        stage.prepare(driver, {"a": 1, "b": 1, "out": 1})


def test_a_fork_is_told_instead_of_left_to_hang(driver):
    driver.pid += 1
    with pytest.raises(DeviceError, match=f"this is its fork {os.getpid()}"):
        hip.hip_driver(0)


def test_without_a_runtime_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    monkeypatch.setattr(hip, "NAMES", ("libamdhip64-none.so",))
    with pytest.raises(DeviceError, match="install ROCm"):
        hip.HipDriver()
    assert "install ROCm" in str(hip.missing_gpu())


def test_a_runtime_with_a_gpu_is_not_missing(driver):
    assert hip.missing_gpu() is None
    assert (driver.device_count(), driver.units()) == (1, 3)


@pytest.mark.parametrize(("devices", "number"), [(["cuda:1", "cuda:1"], 1), (["hip"], 0)])
def test_all_tensors_must_be_on_one_gpu(devices, number):
    views = {str(i): TensorView(64, "fp32", (1,), (1,), d, False) for i, d in enumerate(devices)}
    assert ordinal_of(views) == number
    with pytest.raises(TensorError, match="one AMD GPU"):
        ordinal_of({**views, "x": TensorView(64, "fp32", (1,), (1,), "cpu", False)})
