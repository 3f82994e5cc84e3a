"""Attention in a graph: torch's kernels for it, forward and backward, by their ATen operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...model.problem import Problem
from ...ops.fmha.rules import MAX_HDIM
from ..aten import Attention, Place
from ..attention_calls import Options
from ..fitness import MATMUL, why_left
from ..op_attention import ATTENTION, ATTENTION_BACKWARD
from ..op_sdpa import COPIED_ROWS, ROW_ELEMENTS, bias_of
from .graphs import call, dense, erase, item, results, sizes_of
from .values import example_of, formula_of, same_shape, value_of

aten = torch.ops.aten
MASKS = ("attn_mask", "attn_bias")
# For each operator: the places of q, k and v, whether it is a backward pass, and which results are out and lse.
FORWARD = (
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten._scaled_dot_product_flash_attention.default,
    aten._scaled_dot_product_efficient_attention.default,
    aten._scaled_dot_product_cudnn_attention.default,
)
BACKWARD = (
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default,
    aten._scaled_dot_product_flash_attention_backward.default,
    aten._scaled_dot_product_efficient_attention_backward.default,
    aten._scaled_dot_product_cudnn_attention_backward.default,
)
OUT, LSE = 0, 1


@dataclass(frozen=True)
class Call:
    """One attention of a graph, its arguments by torch's names."""

    node: fx.Node
    given: Mapping[str, Any]

    @classmethod
    def of(cls, node: fx.Node) -> Call:
        """Return the call of a node."""
        names = [argument.name for argument in node.target._schema.arguments]  # type: ignore[union-attr]
        defaults = {a.name: a.default_value for a in node.target._schema.arguments if a.has_default_value()}  # type: ignore[union-attr]
        return cls(node, {**defaults, **dict(zip(names, node.args, strict=False)), **node.kwargs})

    @property
    def backward(self) -> bool:
        """Whether it is a backward pass."""
        return self.node.target in BACKWARD

    @property
    def tensors(self) -> tuple[fx.Node, fx.Node, fx.Node]:
        """Queries, keys and values."""
        return self.given["query"], self.given["key"], self.given["value"]

    @property
    def mask(self) -> fx.Node | None:
        """The mask that is added, if there is one."""
        found = next((self.given[name] for name in MASKS if self.given.get(name) is not None), None)
        return found if isinstance(found, fx.Node) else None

    @property
    def gradient(self) -> Any:
        """The gradient of the result, in a backward pass."""
        return self.given.get("grad_out", self.given.get("grad_out_"))

    @property
    def options(self) -> tuple[Any, ...]:
        """The options of our operator."""
        causal, scale = bool(self.given["is_causal"]), self.given["scale"]
        return Options(False, causal, (-1, -1), "top_left", 0, scale, 0.0, 0.0, "bhsd").values

    @property
    def lse(self) -> bool:
        """Whether the logarithms of sums are asked for, or given."""
        return self.backward or LSE in results(self.node)


def why_not(found: Call) -> str | None:
    """Return why no kernel of tilewright computes an attention; None if one may."""
    q, k, v = map(value_of, found.tensors)
    reason = why_left(q, k, MATMUL)
    if reason is not None:
        return reason
    if q.dim() != 4 or any(formula_of(t.stride(3)) != 1 for t in (q, k, v)):
        return "queries, keys or values are not dense in their last dimension"
    widths = (q.shape[3], v.shape[3])
    if any(type(n) is not int for n in widths):  # a comparison would make torch compile again for wider ones
        return "the width of heads is not known"
    if max(widths) > MAX_HDIM:
        return f"heads are wider than {MAX_HDIM}"
    if found.given["dropout_p"]:
        return "dropout draws other numbers than torch's"
    if found.given["is_causal"] and not same_shape(q.shape[2:3], k.shape[2:3]):
        return "causal, with other numbers of queries and keys"
    if found.given.get("return_debug_mask"):
        return "the mask of dropout is asked for"
    return _why_not_mask(found, q) or _why_not_lse(found, q)


def _why_not_mask(found: Call, q: Any) -> str | None:
    if found.mask is None:
        return None
    mask = value_of(found.mask)
    if found.given["is_causal"]:
        return "a mask and is_causal"
    if mask.dtype is not q.dtype or mask.dim() not in (2, 4) or formula_of(mask.shape[-1]) == 1:
        return f"the mask is {mask.dtype} with {mask.dim()} dimensions".replace("torch.", "")
    wanted = found.given.get("grad_input_mask")
    return "the gradient of a mask is asked for" if wanted and wanted[3] else None


def _why_not_lse(found: Call, q: Any) -> str | None:
    """Return why torch's other pass would not understand the logarithms of sums, whose rows it may pad."""
    lse = value_of(found.given["logsumexp"]) if found.backward else _forward_lse(found)
    if lse is None or same_shape(lse.shape[:3], q.shape[:3]):
        return None
    return "torch pads the rows of its sums"


def _forward_lse(found: Call) -> Any:
    user = results(found.node).get(LSE)
    return None if user is None else value_of(user)


