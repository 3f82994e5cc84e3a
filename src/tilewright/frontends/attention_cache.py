"""`append_kv`: new keys and values into a cache, with rotary embedding."""

from __future__ import annotations

from typing import Any

from ..dispatcher import Dispatcher
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.tensors import append_problem_of
from .attention_options import new_result
from .call import Description, Tensors, Views, run


def append_kv(
    k_cache: Any,
    v_cache: Any,
    k_new: Any,
    v_new: Any,
    seqlens_k: Any,
    *,
    page_table: Any = None,
    page_indptr: Any = None,
    max_seqlen_k: int | None = None,
    q: Any = None,
    q_out: Any = None,
    cos: Any = None,
    sin: Any = None,
    rope: str = "half",
    causal: bool = True,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Write `k_new` and `v_new` [batch, rows, heads, hdim] behind the `seqlens_k` rows that each sequence has.

    The cache is that of `attention_decode`; it is written in place, and `seqlens_k` is left to the caller. With `cos`
    and `sin` [positions, rotary_dim / 2] new keys are turned by the angles of their positions, and so are the queries
    `q`, which are given back (in `q_out`, which may be `q` itself): `rope` "half" turns column i with column
    i + rotary_dim / 2, "interleaved" columns 2i and 2i + 1. With `causal` the queries stand where the new keys do, else
    all of them where the cache ended.

    >>> import numpy as np
    >>> cache, new = np.zeros((2, 8, 2, 32), np.float32), np.ones((2, 1, 2, 32), np.float32)
    >>> append_kv(cache, cache.copy(), new, new, np.array([3, 5], np.int32))
    >>> cache[:, :, 0, 0].argmax(axis=1).tolist()
    [3, 5]
    """
    given = {
        "k": k_cache, "v": v_cache, "k_new": k_new, "v_new": v_new, "seqlens_k": seqlens_k, "page_table": page_table,
        "page_indptr": page_indptr, "q": q, "out": q_out, "cos": cos, "sin": sin,
    }  # fmt: skip
    choices = (rope if cos is not None else "none", causal, max_seqlen_k)
    return run(APPEND, given, choices, dispatcher, device)["out"]


def _pose(given: Tensors, views: Views, *, rope: str, causal: bool, seqlen_k: int | None) -> FmhaProblem:
    mask = "causal_bottom_right" if causal else "none"
    return append_problem_of(views, family="fwd_appendkv", rope=rope, mask=mask, seqlen_k=seqlen_k)


APPEND = Description("fmha", ("rope", "causal", "seqlen_k"), _pose, new_result)
