"""Calls whose keys grow by one: the C launcher knows the next sizes, and computes what the whole way computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError
from tilewright.frontends import call
from tilewright.frontends.call_series import SPANS
from tilewright.jit.launcher import launcher

MEMORY = np.random.default_rng(0).standard_normal((2, 2, 2, 200, 32)).astype(np.float32)
Q = np.ascontiguousarray(MEMORY[0, :, :, :1])
pytestmark = pytest.mark.skipif(launcher().module is None, reason="series are kept by the launcher in C")


def slices(size: int, where: Dispatcher, **more: Any) -> Any:
    k, v = MEMORY[:, :, :, :size]
    return tw.attention(Q, k, v, layout="bhsd", dispatcher=where, **more)


def copies(size: int, where: Dispatcher, **more: Any) -> Any:
    k, v = np.ascontiguousarray(MEMORY[:, :, :, :size])
    return tw.attention(Q, k, v, layout="bhsd", dispatcher=where, **more)


def of_torch(size: int, where: Dispatcher, **more: Any) -> Any:
    torch = pytest.importorskip("torch")
    k, v = torch.from_numpy(MEMORY)[:, :, :, :size]
    return tw.attention(torch.from_numpy(Q), k, v, layout="bhsd", dispatcher=where, **more)


@pytest.fixture
def where() -> Dispatcher:
    return Dispatcher()


KINDS = pytest.mark.parametrize("function", [slices, copies, of_torch], ids=lambda f: f.__name__)


@KINDS
def test_the_next_sizes_need_no_python(function: Any, where: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in range(33, 37):  # one call the whole way, then by a template: the third grows by one
        function(size, where)
    begin = 35
    with monkeypatch.context() as patched:
        patched.setattr(call, "_new", None)
        found = {size: function(size, where) for size in range(begin, begin + SPANS[-1])}
        assert not where.calls.in_c.run("others", {"q": Q})
    plain = Dispatcher()
    for size in (begin, begin + 1, begin + 9, begin + SPANS[-1] - 1):
        np.testing.assert_array_equal(found[size], function(size, plain), err_msg=str(size))


@KINDS
def test_many_tokens_are_right(function: Any, where: Dispatcher) -> None:
    rows = Q.astype(np.float64)
    for size in range(60, 200):
        k, v = MEMORY[:, :, :, :size].astype(np.float64)
        scores = np.exp(rows @ k.swapaxes(2, 3) / np.sqrt(32))
        want = scores @ v / scores.sum(-1, keepdims=True)
        np.testing.assert_allclose(function(size, where), want, rtol=1e-4, atol=1e-5, err_msg=str(size))


def test_a_result_over_the_keys_is_refused(where: Dispatcher) -> None:
    for size in range(33, 40):
        slices(size, where, out=np.empty_like(Q))
    out = MEMORY[0, :, :, 39:40]
    assert slices(39, where, out=out.copy()).shape == Q.shape
    with pytest.raises(TensorError, match="overlaps"):
        slices(50, where, out=out)


def test_a_launch_that_is_not_ready_makes_no_series(where: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dispatcher, "plan_if_loaded", lambda self, problem: None)
    for size in range(33, 40):
        slices(size, where)
    monkeypatch.setattr(call, "_new", None)
    with pytest.raises(TypeError, match="NoneType"):
        slices(40, where)


def test_other_strides_are_no_member(where: Dispatcher) -> None:
    for size in range(33, 40):
        slices(size, where)
    k, v = np.ascontiguousarray(MEMORY[:, :, :, :45])
    got = tw.attention(Q, k, v, layout="bhsd", dispatcher=where)
    np.testing.assert_allclose(got, slices(45, Dispatcher()), rtol=1e-5, atol=1e-6)
