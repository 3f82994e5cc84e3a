"""The taker behind `patch(model, fuse=True)`: batch norm, activations and residual adds go into epilogues.

A model in evaluation mode is traced with `torch.fx`, and its `forward` is replaced by that of the rewritten graph
(`fused_forward.py`). If it cannot be traced, its parts are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import fx, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from ..ops.gemm.epilogue import ACTIVATIONS
from .chains import Chain, Finder, attribute
from .folds import Fold
from .fused import Fused, FusedConv, FusedLinear
from .fused_forward import FusedForward
from .layer_norm import take_norms
from .report import Report
from .takers import Claim, Undo, weight_reason
from .tracing import LEAVES, UntraceableError, trace

NAME = "fusion"
PREFIX = "tilewright_fused"


class FusionTaker:
    """Takes chains of layers in modules that `torch.fx` can trace."""

    name = NAME

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return a claim for every chain, taken or left, and for the model if it cannot be traced."""
        yield Claim((), "optimizers", None, _follow_optimizers)
        if any(part.training for part in model.modules()):
            yield Claim(("",), type(model).__name__, "it is in training mode; call eval() before patch")
            return
        for path, part, traced in _traceable("", model):
            if isinstance(traced, str):
                yield Claim((f"{path} (fusion)".strip(),), type(part).__name__, traced)
            else:
                yield from _claims(path, part, traced)


def _follow_optimizers(report: Report) -> Undo:
    """Note each step of an optimizer: fused ones change weights without raising their version."""

    def stepped(*_: Any) -> None:
        report.changes += 1

    return register_optimizer_step_post_hook(stepped).remove


def _traceable(path: str, module: nn.Module) -> Iterator[tuple[str, nn.Module, fx.GraphModule | str]]:
    """Return the largest modules that can be traced with their graphs, and why others cannot."""
    try:
        yield path, module, trace(module)
    except UntraceableError as error:
        if isinstance(module, LEAVES) or not list(module.children()):
            return
        yield path, module, str(error)
        for name, child in module.named_children():
            yield from _traceable(f"{path}.{name}".lstrip("."), child)


def _claims(path: str, module: nn.Module, traced: fx.GraphModule) -> Iterator[Claim]:
    found, called = Finder(traced, ACTIVATIONS).chains(), _called(traced)
    unread = {node for node in traced.graph.nodes if not node.users}  # called for what they write
    layers: list[Fused] = []
    replaced: dict[fx.Node, fx.Node] = {}
    for chain in found:
        where = f"{path}.{chain.path}".lstrip(".")
        layer = traced.get_submodule(chain.path)
        if chain.left is not None:
            yield Claim((f"{where} (activation)",), chain.kind, chain.left)
        if len(chain.parts) < 2:
            continue
        reason = weight_reason(layer)
        if reason is not None:
            yield Claim((f"{where} (fusion)",), chain.kind, reason)
            continue
        fused = _fused(where, chain, layer, module)
        chain.residual = replaced.get(chain.residual, chain.residual)  # else the block before is computed twice
        replaced[chain.last] = _rewrite(traced, chain, fused, f"{PREFIX}{len(layers)}")
        layers.append(fused)
        yield Claim((f"{where} (fusion)",), chain.kind)
    norms = list(take_norms(traced))
    for norm in norms:
        yield Claim((f"{path}.{norm} (fusion)".lstrip("."),), "LayerNorm")
    if layers or norms:
        traced.graph.eliminate_dead_code(lambda node: node in unread or node.op == "placeholder")
        traced.graph.lint()
        traced.recompile()
        name = path or "(model)"
        live = [module.get_submodule(target) for target, n in _called(traced).items() if n == called.get(target)]
        made = FusedForward(name, module, traced, layers, live)
        yield Claim((f"{name} (forward)",), type(module).__name__, None, made.install)


def _called(traced: fx.GraphModule) -> Counter[str]:
    """Return how often the graph calls each submodule."""
    return Counter(str(node.target) for node in traced.graph.nodes if node.op == "call_module")


def _fused(path: str, chain: Chain, layer: Any, module: nn.Module) -> Fused:
    norm = None if chain.norm is None else module.get_submodule(str(chain.norm.target))
    factor = None if chain.factor is None else partial(attribute, module, str(chain.factor.target))
    fold = Fold(layer, norm, factor)
    if isinstance(layer, nn.Linear):
        return FusedLinear(path, chain.activation, fold, chain.add, chain.widens)
    return FusedConv(path, chain.activation, fold, chain.add)


def _rewrite(traced: fx.GraphModule, chain: Chain, fused: Fused, name: str) -> fx.Node:
    """Put one call of the fused layer in the place of the last node of a chain. Return the node that has its value."""
    traced.add_submodule(name, fused)
    with traced.graph.inserting_before(chain.last):
        residual = chain.residual
        if residual is not None and chain.order is not None:
            residual = traced.graph.call_function(permuted, (residual, _inverse(chain.order)))
        inputs = [chain.layer.args[0]] if residual is None else [chain.layer.args[0], residual]
        if chain.product is not None:
            inputs = [chain.product.args[0], residual, chain.product.args[1]]
        node = traced.graph.call_module(name, tuple(inputs))
        if chain.order is not None:
            node = traced.graph.call_function(permuted, (node, chain.order))
    chain.last.replace_all_uses_with(node)
    return node


def permuted(value: Any, order: tuple[int, ...]) -> Any:
    """Return a tensor with its last dimensions in another order; one of fewer gets more first. A number stays.

    >>> permuted(torch.ones(5, 2, 3), (1, 0)).shape, permuted(torch.ones(3), (1, 0)).shape, permuted(2.0, (1, 0))
    (torch.Size([5, 3, 2]), torch.Size([3, 1]), 2.0)
    """
    if not isinstance(value, torch.Tensor) or value.dim() == 0:
        return value
    more = value.dim() - len(order)
    if more < 0:
        value, more = value[(None,) * -more], 0
    return value.permute(*range(more), *(more + i for i in order))


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(i) for i in range(len(order)))
