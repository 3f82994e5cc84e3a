"""`attention_backward`: the gradients of `attention` and `attention_varlen`."""

from __future__ import annotations

from typing import Any

from ..ops.fmha.tensors import problem_of
from .attention_call import Options, at_place, masking, run, seed_of


def attention_backward(
    dout: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    *,
    cu_seqlens_q: Any = None,
    cu_seqlens_k: Any = None,
    max_seqlen_q: int | None = None,
    max_seqlen_k: int | None = None,
    mask: str = "none",
    window: tuple[int, int] = (-1, -1),
    sink_tokens: int = 0,
    bias: Any = None,
    return_dbias: bool = False,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    deterministic: bool = False,
    layout: str = "bshd",
    device: str | None = None,
) -> tuple[Any, ...]:
    """(dq, dk, dv) of a forward pass that gave `out` and `lse`, and dbias with `return_dbias`.

    The other arguments are those of the forward pass: the same `rng` drops the same weights. With `cu_seqlens_q` the
    sequences lie one after another, as in `attention_varlen`. `deterministic` gives the same bits every time.

    >>> import numpy as np
    >>> from tilewright.frontends.attention import attention
    >>> q = np.ones((1, 3, 2, 32), np.float32)
    >>> out, lse = attention(q, q, q, return_lse=True)
    >>> [x.shape for x in attention_backward(out, q, q, q, out, lse)]
    [(1, 3, 2, 32), (1, 3, 2, 32), (1, 3, 2, 32)]
    """
    given = {
        "q": q, "k": k, "v": v, "out": out, "lse": lse, "dout": dout, "bias": bias,
        "cu_seqlens_q": cu_seqlens_q, "cu_seqlens_k": cu_seqlens_k,
    }  # fmt: skip
    fields = at_place(device) | masking(mask, window, sink_tokens) | {
        "family": "bwd", "scale": scale, "soft_cap": soft_cap, "dropout": dropout, "deterministic": deterministic,
        "dbias": return_dbias, "layout": layout, "lse": lse is not None,
    }  # fmt: skip
    if cu_seqlens_q is not None:
        fields |= {"seqlen_q": max_seqlen_q, "seqlen_k": max_seqlen_k}
    seed = seed_of(dropout, rng)
    options = Options(("bwd", *fields.items()), lambda views: problem_of(views, **fields), layout, seed)
    tensors = run(given, options)
    return tuple(tensors[r] for r in ("dq", "dk", "dv", *(("dbias",) if return_dbias else ())))
