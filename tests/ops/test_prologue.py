"""Prologues of A and B: the problem that describes them, the reference, and who refuses them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.model.canonical import canonical
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm import OP
from tilewright.registry import Registry, default_registry

SCALE = {"op": "multiply", "dtype": "fp32", "broadcast": "row"}
SHIFT = {"op": "add", "dtype": "fp32", "broadcast": "row"}
COLUMN = {"op": "add", "dtype": "fp32", "broadcast": "col"}
NORMED = {"op": "gemm", "m": 6, "n": 5, "k": 7, "dtype": "fp32", "prologue_a": [SCALE, SHIFT, "silu"],
          "prologue_b": [COLUMN, "relu"]}  # fmt: skip


@pytest.fixture
def reference() -> Dispatcher:
    registry = Registry("reference")
    for kernel_set in get_backend_op("reference", "gemm").kernel_sets():
        registry.declare(kernel_set)
    return Dispatcher(registry)


def test_a_prologue_is_part_of_the_problem() -> None:
    problem = problem_from_dict(NORMED)
    assert problem.roles == ("a", "b", "out", "a1", "a2", "b1")
    assert [problem.shape(r) for r in ("a1", "a2", "b1")] == [(1, 7), (1, 7), (7, 1)]
    assert problem_from_dict(problem.to_dict()) == problem
    assert OP.signature_from_dict(canonical(problem.signature)) == problem.signature
    plain = problem_from_dict({k: v for k, v in NORMED.items() if not k.startswith("prologue")})
    assert problem.exact_key != plain.exact_key
    assert problem.tuning_key != plain.tuning_key
    assert problem.bytes == plain.bytes + 4 * 3 * 7


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prologue_a": "relu"}, "no list of steps"),
        ({"prologue_a": 3}, "no list of steps"),
        ({"prologue_a": [{"dtype": "fp32"}]}, "needs an op"),
        ({"prologue_a": [{"op": "add"}]}, "unknown dtype"),
        ({"prologue_a": [{"op": "relu", "dtype": "fp32"}]}, "takes no tensor"),
        ({"prologue_a": ["divide"]}, "unknown prologue op 'divide'"),
        ({"prologue_b": [{**SCALE, "bradcast": "row"}]}, "did you mean 'broadcast'"),
        ({"prologue_a": [SCALE] * 4}, "prologue_a has 4 tensors; at most 3"),
        ({"prologue_a": ["relu"] * 9}, "prologue_a has 9 steps; at most 8"),
        ({"prologue_a": ["relu"], "dtype": "int8"}, "only floats have prologues"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(tw.TilewrightError, match=words):
        problem_from_dict({**NORMED, **changes})


@pytest.mark.parametrize("step", [("add", None), ("add",), ("divide", 1.0), None, 3, "add"])
def test_steps_that_are_none_are_refused(step: Any) -> None:
    ones = np.ones((4, 4), np.float32)
    for name in ("prologue_a", "prologue_b"):
        with pytest.raises(tw.TilewrightError, match=name):
            tw.gemm(ones, ones, **{name: [step]})


def test_the_reference_goes_through_the_steps_in_order(reference: Dispatcher) -> None:
    rng = np.random.default_rng(0)
    a, b, scale, shift, column = (
        rng.standard_normal(shape).astype(np.float32) for shape in ((6, 7), (7, 5), (7,), (7,), (7, 1))
    )
    steps = [("multiply", scale), ("add", shift), "silu"]
    got = tw.gemm(a, b, prologue_a=steps, prologue_b=[("add", column), "relu"], dispatcher=reference)
    left = a * scale + shift
    want = (left / (1 + np.exp(-left))) @ np.maximum(b + column, 0)
    assert np.abs(got - want).max() < 1e-5
    again = tw.gemm(a, b, prologue_a=steps[::-1], prologue_b=[("add", column), "relu"], dispatcher=reference)
    assert np.abs(again - want).max() > 1e-2


@pytest.mark.parametrize("step", [("add",), ("relu", np.ones(7, np.float32)), 3, "add"])
def test_steps_of_a_call_are_checked(step: Any, reference: Dispatcher) -> None:
    a, b = np.ones((6, 7), np.float32), np.ones((7, 5), np.float32)
    with pytest.raises(tw.TilewrightError, match="prologue_a"):
        tw.gemm(a, b, prologue_a=[step], dispatcher=reference)
    with pytest.raises(tw.TilewrightError, match="a1 has shape"):
        tw.gemm(a, b, prologue_a=[("add", b)], dispatcher=reference)


@pytest.mark.parametrize("steps", [5, "relu", np.ones(3), {"op": "relu"}])
def test_a_prologue_of_a_call_is_a_list(steps: Any, reference: Dispatcher) -> None:
    with pytest.raises(tw.TilewrightError, match=r"prologue_b is .*; it must be a list of steps"):
        tw.gemm(np.ones((6, 7), np.float32), np.ones((7, 5), np.float32), prologue_b=steps, dispatcher=reference)


@pytest.mark.parametrize("tier", ["float64", "rows", "projection"])
@pytest.mark.parametrize("wrong", [False, True])
def test_every_tier_sees_a_prologue_that_was_left_out(tier: str, wrong: bool) -> None:
    steps = [{"op": "multiply", "dtype": "fp16"}, {"op": "add", "dtype": "fp16", "broadcast": "col"}]
    problem = problem_from_dict({"op": "gemm", "m": 40, "n": 24, "k": 96, "dtype": "fp16", "prologue_a": steps})
    tensors = OP.random_tensors(problem, 0)
    left, scale, shift, right = (tensors[r].astype(np.float64) for r in ("a", "a1", "a2", "b"))
    left = (left * scale + (0 if wrong else shift)).astype(np.float16).astype(np.float64)
    out = (left @ right).astype(np.float16)
    assert OP.verify(problem, tensors, out, tier=tier).ok is not wrong


@pytest.mark.parametrize(("device", "arch", "backend"), [("cpu", "x86_64_v3", "cpu"), ("cuda:0", "sm_90", "vendor")])
def test_other_backends_refuse_a_prologue_by_a_rule(device: str, arch: str, backend: str) -> None:
    problem = problem_from_dict({**NORMED, "device": device})
    found = default_registry((backend,)).consider(problem, get_nominal_devices(arch)[0])
    assert not found.legal
    assert all(any(r.rule == f"{backend}.gemm.prologue" for r in why) for _, why in found.rejected)
    assert found.rejected
