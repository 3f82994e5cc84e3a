"""What must hold of attention whatever the sizes, through the public calls on the default backend of this machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw

HDIM = 32  # one signature, and few rows: sizes vary, but few kernels are built
CLOSE = {"rtol": 2e-5, "atol": 2e-6}
sizes = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 3),
        "rows": st.integers(1, 7),
        "keys": st.integers(1, 210),
        "kv_heads": st.integers(1, 3),
        "group": st.integers(1, 2),
        "seed": st.integers(0, 2**16),
    }
)
few = settings(max_examples=20, deadline=None)


def draw(rng: np.random.Generator, *shape: int) -> Any:
    return rng.standard_normal(shape, dtype=np.float32)


def made(n: dict[str, int]) -> tuple[Any, Any, Any, np.random.Generator]:
    rng = np.random.default_rng(n["seed"])
    q = draw(rng, n["batch"], n["rows"], n["kv_heads"] * n["group"], HDIM)
    k, v = (draw(rng, n["batch"], n["keys"], n["kv_heads"], HDIM) for _ in range(2))
    return q, k, v, rng


@few
@given(sizes)
def test_heads_may_be_permuted(n: dict[str, int]) -> None:
    q, k, v, rng = made(n)
    order = rng.permutation(n["kv_heads"])
    heads = (order[:, None] * n["group"] + np.arange(n["group"])).reshape(-1)
    out = tw.attention(q, k, v, causal=True)
    turned = [np.ascontiguousarray(x) for x in (q[:, :, heads], k[:, :, order], v[:, :, order])]
    np.testing.assert_allclose(tw.attention(*turned, causal=True), out[:, :, heads], **CLOSE)


@few
@given(sizes, st.integers(1, 128))
def test_splits_do_not_change_the_answer(n: dict[str, int], splits: int) -> None:
    q, k, v, rng = made(n)
    lengths = rng.integers(1, n["keys"] + 1, n["batch"]).astype(np.int32)
    one = tw.attention_decode(q, k, v, lengths, num_splits=1, return_lse=True)
    many = tw.attention_decode(q, k, v, lengths, num_splits=splits, return_lse=True)
    for a, b in zip(one, many, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)


@few
@given(sizes, st.sampled_from([3, 16]), st.booleans())
def test_pages_are_a_contiguous_cache_in_another_order(n: dict[str, int], page: int, sglang: bool) -> None:
    q, k, v, rng = made(n)
    lengths = rng.integers(1, n["keys"] + 1, n["batch"]).astype(np.int32)
    want = tw.attention_decode(q, k, v, lengths)
    tables = paged(k, v, lengths, page, rng, sglang)
    np.testing.assert_allclose(tw.attention_decode(q, **tables), want, **CLOSE)


def paged(k: Any, v: Any, lengths: Any, page: int, rng: np.random.Generator, sglang: bool) -> dict[str, Any]:
    """The cache cut into pages, shuffled, and the tables that find them."""
    batch, keys = k.shape[:2]
    each = -(-keys // page)
    table = rng.permutation(batch * each).astype(np.int32).reshape(batch, each)
    pages = [np.full((batch * each, page, *x.shape[2:]), np.nan, np.float32) for x in (k, v)]
    for x, to in zip((k, v), pages, strict=True):
        for b in range(batch):
            for j in range(lengths[b]):
                to[table[b, j // page], j % page] = x[b, j]
    found = {"k_cache": pages[0], "v_cache": pages[1]}
    if not sglang:
        return {**found, "seqlens_k": lengths, "page_table": table}
    used = -(-lengths // page)
    ends = np.concatenate([[0], np.cumsum(used)]).astype(np.int32)
    listed = np.zeros(batch * each, np.int32)
    listed[: ends[-1]] = np.concatenate([table[b, : used[b]] for b in range(batch)])
    last = (lengths - (used - 1) * page).astype(np.int32)
    return {**found, "page_table": listed, "page_indptr": ends, "last_page_lens": last, "max_seqlen_k": each * page}


@few
@given(sizes, st.integers(1, 5), st.sampled_from([0, 7]))
def test_appending_then_attending_is_attending_the_concatenation(n: dict[str, int], new: int, page: int) -> None:
    q, k, v, rng = made(n)
    old = rng.integers(0, n["keys"] + 1, n["batch"]).astype(np.int32)
    k_new, v_new = (draw(rng, n["batch"], new, n["kv_heads"], HDIM) for _ in range(2))
    room = [np.concatenate([x, np.full_like(y, np.nan)], axis=1) for x, y in ((k, k_new), (v, v_new))]
    cache: dict[str, Any] = {"k_cache": room[0], "v_cache": room[1], "seqlens_k": old}
    if page:
        cache = paged(*room, old, page, rng, sglang=False)
    tw.append_kv(**cache, k_new=k_new, v_new=v_new)
    got = tw.attention_decode(q, **{**cache, "seqlens_k": old + new}, causal=False)
    for b in range(n["batch"]):
        joined = [np.concatenate([x[b, : old[b]], y[b]])[None] for x, y in ((k, k_new), (v, v_new))]
        np.testing.assert_allclose(got[b : b + 1], tw.attention(q[b : b + 1], *joined), **CLOSE)


@few
@given(sizes)
def test_a_ragged_batch_is_each_sequence_alone(n: dict[str, int]) -> None:
    _, _, _, rng = made(n)
    rows, keys = (rng.integers(0, n[r] + 1, n["batch"]) for r in ("rows", "keys"))
    ends = [np.concatenate([[0], np.cumsum(x)]).astype(np.int32) for x in (rows, keys)]
    q = draw(rng, int(ends[0][-1]), n["kv_heads"] * n["group"], HDIM)
    k, v = (draw(rng, int(ends[1][-1]), n["kv_heads"], HDIM) for _ in range(2))
    longest = int(max(rows.max(), 1)), int(max(keys.max(), 1))
    if ends[0][-1] < longest[0] or ends[1][-1] < longest[1]:
        return  # totals below the longest length are refused: no sequence has one
    out = tw.attention_varlen(q, k, v, *ends, *longest, causal=True)
    for b in range(n["batch"]):
        mine, seen = slice(*ends[0][b : b + 2]), slice(*ends[1][b : b + 2])
        if rows[b] and keys[b]:
            alone = tw.attention(q[None, mine], k[None, seen], v[None, seen], causal=True)[0]
            np.testing.assert_allclose(out[mine], alone, **CLOSE)
        elif rows[b]:
            assert not out[mine].any()  # rows that see nothing


def test_gradients_follow_the_forward_pass_along_a_random_direction() -> None:
    """Forward and backward pass drop the same weights for a seed, so differences of one are the other."""
    rng = np.random.default_rng(5)
    q, k, v = (draw(rng, 1, 30, h, HDIM) for h in (4, 2, 2))
    options: dict[str, Any] = {"dropout": 0.3, "rng": (7, 8, 9), "soft_cap": 5.0, "causal": True, "align": "top_left"}
    dout = draw(rng, 1, 30, 4, HDIM)
    out, lse = tw.attention(q, k, v, return_lse=True, **options)
    gradients = tw.attention_backward(dout, q, k, v, out, lse, **options)
    step = 1e-2
    for at, gradient in enumerate(gradients):
        direction = draw(rng, *(q, k, v)[at].shape)
        ends = []
        for sign in (step, -step):
            moved = [q, k, v]
            moved[at] = moved[at] + sign * direction
            moved_out, _ = tw.attention(*moved, return_lse=True, **options)
            ends.append(float(np.sum(dout.astype(np.float64) * moved_out)))
        got = float(np.sum(gradient.astype(np.float64) * direction))
        np.testing.assert_allclose(got, (ends[0] - ends[1]) / (2 * step), rtol=2e-3, atol=0.05)
