"""Products whose sides are no whole vectors: padded where no kernel takes them as they are, reported, and right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.jit.arrays import view_of
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import PaddedStage

OP = get_op("gemm")
SIZES = {"op": "gemm", "m": 13, "n": 21, "k": 19}
D = {"d": [{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32"}], "epilogue": {"activation": "relu"}}
SCALED = {"dtype_a": "int8", "dtype_b": "int8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "tensor"}


@pytest.mark.parametrize(
    ("fields", "sides"),
    [
        ({"dtype": "fp32", "layout": "rcr"}, "13x24x24"),
        ({"dtype": "fp32", "layout": "rrr", "batch": 3}, "3x13x24x24"),
        ({"dtype": "fp32", "layout": "crr", **D}, "16x24x19"),
        ({"dtype": "int8", "layout": "rcr"}, "13x24x32"),
        ({**SCALED, "layout": "rcr"}, "13x24x32"),
    ],
)
def test_a_padded_product_is_right(fields: dict[str, Any], sides: str) -> None:
    """The CPU stands in for a GPU: its own products are never padded, because its kernels take every size."""
    problem = problem_from_dict({**SIZES, **fields})
    padded = OP.padded(problem)
    assert padded is not None
    assert f"gemm {sides} " in padded.label()
    dispatcher, tensors = tw.Dispatcher(tw.default_registry(["cpu"])), OP.random_tensors(problem, 0)
    views = {role: view_of(tensor, role) for role, tensor in tensors.items()}
    launch = PaddedStage(problem, dispatcher.plan(padded)).bind(views)
    for _ in range(2):
        tensors["out"][...] = 7
        launch(None)
        assert OP.verify(problem, tensors, tensors["out"]).ok
    assert not dispatcher.explain(problem).note


def test_tensors_with_strides_of_their_own_are_left_to_the_rules() -> None:
    given = {**SIZES, "dtype": "fp32", "layout": "rrr"}
    assert OP.padded(problem_from_dict({**given, "strides": {"a": [0, 19, 1]}})) is not None  # dense
    assert OP.padded(problem_from_dict({**given, "strides": {"a": [0, 40, 2]}})) is None


def test_leading_dimensions_of_one_may_be_left_out() -> None:
    large = np.zeros((1, 8))
    OP.copy_in(None, None, "d0", np.arange(1.0, 5.0), large)
    assert large.tolist() == [[1, 2, 3, 4, 0, 0, 0, 0]]
    small = np.zeros((1, 1, 3))
    OP.copy_out(None, None, "out", large, small)
    assert small.tolist() == [[[1, 2, 3]]]


@pytest.mark.parametrize("layout", ["rcr", "rrr", "crr", "ccr", "ccc"])
def test_ck_tile_takes_odd_sides(layout: str) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 127, "n": 130, "k": 129, "dtype": "fp16", "layout": layout})
    found = tw.Dispatcher(tw.default_registry(["ck_tile"])).explain(problem, arch="gfx942")
    assert found.ranked
    assert "padded to" in found.note
    assert found.ranked[0].candidate.spec.algorithm.pad_n


def test_whole_vectors_and_packed_weights_are_not_padded() -> None:
    assert OP.padded(problem_from_dict({**SIZES, "m": 8, "n": 16, "k": 32, "dtype": "fp16"})) is None
    assert OP.padded(problem_from_dict({**SIZES, "dtype": "fp32", "b_format": "cpu_panels_16"})) is None
