"""`attention`, `attention_varlen`, `attention_prefill`, `attention_decode`: one call on tensors of any library."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import TensorError
from ..model.fields import shown
from ..model.summation import asked_summation
from ..ops.fmha.problem import FmhaProblem
from .attention_options import bias_of, masking, new_result, posed, seed_tensor, view_in_order
from .call import Asked, Description, Tensors, Views, hashable, public
from .call_template import Place, Places


@public
def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    out: Any = None,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    align: str = "bottom_right",
    sink_tokens: int = 0,
    bias: Any = None,
    alibi_slopes: Any = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    return_lse: bool = False,
    seqlens_k: Any = None,
    scales: Sequence[Any] | None = None,
    layout: str = "bshd",
    invariant: bool = False,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return softmax(scale * q k^T + bias) v; with `return_lse` also the log of the sum of exponentials of each row.

    `q` is [batch, seqlen, heads, hdim] (or [batch, heads, seqlen, hdim] with layout "bhsd"), NumPy, torch or DLPack;
    `k` and `v` may have fewer heads. With `causal` a row sees the keys up to its own. A `window` (left, right) bounds
    how far it sees; -1 is unbounded. If there are more keys than rows, the last row is at the last key; with `align`
    "top_left" the first row is at the first key. The first `sink_tokens` keys stay visible.

    `bias` is [batch or 1, heads or 1, rows, keys], `alibi_slopes` [heads] or [batch, heads] (fp32). `seqlens_k` (int32)
    is the number of keys of each sequence. Dropout needs `rng`, the seed of its mask: two words of key and an offset;
    change one of them in each training step. `scales` are the factors of 8-bit q, k and v (fp32): one each, or [batch,
    heads, blocks of rows], where all blocks have the same number of rows. With `invariant` the bits of a row depend on
    its own sequence only: not on other sequences, nor on how many rows are computed with it. `dispatcher` and `device`
    are those of `gemm`.

    >>> import numpy as np
    >>> q = np.ones((1, 2, 4, 32), np.float32)
    >>> attention(q, q[:, :, :2], q[:, :, :2], causal=True).shape
    (1, 2, 4, 32)
    """
    given = _given(q, k, v, out, bias_of(bias, alibi_slopes), seqlens_k, seed_tensor(dropout, rng, q))
    if scales is not None:
        given["scale_q"], given["scale_k"], given["scale_v"] = _three(scales)
    choices = ("fwd", causal, hashable(window), align, sink_tokens, alibi_slopes is not None, scale, soft_cap, dropout,
               return_lse, layout, None, None, None, invariant)  # fmt: skip
    return _attend(given, choices, return_lse, dispatcher, device)


