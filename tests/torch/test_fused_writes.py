"""Fused models whose forward writes in place: every kind of write, at every place around the layers of a chain."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fused")
from torch import nn
from torch.nn import functional

from tilewright.torch import patch
from tilewright.torch.tracing import trace
from tilewright.torch.writes import Writes


@torch.fx.wrap
def half(x: Any) -> None:
    """A function of the model that is called for what it writes."""
    x.mul_(0.5)


@torch.library.custom_op("tilewright_tests::negate", mutates_args=("x",))
def negate(x: torch.Tensor) -> None:
    x.neg_()


WRITERS: dict[str, Callable[[Any, Any], Any]] = {
    "function of the model": lambda _, x: half(x),
    "method": lambda _, x: x.add_(1),
    "method of a view": lambda _, x: x[:, 1:].neg_(),
    "item": lambda _, x: x.__setitem__(0, 2.0),
    "function": lambda _, x: torch.relu_(x),
    "argument": lambda _, x: functional.relu(x, inplace=True),
    "argument by place": lambda _, x: functional.relu(x, True),
    "out": lambda _, x: torch.mul(x, 3.0, out=x),
    "two outs": lambda _, x: torch.sort(x, out=(x, torch.zeros(x.shape, dtype=torch.long))),
    "list": lambda _, x: torch._foreach_neg_([x]),
    "operator": lambda _, x: torch.ops.aten.neg_.default(x),
    "operator without its overload": lambda _, x: torch.ops.aten.neg_(x),
    "operator of others": lambda _, x: torch.ops.tilewright_tests.negate(x),
    "module": lambda net, x: net.relu(x),
    "nothing": lambda _, x: None,
}
PLACES = ("input", "view of the input", "value", "residual", "view of the residual")
ORDERS = ("before", "between", "after the sum", "before the end")


class Net(nn.Module):
    """relu(a(x) + b(x)), with one write at one place; what is written is read afterwards too."""

    def __init__(self, writer: str, place: str, order: str, kind: str) -> None:
        super().__init__()
        made = (lambda: nn.Conv2d(4, 4, 1)) if kind == "conv" else (lambda: nn.Linear(4, 4))
        self.a, self.b, self.relu = made(), made(), nn.ReLU(inplace=True)
        self.written, self.place, self.order = WRITERS[writer], place, order

    def _write(self, order: str, **values: Any) -> None:
        if order == self.order:
            x = values.get(self.place.split()[-1])
            if x is not None:
                self.written(self, x[:1] if self.place.startswith("view") else x)

    def forward(self, given: Any) -> Any:
        x = given * 2
        self._write("before", input=x)
        value = self.a(x)
        self._write("between", input=x, value=value)
        other = self.b(given)
        self._write("between", residual=other)
        total = value + other
        self._write("after the sum", input=x, value=value, residual=other)
        found = torch.relu(total)
        self._write("before the end", input=x, value=value, residual=other)
        return found + x, other


class InPlaceSum(nn.Module):
    """An addition in place to a value that others see: through a view, or because it is the input."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.a, self.place = nn.Linear(4, 4), place

    def forward(self, given: Any) -> Any:
        x = given * 2
        seen = given[:] if self.place == "input" else x.view(-1, 4) if self.place == "view" else x
        found = seen.add_(self.a(given.flatten(0, 1) if self.place == "view" else given * 3))
        return (found * 2, x) if self.place != "own" else found * 2


@torch.no_grad()
def check(net: nn.Module, *shape: int) -> Any:
    """Compare a net with its fused self: the result, and the input, which it may change. Return the patch."""
    torch.manual_seed(0)
    net, x = net.eval(), torch.randn(*shape)
    copies = x.clone(), x.clone()
    want = net(copies[0])
    with patch(net, fuse=True, only=()) as patched:
        found = net(copies[1])
    torch.testing.assert_close(found, want, rtol=1e-5, atol=1e-5, equal_nan=True)
    torch.testing.assert_close(copies[1], copies[0], rtol=1e-5, atol=1e-5)
    return patched


