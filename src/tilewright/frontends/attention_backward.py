"""`attention_backward`: the gradients of `attention` and `attention_varlen`."""

from __future__ import annotations

from typing import Any

from ..dispatcher import Dispatcher
from ..ops.fmha.problem import FmhaProblem
from .attention_options import bias_of, masking, new_result, posed, seed_tensor, view_in_order
from .call import Asked, Description, Tensors, Views, hashable, public


@public
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
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    align: str = "bottom_right",
    sink_tokens: int = 0,
    bias: Any = None,
    alibi_slopes: Any = None,
    return_dbias: bool = False,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    rng: tuple[int, int, int] | None = None,
    deterministic: bool = False,
    layout: str = "bshd",
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return (dq, dk, dv) of a forward pass that gave `out` and `lse`, and dbias with `return_dbias`.

    The other arguments are those of the forward pass: the same `rng` drops the same weights. With `cu_seqlens_q` the
    sequences are packed, as in `attention_varlen`. `deterministic` gives the same bits every time.

    >>> import numpy as np
    >>> from tilewright.frontends.attention import attention
    >>> q = np.ones((1, 3, 2, 32), np.float32)
    >>> out, lse = attention(q, q, q, return_lse=True)
    >>> [x.shape for x in attention_backward(out, q, q, q, out, lse)]
    [(1, 3, 2, 32), (1, 3, 2, 32), (1, 3, 2, 32)]
    """
    given = {
        "q": q, "k": k, "v": v, "out": out, "lse": lse, "dout": dout, "bias": bias_of(bias, alibi_slopes),
        "cu_seqlens_q": cu_seqlens_q, "cu_seqlens_k": cu_seqlens_k, "rng": seed_tensor(dropout, rng, q),
        "dq": None, "dk": None, "dv": None, "dbias": None,
    }  # fmt: skip
    choices = (
        causal, hashable(window), align, sink_tokens, alibi_slopes is not None, scale, soft_cap, dropout, deterministic,
        return_dbias, lse is not None, layout, max_seqlen_q, max_seqlen_k,
    )  # fmt: skip
    results = ("dq", "dk", "dv", "dbias") if return_dbias else ("dq", "dk", "dv")
    return Asked(BACKWARD, given, choices, dispatcher, device, results)


def _pose(
    given: Tensors,
    views: Views,
    *,
    causal: bool,
    window: Any,
    align: str,
    sink_tokens: int,
    alibi: bool,
    seqlen_q: int | None,
    seqlen_k: int | None,
    **fields: Any,
) -> FmhaProblem:
    fields |= masking(causal, window, align, sink_tokens) | {"family": "bwd"}
    if "cu_seqlens_q" in views:
        fields |= {"seqlen_q": seqlen_q, "seqlen_k": seqlen_k}
    return posed(given, views, fields)


CHOICES = (
    "causal", "window", "align", "sink_tokens", "alibi", "scale", "soft_cap", "dropout", "deterministic", "dbias",
    "lse", "layout", "seqlen_q", "seqlen_k",
)  # fmt: skip
BACKWARD = Description("fmha", CHOICES, _pose, new_result, view_in_order)
