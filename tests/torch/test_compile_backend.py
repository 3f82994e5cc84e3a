"""`torch.compile(model, backend="tilewright")` with all of Inductor behind it. Each compilation takes seconds."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.torch.compile import rewrite
from tilewright.torch.compile.backend import register


class Net(nn.Module):
    """Convolutions with a norm and a residual, attention and a layer with an activation."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.conv = nn.Conv2d(3, 32, 3, stride=2, padding=1), nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(32)
        self.qkv, self.wide, self.narrow = nn.Linear(32, 96), nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.stem(x))
        x = torch.relu(self.norm(self.conv(x)) + x)
        x = x.flatten(2).mT
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 2, 16).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape)
        return x + self.narrow(functional.gelu(self.wide(x)))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A net and its compiled form; all that a kernel computes is taken, whatever it costs."""
    monkeypatch.setattr(rewrite.Rewriter, "always", True)
    register()
    torch._dynamo.reset()
    tt.compile_report().clear()
    torch.manual_seed(0)
    net = Net()
    yield net, torch.compile(net, backend="tilewright", fullgraph=True, options={"fx_graph_cache": False})
    torch._dynamo.reset()


def test_inference_with_sizes_that_change(compiled: Any) -> None:
    net, program = compiled[0].eval(), compiled[1]
    with torch.no_grad():
        for batch in (2, 3, 4):  # the second one compiles for all sizes
            x = torch.randn(batch, 3, 8, 8)
            torch.testing.assert_close(program(x), net(x), rtol=1e-4, atol=1e-4)
    taken = [entry.computes for entry in tt.compile_report().taken]
    wanted = ["convolution + relu", "convolution + norm + add + relu", "addmm", "addmm + gelu_erf", "addmm + add"]
    assert sorted(taken) == sorted([*wanted, "attention"] * 2)
    assert not tt.compile_report().left


def test_training(compiled: Any) -> None:
    net, program = compiled[0].train(), compiled[1]
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    leaves = (x, *net.parameters())
    got, want = program(x), net(x)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    ours, theirs = (torch.autograd.grad(y.square().sum(), leaves) for y in (got, want))
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)
    taken = [entry.computes for entry in tt.compile_report().taken]
    assert {"gradient of the input", "gradient of the weight", "backward pass of attention"} <= set(taken)
