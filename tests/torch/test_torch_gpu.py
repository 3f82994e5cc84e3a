"""On a GPU: training examples, CUDA graphs, a build during capture, the compiler, deterministic gradients."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn
from torch.nn import functional

import tilewright
import tilewright.torch as tt
from tilewright.errors import CaptureError, TilewrightError
from tilewright.frontends import default

pytestmark = pytest.mark.gpu
EXAMPLES = Path(__file__).parents[2] / "examples" / "torch"


def layers() -> Any:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(32, 64, 3, padding=1, groups=2), nn.ReLU(), nn.Conv2d(64, 32, 1), nn.ConvTranspose2d(32, 16, 2, 2),
        nn.Flatten(2), nn.Linear(256, 64), nn.TransformerEncoderLayer(64, 1, 128, dropout=0.0, batch_first=True),
    )  # fmt: skip
    return model.cuda().half().to(memory_format=torch.channels_last)


def image() -> Any:
    made = torch.randn(4, 32, 8, 8, device="cuda", dtype=torch.half)
    return made.contiguous(memory_format=torch.channels_last)


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("name", ["08_train_resnext.py", "09_train_transformer.py"])
def test_training_examples(name: str) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / name, "cuda"], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "as with torch" in done.stdout


def test_results_and_gradients() -> None:
    model, x = layers(), image()
    want = model(x)
    slopes = torch.autograd.grad(want.float().square().mean(), list(model.parameters()))
    with tt.patch(model) as patched:
        got = model(x)
        close(got, want)
        close(torch.autograd.grad(got.float().square().mean(), list(model.parameters())), slopes)
        with torch.no_grad():
            close(model.eval()(x), want)
            close(model(x), want)
        assert not patched.report.left
        assert patched.report.left_calls == {}


@pytest.mark.parametrize("case", ["product", "convolution", "attention"])
def test_sizes_like_others_before(case: str) -> None:
    """Launches of later sizes are made in C from those of the first ones; some sizes are odd, some come again."""
    torch.manual_seed(0)
    weight = torch.randn(192, 256, device="cuda", dtype=torch.half) / 16
    filters = torch.randn(64, 64, 3, 3, device="cuda", dtype=torch.half) / 24
    filters = filters.contiguous(memory_format=torch.channels_last)
    for size in (3, 64, 65, 129, 200, 33, 513, 64, 700, 129):
        if case == "product":
            a = torch.randn(size, 256, device="cuda", dtype=torch.half)
            close(tilewright.gemm(a, weight.T), a @ weight.T)
        elif case == "convolution":
            images = torch.randn(1 + size % 37, 64, 14, 14, device="cuda", dtype=torch.half)
            images = images.contiguous(memory_format=torch.channels_last)
            close(tt.conv(images, filters, padding=1), functional.conv2d(images, filters, padding=1))
        else:
            q, k, v = (torch.randn(1, size, 8, 64, device="cuda", dtype=torch.half) for _ in range(3))
            want = functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)), is_causal=True)
            close(tilewright.attention(q, k, v, causal=True), want.transpose(1, 2))


def test_a_graph_of_a_patched_model() -> None:
    model, x = layers().eval(), image()
    with tt.patch(model), torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = model(x)
        x.copy_(image())
        graph.replay()
        close(out, model(x))


@pytest.mark.filterwarnings("ignore:The CUDA Graph is empty")  # torch says so, at the end of a capture that failed
def test_a_build_during_capture_names_warm_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright import Dispatcher, Settings

    monkeypatch.setattr(default, "made", Dispatcher(settings=Settings.from_env(cache_dir=str(tmp_path))))
    a = torch.randn(96, 80, device="cuda", dtype=torch.half)
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(CaptureError, match="warm_up"), torch.no_grad(), torch.cuda.graph(graph):
        tt.linear(a, a)
    graph.reset()  # now: the exception keeps it, and the collector would end the next test's capture with it


def test_a_layer_that_is_not_built_is_captured_by_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright import Dispatcher, Settings

    monkeypatch.setattr(default, "made", Dispatcher(settings=Settings.from_env(cache_dir=str(tmp_path))))
    model, x = layers().eval(), image()
    with torch.no_grad():
        want = model(x)
    graph = torch.cuda.CUDAGraph()
    with tt.patch(model) as patched, torch.no_grad():
        with torch.cuda.graph(graph):
            out = model(x)
        assert all("a graph is being captured" in reason for _, reason in patched.report.left_calls)
        assert {"0", "2", "3", "5"} <= {path for path, _ in patched.report.left_calls}
    graph.replay()
    close(out, want)


def regnet(blocks: int = 8, width: int = 224) -> Any:
    """Blocks like those of RegNet: grouped convolutions and squeeze-and-excite, with weights of some megabytes."""

    class Excite(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pool, self.down, self.up = nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, 56, 1), nn.Conv2d(56, width, 1)

        def forward(self, x: Any) -> Any:
            return x * torch.sigmoid(self.up(torch.relu(self.down(self.pool(x)))))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.norm_a = nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width)
            self.b, self.norm_b = nn.Conv2d(width, width, 3, 1, 1, groups=2, bias=False), nn.BatchNorm2d(width)
            self.excite = Excite()
            self.c, self.norm_c = nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width)

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.norm_b(self.b(torch.relu(self.norm_a(self.a(x))))))
            return torch.relu(x + self.norm_c(self.c(self.excite(y))))

    return nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), *(Block() for _ in range(blocks)))


@pytest.mark.parametrize("name", ["blocks", "regnet_y_8gf"])
def test_a_graph_outlives_the_patch_of_its_model(name: str) -> None:
    """Fused weights and workspaces stay where the graph reads them."""
    torch.manual_seed(0)
    if name == "blocks":
        model, x = regnet(), torch.randn(8, 3, 64, 64, device="cuda", dtype=torch.half)
    else:
        model = pytest.importorskip("torchvision").models.regnet_y_8gf()
        x = torch.randn(32, 3, 224, 224, device="cuda", dtype=torch.half)
    model = model.eval().cuda().half().to(memory_format=torch.channels_last)
    x = x.to(memory_format=torch.channels_last)
    graph, patched = torch.cuda.CUDAGraph(), tt.patch(model, fuse=True)
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            model(x)
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            out = model(x)
        graph.replay()
        torch.cuda.synchronize()
        want = out.clone()
        patched.undo()
        default.default_dispatcher().calls._kept.clear()  # plans are forgotten
        gc.collect()
        torch.cuda.empty_cache()
        rubbish = [torch.full((1 << 24,), float("nan"), device="cuda", dtype=torch.half) for _ in range(16)]
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(out, want)
        del rubbish
    patched.undo(release=True)


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("channels", [58, 64])
def test_a_slice_of_channels_keeps_its_memory_format(channels: int, half: int) -> None:
    whole = torch.randn(4, 2 * channels, 28, 28, device="cuda", dtype=torch.half)
    x = whole.to(memory_format=torch.channels_last).chunk(2, 1)[half].requires_grad_()
    for groups, size in ((1, 1), (channels, 3), (1, 3)):
        w = torch.randn(channels, channels // groups, size, size, device="cuda", dtype=torch.half) / size
        w = (w / channels**0.5 if groups == 1 else w).to(memory_format=torch.channels_last).requires_grad_()
        options = {"padding": size // 2, "groups": groups}
        results = [call(x, w, **options) for call in (tt.conv, functional.conv2d)]
        ours, theirs = ([y, *torch.autograd.grad(y.float().square().mean(), (x, w))] for y in results)
        for got, want in zip(ours, theirs, strict=True):
            close(got, want)
            assert got.is_contiguous(memory_format=torch.channels_last)


def test_fp32_is_left_unless_tf32_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = nn.Linear(64, 64).cuda(), torch.randn(8, 64, device="cuda")
    with tt.patch(model) as patched, torch.no_grad():
        monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)
        torch.testing.assert_close(model(x), functional.linear(x, model.weight, model.bias))
        assert "TF32" in next(iter(patched.report.left_calls))[1]
        monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", True)
        for _ in range(2):
            close(model(x), functional.linear(x, model.weight, model.bias))
        assert sum(patched.report.left_calls.values()) == 1
        monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)
        model(x)
        assert sum(patched.report.left_calls.values()) == 2


def test_compiled_by_inductor() -> None:
    model, x = layers(), image()
    want = model(x)
    with tt.patch(model):
        compiled = torch.compile(model, fullgraph=True)
        got = compiled(x)
        close(got, want)
        got.float().sum().backward()


def test_deterministic_weight_gradients() -> None:
    x = torch.randn(16, 32, 32, 32, device="cuda", dtype=torch.half).to(memory_format=torch.channels_last)
    w = torch.randn(32, 1, 3, 3, device="cuda", dtype=torch.half, requires_grad=True)
    torch.use_deterministic_algorithms(True)
    try:
        found = [torch.autograd.grad(tt.conv(x, w, None, 1, 1, 1, 32).float().sum(), w)[0] for _ in range(5)]
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(found[0], f) for f in found)


def test_two_streams_at_once() -> None:
    x, w = torch.randn(64, 64, device="cuda").half(), torch.randn(64, 64, device="cuda").half()
    want = functional.linear(x, w)
    streams = [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    with torch.no_grad():
        for _ in range(10):
            found = []
            for stream in streams:
                with torch.cuda.stream(stream):
                    found.append(tt.linear(x, w))
            torch.cuda.synchronize()
            for got in found:
                close(got, want)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("columns", [96, 384, 33])
def test_layer_norm_of_short_rows(columns: int, dtype: Any) -> None:
    from tilewright.torch.layer_norm import _fits, layer_norm

    norm = nn.LayerNorm(columns, eps=1e-6).cuda().to(dtype)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    x = torch.randn(3, columns, 7, 5, device="cuda", dtype=dtype).contiguous(memory_format=torch.channels_last)
    rows = x.permute(0, 2, 3, 1)
    with torch.no_grad():
        assert _fits(rows, (columns,), norm.weight, norm.bias)
        close(layer_norm(rows, (columns,), norm.weight, norm.bias, norm.eps), norm(rows))


def test_operators_run_on_torch_while_their_kernels_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.dispatcher import Dispatcher
    from tilewright.settings import Settings
    from tilewright.torch.stand_in import TorchStandIn

    settings = Settings.from_env(cache_dir=str(tmp_path), build="background")
    dispatcher = Dispatcher(settings=settings, stand_in=TorchStandIn())
    monkeypatch.setattr(default, "made", dispatcher)
    x = image()
    weight = torch.randn(64, 32, 3, 3, device="cuda", dtype=torch.half)
    want = functional.conv2d(x, weight, padding=1)
    close(tt.conv(x, weight, None, 1, 1), want)
    assert [(event.kind, event.kernel) for event in dispatcher.events] == [("stand-in", "torch")]
    assert dispatcher.wait_for_builds(300)
    close(tt.conv(x, weight, None, 1, 1), want)
    assert [event.kind for event in dispatcher.events] == ["stand-in", "switched"]


def test_mixed_devices_are_refused() -> None:
    def half(*shape: int) -> Any:
        return torch.ones(shape, dtype=torch.half)

    layer = nn.Linear(64, 64).cuda().half()
    calls = [
        lambda: tt.linear(half(2, 64), half(64, 64).cuda()),
        lambda: tt.matmul(half(2, 64).cuda(), half(64, 64)),
        lambda: tt.conv(half(1, 8, 4, 4), half(8, 8, 1, 1).cuda()),
        lambda: tt.attention(half(1, 4, 2, 32).cuda(), half(1, 4, 2, 32), half(1, 4, 2, 32).cuda()),
    ]
    for call in calls:
        with pytest.raises(TilewrightError, match=r"cpu|cuda"), torch.no_grad():
            call()
    # A patched layer leaves such a call to torch, whose own error it is.
    with tt.patch(layer) as patched, torch.no_grad(), pytest.raises(RuntimeError, match="same device"):
        layer(half(2, 64))
    assert "is on cuda" in str(patched.report)
