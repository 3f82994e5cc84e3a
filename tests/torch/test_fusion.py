"""`fused(model)`: what goes into epilogues, that results stay, and when the model's own forward runs."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fused")
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import tilewright as tw
from tilewright.torch import fused as fused_layers
from tilewright.torch import patch
from tilewright.torch.fused import FusedConv
from tilewright.torch.fused_forward import FusedForward

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from nets import NETS
from nets.blocks import initialise


class Block(nn.Module):
    """Every kind of chain: norm, residual of two layers, activations as modules, functions and methods."""

    def __init__(self, c: int = 4) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(c, 2 * c, 3, padding=1), nn.BatchNorm2d(2 * c)
        self.second, self.short = nn.Conv2d(2 * c, 2 * c, 1, bias=False), nn.Conv2d(c, 2 * c, 1)
        self.third = nn.Conv2d(2 * c, 2 * c, 3, padding=1, groups=4)
        self.fc1, self.fc2 = nn.Linear(2 * c, 4 * c), nn.Linear(4 * c, 2 * c)

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.norm(self.first(x)))
        y = functional.silu(self.short(x) + self.second(y))
        y = (y + self.third(y)).flatten(2).transpose(1, 2)
        return y + self.fc2(functional.gelu(self.fc1(y), approximate="tanh"))


FUSED = {
    "first": "Conv2d + BatchNorm2d + relu",
    "short": "Conv2d + add + silu",
    "third": "Conv2d + add",
    "fc1": "Linear + gelu_tanh",
    "fc2": "Linear + add",
}


def fused(model: Any) -> Any:
    """Only what is fused: the layers by themselves stay torch's."""
    return patch(model, fuse=True, only=())


def fusions(patched: Any) -> dict[str, str]:
    return {
        e.path.removesuffix(" (fusion)"): e.kind
        for e in patched.report.taken
        if e.taker == "fusion" and e.path.endswith(" (fusion)")
    }


@pytest.fixture(scope="module")
def images() -> Any:
    torch.manual_seed(0)
    return torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last)


@pytest.fixture
def model() -> Iterator[Any]:
    torch.manual_seed(1)
    made = initialise(Block()).eval()
    with torch.no_grad():
        yield made


