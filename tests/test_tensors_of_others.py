"""Tensors of torch and DLPack, without copying; preshuffled weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.errors import SelectionError, TensorError, UnknownNameError
from tilewright.frontends.gemm import pack_weights
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
