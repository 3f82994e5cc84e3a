"""The two accepted forms of a tensor, and the canonical axes of both.

Torch's form: input (n, c, spatial...), weight (k, c/g, filter...), output (n, k, spatial...). Or in the order of the
layout with the groups as a separate axis: nhwgc is (n, h, w, g, c/g), its weight (g, k/g, y, x, c/g). The second form
has one more axis, so they cannot be confused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .layout import memory_order

if TYPE_CHECKING:
    from .problem import ConvProblem


def three(values: tuple[int, ...], filler: int) -> tuple[int, ...]:
    """Return one value per axis (d, h, w); those that a problem lacks are `filler`."""
    return (*((filler,) * (3 - len(values))), *values)


def kind_of(problem: ConvProblem, role: str) -> str:
    """Return the role whose axes a role has: a d operand has those of the result."""
    return role if role in ("input", "weight", "output") else problem.result


def accepted_shapes(problem: ConvProblem, role: str) -> tuple[tuple[int, ...], ...]:
    """Return the accepted shapes of this role: torch's, and the layout's own with groups."""
    extents = problem.extents(role)
    literal = tuple(extents[axis] for axis in memory_order(problem.layout, kind_of(problem, role)))
    return (problem.shape(role), literal)


def canonical_strides(
    problem: ConvProblem, role: str, shape: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...] | None:
    """Return the strides along the canonical axes of a tensor in either form; None if the shape fits neither."""
    extents, kind = problem.extents(role), kind_of(problem, role)
    if tuple(shape) == problem.shape(role):
        if len(shape) == 1:  # one value per channel
            return (0, strides[0] * extents[2], strides[0], *(0 for _ in problem.input))
        if kind == "weight":
            return (strides[0] * extents[1], *strides)
        return (strides[0], strides[1] * extents[2], *strides[1:])
    order = memory_order(problem.layout, kind)
    if tuple(shape) == tuple(extents[axis] for axis in order):
        found = [0] * len(extents)
        for place, axis in enumerate(order):
            found[axis] = strides[place]
        return tuple(found)
    return None


def along(*spatial: Any) -> Any:
    """Return an index of the trailing axes that keeps all of the others.

    >>> along(slice(2))
    (Ellipsis, slice(None, 2, None))
    """
    return (Ellipsis, *spatial)


def grouped(problem: ConvProblem, role: str, array: Any) -> Any:
    """Return a view of the NumPy array or torch tensor along the canonical axes."""
    extents, kind = problem.extents(role), kind_of(problem, role)
    if array.shape == problem.shape(role):
        return array.reshape(extents)
    order = memory_order(problem.layout, kind)
    axes = [order.index(axis) for axis in range(len(extents))]
    return array.permute(axes) if hasattr(array, "permute") else array.transpose(axes)
