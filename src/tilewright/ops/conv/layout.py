"""Layouts of convolution tensors: channels-last and channels-first, for one to three spatial dimensions.

Every tensor is described in one canonical axis order, independent of its memory order: input (n, g, c, spatial...),
weight (g, k, c, filter...), output (n, g, k, spatial...), with c and k counted per group. The layout determines the
strides of a dense tensor along these axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import UnknownNameError

SPATIAL = {1: "w", 2: "hw", 3: "dhw"}
CHANNELS_LAST = {dims: f"n{s}gc" for dims, s in SPATIAL.items()}
CHANNELS_FIRST = {dims: f"ngc{s}" for dims, s in SPATIAL.items()}
CONV_LAYOUTS = (*CHANNELS_LAST.values(), *CHANNELS_FIRST.values())


def dims_of(layout: str) -> int:
    """Return the spatial dimensions of a layout.

    >>> dims_of("nhwgc"), dims_of("ngcw")
    (2, 1)
    """
    if layout not in CONV_LAYOUTS:
        raise UnknownNameError("conv layout", layout, CONV_LAYOUTS)
    return len(layout) - 3


def is_channels_last(layout: str) -> bool:
    """Return whether the channels of one pixel are contiguous.

    >>> is_channels_last("ndhwgc"), is_channels_last("ngcdhw")
    (True, False)
    """
    return layout in CHANNELS_LAST.values()


def memory_order(layout: str, role: str) -> tuple[int, ...]:
    """Return the canonical axes of a role from the slowest to the fastest in memory.

    >>> memory_order("nhwgc", "input"), memory_order("nhwgc", "weight")
    ((0, 3, 4, 1, 2), (0, 1, 3, 4, 2))
    """
    spatial = tuple(range(3, 3 + dims_of(layout)))
    if not is_channels_last(layout):
        return (0, 1, 2, *spatial)
    return (0, 1, *spatial, 2) if role == "weight" else (0, *spatial, 1, 2)


def dense_strides(layout: str, role: str, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, along the canonical axes, of a dense tensor.

    >>> dense_strides("nhwgc", "input", (2, 3, 4, 5, 6))
    (360, 4, 1, 72, 12)
    """
    strides, step = [0] * len(extents), 1
    for axis in reversed(memory_order(layout, role)):
        strides[axis] = step
        step *= extents[axis]
    return tuple(strides)


def guess_layout(role: str, extents: Sequence[int], strides: Sequence[int]) -> str | None:
    """Return "last" or "first" by the strides along the canonical axes; None if the tensor is both.

    >>> guess_layout("output", (2, 1, 4, 5, 6), (120, 4, 1, 24, 4))
    'last'
    >>> guess_layout("weight", (8, 1, 1, 3, 3), (9, 9, 9, 3, 1)) is None
    True
    """
    channels = [s for axis, s in enumerate(strides[:3]) if extents[axis] > 1 and axis == 2]
    if role != "weight":
        channels += [strides[1]] if extents[1] > 1 else []
    spatial = [s for axis, s in enumerate(strides) if axis > 2 and extents[axis] > 1]
    if not channels or not spatial:
        return None
    return "last" if min(map(abs, channels)) < min(map(abs, spatial)) else "first"
