"""Backward data of few channels as a forward convolution: its copies, the problem that is handed on, its stores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("triton")
pytest.importorskip("torch")

from turned_cases import CASES

from tilewright.arch import get_arch
from tilewright.backends.triton.conv import OP
from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import problem_from_dict

SCRIPT = Path(__file__).with_name("interpreted_turned.py")


def problem(sizes, **further):
    return problem_from_dict({"op": "grouped_conv", "direction": "backward_data", "n": 2, "dtype": "fp16", **sizes,
                              **further})  # fmt: skip


def broken(p, algorithm):
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, TritonConv(**algorithm))
    return {r.rule for r in OP.check(spec, get_arch("sm_90"), p, Launch())}


def test_turned_problems_are_the_gradient():
    cases = [{"problem": problem(sizes).to_dict(), "algorithm": algorithm} for sizes, algorithm in CASES.values()]
    done = subprocess.run([sys.executable, str(SCRIPT)], input=json.dumps(cases), capture_output=True, text=True,
                          env={**os.environ, "TRITON_INTERPRET": "1"}, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = dict(zip(CASES, json.loads(done.stdout), strict=True))
    assert all(ok for ok, _ in said.values()), said


@pytest.mark.parametrize("name", CASES)
def test_what_was_computed_is_legal(name):
    sizes, algorithm = CASES[name]
    assert not broken(problem(sizes), algorithm)


STEM = CASES["stem"][0]


@pytest.mark.parametrize(
    ("rule", "sizes", "fields"),
    [
        ("fold", {"c": 16}, {}),  # no few channels
        ("fold", {"dilation": 2}, {}),
        ("fold", {"c": 6, "k": 16, "g": 2}, {}),
        ("fold", {"pad": 7}, {}),  # what lies before the first tap
        ("fold", {}, {"tile_n": 32}),  # no row of whole vectors fits
        ("fold", {"d": [{"dtype": "fp16"}]}, {}),
        ("fold", {}, {"store": "tma"}),  # rows need a stride of 1
        ("box", {"k": 12}, {}),  # pixels of the gradient that no tensor map reads
        ("box", {"input": [24, 30]}, {}),  # lines of 180 bytes
        ("box", {"alignment": {"input": 8}}, {}),
        ("traits", {}, {"store": "tma", "vector_bytes": 2}),
    ],
)
def test_what_cannot_be_turned_is_refused(rule, sizes, fields):
    assert f"triton.conv.{rule}" in broken(problem({**STEM, **sizes}), {**CASES["stem"][1], **fields})


def test_narrow_stores_take_any_line():
    p = problem({**STEM, "input": [24, 29]})
    assert broken(p, CASES["stem"][1])
    assert not broken(p, {**CASES["stem"][1], "vector_bytes": 2})
    assert not broken(replace(p, alignment={"input": 2}), {**CASES["stem"][1], "vector_bytes": 2})
