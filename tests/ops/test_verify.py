"""The tolerance accepts what is right and catches what is wrong, in every tier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import UnknownNameError, VerificationError
from tilewright.model.dtype import numpy_dtype
from tilewright.ops import get_op, problem_from_dict

OP = get_op("gemm")
TIERS = ("float64", "rows", "projection")
DTYPES = ("fp32", "fp16", "bf16")


def setup(dtype: str, k: int = 1024, **fields: Any) -> tuple[Any, dict[str, Any]]:
    p = problem_from_dict({"op": "gemm", "m": 96, "n": 80, "k": k, "dtype": dtype, "layout": "rrr", **fields})
    return p, OP.random_tensors(p, seed=5)


def fp32_result(p: Any, tensors: dict[str, Any]) -> Any:
    """A plausible kernel: sums in blocks of 64, in float32."""
    a, b = (np.asarray(tensors[r]).astype(np.float32) for r in "ab")
    total = np.zeros((p.m, p.n), np.float32)
    for k in range(0, p.k, 64):
        total += a[:, k : k + 64] @ b[k : k + 64]
    return total


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_right_answer_passes(tier: str, dtype: str) -> None:
    p, tensors = setup(dtype)
    out = fp32_result(p, tensors).astype(numpy_dtype(dtype))
    assert OP.verify(p, tensors, out, tier=tier).ok


def drop_k_tile(p: Any, tensors: dict[str, Any]) -> Any:
    cut = {**tensors, "a": tensors["a"].copy()}
    cut["a"][:, 512:544] = 0
    return fp32_result(p, cut)


def shift_row(p: Any, tensors: dict[str, Any]) -> Any:
    return np.roll(fp32_result(p, tensors), 1, axis=0)


def wrong_scale(p: Any, tensors: dict[str, Any]) -> Any:
    return fp32_result(p, tensors) * 1.02


def unwritten_element(p: Any, tensors: dict[str, Any]) -> Any:
    out = fp32_result(p, tensors)
    out[-1, -1] = np.nan
    return out


@pytest.mark.parametrize("mutant", [drop_k_tile, shift_row, wrong_scale], ids=lambda f: f.__name__)
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_mutants_fail(mutant: Any, tier: str, dtype: str) -> None:
    p, tensors = setup(dtype)
    verdict = OP.verify(p, tensors, mutant(p, tensors).astype(numpy_dtype(dtype)), tier=tier)
    assert not verdict.ok
    with pytest.raises(VerificationError, match="tolerance"):
        verdict.require("mutant")


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("bits", [0x7F800001, 0x7F800000, 0xFF800000])
def test_anything_that_a_kernel_can_write_is_judged_without_a_warning(tier: str, bits: int) -> None:
    """A signalling NaN, whose conversion is an invalid operation on some CPUs, and infinities of both signs."""
    p, tensors = setup("fp32", k=64)
    out = fp32_result(p, tensors)
    out.view(np.uint32)[:] = bits
    assert not OP.verify(p, tensors, out, tier=tier).ok


def test_an_infinity_is_compared_by_itself_where_sums_are() -> None:
    p, tensors = setup("fp16", k=64)
    out = fp32_result(p, tensors).astype(np.float16)
    out[5, 7] = np.inf
    assert not OP.verify(p, tensors, out, tier="projection").ok
    tensors["a"][5], tensors["b"][:, 7] = 1000, 1000
    with np.errstate(over="ignore"):
        out = OP.expected(p, tensors).value.astype(np.float16)
    assert np.isinf(out[5, 7])
    assert OP.verify(p, tensors, out, tier="projection").ok
    out[-1, 3] += 500
    assert not OP.verify(p, tensors, out, tier="projection").ok


@pytest.mark.parametrize("tier", ["float64", "projection"])
def test_an_unwritten_element_fails(tier: str) -> None:
    p, tensors = setup("fp32")
    assert not OP.verify(p, tensors, unwritten_element(p, tensors), tier=tier).ok


def test_int8_must_be_exact() -> None:
    p, tensors = setup("int8", k=64)
    out = tensors["a"].astype(np.int32) @ tensors["b"].astype(np.int32)
    assert OP.verify(p, tensors, out).ok
    out[3, 3] += 1
    assert not OP.verify(p, tensors, out).ok


def test_overflow_to_infinity_is_right_for_fp16() -> None:
    p, tensors = setup("fp16", k=1024)
    tensors["a"][...] = tensors["b"][...] = 60.0
    out = np.full((p.m, p.n), np.inf, np.float16)
    assert OP.verify(p, tensors, out).ok
    assert not OP.verify(p, tensors, np.zeros_like(out)).ok


def test_nan_and_infinity_must_stand_where_the_reference_has_them() -> None:
    p, tensors = setup("fp32", k=64)
    tensors["a"][0, 0] = np.inf
    with np.errstate(invalid="ignore"):
        out = fp32_result(p, tensors)
        assert OP.verify(p, tensors, out).ok
        out[0, 0] = 0.0
        assert not OP.verify(p, tensors, out).ok


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 300), st.sampled_from(DTYPES))
def test_rounding_the_reference_always_passes(m: int, n: int, k: int, dtype: str) -> None:
    p = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype, "layout": "rrr"})
    tensors = OP.random_tensors(p, seed=m)
    out = OP.expected(p, tensors).value.astype(numpy_dtype(dtype))
    assert OP.verify(p, tensors, out, tier="float64").ok


def test_unknown_tier_is_refused() -> None:
    p, tensors = setup("fp32", k=4)
    with pytest.raises(UnknownNameError, match="projection"):
        OP.verify(p, tensors, tensors["out"], tier="projektion")


@pytest.mark.parametrize("batch", [1, 3])
def test_batched_projection(batch: int) -> None:
    p, tensors = setup("fp32", k=100, batch=batch)
    out = np.matmul(tensors["a"], tensors["b"])
    assert OP.verify(p, tensors, out, tier="projection").ok
    out[..., 5, :] = 0
    assert not OP.verify(p, tensors, out, tier="projection").ok


@pytest.mark.parametrize("tier", ["float64", "rows", "projection"])
@pytest.mark.parametrize("dtype_out", ["int32", "int8"])
def test_integers_behind_an_epilogue_are_rounded_to_the_nearest(tier: str, dtype_out: str) -> None:
    p, tensors = setup("int8", k=64, dtype_out=dtype_out, scale_a="row", scale_b="tensor",
                       epilogue={"alpha": 3e-4})  # fmt: skip
    value = get_op("gemm").expected(p, tensors).value
    right = np.clip(np.rint(value), -128, 127) if dtype_out == "int8" else np.rint(value)
    assert get_op("gemm").verify(p, tensors, right, tier=tier).ok
    wrong = right + np.where(value > right, -1, 1)  # the integers on the other side, over 1 away
    assert not get_op("gemm").verify(p, tensors, wrong, tier=tier).ok


def test_new_tensors_have_a_value_that_no_kernel_left() -> None:
    for dtype_out in ("int8", "int32"):
        p, tensors = setup("int8", dtype_out=dtype_out)
        assert (tensors["out"] == 1 - 2 ** (8 * tensors["out"].itemsize - 1)).all(), p.label()


def test_an_integer_output_is_rounded_after_an_epilogue() -> None:
    """A fractional D leaves the value between two integers: half a unit is right, a whole one is not."""
    from tilewright.backends import device_at, get_backend_op
    from tilewright.dispatcher import Dispatcher
    from tilewright.model.kernel import KernelSpec
    from tilewright.registry import Registry
    from tilewright.settings import Settings

    fields = {"op": "gemm", "m": 9, "n": 7, "k": 5, "dtype": "int8", "layout": "rrr", "d": [{"dtype": "fp32"}]}
    problem = problem_from_dict(fields)
    op = get_op("gemm")
    tensors = op.random_tensors(problem, 0)
    registry, arch = Registry("reference"), device_at("cpu", Settings.from_env()).arch
    numpy = get_backend_op("reference", "gemm").algorithm()
    registry.add(KernelSpec("gemm", "reference", arch, problem.signature, numpy))
    out = Dispatcher(registry, "first_fit").run(problem, **tensors)
    assert op.verify(problem, tensors, out).ok
    assert not op.verify(problem, tensors, out + 1).ok


@pytest.mark.parametrize("dtype_out", ["int8", "int32"])
def test_a_sum_of_floats_is_rounded_to_an_integer_output(dtype_out: str) -> None:
    p, tensors = setup("fp32", k=16, dtype_out=dtype_out)
    right = np.rint(OP.expected(p, tensors).value).astype(dtype_out)
    assert OP.verify(p, tensors, right).ok
    assert not OP.verify(p, tensors, right + np.eye(96, 80, dtype=dtype_out)).ok


def test_a_problem_without_matrices_has_tensors() -> None:
    p = problem_from_dict({"op": "gemm", "m": 4, "n": 3, "k": 2, "batch": 0, "dtype": "fp32"})
    tensors = OP.random_tensors(p, seed=0)
    assert tensors["a"].shape == (0, 4, 2)
    assert OP.verify(p, tensors, tensors["out"]).ok
