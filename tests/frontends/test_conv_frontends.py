"""`tilewright.conv` and its sisters, the dispatcher's positional form, `run` and `bench`."""

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


def test_run_and_bench_on_the_command_line(tmp_path):
    lines = [json.dumps(problem(s, d).to_dict()) for s in ("few_channels", "depthwise") for d in DIRECTIONS]
    source, out = tmp_path / "problems.jsonl", tmp_path / "results.jsonl"
    source.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "tilewright"]
    ran = subprocess.run([*command, "run", lines[1], "--check"], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " ok " in ran.stdout
    pytest.importorskip("torch", reason="torch is not installed (make test TORCH=): convolutions have no other peer")
    options = ["--compare", "torch", "--rounds", "3", "--out", str(out)]
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


@pytest.mark.parametrize("combine", ["add", "multiply"])
@pytest.mark.parametrize("beta", [0, 0.0, 0.5, 1, 1.0, np.float32(-2.0)])
@pytest.mark.parametrize("operands", [0, 1, 2])
@pytest.mark.parametrize("has_bias", [False, True])
def test_beta_scales_the_first_d_and_never_the_bias(has_bias: bool, operands: int, beta: Any, combine: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):  # planned, remembered, found in C
        x, w, bias, *d = (
            rng.standard_normal(s, np.float32) for s in ((2, 3, 5, 5), (4, 3, 3, 3), (4,), *[(2, 4, 3, 3)] * operands)
        )
        expected = tw.conv(x, w)
        terms = [d[0] * float(beta), *d[1:]] if d else []
        for term in [*terms, *([bias[:, None, None]] if has_bias else [])]:
            expected = expected + term if combine == "add" else expected * term
        found = tw.conv(x, w, bias=bias if has_bias else None, d=d or None, beta=beta, combine=combine)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("beta", ["1", True, np.ones(2), None])
def test_a_beta_that_is_no_number_is_refused_with_a_bias_too(beta: Any) -> None:
    x, w = np.ones((1, 1, 3, 3), np.float32), np.ones((2, 1, 3, 3), np.float32)
    with pytest.raises(ProblemError, match="beta"):
        tw.conv(x, w, bias=np.ones(2, np.float32), beta=beta)


@pytest.mark.parametrize("layout", ["channels-first", "channels-last"])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_multiply_add_is_a_factor_then_summands(layout: str, groups: int, beta: float) -> None:
    """As a norm has them: d[0] is multiplied, `beta` times, and the bias and other operands are added."""
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((2, 4, 6, 6)), rng.standard_normal((8, 4 // groups, 3, 3))
    scale, bias, residual = rng.standard_normal(8), rng.standard_normal(8), rng.standard_normal((2, 8, 6, 6))
    given = [t.astype(np.float32) for t in (x, w, scale, bias, residual)]
    if layout == "channels-last":
        given = [np.moveaxis(np.moveaxis(t, 1, -1).copy(), -1, 1) if t.ndim == 4 else t for t in given]
    x, w, scale, bias, residual = given
    plain = tw.conv(x, w, padding=1, groups=groups)
    each = (-1, 1, 1)
    found = tw.conv(
        x, w, bias=bias, d=[scale, residual], combine="multiply_add", beta=beta, padding=1, groups=groups,
        activation="relu",
    )  # fmt: skip
    expected = np.maximum(plain * (beta * scale.reshape(each)) + bias.reshape(each) + residual, 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_multiply_add_without_a_factor_says_what_to_do() -> None:
    x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((2, 2, 1, 1), np.float32)
    with pytest.raises(ProblemError, match=r"multiply_add has a bias and no d\. Fix: give the factor as d"):
        tw.conv(x, w, bias=np.ones(2, np.float32), combine="multiply_add")
