"""`patch`: what is taken and left, the same results, and the way back."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn
from torch.nn import functional

import tilewright
import tilewright.torch as tt
from tilewright.errors import ProblemError, SelectionError, UnknownNameError
from tilewright.frontends import default
from tilewright.torch.modules import Taken


class Layers(nn.Module):
    """Every kind of layer that is taken, on images of 2x4x8x8."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Conv2d(4, 8, 3, padding=1, groups=2)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.round = nn.Conv2d(4, 4, 3, padding="same", padding_mode="circular")
        self.line = nn.Conv1d(16, 16, 3, padding="same")
        self.into = nn.Linear(16, 32)
        self.encoder = nn.TransformerEncoderLayer(32, 2, 32, batch_first=True, dropout=0.0)

    def forward(self, x: Any) -> Any:
        """Return [2, 16, 32]."""
        image = torch.relu(self.round(self.up(self.conv(x))))
        rows: Any = self.encoder(self.into(self.line(image.mean(1))))
        return rows


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def image() -> Any:
    return torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(1))


def gradients(model: nn.Module, x: Any) -> Any:
    return torch.autograd.grad(model(x).square().mean(), list(model.parameters()))


def test_results_and_gradients_are_those_of_torch_and_everything_is_restored() -> None:
    model, x = Layers(), image()
    kinds = [type(m) for m in model.modules()]
    state, want, slopes = model.state_dict(), model(x), gradients(model, x)
    with torch.no_grad():
        served = model.eval()(x)
        model.train()
    with tt.patch(model) as patched:
        assert len(patched.report.taken) == 9
        assert not patched.report.left
        assert sum(isinstance(m, Taken) for m in model.modules()) == 8
        assert functional.scaled_dot_product_attention is tt.sdpa
        close(model(x), want)
        close(gradients(model, x), slopes)
        with torch.no_grad():
            close(model.eval()(x), served)
            model.train()
        assert list(model.state_dict()) == list(state)
        assert patched.report.left_calls == {}
    assert [type(m) for m in model.modules()] == kinds
    assert functional.scaled_dot_product_attention is not tt.sdpa
    assert not any(name.startswith("tilewright") for m in model.modules() for name in m.__dict__)


def test_memory_formats_and_autocast() -> None:
    model, x = Layers(), image()
    last = x.contiguous(memory_format=torch.channels_last)
    want = model(x)
    with torch.autocast("cpu", torch.bfloat16):
        low = model(x)
    with tt.patch(model) as patched:
        close(model(last), want)
        close(model.to(memory_format=torch.channels_last)(last), want)
        assert model.conv(last).is_contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            got = model(x)
        assert got.dtype is low.dtype
        torch.testing.assert_close(got, low, rtol=0.1, atol=0.1)
        assert patched.report.left_calls == {}


class Own(nn.Linear):
    """A layer with a forward pass of its own."""

    def forward(self, x: Any) -> Any:
        """Return twice the result."""
        return 2 * super().forward(x)


class Named(nn.Linear):
    """A layer that only has a name of its own."""


