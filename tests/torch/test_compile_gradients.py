"""Gradients that go back through an activation, taken into the product before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import assert_same
from torch import nn
from torch.nn import functional

from tilewright.ops.gemm.epilogue import ACTIVATIONS
from tilewright.ops.gemm.on_device import activated

# Their forward pass keeps its result, or where that is flat, which says enough about the gradient.
KEPT_OTHERWISE = ("relu", "relu6", "sigmoid", "tanh")


class Mlp(nn.Module):
    """Two layers with something between them, and a residual."""

    def __init__(self, between: Callable[[Any], Any], dtype: Any = torch.float32) -> None:
        super().__init__()
        self.wide, self.narrow, self.between = nn.Linear(24, 40), nn.Linear(40, 24), between
        self.to(dtype)

    def forward(self, x: Any) -> Any:
        return self.narrow(self.between(self.wide(x))) + x


def trained(between: Callable[[Any], Any], dtype: Any = torch.float32, **options: Any) -> list[str]:
    """Train the layers once, and compare; return what was taken."""
    torch.manual_seed(0)
    x = torch.randn(2, 9, 24).to(dtype).requires_grad_()
    return assert_same(Mlp(between, dtype), x, grad=True, **options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name != "none"])
def test_every_activation(name: str, dtype: Any) -> None:
    taken = trained(lambda x: activated(x, name), dtype)
    assert (f"mm + gradient of {name}" in taken) == (name not in KEPT_OTHERWISE), taken


def test_sizes_that_change() -> None:
    assert "mm + gradient of gelu_erf" in trained(functional.gelu, dynamic=True)


@pytest.mark.parametrize(
    "between",
    [
        lambda x: functional.gelu(x) * x,
        lambda x: functional.gelu(x) + functional.gelu(x + 1.0),
        lambda x: functional.gelu(2.0 * x),
        lambda x: functional.gelu(x.mT).mT,
        lambda x: x * (0.3 + torch.erf(x * 0.7071067811865476)) * 0.5,
        lambda x: functional.gelu(x) * functional.dropout(torch.ones_like(x), 0.0),
        lambda x: functional.gelu(functional.gelu(x)),
    ],
    ids=["twice", "two of them", "scaled", "turned", "another function", "times ones", "nested"],
)
def test_what_only_looks_like_it_has_the_same_gradients(between: Callable[[Any], Any]) -> None:
    trained(between)


def test_a_gradient_that_something_else_reads_is_kept() -> None:
    class Penalty(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mlp = Mlp(functional.gelu)

        def forward(self, x: Any) -> Any:
            hidden = functional.gelu(self.mlp.wide(x))
            return self.mlp.narrow(hidden) + hidden.sum(-1, keepdim=True)

    torch.manual_seed(0)
    assert_same(Penalty(), torch.randn(5, 24, requires_grad=True), grad=True)
