"""Nine Triton kernels of the kind that tutorials have, and what each should give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(in_ptr + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


def softmax(rng: Any) -> tuple[Any, Any, float]:
    x = rng.standard_normal((6, 200)).astype(np.float32)
    out = np.zeros_like(x)
    softmax_kernel[(6,)](out, x, 200, BLOCK=256)
    e = np.exp(x - x.max(1, keepdims=True))
    return out, e / e.sum(1, keepdims=True), 1e-5


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w, b = tl.load(w_ptr + at, mask=inside), tl.load(b_ptr + at, mask=inside)
    tl.store(y_ptr + row * n + at, (centred * scale * w + b).to(tl.float16), mask=inside)


def layer_norm(rng: Any) -> tuple[Any, Any, float]:
    x = rng.standard_normal((4, 300)).astype(np.float16)
    w, b = (rng.standard_normal(300).astype(np.float32) for _ in range(2))
    out = np.zeros_like(x)
    layer_norm_kernel[(4,)](x, out, w, b, 300, 1e-5, BLOCK=512)
    wide = x.astype(np.float64)
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * w + b
    return out, want, 1e-2


@triton.jit
def cumsum_kernel(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=1))


def cumsum(rng: Any) -> tuple[Any, Any, float]:
    x = rng.standard_normal((4, 256)).astype(np.float32)
    out = np.zeros_like(x)
    cumsum_kernel[(1,)](x, out, M=4, N=256)
    return out, np.cumsum(x, axis=1, dtype=np.float64), 1e-4


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        depth = start + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rows[:, None] * k + depth[None, :], mask=(rows < m)[:, None] & (depth < k)[None, :], other=0.0
        )
        b = tl.load(
            b_ptr + depth[:, None] * n + columns[None, :], mask=(depth < k)[:, None] & (columns < n)[None, :], other=0.0
        )
        total = tl.dot(a, b, total)
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)


def matmul(rng: Any) -> tuple[Any, Any, float]:
    m, n, k = 72, 88, 100
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    out = np.zeros((m, n), np.float16)
    matmul_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, b, out, m, n, k, BM=32, BN=32, BK=32)
    return out, a.astype(np.float64) @ b.astype(np.float64), 2e-2


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows, dims = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    head = tl.program_id(1) * length * D
    q = tl.load(q_ptr + head + rows[:, None] * D + dims[None, :], mask=(rows < length)[:, None], other=0.0)
    best = tl.full((BM,), -float("inf"), tl.float32)
    weight, total = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        keys = start + tl.arange(0, BN)
        here = (keys < length)[:, None]
        k = tl.load(k_ptr + head + keys[:, None] * D + dims[None, :], mask=here, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where((keys[None, :] <= rows[:, None]) & (keys < length)[None, :], s, -float("inf"))
        top = tl.maximum(best, tl.max(s, 1))
        p = tl.exp(s - top[:, None])
        fade = tl.exp(best - top)
        v = tl.load(v_ptr + head + keys[:, None] * D + dims[None, :], mask=here, other=0.0)
        weight = weight * fade + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), v, total * fade[:, None])
        best = top
    out = (total / weight[:, None]).to(tl.float16)
    tl.store(o_ptr + head + rows[:, None] * D + dims[None, :], out, mask=(rows < length)[:, None])


def attention(rng: Any) -> tuple[Any, Any, float]:
    q, k, v = (rng.standard_normal((2, 80, 32)).astype(np.float16) for _ in range(3))
    out = np.zeros_like(q)
    attention_kernel[(triton.cdiv(80, 32), 2)](q, k, v, out, 80, 32**-0.5, D=32, BM=32, BN=32)
    wide = [x.astype(np.float64) for x in (q, k, v)]
    scores = np.where(np.tri(80, dtype=bool), wide[0] @ wide[1].transpose(0, 2, 1) * 32**-0.5, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return out, p / p.sum(-1, keepdims=True) @ wide[2], 1e-2


@triton.jit
def dropout_kernel(x_ptr, y_ptr, kept_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    kept = tl.rand(seed, at) > p
    tl.store(y_ptr + at, tl.where(kept, x / (1 - p), 0.0), mask=at < n)
    tl.store(kept_ptr + at, kept.to(tl.int8), mask=at < n)


def dropout(rng: Any) -> tuple[Any, Any, float]:
    x = rng.standard_normal(1000).astype(np.float32)
    out, kept = np.zeros_like(x), np.full(1000, 7, np.int8)
    dropout_kernel[(triton.cdiv(1000, 256),)](x, out, kept, 1000, 0.25, 123, BLOCK=256)
    assert 0.68 < kept.mean() < 0.82
    assert set(np.unique(kept)) == {0, 1}
    return out, np.where(kept == 1, x / 0.75, 0), 1e-6


@triton.jit
def sort_kernel(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + at, tl.sort(tl.load(x_ptr + at)))


def sort(rng: Any) -> tuple[Any, Any, float]:
    x = rng.standard_normal((3, 128)).astype(np.float32)
    out = np.zeros_like(x)
    sort_kernel[(3,)](x, out, N=128)
    return out, np.sort(x, axis=1), 0.0


@triton.jit
def histogram_kernel(x_ptr, y_ptr, N: tl.constexpr, BINS: tl.constexpr):
    counts = tl.histogram(tl.load(x_ptr + tl.arange(0, N)), BINS)
    tl.store(y_ptr + tl.arange(0, BINS), counts)


def histogram(rng: Any) -> tuple[Any, Any, float]:
    x = rng.integers(0, 64, 512).astype(np.int32)
    out = np.zeros(64, np.int32)
    histogram_kernel[(1,)](x, out, N=512, BINS=64)
    return out, np.bincount(x, minlength=64), 0.0


@triton.jit
def atomics_kernel(x_ptr, total_ptr, most_ptr, locked_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(total_ptr, tl.sum(x, axis=0))
    tl.atomic_max(most_ptr, tl.max(x, axis=0))
    tl.atomic_add(locked_ptr + at % 8, x, mask=at < n)


def atomics(rng: Any) -> tuple[Any, Any, float]:
    x = rng.integers(0, 1000, 700).astype(np.int32)
    total, most, parts = (np.zeros(n, np.int32) for n in (1, 1, 8))
    atomics_kernel[(triton.cdiv(700, 256),)](x, total, most, parts, 700, BLOCK=256)
    want = np.concatenate([[x.sum(), x.max()], [x[i::8].sum() for i in range(8)]])
    return np.concatenate([total, most, parts]), want, 0.0


KERNELS: dict[str, Callable[[Any], tuple[Any, Any, float]]] = {
    f.__name__: f
    for f in (softmax, layer_norm, cumsum, matmul, attention, dropout, sort, histogram, atomics)
}  # fmt: skip
