"""AMD GPUs at their places: discovery, dispatch at `hip:0` and `cuda:0`, all over the stand-in for the HIP runtime."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standin_rocm import make_rocm, rocm_machine

pytest.importorskip("triton")

import tilewright
from tilewright.backends import backends_at, device_at, get_backend, place_of
from tilewright.backends.gpu import hip_detect
from tilewright.backends.gpu.hip_driver import hip_driver
from tilewright.dispatcher import Dispatcher
from tilewright.errors import DeviceError, TensorError
from tilewright.jit.arrays import view_of
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

SETTINGS = Settings()
nvidia = any(Path("/dev").glob("nvidia[0-9]*"))
cuda_is_amd = pytest.mark.skipif(nvidia, reason="here cuda:0 is a GPU of NVIDIA")
GEMM = {"op": "gemm", "m": 128, "n": 64, "k": 96, "dtype": "fp16"}


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_rocm(tmp_path_factory.mktemp("rocm"))


@pytest.fixture
def machine(rocm: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with rocm_machine(rocm, "gfx942,gfx1201", monkeypatch):
        yield


@cuda_is_amd
def test_gpus_are_found_with_the_facts_of_the_runtime(machine: None) -> None:
    first, second = hip_detect.hip_devices()
    assert (first.name, first.arch, first.units) == ("MI300X (emulated)", "gfx942", 304)
    assert first.cache_bytes == 256 << 20
    assert (first.bandwidth_gbps, first.l2_bytes, first.memory_bytes) == (5325, 32 << 20, 192 << 30)
    assert (second.arch, second.units, second.nominal) == ("gfx1201", 64, False)
    assert hip_detect.missing_hip() is None
    assert device_at("hip:1", SETTINGS) == second
    assert device_at("cuda:0", SETTINGS) == first, "torch under ROCm calls it so"
    assert place_of("gfx1201", SETTINGS) in ("hip:1", "cuda:1")
    assert backends_at("hip:0") == ["ck_tile", "triton"]
    for name in backends_at("hip"):
        assert [d.arch for d in get_backend(name).devices(SETTINGS)] == ["gfx942", "gfx1201"]
    with pytest.raises(DeviceError, match="hip:2"):
        device_at("hip:2", SETTINGS)


def test_a_machine_may_hide_gpus(rocm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with rocm_machine(rocm, "gfx942,gfx90a,gfx1201", monkeypatch, HIP_VISIBLE_DEVICES="2,0"):
        assert [d.arch for d in hip_detect.hip_devices()] == ["gfx1201", "gfx942"]
    with rocm_machine(rocm, "gfx942", monkeypatch, HIP_VISIBLE_DEVICES=""):
        assert hip_detect.hip_devices() == ()
        assert "HIP_VISIBLE_DEVICES" in str(hip_detect.missing_hip())


def test_a_runtime_that_does_not_answer_is_reported(rocm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with rocm_machine(rocm, "gfx942", monkeypatch):
        monkeypatch.setattr(hip_detect, "runtime_path", lambda: "/nonexistent/libamdhip64.so")
        assert hip_detect.hip_devices() == ()
        assert "does not respond" in str(hip_detect.missing_hip())


def test_models_that_are_known_get_their_rated_figures() -> None:
    facts = {"clock_khz": 2_000_000, "l2_bytes": 1 << 20, "bus_bits": 128, "memory_clock_khz": 1_000_000, "units": 84,
             "memory_bytes": 1 << 30, "arch": "gfx1100"}  # fmt: skip
    rated = hip_detect.device_of({**facts, "name": "AMD Radeon RX 7900 XTX"})
    other = hip_detect.device_of({**facts, "name": "AMD Radeon RX 7900 XT"})
    unknown = hip_detect.device_of({**facts, "name": "AMD Radeon", "arch": "gfx1030"})
    assert (rated.bandwidth_gbps, other.bandwidth_gbps, unknown.bandwidth_gbps) == (960, 32.0, 32.0)
    assert (rated.clock_mhz, other.clock_mhz) == (2500, 2000.0)
    mi300 = hip_detect.device_of({**facts, "name": "AMD Instinct MI300X", "arch": "gfx942", "l2_bytes": 4 << 20})
    assert (mi300.l2_bytes, mi300.llc_bytes) == (32 << 20, 256 << 20), "the runtime tells the L2 of one die"
    assert hip_detect.device_of({**facts, "name": "AMD Instinct", "arch": "gfx942"}).llc_bytes == 256 << 20


@pytest.mark.parametrize("place", ["hip:0", pytest.param("cuda:0", marks=cuda_is_amd)])
def test_the_dispatcher_runs_tensors_that_are_on_the_gpu(machine: None, place: str) -> None:
    """As torch-ROCm tensors and DLPack ones do it: memory of the GPU, known by its address."""
    problem = replace(problem_from_dict(GEMM), device=place)
    op, driver = get_op("gemm"), hip_driver(0)
    arrays = op.random_tensors(replace(problem, device="cpu"), 3)
    views = {}
    for role, array in arrays.items():
        base = array if array.flags["C_CONTIGUOUS"] else array.T
        address = driver.allocate(array.nbytes)
        driver.copy_in(address, base.ctypes.data, array.nbytes)
        views[role] = replace(view_of(array, role), address=address, device=place, owner=None)
    dispatcher = Dispatcher(default_registry(("triton",)))
    for _ in range(2):
        dispatcher.run(problem, **views)
    driver.copy_out(arrays["out"].ctypes.data, views["out"].address, arrays["out"].nbytes)
    verdict = op.verify(replace(problem, device="cpu"), arrays, arrays["out"], tier="float64")
    assert verdict.ok, (verdict.error, verdict.tolerance)
    assert dispatcher.plan(problem).candidate.spec.arch == "gfx942"
    for view in views.values():
        driver.free(view.address)


def test_doctor_speaks_of_the_gpus(machine: None) -> None:
    from tilewright.cli.doctor import _backends

    said = {f.what: f.found for f in _backends(SETTINGS)}
    assert said["triton"] == "MI300X (emulated) (gfx942), RX-9070-XT (emulated) (gfx1201)"


class OnRocm:
    """A DLPack tensor of ROCm: the structure of a NumPy one, with another device in it."""

    def __init__(self, array: Any, number: int = 0) -> None:
        self._array, self._number = array, number

    def __dlpack_device__(self) -> tuple[int, int]:
        return (10, self._number)

    def __dlpack__(self, **_: Any) -> Any:
        return self._array.__dlpack__()


def test_tensors_on_rocm_are_read_through_dlpack() -> None:
    array = np.zeros((4, 6), np.float16)[::2]
    view = view_of(OnRocm(array, 1), "a")
    assert (view.device, view.dtype, view.shape, view.strides) == ("hip:1", "fp16", (2, 6), (12, 1))
    assert view.address == array.ctypes.data
    with pytest.raises(TensorError, match="DLPack dtype"):
        view_of(OnRocm(np.zeros(2, np.uint16)), "a")


def test_numpy_is_not_on_a_gpu(machine: None) -> None:
    problem = replace(problem_from_dict(GEMM), device="hip:0")
    arrays = get_op("gemm").random_tensors(replace(problem, device="cpu"), 3)
    said = r"a is on cpu, the problem is on hip:0: copy host arrays .*to\('cuda:0'\).* or 'emu:gfx942'"
    with pytest.raises(TensorError, match=said):
        Dispatcher(default_registry(("triton",))).run(problem, **arrays)
    assert isinstance(arrays["a"], np.ndarray)
    with pytest.raises(TensorError, match=r"not memory of 'hip:0'.*copy host arrays to the GPU once"):
        tilewright.gemm(arrays["a"], arrays["b"], device="hip:0")
