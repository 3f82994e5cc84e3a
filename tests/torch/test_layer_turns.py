"""A layer that torch computes faster is left to torch, by measurement, and the report says so."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn
from torch.utils.checkpoint import checkpoint

import tilewright.torch as tt
from tilewright.backends.vendor import cost
from tilewright.dispatcher import Dispatcher, contest
from tilewright.dispatcher.library_check import LibraryCheck
from tilewright.frontends import default
from tilewright.settings import Settings
from tilewright.torch import layer_turns, step_clock
from tilewright.torch.layer_turns import kind_of, mode_now
from tilewright.torch.model_turns import ModelTurns


class Clock:
    """A clock on which torch takes `seconds[1]`."""

    waiting, least_s = False, 0.0
    seconds = (36e-6, 31e-6)

    def __init__(self) -> None:
        self.found: list[tuple[int, float]] = []

    def measure(self, side: int, run: Any) -> Any:
        self.found.append((side, self.seconds[side]))
        return run()

    def results(self) -> list[tuple[int, float]]:
        found, self.found = self.found, []
        return found


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(contest, "HostClock", Clock)
    monkeypatch.setattr(Clock, "seconds", (36e-6, 31e-6))
    settings = Settings.from_env(vendor=True, data_dir=str(tmp_path))
    monkeypatch.setattr(default, "made", Dispatcher(settings=settings))
    monkeypatch.setattr(ModelTurns, "install", lambda turns, model: lambda: None)  # layers only


def model_of() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 4), nn.ReLU())


@pytest.mark.usefixtures("vendor")
def test_a_slow_layer_is_left_to_torch() -> None:
    model, x = model_of(), torch.ones(3, 8)
    expected = model(x)
    with tt.patch(model) as patched, torch.no_grad():
        for _ in range(260):
            torch.testing.assert_close(model(x), expected)
        (entry,) = patched.report.left
        assert entry.reason == "torch is faster here: 0.031 against 0.036 ms (input 3x8)"
        assert patched.report.taken == []
        assert "left: torch is faster here" in str(patched.report)
        assert patched.report.to_dict()["left"][0]["reason"] == entry.reason
        for _ in range(5):
            model(torch.ones(2, 8))  # other inputs are measured for themselves
        copies = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
        for other in copies:
            torch.testing.assert_close(other(x), expected)


@pytest.mark.usefixtures("vendor")
def test_a_fast_layer_stays_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "seconds", (31e-6, 36e-6))
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched, torch.no_grad():
        for _ in range(400):
            model(x)
        assert patched.report.left == []
        assert "ours" in patched.report.turns.values()


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.usefixtures("vendor")
def test_layers_that_do_the_same_work_are_compared_together(trains: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_turns, "StepClock", Steps)
    equal = [nn.Linear(8, 8) for _ in range(20)]  # more than a clock's patience
    model, x = nn.Sequential(*equal, nn.Linear(8, 8, bias=False)), torch.ones(3, 8, requires_grad=True)
    with tt.patch(model) as patched, torch.set_grad_enabled(trains):
        for _ in range(45):
            trained(model, x, 1) if trains else model(x)
        assert {entry.path for entry in patched.report.left} == {str(i) for i in range(20)}
        assert [state for state in patched.report.turns.values() if state != "torch"] == [
            patched.report.turns[("20", *kind_of(x), mode_now(True))]  # another kind: it has had too few calls
        ]
        last = nn.Linear(8, 8)
        last.__class__, last.tilewright_path, last.tilewright_report = type(equal[0]), "late", patched.report
        last(x)
        assert patched.report.turns[("late", *kind_of(x), mode_now(True))] == "torch"
        assert "torch is faster here" in patched.report.slower["late"]


class Steps(step_clock.StepClock):
    """A clock of training on which torch takes `seconds[1]` for both passes."""

    seconds = (36e-6, 31e-6)

    def results(self) -> list[tuple[int, float]]:
        return [(side, self.seconds[side]) for side, _ in super().results()]


def trained(model: Any, x: Any, steps: int = 260) -> Any:
    for _ in range(steps):
        x.grad = None
        model.zero_grad(set_to_none=True)
        model(x).square().sum().backward()
    return [x.grad, *(w.grad for w in model.parameters())]


@pytest.mark.parametrize("kind", ["linear", "conv", "conv_transpose", "multihead", "attention"])
@pytest.mark.usefixtures("vendor")
def test_a_slow_layer_is_left_to_torch_in_training(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_turns, "StepClock", Steps)
    monkeypatch.setattr(contest, "SHARE", 0.1)
    torch.manual_seed(0)
    layers: dict[str, Any] = {
        "linear": nn.Linear(8, 4), "conv": nn.Conv2d(4, 4, 3), "conv_transpose": nn.ConvTranspose2d(4, 4, 3),
        "multihead": SelfAttention(), "attention": Attention(),
    }  # fmt: skip
    shape = (1, 4, 5, 5) if kind.startswith("conv") else (2, 3, 8) if kind != "attention" else (1, 2, 4, 32)
    model, x = layers[kind], torch.randn(shape, requires_grad=True)
    expected = [t.clone() for t in trained(copy.deepcopy(model), x, 1)]
    with tt.patch(model, only=[kind]) as patched:
        for found, wanted in zip(trained(model, x, 100), expected, strict=True):
            torch.testing.assert_close(found, wanted)
        assert [*patched.report.turns.values()] == ["torch"]
        (entry,) = patched.report.left
        assert "torch is faster here: 0.031 against 0.036 ms (in training, input" in str(entry.reason)
        with torch.no_grad():
            model(x)  # inference is measured for itself
        assert len(patched.report.turns) == 2


@pytest.mark.parametrize("seconds", [(30e-6, 30e-6), (29.7e-6, 30e-6), (30e-6, 29.7e-6)])
@pytest.mark.usefixtures("vendor")
def test_near_ties_are_torchs_in_training_only(seconds: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """There an autograd function in Python is around our kernels."""
    monkeypatch.setattr(layer_turns, "StepClock", Steps)
    monkeypatch.setattr(Steps, "seconds", seconds)
    monkeypatch.setattr(Clock, "seconds", seconds)
    monkeypatch.setattr(contest, "SHARE", 0.1)
    model, x = model_of(), torch.ones(3, 8, requires_grad=True)
    with tt.patch(model) as patched:
        trained(model, x, 100)
        assert [*patched.report.turns.values()] == ["torch"]
        (entry,) = patched.report.left
        assert "torch is as fast here: 0.030 against 0.030 ms (in training, input 3x8)" in str(entry.reason)
        with torch.no_grad():
            for _ in range(100):
                model(x)
        assert [*patched.report.turns.values()] == ["torch", "ours"]


def python_calls(run: Any) -> int:
    """Return how many functions of Python a call runs."""
    found = [0]

    def note(frame: Any, event: str, what: Any) -> None:
        found[0] += event == "call"

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found[0]


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("kind", ["linear", "conv"])
@pytest.mark.usefixtures("vendor")
def test_a_layer_that_is_left_costs_no_more_than_in_torch(kind: str, trains: bool) -> None:
    plain: Any = nn.Linear(8, 4) if kind == "linear" else nn.Conv2d(4, 4, 3)
    model, x = copy.deepcopy(plain), torch.randn((2, 8) if kind == "linear" else (1, 4, 5, 5), requires_grad=True)
    with tt.patch(model, only=[kind]) as patched, torch.set_grad_enabled(trains):
        patched.report.turns[("", *kind_of(x), mode_now(True))] = "torch"
        first = model(x)
        assert python_calls(lambda: model(x)) <= python_calls(lambda: plain(x))
        torch.testing.assert_close(model(x), first, rtol=0, atol=0)
        assert type(model(x).grad_fn) is type(plain(x).grad_fn)
        seen = list[Any]()
        handle = model.register_forward_hook(lambda *call: seen.append(call))
        model(x)
        handle.remove()
        assert len(seen) == 1
        weight, bias = model.weight, model.bias
        del model.bias
        model.bias = torch.full_like(bias, 3.0)  # a plain attribute
        torch.testing.assert_close(model(x) - first, (3 - bias).reshape(-1, *[1] * (x.dim() - 2)).expand_as(first))
        del model.bias
        model.bias = bias
        assert model.weight is weight
        other = pickle.loads(pickle.dumps(model))
        other(x)
        assert other.tilewright_report.turns  # a copy with another report decides anew
    assert not [name for name in vars(model) if "tilewright" in name]


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2)

    def forward(self, x: Any) -> Any:
        return self.inner(x, x, x, need_weights=False)[0]


class Attention(nn.Module):
    def forward(self, x: Any) -> Any:
        return nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)


@pytest.mark.usefixtures("vendor")
def test_a_call_without_a_backward_pass_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "MAX_CALLS", 60)
    model, x = model_of(), torch.ones(3, 8, requires_grad=True)
    with tt.patch(model) as patched:
        for _ in range(70):
            model(x)
        assert [*patched.report.turns.values()] == ["ours"]


@pytest.mark.usefixtures("vendor")
def test_a_checkpoint_saves_the_same_tensors_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_turns, "StepClock", Steps)
    monkeypatch.setattr(contest, "SHARE", 0.1)
    model, x = model_of(), torch.ones(3, 8, requires_grad=True)
    with tt.patch(model) as patched:
        for steps in range(120):
            if steps % 2:
                model(x).sum().backward()
            else:
                checkpoint(model, x, use_reentrant=False).sum().backward()
        assert [*patched.report.turns.values()] == ["torch"]


@pytest.mark.usefixtures("vendor")
def test_nothing_is_compared_without_gradients_of_the_input_and_in_deterministic_mode() -> None:
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched:
        for _ in range(3):
            model(x).sum().backward()
        assert not patched.report.turns
        torch.use_deterministic_algorithms(True)
        try:
            with torch.no_grad():
                model(x)
        finally:
            torch.use_deterministic_algorithms(False)
        assert [*patched.report.turns.values()] == ["ours"]


def test_without_vendor_kernels_every_layer_is_ours() -> None:
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched, torch.no_grad():
        model(x)
        assert [*patched.report.turns.values()] == ["ours"]


@pytest.mark.usefixtures("vendor")
def test_libraries_are_checked_on_tensors_in_other_orders(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """SDPA's tensors have heads before rows, and a layer's input may have three dimensions."""
    monkeypatch.setattr(cost, "prices", dict)  # nothing is known about libraries
    monkeypatch.setattr(contest, "SHARE", 0.1)
    checked: list[Any] = []
    verified = LibraryCheck._verified

    def noted(self: Any, *args: Any) -> Any:
        found = verified(self, *args)
        checked.append((self._problem.op, found.ok))
        return found

    monkeypatch.setattr(LibraryCheck, "_verified", noted)
    q, x, weight = torch.randn(1, 2, 4, 32), torch.randn(2, 3, 8), torch.randn(16, 8)
    with torch.no_grad():
        for _ in range(60):
            tt.sdpa(q, q, q)
            tt.linear(x, weight)
    assert ("fmha", True) in checked
    assert all(ok for _, ok in checked)
    assert "was not checked" not in caplog.text
