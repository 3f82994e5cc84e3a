"""Multi-head attention by tilewright: torch's function of many arguments, and `nn.MultiheadAttention`.

Queries, keys and values with one source are projected by one product. Attention whose weights are asked for is two
products around torch's softmax; other attention is one kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from ..errors import TensorError
from .fitness import MATMUL, why_left, why_no_kernel
from .layer_turns import faster, is_plain, kind_of
from .leaving import no_invariant, ours_or_torchs
from .modules import Taken
from .op_addmm import sum_by_kernel
from .op_linear import linear_by_kernel, matmul_by_kernel
from .op_sdpa import sdpa

Tensor = torch.Tensor
Attended = tuple[Tensor, Tensor | None]


@dataclass
class Layer:
    """The weights of a multi-head attention. `weights` is one matrix of all three projections, or three."""

    heads: int
    weights: Tensor | tuple[Tensor, Tensor, Tensor]
    bias: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None
    zero_attn: bool
    dropout: float
    out_weight: Tensor
    out_bias: Tensor | None
    invariant: bool = False


@dataclass
class Call:
    """What one call asks for. `rows` is the dimension of the sequences: 0, or 1 if the batch is first."""

    key_padding_mask: Tensor | None
    attn_mask: Tensor | None
    need_weights: bool
    average: bool
    causal: bool
    rows: int = 0


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Attended:
    """Return what torch's function of this name returns, with gradients; by torch if no kernel computes it.

    >>> x, w = torch.ones(3, 2, 32), torch.ones(32, 32)
    >>> out, weights = multi_head_attention_forward(
    ...     x, x, x, 32, 1, torch.ones(96, 32), None, None, None, False, 0.0, w, None, need_weights=False)
    >>> out.shape, weights is None
    (torch.Size([3, 2, 32]), True)
    """
    values = (
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
        dropout_p, out_proj_weight, out_proj_bias, training, key_padding_mask, need_weights, attn_mask,
        use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v, average_attn_weights,
        is_causal,
    )  # fmt: skip
    reason = why_no_kernel(query)
    if static_k is not None or static_v is not None:
        reason = "keys or values are given as they are (static_k, static_v)"
    return ours_or_torchs(
        "multi_head_attention_forward", reason, _by_kernels, functional.multi_head_attention_forward, *values
    )


def _by_kernels(*values: Any) -> Attended:
    query, key, value, width, heads, weight, bias, bias_k, bias_v, zero_attn, dropout, out_weight, out_bias = values[
        :13
    ]
    training, padding, need_weights, mask, separate, *projections, _, _, average, causal = values[13:]
    if query.shape[-1] != width:
        raise TensorError(f"the queries have {query.shape[-1]} columns; embed_dim_to_check is {width}")
    weights = tuple(projections) if separate else weight
    layer = Layer(
        heads, weights, bias, bias_k, bias_v, zero_attn, dropout if training else 0.0, out_weight, out_bias
    )  # fmt: skip
    return attended(query, key, value, layer, Call(padding, mask, need_weights, average, causal))


def attended(query: Tensor, key: Tensor, value: Tensor, layer: Layer, call: Call) -> Attended:
    """Return (result, weights or None) by kernels, or raise an error."""
    batched = functional._mha_shape_check(  # type: ignore[attr-defined]
        query, key, value, call.key_padding_mask, call.attn_mask, layer.heads
    )
    if not batched:
        call = Call(call.key_padding_mask, call.attn_mask, call.need_weights, call.average, call.causal)
        if call.key_padding_mask is not None:
            call.key_padding_mask = call.key_padding_mask[None]
        query, key, value = _same_sources(query, key, value, lambda t: t.unsqueeze(1))
    if call.causal and call.attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")  # as torch says it
    q, k, v = _with_biases(_projected(query, key, value, layer), layer, call.rows)
    q, k, v = (_heads(x, layer.heads, call.rows) for x in (q, k, v))
    if layer.zero_attn:
        k, v = (functional.pad(x, (0, 0, 0, 1)) for x in (k, v))
    causal = call.causal and call.key_padding_mask is None and not call.need_weights
    mask = None if causal else _mask(q, k, key.shape[call.rows], layer, call)
    if call.need_weights and layer.invariant:
        raise no_invariant("nn.MultiheadAttention", "its weights are made by torch: call it with need_weights=False")
    if call.need_weights:
        out, weights = _with_weights(q, k, v, mask, layer.dropout)
        weights = weights.mean(1) if call.average else weights
    else:
        out, weights = sdpa(q, k, v, mask, layer.dropout, causal, invariant=layer.invariant), None
    merged = (out.transpose(1, 2) if call.rows else out.permute(2, 0, 1, 3)).flatten(2)
    found = linear_by_kernel(merged, layer.out_weight, layer.out_bias, "none", layer.invariant)
    if batched:
        return found, weights
    return found.squeeze(1), None if weights is None else weights.squeeze(0)


def _same_sources(query: Tensor, key: Tensor, value: Tensor, change: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return changed tensors, which are one tensor if they were one before."""
    q = change(query)
    k = q if key is query else change(key)
    return q, k, k if value is key else change(value)


