"""Gradients of convolutions in a backward graph: those of the input and of the weight are two problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import fx

from ...model.problem import Problem
from ..aten import Images, Place, geometry_of
from ..fitness import CUDNN, why_left
from .graphs import call, erase, item, results, sizes_of
from .operators import CONVOLUTION_DATA, CONVOLUTION_WEIGHT, convolution_data, convolution_weight
from .values import UNKNOWN_GEOMETRY, example_of, has_known_geometry, value_of

aten = torch.ops.aten
BACKWARD = aten.convolution_backward.default
DATA, WEIGHT, BIAS = 0, 1, 2  # places of the results
NAMES = {DATA: "gradient of the input", WEIGHT: "gradient of the weight"}


def why_not(node: fx.Node) -> str | None:
    """Return why no kernel of tilewright computes the gradients of a convolution; None if one may."""
    grad, x, weight = node.args[:3]
    if node.args[7]:
        return "transposed convolutions are Inductor's"
    if not has_known_geometry(*node.args[4:7]):
        return UNKNOWN_GEOMETRY
    reason = why_left(value_of(x), value_of(weight), CUDNN)
    if reason is None and value_of(grad).dtype is not value_of(x).dtype:
        reason = f"the gradient is {value_of(grad).dtype}"
    return reason


def posed(node: fx.Node, place: int, last: bool) -> Problem | None:
    """Return the problem of one of the gradients; None if a size is not known."""
    grad, x, weight = (example_of(value_of(arg)) for arg in node.args[:3])
    if grad is None or x is None or weight is None:
        return None
    geometry = (node.args[4], node.args[5], node.args[6], node.args[9])
    images = Images(Place(str(value_of(node.args[1]).device)), x, last)
    if place == DATA:
        return images.pose("backward_data", geometry_of(*geometry, tuple(x.shape[2:])), output=grad, weight=weight)  # type: ignore[arg-type]
    return images.pose("backward_weight", geometry_of(*geometry, tuple(weight.shape[2:])), input=x, output=grad)  # type: ignore[arg-type]


def only(node: fx.Node, place: int) -> list[Any]:
    """Return the arguments of torch's operator for one of the gradients."""
    return [*node.args[:10], [i == place for i in range(3)]]


def computed(node: fx.Node, place: int, last: bool, real: Mapping[fx.Node, Any]) -> Any:
    """Return one of the gradients by our operator, on real tensors by node."""
    grad, x, weight = (real[arg] for arg in node.args[:3])  # type: ignore[index]
    geometry = (node.args[4], node.args[5], node.args[6], node.args[9], last)
    if place == DATA:
        return convolution_data(grad, weight, list(x.shape[2:]), *geometry)
    return convolution_weight(x, grad, list(weight.shape[2:]), *geometry)


def replace(graph: fx.Graph, node: fx.Node, places: list[int], last: bool) -> None:
    """Put operators of tilewright in the place of some gradients; those of the others stay torch's."""
    grad, x, weight, _, stride, padding, dilation, _, _, groups, wanted = node.args
    geometry = (list(stride), list(padding), list(dilation), groups, last)  # type: ignore[arg-type]
    used = results(node)
    with graph.inserting_before(node):
        made: dict[int, fx.Node] = {}
        if DATA in places:
            made[DATA] = call(graph, CONVOLUTION_DATA, grad, weight, sizes_of(graph, x, 2), *geometry)  # type: ignore[arg-type]
        if WEIGHT in places:
            made[WEIGHT] = call(graph, CONVOLUTION_WEIGHT, x, grad, sizes_of(graph, weight, 2), *geometry)  # type: ignore[arg-type]
        if BIAS in used:
            made[BIAS] = call(graph, aten.sum.dim_IntList, grad, [0, *range(2, value_of(grad).dim())])
        rest: Any = [bool(wanted[i]) and i not in made and i in used for i in range(3)]  # type: ignore[index]
        if any(rest):
            left = call(graph, BACKWARD, *node.args[:10], rest)
            made.update((i, item(graph, left, i)) for i in range(3) if rest[i])
    for i, user in used.items():
        user.replace_all_uses_with(made[i])
    erase(graph, node)
