"""`attn_implementation="tilewright"` for models of Hugging Face's transformers."""

from __future__ import annotations

from typing import Any

import torch

from ..errors import MissingExtraError
from .attention_calls import Extras, Options
from .op_attention import attend, seed_of
from .op_sdpa import bias_of, is_invariant, sdpa

Tensor = torch.Tensor
NAME = "tilewright"


def register_attention(name: str = NAME) -> None:
    """Register tilewright with transformers: `attn_implementation=name` then computes attention by its kernels.

    Masks are made as for "sdpa". Grouped heads are not repeated. Soft caps and sinks are computed in the kernel.
    """
    try:
        from transformers import AttentionInterface
        from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
    except ImportError:
        raise MissingExtraError(
            "transformers", extra="transformers", why="to register an attention (from version 4.53 on)"
        ) from None
    AttentionInterface.register(name, attention_forward)
    AttentionMaskInterface.register(name, sdpa_mask)


def attention_forward(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Return (the attention as [batch, rows, heads, hdim], None), as an attention function of transformers does.

    >>> q, layer = torch.ones(1, 4, 3, 32), torch.nn.Module()
    >>> attention_forward(layer, q, q[:, :2], q[:, :2], None)[0].shape
    torch.Size([1, 3, 4, 32])
    """
    if options.get("cache") is not None or options.get("position_bias") is not None:
        return _by_sdpa(module, query, key, value, attention_mask, dropout, scaling, is_causal, options)
    if attention_mask is not None and attention_mask.shape[-1] > key.shape[2]:
        attention_mask = attention_mask[..., : key.shape[2]]
    wanted = is_causal if is_causal is not None else getattr(module, "is_causal", True)
    causal = query.shape[2] > 1 and attention_mask is None and bool(wanted)
    if options.get("s_aux") is not None:
        query, key, value, attention_mask = _with_sink(query, key, value, attention_mask, causal, options["s_aux"])
        causal = False
    soft_cap = options.get("softcap")
    if soft_cap is None:
        out = sdpa(query, key, value, attention_mask, dropout, causal, scaling, enable_gqa=True)
        return out.transpose(1, 2), None
    o = Options(
        causal=causal, align="top_left", scale=scaling, soft_cap=float(soft_cap), dropout=dropout, layout="bhsd",
        invariant=is_invariant(),
    )  # fmt: skip
    bias = None if attention_mask is None else bias_of(attention_mask, query, key, o.invariant)
    found: Tensor = attend(query, key, value, Extras(bias, seed_of(dropout, query)), o, False)
    return found.transpose(1, 2), None


def _with_sink(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, sinks: Tensor) -> tuple[Tensor, ...]:
    """Return operands with one more key, whose score is the sink of each head and whose value is zero (gpt-oss)."""
    batch, heads, rows, _ = q.shape
    seen = torch.ones(rows, k.shape[2], dtype=torch.bool, device=q.device)
    bias = bias_of((seen.tril() if causal else seen) if mask is None else mask, q, k, is_invariant())
    scores = bias.expand(batch, heads, -1, -1)
    sink = sinks.to(scores.dtype).reshape(1, heads, 1, 1).expand(batch, heads, rows, 1)
    longer_k, longer_v = (torch.cat((x, x.new_zeros(*x.shape[:2], 1, x.shape[3])), 2) for x in (k, v))
    return q, longer_k, longer_v, torch.cat((scores, sink), 3)


def _by_sdpa(module: Any, q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> tuple[Tensor, None]:
    """Return what transformers' own function returns, for what belongs to its caches and biases."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    *values, options = rest
    return sdpa_attention_forward(module, q, k, v, *values, **options)
