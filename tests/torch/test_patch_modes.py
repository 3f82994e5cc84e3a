"""A patched model under torch's compilers, transforms, threads, deterministic mode and processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn

import tilewright.torch as tt
from tilewright import Dispatcher, Settings
from tilewright.errors import GradientError, TilewrightError
from tilewright.frontends import default


class Small(nn.Module):
    """A convolution, attention and a product."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Conv1d(32, 32, 3, padding=1)
        self.attention = nn.MultiheadAttention(32, 1, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, x: Any) -> Any:
        """Return [batch, rows, 4]."""
        rows = self.conv(x.mT).mT
        return self.out(self.attention(rows, rows, rows, need_weights=False)[0])


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_compiled_without_breaks_and_without_a_graph_per_shape() -> None:
    model, graphs = Small(), list[Any]()

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph

    inputs = [torch.randn(2, rows, 32) for rows in (5, 6, 7, 8)]
    want = [model(x) for x in inputs]
    with tt.patch(model) as patched:
        compiled = torch.compile(model, backend=backend, fullgraph=True, dynamic=True)
        close([compiled(x) for x in inputs], want)
        assert len(graphs) == 1
        targets = [str(node.target) for node in graphs[0].graph.nodes]
        assert sum("tilewright" in t for t in targets) == 5  # conv, in and out projections, attention, linear
        assert patched.report.left_calls == {}


def test_compiled_training_has_the_same_gradients() -> None:
    model, x = Small(), torch.randn(2, 5, 32)
    want = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    with tt.patch(model):
        compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
        close(torch.autograd.grad(compiled(x).square().sum(), list(model.parameters())), want)


def test_exported() -> None:
    model, x = Small().eval(), torch.randn(2, 5, 32)
    want = model(x)
    with tt.patch(model):
        rows = torch.export.Dim("rows", min=2, max=64)
        program = torch.export.export(model, (x,), dynamic_shapes=({1: rows},))
    close(program.module()(x), want)
    longer = torch.randn(2, 7, 32)
    close(program.module()(longer), model(longer))


def test_shapes_without_memory() -> None:
    model = Small().to("meta")
    with tt.patch(model) as patched:
        assert model(torch.empty(2, 5, 32, device="meta")).shape == (2, 5, 4)
        assert patched.report.left_calls == {}


