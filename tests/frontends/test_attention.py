"""The attention calls on tensors of NumPy and torch, against the reference and torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import ProblemError, TensorError
from tilewright.jit.arrays import view_of
from tilewright.ops.fmha.tensors import problem_of

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
    out, lse = tw.attention(*given, causal=True, layout=layout, return_lse=True)
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
    out = tw.attention_varlen(q, q, q, ends, ends, 8, 8, causal=True, align="top_left")
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


@pytest.mark.parametrize("lookup", ["vllm", "sglang"])
def test_prompts_over_paged_caches(lookup: str) -> None:
    rows, keys, page = (3, 7, 1), np.array([3, 19, 24], np.int32), 8  # the second and third prompt have prefixes
    ends = np.concatenate([[0], np.cumsum(rows)]).astype(np.int32)
    q, k, v = draw(sum(rows), 4, 32), draw(3, 24, 2, 32), draw(3, 24, 2, 32)
    table = RNG.permutation(9).astype(np.int32).reshape(3, 3)
    cache = [np.empty((9, page, 2, 32), np.float32) for _ in range(2)]
    for pages, x in zip(cache, (k, v), strict=True):
        pages[table] = x.reshape(3, 3, page, 2, 32)
    if lookup == "vllm":
        where: dict[str, Any] = {"seqlens_k": keys, "page_table": table}
    else:
        counts = -(-keys // page)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        listed = np.concatenate([table[b, :n] for b, n in enumerate(counts)])
        where = {"page_table": listed, "page_indptr": starts, "last_page_lens": keys - (counts - 1) * page}
        where["max_seqlen_k"] = 24
    out, lse = tw.attention_prefill(q, *cache, ends, max(rows), **where, return_lse=True)
    assert lse.shape == (4, sum(rows))
    for b, n in enumerate(keys):
        part = slice(ends[b], ends[b + 1])
        want = plain(q[part], k[b, :n], v[b, :n], causal=True)
        np.testing.assert_allclose(out[part], want, rtol=2e-5, atol=2e-6)


def test_prefill_tells_its_mistakes() -> None:
    cache, ends = draw(2, 6, 2, 32), np.array([0, 4], np.int32)
    table, keys = np.array([[0, 1]], np.int32), np.array([5], np.int32)
    with pytest.raises(ProblemError, match=r"fmha.prefill.*page size 6"):
        tw.attention_prefill(draw(4, 2, 32), cache, cache, ends, 4, keys, page_table=table)
    listed = {"page_table": table[0], "page_indptr": np.array([0, 3], np.int32), "max_seqlen_k": 24}
    fitting = draw(2, 8, 2, 32)
    with pytest.raises(TensorError, match="page_indptr ends with 3; the list page_table has 2 pages"):
        tw.attention_prefill(draw(4, 2, 32), fitting, fitting, ends, 4, last_page_lens=keys, **listed)
    with pytest.raises(TensorError, match="q has shape"):
        tw.attention_prefill(draw(1, 4, 2, 32), cache, cache, ends, 4, keys, page_table=table)


def test_dropout_is_a_function_of_its_seed() -> None:
    q = draw(1, 16, 2, 32)
    outs = [tw.attention(q, q, q, dropout=0.5, rng=seed) for seed in ((1, 2, 3), (1, 2, 3), (1, 2, 4))]
    np.testing.assert_array_equal(outs[0], outs[1])
    assert not np.array_equal(outs[0], outs[2])
    with pytest.raises(ProblemError, match="seed is missing"):
        tw.attention(q, q, q, dropout=0.5)
    with pytest.raises(ProblemError, match="seed is missing"):
        tw.attention_backward(q, q, q, q, q, np.zeros((1, 2, 16), np.float32), dropout=0.5)


def test_a_window_counts_from_the_corner_that_the_mask_names() -> None:
    q, k = draw(1, 8, 2, 32), draw(1, 24, 2, 32)
    first = tw.attention(q, k, k, causal=True, align="top_left", window=(3, 0))
    np.testing.assert_allclose(first, tw.attention(q, k[:, :8], k[:, :8], window=(3, 0)), atol=1e-5)
    assert not np.allclose(first, tw.attention(q, k, k, window=(3, 0)), atol=1e-3)


def test_torch_tensors_in_and_out() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    q, k, v = (torch.randn(1, 4, 20, 32, dtype=torch.bfloat16) for _ in range(3))
    out = tw.attention(q, k, v, causal=True, align="top_left", layout="bhsd")
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), want, rtol=2e-2, atol=2e-2)


def test_mistakes_are_told_together() -> None:
    with pytest.raises(ProblemError, match=r"fmha.heads_divide.*fmha.hdim.*fmha.soft_cap"):
        tw.attention(draw(1, 4, 6, 300), draw(1, 4, 4, 300), draw(1, 4, 4, 300), soft_cap=-1.0)
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


def gradients_of_torch(q: Any, k: Any, v: Any, dout: Any, bias: Any = None) -> tuple[Any, ...]:
    """(out, lse, dq, dk, dv, dbias) in float64 by torch, causal from the top left; [batch, rows, heads, hdim]."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (q, k, v)]
    leaves += [torch.tensor(bias, dtype=torch.float64, requires_grad=True)] if bias is not None else []
    q, k, v = (x.transpose(1, 2) for x in leaves[:3])
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + (leaves[3] if bias is not None else 0.0)
    s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
    out = (torch.softmax(s, -1) @ v).transpose(1, 2)
    found = torch.autograd.grad(out, leaves, torch.tensor(dout, dtype=torch.float64))
    return tuple(x.detach().numpy() for x in (out, torch.logsumexp(s, -1), *found))


