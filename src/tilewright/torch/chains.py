"""Chains in a traced model: a layer and the operations after it that its epilogue can compute.

`torch.fx` is used because it sees what connects layers (residual adds are plain `+` in a forward function), runs
without a compiler and leaves a Python function. It traces every net of the benchmarks but Llama, whose cache makes it
look at values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional

from . import op_gelu
from .hooks import is_watched
from .modules import Taken
from .writes import ASSIGNMENTS, Writes

LAYERS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
IADD, IMUL = ASSIGNMENTS["__iadd__"], ASSIGNMENTS["__imul__"]
ADDS = (operator.add, operator.iadd, IADD, torch.add, "add", "add_")
IN_PLACE = (operator.iadd, IADD, operator.imul, IMUL, "add_", "mul_")
MULTIPLIES = (operator.mul, operator.imul, IMUL, torch.mul, "mul", "mul_")
PRODUCTS = (operator.mul, torch.mul, "mul")  # not those in place: others may read what they write
PERMUTES = (torch.permute, "permute")
# The activations of epilogues, by how a model may write them.
MODULES: dict[type, str] = {
    nn.ReLU: "relu", nn.SiLU: "silu", nn.Sigmoid: "sigmoid", nn.Tanh: "tanh", nn.ReLU6: "relu6",
    nn.Hardswish: "hard_swish",
}  # fmt: skip
FUNCTIONS: dict[Any, str] = {
    functional.relu: "relu", torch.relu: "relu", torch.relu_: "relu", "relu": "relu", "relu_": "relu",
    functional.silu: "silu", torch.sigmoid: "sigmoid", functional.sigmoid: "sigmoid", "sigmoid": "sigmoid",
    torch.tanh: "tanh", functional.tanh: "tanh", "tanh": "tanh", functional.relu6: "relu6",
    functional.hardswish: "hard_swish",
}  # fmt: skip
OPTIONS = frozenset({"inplace", "approximate"})  # of functions, as far as epilogues follow them
GELUS = {"none": "gelu_erf", "tanh": "gelu_tanh"}
# The methods that compute, as torch has them: others may replace them in a layer, a subclass or torch's own class.
OWN = {
    kind: [(name, getattr(kind, name)) for name in ("forward", "_conv_forward") if hasattr(kind, name)]
    for kind in (*LAYERS, *NORMS, *MODULES, nn.GELU)
}
STATE = ("weight", "bias", "running_mean", "running_var")


@dataclass
class Chain:
    """A layer, its norm, a factor per channel, a residual and an activation, as nodes of a graph.

    `last` is the node whose value the fused layer has. `product` is a multiplication whose result only a 1x1
    convolution reads. `order` is a permutation between a linear layer and what comes after it. `widens` says that the
    product with the factor has the wider dtype of both, as it is not in place. `add` is how the model adds the residual
    to the layer's result. `left` says what the epilogue cannot compute.
    """

    layer: fx.Node
    path: str
    last: fx.Node
    product: fx.Node | None = None
    norm: fx.Node | None = None
    order: tuple[int, ...] | None = None
    factor: fx.Node | None = None
    widens: bool = False
    residual: Any = None
    add: Callable[[Any, Any], Any] = operator.add
    activation: str = "none"
    parts: list[str] = field(default_factory=list)
    nodes: list[fx.Node] = field(default_factory=list)
    left: str | None = None

    @property
    def kind(self) -> str:
        """The operations of the chain."""
        return " + ".join(self.parts)


class Finder:
    """Finds the chains of a traced module; no node is in two of them."""

    def __init__(self, traced: fx.GraphModule, activations: tuple[str, ...]) -> None:
        self.modules = dict(traced.named_modules())
        self.graph, self.activations = traced.graph, activations
        self.used: set[fx.Node] = set()
        self.writes = Writes(traced)

    def chains(self) -> list[Chain]:
        """Return every chain of more than a layer, in the order of the layers."""
        found = [self._chain(node) for node in self.graph.nodes if self._is_layer(node)]
        return [chain for chain in found if len(chain.parts) > 1 or chain.left]

    def _module(self, node: Any) -> Any:
        return self.modules.get(node.target) if isinstance(node, fx.Node) and node.op == "call_module" else None

    def _is_layer(self, node: fx.Node) -> bool:
        layer = self._module(node)
        if not isinstance(layer, LAYERS) or not _is_plain(layer) or not _pads_zeros(layer):
            return False
        return len(node.args) == 1 and not node.kwargs

    def _next(self, chain: Chain) -> fx.Node | None:
        """Return the only user of a chain's value, unless the chain would read other values there."""
        users = list(chain.last.users)
        return users[0] if len(users) == 1 and users[0] not in self.used and self._can_wait(chain, users[0]) else None

    def _can_wait(self, chain: Chain, node: fx.Node) -> bool:
        """Return whether a chain reads the same values when it is computed at the place of this node."""
        return not any(self.writes.hides(part, node, chain.nodes) for part in chain.nodes)

    def _take(self, chain: Chain, node: fx.Node, part: str) -> None:
        self.used.add(node)
        chain.last = node
        chain.nodes.append(node)
        chain.parts.append(part)

    def _chain(self, node: fx.Node) -> Chain:
        layer = self._module(node)
        chain = Chain(node, str(node.target), node, parts=[type(layer).__mro__[_depth(layer)].__name__])
        chain.nodes.append(node)
        if isinstance(layer, nn.Linear):
            self._scaled(chain)
        else:
            self._multiplied(chain, layer)
            self._normed(chain)
        self._added(chain)
        self._activated(chain)
        return chain

    def _multiplied(self, chain: Chain, layer: Any) -> None:
        """Take the multiplication before a 1x1 convolution: one factor may be a number per channel."""
        before = chain.layer.args[0]
        if not isinstance(before, fx.Node) or not _calls(before, PRODUCTS) or len(before.users) != 1 or before.kwargs:
            return
        single = {1} == {*layer.kernel_size, *layer.stride} and layer.groups == 1 and not any(layer.padding)
        both = len(before.args) == 2 and all(isinstance(arg, fx.Node) for arg in before.args)
        if single and both and not self.writes.hides(before, chain.layer, ()):
            chain.product = before
            chain.nodes.insert(0, before)
            chain.parts.insert(0, "scale")

    def _normed(self, chain: Chain) -> None:
        after = self._next(chain)
        norm = self._module(after)
        if after is not None and isinstance(norm, NORMS) and norm.running_var is not None and _is_plain(norm):
            chain.norm = after
            self._take(chain, after, type(norm).__name__)

    def _scaled(self, chain: Chain) -> None:
        """Take a permutation, a factor per channel and a residual together, or nothing (ConvNeXt)."""
        moved = self._next(chain)
        order = _order(moved) if moved is not None else None
        scaled = next(iter(moved.users), None) if moved is not None and len(moved.users) == 1 else None
        if moved is None or order is None or scaled is None or not _calls(scaled, MULTIPLIES):
            return
        factor = _other(scaled, moved)
        if factor is None or factor.op != "get_attr" or scaled in self.used or len(scaled.args) != 2 or scaled.kwargs:
            return
        if (scaled.target in IN_PLACE and scaled.args[0] is factor) or not self._can_wait(chain, scaled):
            return
        values = attribute(self.modules[""], str(factor.target))
        if values.is_complex() or not _is_per_channel(values, order):
            return
        chain.order, chain.factor, chain.widens = order, factor, scaled.target not in IN_PLACE
        self._take(chain, moved, "permute")
        self._take(chain, scaled, "scale")

    def _added(self, chain: Chain) -> None:
        after = self._next(chain)
        if after is None or not _calls(after, ADDS) or len(after.args) != 2 or after.kwargs:
            return
        other = _other(after, chain.last)
        writes = after.target in IN_PLACE and after.args[0] is other  # others may read what it writes
        if other is not None and other.op != "get_attr" and (not writes or self.writes.is_last(other, after)):
            chain.residual = other
            if after.target in IN_PLACE:
                chain.add = added_into if writes else operator.iadd
            self._take(chain, after, "add")

    def _activated(self, chain: Chain) -> None:
        after = self._next(chain)
        name = None if after is None else self._activation(after)
        if after is None or name is None or chain.order is not None:
            return
        if name not in self.activations:
            chain.left = f"no epilogue computes {name}, which torch does"
            return
        chain.activation = name
        self._take(chain, after, name)

    def _activation(self, node: fx.Node) -> str | None:
        module = self._module(node)
        if module is not None and not _is_plain(module):
            return None
        if isinstance(module, nn.GELU):
            return GELUS.get(module.approximate)
        if module is not None:
            return MODULES.get(type(module))
        if len(node.args) != 1 or not set(node.kwargs) <= OPTIONS:  # `out` is written too
            return None
        if node.target is op_gelu.torchs:
            return GELUS.get(str(node.kwargs.get("approximate", "none")))
        return FUNCTIONS.get(node.target) if node.op in ("call_function", "call_method") else None