def test_chains_are_found_and_results_stay(model: Any, images: Any) -> None:
    want = model(images)
    with fused(model) as patched:
        torch.testing.assert_close(model(images), want, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(model(images), want, rtol=1e-4, atol=1e-4)  # remembered
        assert fusions(patched) == FUSED
        assert not patched.report.left_calls
        assert patched.check(images) < 1e-5
    assert "forward" not in vars(model)
    assert torch.equal(model(images), want)


class Residuals(nn.Module):
    """Blocks whose residual is the result of the block before."""

    def __init__(self, c: int = 4) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv2d(c, c, 3, padding=1) for _ in range(3)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(c) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = torch.relu(x + norm(layer(x)))
        return x


class Counted(TorchDispatchMode):
    """Counts the operators that run."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.append(str(func))
        return func(*args, **(kwargs or {}))


@torch.no_grad()
def test_a_block_is_not_computed_twice_for_the_residual_of_the_next(images: Any) -> None:
    torch.manual_seed(2)
    model = initialise(Residuals()).eval()
    want = model(images)
    with fused(model), Counted() as counted:
        torch.testing.assert_close(model(images), want, rtol=1e-4, atol=1e-4)
    assert sum("tilewright" in call for call in counted.calls) == 3
    assert not [call for call in counted.calls if "convolution" in call or "batch_norm" in call or "add.Tensor" in call]


def test_changed_weights_are_folded_again(model: Any, images: Any) -> None:
    with fused(model):
        model(images)
        for p in model.parameters():
            p.mul_(1.5)
        model.norm.running_mean.add_(0.3)
        found = model(images)
    torch.testing.assert_close(found, model(images), rtol=1e-4, atol=1e-4)


def test_a_copy_computes_with_its_own_weights(model: Any, images: Any) -> None:
    with fused(model):
        copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for made in copies:
        for p in made.parameters():
            p.mul_(0.5)
        found, want = made(images), type(made).forward(made, images)
        torch.testing.assert_close(found, want, rtol=1e-4, atol=1e-4)
        assert float((found - model(images)).abs().max()) > 0.01


def test_training_and_gradients_run_the_models_own_forward(model: Any, images: Any) -> None:
    with fused(model) as patched:
        with torch.enable_grad():
            model(images).sum().backward()
        assert model.first.weight.grad is not None
        assert any("gradients are wanted" in reason for _, reason in patched.report.left_calls)
        before = model.norm.num_batches_tracked.item()
        model.train()(images)
        assert model.norm.num_batches_tracked.item() == before + 1


def test_the_check_notices_a_wrong_fold(model: Any, images: Any) -> None:
    with fused(model) as patched:
        patched.check(images)
        made = next(c.cell_contents for c in model.forward.__closure__ if isinstance(c.cell_contents, FusedForward))
        made.traced.tilewright_fused0.bias.add_(1.0)
        with pytest.raises(tw.TilewrightError, match="fusion changes the result"):
            patched.check(images)


def test_a_compiled_model_has_one_operator_per_chain(model: Any, images: Any) -> None:
    want, seen = model(images), []

    def backend(graph: Any, inputs: Any) -> Any:
        seen.extend(str(node.target) for node in graph.graph.nodes if "tilewright" in str(node.target))
        return graph.forward

    with fused(model):
        found = torch.compile(model, backend=backend, fullgraph=True)(images)
    torch.testing.assert_close(found, want, rtol=1e-4, atol=1e-4)
    assert seen.count("tilewright.conv_epilogue.default") == 3
    assert seen.count("tilewright.linear_epilogue.default") == 2


class Gated(nn.Module):
    """Squeeze-and-excite before a 1x1 convolution, as in EfficientNet; `first` says which factor is written first."""

    def __init__(self, first: bool, adds: bool, relu: bool = False) -> None:
        super().__init__()
        self.squeeze, self.project, self.norm = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1, bias=False), nn.BatchNorm2d(8)
        self.first, self.adds, self.relu = first, adds, relu

    def forward(self, x: Any) -> Any:
        gate = torch.sigmoid(self.squeeze(x.mean((2, 3), keepdim=True)))
        y = self.norm(self.project(gate * x if self.first else x * gate))
        y = y + x if self.adds else y
        return torch.relu(y) if self.relu else y


@torch.no_grad()
def test_an_activation_after_a_residual_goes_with_factors_of_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(3)
    model = initialise(Gated(True, True, relu=True)).eval()
    x = torch.randn(2, 8, 6, 5).to(memory_format=torch.channels_last)
    want, scaled, own = model(x), list[str](), FusedConv.by_kernel
    monkeypatch.setattr(fused_layers, "EACH", frozenset({"cpu"}))
    monkeypatch.setattr(FusedConv, "by_kernel", lambda self, *given: scaled.append(self.path) or own(self, *given))
    with fused(model):
        torch.testing.assert_close(model(x), want, rtol=1e-4, atol=1e-4)
    assert "project" not in scaled  # its image was not scaled


@torch.no_grad()
@pytest.mark.parametrize(
    ("batch", "side", "each", "folded"),
    [(1, 6, (), True), (2, 6, (), False), (1, 2, (), False), (2, 6, ("cpu",), True)],
)
@pytest.mark.parametrize(("first", "adds"), [(True, False), (False, True)])
def test_factors_of_channels_go_into_the_weight(
    first: bool, adds: bool, batch: int, side: int, each: tuple[str, ...], folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(3)
    model = initialise(Gated(first, adds)).eval()
    x = torch.randn(batch, 8, side, side).to(memory_format=torch.channels_last)
    want, seen, own = model(x), list[Any](), FusedConv._scaled
    monkeypatch.setattr(FusedConv, "_scaled", lambda *given: seen.append(given) or own(*given))
    monkeypatch.setattr(fused_layers, "EACH", frozenset(each))
    with fused(model) as patched:
        assert fusions(patched)["project"] == "scale + Conv2d + BatchNorm2d" + " + add" * adds
        for _ in range(2):  # planned, then remembered
            found = model(x)
            torch.testing.assert_close(found, want, rtol=1e-4, atol=1e-4)
            assert found.stride() == want.stride()
        model.project.weight.mul_(2.0)
        found = model(x)
    torch.testing.assert_close(found, model(x), rtol=1e-4, atol=1e-4)
    assert len(seen) == (3 if folded else 0)


class Branching(nn.Module):
    """A model that fx cannot trace, with a part that it can."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU())

    def forward(self, x: Any) -> Any:
        return self.stem(x) if x.sum() > 0 else self.stem(-x)


def test_parts_are_fused_if_the_model_cannot_be_traced(images: Any) -> None:
    model = Branching().eval()
    with torch.no_grad():
        want = model(images)
        with fused(model) as patched:
            torch.testing.assert_close(model(images), want, rtol=1e-4, atol=1e-4)
    assert fusions(patched) == {"stem.0": "Conv2d + relu"}
    assert any("torch.fx cannot trace it" in (e.reason or "") for e in patched.report.left)


class Cautious(nn.Module):
    """What must not be fused: a value with two users, a watched layer, a factor, an addition in place to another."""

    def __init__(self) -> None:
        super().__init__()
        self.shared, self.watched, self.scaled, self.late = (nn.Conv2d(4, 4, 1) for _ in range(4))
        self.watched.register_forward_hook(lambda *_: None)

    def forward(self, x: Any) -> Any:
        y = self.shared(x)
        y = torch.relu(y) + y
        y = torch.relu(self.watched(y)) + torch.add(x, self.scaled(x), alpha=2)
        z = y * 2
        z.add_(self.late(x))
        return z + 1


def test_what_would_change_the_result_is_not_fused(images: Any) -> None:
    model = Cautious().eval()
    with torch.no_grad():
        want = model(images)
        with fused(model) as patched:
            torch.testing.assert_close(model(images), want, rtol=1e-4, atol=1e-4)
    assert fusions(patched) == {}


def test_a_model_in_training_mode_is_left() -> None:
    with fused(nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU())) as patched:
        assert fusions(patched) == {}
    assert any("training mode" in (e.reason or "") for e in patched.report.left)


