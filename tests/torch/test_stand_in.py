"""torch's own operators while a kernel is compiled in the background."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its operators are not tested")

from torch.nn import functional

import tilewright.torch as tt
from tilewright.dispatcher import Dispatcher
from tilewright.errors import SelectionError
from tilewright.frontends import default
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings
from tilewright.torch.stand_in import TorchStandIn

PATIENCE = 120.0  # seconds; a test that waits longer hangs
GEMM = {"op": "gemm", "m": 5, "n": 8, "k": 6, "dtype": "fp32", "layout": "rcr"}
CONV = {"op": "grouped_conv", "n": 2, "g": 2, "c": 4, "k": 6, "input": [7, 6], "filter": [3, 2], "stride": 2,
        "dilation": [1, 2], "pad": 1, "dtype": "fp32"}  # fmt: skip
FMHA = {"op": "fmha", "family": "fwd", "batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 9, "seqlen_k": 9,
        "hdim_q": 16, "hdim_v": 16, "dtype": "fp32"}  # fmt: skip
BIAS = {"dtype": "fp32", "broadcast": "row"}
FULL = {"dtype": "fp32", "broadcast": "none"}
TAKEN = {
    "gemm": GEMM,
    "gemm batch": {**GEMM, "batch": 3, "dtype": "bf16"},
    "gemm epilogue": {**GEMM, "d": [BIAS, FULL], "epilogue": {"activation": "silu", "alpha": 0.5, "beta": 2.0}},
    "gemm product": {**GEMM, "d": [FULL], "epilogue": {"combine": "multiply"}},
    "conv": {**CONV, "direction": "forward", "d": [BIAS], "epilogue": {"activation": "relu"}},
    "conv data": {**CONV, "direction": "backward_data"},
    "conv weight": {**CONV, "direction": "backward_weight"},
    "attention": {**FMHA, "lse": True},
    "attention causal": {**FMHA, "mask": "causal_top_left", "seqlen_k": 7, "lse": True, "scale": 0.3},
    "attention end": {**FMHA, "mask": "causal_bottom_right", "dtype": "fp16"},
    "attention backward": {**FMHA, "family": "bwd", "mask": "causal_top_left"},
    "attention bias": {**FMHA, "bias": "elementwise", "bias_batch": 2, "lse": True},
    "attention bias of heads": {**FMHA, "bias": "elementwise", "bias_heads": 4, "seqlen_k": 7},
    "attention bias backward": {**FMHA, "family": "bwd", "bias": "elementwise"},
}
LEFT = {
    "scales": {**GEMM, "dtype": "int8", "scale_a": "row", "scale_b": "row"},
    "prologue": {**GEMM, "prologue_a": ["relu"]},
    "uneven padding": {**CONV, "direction": "forward", "pad": [[0, 1], [1, 1]]},
    "window": {**FMHA, "mask": "window_top_left", "window_left": 3, "window_right": 0},
    "end of longer keys": {**FMHA, "mask": "causal_bottom_right", "seqlen_k": 12},
    "varlen": {**FMHA, "mode": "group"},
    "slopes": {**FMHA, "bias": "alibi"},
    "a causal bias": {**FMHA, "bias": "elementwise", "mask": "causal_top_left"},
    "gradient of the bias": {**FMHA, "family": "bwd", "bias": "elementwise", "dbias": True},
    "an emulated GPU": {**GEMM, "device": "emu:gfx942"},
}


@pytest.mark.parametrize("name", TAKEN)
def test_torch_computes_the_problem(name: str) -> None:
    problem = problem_from_dict(TAKEN[name])
    op = get_op(problem.op)
    arrays = op.random_tensors(problem, 0)
    result = op.out_roles(problem)[0]
    assert TorchStandIn()(problem, arrays)
    op.verify(problem, arrays, arrays[result]).require("arrays")


@pytest.mark.parametrize("name", TAKEN)
def test_torch_computes_the_problem_in_an_operator(name: str) -> None:
    """A compiled program calls operators. torch's autograd is off in them, under `enable_grad` too."""
    problem = problem_from_dict(TAKEN[name])
    op = get_op(problem.op)
    arrays = op.random_tensors(problem, 0)
    with torch._C._AutoDispatchBelowAutograd():
        assert TorchStandIn()(problem, arrays)
    op.verify(problem, arrays, arrays[op.out_roles(problem)[0]]).require("arrays")


