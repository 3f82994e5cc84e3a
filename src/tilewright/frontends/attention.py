"""`attention`, `attention_varlen`, `attention_prefill`, `attention_decode`: one call on tensors of any library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import TensorError
from ..jit.arrays import view_of
from ..model.fields import shown
from ..ops.fmha.tensors import problem_of
from .attention_call import NO_SEED, Options, at_place, masking, run, seed_of


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    out: Any = None,
    mask: str = "none",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    bias: Any = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    return_lse: bool = False,
    seqlens_k: Any = None,
    scales: Sequence[Any] | None = None,
    layout: str = "bshd",
    device: str | None = None,
) -> Any:
    """softmax(scale * q k^T + bias) v; with `return_lse` also the log of the sum of exponentials of each row.

    `q` is [batch, seqlen, heads, hdim] (or [batch, heads, seqlen, hdim] with layout "bhsd"), NumPy, torch or DLPack;
    `k` and `v` may have fewer heads. `mask` is none, causal_top_left or causal_bottom_right; a `window` (left, right)
    replaces it, -1 being unbounded, and counts from the bottom right unless the mask names the top left.
    A `bias` of two dimensions holds ALiBi slopes. `seqlens_k` (int32) ends the keys of each sequence. `rng`, which
    dropout needs, is the seed of its mask: two words of key and an offset, one of them new in each step of a training.
    `scales` are the factors of 8-bit q, k and v (fp32): one each, or [batch, heads, blocks of rows]. `device` is that
    of `gemm`.

    >>> import numpy as np
    >>> q = np.ones((1, 2, 4, 32), np.float32)
    >>> attention(q, q[:, :, :2], q[:, :, :2], mask="causal_bottom_right").shape
    (1, 2, 4, 32)
    """
    given = {"q": q, "k": k, "v": v, "out": out, "bias": bias, "seqlens_k": seqlens_k, **_factors(scales)}
    fields = (
        at_place(device)
        | masking(mask, window, sink_tokens)
        | {"scale": scale, "soft_cap": soft_cap, "dropout": dropout}
    )
    return _attend(given, fields, return_lse, layout, seed_of(dropout, rng))


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
    mask: str = "none",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    bias: Any = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    return_lse: bool = False,
    device: str | None = None,
) -> Any:
    """Attention of sequences that lie one after another: `q` is [total, heads, hdim], and sequence i takes the rows
    from cu_seqlens[i] to cu_seqlens[i + 1] (int32). The LSE is [heads, total].

    >>> import numpy as np
    >>> q, ends = np.ones((5, 2, 32), np.float32), np.array([0, 2, 5], np.int32)
    >>> attention_varlen(q, q, q, ends, ends, 3, 3).shape
    (5, 2, 32)
    """
    offsets = {"cu_seqlens_q": cu_seqlens_q, "cu_seqlens_k": cu_seqlens_k}
    given = {"q": q, "k": k, "v": v, "out": out, "bias": bias, **offsets}
    fields = (
        at_place(device)
        | masking(mask, window, sink_tokens)
        | {"scale": scale, "soft_cap": soft_cap, "dropout": dropout}
    )
    fields |= {"seqlen_q": max_seqlen_q, "seqlen_k": max_seqlen_k}
    return _attend(given, fields, return_lse, "bshd", seed_of(dropout, rng))


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
    mask: str = "causal_bottom_right",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    return_lse: bool = False,
    device: str | None = None,
) -> Any:
    """Attention of prompts of several lengths, `q` [total, heads, hdim] as in `attention_varlen`, over paged caches.

    The pages, whose size is a power of two, and `seqlens_k` are those of `attention_decode`: the keys of the new rows
    are in the cache already (`append_kv`), behind those of a prefix that was computed before.

    >>> import numpy as np
    >>> q, cache = np.ones((5, 4, 32), np.float32), np.ones((3, 8, 2, 32), np.float32)
    >>> ends, keys, pages = (np.array(x, np.int32) for x in ([0, 2, 5], [2, 11], [[1, 0], [0, 2]]))
    >>> attention_prefill(q, cache, cache, ends, 3, keys, page_table=pages).shape
    (5, 4, 32)
    """
    given = {
        "q": q, "k": k_cache, "v": v_cache, "out": out, "cu_seqlens_q": cu_seqlens_q,
        **_cache_lengths(seqlens_k, page_table, page_indptr, last_page_lens),
    }  # fmt: skip
    fields = (
        at_place(device)
        | masking(mask, window, sink_tokens)
        | {"scale": scale, "soft_cap": soft_cap, "family": "batch_prefill"}
    )
    fields |= {"seqlen_q": max_seqlen_q, "seqlen_k": max_seqlen_k or _capacity(page_table, k_cache)}
    return _attend(given, fields, return_lse, "bshd")


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
    mask: str = "causal_bottom_right",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    num_splits: int | None = None,
    return_lse: bool = False,
    device: str | None = None,
) -> Any:
    """Attention of the newest rows `q` [batch, rows, heads, hdim] over a cache of keys and values.

    The cache is [batch, capacity, heads, hdim], or pages [pages, page size, heads, hdim]. `seqlens_k` (int32) says how
    many keys each sequence has, `q`'s own among them. Pages are named by a `page_table` [batch, pages of the longest
    sequence] (int32, as vLLM has it); or, as SGLang has it, by one list `page_table` [pages], where sequence i takes
    those from page_indptr[i] on and fills last_page_lens[i] slots of its last; then `max_seqlen_k` bounds the lengths,
    and a list that is longer than needed lets the next call look like this one, which is then prepared already.
    `num_splits` None lets tilewright choose how often the keys are split.

    >>> import numpy as np
    >>> q, cache = np.ones((2, 1, 4, 32), np.float32), np.ones((2, 8, 2, 32), np.float32)
    >>> attention_decode(q, cache, cache, np.array([3, 8], np.int32)).shape
    (2, 1, 4, 32)
    """
    lengths = _cache_lengths(seqlens_k, page_table, page_indptr, last_page_lens)
    given = {"q": q, "k": k_cache, "v": v_cache, "out": out, **lengths}
    fields = (
        at_place(device)
        | masking(mask, window, sink_tokens)
        | {"scale": scale, "soft_cap": soft_cap, "num_splits": num_splits}
    )
    splits = num_splits is not None or _width(v_cache) % 32 == 0  # the step that combines has tiles of 32 columns
    unsplit = "fwd_pagedkv" if page_table is not None else "fwd"
    fields["family"] = "fwd_splitkv" if splits else unsplit
    if page_table is not None:
        fields["seqlen_k"] = max_seqlen_k or _capacity(page_table, k_cache)
    return _attend(given, fields, return_lse, "bshd")


def _width(v_cache: Any) -> int:
    shape = getattr(v_cache, "shape", None) or view_of(v_cache, "v").shape
    return int(shape[-1]) if len(shape) else 0


def _cache_lengths(seqlens_k: Any, page_table: Any, page_indptr: Any, last_page_lens: Any) -> dict[str, Any]:
    pages = {"page_table": page_table, "page_indptr": page_indptr, "last_page_lens": last_page_lens}
    return {"seqlens_k": seqlens_k, **pages}


def _capacity(page_table: Any, k_cache: Any) -> int:
    """How many keys a row of the page table can name."""
    pages, cache = view_of(page_table, "page_table"), view_of(k_cache, "k")
    if not pages.shape or len(cache.shape) < 2:
        raise TensorError(
            f"page_table has shape {pages.shape}, k_cache {cache.shape}",
            remedy="give a table of pages, and pages [pages, page size, heads, hdim]",
        )
    return int(pages.shape[-1] * cache.shape[1])


def _factors(scales: Sequence[Any] | None) -> dict[str, Any]:
    if scales is None:
        return {}
    if not isinstance(scales, (tuple, list)) or len(scales) != 3:
        raise TensorError(f"scales is {shown(scales)}; it must be three tensors: those of q, k and v")
    return dict(zip(("scale_q", "scale_k", "scale_v"), scales, strict=True))


def _attend(given: dict[str, Any], fields: dict[str, Any], return_lse: bool, layout: str, rng: Any = NO_SEED) -> Any:
    fields = {**fields, "layout": layout, "lse": return_lse}
    options = Options(("fwd", *fields.items()), lambda views: problem_of(views, **fields), layout, rng)
    tensors = run(given, options)
    return (tensors["out"], tensors["lse"]) if return_lse else tensors["out"]
