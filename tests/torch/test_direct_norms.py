"""Layer norms of a patched model, which reach torch's kernel directly: what that must not skip."""

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
from tilewright.torch.modules import DirectLayerNorm


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


def test_the_result_is_torchs_to_the_bit_without_its_forward_pass(net: Any, forwards: list[Any]) -> None:
    norm = net[1]
    assert type(norm) is DirectLayerNorm
    norm.weight.uniform_()
    norm.eps = 0.25
    for x in (torch.randn(1, 24), torch.randn(2, 3, 24), torch.randn(24, 5).T):
        assert torch.equal(norm(x), want(norm, x))
    norm.bias = norm.weight = None
    assert torch.equal(norm(x), want(norm, x))
    assert not forwards
    with pytest.raises(RuntimeError):
        norm(torch.randn(1, 23))


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
        assert torch.equal(other(x), want(net[1], x))
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8))
    patched = tt.patch(model)
    assert type(model[0]) is DirectLayerNorm
    assert "LayerNorm" not in str(patched.report)
    patched.undo()
    assert type(model[0]) is nn.LayerNorm
    for kept in (tt.patch(model, only=["linear"]), tt.patch(model.eval(), fuse=True)):
        assert type(model[0]) is nn.LayerNorm
        kept.undo()
