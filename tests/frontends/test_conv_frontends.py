"""`tilewright.conv` and its sisters, the torch operators, the dispatcher's positional form, `run` and `bench`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conv_cases import problem

import tilewright as tw
from tilewright.errors import ProblemError, TensorError
from tilewright.ops import get_op
from tilewright.ops.conv.signature import DIRECTIONS

OP = get_op("conv")
SHAPE = {"n": 2, "g": 2, "c": 8, "k": 12, "input": [9, 8], "filter": [3, 3], "stride": 2, "pad": 1}


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_functions(direction, channels_first):
    p = problem("dense_2d", direction, channels_first=channels_first, **SHAPE)
    t = OP.random_tensors(p, 0)
    options = {"stride": 2, "padding": 1, "groups": 2}
    calls = {
        "forward": lambda **o: tw.conv(t["input"], t["weight"], **options, **o),
        "backward_data": lambda **o: tw.conv_backward_data(t["output"], t["weight"], (9, 8), **options, **o),
        "backward_weight": lambda **o: tw.conv_backward_weight(t["input"], t["output"], (3, 3), **options, **o),
    }
    out = calls[direction]()
    assert out.strides == t[p.result].strides
    assert OP.verify(p, t, out).ok
    again = np.empty_like(out)
    assert calls[direction](out=again) is again
    np.testing.assert_array_equal(again, out)
    wide = np.zeros((*out.shape[:-1], out.shape[-1] + 1), np.float32)
    with pytest.raises(TensorError, match="has shape" if channels_first else "has shape|mixed layouts"):
        calls[direction](out=wide)


def test_literal_layout():
    x, w = np.ones((1, 5, 5, 2, 3), np.float32), np.ones((2, 4, 3, 3, 3), np.float32)
    out = tw.conv(x, w, layout="nhwgc", groups=2)
    assert out.shape == (1, 3, 3, 2, 4)
    assert (out == 27).all()


def test_bias_activation_and_d():
    p = problem("dense_2d", "forward", d=[{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32"}],
                epilogue={"activation": "silu"})  # fmt: skip
    t = OP.random_tensors(p, 0)
    out = tw.conv(t["input"], t["weight"], bias=t["d0"], d=t["d1"], activation="silu", padding=1)
    assert OP.verify(p, t, out).ok


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"groups": 3}, ["c is", "by weight"]),
        ({"weight": np.zeros((12, 4, 9, 9), np.float32)}, ["filter[1] spans 9"]),
        ({"weight": np.zeros((12, 4, 3), np.float32)}, ["weight has shape (12, 4, 3)"]),
        ({"stride": 0}, ["stride[0] is 0", "stride[1] is 0"]),
        ({"input": np.zeros((0, 8, 9, 8), np.float32)}, ["n is 0"]),
        ({"weight": np.asfortranarray(np.zeros((12, 4, 3, 3), np.float32)).transpose(0, 1, 2, 3)}, ["mixed layouts"]),
        ({"weight": np.zeros((12, 4, 3, 3), np.float64)}, ["fp64"]),
    ],
)
def test_bad_input(change, says):
    given = {"input": np.zeros((2, 8, 9, 8), np.float32), "weight": np.zeros((12, 4, 3, 3), np.float32), "groups": 2}
    with pytest.raises((ProblemError, tw.TilewrightError)) as caught:
        tw.conv(**{**given, **change})
    for text in says:
        assert text in str(caught.value)


def test_positional_form_of_the_dispatcher():
    p = problem("dense_2d", "forward")
    t = OP.random_tensors(p, 0)
    dispatcher = tw.Dispatcher()
    out = dispatcher.run(t["input"], t["weight"], t["output"], p).copy()
    np.testing.assert_array_equal(dispatcher.run(p, **t), out)
    np.testing.assert_array_equal(dispatcher.run(problem=p, **t), out)
    with pytest.raises(TensorError, match="no problem"):
        dispatcher.run(t["input"], t["weight"])


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_torch_operator_and_its_gradients(dims):
    torch = pytest.importorskip("torch")
    from tilewright.frontends.torch import grouped_conv

    torch.manual_seed(0)
    shape = (2, 6, *(7, 6, 5)[:dims])
    x = torch.randn(shape, requires_grad=True)
    if dims > 1:
        last = {2: torch.channels_last, 3: torch.channels_last_3d}[dims]
        x = x.detach().contiguous(memory_format=last).requires_grad_()
    w, b = torch.randn(4, 3, *(3,) * dims, requires_grad=True), torch.randn(4, requires_grad=True)
    theirs = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}[dims]
    options = {"stride": 2, "padding": 1, "groups": 2}
    ours, want = grouped_conv(x, w, b, **options), theirs(x, w, b, **options)
    torch.testing.assert_close(ours, want, rtol=1e-4, atol=1e-4)
    grad = torch.randn_like(want)
    got = torch.autograd.grad(ours, (x, w, b), grad)
    for mine, other in zip(got, torch.autograd.grad(want, (x, w, b), grad), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)


def test_torch_operator_shapes_for_tracing():
    torch = pytest.importorskip("torch")
    from tilewright.frontends import torch as ops

    x, w = torch.randn(1, 4, 6, 6).contiguous(memory_format=torch.channels_last), torch.randn(4, 2, 3, 3)
    torch.library.opcheck(ops.conv, (x, w, None, [1, 1], [1, 1], [1, 1], 2), test_utils="test_faketensor")
    y = torch.randn(1, 4, 6, 6).contiguous(memory_format=torch.channels_last)
    geometry = ([1, 1], [1, 1], [1, 1], 2)
    torch.library.opcheck(ops.conv_backward_data, (y, w, [6, 6], *geometry), test_utils="test_faketensor")
    torch.library.opcheck(ops.conv_backward_weight, (x, y, [3, 3], *geometry), test_utils="test_faketensor")
    torch.library.opcheck(ops.conv_backward_data, (y, w, [1, 4, 6, 6], *geometry), test_utils="test_faketensor")
    torch.library.opcheck(ops.conv_backward_weight, (x, y, [4, 2, 3, 3], *geometry), test_utils="test_faketensor")


def test_run_and_bench_on_the_command_line(tmp_path):
    lines = [json.dumps(problem(s, d).to_dict()) for s in ("few_channels", "depthwise") for d in DIRECTIONS]
    source, out = tmp_path / "problems.jsonl", tmp_path / "results.jsonl"
    source.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "tilewright"]
    ran = subprocess.run([*command, "run", lines[1], "--check"], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " ok " in ran.stdout
    options = ["--compare", "torch", "--out", str(out)]
    ran = subprocess.run([*command, "bench", str(source), *options], capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["ok"] for r in records] == [True] * 6
    assert {r["problem"]["op"] for r in records} == {"grouped_conv"}
    assert all(r["peers"]["torch"]["ratio"] > 0 for r in records)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_channels_are_padded_where_no_kernel_takes_them(direction, monkeypatch):
    """With a rule that wants multiples of eight, odd channels are padded, told, and never wrong."""
    from tilewright.backends import get_backend_op
    from tilewright.model.rule import broken, rule

    @rule("test.conv.multiple", "problem", "channels per group % 8 == 0")
    def multiple(s):
        odd = s.problem.c_group % 8 or s.problem.k_group % 8
        return broken("channels are no multiple of 8", "pad them") if odd else None

    cpu = get_backend_op("cpu", "conv")
    monkeypatch.setattr(type(cpu), "rules", (*cpu.rules, multiple))
    monkeypatch.setattr(cpu, "problem_rules", (*cpu.problem_rules, multiple))
    p = problem("odd_groups", direction, d=[{"dtype": "fp32"}])
    t = OP.random_tensors(p, 0)
    dispatcher = tw.Dispatcher()
    walk = dispatcher.explain(p)
    assert "padded to conv n2 g5 c40 k40" in walk.note
    assert walk.to_dict()["note"] == walk.note
    assert OP.verify(p, t, dispatcher.run(p, **t)).ok
    assert [e.kind for e in dispatcher.events] == ["padded"]
    with pytest.raises(tw.TilewrightError, match="padded to"):
        tw.Dispatcher(settings=tw.Settings.from_env(strict=True)).plan(p)


def test_the_operator_is_left_out_if_nothing_else_has_to_see_the_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from tilewright.frontends import torch_conv

    class OperatorError(Exception):
        """The operator was called."""

    def operator(*args: Any) -> Any:
        raise OperatorError

    monkeypatch.setattr(torch_conv, "conv", operator)
    x, w = torch.randn(1, 4, 6, 6), torch.nn.Parameter(torch.randn(4, 2, 3, 3))
    with torch.no_grad():
        result = torch_conv.grouped_conv(x, w, None, padding=1, groups=2)
        expected = torch.nn.functional.conv2d(x, w, None, padding=1, groups=2)
    assert (result - expected).abs().max() < 1e-5
    with pytest.raises(OperatorError):
        torch_conv.grouped_conv(x, w, None, padding=1, groups=2)
    with pytest.raises(OperatorError):
        torch.func.vmap(lambda t: torch_conv.grouped_conv(t, w.detach(), None, padding=1, groups=2))(x[None])
