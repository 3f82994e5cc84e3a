"""Factors of a product in memory of any shape and stride: each is read where it lies, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError
from tilewright.jit.arrays import view_at
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm import Epilogue
from tilewright.ops.gemm.tensors import mismatches, problem_of, random_tensors

SIZES = {"scale_a": 6, "scale_b": 10}
A = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
B = np.random.default_rng(1).standard_normal((8, 10)).astype(np.float32)
FACTORS = {role: np.linspace(0.5, 1.5, n, dtype=np.float32) for role, n in SIZES.items()}


def _forms(values: Any) -> dict[str, Any]:
    """Return views of the same values, in memory with other values between them."""
    n = len(values)
    wide, tall = np.full((n, 3), 77, np.float32), np.full((3, n), 77, np.float32)
    wide[:, 1], tall[1] = values, values
    twice = np.full(2 * n, 77, np.float32)
    twice[::2] = values
    reverse = values[::-1].copy()
    cube = np.full((1, n, 2, 1), 77, np.float32)
    cube[0, :, 0, 0] = values
    return {
        "dense": values,
        "column": wide[:, 1:2],
        "row": tall[1:2],
        "every second": twice[::2],
        "of a matrix": wide[:, 1],
        "backwards": reverse[::-1],
        "in four dimensions": cube[:, :, :1],
        "one, repeated": np.broadcast_to(values[:1], n),
    }


def _expected(role: str, factors: Any) -> Any:
    scale = factors.reshape(-1)
    return (A @ B) * (scale[:, None] if role == "scale_a" else scale)


@pytest.mark.parametrize("form", _forms(FACTORS["scale_a"]))
@pytest.mark.parametrize("role", SIZES)
def test_factors_are_read_where_they_lie(role: str, form: str) -> None:
    factors = _forms(FACTORS[role])[form]
    for _ in range(3):  # planned, remembered, found in C
        found = tw.gemm(A, B, **{role: factors})
        np.testing.assert_allclose(found, _expected(role, factors), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("role", SIZES)
def test_factors_along_two_dimensions_are_refused(role: str) -> None:
    factors = FACTORS[role].reshape(2, -1)
    with pytest.raises(TensorError, match=rf"{role} has shape \(2, .*more than one dimension"):
        tw.gemm(A, B, **{role: factors})


@pytest.mark.parametrize("form", ["column", "every second", "of a matrix", "backwards", "two dimensions"])
@pytest.mark.parametrize("role", SIZES)
def test_a_dispatcher_refuses_factors_with_other_strides_than_the_problem(role: str, form: str) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 6, "n": 10, "k": 8, "dtype": "fp32", "layout": "rrr", role: "row"})
    forms = {**_forms(FACTORS[role]), "two dimensions": FACTORS[role].reshape(2, -1)}
    tensors = {"a": A, "b": B, "out": np.empty((6, 10), np.float32)}
    with pytest.raises(TensorError, match=role):
        Dispatcher().run(problem, **tensors, **{role: forms[form]})
    for dense in ("dense", "row"):
        found = Dispatcher().run(problem, **tensors, **{role: forms[dense]})
        np.testing.assert_allclose(found, _expected(role, FACTORS[role]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("role", SIZES)
def test_a_dispatcher_reads_factors_with_the_strides_of_the_problem(role: str) -> None:
    given = {"op": "gemm", "m": 6, "n": 10, "k": 8, "dtype": "fp32", "layout": "rrr", role: "row"}
    problem = problem_from_dict({**given, "strides": {role: (2, 0, 0)}})
    tensors = {"a": A, "b": B, "out": np.empty((6, 10), np.float32)}
    found = Dispatcher().run(problem, **tensors, **{role: _forms(FACTORS[role])["every second"]})
    np.testing.assert_allclose(found, _expected(role, FACTORS[role]), rtol=1e-4, atol=1e-5)
    assert random_tensors(problem, 0)[role].strides == (8,)


@pytest.mark.parametrize("role", SIZES)
def test_a_gpu_kernel_gets_dense_factors_only(role: str) -> None:
    """They read factors one after the other."""
    forms = _forms(FACTORS[role])
    with pytest.raises(TensorError, match=f"{role} has a stride of 2.*GPU"):
        tw.gemm(A, B, **{role: forms["every second"]}, device="emu:gfx942")


@pytest.mark.parametrize(
    ("m", "n", "k"), [(6, 100, 512), (6, 256, 64), (6, 256, 512), (1, 100, 512), (1, 256, 64), (6, 100, 64)]
)
@pytest.mark.parametrize("step", [1, 2])
def test_factors_of_blocks_fit_the_problem_that_they_define(m: int, n: int, k: int, step: int) -> None:
    blocks = -(-k // 128)
    shapes = {"a": (m, k), "b": (k, n), "out": (m, n), "scale_a": (m, blocks), "scale_b": (blocks, -(-n // 128))}
    arrays = {r: np.ones((*s[:-1], s[-1] * step), np.float32)[..., ::step] for r, s in shapes.items()}
    views = {r: view_at(x, r, None) for r, x in arrays.items()}
    assert mismatches(problem_of(views, epilogue=Epilogue()), views) == []
