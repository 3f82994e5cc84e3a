"""Activations in a graph of ATen operators, where each of them is several nodes.

Each activation is traced as Inductor decomposes it, and so is its gradient. What is found in a graph is the same piece
of graph, so a changed decomposition of a later torch is found as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional

from ...ops.gemm.on_device import gone_back
from .. import op_gelu
from .inductor import decompositions

aten = torch.ops.aten
COMMUTES = frozenset({aten.mul.Tensor, aten.add.Tensor})
CONSTANTS = frozenset({aten.scalar_tensor.default, aten.full.default})  # their last argument is the number
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


@dataclass(frozen=True)
class _Gradient:
    """The gradient of an activation: `path` leads from the gradient of its result to that of its input, `at`."""

    name: str
    at: fx.Node
    path: tuple[fx.Node, ...]


@lru_cache
def _gradients(dtype: torch.dtype) -> tuple[_Gradient, ...]:
    """Return the gradients of activations for tensors of a dtype."""
    table, found = decompositions(), []
    for name in FORMS:
        examples = (torch.ones(2, 2, dtype=dtype) for _ in range(2))
        traced = make_fx(_of_two(name), table, tracing_mode="fake")(*examples)
        traced.graph.eliminate_dead_code()
        start, at, *rest = (n for n in traced.graph.nodes if n.op != "output")
        path = [start]
        for node in rest:
            if any(arg in path for arg in node.all_input_nodes):
                path.append(node)
        found.append(_Gradient(name, at, tuple(path)))
    return tuple(found)


def _of_two(name: str) -> Callable[[Any, Any], Any]:
    return lambda gradient, x: gone_back(gradient, x, name)


def gradient_of(value: fx.Node, dtype: torch.dtype) -> tuple[str, fx.Node, fx.Node] | None:
    """Return (activation, its input, the node with its gradient) if a value only goes back through an activation.

    What is made of the input alone may have other users: Inductor computes it once more for them.
    """
    for template in _gradients(dtype):
        images = {template.path[0]: value}
        for node in template.path[1:]:
            image = next((user for user in _users_of(node, images) if _alike(node, user, images, template)), None)
            if image is None:
                break
            images[node] = image
        else:
            inside, last = {images[node] for node in template.path}, images[template.path[-1]]
            closed = all(user in inside for image in inside if image is not last for user in image.users)
            if closed and template.at in images:
                return template.name, images[template.at], last
    return None


def _users_of(node: fx.Node, images: dict[fx.Node, fx.Node]) -> list[fx.Node]:
    """Return what in the graph reads the image of something that a node of a template reads."""
    known = next(arg for arg in node.all_input_nodes if arg in images)
    return list(images[known].users)


def _alike(node: fx.Node, found: fx.Node, images: dict[fx.Node, fx.Node], template: _Gradient) -> bool:
    """Return whether a node of the graph computes what one of the template does, from the same values."""
    if found.target is not node.target or dict(found.kwargs) != dict(node.kwargs):
        return False
    for order in _orders(node):
        kept = dict(images)
        if len(order) == len(found.args) and all(
            _same_value(want, got, kept, template) for want, got in zip(order, found.args, strict=True)
        ):
            images.update(kept)
            return True
    return False


def _same_value(want: Any, got: Any, images: dict[fx.Node, fx.Node], template: _Gradient) -> bool:
    if not isinstance(want, fx.Node) or not isinstance(got, fx.Node):
        return not isinstance(want, fx.Node) and not isinstance(got, fx.Node) and bool(want == got)
    if want in images or want in template.path:
        return images.get(want) is got
    if want is template.at:
        images[want] = got
        return True
    if want.target is aten.scalar_tensor.default:
        return got.target in CONSTANTS and got.args[-1] == want.args[0]
    return _alike(want, got, images, template)


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
