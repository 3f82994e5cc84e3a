"""Residuals of fused layers: of any dtype and shape, with and without autocast, the result is that of torch's `+`."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fused")
from torch import nn

from tilewright.torch import patch

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
RESIDUALS = (*DTYPES, torch.float64, torch.int64, torch.uint8, torch.bool)
CASTS = (None, torch.bfloat16)
INPUTS = {"linear": (3, 4, 8), "conv": (2, 8, 5, 4), "scaled conv": (1, 8, 5, 4)}
OF_ROWS = {
    "row": lambda x: x[0, 0], "column": lambda x: x[..., :1], "number": lambda x: x[0, 0, 0],
    "one": lambda x: x[0, 0, :1], "one each": lambda x: x[:, :1], "shared": lambda x: x[0],
    "more": lambda x: torch.stack([x, x]), "ones": lambda x: x[:1, :1, :1],
}  # fmt: skip
OF_IMAGES = {
    "channels": lambda x: x[0, :, :1, :1], "pixels": lambda x: x[:, :1], "number": lambda x: x[0, 0, 0, 0],
    "one": lambda x: x[0, 0, 0, :1], "rows": lambda x: x[..., :1], "shared": lambda x: x[:1],
    "more": lambda x: torch.stack([x, x]), "ones": lambda x: x[:1, :1, :1, :1],
}  # fmt: skip


class Net(nn.Module):
    """A layer of the input, and a residual that is made from the input: of another dtype or shape."""

    def __init__(self, kind: str, dtype: Any, residual: Any, relu: bool) -> None:
        super().__init__()
        self.layer = (nn.Linear(8, 8) if kind == "linear" else nn.Conv2d(8, 8, 1)).to(dtype)
        self.dtype, self.kind, self.residual, self.relu = dtype, kind, residual, relu

    def forward(self, x: Any) -> Any:
        given = x.to(self.dtype)
        if self.kind == "scaled conv":
            given = given * given.mean((2, 3), keepdim=True)
        found = self.layer(given) + self.residual(x)
        return torch.relu(found) if self.relu else found


@torch.no_grad()
def _wrong(net: Net, x: Any, cast: Any) -> str | None:
    """Return what is wrong with the fused net: the layer is asked for twice, as calls are remembered."""
    context = contextlib.nullcontext() if cast is None else torch.autocast("cpu", cast)
    net = net.eval()
    with context:
        want = net(x)
        with patch(net, fuse=True, only=()) as patched:
            try:
                got = [net(x), net(x)]
            except Exception as error:
                return repr(error)
    assert any("add" in entry.kind for entry in patched.report.taken)
    tolerance = 1e-4 if net.dtype is torch.float32 and cast is None else 5e-2
    for each in got:
        if each.dtype is not want.dtype or each.shape != want.shape:
            return f"{each.dtype} {tuple(each.shape)} for {want.dtype} {tuple(want.shape)}"
        if not torch.allclose(each.double(), want.double(), rtol=tolerance, atol=tolerance):
            return "other numbers"
    return None


@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.parametrize("kind", INPUTS)
def test_a_residual_of_any_dtype(kind: str, cast: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(INPUTS[kind])
    found = {
        (dtype, residual, relu): _wrong(Net(kind, dtype, lambda x, to=residual: (x * 3.0).to(to), relu), x, cast)
        for dtype, residual, relu in itertools.product(DTYPES, RESIDUALS, (False, True))
    }
    assert not {case: wrong for case, wrong in found.items() if wrong}


@pytest.mark.parametrize("kind", INPUTS)
def test_a_residual_of_any_shape(kind: str) -> None:
    torch.manual_seed(0)
    x, shapes = torch.randn(INPUTS[kind]), OF_ROWS if kind == "linear" else OF_IMAGES
    found = {
        (name, dtype, relu): _wrong(Net(kind, dtype, lambda x, cut=shapes[name]: cut(x) * 3.0, relu), x.to(dtype), None)
        for name, dtype, relu in itertools.product(shapes, DTYPES[:2], (False, True))
    }
    assert not {case: wrong for case, wrong in found.items() if wrong}
