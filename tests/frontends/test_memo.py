"""Repeated calls of `tilewright.gemm` are not planned again, unless something changed that a choice depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError, TilewrightError
from tilewright.frontends import default
from tilewright.frontends.call_template import tensor_key
from tilewright.model.kernel_set import KernelSet

MINE = KernelSet("mine", "gemm", "cpu", ({},), {"dtype_a": "fp64"}, ("x86_64_v3",))


class PlannedError(Exception):
    """A call went the whole way."""


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function after whose call planning raises `PlannedError`; the default dispatcher is new."""

    def refuse(self: Dispatcher, problem: Any) -> Any:
        raise PlannedError(problem.label())

    default.reset()
    yield lambda: monkeypatch.setattr(Dispatcher, "plan", refuse)
    default.reset()


def operands(m: int = 8, k: int = 16, n: int = 12) -> tuple[Any, Any]:
    rng = np.random.default_rng(m)
    return rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)


def test_a_call_without_an_output_is_remembered_and_makes_a_new_one(sealed: Any) -> None:
    a, b = operands()
    first = tilewright.gemm(a, b)
    sealed()
    second, third = tilewright.gemm(a, b), tilewright.gemm(2 * a, b)
    assert not np.shares_memory(first, second)
    np.testing.assert_allclose(third, 2 * (a @ b), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(first, second)


def test_what_looks_different_is_planned_anew(sealed: Any) -> None:
    a, b = operands()
    tilewright.gemm(a, b)
    sealed()
    others = [(a[:4], b), (a, np.asfortranarray(b)), (a.astype(np.float64), b.astype(np.float64)), (a[:, ::2], b[::2])]
    for x, y in others:
        with pytest.raises(PlannedError):
            tilewright.gemm(x, y)
    with pytest.raises(PlannedError):
        tilewright.gemm(a, b, alpha=2.0)
    with pytest.raises(PlannedError):
        tilewright.gemm(a, b, split_k=2)


@pytest.mark.parametrize(
    "wrong", [{"combine": "mul"}, {"combine": [1]}, {"beta": "x"}, {"beta": np.ones(3)}, {"scale_block": -5},
              {"activation": np.ones(2)}, {"combine": np.ones(2)}],
)  # fmt: skip
def test_what_is_refused_at_first_is_refused_after_calls_that_were_right(sealed: Any, wrong: dict[str, Any]) -> None:
    a, b = operands()
    out = np.empty((8, 12), np.float32)
    for _ in range(3):
        tilewright.gemm(a, b, out=out)
    with pytest.raises(TilewrightError):
        tilewright.gemm(a, b, out=out, **wrong)


@pytest.mark.parametrize("with_out", [False, True])
def test_a_new_kernel_in_the_registry_makes_calls_choose_again(sealed: Any, with_out: bool) -> None:
    a, b = operands()
    more = {"out": np.empty((8, 12), np.float32)} if with_out else {}
    tilewright.gemm(a, b, **more)
    dispatcher = default.default_dispatcher()
    assert dispatcher._plans
    dispatcher.registry.declare(MINE)
    assert not dispatcher._plans
    sealed()
    with pytest.raises(PlannedError):
        tilewright.gemm(a, b, **more)


def test_packed_weights_are_remembered_by_their_format(sealed: Any) -> None:
    a, b = operands(4, 64, 32)
    packed = tilewright.pack_weights(b)
    tilewright.gemm(a, packed)
    sealed()
    np.testing.assert_allclose(tilewright.gemm(a, packed), a @ b, rtol=1e-4, atol=1e-4)
    assert tensor_key(packed)[0] != tensor_key(packed.storage)[0]  # type: ignore[index]


def test_a_dispatcher_that_is_gone_does_not_stay_in_its_registry() -> None:
    import gc
    import weakref

    registry = default.default_dispatcher().registry
    gone = weakref.ref(Dispatcher(registry))
    gc.collect()
    assert gone() is None
    registry.declare(next(iter(registry.sets())))
    assert all(w() is not None for w in registry._watchers)


def test_torch_parameters_are_remembered(sealed: Any) -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.randn(4, 16), torch.nn.Parameter(torch.randn(16, 8))
    with torch.no_grad():
        want = tilewright.gemm(x, w)
        sealed()
        torch.testing.assert_close(tilewright.gemm(x, w), want)
        with pytest.raises(PlannedError):
            tilewright.gemm(x, w.data.double())
    with pytest.raises(TensorError, match="b requires a gradient"):
        tilewright.gemm(x, w)


def convolutions(seed: int, size: int = 3) -> dict[str, tuple[Any, ...]]:
    """The three directions on new tensors, with the arguments of each call."""
    rng = np.random.default_rng(seed)
    pad = size // 2
    x, grad = (rng.standard_normal((2, 5, 6, c), np.float32).transpose(0, 3, 1, 2) for c in (16, 24))
    w = rng.standard_normal((24, size, size, 16), np.float32).transpose(0, 3, 1, 2)
    return {
        "conv": (x, w, {"padding": [pad, (pad, pad)]}),
        "conv_backward_data": (grad, w, (5, 6), {"padding": pad}),
        "conv_backward_weight": (x, grad, (size, size), {"padding": pad}),
    }


def call(name: str, *args: Any) -> Any:
    return getattr(tilewright, name)(*args[:-1], **args[-1])


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", ["conv", "conv_backward_data", "conv_backward_weight"])
def test_convolutions_are_remembered(sealed: Any, name: str, size: int) -> None:
    first, other = convolutions(0, size)[name], convolutions(1, size)[name]
    want = call(name, *other)
    default.reset()
    call(name, *first)
    sealed()
    np.testing.assert_array_equal(call(name, *other), want)
    with pytest.raises(PlannedError):
        call(name, *other[:-1], {**other[-1], "alpha": 2.0})


@pytest.fixture(params=[False, True], ids=["", "deterministic"])
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """The modes of torch, which have calls of their own."""
    if not request.param:
        yield
        return
    torch = pytest.importorskip("torch")
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("mode")
def test_a_call_in_the_same_words_runs_no_python_of_ours(sealed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, operands of an epilogue and results that are made included: all is found in C by the arguments."""
    from tilewright.frontends import call as call_path

    a, b = operands()
    bias, out, whole = np.ones(12, np.float32), np.empty((8, 12), np.float32), np.full((8, 12), 2, np.float32)
    q = np.ones((1, 4, 2, 32), np.float32)
    x, w = np.ones((1, 8, 4, 4), np.float32), np.ones((8, 8, 1, 1), np.float32)
    calls = [
        lambda: tilewright.gemm(a, b),
        lambda: tilewright.gemm(a, b, out=out, activation="relu"),
        lambda: tilewright.gemm(a, b, d=bias, alpha=0.5),
        lambda: tilewright.gemm(a, b, d=[bias, whole]),
        lambda: tilewright.gemm(a, b, d=(whole,), combine="multiply"),
        lambda: tilewright.attention(q, q, q, causal=True),
        lambda: tilewright.attention(q, q, q, return_lse=True)[1],
        lambda: tilewright.conv(x, w, padding=((0, 0), (0, 0))),
        lambda: tilewright.conv(x, w, stride=[2, 2], padding=[(0, 0), (0, 1)]),
        lambda: tilewright.contract("mk,kn->mn", a, b),
    ]
    want = [call().copy() for call in calls]
    assert all(np.array_equal(call(), known) for call, known in zip(calls, want, strict=True))
    monkeypatch.setattr(call_path, "run", None)
    for call, known in zip(calls, want, strict=True):
        np.testing.assert_array_equal(call(), known)


@pytest.mark.usefixtures("mode", "sealed")
def test_a_known_product_of_torch_is_found_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from tilewright.torch import linear, op_linear

    x, weight = torch.randn(8, 16), torch.randn(12, 16)
    with torch.no_grad():
        want, *_ = [linear(x, weight) for _ in range(3)]
        monkeypatch.setattr(op_linear, "run", None)
        assert torch.equal(linear(x, weight), want)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [({"alpha": 1.0}, {"alpha": True}), ({"scale_block": 1}, {"scale_block": True}),
     ({"beta": 0.5}, {"beta": np.array(0.5)}), ({"out_dtype": np.float32(0.5)}, {"out_dtype": 0.5}),
     ({"invariant": False}, {"invariant": 0})],
)  # fmt: skip
@pytest.mark.parametrize("own", [False, True])
def test_equal_options_of_another_type_are_refused_after_right_ones(
    own: bool, right: dict[str, Any], wrong: dict[str, Any]
) -> None:
    a, b = operands()
    given = {"dispatcher": Dispatcher()} if own else {}
    for _ in range(3):
        tilewright.gemm(a, b, **given, **right)
    with pytest.raises(TilewrightError, match=next(iter(wrong)).replace("out_dtype", "unknown dtype")):
        tilewright.gemm(a, b, **given, **wrong)


def test_a_public_function_keeps_its_signature_and_its_words() -> None:
    import inspect
    import pickle

    assert list(inspect.signature(tilewright.gemm).parameters)[:4] == ["a", "b", "out", "d"]
    assert pickle.loads(pickle.dumps(tilewright.gemm)) is tilewright.gemm
    with pytest.raises(TypeError, match="unexpected keyword argument 'activatoin'"):
        tilewright.gemm(*operands(), activatoin="relu")  # type: ignore[call-arg]