def _projected(query: Tensor, key: Tensor, value: Tensor, layer: Layer) -> tuple[Tensor, ...]:
    """Return queries, keys and values: by one product if they have one source and one weight."""
    if not isinstance(layer.weights, tuple) and query is key and key is value:
        return linear_by_kernel(query, layer.weights, layer.bias, "none", layer.invariant).chunk(3, dim=-1)
    weights = layer.weights if isinstance(layer.weights, tuple) else layer.weights.chunk(3)
    biases = (None, None, None) if layer.bias is None else layer.bias.chunk(3)
    three = zip((query, key, value), weights, biases, strict=True)
    return tuple(linear_by_kernel(x, w, b, "none", layer.invariant) for x, w, b in three)


def _with_biases(projected: tuple[Tensor, ...], layer: Layer, rows: int) -> tuple[Tensor, ...]:
    """Return queries, keys and values, the last two with one more row if the layer has one."""
    q, k, v = projected
    if layer.bias_k is None or layer.bias_v is None:
        return q, k, v
    shape = list(k.shape)
    shape[rows] = 1
    more = [bias.reshape(1, 1, -1).expand(shape) for bias in (layer.bias_k, layer.bias_v)]
    return q, torch.cat((k, more[0]), rows), torch.cat((v, more[1]), rows)


def _heads(x: Tensor, heads: int, rows: int) -> Tensor:
    """Return [batch, heads, rows, head_dim], a view."""
    x = x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads)
    return x.transpose(1, 2) if rows else x.permute(1, 2, 0, 3)


def _mask(q: Tensor, k: Tensor, keys: int, layer: Layer, call: Call) -> Tensor | None:
    """Return both masks as one that is added, as torch merges them; rows of keys that were added are seen."""
    batch, heads, rows, _ = q.shape
    padding = functional._canonical_mask(
        call.key_padding_mask, "key_padding_mask", functional._none_or_dtype(call.attn_mask), "attn_mask", q.dtype
    )
    found = functional._canonical_mask(call.attn_mask, "attn_mask", None, "", q.dtype, False)
    if found is not None:
        if tuple(found.shape) not in ((rows, keys), (batch * heads, rows, keys)):
            raise TensorError(f"attn_mask has shape {tuple(found.shape)}; [{rows}, {keys}] or one for each head")
        found = _padded(found if found.dim() == 2 else found.reshape(batch, heads, rows, keys), k.shape[2])
    if padding is None:
        return found
    padding = _padded(padding, k.shape[2])[:, None, None, :]
    return padding if found is None else found + padding


def _padded(mask: Tensor, keys: int) -> Tensor:
    return functional.pad(mask, (0, keys - mask.shape[-1])) if mask.shape[-1] < keys else mask


def _with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> tuple[Tensor, Tensor]:
    """Return (attention, its weights): two products around torch's softmax."""
    batch, heads, rows, hdim = q.shape
    keys = k.shape[2]
    scaled = (q * sqrt(1.0 / hdim)).reshape(batch * heads, rows, hdim)
    turned = k.reshape(batch * heads, keys, hdim).mT
    if mask is None:
        scores = matmul_by_kernel(scaled, turned)
    else:
        wide = mask if mask.dim() == 2 else mask.expand(batch, heads, rows, keys).reshape(batch * heads, rows, keys)
        scores = sum_by_kernel(wide, scaled, turned)
    weights = scores.softmax(-1)
    if dropout:
        weights = functional.dropout(weights, dropout)
    out = matmul_by_kernel(weights, v.reshape(batch * heads, keys, v.shape[3]))
    return out.reshape(batch, heads, rows, v.shape[3]), weights.reshape(batch, heads, rows, keys)


class TakenMultihead(Taken, nn.MultiheadAttention):
    """`nn.MultiheadAttention` by tilewright."""

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
    ) -> Attended:
        """Return (result, weights or None)."""
        rest = (key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)
        if self._invariant or (self.training and self.dropout):  # each side draws its own random numbers
            return self._ours(query, key, value, *rest)
        torchs = super().forward
        return faster(
            self,
            query,
            lambda x: self._ours(x, x if key is query else key, x if value is query else value, *rest),
            lambda x: torchs(x, x if key is query else key, x if value is query else value, *rest),
            tuple(kind_of(v) if is_plain(v) else v if type(v) is bool else type(v) for v in (key, value, *rest)),
        )

    def _ours(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None,
        need_weights: bool,
        attn_mask: Tensor | None,
        average_attn_weights: bool,
        is_causal: bool,
    ) -> Attended:
        reason = self._why_left(query, key, value)
        if reason is not None:
            self._left(reason)
        else:
            rows = 1 if self.batch_first and query.dim() == 3 else 0
            call = Call(key_padding_mask, attn_mask, need_weights, average_attn_weights, is_causal, rows)
            found: Attended | None = self._taken(attended, query, key, value, self._layer(), call)
            if found is not None:
                return found
        return super().forward(
            query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal
        )

    def _layer(self) -> Layer:
        """Return the weights of the layer."""
        separate: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        weights = self.in_proj_weight if self._qkv_same_embed_dim else separate
        return Layer(
            self.num_heads, weights, self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn,
            self.dropout if self.training else 0.0, self.out_proj.weight, self.out_proj.bias, self._invariant,
        )  # fmt: skip

    def _why_left(self, query: Tensor, key: Tensor, value: Tensor) -> str | None:
        if query.is_nested or key.is_nested or value.is_nested:
            return "the input is a nested tensor"
        for x in (query, key, value):
            reason = why_left(x, self.out_proj.weight, MATMUL)
            if reason is not None:
                return reason
        return None
