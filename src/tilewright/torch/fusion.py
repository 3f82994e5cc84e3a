"""The taker behind `patch(model, fuse=True)`: batch norm, activations and residual adds go into epilogues.

A model in evaluation mode is traced with `torch.fx`, and its `forward` is replaced by that of the rewritten graph. If
it cannot be traced, its parts are tried. In training, and where gradients are wanted, the model's own `forward` runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import Any

import torch
from torch import fx, nn

from ..ops.gemm.epilogue import ACTIVATIONS
from . import op_sdpa
from .captures import keep_if_captured
from .chains import Chain, Finder, attribute
from .fitness import DEVICES, DTYPES
from .fused import Fused, FusedConv, FusedLinear
from .layer_norm import take_norms
from .report import Report
from .takers import Claim, Undo

Tensor = torch.Tensor
NAME = "fusion"
PREFIX = "tilewright_fused"


class FusionTaker:
    """Takes chains of layers in modules that `torch.fx` can trace."""

    name = NAME

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return a claim for every chain, taken or left, and for the model if it cannot be traced."""
        if any(part.training for part in model.modules()):
            yield Claim(("",), type(model).__name__, "it is in training mode; call eval() before patch")
            return
        for path, part, reason in _traceable("", model):
            if reason is not None:
                yield Claim((f"{path} (fusion)".strip(),), type(part).__name__, reason)
            else:
                yield from _claims(path, part)


def _traceable(path: str, module: nn.Module) -> Iterator[tuple[str, nn.Module, str | None]]:
    """Return the largest modules that can be traced, and why others cannot."""
    reason = _why_untraceable(module)
    if reason is None:
        yield path, module, None
        return
    if isinstance(module, tuple(_leaves())) or not list(module.children()):
        return
    yield path, module, reason
    for name, child in module.named_children():
        yield from _traceable(f"{path}.{name}".lstrip("."), child)


def _leaves() -> list[type]:
    return [nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer]


def _why_untraceable(module: nn.Module) -> str | None:
    """Return why a module is not traced. An optional argument would be traced as if it was always given."""
    if isinstance(module, (nn.ModuleList, nn.ModuleDict, *_leaves())) or not list(module.children()):
        return "it has no forward pass of its own"
    if "forward" in module.__dict__:
        return "its forward is replaced"
    parameters = list(inspect.signature(module.forward).parameters.values())
    if len(parameters) != 1 or parameters[0].kind not in (0, 1) or parameters[0].default is not parameters[0].empty:
        return f"its forward has {len(parameters)} arguments; one without a default can be traced"
    try:
        _traced(module)
    except Exception as error:  # the model's own code may raise anything when its values are missing
        return f"torch.fx cannot trace it: {' '.join(str(error).split())[:120]}"
    return None


def _traced(module: nn.Module) -> fx.GraphModule:
    """Return the traced module, with calls of attention that a patch can reach, as in a forward pass of Python."""
    with op_sdpa.torchs_own():
        traced = fx.symbolic_trace(module)
    for node in traced.graph.nodes:
        if node.op == "call_function" and node.target is op_sdpa.torchs:
            node.target = _attention
    traced.recompile()
    return traced


def _attention(*args: Any, **options: Any) -> Any:
    """Return the attention of torch's module as it is when this is called."""
    return nn.functional.scaled_dot_product_attention(*args, **options)


def _claims(path: str, module: nn.Module) -> Iterator[Claim]:
    traced = _traced(module)
    found = Finder(traced, ACTIVATIONS).chains()
    layers: list[Fused] = []
    replaced: dict[fx.Node, fx.Node] = {}
    for chain in found:
        where = f"{path}.{chain.path}".lstrip(".")
        layer = traced.get_submodule(chain.path)
        if chain.left is not None:
            yield Claim((f"{where} (activation)",), chain.kind, chain.left)
        if len(chain.parts) < 2:
            continue
        reason = _why_left(layer)
        if reason is not None:
            yield Claim((f"{where} (fusion)",), chain.kind, reason)
            continue
        fused = _fused(where, chain, layer, traced)
        chain.residual = replaced.get(chain.residual, chain.residual)  # else the block before is computed twice
        replaced[chain.last] = _rewrite(traced, chain, fused, f"{PREFIX}{len(layers)}")
        layers.append(fused)
        yield Claim((f"{where} (fusion)",), chain.kind)
    norms = list(take_norms(traced))
    for norm in norms:
        yield Claim((f"{path}.{norm} (fusion)".lstrip("."),), "LayerNorm")
    if layers or norms:
        traced.graph.eliminate_dead_code()
        traced.graph.lint()
        traced.recompile()
        name = path or "(model)"
        apply = partial(_install, name, module, traced, layers)
        yield Claim((f"{name} (forward)",), type(module).__name__, None, apply)


def _why_left(layer: Any) -> str | None:
    if layer.weight.dtype not in DTYPES:
        return f"its weight is {layer.weight.dtype}".replace("torch.", "")
    return None if layer.weight.device.type in DEVICES else f"its weight is on {layer.weight.device.type}"


