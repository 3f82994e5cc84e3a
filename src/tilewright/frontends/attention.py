"""`attention` and its relatives: one call on tensors of any library, through the default dispatcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import TensorError
from ..jit.arrays import as_numpy, view_of
from ..model.dtype import numpy_dtype
from ..model.tensor import TensorView
from ..ops.fmha.contents import content_mistakes
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.shapes import INDEX_ROLES
from ..ops.fmha.tensors import problem_of
from .functional import default_dispatcher

ROWS = ("q", "k", "v", "out")


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
    rng: tuple[int, int, int] = (0, 0, 0),
    return_lse: bool = False,
    seqlens_k: Any = None,
    layout: str = "bshd",
) -> Any:
    """softmax(scale * q k^T + bias) v; with `return_lse` also the log of the sum of exponentials of each row.

    `q` is [batch, seqlen, heads, hdim] (or [batch, heads, seqlen, hdim] with layout "bhsd"), NumPy, torch or DLPack;
    `k` and `v` may have fewer heads. `mask` is none, causal_top_left or causal_bottom_right; a `window` (left, right)
    replaces it and counts from the bottom right, -1 being unbounded. A `bias` of two dimensions holds ALiBi slopes.
    `seqlens_k` (int32) ends the keys of each sequence. `rng` seeds the dropout mask: two words of key and an offset.

    >>> import numpy as np
    >>> q = np.ones((1, 2, 4, 32), np.float32)
    >>> attention(q, q[:, :, :2], q[:, :, :2], mask="causal_bottom_right").shape
    (1, 2, 4, 32)
    """
    given = {"q": q, "k": k, "v": v, "out": out, "bias": bias, "seqlens_k": seqlens_k}
    fields = _masking(mask, window, sink_tokens) | {"scale": scale, "soft_cap": soft_cap, "dropout": dropout}
    return _attend(given, fields, layout, return_lse, rng)


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
    rng: tuple[int, int, int] = (0, 0, 0),
    return_lse: bool = False,
) -> Any:
    """Attention of sequences that lie one after another: `q` is [total, heads, hdim], and sequence i takes the rows
    from cu_seqlens[i] to cu_seqlens[i + 1] (int32). The LSE is [heads, total].

    >>> import numpy as np
    >>> q, ends = np.ones((5, 2, 32), np.float32), np.array([0, 2, 5], np.int32)
    >>> attention_varlen(q, q, q, ends, ends, 3, 3).shape
    (5, 2, 32)
    """
    given = {
        "q": q,
        "k": k,
        "v": v,
        "out": out,
        "bias": bias,
        "cu_seqlens_q": cu_seqlens_q,
        "cu_seqlens_k": cu_seqlens_k,
    }
    fields = _masking(mask, window, sink_tokens) | {"scale": scale, "soft_cap": soft_cap, "dropout": dropout}
    fields |= {"seqlen_q": max_seqlen_q, "seqlen_k": max_seqlen_k}
    return _attend(given, fields, "bshd", return_lse, rng)


def attention_decode(
    q: Any,
    k_cache: Any,
    v_cache: Any,
    seqlens_k: Any,
    *,
    page_table: Any = None,
    out: Any = None,
    mask: str = "causal_bottom_right",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    scale: float | None = None,
    soft_cap: float = 0.0,
    num_splits: int | None = None,
    return_lse: bool = False,
) -> Any:
    """Attention of the newest rows `q` [batch, rows, heads, hdim] over a cache of keys and values.

    The cache is [batch, capacity, heads, hdim], or pages [pages, page size, heads, hdim] with a `page_table`
    [batch, pages of the longest sequence] (int32); `seqlens_k` says how many keys each sequence has, `q`'s own among
    them. `num_splits` None lets tilewright choose how often the keys are split.

    >>> import numpy as np
    >>> q, cache = np.ones((2, 1, 4, 32), np.float32), np.ones((2, 8, 2, 32), np.float32)
    >>> attention_decode(q, cache, cache, np.array([3, 8], np.int32)).shape
    (2, 1, 4, 32)
    """
    given = {"q": q, "k": k_cache, "v": v_cache, "out": out, "seqlens_k": seqlens_k, "page_table": page_table}
    fields = _masking(mask, window, sink_tokens) | {"scale": scale, "soft_cap": soft_cap, "num_splits": num_splits}
    fields["family"] = "fwd_splitkv"
    if page_table is not None:
        fields["seqlen_k"] = page_table.shape[-1] * k_cache.shape[1]
    return _attend(given, fields, "bshd", return_lse, (0, 0, 0))


def _masking(mask: str, window: tuple[int, int], sink_tokens: int) -> dict[str, Any]:
    if window == (-1, -1):
        return {"mask": mask, "sink_tokens": sink_tokens}
    return {"mask": "window", "window_left": window[0], "window_right": window[1], "sink_tokens": sink_tokens}


def _attend(given: Mapping[str, Any], fields: dict[str, Any], layout: str, return_lse: bool, rng: Any) -> Any:
    tensors = {role: t for role, t in given.items() if t is not None}
    views = {role: _view(t, role, layout) for role, t in tensors.items()}
    problem = problem_of(views, **fields, layout=layout)
    problem = replace(problem, lse=return_lse)
    for role in problem.roles:
        if role in views:
            continue
        tensors[role] = _seed(rng, given["q"]) if role == "rng" else _new(given["q"], problem, role, layout)
        views[role] = _view(tensors[role], role, layout)
    if given["out"] is None:
        problem = replace(problem, strides={**problem.strides, "out": views["out"].strides})
    if problem.device == "cpu":
        held = {role: as_numpy(tensors[role]) for role in problem.roles if role in INDEX_ROLES}
        mistakes = content_mistakes(problem, held)
        if mistakes:
            raise TensorError.of(f"tensors of {problem.label()}", mistakes)
    result = default_dispatcher().run(problem, **views)
    return (result, tensors["lse"]) if return_lse else result


def _view(tensor: Any, role: str, layout: str) -> TensorView:
    """The view with dimensions in the order of the op: rows before heads."""
    view = view_of(tensor, role)
    if role not in ROWS or layout != "bhsd" or len(view.shape) != 4:
        return view
    order = (0, 2, 1, 3)
    return replace(view, shape=tuple(view.shape[i] for i in order), strides=tuple(view.strides[i] for i in order))


def _new(like: Any, problem: FmhaProblem, role: str, layout: str) -> Any:
    """A new tensor of the kind of `like`: torch where it is torch, NumPy otherwise."""
    shape = problem.shape(role)
    if role in ROWS and layout == "bhsd":
        shape = (shape[0], shape[2], shape[1], shape[3])
    dtype = numpy_dtype(problem.dtype_of(role))
    if type(like).__module__.split(".")[0] == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=like.device)
    import numpy as np

    return np.empty(shape, dtype)


def _seed(rng: Any, like: Any) -> Any:
    import numpy as np

    words = np.array([int(x) & 0xFFFFFFFF for x in rng], np.uint32).view(np.int32)
    if type(like).__module__.split(".")[0] == "torch":
        import torch

        return torch.from_numpy(words).to(like.device)
    return words
