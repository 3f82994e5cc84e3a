"""Infinity and NaN in convolutions: taps outside of the image may multiply zeros, or be left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tilewright.dispatcher import Dispatcher
from tilewright.model.inexact import Inexact
from tilewright.ops import get_op
from tilewright.ops.conv.reference import expected
from tilewright.registry import default_registry
from tilewright.settings import Settings

CONV = get_op("conv")
DIRECTIONS = ("forward", "backward_data", "backward_weight")
BASE = {"op": "conv", "n": 2, "g": 8, "c": 8, "k": 8, "input": [5, 6], "filter": [3, 3], "pad": [[1, 1], [1, 1]],
        "dtype": "fp32", "layout": "nhwgc"}  # fmt: skip
# Kernels of these products skip rows, columns or both, or multiply zeros.
KINDS = {"depthwise": {}, "lanes": {"g": 4}, "direct": {"g": 1}, "implicit": {"g": 1}}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def posed(direction: str, **changes: Any) -> Any:
    return CONV.problem_from_dict({**BASE, **changes, "direction": direction})


def with_special(problem: Any, value: float, seed: int) -> dict[str, Any]:
    """Random tensors, in each of which one element is `value`."""
    rng, tensors = np.random.default_rng(seed), CONV.random_tensors(problem, seed)
    for role in {"input", "weight", "output"} - {problem.result}:
        x = tensors[role]
        x[tuple(rng.integers(n) for n in x.shape)] = value
    return tensors


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_both_answers_of_padding_are_right_and_no_others(direction: str) -> None:
    problem = posed(direction, g=2)
    tensors = with_special(problem, np.nan, 1)
    zeros, left_out = (expected(problem, tensors, padding).value for padding in (True, False))
    differ = np.isnan(zeros) & ~np.isnan(left_out)
    assert differ.any()
    assert not np.isnan(left_out).all()
    mixed = np.where(np.indices(zeros.shape).sum(axis=0) % 2, zeros, left_out)
    for answer in (zeros, left_out, mixed):
        assert CONV.verify(problem, tensors, answer.astype(np.float32)).ok
    for spoiled in (np.nan, 1e6):  # where no tap lies outside, and where one does
        wrong = np.where(np.isnan(zeros), left_out, zeros)
        wrong[tuple(np.argwhere(differ if spoiled == 1e6 else ~np.isnan(zeros))[0])] = spoiled
        assert not CONV.verify(problem, tensors, wrong.astype(np.float32)).ok


@pytest.mark.parametrize("direction", ["forward", "backward_data"])
def test_merged_groups_may_share_a_nan(direction: str) -> None:
    problem = posed(direction, g=2, c=4, k=4)
    tensors = CONV.random_tensors(problem, 0)
    read = "input" if direction == "forward" else "output"
    tensors[read][0, 0, 2, 2] = np.inf
    answer = expected(problem, tensors).value
    spread = np.where((~np.isfinite(answer)).any(axis=1, keepdims=True), np.nan, answer).astype(np.float32)
    assert not CONV.verify(problem, tensors, spread).ok
    assert CONV.verify(problem, tensors, spread, product_error=Inexact(merged=True)).ok
    spread[1, 0, 2, 2] = np.nan  # an image without infinity
    assert not CONV.verify(problem, tensors, spread, product_error=Inexact(merged=True)).ok


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_of_the_cpu(kind: str, direction: str) -> None:
    problem = posed(direction, **KINDS[kind])
    dispatcher = Dispatcher(default_registry(["cpu"]), "analytical", Settings.from_env())
    ranked = dispatcher.explain(problem).ranked
    candidate = next(r.candidate for r in ranked if r.candidate.spec.algorithm.pipeline == kind)
    for value in (np.inf, np.nan):
        for seed in range(3):
            tensors = with_special(problem, value, seed)
            out = dispatcher.bind_to(candidate, problem, **tensors)()
            found = CONV.verify(problem, tensors, out)
            assert found.ok, (value, seed, found)
