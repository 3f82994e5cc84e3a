"""Tensors of torch and DLPack, without copying; preshuffled weights."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.errors import SelectionError, TensorError, UnknownNameError
from tilewright.frontends.gemm import pack_weights
from tilewright.jit.dlpack import _DLTensor
from tilewright.model.tensor import PackedTensor

torch = pytest.importorskip("torch", reason="torch is not installed: its tensors are not tested")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn"])
def test_torch_tensors(dtype: str) -> None:
    a, b = torch.randn(33, 65), torch.randn(17, 65)
    a, b = a.to(getattr(torch, dtype)), b.to(getattr(torch, dtype))
    out = torch.empty(33, 17, dtype=torch.float32)
    assert tilewright.gemm(a, b.T, out=out) is out
    want = a.double() @ b.double().T
    assert (out.double() - want).abs().max() < 1e-4


def test_new_output_has_the_kind_of_a() -> None:
    a = torch.ones(3, 4, dtype=torch.bfloat16)
    out = tilewright.gemm(a, a.T)
    assert isinstance(out, torch.Tensor)
    assert out.dtype == torch.bfloat16
    assert out[0, 0].item() == 4.0


class OwnTensor(torch.Tensor):
    """A tensor of a class that another module defines."""


def test_torch_tensors_of_own_classes() -> None:
    import tilewright.torch as tt

    x = torch.randn(1, 4, 2, 32)
    own, rows = x.as_subclass(OwnTensor), x[0, :, 0]
    calls: dict[str, Any] = {
        "gemm": (tilewright.gemm, lambda t: (t[0, :, 0], rows.T)),
        "gemm of bf16": (tilewright.gemm, lambda t: (t[0, :, 0].bfloat16(), rows.T.bfloat16())),
        "attention": (tilewright.attention, lambda t: (t, x, x)),
        "matmul": (tt.matmul, lambda t: (t[0, :, 0], rows.T)),
        "linear": (tt.linear, lambda t: (t[0, :, 0], rows)),
        "addmm": (tt.addmm, lambda t: (x[0, 0, 0, :4], t[0, :, 0], rows.T)),
        "conv": (tt.conv, lambda t: (t.reshape(1, 4, 8, 8), x.reshape(1, 4, 8, 8))),
    }
    for name, (call, values) in calls.items():
        got = call(*values(own))
        assert isinstance(got, torch.Tensor), name
        torch.testing.assert_close(got.as_subclass(torch.Tensor), call(*values(x)), rtol=0, atol=0)


class OnlyDlpack:
    def __init__(self, array: Any) -> None:
        self._array = array
        self.shape = array.shape

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def test_torch_tensors_that_are_more_than_their_memory_are_refused() -> None:
    from torch._subclasses import FakeTensorMode

    x, y = torch.ones(4, 4), torch.full((4, 4), 2.0)
    with FakeTensorMode():
        fake = torch.ones(4, 4)
    odd = {
        "requires a gradient": torch.ones(4, 4, requires_grad=True),
        "layout torch.sparse_coo": x.to_sparse(),
        "negated view": torch._neg_view(x),
        "no memory": fake,
        "on meta": x.to("meta"),
    }
    for _ in range(2):  # the second time a remembered call of plain tensors would be found
        for message, tensor in odd.items():
            with pytest.raises(TensorError, match=message):
                tilewright.gemm(tensor, y)
        torch.testing.assert_close(tilewright.gemm(x, y), x @ y)


def test_missing_tensors_and_foreign_dtypes_are_named() -> None:
    a = np.ones((4, 4), np.float32)
    with pytest.raises(TensorError, match="b is missing"):
        tilewright.gemm(a, None)
    with pytest.raises(TensorError, match=r"2 mistakes: .*k is missing.*v is missing"):
        tilewright.attention(np.ones((1, 2, 2, 32), np.float32), None, None)
    with pytest.raises(TensorError, match="input is missing"):
        tilewright.conv(None, np.ones((1, 1, 1, 1), np.float32))
    with pytest.raises(UnknownNameError, match="dtype of d0 'int64'"):
        tilewright.gemm(a, a, d=np.ones(4, np.int64))


def test_dlpack_objects() -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = np.empty((2, 2), np.float32)
    tilewright.gemm(OnlyDlpack(a), OnlyDlpack(a.T), out=out)
    np.testing.assert_array_equal(out, a @ a.T)


class Strange(OnlyDlpack):
    """A tensor of a library whose methods do what `device` and `capsule` do."""

    def __init__(self, device: Any, capsule: Any) -> None:
        super().__init__(np.ones((2, 2), np.float32))
        self._device, self._capsule = device, capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule()

    def __dlpack_device__(self) -> Any:
        return self._device()


def raises(error: Exception) -> Any:
    def call() -> Any:
        raise error

    return call


def capsule_of(dimensions: int, sizes: tuple[int, ...] | None, address: int) -> Any:
    """Return a function that makes a capsule of a tensor in GPU memory."""
    strides, offset = None, 0
    made = _DLTensor(address, 2, 0, dimensions, 2, 32, 1, None, strides, offset)
    if sizes is not None:
        made.shape = ctypes.cast((ctypes.c_int64 * len(sizes))(*sizes), ctypes.POINTER(ctypes.c_int64))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)

    def make(kept: Any = made) -> Any:
        return new(ctypes.addressof(kept), b"dltensor", None)

    return make


STRANGE = {
    "a device that is no number": Strange(lambda: ("gpu", 0), lambda: None),
    "a device that is no pair": Strange(lambda: 1, lambda: None),
    "an error for the device": Strange(raises(RuntimeError("lost")), lambda: None),
    "an error for memory of the host": Strange(lambda: (1, 0), raises(KeyError("lost"))),
    "an error for memory of a GPU": Strange(lambda: (2, 0), raises(OSError("lost"))),
    "no capsule": Strange(lambda: (2, 0), lambda: 7),
    "no sizes": Strange(lambda: (2, 0), capsule_of(2, None, 4096)),
    "a negative number of dimensions": Strange(lambda: (2, 0), capsule_of(-1, (2, 2), 4096)),
    "a negative size": Strange(lambda: (2, 0), capsule_of(2, (-2, 2), 4096)),
    "no memory": Strange(lambda: (2, 0), capsule_of(2, (2, 2), 0)),
    "too large": Strange(lambda: (2, 0), capsule_of(2, (2**62, 2**62), 4096)),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_dlpack_objects_are_refused_by_role(name: str) -> None:
    with pytest.raises(TensorError, match=r"^a "):
        tilewright.gemm(STRANGE[name], np.ones((2, 2), np.float32))


def test_an_array_of_another_byte_order_says_so() -> None:
    a = np.ones((2, 2), np.float32)
    for wrong in (a.astype(a.dtype.newbyteorder()), a.astype(np.float16).astype(np.dtype("f2").newbyteorder())):
        with pytest.raises(TensorError, match=r"byte order of another machine.*newbyteorder"):
            tilewright.gemm(a, wrong)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("m", [1, 5, 70])
def test_preshuffled_weights(dtype: str, m: int) -> None:
    if dtype == "int8":
        a, b = (torch.randint(-100, 100, s, dtype=torch.int8) for s in ((m, 100), (100, 75)))
    else:
        a, b = (torch.randn(s).to(getattr(torch, dtype)) for s in ((m, 100), (100, 75)))
    packed = pack_weights(b, m_hint=m)
    assert isinstance(packed, PackedTensor)
    out = tilewright.gemm(a, packed)
    want = a.double() @ b.double()
    tolerance = {"float32": 1e-4, "float16": 0.05, "bfloat16": 0.4, "int8": 0}[dtype]
    assert (out.double() - want).abs().max() <= tolerance


def test_a_foreign_format_is_refused_by_rule() -> None:
    a, b = np.ones((2, 64), np.float32), np.ones((64, 32), np.float32)
    packed = pack_weights(b)
    foreign = PackedTensor("cpu.v0.fma.fp32.nr64", packed.dtype, packed.shape, packed.storage)
    with pytest.raises(SelectionError, match=r"cpu\.gemm\.packed_b"):
        tilewright.gemm(a, foreign)


def test_batches_are_not_packed() -> None:
    with pytest.raises(TensorError, match="pack_weights packs one"):
        pack_weights(np.ones((2, 4, 4), np.float32))
