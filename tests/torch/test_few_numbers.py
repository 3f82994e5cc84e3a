"""Layer norms and GELU of few numbers in a patched model, by the C launcher: right, and what that must not skip."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn
from torch.overrides import TorchFunctionMode

import tilewright.torch as tt
from tilewright.jit.memo import make_memo
from tilewright.torch import op_gelu
from tilewright.torch.modules import TilewrightLayerNorm


@pytest.fixture
def net() -> Iterator[Any]:
    """A patched norm after a linear layer that has run."""
    if make_memo(16) is None:
        pytest.skip("the C launcher is not built")
    net = nn.Sequential(nn.Linear(24, 24), nn.LayerNorm(24)).eval()
    with torch.no_grad(), tt.patch(net):
        net(torch.randn(1, 24))
        yield net


@pytest.fixture
def forwards(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The norms whose forward pass runs in Python."""
    seen, forward = list[Any](), nn.LayerNorm.forward
    monkeypatch.setattr(nn.LayerNorm, "forward", lambda self, input: (seen.append(self), forward(self, input))[1])
    return seen


def want(norm: Any, x: Any) -> Any:
    return nn.functional.layer_norm(x, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def test_few_numbers_are_right_without_torchs_forward_pass(net: Any, forwards: list[Any]) -> None:
    norm = net[1]
    assert type(norm) is TilewrightLayerNorm
    norm.weight.uniform_()
    norm.eps = 0.25
    for x in (torch.randn(1, 24), 1e4 + torch.randn(2, 3, 24), torch.randn(24), torch.full((1, 24), torch.inf)):
        right = nn.functional.layer_norm(x.double(), (24,), norm.weight.double(), norm.bias.double(), norm.eps)
        torch.testing.assert_close(norm(x).double(), right, atol=1e-5, rtol=1e-5, equal_nan=True)
    norm.bias = norm.weight = None
    torch.testing.assert_close(norm(x), want(norm, x), equal_nan=True)
    assert not forwards


@pytest.mark.parametrize("columns", [1, 3, 16, 19, 8192])
def test_norms_of_any_width(net: Any, columns: int, forwards: list[Any]) -> None:
    norm, x = nn.LayerNorm(columns).eval(), torch.randn(1, columns) * 3 + 7
    with tt.patch(norm):
        found = norm(x)
    assert not forwards
    wide = nn.functional.layer_norm(x.double(), (columns,))
    torch.testing.assert_close(found.double(), wide, atol=1e-5, rtol=1e-5)


def test_what_the_launcher_does_not_normalise_is_torchs(net: Any, forwards: list[Any]) -> None:
    norm = net[1]
    left = [torch.randn(24, 5).T, torch.randn(342, 24), torch.randn(0, 24)]
    for x in left:
        assert torch.equal(norm(x), want(norm, x))
    with pytest.raises(RuntimeError):
        norm(torch.randn(1, 23))
    norm.weight = nn.Parameter(torch.ones(23))
    with pytest.raises(RuntimeError):
        norm(torch.randn(1, 24))
    double = nn.LayerNorm(24).double()
    with tt.patch(double):
        assert double(torch.randn(1, 24).double()).dtype is torch.float64
    assert len(forwards) == len(left) + 3


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_is_right(net: Any, approximate: str) -> None:
    special = torch.tensor([0.0, -0.0, torch.inf, torch.nan, 1e-30, -1e-30, 1e30, -1e30, -13.5, 13.5, -88.0])
    for x in (torch.linspace(-14, 14, 4001), special, torch.randn(1, 3, 5)):
        want = torch.ops.aten.gelu(x.double(), approximate=approximate).float()
        found = nn.functional.gelu(x, approximate=approximate)
        torch.testing.assert_close(found, want, atol=2e-7, rtol=2e-5, equal_nan=True)
        assert torch.equal(nn.GELU(approximate)(x).isnan(), want.isnan())


def test_gelu_is_torchs_where_it_has_to_be(net: Any) -> None:
    gelu, torchs = nn.functional.gelu, op_gelu.torchs
    assert gelu is op_gelu.gelu
    assert gelu is not torchs
    for x in (torch.randn(8193), torch.randn(4, 4).T, torch.randn(4).double(), torch.randn(0), torch.randn(3).half()):
        assert torch.equal(gelu(x), torchs(x))
    with torch.enable_grad():
        x = torch.randn(3, requires_grad=True)
        gelu(x).sum().backward()
    assert x.grad is not None
    assert torch.equal(torch.func.vmap(gelu)(torch.ones(2, 3)), torchs(torch.ones(2, 3)))
    with pytest.raises(RuntimeError):
        gelu(torch.ones(2), approximate="other")
    with op_gelu.torchs_own():
        assert nn.functional.gelu is torchs
    second = tt.patch(nn.Sequential(nn.Linear(4, 4)))
    second.undo()
    assert nn.functional.gelu is gelu


def test_results_that_must_not_depend_on_the_batch_are_torchs(forwards: list[Any]) -> None:
    net, x = nn.Sequential(nn.Linear(24, 24), nn.LayerNorm(24)).eval(), torch.randn(1, 24)
    with torch.no_grad(), tt.patch(nn.Linear(4, 4)), tt.patch(net, invariant=True):
        net(x)
        assert type(net[1]) is nn.LayerNorm
        assert torch.equal(nn.functional.gelu(x), op_gelu.torchs(x))


def test_the_last_patch_gives_gelu_back() -> None:
    before = nn.functional.gelu
    patched = tt.patch(nn.Sequential(nn.Linear(4, 4)))
    assert nn.functional.gelu is op_gelu.gelu
    patched.undo()
    assert nn.functional.gelu is before


def test_hooks_gradients_modes_and_other_arguments_are_seen(net: Any, forwards: list[Any]) -> None:
    norm, x, seen = net[1], torch.randn(1, 24), list[Any]()
    hook = norm.register_forward_hook(lambda *values: seen.append(values))
    norm(x)
    hook.remove()
    assert len(seen) == len(forwards) == 1
    with torch.enable_grad():
        norm(x).sum().backward()
    assert norm.weight.grad is not None
    norm(input=x)

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    with Functions():
        norm(x)
    assert nn.functional.layer_norm in seen
    norm.forward = lambda x: x
    assert norm(x) is x
    assert len(forwards) == 4


def test_copies_pickles_and_undo_keep_the_layer(net: Any) -> None:
    x = torch.randn(1, 24)
    for other in (copy.deepcopy(net[1]), pickle.loads(pickle.dumps(net[1]))):
        assert torch.equal(other(x), net[1](x))
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8))
    patched = tt.patch(model)
    assert type(model[0]) is TilewrightLayerNorm
    assert "LayerNorm" not in str(patched.report)
    patched.undo()
    assert type(model[0]) is nn.LayerNorm
    for kept in (tt.patch(model, only=["linear"]), tt.patch(model.eval(), fuse=True)):
        assert type(model[0]) is nn.LayerNorm
        kept.undo()
