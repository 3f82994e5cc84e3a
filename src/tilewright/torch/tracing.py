"""The graph of a module by `torch.fx`, from a copy of it, so that tracing changes nothing in the model.

Tracing runs `forward` once, and what Python decides there stays decided. So a module is traced twice, with and without
gradients and with other random numbers: if the graphs differ, or if tracing changes the copy, it is not fused.
"""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import fx, nn

from . import op_sdpa
from .hooks import is_watched
from .modules import Taken
from .state import State, TooLargeError
from .ways import PLAIN_TYPES
from .writes import ASSIGNMENTS

LEAVES = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)


class UntraceableError(Exception):
    """Why a module is not traced."""


class _Proxy(fx.Proxy):
    """A value of a traced model. `x += y` writes into it; torch's own proxy computes `x + y`, which others do not see.

    Nobody can follow what is assigned to its attributes (`x.data = y`).
    """

    def __getattr__(self, name: str) -> Any:
        return _Attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("tracer", "node", "root", "attr", "_node"):
            raise UntraceableError(f"its forward assigns to {name} of a tensor")
        super().__setattr__(name, value)


class _Attribute(_Proxy, fx.proxy.Attribute):
    """An attribute of a value."""

    __init__ = fx.proxy.Attribute.__init__
    node = fx.proxy.Attribute.node
    __call__ = fx.proxy.Attribute.__call__


def _recorded(function: Any) -> Any:
    def record(self: _Proxy, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (self, other), {})

    return record


for _name, _function in ASSIGNMENTS.items():
    setattr(_Proxy, _name, _recorded(_function))


class _Tracer(fx.Tracer):
    """Leaves the layers that a patch has taken as they are, and records writes by operators."""

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, Taken) or super().is_leaf_module(m, module_qualified_name)

    def call_module(self, m: nn.Module, forward: Any, args: Any, kwargs: Any) -> Any:
        path = self.path_of_module(m)
        if not self.is_leaf_module(m, path) and is_watched(m):
            raise UntraceableError(f"{path} has hooks")
        return super().call_module(m, forward, args, kwargs)


def trace(module: nn.Module) -> fx.GraphModule:
    """Return the graph of a module, over the module's own layers and weights; raise `UntraceableError`.

    >>> trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU())).code.count("self")
    3
    """
    _refuse(module)
    with op_sdpa.torchs_own():
        graphs = [_graph(module, seed, grad) for seed, grad in ((1, True), (2, False))]
    if len({_text(graph) for graph in graphs}) > 1:
        raise UntraceableError("its forward depends on random numbers, or on whether gradients are enabled")
    for node in graphs[0].nodes:
        if node.op == "call_function" and node.target is op_sdpa.torchs:
            node.target = _attention  # a patch can reach it, as in a forward pass of Python
    return fx.GraphModule(module, graphs[0])


def _refuse(module: nn.Module) -> None:
    """Raise if a module is not for tracing. An optional argument would be traced as if it was always given."""
    if isinstance(module, (nn.ModuleList, nn.ModuleDict, *LEAVES)) or not list(module.children()):
        raise UntraceableError("it has no forward pass of its own")
    if "forward" in module.__dict__:
        raise UntraceableError("its forward is replaced")
    found = list(inspect.signature(module.forward).parameters.values())
    if len(found) != 1 or found[0].kind not in (0, 1) or found[0].default is not found[0].empty:
        raise UntraceableError(f"its forward has {len(found)} arguments; one without a default can be traced")
    for tensor in (*module.parameters(), *module.buffers()):
        if type(tensor) not in PLAIN_TYPES:
            raise UntraceableError("a weight is a tensor subclass")
        if tensor.is_inference():
            raise UntraceableError("a weight was made in inference mode, where torch counts no changes")


def _graph(module: nn.Module, seed: int, grad: bool) -> fx.Graph:
    """Return the graph of a copy, which shares the parameters of the module."""
    try:
        with torch.inference_mode(False):  # torch counts no changes of what is made in that mode
            copied = copy.deepcopy(module, {id(p): p for p in module.parameters()})
        before = State(copied, (), (*copied.parameters(), *copied.buffers()))
        with _random_numbers(seed), torch.set_grad_enabled(grad):
            graph = _Tracer().trace(copied)
        if any(str(node.target).startswith("_tensor_constant") for node in graph.nodes):
            raise UntraceableError("its forward makes tensors that do not depend on the input")
        change = before.compare()
    except (UntraceableError, TooLargeError) as error:
        raise UntraceableError(str(error)) from None
    except Exception as error:  # the model's own code may raise anything when its values are missing
        raise UntraceableError(f"torch.fx cannot trace it: {' '.join(str(error).split())[:120]}") from None
    if change:
        what = before.explain(change) if isinstance(change, tuple) else "a tensor of it has changed"
        raise UntraceableError(f"its forward changes the model: {what}")
    return graph


@contextmanager
def _random_numbers(seed: int) -> Iterator[None]:
    """Start all random numbers of the host at `seed` meanwhile."""
    python, arrays = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            random.seed(seed)
            np.random.seed(seed)
            yield
    finally:
        random.setstate(python)
        np.random.set_state(arrays)


def _text(graph: fx.Graph) -> str:
    return "\n".join(f"{n.op} {n.name} {n.target} {n.args} {n.kwargs}" for n in graph.nodes)


def _attention(*args: Any, **options: Any) -> Any:
    """Return the attention of torch's module as it is when this is called."""
    return nn.functional.scaled_dot_product_attention(*args, **options)
