"""The filter of strips on the matrix units, read in whole lines: it waits in shared memory. C is a `StripConfig`."""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from .common import widened
from .strip_copy import powers


@triton.constexpr_function
def line_layout(C):
    """A filter row of neighbouring output channels, pieces of at most 8 numbers per thread."""
    piece = min(8, C.channels)
    across = min(32, C.filter_numbers // piece)
    return gl.BlockedLayout([1, piece], [32 // across, across], [C.warps, 1], [1, 0])


@triton.constexpr_function
def spread_layout(C):
    """A tap as [output channels, groups of a block, input channels], in the places of a right operand."""
    out = {x: [x, 0, 0] for x in (1, 2, 4, 8)}
    into = {x: [0, 0, x] if x < C.channels else [0, x // C.channels, 0] for x in (1, 2, 4, 8)}
    k, n = (into, out) if C.forward else (out, into)
    warps = [*([0, 0, 0] for _ in powers(C.lines // 16, 1)), *([x, 0, 0] for x in powers(C.blocks, 16))]
    shape = [C.width, 16 // C.channels, C.channels]
    return gl.DistributedLinearLayout([k[1], k[8], n[8]], [k[2], k[4], n[1], n[2], n[4]], warps, [], shape)


@triton.constexpr_function
def waiting_layout(C):
    """Filter rows in shared memory, so swizzled that 8 pieces of a column meet all banks once."""
    pieces = max(1, C.filter_numbers // 8)
    return gl.SwizzledSharedLayout(8, max(1, 8 // pieces), min(8, pieces), [1, 0])


@gluon.jit
def filter_lines(wgt_ptr, part, groups, fh: gl.constexpr, C: gl.constexpr):
    """One filter row of a program's output channels, a line each."""
    LAYOUT: gl.constexpr = line_layout(C)
    NUMBERS: gl.constexpr = C.filter_numbers
    EACH: gl.constexpr = C.fw * C.channels
    PIECE: gl.constexpr = min(8, C.channels)
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(1, LAYOUT))
    number = gl.arange(0, NUMBERS, gl.SliceLayout(0, LAYOUT))
    # Pieces count as a whole, so that the mask leaves loads wide.
    inside = (channel < groups * C.channels)[:, None] & (number // PIECE < EACH // PIECE)[None, :]
    at = widened(channel * (EACH * C.fh), C.wide)[:, None] + number[None, :]
    return gl.load(wgt_ptr + (at + fh * EACH), mask=inside, other=0.0)


@gluon.jit
def diagonal_operand(lines, fw: gl.constexpr, OPERAND: gl.constexpr, C: gl.constexpr):
    """The right operand of one tap, [blocks, channels read, channels written]: groups stand along its diagonal."""
    LAYOUT: gl.constexpr = spread_layout(C)
    x = lines.slice(fw * C.channels, C.channels, dim=1).load(gl.SliceLayout(1, LAYOUT))
    row = gl.arange(0, C.width, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None]
    group = gl.arange(0, 16 // C.channels, gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))[None, :, None]
    x = gl.where(row % 16 // C.channels == group, x.expand_dims(1), 0.0)
    x = x.reshape([C.blocks, 16, 16])
    if C.forward:
        x = x.permute([0, 2, 1])
    return gl.convert_layout(x, OPERAND, assert_trivial=True)


@gluon.jit
def filter_rows(wgt_ptr, part, groups, C: gl.constexpr):
    """The filter rows of a program's output channels, in registers."""
    FH: gl.constexpr = C.fh
    rows = ()
    for fh in gl.static_range(FH):
        rows = rows + (filter_lines(wgt_ptr, part, groups, fh, C),)  # noqa: RUF005
    return rows


@gluon.jit
def diagonal_operands(rows, OPERAND: gl.constexpr, C: gl.constexpr):
    """The right operands of all taps of `filter_rows`, of which one at a time waits in shared memory."""
    FH: gl.constexpr = C.fh
    FW: gl.constexpr = C.fw
    taps = ()
    for fh in gl.static_range(FH):
        lines = gl.allocate_shared_memory(rows[fh].dtype, [C.width, C.filter_numbers], waiting_layout(C), rows[fh])
        for fw in gl.static_range(FW):
            taps = taps + (diagonal_operand(lines, fw, OPERAND, C),)  # noqa: RUF005
    return taps
