"""Known calls of patched linear layers, which the memo in C runs: what they skip, and what they must not skip."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import tilewright.torch as tt
from tilewright.jit.memo import make_memo
from tilewright.torch.modules import TilewrightLinear


@pytest.fixture
def forwards(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The layers whose forward pass runs in Python, without known calls."""
    seen, forward = list[Any](), TilewrightLinear.forward

    def noted(self: Any, input: Any) -> Any:
        seen.append(self)
        return forward(self, input)

    monkeypatch.setattr(TilewrightLinear, "forward", noted)
    monkeypatch.setenv("TILEWRIGHT_VENDOR", "0")
    return seen


@pytest.fixture
def layers() -> Iterator[Any]:
    """Two patched layers of one shape that both have a known call."""
    if make_memo(16) is None:
        pytest.skip("the C launcher is not built")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(24, 24), nn.Linear(24, 24))
    with torch.no_grad(), tt.patch(net):
        for _ in range(4):
            net(torch.randn(1, 24))
        yield net


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def plain(layer: Any, x: Any) -> Any:
    return torch.nn.functional.linear(x, layer.weight, layer.bias)


def test_a_known_call_runs_no_forward_pass_in_python(forwards: list[Any], layers: Any) -> None:
    del forwards[:]
    for _ in range(3):
        x = torch.randn(1, 24)
        close(layers(x), plain(layers[1], plain(layers[0], x)))
    assert not forwards
    close(layers[0](torch.randn(3, 1, 24).transpose(0, 1)[:, :2]).shape, torch.Size([1, 2, 24]))
    assert forwards == [layers[0]]


def test_values_shapes_and_parameters_that_change_are_seen(forwards: list[Any], layers: Any) -> None:
    x = torch.randn(1, 24)
    layers[0].weight.mul_(2.0)
    close(layers[0](x), plain(layers[0], x))
    layers[0].weight = nn.Parameter(torch.randn(24, 24), requires_grad=False)
    close(layers[0](x), plain(layers[0], x))
    layers[0].bias = None
    close(layers[0](x), plain(layers[0], x))
    layers[1].double()
    close(layers[1](x.double()), plain(layers[1], x.double()))
    with pytest.raises(RuntimeError):
        layers[0](torch.randn(1, 23))


def test_hooks_of_a_layer_and_of_all_layers_run(forwards: list[Any], layers: Any) -> None:
    x, want = torch.randn(1, 24), layers[0](torch.zeros(1, 24))
    for register in (layers[0].register_forward_pre_hook, layers[0].register_forward_hook):
        seen = list[Any]()
        hook = register(lambda *values, seen=seen: seen.append(values))
        layers[0](x)
        hook.remove()
        assert len(seen) == 1
    found = list[Any]()
    hook = register_module_forward_hook(lambda module, args, result: found.append(module))
    layers[0](x)
    hook.remove()
    assert found == [layers[0]]
    del forwards[:]
    close(layers[0](torch.zeros(1, 24)), want)
    assert not forwards


class Functions(TorchFunctionMode):
    """Counts functions."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute it."""
        return func(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Lets operators pass."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute it."""
        return func(*args, **(kwargs or {}))


@contextmanager
def exporting() -> Iterator[None]:
    torch.compiler._is_compiling_flag = True
    try:
        yield
    finally:
        torch.compiler._is_compiling_flag = False


@pytest.mark.parametrize(
    "guard",
    [
        torch.enable_grad,
        Functions,
        Operators,
        lambda: torch.autocast("cpu", torch.bfloat16),
        torch.autograd.forward_ad.dual_level,
        exporting,
    ],
    ids=["gradients", "functions", "operators", "autocast", "dual_level", "exporting"],
)
def test_what_torch_has_to_see_is_no_known_call(guard: Any, forwards: list[Any], layers: Any) -> None:
    x = torch.randn(1, 24)
    want, context = plain(layers[0], x), guard()
    assert isinstance(context, AbstractContextManager)
    del forwards[:]
    with context:
        got = layers[0](x)
    assert forwards == [layers[0]]
    torch.testing.assert_close(got.float(), want, rtol=5e-2, atol=5e-2)
    assert got.requires_grad == (guard is torch.enable_grad)


def test_copies_have_known_calls_of_their_own(forwards: list[Any], layers: Any) -> None:
    other, x = copy.deepcopy(layers[0]), torch.randn(1, 24)
    other.bias.add_(1.0)
    for _ in range(3):
        close(other(x), plain(other, x))
    del forwards[:]
    close(other(x), plain(other, x))
    assert not forwards


def test_a_layer_without_kernels_has_no_known_calls() -> None:
    net = nn.Sequential(nn.Linear(8, 8).double())
    with torch.no_grad(), tt.patch(net, fuse=False):
        net(torch.randn(1, 8).double())
        assert getattr(net[0], "tilewright_calls", None) is None


def test_a_packed_weight_is_not_passed_over() -> None:
    torch.manual_seed(0)
    net, x = nn.Sequential(nn.Linear(64, 64)).eval(), torch.randn(2, 64)
    with torch.no_grad(), tt.patch(net, fuse=True):
        for _ in range(4):
            close(net(x), plain(net[0], x))
        assert "tilewright_calls" not in vars(net[0])


def test_undo_leaves_no_trace() -> None:
    net = nn.Sequential(nn.Linear(24, 24))
    with tt.patch(net):
        assert type(net[0]) is TilewrightLinear
    assert type(net[0]) is nn.Linear
    assert not [name for name in vars(net[0]) if "tilewright" in name]
    assert type(net[0]).__call__ is nn.Module.__call__


def test_attention_that_is_known_asks_no_further_question(monkeypatch: pytest.MonkeyPatch) -> None:
    if make_memo(16) is None:
        pytest.skip("the C launcher is not built")
    q = torch.randn(1, 2, 3, 32)
    with torch.no_grad():
        want = torch.nn.functional.scaled_dot_product_attention(q, q, q)
        for _ in range(3):
            close(tt.sdpa(q, q, q), want)
        with monkeypatch.context() as changed:
            changed.setattr("tilewright.torch.op_sdpa.can_use_memo", lambda: pytest.fail("asked in Python"))
            close(tt.sdpa(q, q, q), want)
    own = q.clone().requires_grad_()
    tt.sdpa(own, own, own).sum().backward()  # type: ignore[no-untyped-call]
    assert own.grad is not None


def test_a_forward_pass_of_the_users_own_runs(layers: Any) -> None:
    """As of libraries that put a function in front of a layer: accelerate replaces `forward` of the object."""
    x = torch.randn(1, 24)
    inner = layers[0].forward
    layers[0].forward = lambda input: inner(input) + 1
    close(layers[0](x), plain(layers[0], x) + 1)
    del layers[0].forward
    close(layers[0](x), plain(layers[0], x))
