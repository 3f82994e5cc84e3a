"""`nn.MultiheadAttention` by tilewright: one product for all projections, attention, and the output's product."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .fitness import MATMUL, why_left
from .modules import Taken
from .op_linear import linear
from .op_sdpa import sdpa

Tensor = torch.Tensor


class TakenMultihead(Taken, nn.MultiheadAttention):
    """`nn.MultiheadAttention` by tilewright, if the attention weights are not asked for."""

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return (result, None), or what torch returns."""
        reason = self._why_left(query, key, value, need_weights)
        if reason is not None:
            self._left(reason)
            return super().forward(
                query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal
            )
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")  # as torch says it
        causal = is_causal and key_padding_mask is None
        q, k, v = (self._heads(x) for x in self._projected(query, key, value))
        mask = None if causal else self._mask(q, k, attn_mask, key_padding_mask)
        out = sdpa(q, k, v, mask, self.dropout if self.training else 0.0, causal)
        merged = out.transpose(1, 2).flatten(2) if self.batch_first else out.permute(2, 0, 1, 3).flatten(2)
        return linear(merged, self.out_proj.weight, self.out_proj.bias), None

    def _why_left(self, query: Tensor, key: Tensor, value: Tensor, need_weights: bool) -> str | None:
        if need_weights:
            return "the attention weights are asked for (need_weights=True)"
        if query.dim() != 3:
            return "the input is one sequence without a batch"
        if query.is_nested or key.is_nested or value.is_nested:
            return "the input is a nested tensor"
        for x in (query, key, value):
            reason = why_left(x, self.in_proj_weight, MATMUL)
            if reason is not None:
                return reason
        return None

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """Return queries, keys and values: by one product if they have one source."""
        weight, bias = self.in_proj_weight, self.in_proj_bias
        if query is key and key is value:
            return linear(query, weight, bias).chunk(3, dim=-1)
        weights = weight.chunk(3)
        biases = (None, None, None) if bias is None else bias.chunk(3)
        return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))

    def _heads(self, x: Tensor) -> Tensor:
        """Return [batch, heads, rows, head_dim], a view."""
        x = x.reshape(*x.shape[:-1], self.num_heads, self.head_dim)
        return x.transpose(1, 2) if self.batch_first else x.permute(1, 2, 0, 3)

    def _mask(self, q: Tensor, k: Tensor, attn_mask: Any, key_padding_mask: Any) -> Tensor | None:
        """Return both masks as one that is added, as torch merges them."""
        padding = functional._canonical_mask(
            key_padding_mask, "key_padding_mask", functional._none_or_dtype(attn_mask), "attn_mask", q.dtype
        )
        found = functional._canonical_mask(attn_mask, "attn_mask", None, "", q.dtype, False)
        if found is not None and found.dim() == 3:
            found = found.reshape(q.shape[0], self.num_heads, *found.shape[1:])
        if padding is None:
            return found
        padding = padding[:, None, None, :]
        return padding if found is None else found + padding