@pytest.mark.parametrize("writer", WRITERS)
def test_what_a_forward_writes_is_written_when_it_is_fused(writer: str) -> None:
    for place, order, kind in product(PLACES, ORDERS, ("conv", "linear")):
        check(Net(writer, place, order, kind), 2, 4, 4, 4)


def test_a_net_that_writes_nothing_is_fused() -> None:
    patched = check(Net("nothing", "input", "before", "linear"), 2, 4, 4, 4)
    assert [e.kind for e in patched.report.entries if "add" in e.kind] == ["Linear + add + relu"]


@pytest.mark.parametrize("place", ["input", "view", "own"])
def test_a_sum_in_place_that_others_see_stays(place: str) -> None:
    patched = check(InPlaceSum(place), 2, 4, 4)
    assert any("add" in e.kind for e in patched.report.entries) == (place == "own")


OUTS: dict[str, Callable[..., Any]] = {
    "relu": lambda y, out: torch._C._nn.hardtanh(y, 0.0, 9.0, out=out),
    "tanh": lambda y, out: torch.tanh(y, out=out),
    "sigmoid": lambda y, out: torch.sigmoid(y, out=out),
    "gelu": lambda y, out: torch._C._nn.gelu(y, out=out),
    "gelu by tanh": lambda y, out: torch._C._nn.gelu(y, approximate="tanh", out=out),
    "silu": lambda y, out: torch._C._nn.silu(y, out=out),
    "hardswish": lambda y, out: torch._C._nn.hardswish(y, out=out),
    "sum": lambda y, out: torch.add(y, 1.0, out=out),
    "residual": lambda y, out: torch.add(y, y.detach() * 2, out=out),
    "weighed residual": lambda y, out: torch.add(y, out, alpha=2),
    "factor": lambda y, out: torch.mul(y, 2.0, out=out),
    "permuted": lambda y, out: torch.mul(y.mT, 2.0, out=out.mT),
}


