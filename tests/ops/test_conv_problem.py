"""The convolution problem: its forms, its arithmetic, its mistakes, and the reference against torch's autograd."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conv_cases import problems
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dispatcher import Dispatcher
from tilewright.errors import ProblemError, TensorError, UnknownNameError
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv import checks
from tilewright.ops.conv.geometry import backward_data_parts, implicit_gemm, residues
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.ops.conv.verify import verify
from tilewright.registry import Registry

OP = get_op("conv")
BASE = {"n": 2, "g": 2, "c": 4, "k": 6, "input": [7, 6], "filter": [3, 2], "stride": [2, 1], "pad": [[1, 0], 1]}


def conv(direction="forward", **changes):
    return problem_from_dict({"op": "grouped_conv", "direction": direction, "dtype": "fp32", **BASE, **changes})


@given(problems())
@settings(max_examples=60, deadline=None)
def test_json_form_and_keys(problem):
    assert problem_from_dict(problem.to_dict()) == problem
    assert problem_from_dict(problem.to_dict()).exact_key == problem.exact_key
    assert replace(problem, n=problem.n + 1).tuning_key != problem.tuning_key


@given(problems())
@settings(max_examples=60, deadline=None)
def test_features_have_the_problem_s_own_flops_and_bytes(problem):
    found = problem.features()
    assert (found["flops"], found["bytes"]) == (problem.flops, problem.bytes)


@given(problems())
@settings(max_examples=60, deadline=None)
def test_implicit_products_do_the_same_work(problem):
    """Every direction has the same flops; backward data's parts together read each tap of each input once."""
    gemm = implicit_gemm(problem)
    if problem.direction != "backward_data":
        assert gemm.flops == problem.flops
    parts = backward_data_parts(replace(problem, direction="backward_data"))
    positions = sum(part.m * part.k // problem.k_group for part in parts)
    per_axis = [sum(r.count * len(r.taps) for r in residues(problem, axis)) for axis in range(problem.dims)]
    assert positions == problem.n * prod(per_axis)
    assert problem.flops_per_group * problem.g == problem.flops


@given(problems(directions=("backward_data",)))
@settings(max_examples=40, deadline=None)
def test_residues_cover_each_input_position_once(problem):
    for axis in range(problem.dims):
        seen = sorted(r.first + j * problem.stride[axis] for r in residues(problem, axis) for j in range(r.count))
        assert seen == list(range(problem.input[axis]))
        for r in residues(problem, axis):
            for tap, start in zip(r.taps, r.starts, strict=True):
                reached = start * problem.stride[axis] + tap * problem.dilation[axis] - problem.pad[axis][0]
                assert reached == r.first


@given(problems())
@settings(max_examples=40, deadline=None)
def test_reference_agrees_with_torch_autograd(problem):
    torch = pytest.importorskip("torch")
    tensors = OP.random_tensors(problem, 1)
    x, w = (torch.from_numpy(np.array(tensors[r], np.float64, copy=True)) for r in ("input", "weight"))
    if problem.result != "output":
        unread = x if problem.result == "input" else w
        unread.zero_()
    x.requires_grad_(), w.requires_grad_()
    function = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}
    pads = [side for pair in reversed(problem.pad) for side in pair]
    padded = torch.nn.functional.pad(x, pads)
    y = function[problem.dims](padded, w, stride=problem.stride, dilation=problem.dilation, groups=problem.g)
    assert tuple(y.shape) == problem.shape("output")
    if problem.direction == "forward":
        want = y
    else:
        y.backward(torch.from_numpy(np.array(tensors["output"], np.float64)))
        want = x.grad if problem.result == "input" else w.grad
    got = OP.expected(problem, tensors)
    np.testing.assert_allclose(got.value, want.detach().numpy(), rtol=1e-10, atol=1e-10)
    assert (got.magnitude >= np.abs(got.value) - 1e-12).all()


