"""Activations in a graph of ATen operators, where each of them is several nodes.

Each activation is traced as Inductor decomposes it. What is found in a graph is the same piece of graph, so a changed
decomposition of a later torch is found as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional

from .. import op_gelu
from .inductor import decompositions

aten = torch.ops.aten
COMMUTES = frozenset({aten.mul.Tensor, aten.add.Tensor})
# How models write the activations of epilogues; the first form is torch's own.
FORMS: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "relu": (functional.relu, lambda x: x.clamp(min=0), lambda x: x.clamp(min=0.0)),
    "gelu_erf": (op_gelu.torchs, lambda x: x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))),
    "gelu_tanh": (
        lambda x: op_gelu.torchs(x, approximate="tanh"),
        lambda x: 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0)))),
    ),
    "sigmoid": (functional.sigmoid,),
    "tanh": (functional.tanh,),
    "silu": (functional.silu, lambda x: x * torch.sigmoid(x)),
    "relu6": (functional.relu6,),
    "hard_swish": (functional.hardswish,),
}


@lru_cache
def _templates(dtype: torch.dtype) -> tuple[tuple[str, tuple[fx.Node, ...]], ...]:
    """Return (activation, its nodes) for tensors of a dtype; the first node is the input, the longest come first."""
    table = decompositions()
    found = []
    for name, forms in FORMS.items():
        for form in forms:
            traced = make_fx(_of_one(form), table, tracing_mode="fake")(torch.ones(2, 2, dtype=dtype))
            traced.graph.eliminate_dead_code()
            nodes = tuple(n for n in traced.graph.nodes if n.op != "output")
            found.append((name, nodes))
    return tuple(sorted(found, key=lambda item: -len(item[1])))


def _of_one(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a form without optional arguments, which tracing would ask for."""
    return lambda x: form(x)


def activation_of(value: fx.Node, dtype: torch.dtype) -> tuple[str, fx.Node] | None:
    """Return (activation, the node with its result) if all that is done with a value is one activation."""
    for name, nodes in _templates(dtype):
        last = _matched(value, nodes)
        if last is not None:
            return name, last
    return None


def _matched(value: fx.Node, nodes: tuple[fx.Node, ...]) -> fx.Node | None:
    """Return the node that has the result of the template's last one; None if the graph has something else."""
    images = {nodes[0]: value}
    for node in nodes[1:]:
        image = _image(node, images)
        if image is None:
            return None
        images[node] = image
    inside = set(images.values())
    last = images[nodes[-1]]
    closed = all(user in inside for image in inside if image is not last for user in image.users)
    return last if closed else None


def _image(node: fx.Node, images: dict[fx.Node, fx.Node]) -> fx.Node | None:
    taken = set(images.values())
    known = next(arg for arg in node.args if isinstance(arg, fx.Node))
    for user in images[known].users:
        if user in taken or user.target is not node.target or dict(user.kwargs) != dict(node.kwargs):
            continue
        if any(_same(args, user.args, images) for args in _orders(node)):
            return user
    return None


def _orders(node: fx.Node) -> Iterator[tuple[Any, ...]]:
    yield node.args
    if node.target in COMMUTES and len(node.args) == 2:
        yield node.args[::-1]


def _same(wanted: tuple[Any, ...], found: tuple[Any, ...], images: dict[fx.Node, fx.Node]) -> bool:
    if len(wanted) != len(found):
        return False
    for want, got in zip(wanted, found, strict=True):
        if isinstance(want, fx.Node):
            if images.get(want) is not got:
                return False
        elif isinstance(got, fx.Node) or want != got:
            return False
    return True