@pytest.mark.parametrize("name", ["attention bias", "attention bias backward"])
def test_rows_that_a_bias_hides(name: str) -> None:
    problem = problem_from_dict(TAKEN[name])
    op = get_op("fmha")
    arrays = op.random_tensors(problem, 0)
    arrays["bias"][..., 3, :] = -np.inf
    if problem.family == "bwd":
        arrays["out"][:, 3], arrays["lse"][..., 3] = 0.0, -np.inf
    assert TorchStandIn()(problem, arrays)
    op.verify(problem, arrays, arrays[op.out_roles(problem)[0]]).require(name)


@pytest.mark.parametrize("name", ["gemm", "gemm epilogue", "conv data", "attention", "attention backward"])
def test_arrays_with_negative_strides(name: str) -> None:
    """Torch has no such tensors, and no read-only ones."""
    problem = problem_from_dict(TAKEN[name])
    op = get_op(problem.op)
    arrays = {r: np.flip(np.flip(t).copy()) for r, t in op.random_tensors(problem, 0).items()}
    assert all(min(t.strides) < 0 for t in arrays.values())
    for role in arrays.keys() - set(op.out_roles(problem)):
        arrays[role].flags.writeable = False
    assert TorchStandIn()(problem, arrays)
    op.verify(problem, arrays, arrays[op.out_roles(problem)[0]]).require(name)


def test_an_axis_of_one_element_with_a_negative_stride_and_memory_that_cannot_be_written() -> None:
    problem = problem_from_dict({**GEMM, "m": 1})
    op = get_op("gemm")
    arrays = op.random_tensors(problem, 0)
    arrays["a"] = np.lib.stride_tricks.as_strided(arrays["a"], strides=(-24, 4))
    arrays["b"].flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TorchStandIn()(problem, arrays)
    op.verify(problem, arrays, arrays["out"]).require("arrays")


@pytest.mark.parametrize("name", LEFT)
def test_other_problems_are_left(name: str) -> None:
    problem = problem_from_dict(LEFT[name])
    assert not TorchStandIn().takes(problem)
    assert not TorchStandIn()(problem, {})


