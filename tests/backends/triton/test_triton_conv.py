"""Convolution kernels in Triton's interpreter: every direction x dimension x kind of groups against the reference."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("triton")
pytest.importorskip("torch")


from conv_cases import problem

from tilewright.arch import get_arch
from tilewright.backends.triton.conv import OP
from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS

pytestmark = pytest.mark.xdist_group("interpreted_conv")  # one process interprets for all of them
SCRIPT = Path(__file__).with_name("interpreted_conv.py")
BASE = {"vector_bytes": 4, "precision": "ieee", "stages": 1}
IMPLICIT = {**BASE, "pipeline": "implicit", "tile_m": 256, "tile_n": 64, "tile_k": 32}
WINDOW = {**BASE, "pipeline": "window", "tile_m": 128, "tile_n": 16, "tile_k": 16}
THIN = {**BASE, "pipeline": "thin", "tile_m": 64, "tile_n": 32, "tile_k": 32}
GATHER = {**BASE, "pipeline": "implicit", "fold": True, "merge": True, "tile_m": 64, "tile_n": 32, "tile_k": 32}
DEPTHWISE = {**BASE, "pipeline": "depthwise", "tile_m": 64, "tile_n": 32, "tile_k": 32}
# (shape, kernel of the data directions, what backward weight needs beside it)
SHAPES = [
    ("dense_2d", IMPLICIT, {}),
    ("strided", IMPLICIT, {}),
    ("dilated", {**IMPLICIT, "wide": True}, {}),
    ("gapped", IMPLICIT, {}),
    ("odd_groups", {**IMPLICIT, "merge": True, "tile_k": 32, "tile_n": 32}, {"tile_m": 32, "tile_k": 128}),
    ("one_d", IMPLICIT, {}),
    ("three_d", IMPLICIT, {}),
    ("few_channels", {**WINDOW, "filter_w": 3}, {"filter_h": 3}),
    ("few_channels", {**WINDOW, "filter_w": 3, "channels": 4, "span": 2}, {"filter_h": 3, "sum": "atomic"}),
    ("multiplier", {**WINDOW, "filter_w": 3, "wide": True}, {"filter_h": 3}),
    ("odd_groups", {**WINDOW, "filter_w": 3, "stride_w": 2, "phase": 1}, {"filter_h": 3, "phase": 0}),
    ("depthwise", {**DEPTHWISE, "filter_w": 3}, {"filter_h": 3}),
    ("depthwise_5x5_s2", {**DEPTHWISE, "filter_w": 5, "stride_w": 2}, {"filter_h": 5, "sum": "atomic"}),
    ("three_d_depthwise", {**DEPTHWISE, "filter_w": 3}, {"filter_h": 3}),
]
EXTRA = {"d": [{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32"}],
         "epilogue": {"activation": "silu", "alpha": 0.5, "beta": -2.0}}  # fmt: skip
# Weight gradients that are launched twice: each way to use the workspace once.
AGAIN = {0, 7, 8, 11, 12}
STEM = {"c": 3, "k": 20, "input": [11, 13], "filter": [5, 7], "stride": 2, "pad": [[2, 1], [3, 2]]}


def case(p, algorithm, **launch):
    return {"problem": p.to_dict(), "algorithm": algorithm, "launch": launch}


def of_shapes(direction):
    found = []
    for number, (name, algorithm, weight) in enumerate(SHAPES):
        if direction == "backward_weight":
            pixels = {"tile_m": 64, "tile_k": 128} if algorithm["pipeline"] == "implicit" else {}
            # The slowest of all to interpret; one image shows the same.
            fewer = {"n": 1} if name == "three_d" else {}
            made = case(problem(name, direction, **fewer), {**algorithm, **pixels, **weight}, split_k=2)
            found.append({**made, "again": number in AGAIN})
        else:
            phase = algorithm.get("phase", 0) if direction == "backward_data" else 0
            found.append(case(problem(name, direction), {**algorithm, "phase": phase}))
    return found


def of_streams():
    bias = {"d": EXTRA["d"][:1], "epilogue": {"activation": "relu"}}
    return [
        case(problem("pointwise", "forward", c=24, k=20, **bias), THIN),
        case(problem("pointwise", "backward_data", c=24, k=20), {**THIN, "wide": True}),
        case(problem("pointwise", "forward", g=6, c=24, k=72, **bias), {**THIN, "merge": True}),
        case(problem("pointwise", "backward_data", g=6, c=24, k=72), {**THIN, "merge": True}),
    ]


def of_epilogues():
    window = {**WINDOW, "filter_w": 3}
    added = {"d": [{"dtype": "fp32"}], "epilogue": {"beta": 0.5}}
    return [
        case(problem("dense_2d", "forward", **EXTRA), IMPLICIT),
        case(problem("few_channels", "forward", **EXTRA), window),
        case(problem("depthwise", "forward", **EXTRA), {**DEPTHWISE, "filter_w": 3}),
        case(problem("few_channels", "backward_data", **added), window),
        case(problem("few_channels", "backward_weight", **added), {**window, "filter_h": 3}, split_k=3),
    ]


def of_layouts():
    first = {**IMPLICIT, "unit": False, "wide": True}
    return [
        *(case(problem("strided", d, channels_first=True), first, split_k=2) for d in DIRECTIONS),
        *(
            case(problem("dense_2d", d, n=2, **STEM), {**IMPLICIT, "fold": True, "tile_m": 64})
            for d in ("forward", "backward_weight")
        ),
    ]


def of_mutants():
    """Kernels that promise what does not hold: the wrong filter width, the wrong phase."""
    return [
        case(problem("few_channels", "forward"), {**WINDOW, "filter_w": 1}),
        case(problem("odd_groups", "backward_data"), {**WINDOW, "filter_w": 3, "stride_w": 2, "phase": 0}),
    ]


def everything():
    return [
        *(c for d in DIRECTIONS for c in of_shapes(d)),
        *of_epilogues(),
        *of_streams(),
        *of_layouts(),
        *of_mutants(),
        *of_gathered(),
    ]


def of_gathered():
    """Few channels in one to three dimensions: uneven padding, dilation, an epilogue."""
    sizes = (
        {"n": 2, **STEM},
        {"n": 2, "c": 1, "k": 40, "input": [5, 6, 9], "filter": [3, 3, 3], "stride": 2, "pad": 1},
        {"n": 2, "c": 4, "k": 8, "input": [19], "filter": [5], "dilation": [2]},
        {"n": 2, "c": 2, "k": 16, "input": [9, 8], "filter": [3, 3], "dilation": [2, 1], "pad": 1, **EXTRA},
    )
    given = ({"op": "grouped_conv", "direction": "forward", "dtype": "fp32", **size} for size in sizes)
    return [case(problem_from_dict(p), {**GATHER, "wide": i == 1}) for i, p in enumerate(given)]


def rare(direction, index):
    """Whether `make test` leaves this case out: each pipeline keeps some shapes in every direction."""
    return (index + DIRECTIONS.index(direction)) % 3 != 0


@cache
def answers(*, rarely):
    """All usual or all rare cases, run in one process: starting the interpreter takes longer than the cases."""
    env = {**os.environ, "TRITON_INTERPRET": "1"}
    left_out = [c for d in DIRECTIONS for i, c in enumerate(of_shapes(d)) if rare(d, i)]
    cases = left_out if rarely else [c for c in everything() if c not in left_out]
    done = subprocess.run([sys.executable, str(SCRIPT)], input=json.dumps(cases), capture_output=True, text=True,
                          env=env, timeout=580)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return {json.dumps(c): a for c, a in zip(cases, json.loads(done.stdout), strict=True)}


def answer(given, *, rarely=False):
    return answers(rarely=rarely)[json.dumps(given)]


def shape_cases():
    for index, (name, algorithm, _) in enumerate(SHAPES):
        for d in DIRECTIONS:
            marks = pytest.mark.exhaustive if rare(d, index) else []
            yield pytest.param(d, index, id=f"{name}-{algorithm['pipeline']}{index}-{d}", marks=marks)


@pytest.mark.parametrize(("direction", "index"), list(shape_cases()))
def test_kernels_agree_with_the_reference(direction, index):
    ok, ratio, same = answer(of_shapes(direction)[index], rarely=rare(direction, index))
    assert ok, ratio
    assert same  # a second launch finds the workspace as it must be


@pytest.mark.parametrize("index", range(5))
def test_epilogues(index):
    ok, ratio, _ = answer(of_epilogues()[index])
    assert ok, ratio


@pytest.mark.parametrize("index", range(2))
def test_streamed_pixels(index):
    ok, ratio, _ = answer(of_streams()[index])
    assert ok, ratio


@pytest.mark.parametrize("index", range(4))
def test_gathered_elements(index):
    ok, ratio, _ = answer(of_gathered()[index])
    assert ok, ratio
    p, algorithm = (of_gathered()[index][name] for name in ("problem", "algorithm"))
    p = problem_from_dict(p)
    spec = KernelSpec("conv", "triton", "sm_80", p.signature, TritonConv(**algorithm))
    assert not OP.check(spec, get_arch("sm_80"), p)


@pytest.mark.parametrize("index", range(5))
def test_channels_first_and_folded_rows(index):
    ok, ratio, _ = answer(of_layouts()[index])
    assert ok, ratio


@pytest.mark.parametrize("index", range(2))
def test_a_kernel_for_another_problem_is_wrong_and_refused(index):
    given = of_mutants()[index]
    assert not answer(given)[0]
    p = problem("few_channels", "forward") if index == 0 else problem("odd_groups", "backward_data")
    algorithm = TritonConv(**given["algorithm"])
    spec = KernelSpec("conv", "triton", "sm_80", p.signature, algorithm)
    assert "triton.conv.window" in {r.rule for r in OP.check(spec, get_arch("sm_80"), p)}


def test_what_was_interpreted_is_legal():
    """The rules pass what the reference confirmed, on an arch with room for the wide tiles of the interpreter."""
    for direction in DIRECTIONS:
        for given, (name, _, _) in zip(of_shapes(direction), SHAPES, strict=True):
            p = problem(name, direction)
            spec = KernelSpec("conv", "triton", "sm_80", p.signature, TritonConv(**given["algorithm"]))
            broken = {r.rule: r.message for r in OP.check(spec, get_arch("sm_80"), p)}
            broken.pop("triton.conv.registers", None)  # the interpreter's tiles are wider than registers allow
            assert not broken, (name, direction, broken)
