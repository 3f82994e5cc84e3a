"""`attention`, `attention_varlen`, `attention_decode`: tensors of NumPy and torch, against the reference and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import ProblemError, TensorError

RNG = np.random.default_rng(0)


def draw(*shape: int) -> Any:
    return RNG.standard_normal(shape, dtype=np.float32)


def plain(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    """Attention of [rows, heads, hdim] in float64, key heads repeated."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, group, axis=1).astype(np.float64) for x in (k, v))
    s = np.einsum("qhd,khd->hqk", q.astype(np.float64), k) / np.sqrt(q.shape[-1])
    if causal:
        s[:, np.arange(len(q))[:, None] + len(k) - len(q) < np.arange(len(k))] = -np.inf
    p = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", p / p.sum(-1, keepdims=True), v)


@pytest.mark.parametrize("layout", ["bshd", "bhsd"])
def test_attention_of_arrays(layout: str) -> None:
    q, k, v = draw(2, 10, 4, 32), draw(2, 12, 2, 32), draw(2, 12, 2, 64)
    given = [x if layout == "bshd" else np.ascontiguousarray(x.transpose(0, 2, 1, 3)) for x in (q, k, v)]
    out, lse = tw.attention(*given, mask="causal_bottom_right", layout=layout, return_lse=True)
    out = out if layout == "bshd" else out.transpose(0, 2, 1, 3)
    assert lse.shape == (2, 4, 10)
    for b in range(2):
        np.testing.assert_allclose(out[b], plain(q[b], k[b], v[b], causal=True), rtol=2e-5, atol=2e-6)


def test_out_is_written_and_given_back() -> None:
    q, out = draw(1, 5, 2, 32), np.empty((1, 5, 2, 32), np.float32)
    assert tw.attention(q, q, q, out=out) is out
    np.testing.assert_allclose(out[0], plain(q[0], q[0], q[0]), rtol=2e-5, atol=2e-6)


def test_varlen_is_each_sequence_alone() -> None:
    q, ends = draw(11, 4, 32), np.array([0, 3, 3, 11], np.int32)
    out = tw.attention_varlen(q, q, q, ends, ends, 8, 8, mask="causal_top_left")
    for a, b in ((0, 3), (3, 11)):
        np.testing.assert_allclose(out[a:b], plain(q[a:b], q[a:b], q[a:b], causal=True), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("paged", [False, True])
def test_decode_over_a_cache(paged: bool) -> None:
    q, k, v = draw(2, 1, 8, 32), draw(2, 24, 2, 32), draw(2, 24, 2, 32)
    lengths, table = np.array([5, 24], np.int32), None
    cache = [k, v]
    if paged:
        table = np.array([[4, 1, 0], [2, 5, 3]], np.int32)
        cache = [np.empty((6, 8, 2, 32), np.float32) for _ in range(2)]
        for pages, x in zip(cache, (k, v), strict=True):
            pages[table] = x.reshape(2, 3, 8, 2, 32)
    out = tw.attention_decode(q, *cache, lengths, page_table=table)
    for b, n in enumerate(lengths):
        np.testing.assert_allclose(out[b], plain(q[b], k[b, :n], v[b, :n]), rtol=2e-5, atol=2e-6)


def test_dropout_is_a_function_of_its_seed() -> None:
    q = draw(1, 16, 2, 32)
    outs = [tw.attention(q, q, q, dropout=0.5, rng=seed) for seed in ((1, 2, 3), (1, 2, 3), (1, 2, 4))]
    np.testing.assert_array_equal(outs[0], outs[1])
    assert not np.array_equal(outs[0], outs[2])


def test_torch_tensors_in_and_out() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    q, k, v = (torch.randn(1, 4, 20, 32, dtype=torch.bfloat16) for _ in range(3))
    out = tw.attention(q, k, v, mask="causal_top_left", layout="bhsd")
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), want, rtol=2e-2, atol=2e-2)


def test_mistakes_are_told_together() -> None:
    with pytest.raises(ProblemError, match=r"fmha.heads_divide.*fmha.hdim.*fmha.soft_cap_bias"):
        tw.attention(draw(1, 4, 6, 20), draw(1, 4, 4, 20), draw(1, 4, 4, 20), soft_cap=1.0, bias=draw(1, 6))
    with pytest.raises(TensorError, match="k has shape"):
        tw.attention(draw(1, 4, 2, 32), draw(4, 2, 32), draw(1, 4, 2, 32))
    q = draw(6, 2, 32)
    bad = np.array([0, 5, 4, 6], np.int32)
    with pytest.raises(TensorError, match="falls from 5 to 4"):
        tw.attention_varlen(q, q, q, bad, bad, 5, 5)
    cache = draw(2, 8, 2, 32)
    table = np.array([[7]], np.int32)
    with pytest.raises(TensorError, match="names page 7"):
        tw.attention_decode(draw(1, 1, 2, 32), cache, cache, np.array([3], np.int32), page_table=table)
