"""Scaled products (MX) of gfx950: Triton's `tl.dot_scaled`, compiled here, gives the right product."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("triton")

import triton
import triton.language as tl

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
DTYPES = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


@triton.jit
def scaled_product(a, a_scale, b, b_scale, c, M: tl.constexpr, K: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr,
                   PA: tl.constexpr, PB: tl.constexpr):  # fmt: skip
    m, n = tl.arange(0, M), tl.arange(0, M)
    ka, kb, groups = tl.arange(0, K // PA), tl.arange(0, K // PB), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * (K // PA) + ka[None, :])
    y = tl.load(b + kb[:, None] * M + n[None, :])
    sx = tl.load(a_scale + m[:, None] * (K // 32) + groups[None, :])
    sy = tl.load(b_scale + n[:, None] * (K // 32) + groups[None, :])
    tl.store(c + m[:, None] * M + n[None, :], tl.dot_scaled(x, sx, FA, y, sy, FB))


def factor(rng: Any, rows: int, k: int, kind: str) -> tuple[Any, Any, int]:
    """(bytes, numbers, numbers in a byte) of a random factor."""
    if kind == "e2m1":
        codes = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        return codes[:, ::2] | (codes[:, 1::2] << 4), FP4[codes], 2
    made = rng.standard_normal((rows, k)).astype(DTYPES[kind])
    return made.view(np.uint8), made.astype(np.float64), 1


# `make test` runs two; the others are like them.
QUICK = ((32, "e4m3", "e2m1"), (16, "e4m3", "e5m2"))
CASES = [
    pytest.param(m, a, b, marks=[] if (m, a, b) in QUICK else pytest.mark.exhaustive)
    for m in (16, 32)
    for a, b in (("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e4m3", "e2m1"), ("e2m1", "e5m2"), ("e4m3", "e5m2"))
]


@pytest.mark.amd("gfx950")
@pytest.mark.parametrize(("m", "kind_a", "kind_b"), CASES)
def test_a_product_of_scaled_factors(amd_gpu: Any, m: int, kind_a: str, kind_b: str) -> None:
    rng, k = np.random.default_rng(1), 128
    (a, wide_a, pack_a), (b, wide_b, pack_b) = (factor(rng, m, k, kind) for kind in (kind_a, kind_b))
    scales = [rng.integers(122, 132, (m, k // 32)).astype(np.uint8) for _ in range(2)]
    out = np.zeros((m, m), np.float32)
    scaled_product[(1,)](
        np.ascontiguousarray(a), scales[0], np.ascontiguousarray(b.T), scales[1], out, m, k, kind_a, kind_b, pack_a,
        pack_b,
    )  # fmt: skip
    wide = [x * np.repeat(2.0 ** (s.astype(int) - 127), 32, 1) for x, s in zip((wide_a, wide_b), scales, strict=True)]
    assert np.allclose(out, wide[0] @ wide[1].T, rtol=1e-5, atol=1e-3)
    assert any("v_mfma_scale" in i.opcode for kernel, _ in amd_gpu.launches for i in kernel.instructions)