@pytest.mark.parametrize("tier", ["float64", "rows", "projection"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_tier_takes_the_right_answer_and_refuses_a_wrong_one(direction, tier):
    problem = conv(direction, input=[14, 12], dtype="fp16", d=[{"dtype": "fp16"}], n=3)
    tensors = OP.random_tensors(problem, 3)
    right = OP.expected(problem, tensors).value.astype(np.float16)
    assert verify(problem, tensors, right, tier=tier).ok
    wrong = right.copy()
    wrong[..., : wrong.shape[-1] // 2 + 1] += np.float16(2.0)
    assert not verify(problem, tensors, wrong, tier=tier).ok


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_an_infinity_is_compared_by_itself_where_sums_are(direction):
    problem = conv(direction, input=[14, 12], dtype="fp16", n=3)
    tensors = OP.random_tensors(problem, 3)
    out = OP.expected(problem, tensors).value.astype(np.float16)
    for value in (np.inf, -np.inf, np.nan):
        wrong = out.copy()
        wrong[0, 0, 0, 0, ...] = value
        assert not verify(problem, tensors, wrong, tier="projection").ok
    for role in {"input", "weight", "output"} - {problem.result}:
        tensors[role][...] = 1000
    with np.errstate(over="ignore"):
        out = OP.expected(problem, tensors).value.astype(np.float16)
    assert np.isinf(out).any()
    assert verify(problem, tensors, out, tier="projection").ok


def test_a_dropped_tap_is_found_by_every_tier():
    problem = conv(c=64, k=64, input=[16, 16], filter=[3, 3], stride=1, pad=1, dtype="bf16")
    tensors = OP.random_tensors(problem, 3)
    mutant = {**tensors, "weight": tensors["weight"].copy()}
    mutant["weight"][..., 1, 1] = 0
    dropped = OP.expected(problem, mutant).value.astype(tensors["output"].dtype)
    for tier in ("float64", "rows", "projection"):
        assert not verify(problem, tensors, dropped, tier=tier).ok, tier


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"g": 4}, ["k = 6 does not divide into 4 groups"]),
        ({"g": 4, "c": 6}, ["c = 6 does not divide", "k = 6 does not divide"]),
        ({"filter": [9, 2]}, ["filter[0] spans 9 positions", "the padded input has 8"]),
        ({"filter": [3, 9], "dilation": [5, 1]}, ["filter[0] spans 11", "filter[1] spans 9"]),
        ({"n": 0, "c": -4}, ["n is 0", "c is -4"]),
        (
            {"n": -1, "g": 4, "filter": [9, 2], "epilogue": "Relu", "direction": "backward_data"},
            ["n is -1", "k = 6 does not divide", "filter[0] spans 9", "no activation"],
        ),
        ({"stride": [0, 1], "dilation": [1, -1]}, ["stride[0] is 0", "dilation[1] is -1"]),
        ({"input": [7]}, ["input has 1 dimensions, layout nhwgc has 2"]),
        ({"pad": [[1, -1], 0]}, ["pad[0] is [1, -1]"]),
        ({"n": 2**40, "k": 2**30, "c": 2**30}, ["input spans", "output spans", "overflow 64 bits"]),
        ({"split_k": 0}, ["split_k is 0"]),
        ({"d": [{"dtype": "fp32", "broadcast": "col"}]}, ["broadcast col"]),
        ({"direction": "backward_data", "epilogue": "Relu"}, ["backward_data takes no activation"]),
        ({"strides": {"bias": [1]}}, ["no such tensor"]),
        ({"strides": {"input": [1, 2]}}, ["need 5 integers"]),
    ],
)
def test_mistakes_are_listed_together(changes, says):
    layout = {"layout": "nhwgc"} if "input" in changes else {}
    with pytest.raises(ProblemError) as caught:
        conv(**{"direction": "forward", **changes, **layout})
    for text in says:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"layout": "nhcw"}, "unknown conv layout"),
        ({"direction": "sideways"}, "unknown convolution direction"),
        ({"dtype": "fp61"}, "did you mean"),
        ({"groups": 2}, "unknown convolution problem field"),
    ],
)
def test_unknown_names(changes, says):
    with pytest.raises(UnknownNameError, match=says):
        conv(**{"direction": "forward", **changes})


