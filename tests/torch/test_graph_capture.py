"""Captured graphs without a GPU: what is not built is left to torch, and what a graph reads stays in memory."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing captures a graph")

from torch import nn

import tilewright.torch as tt
from tilewright import Dispatcher, Settings
from tilewright.backends.gpu import captured
from tilewright.errors import CaptureError
from tilewright.frontends import default
from tilewright.torch.fused import Fused

PATH = "torch.nn.functional.scaled_dot_product_attention"
REASON = "is not built, and a graph is being captured"


class Layers(nn.Module):
    """Every kind of layer that is taken, on images of 2x4x6x6."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.up = nn.Conv2d(4, 4, 3, padding=1), nn.ConvTranspose2d(4, 4, 1)
        self.into, self.attend = nn.Linear(6, 32), nn.MultiheadAttention(32, 1, batch_first=True)

    def forward(self, x: Any) -> Any:
        """Return [2, 6, 32]."""
        rows = self.into(self.up(self.conv(x)).mean(1))
        return self.attend(rows, rows, rows, need_weights=False)[0]


def capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a graph be captured from now on, as the dispatcher sees it."""
    for module in ("dispatcher", "policy"):
        monkeypatch.setattr(f"tilewright.dispatcher.{module}.is_captured", lambda problem: True)


def fresh(path: Path, **options: Any) -> Dispatcher:
    return Dispatcher(settings=Settings.from_env(cache_dir=str(path), **options))


def passes(model: nn.Module, x: Any) -> list[Any]:
    out = model(x)
    return [out, *torch.autograd.grad(out.square().mean(), list(model.parameters()))]


def test_a_patched_layer_leaves_what_is_not_built_to_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = Layers(), torch.randn(2, 4, 6, 6)
    want = passes(model, x)
    monkeypatch.setattr(default, "made", fresh(tmp_path))
    capture(monkeypatch)
    with tt.patch(model) as patched:
        torch.testing.assert_close(passes(model, x), want, rtol=1e-4, atol=1e-4)
        left = patched.report.left_calls
    assert {path for path, _ in left} == {"conv", "up", "into", "attend", PATH}  # torch's layer calls the function
    assert all(REASON in reason for _, reason in left)
    with pytest.raises(CaptureError, match="warm_up"):  # who calls a function can build it before
        tt.linear(x, torch.randn(8, 6))


def test_strict_mode_makes_it_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "made", fresh(tmp_path, strict=True))
    capture(monkeypatch)
    layer = nn.Linear(6, 8)
    with tt.patch(layer), pytest.raises(CaptureError, match="warm_up"):
        layer(torch.randn(2, 6))


def test_a_backward_pass_that_is_not_built_is_left_to_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = Layers(), torch.randn(2, 4, 6, 6)
    want = passes(model, x)
    monkeypatch.setattr(default, "made", fresh(tmp_path))
    with tt.patch(model) as patched:
        model(x)  # builds the kernels of the forward pass
        before = tt.left_calls()
        capture(monkeypatch)
        torch.testing.assert_close(passes(model, x), want, rtol=1e-4, atol=1e-4)
        assert not patched.report.left_calls
    new = {function for (function, reason), n in tt.left_calls().items() if n > before.get((function, reason), 0)}
    assert {"tilewright.torch.conv (backward)", "tilewright.torch.attention (backward)"} <= new


def test_fused_weights_that_a_graph_reads_outlive_the_patch(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval(), torch.randn(1, 4, 6, 6)
    monkeypatch.setattr("tilewright.torch.captures.is_capturing", lambda: True)
    made = list[Any]()
    created = Fused.__init__
    monkeypatch.setattr(Fused, "__init__", lambda self, *given: made.append(self) or created(self, *given))
    for release in (False, True):
        patched = tt.patch(model, fuse=True)
        with torch.no_grad():
            model(x)
        weight = weakref.ref(next(layer for layer in made).weight)
        made.clear()
        patched.undo(release)
        gc.collect()
        assert (weight() is None) == release
        patched.undo(release=True)


def test_workspaces_that_a_graph_uses_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Owner:
        """Owns a workspace."""

    kept, other = Owner(), Owner()
    refs = [weakref.ref(kept), weakref.ref(other)]
    monkeypatch.setattr(captured, "_kept", {})
    captured.keep_if_captured(other)
    monkeypatch.setattr(captured, "is_capturing", lambda: True)
    captured.keep_if_captured(kept)
    del kept, other
    gc.collect()
    assert [ref() is None for ref in refs] == [False, True]
