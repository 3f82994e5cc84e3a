"""What the nodes of a traced model write: operations in place, and functions of the model that nobody looked into.

A graph of `torch.fx` connects a node with the values that it takes, not with what others write into them. Whoever moves
a node, or leaves one out, has to ask here.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import fx, nn

KNOWN = ("torch", "_operator", "operator", "math", "builtins", "numpy", "tilewright")  # packages whose names say it
ASSIGNING = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
WRITERS = (operator.setitem, operator.delitem, *(getattr(operator, f"i{name}") for name in ASSIGNING))
OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
NAMESPACES = ("aten", "prims")  # of torch's own operators
# What returns a tensor of its own.
FRESH = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, torch.add, torch.sub, torch.mul,
         torch.div, torch.matmul, torch.cat, torch.stack, "add", "sub", "mul", "div", "matmul", "softmax")  # fmt: skip
FRESH_MODULES = (nn.modules.conv._ConvNd, nn.Linear, nn.modules.batchnorm._NormBase, nn.LayerNorm)


def _assigning(name: str) -> Callable[[Any, Any], Any]:
    """Return a function like `operator.iadd`, of another name.

    `torch.fx` writes calls of those of Python as statements, which give an older number a new value.
    """
    function = getattr(operator, f"i{name}")

    def assign(value: Any, other: Any) -> Any:
        return function(value, other)

    assign.__name__ = assign.__qualname__ = f"__i{name}__"
    return assign


ASSIGNMENTS = {f"__i{name}__": _assigning(name) for name in ASSIGNING}  # by the method that `x += y` calls


class Writes:
    """Which nodes of a graph write into which memory. Memory is known by the nodes that may have made it."""

    def __init__(self, traced: fx.GraphModule) -> None:
        self.modules = dict(traced.named_modules())
        self.nodes = list(traced.graph.nodes)
        self.places = {node: i for i, node in enumerate(self.nodes)}
        self.memory: dict[fx.Node, frozenset[fx.Node]] = {}
        self.written: dict[fx.Node, frozenset[fx.Node]] = {}
        for node in self.nodes:
            written = self._written(node)
            if written:
                self.written[node] = self._of(written)
            self.memory[node] = self._own(node, bool(written))

    def hides(self, first: fx.Node, last: fx.Node, inside: Iterable[fx.Node]) -> bool:
        """Return whether a node that is computed at `last` instead of at `first` would read other values.

        `inside` are nodes whose values are only handed on: what they write is theirs.
        """
        read = self._of(arg for arg in first.all_input_nodes)
        inner = set(inside)
        between = self.nodes[self.places[first] + 1 : self.places[last]]
        return any(self.written.get(node, frozenset()) & read for node in between if node not in inner)

    def is_last(self, node: fx.Node, last: fx.Node) -> bool:
        """Return whether nobody sees what `last` writes into a value but through `last` itself."""
        memory = self.memory[node]
        if any(made.op in ("placeholder", "get_attr") for made in memory):
            return False
        seen = [n for n in self.nodes[: self.places[last]] if self.memory[n] & memory]
        return all(self.places[user] <= self.places[last] for n in seen for user in n.users)

    def _of(self, nodes: Iterable[fx.Node]) -> frozenset[fx.Node]:
        return frozenset(m for node in nodes for m in self.memory[node])

    def _own(self, node: fx.Node, writes: bool) -> frozenset[fx.Node]:
        """Return the memory that a value may have: its own, that of its inputs, or either."""
        module = self.modules.get(str(node.target)) if node.op == "call_module" else None
        if not writes and (isinstance(module, FRESH_MODULES) or (node.op != "call_module" and node.target in FRESH)):
            return frozenset({node})
        return frozenset({node}) | self._of(node.all_input_nodes)

    def _written(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs that a node may write into."""
        inputs = node.all_input_nodes
        if node.op == "call_module":
            return inputs if getattr(self.modules.get(str(node.target)), "inplace", False) else []
        return written_by(node)


def written_by(node: fx.Node) -> list[fx.Node]:
    """Return the inputs that a call of a function or method may write into: all of them if its name does not say it."""
    if node.op not in ("call_function", "call_method"):
        return []
    if isinstance(node.target, OPERATORS):
        return node.all_input_nodes if _is_writer(node) else []
    if not is_known(node.target):
        return node.all_input_nodes
    if "out" in node.kwargs:
        return _nodes(node.kwargs["out"])
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if name == "set_":  # its arguments share their memory from now on
        return node.all_input_nodes
    if _is_in_place(name) or node.target in WRITERS or _asks_in_place(node):
        return _nodes(node.args[0]) if node.args else node.all_input_nodes
    return []


def is_known(target: Any) -> bool:
    """Return whether a target is one of torch's or Python's own, which does nothing but what its name says.

    >>> is_known("add_"), is_known(torch.add), is_known(torch.ops.aten.add), is_known(torch.ops.quantized.add)
    (True, True, True, False)
    """
    if isinstance(target, OPERATORS):
        return str(target).partition(".")[0] in NAMESPACES
    if isinstance(target, torch._ops.HigherOrderOperator):  # its functions may write
        return False
    return isinstance(target, str) or (getattr(target, "__module__", None) or "torch").partition(".")[0] in KNOWN


def _is_writer(node: fx.Node) -> bool:
    """Return whether a call of an operator writes into an argument, by the schema of any overload it may mean."""
    target: Any = node.target
    found = [target] if isinstance(target, torch._ops.OpOverload) else [getattr(target, n) for n in target.overloads()]
    arguments = [argument for overload in found for argument in overload._schema.arguments]
    written = [argument for argument in arguments if argument.alias_info is not None and argument.alias_info.is_write]
    return any(not argument.kwarg_only or argument.name in node.kwargs for argument in written)


def _nodes(value: Any) -> list[fx.Node]:
    """Return the nodes in an argument, which may be a list."""
    found: list[fx.Node] = []
    fx.map_arg(value, lambda node: found.append(node) or node)  # type: ignore[func-returns-value]
    return found


def _is_in_place(name: str) -> bool:
    """Return whether a function of this name writes into its first argument.

    >>> [_is_in_place(name) for name in ("add_", "_foreach_add_", "add", "__setitem__", "__iadd__", "__add__")]
    [True, True, False, True, True, False]
    """
    if name.startswith("__"):
        return name == "__setitem__" or (name.startswith("__i") and name not in ("__index__", "__invert__", "__int__"))
    return name.endswith("_")


def _asks_in_place(node: fx.Node) -> bool:
    """Return whether a function that can work in place is asked to."""
    target: Any = node.target
    try:
        given = inspect.signature(target).bind(*node.args, **node.kwargs).arguments
    except (TypeError, ValueError):  # functions of C have no signature
        return bool(node.kwargs.get("inplace", False))
    return bool(given.get("inplace", False))
