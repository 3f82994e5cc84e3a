"""Derivatives that jump: ReLU, max pooling and others, where one rounding of the argument changes a gradient much.

A gradient is exact *at the values that were computed*. So the exact computation takes the derivative of each jump where
the judged one took it: at its own argument, which has to be right by itself. Then a ReLU whose argument is zero but for
rounding says nothing about a gradient, and everything else in it is compared as strictly as anywhere.

Nothing is replaced in a model: the arguments are those that autograd keeps for its backward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import torch
from torch.nn import functional

Tensor = torch.Tensor
Points = Mapping[str, Tensor]  # arguments of jumps, by their names: in the order of the forward pass


def _pool(pool: Callable[..., Any], node: Any, x: Tensor) -> Any:
    sizes = (node._saved_kernel_size, node._saved_stride, node._saved_padding, node._saved_dilation)
    return pool(x, *map(tuple, sizes), node._saved_ceil_mode)


# Nodes of autograd's graph: what they keep of their argument, and the function.
JUMPS: dict[str, tuple[str, Callable[[Any, Tensor], Any]]] = {
    "ReluBackward0": ("_saved_result", lambda node, x: functional.relu(x)),
    "LeakyReluBackward0": ("_saved_self", lambda node, x: functional.leaky_relu(x, node._saved_negative_slope)),
    "HardtanhBackward0": ("_saved_self", lambda node, x: x.clamp(node._saved_min_val, node._saved_max_val)),
    "HardswishBackward0": ("_saved_self", lambda node, x: functional.hardswish(x)),
    "HardsigmoidBackward0": ("_saved_self", lambda node, x: functional.hardsigmoid(x)),
    "ClampBackward1": ("_saved_self", lambda node, x: x.clamp(node._saved_min, node._saved_max)),
    "AbsBackward0": ("_saved_self", lambda node, x: x.abs()),
    "MaxPool2DWithIndicesBackward0": ("_saved_self", lambda node, x: _pool(functional.max_pool2d, node, x)),
    "MaxPool3DWithIndicesBackward0": ("_saved_self", lambda node, x: _pool(functional.max_pool3d, node, x)),
}


def jumps_of(outputs: Iterable[Tensor]) -> dict[str, Any]:
    """Return the nodes whose derivative jumps, in the order in which the forward pass made them."""
    seen, waiting, found = set[Any](), [x.grad_fn for x in outputs if x.grad_fn is not None], list[Any]()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        waiting += [before for before, _ in node.next_functions if before is not None]
        if node.name() in JUMPS:
            found.append(node)
    found.sort(key=lambda node: node._sequence_nr())
    return {f"{i} {node.name()}": node for i, node in enumerate(found)}


def points_of(jumps: Mapping[str, Any]) -> Points:
    """Return the arguments of jumps, to be taken before the backward pass frees them."""
    return {name: getattr(node, JUMPS[node.name()][0]).detach() for name, node in jumps.items()}


def move(jumps: Mapping[str, Any], points: Points, which: Collection[str]) -> None:
    """Let the backward pass take the derivatives of some jumps at other points."""
    for name in which:
        node = jumps[name]
        node.register_hook(lambda _, grads, node=node, x=points[name]: (_gradient(node, x, grads[0]),))


def _gradient(node: Any, x: Tensor, grad: Tensor | None) -> Tensor | None:
    if grad is None:
        return None
    point = x.to(grad.dtype).requires_grad_()
    with torch.enable_grad():
        y = JUMPS[node.name()][1](node, point)
    (found,) = torch.autograd.grad(y, point, grad)
    return found
