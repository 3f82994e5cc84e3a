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


@dataclass(frozen=True)
class _Template:
    """An activation, or its gradient: `path` leads from what goes in to what comes out.

    A gradient has a second input, what the activation was applied to: `at`.
    """

    name: str
    path: tuple[fx.Node, ...]
    at: fx.Node | None = None


@lru_cache
def _activations(dtype: torch.dtype) -> tuple[_Template, ...]:
    """Return the activations for tensors of a dtype, in all their forms; the longest come first."""
    found = [_Template(name, *_traced(_of_one(form), dtype, 1)) for name, forms in FORMS.items() for form in forms]
    return tuple(sorted(found, key=lambda template: -len(template.path)))


@lru_cache
def _gradients(dtype: torch.dtype) -> tuple[_Template, ...]:
    """Return the gradients of activations for tensors of a dtype."""
    return tuple(_Template(name, *_traced(_of_two(name), dtype, 2)) for name in FORMS)


def _traced(form: Callable[..., Any], dtype: torch.dtype, inputs: int) -> tuple[tuple[fx.Node, ...], fx.Node | None]:
    """Return what depends on the first input of a function, as Inductor decomposes it, and the second input."""
    examples = (torch.ones(2, 2, dtype=dtype) for _ in range(inputs))
    traced = make_fx(form, decompositions(), tracing_mode="fake")(*examples)
    traced.graph.eliminate_dead_code()
    start, *rest = (node for node in traced.graph.nodes if node.op != "output")
    path = [start]
    for node in rest:
        if any(arg in path for arg in node.all_input_nodes):
            path.append(node)
    return tuple(path), rest[0] if inputs > 1 else None


def _of_one(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a form without optional arguments, which tracing would ask for."""
    return lambda x: form(x)


def _of_two(name: str) -> Callable[[Any, Any], Any]:
    return lambda gradient, x: gone_back(gradient, x, name)


def activation_of(value: fx.Node, dtype: torch.dtype) -> tuple[str, fx.Node] | None:
    """Return (activation, the node with its result) if all that is done with a value is one activation."""
    for template in _activations(dtype):
        images = _matched(value, template)
        if images is not None:
            return template.name, images[template.path[-1]]
    return None


def gradient_of(value: fx.Node, dtype: torch.dtype) -> tuple[str, fx.Node, fx.Node] | None:
    """Return (activation, its input, the node with its gradient) if a value only goes back through an activation.

    What is made of the input alone may have other users: Inductor computes it once more for them.
    """
    for template in _gradients(dtype):
        images = _matched(value, template)
        if images is not None and template.at in images:
            return template.name, images[template.at], images[template.path[-1]]
    return None


def _matched(value: fx.Node, template: _Template) -> dict[fx.Node, fx.Node] | None:
    """Return what in a graph stands for the nodes of a template; None if the graph has something else."""
    images = {template.path[0]: value}
    for node in template.path[1:]:
        known = next(arg for arg in node.all_input_nodes if arg in images)
        taken = set(images.values())
        users = (user for user in images[known].users if user not in taken)
        image = next((user for user in users if _alike(node, user, images, template)), None)
        if image is None:
            return None
        images[node] = image
    inside, last = {images[node] for node in template.path}, images[template.path[-1]]
    closed = all(user in inside for image in inside if image is not last for user in image.users)
    return images if closed else None


def _alike(node: fx.Node, found: fx.Node, images: dict[fx.Node, fx.Node], template: _Template) -> bool:
    """Return whether a node of the graph computes what one of the template does, from the same values."""
    if found.target is not node.target or dict(found.kwargs) != dict(node.kwargs):
        return False
    for order in _orders(node):
        kept = dict(images)
        if len(order) == len(found.args) and all(
            _same(want, got, kept, template) for want, got in zip(order, found.args, strict=True)
        ):
            images.update(kept)
            return True
    return False


def _orders(node: fx.Node) -> Iterator[tuple[Any, ...]]:
    yield node.args
    if node.target in COMMUTES and len(node.args) == 2:
        yield node.args[::-1]


def _same(want: Any, got: Any, images: dict[fx.Node, fx.Node], template: _Template) -> bool:
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
