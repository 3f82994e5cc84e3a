"""Fake tensors of a graph's nodes, looked at without a guard: sizes that may change are compared as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .inductor import hint_of

UNKNOWN_GEOMETRY = "a stride, padding or dilation is not known"


def value_of(node: Any) -> Any:
    """Return the fake tensor of a node."""
    return node.meta["val"]


def formula_of(size: Any) -> Any:
    """Return a size as a number or as a formula.

    >>> formula_of(3)
    3
    """
    return size.node.expr if isinstance(size, torch.SymInt) else size


def same_shape(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether two shapes are surely the same.

    >>> same_shape((2, 3), [2, 3]), same_shape((2,), (2, 1))
    (True, False)
    """
    return len(one) == len(other) and all(formula_of(a) == formula_of(b) for a, b in zip(one, other, strict=True))


def has_known_geometry(*values: Any) -> bool:
    """Return whether lists of strides, paddings and dilations are numbers; they may depend on sizes that change.

    >>> has_known_geometry([1, 1], [0, 0])
    True
    """
    return all(type(n) is int for each in values for n in each)


def is_dense(tensor: Any) -> bool:
    """Return whether a tensor surely lies dense in memory, in the order of its dimensions.

    >>> is_dense(torch.ones(2, 3)), is_dense(torch.ones(2, 3).mT)
    (True, False)
    """
    step: Any = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride()), strict=True):
        if formula_of(size) != 1 and formula_of(stride) != formula_of(step):
            return False
        step = step * size
    return True


def example_of(tensor: Any) -> torch.Tensor | None:
    """Return a tensor without memory, with sizes and strides that the fake tensor has for example; None if unknown.

    >>> example_of(torch.ones(2, 3)).device.type
    'meta'
    """
    shape = [hint_of(n) for n in tensor.shape]
    strides = [hint_of(n) for n in tensor.stride()]
    if None in shape or None in strides:
        return None
    return torch.empty_strided(shape, strides, dtype=tensor.dtype, device="meta")  # type: ignore[arg-type]


def size_of(node: Any) -> int:
    """Return how many bytes the value of a node has, for example."""
    found = example_of(value_of(node))
    return 0 if found is None else found.numel() * found.element_size()
