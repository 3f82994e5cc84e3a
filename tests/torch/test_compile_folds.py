"""Operations with one number per channel after a convolution: folded in fp32, for operands of any dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import rewritten
from torch import nn

from tilewright.errors import TilewrightError
from tilewright.torch.compile import folds, rewrite, sites

Operation = Callable[[Any, Any, Any], Any]
OPERATIONS: dict[str, Operation] = {
    "add": lambda y, g, h: y + g,
    "add twice": lambda y, g, h: y + g + h,
    "sub": lambda y, g, h: y - g,
    "sub twice": lambda y, g, h: y - g - h,
    "mul": lambda y, g, h: y * g,
    "mul twice": lambda y, g, h: y * g * h,
    "mul, add": lambda y, g, h: y * g + h,
    "add, mul": lambda y, g, h: (y + g) * h,
    "sub, mul, add, mul": lambda y, g, h: ((y - g) * h + h) * g,
    "mul, relu": lambda y, g, h: torch.relu(y * g),
    "mul, residual": lambda y, g, h: y * g + torch.ones_like(y),
}
OPERANDS = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float32]
PLACES = [("cpu",), ()]  # where kernels multiply by a factor; elsewhere the weight is multiplied before, as on a GPU


class Folded(nn.Module):
    """A convolution for each operation and dtype, without a bias and with one."""

    def __init__(self, dtype: Any, bias: bool) -> None:
        super().__init__()
        self.dtype = dtype
        self.cases = [
            (name, kind) for name in OPERATIONS for kind in OPERANDS
            if kind is not torch.bool or "sub" not in name  # torch subtracts no bools
        ]  # fmt: skip
        self.convs = nn.ModuleList([nn.Conv2d(3, 4, 1, bias=bias, dtype=dtype) for _ in self.cases])

    def forward(self, x: Any, g: Any, h: Any) -> Any:
        pairs = zip(self.cases, self.convs, strict=True)
        return [OPERATIONS[name](conv(x), g[kind], h[kind]).to(self.dtype) for (name, kind), conv in pairs]


def _operands(start: float) -> dict[Any, Any]:
    """Numbers whose sums and products do not fit into 8 bit, or are rounded in 16 bit."""
    values = torch.linspace(start, 120.5, 4).reshape(4, 1, 1)
    return {kind: values.to(kind) for kind in OPERANDS}


@pytest.mark.parametrize("places", PLACES, ids=["by the kernel", "before"])
@pytest.mark.parametrize("bias", [pytest.param(False, marks=pytest.mark.exhaustive), True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_operands_of_any_dtype(dtype: Any, bias: bool, places: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MULTIPLYING", places)
    model, given = Folded(dtype, bias), (torch.randn(2, 3, 2, 2, dtype=dtype), _operands(90.25), _operands(70.25))
    compiled, report = rewritten(model)
    with torch.no_grad():
        got, want = compiled(*given), model(*given)
    tolerance = 1e-5 if dtype is torch.float32 else 5e-2
    wrong = [
        case for case, ours, theirs in zip(model.cases, got, want, strict=True)
        if float((ours.float() - theirs.float()).abs().max()) > tolerance * float(theirs.float().abs().max())
    ]  # fmt: skip
    assert not wrong
    assert len(report.taken) == len(model.cases)


@pytest.mark.parametrize("shape", [(), (1,), (4, 1, 1), (1, 4, 1, 1)])
def test_one_factor_is_folded_without_a_shift(shape: tuple[int, ...]) -> None:
    """As LayerScale has it."""
    conv, gain = nn.Conv2d(3, 4, 3, bias=False), torch.randn(shape)
    compiled, report = rewritten(lambda x: torch.relu(conv(x) * gain))
    x = torch.randn(2, 3, 5, 5)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), torch.relu(conv(x) * gain), rtol=1e-4, atol=1e-4)
    (entry,) = report.taken
    assert entry.computes == ("convolution + norm + relu" if 4 in shape else "convolution")


def test_a_site_that_cannot_be_replaced_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is computed by Inductor then; what the attempt put into the graph is removed."""
    made = folds.folded

    def failing(graph: Any, site: Any, weight: Any) -> Any:
        made(graph, site, weight)
        raise TilewrightError("not this one")

    monkeypatch.setattr(sites, "MULTIPLYING", ())
    monkeypatch.setattr(rewrite, "folded", failing)
    one, two = nn.Conv2d(3, 4, 3, bias=False), nn.Conv2d(4, 4, 1)
    gain = torch.randn(4, 1, 1)
    compiled, report = rewritten(lambda x: two(one(x) * gain + gain))
    x = torch.randn(2, 3, 5, 5)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), two(one(x) * gain + gain), rtol=1e-4, atol=1e-4)
    assert [entry.reason for entry in report.left] == ["not this one"]
    assert [entry.computes for entry in report.taken] == ["convolution"]