def gated(folder: Path, monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[Dispatcher, Path]:
    """A default dispatcher whose compiler waits for the file `open`."""
    compiler, opened = folder / "g++", folder / "open"
    wait = f'if ls *.cpp >/dev/null 2>&1; then while [ ! -e "{opened}" ]; do sleep 0.05; done; fi'
    compiler.write_text(f'#!/bin/sh\n{wait}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    settings = Settings.from_env(cxx=str(compiler), cache_dir=str(folder / "cache"), build="background", **more)
    made = Dispatcher(settings=settings, stand_in=TorchStandIn())
    monkeypatch.setattr(default, "made", made)
    return made, opened


def passes(call: Any, *given: Any) -> tuple[Any, ...]:
    leaves = [x.detach().clone().requires_grad_() for x in given]
    out = call(*leaves)
    return out, *torch.autograd.grad(out, leaves, torch.ones_like(out))


CALLS = {
    "linear": (tt.linear, functional.linear, ((6, 8), (4, 8), (4,))),
    "conv": (tt.conv, functional.conv2d, ((2, 4, 5, 5), (6, 4, 3, 3))),
    "sdpa": (tt.sdpa, functional.scaled_dot_product_attention, ((1, 2, 6, 32), (1, 2, 6, 32), (1, 2, 6, 32))),
}


def assert_close(found: Any, wanted: Any) -> None:
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


def test_operators_run_on_torch_until_their_kernels_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher, opened = gated(tmp_path, monkeypatch)
    for ours, theirs, shapes in CALLS.values():
        given = [torch.randn(shape) for shape in shapes]
        for _ in range(2):  # the compiler waits; the calls do not
            assert_close(passes(ours, *given), passes(theirs, *given))
    assert {event.kind for event in dispatcher.events} == {"stand-in"}
    assert {event.kernel for event in dispatcher.events} == {"torch"}
    assert len(dispatcher.events) == 8, "forward and backward of each; attention has one backward pass"
    ours, theirs, shapes = CALLS["linear"]
    opened.touch()
    assert dispatcher.wait_for_builds(PATIENCE)
    given = [torch.randn(shape) for shape in shapes]
    assert_close(passes(ours, *given), passes(theirs, *given))
    assert "switched" in {event.kind for event in dispatcher.events}
    assert "build-failed" not in {event.kind for event in dispatcher.events}


def test_the_first_calls_wait_for_no_choice_of_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher, opened = gated(tmp_path, monkeypatch)
    opened.touch()
    threads, predict = list[Any](), dispatcher.selector.predicted  # type: ignore[attr-defined]
    predicted = lambda *given: threads.append(threading.current_thread()) or predict(*given)  # noqa: E731
    monkeypatch.setattr(dispatcher.selector, "predicted", predicted)
    ours, theirs, shapes = CALLS["linear"]
    given = [torch.randn(shape) for shape in shapes]
    with torch.no_grad():
        assert_close([ours(*given)], [theirs(*given)])
        assert threading.main_thread() not in threads
        assert dispatcher.wait_for_builds(PATIENCE)
        assert len(threads) == 1
        assert_close([ours(*given)], [theirs(*given)])
        assert [event.kind for event in dispatcher.events] == ["stand-in", "switched"]
        other = [torch.randn(shape) for shape in ((7, 8), (4, 8), (4,))]  # kernels are built: it is chosen at once
        assert_close([ours(*other)], [theirs(*other)])
    assert threading.main_thread() in threads


def test_a_choice_that_fails_is_an_error_of_the_next_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.from_env(cache_dir=str(tmp_path), build="background")
    empty = Dispatcher(Registry(), settings=settings, stand_in=TorchStandIn())
    monkeypatch.setattr(default, "made", empty)
    x, weight = torch.ones(2, 8), torch.ones(4, 8)
    with torch.no_grad():
        assert tt.linear(x, weight)[0, 0] == 8
        assert empty.wait_for_builds(PATIENCE)
        with pytest.raises(SelectionError, match="no kernel"):
            torch.ops.tilewright.linear(x, weight)  # the function would leave it to torch


def test_strict_allows_no_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher, opened = gated(tmp_path, monkeypatch, strict=True)
    opened.touch()
    tt.linear(torch.ones(2, 8), torch.ones(4, 8))
    assert not dispatcher.events


def test_deterministic_runs_wait_for_their_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher, opened = gated(tmp_path, monkeypatch)
    opened.touch()
    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda: True)
    assert tt.linear(torch.ones(2, 8), torch.ones(4, 8))[0, 0] == 8
    assert dispatcher.events == []


def test_importing_the_operators_gives_default_dispatchers_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "made", None)
    assert isinstance(default.default_dispatcher().stand_in, TorchStandIn)
    own = lambda problem, tensors: False  # noqa: E731
    monkeypatch.setattr(default, "made", Dispatcher(stand_in=own))
    default.use_stand_in(TorchStandIn())
    assert default.default_dispatcher().stand_in is own


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize(
    "fields",
    [
        {"op": "gemm", "m": 33, "n": 17, "k": 65, "dtype_out": "fp32"},
        {"op": "gemm", "m": 33, "n": 17, "k": 65, "epilogue": {"activation": "silu"}, "d": [{"broadcast": "row"}]},
        {"op": "grouped_conv", "direction": "forward", "n": 2, "c": 32, "k": 8, "input": [9, 9], "filter": [3, 3]},
        {
            "op": "grouped_conv",
            "direction": "backward_data",
            "n": 2,
            "c": 8,
            "k": 32,
            "input": [9, 9],
            "filter": [3, 3],
        },
        {
            "op": "grouped_conv",
            "direction": "backward_weight",
            "n": 2,
            "c": 8,
            "k": 8,
            "input": [9, 9],
            "filter": [3, 3],
        },
    ],
)
def test_16_bits_are_rounded_once(dtype: str, fields: dict[str, Any]) -> None:
    given = {"dtype": dtype, "layout": "rrr", **fields} if fields["op"] == "gemm" else {"dtype": dtype, **fields}
    if "d" in fields:
        given["d"] = [{"dtype": dtype, **d} for d in fields["d"]]
    problem = problem_from_dict(given)
    op = get_op(problem.op)
    tensors = op.random_tensors(problem, 0)
    assert TorchStandIn()(problem, tensors)
    op.verify(problem, tensors, tensors[op.out_roles(problem)[0]]).require("stand-in")
