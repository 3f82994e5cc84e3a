"""Norms that are folded into the weights of convolutions, in each call: on a GPU all of a graph by few kernels.

Inductor would launch two kernels for each convolution, one for the weight and one for the bias, which take longer to
launch than to run. What is an operand of an operator on a list of tensors (`_foreach_mul`) it computes in one kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import fx

from . import sites
from .graphs import call, item
from .inductor import sort_nodes
from .operators import CONVOLUTION
from .sites import CONVERT, Site
from .values import size_of, value_of

aten = torch.ops.aten
TOGETHER = aten._foreach_mul.Scalar  # by 1.0: what it reads is computed in its kernel
MAX_BYTES, MAX_TENSORS = 64 << 20, 64  # of one list: all of its results are in memory at the same time
FOLD = "tilewright_fold"  # marks a folded weight or bias


def folded(graph: fx.Graph, site: Site, weight: fx.Node) -> tuple[fx.Node, fx.Node | None, fx.Node | None]:
    """Insert the weight, its factors and the bias of a convolution with the operations per channel after it.

    The factors are None if the weight has them. All is computed in fp32: operands may be narrow integers, whose sums
    would overflow, or bools, which have no sums.
    """
    value = value_of(weight)
    scale: fx.Node | None = None
    shift = None if site.bias is None else _converted(graph, site.bias, torch.float32)
    for name, operand in site.channels:
        one = _converted(graph, call(graph, aten.reshape.default, operand, [value.shape[0]]), torch.float32)
        if name == "mul":
            scale = one if scale is None else call(graph, aten.mul.Tensor, scale, one)
            shift = None if shift is None else call(graph, aten.mul.Tensor, shift, one)
        elif shift is None:
            shift = one if name == "add" else call(graph, aten.neg.default, one)
        else:
            shift = call(graph, aten.add.Tensor if name == "add" else aten.sub.Tensor, shift, one)
    if scale is not None and not site.multiplies_after:
        factor = call(graph, aten.reshape.default, scale, [-1, *[1] * (value.dim() - 1)])
        weight = _converted(graph, call(graph, aten.mul.Tensor, weight, factor), value.dtype)
        weight.meta[FOLD] = True
    if shift is not None:
        shift = _converted(graph, shift, value.dtype)
        shift.meta[FOLD] = True
    return weight, scale if site.multiplies_after else None, shift


def _converted(graph: fx.Graph, node: fx.Node, dtype: torch.dtype) -> fx.Node:
    return node if value_of(node).dtype is dtype else call(graph, CONVERT, node, dtype)


def gather_folds(graph: fx.Graph) -> None:
    """Compute the folded weights and biases of a graph together, where that saves kernels."""
    lists = list(_lists(graph))
    for nodes in lists:
        with graph.inserting_after(nodes[-1]):
            made = call(graph, TOGETHER, nodes, 1.0)
        for place, node in enumerate(nodes):
            with graph.inserting_after(made):
                found = item(graph, made, place)
            node.replace_all_uses_with(found, lambda user, made=made: user is not made)  # type: ignore[misc]
    if lists:
        sort_nodes(graph)


def _lists(graph: fx.Graph) -> Iterator[list[fx.Node]]:
    """Return the values that can be computed together, in lists of limited size."""
    found: list[fx.Node] = []
    size = 0
    for node in [n for n in graph.nodes if FOLD in n.meta and n.users and _can_gather(n)]:
        if found and (size + size_of(node) > MAX_BYTES or len(found) >= MAX_TENSORS):
            yield found
            found, size = [], 0
        found.append(node)
        size += size_of(node)
    if len(found) > 1:
        yield found


def _can_gather(node: fx.Node) -> bool:
    """Return whether a folded value depends on weights only: others may need the results of what it is used for."""
    if value_of(node).device.type in sites.MULTIPLYING:
        return False
    seen, waiting = set[fx.Node](), [node]
    while waiting:
        for arg in waiting.pop().all_input_nodes:
            if arg.target is CONVOLUTION:
                return False
            if arg not in seen:
                seen.add(arg)
                waiting.append(arg)
    return True
