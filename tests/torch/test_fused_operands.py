"""What a model adds to fused layers or multiplies with them: tensors of any shape and dtype, and numbers of the graph.

Each net is compared with its fused self in values, dtype and shape.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fused")
from torch import nn

from tilewright.torch import patch

# Layers whose images are as wide as they have channels: every operand below fits each of them.
KINDS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(8, 8), (3, 8, 8)),
    "vector": (lambda: nn.Linear(8, 8), (8,)),
    "wide linear": (lambda: nn.Linear(64, 64), (3, 64)),
    "conv1d": (lambda: nn.Conv1d(8, 8, 1), (2, 8, 8)),
    "conv2d": (lambda: nn.Conv2d(8, 8, 3, padding=1, bias=False), (2, 8, 8, 8)),
    "unbatched conv1d": (lambda: nn.Conv1d(8, 8, 1), (8, 8)),
    "unbatched conv2d": (lambda: nn.Conv2d(8, 8, 1), (8, 8, 8)),
    "norm": (lambda: nn.Sequential(nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8)), (2, 8, 8, 8)),
    "unbatched norm": (lambda: nn.Sequential(nn.Conv1d(8, 8, 1), nn.BatchNorm1d(8)), (8, 8)),
}
TENSORS: dict[str, Callable[[Any], Any]] = {
    "same": lambda x: x * 3.0,
    "row": lambda x: x.reshape(-1, x.shape[-1]).mean(0),
    "column": lambda x: x[..., :1] * 3.0,
    "first": lambda x: x[:1] * 3.0,
    "0-d": lambda x: x.mean(),
    "one": lambda x: x.mean().reshape(1),
    "wide row": lambda x: x.reshape(-1, x.shape[-1]).double().mean(0),
    "wide 0-d": lambda x: x.mean().double(),
    "more": lambda x: torch.stack([x, x * 2.0]),
    "integers": lambda x: (x * 3.0).to(torch.int32),
    "truth": lambda x: x > 0,
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "size": lambda x: x.shape[-1],
    "root": lambda x: x.shape[-1] ** -0.5,
    "item": lambda x: x.sum().item(),
    "truth of sizes": lambda x: x.shape[-1] > 2,
    "complex": lambda x: x.sum().item() * 1j,
}
OPERANDS = TENSORS | NUMBERS


class Summed(nn.Module):
    def __init__(self, kind: str, operand: str, how: Callable[[Any, Any], Any], end: Callable[[Any], Any]) -> None:
        super().__init__()
        self.layer, self.operand, self.how, self.end = KINDS[kind][0](), OPERANDS[operand], how, end

    def forward(self, x: Any) -> Any:
        return self.end(self.how(self.layer(x), self.operand(x)))


class Multiplied(nn.Module):
    def __init__(self, layer: nn.Module, operand: str, how: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.layer, self.operand, self.how = layer, OPERANDS[operand], how

    def forward(self, x: Any) -> Any:
        return self.layer(self.how(x, self.operand(x)))


@torch.no_grad()
def wrong(net: nn.Module, x: Any, part: str, cast: Any = None) -> str | None:
    """Return what is wrong with the fused net; it is called twice, as calls are remembered."""
    with contextlib.nullcontext() if cast is None else torch.autocast("cpu", cast):
        net = net.eval()
        try:
            want = net(x)
        except Exception:
            return None  # torch adds no such operand
        with patch(net, fuse=True, only=()) as patched:
            try:
                got = [net(x), net(x)]
            except Exception as error:
                return repr(error)
    assert not part or any(part in entry.kind for entry in patched.report.taken)
    tolerance = 1e-4 if x.dtype is torch.float32 and cast is None else 5e-2
    for each in got:
        if each.dtype is not want.dtype or each.shape != want.shape:
            return f"{each.dtype} {tuple(each.shape)} for {want.dtype} {tuple(want.shape)}"
        wide = torch.complex128 if want.is_complex() else torch.float64
        if not torch.allclose(each.to(wide), want.to(wide), rtol=tolerance, atol=tolerance):
            return "other numbers"
    return None


WAYS: tuple[tuple[Any, Any], ...] = ((torch.float32, None), (torch.bfloat16, None), (torch.float32, torch.bfloat16))
SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "reversed +": lambda y, other: other + y, "torch.add": torch.add,
    "+=": operator.iadd, "reversed +=": lambda y, other: operator.iadd(other, y),
    "add_": lambda y, other: y.add_(other),
}  # fmt: skip
ENDS: dict[str, Callable[[Any], Any]] = {
    "none": lambda y: y, "relu": torch.relu, "gelu": nn.functional.gelu,
}  # fmt: skip


RARE = ("vector", "conv1d", "unbatched conv1d", "unbatched conv2d")


@pytest.mark.parametrize(("dtype", "cast"), WAYS)
@pytest.mark.parametrize("kind", [pytest.param(k, marks=[pytest.mark.exhaustive] if k in RARE else []) for k in KINDS])
def test_a_summand_of_any_kind(kind: str, dtype: Any, cast: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(KINDS[kind][1]).to(dtype)
    found = {
        (operand, end): wrong(Summed(kind, operand, operator.add, ENDS[end]).to(dtype), x, "add", cast)
        for operand, end in product(OPERANDS, ENDS)
    }
    assert not {case: why for case, why in found.items() if why}


# Each way of writing a sum with a linear layer, and some of them with each other kind of layer.
IN_PLACE = [
    pytest.param(how, kind, marks=() if kind == "linear" or n % 3 == m else pytest.mark.exhaustive)
    for m, kind in enumerate(("linear", "conv1d", "norm")) for n, how in enumerate(SUMS)
]  # fmt: skip


@pytest.mark.parametrize(("how", "kind"), IN_PLACE)
def test_a_sum_in_place_has_the_dtype_of_what_it_writes(how: str, kind: str) -> None:
    torch.manual_seed(0)
    found = {
        (operand, dtype, cast, end): wrong(
            Summed(kind, operand, SUMS[how], ENDS[end]).to(dtype), torch.randn(KINDS[kind][1]).to(dtype), "", cast
        )
        for operand, (dtype, cast), end in product(OPERANDS, WAYS, ("none", "relu"))
    }
    assert not {case: why for case, why in found.items() if why}


class Permuted(nn.Module):
    """A linear layer over channels, whose permuted result is scaled and added to something, as ConvNeXt has it."""

    def __init__(self, factor: Any, operand: str | None, how: Callable[[Any, Any], Any] = operator.mul) -> None:
        super().__init__()
        self.layer, self.factor, self.how = nn.Linear(8, 8), nn.Parameter(factor, requires_grad=False), how
        self.operand = OPERANDS.get(operand)

    def forward(self, x: Any) -> Any:
        found = self.how(self.layer(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2), self.factor)
        return found if self.operand is None else found + self.operand(x)


FACTORS = {"channels": (8, 1, 1), "whole": (1, 8, 1, 1), "one": (1,), "number": ()}


@pytest.mark.parametrize("factor", FACTORS)
def test_a_permuted_result_with_factors_of_any_dtype(factor: str) -> None:
    torch.manual_seed(0)
    scales = (operator.mul, lambda y, other: y.mul_(other))
    found = {}
    for narrow, (dtype, cast), i, operand in product(
        (torch.float32, torch.bfloat16, torch.float64, torch.complex64), WAYS, (0, 1), (None, "same", "row", "wide row")
    ):
        net = Permuted(torch.randn(FACTORS[factor]).to(narrow), operand, scales[i])
        net.layer.to(dtype)
        found[narrow, dtype, cast, i, operand] = wrong(net, torch.randn(2, 8, 8, 8).to(dtype), "", cast)
    assert not {case: why for case, why in found.items() if why}


@pytest.mark.parametrize("operand", OPERANDS)
def test_a_permuted_result_and_a_summand_of_any_kind(operand: str) -> None:
    torch.manual_seed(0)
    assert not wrong(Permuted(torch.randn(8, 1, 1), operand), torch.randn(2, 8, 8, 8), "add")


POINTWISE = ("conv1d", "unbatched conv1d", "unbatched conv2d", "norm", "unbatched norm")
PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {"*": operator.mul, "reversed *": lambda x, other: other * x}


@pytest.mark.parametrize("kind", POINTWISE)
@pytest.mark.parametrize("how", PRODUCTS)
def test_a_factor_of_any_kind(how: str, kind: str) -> None:
    torch.manual_seed(0)
    found = {
        (operand, dtype, cast): wrong(
            Multiplied(KINDS[kind][0](), operand, PRODUCTS[how]).to(dtype),
            torch.randn(KINDS[kind][1]).to(dtype), "scale", cast,
        )
        for operand, (dtype, cast) in product(OPERANDS, WAYS)
    }  # fmt: skip
    assert not {case: why for case, why in found.items() if why}
