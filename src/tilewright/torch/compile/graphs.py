"""Calls that are put into a graph, with the fake tensors of their results."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor

from .values import is_dense, value_of

aten = torch.ops.aten


def call(graph: fx.Graph, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
    """Insert a call of an operator."""
    node = graph.call_function(target, args, kwargs)
    values = (n.meta["val"] for n in (*node.all_input_nodes, *graph.nodes) if "val" in n.meta)
    mode = next(v.fake_mode for value in values for v in _flat(value) if isinstance(v, FakeTensor))
    with mode:
        node.meta["val"] = target(*fx.map_arg(args, lambda n: n.meta["val"]), **kwargs)
    return node


def _flat(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)


def item(graph: fx.Graph, node: fx.Node, place: int) -> fx.Node:
    """Insert one of the results of a call."""
    return call(graph, operator.getitem, node, place)


def sizes_of(graph: fx.Graph, node: fx.Node, first: int = 0) -> list[Any]:
    """Return the sizes of a value from a dimension on: numbers, or nodes for those that may change."""
    found: list[Any] = []
    for axis, size in enumerate(value_of(node).shape):
        if axis >= first:
            found.append(size if type(size) is int else call(graph, aten.sym_size.int, node, axis))
    return found


def dense(graph: fx.Graph, node: fx.Node) -> fx.Node:
    """Return a value that lies dense in memory, copied if it does not."""
    if is_dense(value_of(node)):
        return node
    return call(graph, aten.clone.default, node, memory_format=torch.contiguous_format)


def results(node: fx.Node) -> dict[int, fx.Node]:
    """Return the results of a call that are used, by their place."""
    found: dict[int, fx.Node] = {}
    for user in list(node.users):
        place: Any = user.args[1]
        if found.setdefault(place, user) is not user:
            user.replace_all_uses_with(found[place])
    return found


def erase(graph: fx.Graph, node: fx.Node) -> None:
    """Remove a call whose results nobody reads: those that may draw random numbers do not count as dead code."""
    for user in list(node.users):
        graph.erase_node(user)
    graph.erase_node(node)