class Layers(nn.Module):
    """Every kind of layer that a patch takes, and attention."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.turned = nn.Conv2d(3, 8, 3, padding=1), nn.ConvTranspose2d(8, 8, 2)
        self.heads, self.last = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        rows = self.turned(torch.relu(self.conv(x))).flatten(2).transpose(1, 2)
        rows = rows + self.heads(rows, rows, rows, need_weights=False)[0]
        q = rows[:, None]
        return self.last(nn.functional.scaled_dot_product_attention(q, q, q)[:, 0].mean(1))


def _forward_mode(model: Any, x: Any) -> Any:
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        return forward_ad.unpack_dual(model(forward_ad.make_dual(x, torch.ones_like(x)))).tangent


TRANSFORMS = {
    "vmap": lambda model, x: torch.func.vmap(lambda one: model(one[None]))(x),
    "grad": lambda model, x: torch.func.grad(lambda t: model(t).sum())(x),
    "gradient of each sample": lambda model, x: torch.func.vmap(
        torch.func.grad(lambda given, t: torch.func.functional_call(model, given, (t[None],)).square().sum()),
        in_dims=(None, 0),
    )(dict(model.named_parameters()), x),
    "jacobian of all rows at once": lambda model, x: torch.autograd.functional.jacobian(model, x, vectorize=True),
    "traced by the JIT": lambda model, x: torch.jit.trace(model, x, check_trace=False)(x),
}


@pytest.mark.filterwarnings("ignore")  # torch's own, about vmap and the JIT
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_left_to_torch(name: str) -> None:
    model, x = Layers(), torch.randn(2, 3, 5, 5)
    want = TRANSFORMS[name](model, x)
    before = sum(tt.left_calls().values())
    with tt.patch(model) as patched:
        close(list(_flat(TRANSFORMS[name](model, x))), list(_flat(want)))
        assert sum(tt.left_calls().values()) - before + sum(patched.report.left_calls.values())
        if "jacobian" not in name:  # whose forward pass is not transformed
            assert not patched.report.turns  # no time of torch's counts as ours


def _flat(found: Any) -> Any:
    return found.values() if isinstance(found, dict) else [found]


COMPILED = {
    "vmap": TRANSFORMS["vmap"],
    "grad": TRANSFORMS["grad"],
    "forward mode": lambda model, x: torch.func.jvp(model, (x,), (torch.ones_like(x),))[1],
    "gradient of each sample": lambda model, x: torch.func.vmap(torch.func.grad(lambda t: model(t[None]).sum()))(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPILED)
def test_transforms_in_a_compiled_program_are_left_to_torch(name: str) -> None:
    model, x = nn.Sequential(nn.Conv1d(3, 8, 2), nn.Flatten(), nn.Linear(32, 4)), torch.randn(2, 3, 5)
    want = COMPILED[name](model, x)
    with tt.patch(model) as patched:
        compiled = torch.compile(lambda t: COMPILED[name](model, t), backend="aot_eager", fullgraph=True)
        close(compiled(x), want)
        assert {path for path, reason in patched.report.left_calls if "torch.func" in reason} == {"0", "2"}


@pytest.mark.filterwarnings("ignore")
def test_transforms_of_functions_in_a_compiled_program() -> None:
    x, w, q = torch.randn(5, 16), torch.randn(8, 16), torch.randn(3, 1, 4, 2, 32)

    def run(x: Any) -> Any:
        return torch.func.vmap(lambda t: tt.linear(t, w) + tt.matmul(t, w.mT))(x)

    compiled = torch.compile(run, backend="aot_eager", fullgraph=True)
    close(compiled(x), 2 * (x @ w.mT))
    left = {name for name, reason in tt.left_calls() if "torch.func" in reason}
    assert {"tilewright.torch.linear", "tilewright.torch.matmul"} <= left
    with pytest.raises(GradientError, match=r"torch\.func transforms"):  # torch has no such function
        torch.compile(torch.func.vmap(lambda t: tt.attention(t, t, t)), backend="aot_eager")(q)


@pytest.mark.filterwarnings("ignore")
def test_a_fused_model_under_a_transform_in_a_compiled_program() -> None:
    model = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4)).eval()
    x = torch.randn(5, 16)
    with torch.no_grad():
        want = model(x)
        with tt.patch(model, fuse=True):
            close(torch.compile(torch.func.vmap(model), backend="aot_eager")(x), want)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run", [lambda model, x: torch.func.jvp(model, (x,), (torch.ones_like(x),))[1], _forward_mode])
def test_forward_mode_is_left_to_torch(run: Any) -> None:
    model, x = nn.Sequential(nn.Conv1d(3, 8, 2), nn.Flatten(), nn.Linear(32, 4)), torch.randn(2, 3, 5)
    want = run(model, x)
    with tt.patch(model) as patched:
        close(run(model, x), want)
        assert len(patched.report.left_calls) == 2


def test_a_fused_model_under_a_transform_is_the_model() -> None:
    model = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4)).eval()
    x = torch.randn(5, 16)
    run = torch.func.vmap(lambda one: model(one))
    with torch.no_grad():
        want = run(x)
        with tt.patch(model, fuse=True):
            close(model(x), want)
            close(run(x), want)


@pytest.mark.parametrize("grad", [False, True])
def test_a_fused_model_traced_by_the_jit_is_the_model(grad: bool) -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(32, 16)).eval()
    x = torch.randn(2, 3, 4, 4)
    with torch.set_grad_enabled(grad), tt.patch(model, fuse=True) as patched, warnings.catch_warnings():
        warnings.simplefilter("error", torch.jit.TracerWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        program = torch.jit.trace(model, (x,))  # traces again without gradients, and compares the graphs
        assert any("torch.jit.trace" in reason for _, reason in patched.report.left_calls)
        with torch.no_grad():
            model[0].weight.mul_(2.0)
        close(program(x), model(x))  # it reads the weights of the model, no folded ones


def test_transforms_are_errors_in_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "made", Dispatcher(settings=Settings.from_env(strict=True)))
    model, x = nn.Linear(32, 4), torch.randn(5, 32)
    with tt.patch(model):
        for run in (torch.func.vmap(model), torch.func.grad(lambda t: model(t).sum())):
            with pytest.raises(GradientError, match=r"torch\.func"):
                run(x)
            with pytest.raises(Exception, match=r"torch\.func"):  # Dynamo has errors of its own
                torch.compile(run, backend="aot_eager")(x)


def test_scripting_a_patched_model_is_refused() -> None:
    model = nn.Sequential(nn.Linear(32, 4))
    with tt.patch(model), pytest.raises(TilewrightError, match=r"torch\.jit\.script"):
        torch.jit.script(model)
    assert torch.jit.script(model)(torch.ones(1, 32)).shape == (1, 4)


def test_second_derivatives_are_refused() -> None:
    model, x = nn.Linear(32, 4), torch.randn(5, 32, requires_grad=True)
    with tt.patch(model):
        (slope,) = torch.autograd.grad(model(x).square().sum(), x, create_graph=True)
        with pytest.raises(GradientError, match="first derivatives only"):
            slope.sum().backward()


def test_deterministic_mode_reaches_the_backward_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.torch import attention_calls

    seen, run = list[Any](), attention_calls.run

    def watched(kind: Any, given: Any, choices: Any) -> Any:
        seen.append(choices)
        return run(kind, given, choices)

    monkeypatch.setattr(attention_calls, "run", watched)
    q = torch.randn(1, 5, 1, 32, requires_grad=True)
    for wanted in (True, False):
        torch.use_deterministic_algorithms(wanted)
        try:
            tt.attention(q, q, q).sum().backward()
        finally:
            torch.use_deterministic_algorithms(False)
    backward = [dict(zip(attention_calls.BACKWARD.choices, c, strict=True)) for c in seen if c[0] != "fwd"]
    assert [c["deterministic"] for c in backward] == [True, False]


def test_two_threads_share_a_patched_model() -> None:
    model, found = Small().eval(), dict[int, Any]()
    inputs = [torch.randn(2, rows, 32) for rows in (5, 6)]
    want = [model(x) for x in inputs]

    def work(number: int) -> None:
        with torch.no_grad():
            found[number] = [model(inputs[number]) for _ in range(20)]

    with tt.patch(model):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    for number in range(2):
        assert len(found[number]) == 20
        for got in found[number]:
            close(got, want[number])


def test_two_processes_train_together(tmp_path: Path) -> None:
    """DistributedDataParallel over gloo: the gradients of both are the mean, as without a patch."""
    script = Path(__file__).with_name("ddp_worker.py")
    command = [sys.executable, str(script), str(tmp_path / "store")]
    workers = [
        subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"})
        for rank in range(2)
    ]  # fmt: skip
    while any(w.poll() is None for w in workers) and not any(w.poll() for w in workers):
        time.sleep(0.05)
    for worker in workers:
        if worker.poll() is None:  # it would wait for the one that failed
            worker.kill()
    printed = [w.communicate()[0] for w in workers]
    assert [w.returncode for w in workers] == [0, 0], "\n".join(printed)
    assert all("same gradients" in text for text in printed)
