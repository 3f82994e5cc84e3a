"""Summands of products in compiled graphs: none is lost, whatever its shape, its factor and what follows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import assert_same, rewritten

M, N, K, B = 6, 10, 7, 3
FOLLOWERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "nothing": lambda y, bias, like: y,
    "bias": lambda y, bias, like: y + bias,
    "residual": lambda y, bias, like: like + y,
    "bias, residual, relu": lambda y, bias, like: torch.relu(y + bias + like),
    "scale, bias": lambda y, bias, like: y * 0.5 + bias,
    "reshape, bias": lambda y, bias, like: y.reshape(1, *y.shape) + bias,
    "gelu": lambda y, bias, like: torch.nn.functional.gelu(y),
}
SUMMANDS: dict[str, Callable[[], Any]] = {
    "row": lambda: torch.randn(N),
    "one row": lambda: torch.randn(1, N),
    "column": lambda: torch.randn(M, 1),
    "one": lambda: torch.randn(1),
    "number": lambda: torch.randn(()),
    "whole": lambda: torch.randn(M, N),
    "turned": lambda: torch.randn(N, M).mT,
    "repeated": lambda: torch.randn(N).expand(M, N),
}
STACKS: dict[str, Callable[[], Any]] = {
    **SUMMANDS,
    "row each": lambda: torch.randn(B, 1, N),
    "column each": lambda: torch.randn(B, M, 1),
    "shared": lambda: torch.randn(1, M, N),
    "stack": lambda: torch.randn(B, M, N),
}
FACTORS: tuple[dict[str, float], ...] = ({}, {"alpha": 2.0}, {"beta": 0.5}, {"beta": 0}, {"alpha": 0.5, "beta": 2})


def assert_each_same(results: Callable[[Any], Mapping[Any, Any]], inputs: Any, dynamic: bool | None = None) -> Any:
    """Each named result of one graph is that of torch; return the report."""
    compiled, report = rewritten(results, dynamic)
    with torch.no_grad():
        got, want = compiled(inputs), results(inputs)
    wrong = [
        name for name in want
        if got[name].dtype is not want[name].dtype or not torch.allclose(got[name], want[name], rtol=1e-4, atol=1e-4)
    ]  # fmt: skip
    assert not wrong
    return report


# What follows is the same for both products: after the first, each is shown with one of them.
CASES = [
    pytest.param(product, follower, marks=() if n % 2 == m or n == 0 else pytest.mark.exhaustive)
    for m, product in enumerate(("addmm", "baddbmm")) for n, follower in enumerate(FOLLOWERS)
]  # fmt: skip


@pytest.mark.parametrize(("product", "follower"), CASES)
def test_no_summand_is_lost(product: str, follower: str) -> None:
    batch = (B,) if product == "baddbmm" else ()
    cases = list(itertools.product(STACKS if batch else SUMMANDS, range(len(FACTORS))))
    given = {
        case: (STACKS[case[0]](), torch.randn(*batch, M, K), torch.randn(*batch, K, N), torch.randn(N),
               torch.randn(*batch, M, N))
        for case in cases
    }  # fmt: skip

    def results(given: Any) -> Any:
        return {
            case: FOLLOWERS[follower](getattr(torch, product)(*tensors[:3], **FACTORS[case[1]]), *tensors[3:])
            for case, tensors in given.items()
        }

    report = assert_each_same(results, given)
    assert len(report.taken) + len(report.left) == len(cases)
    assert len(report.taken) == 4  # a row, or all numbers of the result, with or without alpha
    assert all("summand" in entry.reason for entry in report.left)


def test_the_operands_themselves_may_be_the_summand() -> None:
    a, b = torch.randn(M, M), torch.randn(M, M)
    assert assert_same(lambda a, b: torch.addmm(a, a, b, beta=0.5) + a, a, b) == []
    assert assert_same(lambda a, b: torch.addmm(a, a, b) + b, a, b) == ["addmm"]
