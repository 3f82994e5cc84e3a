"""The torch operators: eager, traced, compiled, and differentiated."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its operators are not tested")

import tilewright.torch  # noqa: F401  (registers the operators)

OPS = torch.ops.tilewright


@pytest.mark.parametrize(("a", "b"), [((7, 5), (5, 9)), ((3, 7, 5), (3, 5, 9)), ((3, 7, 5), (5, 9))], ids=str)
def test_matmul_matches_torch(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = torch.randn(a), torch.randn(b)
    torch.testing.assert_close(OPS.matmul(x, y), x @ y)


@pytest.mark.parametrize(("a", "b"), [((7, 5), (5, 9)), ((3, 7, 5), (3, 5, 9))], ids=str)
def test_gradients_match_torch(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = torch.randn(a, requires_grad=True), torch.randn(b, requires_grad=True)
    weights = torch.randn((*a[:-1], b[-1]))
    got = torch.autograd.grad((OPS.matmul(x, y) * weights).sum(), (x, y))
    want = torch.autograd.grad((x @ y * weights).sum(), (x, y))
    torch.testing.assert_close(got, want)


def test_operator_contract() -> None:
    x, y = torch.randn(6, 4, requires_grad=True), torch.randn(4, 3, requires_grad=True)
    torch.library.opcheck(
        OPS.matmul, (x, y), test_utils=("test_schema", "test_faketensor", "test_autograd_registration")
    )


def test_compiles_without_graph_breaks() -> None:
    @torch.compile(backend="aot_eager", fullgraph=True)
    def model(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.relu(OPS.matmul(x, w)) + 1

    x, w = torch.randn(8, 16), torch.randn(16, 4, requires_grad=True)
    got = model(x, w)
    torch.testing.assert_close(got, torch.relu(x @ w) + 1)
    got.sum().backward()
    assert w.grad is not None


@pytest.mark.parametrize("activation", ["none", "relu", "silu"])
def test_linear_fuses_bias_and_activation(activation: str) -> None:
    x, w, bias = torch.randn(10, 32), torch.randn(20, 32), torch.randn(20)
    want = torch.nn.functional.linear(x, w, bias)
    want = {"none": want, "relu": torch.relu(want), "silu": torch.nn.functional.silu(want)}[activation]
    torch.testing.assert_close(OPS.linear(x, w, bias, activation), want)


@pytest.mark.parametrize(("lead", "activation"), [((5,), "none"), ((2, 3), "gelu_tanh")])
def test_gradients_of_linear_match_torch(lead: tuple[int, ...], activation: str) -> None:
    leaves = [torch.randn(s, requires_grad=True) for s in ((*lead, 16), (8, 16), (8,))]
    mine = torch.autograd.grad(OPS.linear(*leaves, activation).square().sum(), leaves)
    before = torch.nn.functional.linear(*leaves)
    want = before if activation == "none" else torch.nn.functional.gelu(before, approximate="tanh")
    for got, expected in zip(mine, torch.autograd.grad(want.square().sum(), leaves), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


def test_linear_is_traced_with_the_shape_that_it_has() -> None:
    x, w = torch.randn(2, 3, 16, requires_grad=True), torch.randn(8, 16)
    torch.library.opcheck(OPS.linear, (x, w, None, "relu"))


def test_unknown_activation_is_named() -> None:
    with pytest.raises(Exception, match="did you mean 'relu'"):
        OPS.linear(torch.randn(2, 2), torch.randn(2, 2), None, "rellu")