def _fused(path: str, chain: Chain, layer: Any, traced: fx.GraphModule) -> Fused:
    norm = None if chain.norm is None else traced.get_submodule(str(chain.norm.target))
    factor = None if chain.factor is None else attribute(traced, str(chain.factor.target))
    fold = folding(layer, norm, factor)
    if isinstance(layer, nn.Linear):
        return FusedLinear(path, chain.activation, fold, chain.order is None)  # measured in transformers only
    return FusedConv(path, chain.activation, fold, layer)


def folding(layer: Any, norm: Any = None, factor: Any = None) -> Callable[[], tuple[Tensor, Tensor | None]]:
    """Return a function that folds batch norm, or a factor per channel, into the weight and bias of a layer.

    >>> layer, norm = nn.Conv1d(1, 1, 1, bias=False), nn.BatchNorm1d(1).eval()
    >>> _ = nn.init.ones_(layer.weight), nn.init.constant_(norm.weight, 3.0), nn.init.constant_(norm.running_var, 4.0)
    >>> weight, bias = folding(layer, norm)()
    >>> round(weight.item(), 4), bias.item()
    (1.5, 0.0)
    """

    @torch.no_grad()
    def fold() -> tuple[Tensor, Tensor | None]:
        weight, bias = layer.weight.detach(), None if layer.bias is None else layer.bias.detach()
        if norm is None and factor is None:
            return weight.clone(), None if bias is None else bias.clone()
        scale, shift = _line(norm, bias) if norm is not None else (factor.detach().float().flatten(), bias)
        folded = (weight.float() * scale.reshape(-1, *(1 for _ in weight.shape[1:]))).to(weight.dtype)
        if weight.dim() in FORMATS and weight.is_contiguous(memory_format=FORMATS[weight.dim()]):
            folded = folded.contiguous(memory_format=FORMATS[weight.dim()])
        if norm is None and shift is not None:
            shift = shift.float() * scale
        return folded, None if shift is None else shift.to(weight.dtype)

    return fold


FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def _line(norm: Any, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the factor and the summand of batch norm in evaluation mode, after a layer with this bias."""
    scale = (norm.running_var.float() + norm.eps).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight.float()
    mean = norm.running_mean.float() - (0.0 if bias is None else bias.float())
    shift = -mean * scale
    return scale, shift if norm.bias is None else shift + norm.bias.float()


def _rewrite(traced: fx.GraphModule, chain: Chain, fused: Fused, name: str) -> fx.Node:
    """Put one call of the fused layer in the place of the last node of a chain. Return the node that has its value."""
    traced.add_submodule(name, fused)
    with traced.graph.inserting_before(chain.last):
        residual = chain.residual
        if residual is not None and chain.order is not None:
            residual = traced.graph.call_method("permute", (residual, *_inverse(chain.order)))
        inputs = [chain.layer.args[0]] if residual is None else [chain.layer.args[0], residual]
        if chain.product is not None:
            inputs = [chain.product.args[0], residual, chain.product.args[1]]
        node = traced.graph.call_module(name, tuple(inputs))
        if chain.order is not None:
            node = traced.graph.call_method("permute", (node, *chain.order))
    chain.last.replace_all_uses_with(node)
    return node


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(i) for i in range(len(order)))


def _install(path: str, module: nn.Module, traced: fx.GraphModule, layers: list[Fused], report: Report) -> Undo:
    """Put the rewritten forward pass into the module, and return the function that takes it out."""
    for layer in layers:
        layer.report = report
    sources = [t for t in (*module.parameters(), *module.buffers()) if not t.is_inference()]
    versions = _stamps(sources)
    own = type(module).forward

    def forward(self: nn.Module, x: Any) -> Any:
        nonlocal versions
        if self is not module:  # a copy, whose weights may change by themselves
            return own(self, x)
        if not report.fuses:
            return own(module, x)
        if module.training:
            versions = []  # the weights may change now: they are folded again afterwards
            return own(module, x)
        if torch.is_grad_enabled() and _wants_gradient(x, sources):
            versions = []
            report.note(path, "gradients are wanted, which fused layers have not; call it under torch.no_grad()")
            return own(module, x)
        if not torch.compiler.is_compiling():
            now = _stamps(sources)
            if now != versions:  # the model's weights have changed
                for layer in layers:
                    layer.refold()
                versions = now
        found = traced.forward(x)
        keep_if_captured(report, layers)  # after the call: a weight may have got another memory format in it
        return found

    module.forward = MethodType(forward, module)
    return lambda: delattr(module, "forward")


def _stamps(sources: list[Tensor]) -> list[tuple[int, int]]:
    """Return what tells that tensors have changed: their versions, and where they are."""
    return [(t._version, t.data_ptr()) for t in sources]


def _wants_gradient(x: Any, sources: list[Tensor]) -> bool:
    return getattr(x, "requires_grad", False) or any(t.requires_grad for t in sources)