@pytest.mark.parametrize("biased", [False, True])
def test_gradients_of_arrays(biased: bool) -> None:
    q, k, v, dout = draw(2, 20, 4, 32), draw(2, 20, 2, 32), draw(2, 20, 2, 32), draw(2, 20, 4, 32)
    bias = draw(1, 4, 20, 20) if biased else None
    out, lse, *want = gradients_of_torch(q, k, v, dout, bias)
    options: dict[str, Any] = {
        "causal": True,
        "align": "top_left",
        "bias": bias,
        "return_dbias": biased,
        "deterministic": True,
    }
    got = tw.attention_backward(dout, q, k, v, out.astype(np.float32), lse.astype(np.float32), **options)
    assert len(got) == (4 if biased else 3)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def test_gradients_of_ragged_sequences_and_torch_tensors() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    q, k, v, dout = (torch.from_numpy(draw(11, 2, 32)) for _ in range(4))
    ends = torch.tensor([0, 3, 11], dtype=torch.int32)
    sizes: dict[str, Any] = {"cu_seqlens_q": ends, "cu_seqlens_k": ends, "max_seqlen_q": 8, "max_seqlen_k": 8}
    out, lse = tw.attention_varlen(q, k, v, ends, ends, 8, 8, causal=True, align="top_left", return_lse=True)
    got = tw.attention_backward(dout, q, k, v, out, lse, causal=True, align="top_left", **sizes)
    for a, b in ((0, 3), (3, 11)):
        want = gradients_of_torch(*(x[None, a:b].numpy() for x in (q, k, v, dout)))[2:]
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(mine[a:b], theirs[0], rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("rope", ["half", "interleaved"])
@pytest.mark.parametrize("paged", [False, True])
def test_appending_turns_keys_and_queries(rope: str, paged: bool) -> None:
    """Products of turned rows depend on their distance only: the newest row meets itself as if it was not turned."""
    new, old = draw(2, 1, 2, 32), np.array([5, 9], np.int32)
    angles = np.outer(np.arange(16), 100.0 ** -(np.arange(8) / 8)).astype(np.float32)
    cache = [np.zeros((4, 8, 2, 32) if paged else (2, 16, 2, 32), np.float32) for _ in range(2)]
    table = np.array([[3, 0], [1, 2]], np.int32) if paged else None
    before = new.copy()
    turned = tw.append_kv(
        *cache, new, new, old, q=new, cos=np.cos(angles), sin=np.sin(angles), rope=rope, page_table=table
    )
    np.testing.assert_array_equal(new, before)
    flat = [x[table].reshape(2, 16, 2, 32) if paged else x for x in cache]
    for b, at in enumerate(old):
        np.testing.assert_array_equal(flat[1][b, at], new[b, 0])
        np.testing.assert_allclose((turned[b, 0] * flat[0][b, at]).sum(-1), (new[b, 0] ** 2).sum(-1), rtol=1e-5)
        first = new[b, 0, :, 0] * np.cos(angles[at, 0]) - new[b, 0, :, 8 if rope == "half" else 1] * np.sin(
            angles[at, 0]
        )
        np.testing.assert_allclose(flat[0][b, at, :, 0], first, rtol=1e-5, atol=1e-6)
        assert np.count_nonzero(flat[0][b]) == 64


def test_queries_are_turned_in_place() -> None:
    q, new = draw(1, 1, 2, 32), draw(1, 1, 2, 32)
    cache = [np.zeros((1, 8, 2, 32), np.float32) for _ in range(2)]
    cos, sin = np.zeros((8, 16), np.float32), np.ones((8, 16), np.float32)
    before = q.copy()
    assert tw.append_kv(*cache, new, new, np.array([0], np.int32), q=q, q_out=q, cos=cos, sin=sin) is q
    np.testing.assert_array_equal(q[..., :16], -before[..., 16:])


def test_eight_bit_operands_with_factors() -> None:
    from tilewright.model.dtype import numpy_dtype

    q, k, v = (draw(1, 8, 2, 32) for _ in range(3))
    scales = [np.array([np.abs(x).max() / 448.0], np.float32) for x in (q, k, v)]
    small = [(x / s).astype(numpy_dtype("fp8")) for x, s in zip((q, k, v), scales, strict=True)]
    out = tw.attention(*small, scales=scales)
    exact = [(x.astype(np.float32) * s)[0] for x, s in zip(small, scales, strict=True)]
    np.testing.assert_allclose(out[0].astype(np.float32), plain(*exact), rtol=1e-2, atol=1e-2)
    blocks = [np.repeat(s, 2 * 2).reshape(1, 2, 2) for s in scales]  # two blocks of four rows, two heads
    np.testing.assert_array_equal(tw.attention(*small, scales=blocks), out)


@pytest.mark.parametrize(("rows", "count"), [(385, 4), (7, 2), (4, 8), (385, 1), (8, 2), (384, 3), (4, 4)])
@pytest.mark.parametrize("role", ["scale_q", "scale_k"])
def test_factors_of_blocks_that_are_not_of_equal_size_are_refused(rows: int, count: int, role: str) -> None:
    """The number of factors does not say how long the blocks are: 385 rows in blocks of 128 have 4 factors."""
    sizes = {"q": 4, "k": 4, "v": 4}
    sizes |= {"q": rows} if role == "scale_q" else {"k": rows, "v": rows}
    given = {r: np.zeros((1, n, 2, 32), np.float32) for r, n in sizes.items()}
    given |= {
        f"scale_{r}": np.ones((1, 2, count if (r == "q") == (role == "scale_q") else 1), np.float32) for r in "qkv"
    }
    views = {r: view_of(x, r) for r, x in given.items()}
    views |= {r: replace(views[r], dtype="fp8") for r in "qkv"}
    if rows % count:
        with pytest.raises(TensorError, match=f"{role} has {count} factors for {rows} rows.*block_q and block_k"):
            problem_of(views)
    else:
        problem = problem_of(views)
        assert rows == count * (problem.block_q if role == "scale_q" else problem.block_k)


def test_a_repeated_call_is_prepared_and_still_checked() -> None:
    q, cache = draw(2, 1, 4, 32), draw(2, 8, 2, 32)
    lengths = np.array([3, 8], np.int32)
    first = tw.attention_decode(q, cache, cache, lengths)
    kept = len(tw.default_dispatcher().calls)
    np.testing.assert_array_equal(tw.attention_decode(q, cache, cache, lengths), first)
    assert len(tw.default_dispatcher().calls) == kept
    with pytest.raises(TensorError, match=r"seqlens_k\[1\] is 9; it must be between 0 and 8"):
        tw.attention_decode(q, cache, cache, np.array([3, 9], np.int32))
    fresh = np.empty_like(q)
    assert tw.attention_decode(q, cache, cache, lengths, out=fresh) is fresh
    with pytest.raises(TensorError, match="out overlaps q in memory"):
        tw.attention_decode(q, cache, cache, lengths, out=q)


BAD_APPEND: list[tuple[dict[str, Any], str]] = [
    ({"cos": np.ones((8, 16), np.float32)}, "cos and sin belong together.*without q"),
    ({"q": draw(1, 1, 2, 32)}, "q without cos and sin"),
    ({"k_new": draw(1, 2, 32)}, "k_new has shape"),
    ({"seqlens_k": np.array([8], np.int32)}, r"seqlens_k\[0\] is 8; it must be between 0 and 7"),
    ({"page_table": np.array([[5]], np.int32)}, "names page 5 at 0; pages are 0 to 0"),
    ({"v_new": draw(1, 1, 3, 32)}, "v_new has shape"),
]


@pytest.mark.parametrize(("changed", "told"), BAD_APPEND)
def test_appending_checks_its_tensors(changed: dict[str, Any], told: str) -> None:
    given = {"k_cache": draw(1, 8, 2, 32), "v_cache": draw(1, 8, 2, 32), "k_new": draw(1, 1, 2, 32)}
    given |= {"v_new": draw(1, 1, 2, 32), "seqlens_k": np.array([2], np.int32)}
    with pytest.raises(TensorError, match=told):
        tw.append_kv(**{**given, **changed})


@pytest.mark.parametrize("turns", [False, True])
def test_appending_checks_the_name_of_its_rotation(turns: bool) -> None:
    new, angles = draw(1, 1, 2, 32), np.ones((8, 16), np.float32)
    given: dict[str, Any] = {"q": new, "cos": angles, "sin": angles} if turns else {}
    with pytest.raises(ProblemError, match="rope is 'nonsense'; it must be half or interleaved"):
        tw.append_kv(draw(1, 8, 2, 32), draw(1, 8, 2, 32), new, new, np.array([2], np.int32), rope="nonsense", **given)


def test_backward_without_lse_is_told_beside_every_other_mistake() -> None:
    q, k = draw(9, 6, 300), draw(9, 4, 300)
    falls = np.array([0, 5, 4, 9], np.int32)
    sizes: dict[str, Any] = {"cu_seqlens_q": falls, "cu_seqlens_k": falls, "max_seqlen_q": 5, "max_seqlen_k": 5}
    told = r"fmha.heads_divide.*fmha.hdim.*fmha.soft_cap.*fmha.bwd_lse.*cu_seqlens_q falls.*cu_seqlens_k falls"
    with pytest.raises(ProblemError, match=told):
        tw.attention_backward(q, q, k, k, q, None, soft_cap=-2.0, **sizes)


def test_too_many_splits_are_refused() -> None:
    cache = draw(1, 8, 2, 32)
    with pytest.raises(ProblemError, match="129 splits; the combine step takes 1 to 128"):
        tw.attention_decode(draw(1, 1, 2, 32), cache, cache, np.array([3], np.int32), num_splits=129)
