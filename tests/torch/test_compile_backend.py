"""`torch.compile(model, backend="tilewright")` with all of Inductor behind it. Each compilation takes seconds."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch import nn
from torch._inductor.utils import fresh_cache
from torch.nn import functional

import tilewright.torch as tt
from tilewright.torch.compile import backend
from tilewright.torch.compile.backend import register
from tilewright.torch.compile.kept_report import ReportingPass
from tilewright.torch.compile.report import CompileReport, Entry
from tilewright.torch.compile.rewrite import Rewriter


class Block(nn.Module):
    """A convolution with a norm and a residual, then a layer with an activation."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.wide, self.narrow = nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.norm(self.conv(x)) + x).flatten(2).mT
        return x + self.narrow(functional.gelu(self.wide(x)))


class Heads(nn.Module):
    """Attention of two heads over the pixels of a convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.qkv = nn.Conv2d(3, 64, 2, stride=2), nn.Linear(64, 192)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.conv(x)).flatten(2).mT
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 2, 32).permute(2, 0, 3, 1, 4).unbind(0)
        return functional.scaled_dot_product_attention(q, k, v)


def compiled(net: nn.Module, **options: Any) -> Any:
    """The compiled net; all that a kernel computes is taken, whatever it costs."""
    register()
    torch._dynamo.reset()
    tt.compile_report().clear()
    wanted = {"tilewright.all": True, "fx_graph_cache": False}
    return torch.compile(net, backend="tilewright", fullgraph=True, options=wanted, **options)


def test_inference_with_sizes_that_change() -> None:
    torch.manual_seed(0)
    net = Block().eval()
    program = compiled(net, dynamic=True)
    with torch.no_grad():
        for batch in (2, 3):
            x = torch.randn(batch, 16, 6, 6)
            torch.testing.assert_close(program(x), net(x), rtol=1e-4, atol=1e-4)
    report = tt.compile_report()
    assert [entry.computes for entry in report.taken] == [
        "convolution + norm + add + relu", "mm + bias + gelu_erf", "addmm",
    ]  # fmt: skip
    assert not report.left
    assert "taken: conv_cpu" in str(report)


def test_training() -> None:
    torch.manual_seed(0)
    net = Heads()
    program = compiled(net)
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    leaves = (x, *net.parameters())
    got, want = program(x), net(x)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    ours, theirs = (torch.autograd.grad(y.square().sum(), leaves) for y in (got, want))
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)
    taken = [entry.computes for entry in tt.compile_report().taken]
    assert taken[:3] == ["convolution + relu", "mm + bias", "attention"]
    assert {"gradient of the input", "gradient of the weight", "backward pass of attention"} <= set(taken)


def test_training_of_attention_with_sizes_that_change() -> None:
    """Saved tensors have the strides that the backward pass was compiled for, for all sizes."""
    torch.manual_seed(0)
    net = Heads().qkv

    def attend(x: Any) -> Any:
        q, k, v = net(x).view(*x.shape[:2], 3, 2, 32).permute(2, 0, 3, 1, 4).unbind(0)
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    program = compiled(attend, dynamic=True)  # type: ignore[arg-type]
    for shape in ((2, 5, 64), (3, 9, 64)):
        x = torch.randn(shape, requires_grad=True)
        ours, theirs = (torch.autograd.grad(y(x).square().sum(), (x, net.weight)) for y in (program, attend))
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)
    assert [entry.computes for entry in tt.compile_report().taken].count("backward pass of attention") == 1


def test_a_graph_from_the_cache_has_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward and backward graph; and one report for each, if torch has lost the backward graph."""
    calls, rewrite = [], Rewriter.__call__
    monkeypatch.setattr(Rewriter, "__call__", lambda self, graph: (calls.append(1), rewrite(self, graph))[1])
    register()
    net, x = nn.Linear(24, 16), torch.randn(4, 24)
    texts = []
    with fresh_cache():
        for _ in range(2):
            torch._dynamo.reset()
            tt.compile_report().clear()
            options = {"tilewright.all": True, "fx_graph_cache": True}
            torch.compile(net, backend="tilewright", options=options)(x).sum().backward()
            texts.append(str(tt.compile_report()))
    assert len(calls) == 2
    assert texts[0] == texts[1]
    assert "graph 1" in texts[1]


def test_a_restored_report_gives_way_to_a_new_one(tmp_path: Path) -> None:
    class Rewrite:
        def __init__(self) -> None:
            self.report = CompileReport()

        def __call__(self, graph: Any) -> int:
            number = self.report.new_graph()
            self.report.add(Entry(number, "mm", "mm", kernel=graph))
            return number

    path = tmp_path / "reports" / "one.json"
    first: Any = ReportingPass(Rewrite(), path)  # type: ignore[arg-type]
    first("forward")
    first("backward")
    second = Rewrite()
    again: Any = ReportingPass(second, path)  # type: ignore[arg-type]
    again.restore()
    assert [e.kernel for e in second.report.entries] == ["forward", "backward"]
    again("other backward")
    assert [e.kernel for e in second.report.entries] == ["forward", "other backward"]
    odd = json.dumps([[{"graph": 0, "node": "mm", "computes": "mm", "ours": "fast"}]])
    for text in ("[[{}]]", "[" * 100_000, "7", "{", odd):
        path.write_text(text)
        third = Rewrite()
        ReportingPass(third, path).restore()  # type: ignore[arg-type]
        assert not third.report.entries


def test_a_compilation_ends_when_its_kernels_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CUDA graph would keep what stands in for a kernel that is not built."""
    built = []

    def build(where: Any, problems: Any) -> threading.Thread:
        thread = threading.Thread(target=lambda: (time.sleep(0.2), built.append(problems)))
        thread.start()
        return thread

    def compile_fx(module: Any, inputs: Any, rewrite: Any, *rest: Any) -> Any:
        rewrite(module.graph)
        return module

    monkeypatch.setattr(backend, "_build", build)
    monkeypatch.setattr(backend.inductor, "compiled", compile_fx)
    monkeypatch.setattr(Rewriter, "__call__", lambda self, graph: self.build(["a problem"]) or 0)
    graph = torch.fx.symbolic_trace(nn.Linear(4, 4))
    assert backend.backend(graph, [torch.ones(2, 4)]) is graph
    assert built == [["a problem"]]


def test_kernels_of_a_graph_that_torch_compiles_later_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backward pass may be compiled when it is called for the first time, after the program was returned."""
    waited, passes = list[str](), list[Any]()
    monkeypatch.setattr(
        backend, "_build", lambda where, problems: SimpleNamespace(join=lambda: waited.append(problems))
    )
    monkeypatch.setattr(backend.inductor, "compiled", lambda module, inputs, rewrite, *rest: passes.append(rewrite))
    monkeypatch.setattr(Rewriter, "__call__", lambda self, graph: (self.build(graph), 0)[1])
    backend.backend(torch.fx.symbolic_trace(torch.nn.Identity()), [torch.ones(1)])
    passes[0]("backward")
    assert waited == ["backward"]
