"""`torch.compile(model, backend="tilewright")` on a GPU: CUDA graphs, training, layouts, measured times."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.torch.compile.backend import register

pytestmark = pytest.mark.gpu
GRAPHS = {"triton.cudagraphs": True}  # what the mode reduce-overhead is


class Net(nn.Module):
    """Convolutions with a norm and a residual, attention, and a layer with an activation."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.conv = nn.Conv2d(3, 64, 3, stride=2, padding=1), nn.Conv2d(64, 64, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(64)
        self.qkv, self.wide, self.narrow = nn.Linear(64, 192), nn.Linear(64, 256), nn.Linear(256, 64)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.stem(x))
        x = torch.relu(self.norm(self.conv(x)) + x)
        x = x.flatten(2).mT.contiguous()
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 2, 32).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape)
        return x + self.narrow(functional.gelu(self.wide(x)))


def net() -> nn.Module:
    torch.manual_seed(0)
    return Net().cuda().half()


def compiled(model: nn.Module, **options: Any) -> Any:
    register()
    torch._dynamo.reset()
    tt.compile_report().clear()
    given = {"fx_graph_cache": False, "tilewright.all": True, **options}
    return torch.compile(model, backend="tilewright", fullgraph=True, options=given)


def near(got: Any, want: Any) -> None:
    error = (got.float() - want.float()).norm() / want.float().norm().clamp(min=1e-6)
    assert error < 2e-2, error


@pytest.mark.parametrize("last", [False, True])
def test_inference_in_cuda_graphs(last: bool) -> None:
    model = net().eval()
    x = torch.randn(8, 3, 32, 32, device="cuda", dtype=torch.half)
    if last:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    program = compiled(model, **GRAPHS)
    with torch.no_grad():
        for _ in range(4):  # the second call is captured, later ones are replayed
            torch.compiler.cudagraph_mark_step_begin()
            y = torch.randn_like(x)
            near(program(y).clone(), model(y))
    taken = [entry.computes for entry in tt.compile_report().taken]
    assert "attention" in taken
    assert "convolution + norm + add + relu" in taken


def test_training_in_cuda_graphs() -> None:
    model = net().train()
    program = compiled(model, **GRAPHS)
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        x = torch.randn(8, 3, 32, 32, device="cuda", dtype=torch.half)
        wanted = torch.autograd.grad(model(x).float().square().mean(), list(model.parameters()))
        found = torch.autograd.grad(program(x).float().square().mean(), list(model.parameters()))
        for got, want in zip(found, wanted, strict=True):
            near(got, want)
    taken = {entry.computes for entry in tt.compile_report().taken}
    gradients = {"gradient of the input", "gradient of the weight", "mm + gradient of gelu_erf"}
    assert {*gradients, "backward pass of attention"} <= taken


def test_sizes_that_change_and_autocast() -> None:
    model = net().float().eval()
    program = compiled(model)
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        for batch in (2, 5, 9):
            x = torch.randn(batch, 3, 32, 32, device="cuda")
            near(program(x), model(x))


@pytest.mark.parametrize("tune", [False, True])
def test_measured_times_decide(tune: bool) -> None:
    """Without tuning, the times of libraries are measured, and those of kernels that are built."""
    model = net().eval()
    program = compiled(model, **{"tilewright.all": False, "tilewright.tune": tune, **GRAPHS})
    x = torch.randn(8, 3, 32, 32, device="cuda", dtype=torch.half)
    with torch.no_grad():
        for _ in range(3):
            torch.compiler.cudagraph_mark_step_begin()
            near(program(x).clone(), model(x))
    report = tt.compile_report()
    assert any(entry.ours is not None for entry in report.entries)
    assert all(entry.ours < entry.theirs for entry in report.taken)