def added_into(value: Any, residual: Any) -> Any:
    """Return `residual += value`.

    >>> added_into(torch.ones(1), torch.ones(1, dtype=torch.float64)).dtype
    torch.float64
    """
    residual += value
    return residual


def _depth(layer: nn.Module) -> int:
    """Return how far torch's own class is in the order of a layer's classes: a patched layer has others before it."""
    return next(i for i, kind in enumerate(type(layer).__mro__) if kind.__module__.startswith("torch.nn"))


def _is_plain(module: Any) -> bool:
    """Return whether a module computes as torch's class does, with weights of its own, and nothing watches it."""
    kind = next((k for k in OWN if isinstance(module, k)), None)
    if kind is None or is_watched(module) or "forward" in module.__dict__:
        return False
    classes = (kind,) if isinstance(module, Taken) else (kind, type(module))
    if any(getattr(c, name) is not own for name, own in OWN[kind] for c in classes):
        return False
    return all(name in module._parameters or name in module._buffers for name in STATE if hasattr(module, name))


def _pads_zeros(layer: Any) -> bool:
    """Return whether a layer pads by numbers, with zeros, or not at all."""
    return getattr(layer, "padding_mode", "zeros") == "zeros" and not isinstance(getattr(layer, "padding", 0), str)


def _calls(node: fx.Node, targets: tuple[Any, ...]) -> bool:
    """Return whether a node calls one of these functions or methods, not a module of such a name."""
    return node.op in ("call_function", "call_method") and node.target in targets