def reference_dispatcher():
    from tilewright.backends import get_backend_op

    registry = Registry("reference")
    registry.declare(get_backend_op("reference", "conv").kernel_sets()[0])
    return Dispatcher(registry)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tensors_that_do_not_fit_are_listed_together(direction):
    problem = conv(direction)
    tensors = OP.random_tensors(problem, 0)
    bad = {
        "input": np.ascontiguousarray(tensors["input"]),  # channels-first in a channels-last problem
        "weight": tensors["weight"].astype(np.float16),
        "output": np.zeros((2, 6, 1, 1), np.float32),
    }
    with pytest.raises(TensorError) as caught:
        reference_dispatcher().run(problem, **bad)
    for text in ("input has strides", "weight has dtype fp16", "output has shape (2, 6, 1, 1)"):
        assert text in str(caught.value)


def test_result_must_be_writable_and_its_own():
    problem = conv(k=4, filter=[1, 1], stride=1, pad=0)
    tensors = OP.random_tensors(problem, 0)
    with pytest.raises(TensorError, match="overlaps input"):
        reference_dispatcher().run(problem, **{**tensors, "output": tensors["input"]})
    tensors["output"].flags.writeable = False
    with pytest.raises(TensorError, match="not writable"):
        reference_dispatcher().run(problem, **tensors)


@pytest.mark.parametrize("layout", ["nhwgc", "ngchw"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_reference_backend_takes_both_forms_of_a_tensor(direction, layout):
    from tilewright.ops.conv.layout import memory_order
    from tilewright.ops.conv.shapes import grouped

    problem = conv(direction, layout=layout)
    tensors = OP.random_tensors(problem, 5)
    out = reference_dispatcher().run(problem, **tensors)
    literal = {r: grouped(problem, r, t).transpose(memory_order(layout, r)) for r, t in tensors.items()}
    assert literal["input"].shape == ((2, 7, 6, 2, 2) if layout == "nhwgc" else (2, 2, 2, 7, 6))
    again = reference_dispatcher().run(problem, **literal)
    np.testing.assert_array_equal(grouped(problem, problem.result, again), grouped(problem, problem.result, out))
    assert OP.verify(problem, tensors, out).ok


def test_unit_sized_fp16_outputs_stay_within_two_thousandths():
    """The seeds' own figure: with outputs of unit size, fp16 differs from fp32 by less than 0.002."""
    problem = conv(c=64, k=64, input=[12, 12], filter=[3, 3], stride=1, pad=1, dtype="fp16")
    tensors = OP.random_tensors(problem, 0)
    tensors["weight"] /= np.float16(np.sqrt(problem.gemm.k) * 4)
    exact = OP.expected(problem, tensors).value
    assert 0.8 < np.abs(exact).max() < 2.0
    assert np.abs(exact.astype(np.float16).astype(np.float64) - exact).max() < 0.002


SIZES = {"n": 2, "g": 2, "c": 4, "k": 6, "input": (7, 6), "filter": (3, 2), "stride": (2, 1), "dilation": (1, 2),
         "pad": ((1, 1), (0, 1)), "split_k": None}  # fmt: skip
STRANGE = st.sampled_from([0, -1, 1.0, True, "x", 2**64, None, 3, 5, 9])


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_quick_check_of_sizes_passes_only_what_has_no_mistake(data: st.DataObject) -> None:
    fields = dict(SIZES)
    for name in data.draw(st.lists(st.sampled_from(sorted(SIZES)), max_size=2)):
        value = fields[name]
        if not isinstance(value, tuple):
            fields[name] = data.draw(STRANGE)
            continue
        place, act = data.draw(st.integers(0, 1)), data.draw(st.sampled_from(["shorter", "longer", "other"]))
        other = (data.draw(STRANGE), 0) if name == "pad" else data.draw(STRANGE)
        changed = {
            "shorter": value[:1],
            "longer": (*value, value[0]),
            "other": (*value[:place], other, *value[place + 1 :]),
        }
        fields[name] = changed[act]
    problem: Any = SimpleNamespace(**fields, layout="nhwgc")
    try:
        mistakes = checks._size_mistakes(problem, 2) + checks._shape_mistakes(problem)
    except (TypeError, ZeroDivisionError):
        mistakes = ["raised"]
    assert checks._is_usual(problem, 2) == (not mistakes and problem.split_k is None)