def posed(found: Call) -> Problem | None:
    """Return the problem of an attention; None if a size is not known."""
    q, k, v = (example_of(value_of(node)) for node in found.tensors)
    mask = None if found.mask is None else example_of(value_of(found.mask))
    if q is None or k is None or v is None or (found.mask is not None and mask is None):
        return None
    place = Place(str(value_of(found.tensors[0]).device))
    given = Attention(mask, 0.0, bool(found.given["is_causal"]), found.given["scale"])
    return given.problem(place, q, k, v, found.backward, found.lse)


def computed(found: Call, real: Mapping[fx.Node, Any]) -> Any:
    """Return what our operator makes of an attention, on real tensors by node."""
    q, k, v = (real[node] for node in found.tensors)
    bias = None if found.mask is None else bias_of(real[found.mask], q, k)
    extras = (bias, None, None, None)
    if not found.backward:
        return ATTENTION(q, k, v, *extras, *found.options, found.lse)
    lse = real[found.given["logsumexp"]].reshape(q.shape[:3])
    return ATTENTION_BACKWARD(
        real[found.gradient], q, k, v, real[found.given["out"]], lse, *extras, *found.options, False
    )


def replace(graph: fx.Graph, found: Call) -> None:
    """Put the operator of tilewright in the place of torch's."""
    used = results(found.node)
    options = found.options
    with graph.inserting_before(found.node):
        extras = (_bias(graph, found), None, None, None)
        if found.backward:
            lse = found.given["logsumexp"]
            if value_of(lse).dim() == 4:
                lse = call(graph, aten.squeeze.dim, lse, 3)
            tensors = (found.gradient, *found.tensors, found.given["out"], dense(graph, lse))
            made = call(graph, ATTENTION_BACKWARD, *tensors, *extras, *options, False)
            values = {i: item(graph, made, i) for i in used if i < 3}
        else:
            made = call(graph, ATTENTION, *found.tensors, *extras, *options, found.lse)
            values = {i: item(graph, made, i) for i in used if i in (OUT, LSE)}
            if LSE in values:
                values[LSE] = _in_order_of(graph, values[LSE], value_of(used[LSE]))
            if LSE in values and value_of(used[LSE]).dim() == 4:
                values[LSE] = call(graph, aten.unsqueeze.default, values[LSE], 3)
        for i, user in used.items():
            if i not in values:  # the state of random numbers, which nobody reads without dropout
                values[i] = _zeros(graph, user)
    for i, user in used.items():
        user.replace_all_uses_with(values[i])
    erase(graph, found.node)


def _in_order_of(graph: fx.Graph, lse: fx.Node, torchs: Any) -> fx.Node:
    """Return the logarithms of sums in the memory order of torch's, if their sizes may change.

    torch compiles a backward pass for the strides that a saved tensor has in the first call, if they are not those of
    the operator that it has traced.
    """
    if all(type(n) is int for n in torchs.shape) or same_shape(value_of(lse).stride(), torchs.stride()[:3]):
        return lse
    turned = call(graph, aten.permute.default, lse, [0, 2, 1])  # torch's has the heads of a row together
    dense = call(graph, aten.clone.default, turned, memory_format=torch.contiguous_format)
    return call(graph, aten.permute.default, dense, [0, 2, 1])


def _bias(graph: fx.Graph, found: Call) -> fx.Node | None:
    """Return the mask with four dimensions; batches and heads that share it have one."""
    mask = found.mask
    if mask is None:
        return None
    if value_of(mask).dim() == 2:
        mask = call(graph, aten.unsqueeze.default, call(graph, aten.unsqueeze.default, mask, 0), 0)
    for axis in (0, 1):
        value = value_of(mask)
        if formula_of(value.shape[axis]) != 1 and formula_of(value.stride(axis)) == 0:
            mask = call(graph, aten.slice.Tensor, mask, axis, 0, 1)
    q, k = found.tensors[:2]
    rows, keys = sizes_of(graph, q, 2)[0], sizes_of(graph, k, 2)[0]
    given = value_of(mask)
    mask = call(graph, aten.expand.default, mask, [-1, -1, rows, keys])
    if given.device.type != "cuda" or type(rows) is not int or type(keys) is not int or rows < COPIED_ROWS:
        return mask
    step = formula_of(given.stride(2))
    if formula_of(given.shape[2]) != 1 and type(step) is int and step and not step % ROW_ELEMENTS:
        return mask
    further = -keys % ROW_ELEMENTS  # rows of its own, each from a multiple of 16 bytes on, as `bias_of` makes them
    if not further:
        return call(graph, aten.clone.default, mask, memory_format=torch.contiguous_format)
    return call(graph, aten.slice.Tensor, call(graph, aten.constant_pad_nd.default, mask, [0, further]), 3, 0, keys)


def _zeros(graph: fx.Graph, user: fx.Node) -> Any:
    value = user.meta["val"]
    if not isinstance(value, torch.Tensor):
        return value
    # Not `new_zeros`: Inductor decomposes that before this pass, and has no kernel for it afterwards.
    options = {"dtype": value.dtype, "layout": torch.strided, "device": value.device, "pin_memory": False}
    return call(graph, aten.full.default, list(value.shape), 0, **options)
