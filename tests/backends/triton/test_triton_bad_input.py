"""What cannot be run is refused with what was got, the limit and the remedy; on a machine without a GPU too."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tilewright.backends.gpu.cuda_driver import CudaDriver
from tilewright.dispatcher import Dispatcher
from tilewright.errors import DeviceError, LaunchError, SelectionError, TensorError, VerificationError
from tilewright.model.tensor import TensorView
from tilewright.ops import problem_from_dict

PROBLEM = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16", "device": "cuda"}


def without_a_driver(monkeypatch: Any) -> None:
    from tilewright.backends.gpu import cuda_driver, detect

    def absent(name: str, *_: Any) -> Any:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", absent)
    detect._driver.cache_clear()
    detect.gpu_devices.cache_clear()
    monkeypatch.setattr(cuda_driver, "_DRIVERS", {})


@pytest.fixture
def no_gpu(monkeypatch: Any) -> Any:
    from tilewright.backends.gpu import detect

    without_a_driver(monkeypatch)
    yield
    monkeypatch.undo()
    detect._driver.cache_clear()
    detect.gpu_devices.cache_clear()


def test_no_gpu(no_gpu: None) -> None:
    from tilewright.backends import get_backend
    from tilewright.backends.gpu.cuda_driver import cuda_driver
    from tilewright.settings import Settings

    with pytest.raises(DeviceError, match="no device found for tensors on 'cuda:0'"):
        Dispatcher().plan(problem_from_dict(PROBLEM))
    with pytest.raises(DeviceError, match=r"libcuda.so.1 was not found.*install the NVIDIA driver"):
        cuda_driver()
    assert "no NVIDIA driver" in (get_backend("triton").missing(Settings()) or "")


class Failing:
    """A driver library that answers one error code to everything."""

    def __init__(self, code: int) -> None:
        self._code = code

    def __getattr__(self, name: str) -> Any:
        if name == "cuGetErrorString":
            return lambda code, text: 0
        return lambda *_: self._code


@pytest.mark.parametrize(
    ("code", "remedy"),
    [(803, "make the driver at least as new"), (100, "CUDA_VISIBLE_DEVICES"), (999, "documentation")],
)
def test_a_driver_that_does_not_fit(monkeypatch: Any, code: int, remedy: str) -> None:
    monkeypatch.setattr("tilewright.backends.gpu.cuda_driver._library", lambda name: Failing(code))
    with pytest.raises(DeviceError, match=rf"initialise the GPU driver: CUDA error {code}.*{remedy}"):
        CudaDriver()


def test_a_kernel_of_another_arch_and_too_much_memory_name_their_remedy() -> None:
    driver = object.__new__(CudaDriver)
    driver._lib = Failing(0)
    with pytest.raises(LaunchError, match="build the kernel for this GPU's arch"):
        driver.check(209, "load the kernel")
    with pytest.raises(DeviceError, match="free GPU memory"):
        driver.check(2, "allocate 5 bytes of GPU memory", DeviceError)


def test_tensors_that_are_not_on_one_gpu() -> None:
    from tilewright.backends.gpu.places import place_of

    def view(device: str) -> TensorView:
        return TensorView(4096, "fp16", (4, 4), (4, 1), device, False)

    assert place_of({"a": view("cuda:1"), "b": view("cuda:1")}) == "cuda:1"
    for devices in (("cuda:0", "cuda:1"), ("cpu", "cpu"), ("cuda:0", "cpu")):
        with pytest.raises(TensorError, match="put all of them on one GPU"):
            place_of({str(i): view(d) for i, d in enumerate(devices)})


def test_a_dtype_that_the_arch_lacks() -> None:
    dispatcher = Dispatcher()
    for arch, dtype in (("sm_80", "fp8"), ("sm_90", "fp8_fnuz"), ("gfx90a", "fp8")):
        explanation = dispatcher.explain(problem_from_dict({**PROBLEM, "dtype": dtype}), arch)
        assert explanation.chosen is None
        assert explanation.counts["triton.gemm.arch_dtype"] > 0


def test_block_scales_where_no_kernel_takes_them() -> None:
    fields = {**PROBLEM, "device": "cpu", "dtype": "fp8", "scale_a": "block", "scale_b": "block"}
    with pytest.raises(SelectionError, match=r"cpu\.gemm\.block_scale"):
        Dispatcher().plan(problem_from_dict(fields))
    explanation = Dispatcher().explain(problem_from_dict({**PROBLEM, "scale_a": "block"}), "sm_90")
    assert explanation.chosen is None
    assert explanation.counts["triton.gemm.block_scale"] > 0


def test_packed_weights_of_another_format() -> None:
    problem = problem_from_dict({**PROBLEM, "layout": "rrr", "b_format": "something"})
    explanation = Dispatcher().explain(problem, "sm_90")
    assert explanation.chosen is None
    packed = problem_from_dict({**PROBLEM, "layout": "rrr", "b_format": "kblock128"})
    chosen = Dispatcher().explain(packed, "sm_90").chosen
    assert chosen is not None
    assert chosen.candidate.spec.algorithm.tile_k == 64


def test_an_unaligned_pointer_takes_a_kernel_that_can(monkeypatch: Any) -> None:
    from dataclasses import replace

    problem = replace(problem_from_dict(PROBLEM), alignment={"a": 2})
    explanation = Dispatcher().explain(problem, "sm_90")
    assert explanation.chosen is not None
    a = explanation.chosen.candidate.spec.algorithm
    assert a.operands == "staged" or a.vector_bytes <= 2
    assert explanation.counts["triton.gemm.alignment"] > 0


def test_the_tier_of_the_device_needs_one() -> None:
    from tilewright.ops import get_op

    problem = problem_from_dict({**PROBLEM, "device": "cpu"})
    tensors = get_op("gemm").random_tensors(problem, 0)
    with pytest.raises(VerificationError, match="needs tensors on a GPU"):
        get_op("gemm").verify(problem, tensors, tensors["out"], tier="device")
