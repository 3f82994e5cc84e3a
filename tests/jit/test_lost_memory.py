"""Tensors that lost their memory, or got other memory, end in an error: in prepared, remembered and bound calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import TensorError
from tilewright.model.tensor import TensorView

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")

LOST: dict[str, Callable[[Any], None]] = {
    "resize_": lambda t: t.untyped_storage().resize_(0),
    "set_": lambda t: t.set_(torch.zeros(8, 8)),
    "data": lambda t: setattr(t, "data", torch.zeros(8, 8)),
}


def _square() -> Any:
    return torch.ones(8, 8)


@pytest.mark.parametrize("role", ["a", "b", "out"])
def test_a_remembered_call_sees_that_a_tensor_has_no_memory(role: str) -> None:
    given = {"a": _square(), "b": _square(), "out": _square()}
    for _ in range(3):  # planned, prepared, remembered in C
        tw.gemm(given["a"], given["b"], out=given["out"])
    LOST["resize_"](given[role])
    with pytest.raises(TensorError, match=f"{role} has no memory"):
        tw.gemm(given["a"], given["b"], out=given["out"])


def test_a_tensor_of_zeros_without_memory_is_refused_where_a_plain_one_was_taken() -> None:
    for _ in range(3):
        tw.gemm(_square(), _square())
    with pytest.raises(TensorError, match="b has no memory"):
        tw.gemm(_square(), torch._efficientzerotensor(8, 8))


def test_a_patched_layer_whose_weight_lost_its_memory_ends_in_an_error() -> None:
    import tilewright.torch as tt

    layer = torch.nn.Linear(64, 64).eval()
    with tt.patch(layer), torch.no_grad():  # undone: the patch replaces torch's attention for the whole process
        for _ in range(3):
            layer(torch.zeros(8, 64))
        layer.weight.untyped_storage().resize_(0)
        with pytest.raises((TensorError, RuntimeError)):
            layer(torch.zeros(8, 64))


@pytest.mark.parametrize("role", ["a", "b", "out"])
@pytest.mark.parametrize("way", LOST)
def test_a_bound_call_sees_that_a_tensor_has_other_memory(way: str, role: str) -> None:
    given = {"a": _square(), "b": _square(), "out": _square()}
    problem = tw.problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    bound = tw.Dispatcher().bind(problem, **given)
    for _ in range(2):
        assert bound() is given["out"]
    LOST[way](given[role])
    with pytest.raises(TensorError, match=rf"{role} has other memory than when it was bound.*bind the plan again"):
        bound()


def test_a_bound_call_of_numpy_goes_on() -> None:
    a, b, out = (np.ones((8, 8), np.float32) for _ in range(3))
    problem = tw.problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    bound = tw.Dispatcher().bind(problem, a=a, b=b, out=out)
    a[:] = 2
    assert (bound() == 16).all()


class Liar(np.ndarray[Any, Any]):
    """An array that claims to lie elsewhere."""

    @property
    def __array_interface__(self) -> dict[str, Any]:  # type: ignore[override]
        return {"data": (16, False), "shape": self.shape, "typestr": "<f4", "version": 3}


def test_an_array_that_claims_another_address_is_read_where_it_is() -> None:
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    for _ in range(3):
        assert np.array_equal(np.asarray(tw.gemm(a.view(Liar), a)), a @ a)


@pytest.mark.parametrize(
    ("address", "shape", "strides", "said"),
    [
        (0, (8, 8), (8, 1), "64 elements and no memory"),
        (2**63, (8, 8), (8, 1), "64 bits do not address"),
        (64, (8, 8), (-8, 1), "64 bits do not address"),
        (4096, (8, 8), (8,), "a stride for each size"),
        (4096, (8, -8), (8, 1), "no negative size"),
        (4096, (8, 8.0), (8, 1), "whole numbers"),
        ("4096", (8, 8), (8, 1), "whole numbers"),
    ],
)
def test_a_view_made_by_hand_is_checked(address: Any, shape: Any, strides: Any, said: str) -> None:
    with pytest.raises(TensorError, match=said):
        tw.gemm(TensorView(address, "fp32", shape, strides, "cpu", False), np.ones((8, 8), np.float32))


def test_a_nested_tensor_is_refused_in_words() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(3, 3)])
    with pytest.raises(TensorError, match="a is a nested tensor"):
        tw.gemm(nested, _square())