def _other(node: fx.Node, known: fx.Node) -> fx.Node | None:
    """Return the other operand of a binary operation; None if it is a number, or the same one."""
    others = [arg for arg in node.args if arg is not known]
    return others[0] if len(others) == 1 and isinstance(others[0], fx.Node) else None


def _is_per_channel(values: torch.Tensor, order: tuple[int, ...]) -> bool:
    """Return whether a factor has one value for each column of a linear layer, whose result is permuted."""
    shape = [1] * len(order)
    shape[order.index(len(order) - 1)] = values.numel()
    return tuple(shape[len(order) - values.dim() :]) == tuple(values.shape) and values.dim() <= len(order)


def _order(node: fx.Node) -> tuple[int, ...] | None:
    if not _calls(node, PERMUTES) or node.kwargs:
        return None
    dims = node.args[1] if len(node.args) == 2 else node.args[1:]
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    return tuple(dims) if all(type(d) is int and d >= 0 for d in dims) else None


def attribute(module: Any, path: str) -> Any:
    """Return what a path such as `block.layer_scale` names in a module.

    >>> attribute(nn.Sequential(nn.Linear(2, 3)), "0.weight").shape
    torch.Size([3, 2])
    """
    for name in path.split("."):
        module = getattr(module, name)
    return module