COUNTS = {"resnext50_32x4d": 53, "resnet50": 53, "mobilenet_v2": 52, "efficientnet_b0": 81, "r3d_18": 20,
          "convnext_tiny": 36, "bert": 36, "vit": 36, "whisper_encoder": 38}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_every_net_of_the_benchmarks_is_fused(name: str) -> None:
    patched = patch(NETS[name].model("gpu", "meta"), fuse=True)
    patched.undo()
    assert len(fusions(patched)) == COUNTS[name]


@pytest.mark.gpu
@torch.no_grad()
def test_a_fused_model_runs_in_fp16_and_in_a_cuda_graph_on_a_gpu() -> None:
    torch.manual_seed(1)
    net, x = initialise(Block(32)).eval(), torch.randn(2, 32, 16, 16)
    want = net(x)
    net = net.to("cuda", torch.float16, memory_format=torch.channels_last)
    x = x.to("cuda", torch.float16, memory_format=torch.channels_last)
    with patch(net, fuse=True) as patched:
        found = net(x)
        assert float((found.float().cpu() - want).abs().max() / want.abs().max()) < 0.02
        assert not patched.report.left_calls
        assert patched.check(x) < 0.02
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = net(x)
        kept.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(kept, found)


class Norms(nn.Module):
    """Layer norm as a module, as the function over channels, and over rows that are too long."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.layer, self.second = nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8)
        self.long = nn.LayerNorm(520)

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.layer(self.first(x)))
        y = functional.layer_norm(y, self.second.normalized_shape, self.second.weight, self.second.bias, 1e-3)
        return y.sum() + self.long(x.new_ones(520))


def test_layer_norm_of_short_rows_has_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.torch import layer_norm as norms

    model, x = Norms().eval(), torch.randn(3, 8)
    initialise(model)
    assert fusions(fused(model)) == {"layer": "Linear + relu"}  # on a CPU it stays torch's
    calls: list[tuple[Any, ...]] = []
    own = norms.layer_norm
    monkeypatch.setattr(norms, "PLACES", frozenset({"cpu"}))
    monkeypatch.setattr(norms, "_fits", lambda *given: calls.append(given) or False)
    model = Norms().eval()
    initialise(model)
    expected = model(x)
    patched = fused(model)
    assert fusions(patched) == {"layer": "Linear + relu", "first": "LayerNorm", "second": "LayerNorm"}
    with torch.no_grad():
        torch.testing.assert_close(model(x), expected)
        model.first.weight.mul_(2.0)  # the norm has no copy of it
        changed = model(x)
    assert [given[1] for given in calls] == [(8,)] * 4
    patched.undo()
    torch.testing.assert_close(changed, model(x))
    assert norms.layer_norm is own


def test_the_kernel_of_layer_norm_is_right() -> None:
    pytest.importorskip("triton", reason="Triton is not installed: its kernels are not tested")
    script = Path(__file__).with_name("interpreted_norm.py")
    done = subprocess.run(
        [sys.executable, str(script)], env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True
    )
    assert done.stdout == "ok", done.stderr[-2000:]