class Scaled(nn.Conv2d):
    """A layer that does more than its forward pass."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*args, **kwargs) * 10


def left_model() -> nn.Module:
    hooked = nn.Linear(4, 4)
    hooked.forward = hooked.forward  # type: ignore[method-assign]
    return nn.Sequential(
        Own(4, 4), Named(4, 4), nn.Linear(4, 4, dtype=torch.float64), hooked,
        nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), nn.Conv1d(4, 4, 2, padding="same"),
        nn.MultiheadAttention(4, 2, kdim=3), nn.LazyLinear(4), Scaled(4, 4, 1),
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_what_is_left_has_a_reason() -> None:
    with tt.patch(left_model()) as patched:
        reasons = {e.path: e.reason for e in patched.report.left}
        taken = [e.path for e in patched.report.taken]
    assert taken == ["6", "5", "1", "torch.nn.functional.scaled_dot_product_attention"]
    assert reasons == {
        "0": "its forward is not torch's",
        "2": "its weight is float64",
        "3": "its forward is not torch's",
        "4": "its weight is parametrized",
        "7": "its weight has no shape before its first call",
        "8": "its __call__ is not torch's",
    }
    found = patched.report.to_dict()
    assert len(found["taken"]) == 4
    assert {"path": "2", "kind": "Linear", "taker": "linear", "reason": "its weight is float64"} in found["left"]
    assert "left: its weight is float64" in str(patched.report) == str(patched)


def test_every_layer_with_matrices_has_a_line_and_attention_only_if_it_is_called() -> None:
    model = nn.Sequential(nn.Embedding(4, 8), nn.LSTM(8, 8), nn.GRUCell(8, 8), nn.Linear(8, 8), nn.LayerNorm(8))
    with tt.patch(model) as patched:
        shown = str(patched.report)
        assert [e.path for e in patched.report.taken] == ["3"]
        assert [(e.path, e.reason) for e in patched.report.left] == [
            ("1", "tilewright has no kernel for LSTM"),
            ("2", "tilewright has no kernel for GRUCell"),
        ]
        assert "scaled_dot_product_attention  function  replaced; not called so far" in shown
        assert patched.report.to_dict()["uncalled"] == ["torch.nn.functional.scaled_dot_product_attention"]
        q = torch.randn(1, 1, 4, 32)
        functional.scaled_dot_product_attention(q, q, q)
        assert "scaled_dot_product_attention  function  taken" in str(patched.report)
    with tt.patch(nn.Linear(2, 2)) as patched:
        pass
    functional.scaled_dot_product_attention(q, q, q)  # after the patch: torch's
    assert patched.report.to_dict()["uncalled"]


def test_a_call_that_no_kernel_computes_is_left_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    model = nn.Linear(4, 4)
    with tt.patch(model) as patched:
        x = torch.randn(2, 4)
        want = functional.linear(x.double(), model.weight.double(), model.bias.double())
        model.double()
        for _ in range(2):
            torch.testing.assert_close(model(x.double()), want)
        ((path, reason), count), = patched.report.left_calls.items()  # fmt: skip
        assert (path, count) == ("", 2)
        assert "float64" in reason
        assert sum("is left to torch" in r.message for r in caplog.records) == 1
        with pytest.raises(RuntimeError):  # torch's own words
            model(x)


def test_strict_mode_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tilewright.Dispatcher(tilewright.Registry("empty"), settings=tilewright.Settings.from_env())
    strict = tilewright.Dispatcher(tilewright.Registry("empty"), settings=tilewright.Settings.from_env(strict=True))
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    with tt.patch(model, only=["linear"]) as patched:
        monkeypatch.setattr(default, "made", empty)
        close(model(x), functional.linear(x, model.weight, model.bias))
        assert "no kernel is declared" in next(iter(patched.report.left_calls))[1]
        monkeypatch.setattr(default, "made", strict)
        with pytest.raises(SelectionError):
            model(x)


def test_patches_nest_and_are_undone_in_any_case() -> None:
    model = nn.Sequential(nn.Linear(4, 4))
    outer = tt.patch(model, only=["attention", "linear"])
    with tt.patch(model) as inner:
        assert [e.reason for e in inner.report.left] == ["it is patched already"]
    assert functional.scaled_dot_product_attention is tt.sdpa
    assert isinstance(model[0], Taken)
    outer.undo()
    outer.undo()
    assert functional.scaled_dot_product_attention is not tt.sdpa
    assert type(model[0]) is nn.Linear


def test_copies_and_pickles_of_a_patched_model_work() -> None:
    model, x = nn.Sequential(nn.Linear(4, 4), nn.Conv1d(2, 2, 1)), torch.randn(3, 2, 4)
    want = model(x)
    with tt.patch(model, only=["linear", "conv"]):
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            close(other(x), want)
            assert isinstance(other[0], Taken)
            assert other[0].weight is not model[0].weight


def test_hooks_and_weights_that_change_in_place() -> None:
    model, x, seen = nn.Linear(16, 8), torch.randn(4, 16), list[Any]()
    model.register_forward_hook(lambda *given: seen.append(given[0]))
    with tt.patch(model), torch.no_grad():
        for factor in (1.0, 2.0):
            model.weight.mul_(factor)
            model.bias.add_(1.0)
            close(model(x), functional.linear(x, model.weight, model.bias))
    assert len(seen) == 2


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ProblemError, match="model is a builtin_function"):
        tt.patch(torch.relu)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'linear'"):
        tt.patch(nn.Linear(2, 2), only=["linaer"])