@public
def attention_varlen(
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: int,
    max_seqlen_k: int,
    *,
    out: Any = None,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    align: str = "bottom_right",
    sink_tokens: int = 0,
    bias: Any = None,
    alibi_slopes: Any = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    return_lse: bool = False,
    invariant: bool = False,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the attention of packed sequences: `q` is [total, heads, hdim], and sequence i has the rows from
    cu_seqlens[i] to cu_seqlens[i + 1] (int32). The LSE is [heads, total].

    >>> import numpy as np
    >>> q, ends = np.ones((5, 2, 32), np.float32), np.array([0, 2, 5], np.int32)
    >>> attention_varlen(q, q, q, ends, ends, 3, 3).shape
    (5, 2, 32)
    """
    given = _given(q, k, v, out, bias_of(bias, alibi_slopes), None, seed_tensor(dropout, rng, q))
    given["cu_seqlens_q"], given["cu_seqlens_k"] = cu_seqlens_q, cu_seqlens_k
    choices = ("fwd", causal, hashable(window), align, sink_tokens, alibi_slopes is not None, scale, soft_cap, dropout,
               return_lse, "bshd", max_seqlen_q, max_seqlen_k, None, invariant)  # fmt: skip
    return _attend(given, choices, return_lse, dispatcher, device)


@public
def attention_prefill(
    q: Any,
    k_cache: Any,
    v_cache: Any,
    cu_seqlens_q: Any,
    max_seqlen_q: int,
    seqlens_k: Any = None,
    *,
    page_table: Any,
    page_indptr: Any = None,
    last_page_lens: Any = None,
    max_seqlen_k: int | None = None,
    out: Any = None,
    causal: bool = True,
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    return_lse: bool = False,
    invariant: bool = False,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the attention of prompts of several lengths over paged caches; `q` is that of `attention_varlen`.

    The pages, whose size is a power of two, and `seqlens_k` are those of `attention_decode`: the keys of the new rows
    are already in the cache (`append_kv`), after those of a prefix that was computed before.

    >>> import numpy as np
    >>> q, cache = np.ones((5, 4, 32), np.float32), np.ones((3, 8, 2, 32), np.float32)
    >>> ends, keys, pages = (np.array(x, np.int32) for x in ([0, 2, 5], [2, 11], [[1, 0], [0, 2]]))
    >>> attention_prefill(q, cache, cache, ends, 3, keys, page_table=pages).shape
    (5, 4, 32)
    """
    given = _given(q, k_cache, v_cache, out, None, seqlens_k, None)
    given["cu_seqlens_q"], given["cu_seqlens_k"] = cu_seqlens_q, None
    given["page_table"], given["page_indptr"], given["last_page_lens"] = page_table, page_indptr, last_page_lens
    choices = ("batch_prefill", causal, hashable(window), "bottom_right", sink_tokens, False, scale, soft_cap, 0.0,
               return_lse, "bshd", max_seqlen_q, max_seqlen_k, None, invariant)  # fmt: skip
    return _attend(given, choices, return_lse, dispatcher, device)


@public
def attention_decode(
    q: Any,
    k_cache: Any,
    v_cache: Any,
    seqlens_k: Any = None,
    *,
    page_table: Any = None,
    page_indptr: Any = None,
    last_page_lens: Any = None,
    max_seqlen_k: int | None = None,
    out: Any = None,
    causal: bool = True,
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    num_splits: int | None = None,
    return_lse: bool = False,
    invariant: bool = False,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the attention of the newest rows `q` [batch, rows, heads, hdim] over a cache of keys and values.

    The cache is [batch, capacity, heads, hdim], or pages [pages, page size, heads, hdim]. `seqlens_k` (int32) is the
    number of keys of each sequence, including those of `q`. A `page_table` [batch, pages of the longest sequence]
    (int32) names the pages as in vLLM. As in SGLang, it may also be one list [pages]: sequence i has the pages from
    page_indptr[i] on and fills last_page_lens[i] slots of its last page; `max_seqlen_k` then bounds the lengths. A list
    that is longer than needed keeps its shape from call to call, so that later calls are already prepared. If
    `num_splits` is None, tilewright chooses the number of splits of the keys. With `invariant` the bits of a row depend
    only on its own sequence and the number of its new rows.

    >>> import numpy as np
    >>> q, cache = np.ones((2, 1, 4, 32), np.float32), np.ones((2, 8, 2, 32), np.float32)
    >>> attention_decode(q, cache, cache, np.array([3, 8], np.int32)).shape
    (2, 1, 4, 32)
    """
    given = _given(q, k_cache, v_cache, out, None, seqlens_k, None)
    given["page_table"], given["page_indptr"], given["last_page_lens"] = page_table, page_indptr, last_page_lens
    choices = (DECODE, causal, hashable(window), "bottom_right", sink_tokens, False, scale, soft_cap, 0.0,
               return_lse, "bshd", None, max_seqlen_k, num_splits, invariant)  # fmt: skip
    return _attend(given, choices, return_lse, dispatcher, device)


def _given(q: Any, k: Any, v: Any, out: Any, bias: Any, seqlens_k: Any, rng: Any) -> Tensors:
    """Return the tensors that every forward call may have; the others come after them."""
    return {"q": q, "k": k, "v": v, "out": out, "lse": None, "bias": bias, "seqlens_k": seqlens_k, "rng": rng}


def _three(scales: Any) -> Sequence[Any]:
    if not isinstance(scales, (tuple, list)) or len(scales) != 3:
        raise TensorError(f"scales is {shown(scales)}; it must be three tensors: those of q, k and v")
    return scales


def _attend(given: Tensors, choices: tuple[Any, ...], return_lse: Any, dispatcher: Any, device: Any) -> Asked:
    return Asked(ATTENTION, given, choices, dispatcher, device, ("out", "lse") if return_lse else "out")


def _pose(
    given: Tensors, views: Views, *, causal: bool, window: Any, align: str, sink_tokens: int, alibi: bool,
    invariant: bool, **fields: Any,
) -> FmhaProblem:  # fmt: skip
    fields |= masking(causal, window, align, sink_tokens)
    fields["summation"] = asked_summation(invariant)
    if fields["family"] == "fwd" and fields["layout"] == "bshd":
        _warn_of_layout(views)
    paged = "page_table" in views
    if fields["family"] == DECODE:
        v = views.get("v")
        whole = v is not None and len(v.shape) > 0 and v.shape[-1] % 32 == 0  # the combine step has tiles of 32 columns
        splits = fields["num_splits"] is not None or whole
        fields["family"] = "fwd_splitkv" if splits else "fwd_pagedkv" if paged else "fwd"
    if paged and not fields["seqlen_k"] and "k" in views:
        fields["seqlen_k"] = _capacity(views)
    return posed(given, views, fields)


def _warn_of_layout(views: Views) -> None:
    """Warn, once, if the heads of q and k outnumber their rows so far that they must be [batch, heads, rows, hdim]."""
    shapes = [views[role].shape for role in ("q", "k") if role in views]
    if all(len(shape) == 4 and shape[2] >= MANY_HEADS and shape[2] > 2 * shape[1] for shape in shapes):
        warnings.warn(
            "q and k are read as [batch, rows, heads, hdim] and have many more heads than rows. Fix: if they are "
            '[batch, heads, rows, hdim], as in torch, pass layout="bhsd".',
            stacklevel=2,
        )


def _capacity(views: Views) -> int:
    """Return how many keys a row of the page table can name."""
    pages, cache = views["page_table"].shape, views["k"].shape
    if not pages or len(cache) < 2:
        raise TensorError(
            f"page_table has shape {pages}, k_cache {cache}",
            remedy="give a table of pages, and pages [pages, page size, heads, hdim]",
        )
    return int(pages[-1] * cache[1])


MANY_HEADS = 128  # more than models have, so that many rows are likely
DECODE = "decode"  # split or not, as the sizes allow
CHOICES = (
    "family", "causal", "window", "align", "sink_tokens", "alibi", "scale", "soft_cap", "dropout", "lse", "layout",
    "seqlen_q", "seqlen_k", "num_splits", "invariant",
)  # fmt: skip


def places(choices: Mapping[str, Any]) -> Places:
    """Return where rows and keys are found in batches of sequences of equal length."""
    if choices["family"] != "fwd" or choices["seqlen_q"] is not None:
        return {}
    dim = 2 if choices["layout"] == "bhsd" else 1
    rows, keys = Place(dim, 1, "seqlen_q"), Place(dim, 1, "seqlen_k")
    return {"q": rows, "out": rows, "k": keys, "v": keys}


ATTENTION = Description("fmha", CHOICES, _pose, new_result, view_in_order, places=places)
