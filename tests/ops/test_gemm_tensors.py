"""Tensors of a product whose dimensions or strides a kernel would misread: each is refused, or read as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.gemm import GemmProblem

BATCHES = (1, 6)
STEPS = [{"op": "multiply", "dtype": "fp32"}]
ROLES = ("a", "b", "out", "d0", "a1", "b1")


def _problem(batch: int, **more: Any) -> GemmProblem:
    found = problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "batch": batch, "dtype": "fp32", **more})
    assert isinstance(found, GemmProblem)
    return found


def _whole(batch: int) -> GemmProblem:
    """Return a problem with every matrix role."""
    return _problem(batch, layout="rrr", d=[{"dtype": "fp32"}], prologue_a=STEPS, prologue_b=STEPS)


@pytest.mark.parametrize("lead", [(1, 6), (6, 1), (2, 3), (1, 1), (1, 1, 6)])
@pytest.mark.parametrize("role", ROLES)
def test_a_matrix_of_more_than_three_dimensions_is_refused(role: str, lead: tuple[int, ...]) -> None:
    problem = _whole(6)
    tensors = {r: np.ones((6, 8, 8), np.float32) for r in problem.roles}
    tensors[role] = np.ones((*lead, 8, 8), np.float32)
    named = {"out": tensors["out"], "d": tensors["d0"]}
    steps = {f"prologue_{x}": [("multiply", tensors[f"{x}1"])] for x in "ab"}
    with pytest.raises(TensorError, match=rf"{role} has shape .* dimensions"):
        tw.gemm(tensors["a"], tensors["b"], **named, **steps)
    for call in (Dispatcher().run, Dispatcher().bind):
        with pytest.raises(TensorError, match=rf"{role} has shape .* dimensions"):
            call(problem, **tensors)


@pytest.mark.parametrize("lead", [(), (1,)])
@pytest.mark.parametrize("role", ["a", "b", "d0", "a1", "b1"])
def test_one_matrix_for_a_batch_of_matrices_is_refused_unless_the_problem_says_so(
    role: str, lead: tuple[int, ...]
) -> None:
    problem = _whole(6)
    tensors = {r: np.ones((6, 8, 8), np.float32) for r in problem.roles}
    tensors[role] = np.ones((*lead, 8, 8), np.float32)
    with pytest.raises(TensorError, match=f"{role} has strides"):
        Dispatcher().run(problem, **tensors)


@pytest.mark.parametrize("role", ["a", "b", "d0"])
def test_one_matrix_serves_a_batch_if_the_problem_has_a_stride_of_0(role: str) -> None:
    problem = _problem(6, layout="rrr", d=[{"dtype": "fp32"}], strides={role: (0, 8, 1)})
    rng = np.random.default_rng(0)
    tensors = {r: rng.standard_normal((6, 8, 8), np.float32) for r in problem.roles}
    tensors[role] = rng.standard_normal((8, 8), np.float32)
    found = Dispatcher().run(problem, **tensors)
    np.testing.assert_allclose(found, tensors["a"] @ tensors["b"] + tensors["d0"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(8,), (1, 8), (1, 1, 8), (8, 1), (8, 8), (1, 8, 8), (6, 8, 8), (6, 1, 8), (6, 8, 1)])
def test_every_shape_of_d_is_read_as_numpy_broadcasts_it(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, d = rng.standard_normal((6, 8, 8), np.float32), rng.standard_normal(shape, np.float32)
    np.testing.assert_allclose(tw.gemm(a, a, d=d), a @ a + d, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("batch", BATCHES)
def test_random_tensors_still_fit_their_problem(batch: int) -> None:
    problem = _whole(batch)
    op = get_op("gemm")
    from tilewright.jit.arrays import view_of

    assert op.mismatches(problem, {r: view_of(t, r) for r, t in op.random_tensors(problem, 0).items()}) == []
