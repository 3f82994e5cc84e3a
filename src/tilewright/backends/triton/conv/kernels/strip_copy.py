"""Copies of whole rows of strips: neighbouring threads copy neighbouring channels of a pixel. C is a `StripConfig`."""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy

from .common import as_index, within


@triton.constexpr_function
def powers(n, unit):
    """`unit` times the powers of two below n."""
    return [unit << i for i in range(n.bit_length() - 1)]


@triton.constexpr_function
def wide_layout(C):
    """Pieces of one copy each: `pack` columns of every strip."""
    across = min(32, C.width // C.piece)
    return gl.BlockedLayout([1, C.piece], [32 // across, across], [C.warps, 1], [1, 0])


@triton.constexpr_function
def row_tile_layout(C):
    """Lines of `width` channels; for the matrix units so swizzled that 8 pieces of a column meet all banks once.

    Lines that wait to be stored lie alike: matrix units hand over 8 pieces of a column at a time, too.
    """
    if not C.dot:
        return gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    pieces = C.width // 8
    return gl.SwizzledSharedLayout(8, max(1, 8 // pieces), min(8, pieces), [1, 0])


@gluon.jit
def channels_of(part, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The channels of a part, as the columns of a tile in this layout."""
    return part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, LAYOUT))


@gluon.jit
def fetch_pixels(rings, slot, row, at, sh, sw, here, channel_in, strides, height, width, LOW: gl.constexpr,
                 COUNT: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """Start to copy one row of the strips into the rings; what lies outside of the image becomes zero.

    `sw` and `at` belong to the columns of a pack.
    """
    row_in = here & within(sh + row, height)
    line = gl.arange(0, C.lines * C.pack, sw.type.layout)
    for g in gl.static_range(len(rings)):
        valid = row_in & within(sw + (g * C.pack + LOW), width)
        if (g + 1) * C.pack > COUNT:
            valid = valid & (line < (COUNT - g * C.pack) * C.lines)
        move = row * as_index(strides[4], C.wide) + (g * C.pack + LOW) * as_index(strides[5], C.wide)
        mask = valid[:, None] & channel_in[None, :]
        async_copy.async_copy_global_to_shared(rings[g].index(slot), at + move, mask=mask)


@gluon.jit
def new_rings(COUNT: gl.constexpr, SLOTS: gl.constexpr, DTYPE: gl.constexpr, C: gl.constexpr):
    """A ring of rows per pack of columns: copies into parts of one ring would wait for each other."""
    rings = ()
    for _ in gl.static_range((COUNT + C.pack - 1) // C.pack):
        one = gl.allocate_shared_memory(DTYPE, [SLOTS, C.lines * C.pack, C.width], row_tile_layout(C))
        rings = rings + (one,)  # noqa: RUF005 (Triton has no unpacking)
    return rings


@gluon.jit
def ring_slot(row, C: gl.constexpr):
    """The place of a row that is at most a ring past the ring's begin."""
    return gl.where(row >= C.ring, row - C.ring, row)
