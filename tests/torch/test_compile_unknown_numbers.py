"""Numbers that depend on sizes which change: a call with one of them stays with Inductor, and the report says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import rewritten
from torch.nn import functional

SIZES = (12, 20)  # all of one dimension


def _products(size: int) -> tuple[Any, ...]:
    return torch.randn(8), torch.randn(4, size), torch.randn(size, 8)


def _images(size: int) -> tuple[Any, ...]:
    return torch.randn(2, 8, size), torch.randn(8, 8, 3)


def _heads(size: int) -> tuple[Any, ...]:
    return tuple(torch.randn(2, 3, 5, size) for _ in range(3))


CASES: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "alpha": (lambda c, a, b: torch.addmm(c, a, b, alpha=1.0 / a.shape[1]), _products),
    "alpha, whole": (lambda c, a, b: torch.addmm(c, a, b, alpha=a.shape[1]), _products),
    "beta": (lambda c, a, b: torch.addmm(c, a, b, beta=1.0 / a.shape[1]), _products),
    "alpha of stacks": (lambda c, a, b: torch.baddbmm(c, a[None], b[None], alpha=1.0 / a.shape[1]), _products),
    "padding": (lambda x, w: functional.conv1d(x, w, padding=x.shape[-1] // 2), _images),
    "stride": (lambda x, w: functional.conv1d(x, w, stride=x.shape[-1] // 6), _images),
    "dilation": (lambda x, w: functional.conv1d(x, w, dilation=x.shape[-1] // 6), _images),
    "width of heads": (functional.scaled_dot_product_attention, _heads),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("grad", [False, True])
def test_what_depends_on_a_size_that_changes_is_left(case: str, grad: bool) -> None:
    function, inputs = CASES[case]
    compiled, report = rewritten(function, dynamic=True)
    for size in SIZES:
        given = [t.requires_grad_(grad) for t in inputs(size)]
        got, want = compiled(*given), function(*given)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        if grad:
            ours, theirs = (torch.autograd.grad(y.square().sum(), given) for y in (got, want))
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)
    assert any("not known" in (entry.reason or "") for entry in report.left)