class Buffered(nn.Module):
    """A layer whose result goes through a function into memory of the model's own."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__()
        self.layer = nn.Conv2d(4, 4, 1) if kind == "conv" else nn.Linear(4, 4)
        self.function = OUTS[name]

    def forward(self, given: Any) -> Any:
        buffer = given * 2
        return self.function(self.layer(given), buffer) * 3, buffer


@pytest.mark.parametrize("kind", ["conv", "linear"])
@pytest.mark.parametrize("name", OUTS)
def test_what_a_function_writes_besides_its_result_is_written(name: str, kind: str) -> None:
    patched = check(Buffered(name, kind), 2, 4, 4, 4)
    assert not [e.kind for e in patched.report.entries if " + " in e.kind]


class Scaled(nn.Module):
    """A layer with a factor for each channel of its permuted result, as ConvNeXt has it, and memory for that."""

    def __init__(self, out: bool) -> None:
        super().__init__()
        self.layer, self.gain, self.out = nn.Linear(4, 4), nn.Parameter(torch.randn(4, 1, 1)), out

    def forward(self, given: Any) -> Any:
        buffer, moved = given * 2, self.layer(given).permute(0, 3, 1, 2)
        found = torch.mul(moved, self.gain, out=buffer) if self.out else torch.mul(moved, self.gain)
        return found + given, buffer


@pytest.mark.parametrize("out", [False, True])
def test_a_factor_that_is_written_elsewhere_is_not_folded(out: bool) -> None:
    patched = check(Scaled(out), 2, 4, 4, 4)
    assert any("scale" in e.kind for e in patched.report.entries) != out


def test_a_write_to_memory_of_another_layer_hides_nothing() -> None:
    """As ResNets have it: the activations in place of one branch lie between the layer and the sum of the other."""

    class Branches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b, self.c, self.relu = *(nn.Conv2d(4, 4, 1) for _ in range(3)), nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            short = self.a(x)
            return self.relu(short + self.c(self.relu(self.b(x))))

    patched = check(Branches(), 2, 4, 4, 4)
    assert {"Conv2d + relu", "Conv2d + add + relu"} <= {e.kind for e in patched.report.entries}


def test_memory_is_that_of_the_values_that_it_may_be_of() -> None:
    traced = trace(Net("method of a view", "input", "between", "conv"))
    found = Writes(traced)
    nodes = {node.name: node for node in traced.graph.nodes}
    assert {nodes["mul"]} < found.written[nodes["neg_"]]
    assert found.hides(nodes["a"], nodes["add"], ())
    assert not found.hides(nodes["b"], nodes["add"], ())
    assert found.is_last(nodes["a"], nodes["add"])
    assert not found.is_last(nodes["b"], nodes["add"])
    assert not found.is_last(nodes["getitem"], nodes["add"])
    assert not found.is_last(nodes["given"], nodes["mul"])


ASSIGNED: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")
}


class Assigned(nn.Module):
    """Operators that assign: to the input, a layer's result and a number, whose older values are read afterwards."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__()
        self.layer, self.place, self.assigned = nn.Linear(4, 4), place, ASSIGNED[name]

    def forward(self, given: Any) -> Any:
        value, size = self.layer(given), given.shape[-1]
        if self.place == "input":
            return torch.relu(self.layer(self.assigned(given, 2.0))), value
        if self.place == "attribute":
            self.assigned(given.data, 2.0)
            return torch.relu(self.layer(given)), value
        if self.place == "number":
            return torch.relu(self.layer(given)), self.assigned(size, 3), size
        return torch.relu(self.layer(given)), self.assigned(value, given.detach() + 3.0) * 2, value


@pytest.mark.parametrize("place", ["input", "attribute", "value", "number"])
@pytest.mark.parametrize("name", ASSIGNED)
def test_operators_that_assign_write_into_what_others_read(name: str, place: str) -> None:
    assert check(Assigned(name, place), 2, 4, 4).report.taken


def test_a_forward_that_assigns_to_an_attribute_of_a_tensor_is_not_fused() -> None:
    class Moved(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, given: Any) -> Any:
            other = given * 2
            other.data = given.data * 3
            return torch.relu(self.layer(other))

    assert not check(Moved(), 2, 4).report.taken


class Stream(nn.Module):
    """Blocks that add to one tensor, as transformers do; `kept` is a value of it that is read at the end."""

    def __init__(self, kept: str) -> None:
        super().__init__()
        self.first, self.blocks = nn.Linear(4, 4), nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.kept = kept

    def forward(self, given: Any) -> Any:
        x = given if self.kept == "input" else self.first(given)
        old, view, copy = x, x[:1], x * 2
        for block in self.blocks:
            x += block(x * 3)
        return x * 2, {"old": old, "view": view, "copy": copy}.get(self.kept, copy)


@pytest.mark.parametrize("kept", ["input", "old", "view", "copy"])
def test_sums_into_a_stream_are_fused_if_nobody_else_reads_it(kept: str) -> None:
    patched = check(Stream(kept), 2, 4, 4)
    assert len([e for e in patched.report.taken if "add" in e.kind]) == (3 if kept == "copy" else 0)


class Named(nn.Module):
    """Modules of two inputs, by names of functions."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.conv = nn.Linear(4, 4), nn.Conv1d(4, 4, 1)
        self.add, self.mul = nn.Bilinear(4, 4, 4), nn.Bilinear(4, 4, 4)

    def forward(self, given: Any) -> Any:
        return self.add(self.layer(given), given), self.conv(self.mul(given, given * 2))


def test_modules_by_names_of_functions_are_called() -> None:
    check(Named(), 2, 4, 4)
