"""`grouped_gemm` on the CPU: a product for each group. On GPUs: `tests/backends/ck_tile/test_ck_families.py`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import TilewrightError

ENDS = np.array([10, 10, 37, 50], np.int32)
RANGES = ((0, 0, 10), (2, 10, 37), (3, 37, 50))


def tensors(dtype: Any = np.float32) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal(shape).astype(np.float32).astype(dtype) for shape in ((50, 24), (4, 24, 16)))


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_each_group_is_multiplied_by_its_own_matrix(dtype: Any) -> None:
    a, b = tensors(dtype)
    got = tw.grouped_gemm(a, b, ENDS, activation="relu", alpha=2.0)
    assert got.dtype == dtype
    for g, start, stop in RANGES:
        want = np.maximum(2.0 * (a[start:stop].astype(np.float64) @ b[g].astype(np.float64)), 0)
        assert np.abs(got[start:stop].astype(np.float64) - want).max() < (1e-4 if dtype is np.float32 else 0.2)


def test_any_strides_and_a_given_output_are_taken() -> None:
    a, b = tensors()
    out = np.full((50, 32), 7.0, np.float32)
    turned = np.ascontiguousarray(b.transpose(0, 2, 1)).transpose(0, 2, 1)
    returned = tw.grouped_gemm(np.asfortranarray(a), turned, ENDS, out=out[:, ::2])
    assert np.shares_memory(returned, out)
    assert np.allclose(out[:, ::2], tw.grouped_gemm(a, b, ENDS), atol=1e-5)
    assert (out[:, 1::2] == 7.0).all()


def test_rows_after_the_last_end_are_left_alone() -> None:
    a, b = tensors()
    out = np.full((50, 16), 7.0, np.float32)
    tw.grouped_gemm(a, b, np.array([1, 2, 3, 4], np.int32), out=out)
    assert (out[4:] == 7.0).all()
    assert not (out[:4] == 7.0).any()


def test_torch_tensors_give_a_torch_tensor() -> None:
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(x) for x in tensors())
    got = tw.grouped_gemm(a, b, torch.from_numpy(ENDS))
    assert isinstance(got, torch.Tensor)
    assert torch.allclose(got[10:37], a[10:37] @ b[2], atol=1e-5)


def test_a_row_has_the_same_bits_in_a_group_of_any_length() -> None:
    a, b = tensors()
    whole = tw.grouped_gemm(a, b, ENDS, invariant=True)
    single = tw.grouped_gemm(a[12:13], b[2:3], np.array([1], np.int32), invariant=True)
    assert np.array_equal(single, whole[12:13])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ends": np.array([3, 2, 9, 50], np.int32)}, "group 1 ends at row 2, before the one before it"),
        ({"ends": np.array([-1, 2, 9, 50], np.int32)}, "group 0 ends at row -1, before the first row"),
        ({"ends": np.array([1, 2, 9, 51], np.int32)}, "the last is 51; a has 50 rows"),
        ({"ends": ENDS[:3]}, r"ends has shape \(3,\); b has 4 groups"),
        ({"ends": ENDS.astype(np.float32)}, "ends has dtype fp32; it must be int32"),
        ({"ends": np.repeat(ENDS, 2)[::2]}, r"ends has shape \(4,\), strides \(2,\); it needs \(4,\), dense"),
        ({"a": np.ones((1, 50, 24), np.float32)}, r"a has shape \(1, 50, 24\); with ends it is one matrix"),
        ({"b": np.ones((24, 16), np.float32)}, r"b has shape \(24, 16\); with ends it has a matrix for each group"),
        ({"b": np.ones((0, 24, 16), np.float32), "ends": ENDS[:0]}, "b has no group"),
        ({"out": np.ones((49, 16), np.float32)}, "out has shape"),
        ({"ends": None}, "ends"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(changes: dict[str, Any], said: str) -> None:
    a, b = tensors()
    with pytest.raises(TilewrightError, match=said):
        tw.grouped_gemm(**{"a": a, "b": b, "ends": ENDS, **changes})
