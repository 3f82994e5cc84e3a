"""Floating-point operations as `FlopCounterMode` counts them: a patched model has those of torch's own."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is counted")

from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode, flop_registry

import tilewright.torch as tt
from tilewright.torch.flops import FORMULAS
from tilewright.torch.registration import LIBRARY


def counted(call: Any, *given: Any) -> int:
    with FlopCounterMode(display=False) as counter:
        call(*given)
    return int(counter.get_total_flops())


def trained(model: Any, *given: Any) -> Any:
    return lambda: model(*given).sum().backward()


class Attends(nn.Module):
    """torch's function of attention, whose kernels for CPUs torch does not count: by products, then."""

    def forward(self, q: Any, k: Any) -> Any:
        with sdpa_kernel(SDPBackend.MATH):
            return nn.functional.scaled_dot_product_attention(q, k, k)


MODELS = {
    "linear": (nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)), (5, 16)),
    "stacked rows": (nn.Linear(16, 32), (2, 3, 16)),
    "conv": (nn.Conv2d(4, 8, 3, stride=2, padding=1), (2, 4, 9, 9)),
    "transposed": (nn.ConvTranspose2d(4, 8, 3, stride=2), (2, 4, 5, 5)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_patched_model_has_torchs_count(name: str) -> None:
    model, shape = MODELS[name]
    x = torch.randn(shape, requires_grad=True)
    want = counted(model, x), counted(trained(model, x))
    with tt.patch(model):
        assert (counted(model, x), counted(trained(model, x))) == want
    assert want[1] == 3 * want[0] > 0


@pytest.mark.parametrize("groups", [1, 4])
def test_gradients_of_a_grouped_convolution_take_twice_as_many(groups: int) -> None:
    """torch counts its gradient of a grouped convolution's weight once for each group, as if there were none."""
    model, x = nn.Conv2d(8, 8, 3, groups=groups), torch.randn(2, 8, 6, 6, requires_grad=True)
    want = counted(model, x)
    with tt.patch(model):
        assert (counted(model, x), counted(trained(model, x))) == (want, 3 * want)


def test_attention_has_the_count_of_its_products() -> None:
    q, k = torch.randn(2, 4, 6, 32, requires_grad=True), torch.randn(2, 4, 10, 32, requires_grad=True)
    model = Attends()
    want = counted(model, q, k)
    with tt.patch(model):
        assert counted(model, q, k) == want == 2 * 2 * 4 * 6 * 10 * 64
        # torch's formula for its fused kernels: they compute the scores again
        assert counted(trained(model, q, k)) == want + 2 * 2 * 4 * 6 * 10 * (3 * 32 + 2 * 32)


def test_sequences_of_several_lengths() -> None:
    rows, ends = torch.randn(5, 2, 32), torch.tensor([0, 2, 5], dtype=torch.int32)
    assert counted(lambda: tt.attention_varlen(rows, rows, rows, ends, ends, 3, 3)) == 2 * 2 * (4 + 9) * 64
    cache, lengths = torch.randn(2, 8, 2, 32), torch.tensor([3, 8], dtype=torch.int32)
    assert counted(lambda: tt.attention_decode(torch.randn(2, 1, 4, 32), cache, cache, lengths)) == 2 * 4 * 11 * 64
    assert counted(lambda: tt.attention_decode(torch.randn(2, 1, 4, 32), cache, cache)) == 2 * 4 * 16 * 64
    pages = torch.tensor([[1, 0], [0, 1]], dtype=torch.int32)
    keys = torch.tensor([2, 11], dtype=torch.int32)
    found = counted(lambda: tt.attention_prefill(torch.randn(5, 4, 32), cache, cache, ends, 3, keys, page_table=pages))
    assert found == 2 * 4 * (2 * 2 + 3 * 11) * 64


def test_operators_of_compiled_programs() -> None:
    """Dynamo compiles nothing under a counter, so they are called by themselves."""
    from tilewright.torch.compile import operators as ops

    a, b = torch.randn(3, 5, 16), torch.randn(3, 16, 8)
    assert counted(ops.PRODUCT, a, b, None, None, None, "relu", 1.0) == counted(torch.bmm, a, b)
    images, filters, geometry = torch.randn(2, 4, 9, 9), torch.randn(8, 4, 3, 3), ([2, 2], [1, 1], [1, 1])
    result = torch.nn.functional.conv2d(images, filters, None, *geometry)
    want = counted(torch.nn.functional.conv2d, images, filters, None, *geometry)
    given = (*geometry, 1, "none", True)
    assert counted(ops.CONVOLUTION, images, filters, None, None, None, *given) == want
    assert counted(ops.CONVOLUTION_DATA, result, filters, [9, 9], *geometry, 1, True) == want
    assert counted(ops.CONVOLUTION_WEIGHT, images, result, [3, 3], *geometry, 1, True) == want
    each = torch.randn(2, 8, 4)
    assert counted(ops.CONVOLUTION_EACH, images, each, None, None, "none", True) == 2 * 2 * 81 * 8 * 4


def test_every_operator_has_a_formula() -> None:
    import tilewright.torch.compile.operators  # noqa: F401  # defines its own

    defined = {name.removeprefix("tilewright::").split(".")[0] for name in LIBRARY._op_defs}
    assert defined - {"append_kv", "append_kv_rotated"} == set(FORMULAS)
    assert all(getattr(torch.ops.tilewright, name) in flop_registry for name in FORMULAS)
