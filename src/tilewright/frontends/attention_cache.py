"""`append_kv`: append keys and values to a cache, with rotary embedding."""

from __future__ import annotations

from typing import Any

from ..dispatcher import Dispatcher
from ..errors import ProblemError
from ..model.fields import shown
from ..ops.fmha import signature
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.tensors import append_problem_of
from .attention_options import new_result
from .call import Asked, Description, Tensors, Views, public

ROPES = tuple(sorted(set(signature.ROPES) - {"none"}))


@public
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
    """Write `k_new` and `v_new` [batch, rows, heads, hdim] after the `seqlens_k` rows of each sequence.

    The cache is that of `attention_decode`. It is written in place; the caller updates `seqlens_k`. With `cos` and
    `sin` [positions, rotary_dim / 2] new keys are rotated by the angles of their positions, and so are the queries
    `q`, which are returned (in `q_out`, which may be `q` itself). `rope` "half" rotates column i with column i +
    rotary_dim / 2, "interleaved" columns 2i and 2i + 1. With `causal` the queries have the positions of the new keys;
    otherwise all are at the end of the cache.

    >>> import numpy as np
    >>> cache, new = np.zeros((2, 8, 2, 32), np.float32), np.ones((2, 1, 2, 32), np.float32)
    >>> append_kv(cache, cache.copy(), new, new, np.array([3, 5], np.int32))
    >>> cache[:, :, 0, 0].argmax(axis=1).tolist()
    [3, 5]
    """
    if rope not in ROPES:
        raise ProblemError(f"rope is {shown(rope)}; it must be {' or '.join(ROPES)}")
    given = {
        "k": k_cache, "v": v_cache, "k_new": k_new, "v_new": v_new, "seqlens_k": seqlens_k, "page_table": page_table,
        "page_indptr": page_indptr, "q": q, "out": q_out, "cos": cos, "sin": sin,
    }  # fmt: skip
    choices = (rope if cos is not None else "none", causal, max_seqlen_k)
    return Asked(APPEND, given, choices, dispatcher, device, "out")


def _pose(given: Tensors, views: Views, *, rope: str, causal: bool, seqlen_k: int | None) -> FmhaProblem:
    mask = "causal_bottom_right" if causal else "none"
    return append_problem_of(views, family="fwd_appendkv", rope=rope, mask=mask, seqlen_k=seqlen_k)


APPEND = Description("fmha", ("rope", "causal", "seqlen_k"), _pose, new_result)
