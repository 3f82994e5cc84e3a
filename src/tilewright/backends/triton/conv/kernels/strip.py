"""Strips that run down the image, for few channels per group: each source pixel comes from memory once.

A program holds `lines` strips of `span` destination columns and a block of channels. It walks down the rows of its
strips; source rows wait in a ring in shared memory, which copies fill ahead of the products. The channels of several
groups form block-diagonal products on the matrix units, 16 channels by 16. C is a `StripConfig`.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, as_index, finish, replaced, row_operands, within
from .strip_copy import channels_of, fetch_pixels, new_rings, powers, ring_slot, row_tile_layout, wide_layout
from .strip_filter import diagonal_operands, filter_rows


@triton.constexpr_function
def filter_row(k, q, C):
    """The filter row by which the k-th source row of a turn meets the q-th destination row; -1 where none."""
    f = k - q * C.stride if C.forward else q + C.stride * (C.reach - 1 - k)
    return f if 0 <= f < C.fh else -1


@triton.constexpr_function
def filter_column(b, j, C):
    """The filter column by which the b-th source column meets destination column j; -1 where none."""
    b = C.low + b
    f = b - j * C.stride if C.forward else j + C.phase - b * C.stride
    return f if 0 <= f < C.fw else -1


@triton.constexpr_function
def meeting(j, o, C):
    """The o-th source column that destination column j meets; -1 where there are fewer."""
    found = [b for b in range(C.high - C.low) if filter_column(b, j, C) >= 0]
    return found[o] if o < len(found) else -1


@triton.constexpr_function
def tap_of(k, q, b, j, C):
    """The tap for source row k and column b, destination row q and column j; -1 where none."""
    row, column = filter_row(k, q, C), filter_column(b, j, C)
    return row * C.fw + column if b >= 0 and row >= 0 and column >= 0 else -1


@triton.constexpr_function
def product_layout(C):
    """One warp per block of channels and 16 lines."""
    return gl.NVMMADistributedLayout([2, 0], [C.blocks, C.warps // C.blocks, 1], [1, 16, 8])


@triton.constexpr_function
def store_layout(C):
    """The layout of `arranged` products."""
    held, lanes = [[0, 1], [8, 0], [0, 8]], [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
    warps = [*([n, 0] for n in powers(C.lines // 16, 16)), *([0, n] for n in powers(C.blocks, 16))]
    return gl.DistributedLinearLayout(held, lanes, warps, [], [C.lines, C.width])


@gluon.jit
def strip_lines(block, rows, segments, axes, LAYOUT: gl.constexpr, PACK: gl.constexpr, C: gl.constexpr):
    """(image, first turn's destination row, block of columns) of a program's strips, `PACK` times over."""
    at = block * C.lines + gl.arange(0, C.lines * PACK, LAYOUT) % C.lines
    across = (axes[2][0] + C.span - 1) // C.span
    rest = at // across
    return rest // segments, (rest % segments) * rows - C.phase, at % across


@gluon.jit
def source_origin(row, wb, axes, C: gl.constexpr):
    """The source row and column where a strip's first turn begins."""
    if C.forward:
        return row * C.stride - axes[1][5], wb * C.advance - axes[2][5]
    else:
        return (row + axes[1][5]) // C.stride - (C.reach - 1), wb * C.advance + (axes[2][5] - C.phase) // C.stride


@gluon.jit
def _meet(accs, pixels, taps, B: gl.constexpr, T: gl.constexpr, AT: gl.constexpr):
    """The sums after the pixels of column B met one tap."""
    if T >= 0:
        accs = replaced(accs, AT, mma_v2(pixels[B], taps[T], accs[AT]))
    return accs


@gluon.jit
def _meet_taps(accs, pixels, taps, k: gl.constexpr, o: gl.constexpr, C: gl.constexpr):
    """The sums after every destination pixel met the o-th of its columns of source row k: sums are used in turn."""
    SPAN: gl.constexpr = C.span
    OUT: gl.constexpr = C.rows_out
    for q in gl.static_range(OUT):
        for j in gl.static_range(SPAN):
            accs = _meet(accs, pixels, taps, meeting(j, o, C), tap_of(k, q, meeting(j, o, C), j, C), q * SPAN + j)
    return accs


@gluon.jit
def arranged(acc, C: gl.constexpr):
    """A product as [lines, channels]; nothing moves."""
    acc = acc.permute([1, 0, 2]).reshape([C.lines, C.width])
    return gl.convert_layout(acc, store_layout(C), assert_trivial=True)


@gluon.jit
def pixels_of(ring, slot, C: gl.constexpr):
    """The tile of one column as [blocks, lines, channels]."""
    return ring.index(slot).reshape([C.lines, C.blocks, C.block]).permute([1, 0, 2])


@gluon.jit
def _store_turn(accs, turn, stage, dst_ptr, strides, lines, places, bias, images, rows, segments, axes, epilogue,
                C: gl.constexpr):  # fmt: skip
    """Store the destination rows of a turn; `lines` are the strips of the products' threads."""
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    _, part, dst_total = places
    image, row, wb = lines
    channel = channels_of(part, store_layout(C), C)
    for q in gl.static_range(OUT):
        dh = row + (turn * OUT + q)
        for j in gl.static_range(SPAN):
            dw = wb * SPAN + j
            inside = (image < images) & within(dh, axes[1][0]) & (dw < axes[2][0])
            mask = inside[:, None] & (channel < dst_total)[None, :]
            x = finish(arranged(accs[q * SPAN + j], C), image, 0, dh, dw, channel, mask, bias, epilogue, C)
            stage[q * SPAN + j].store(x.to(C.out))
    _store_lines(stage, turn, dst_ptr, strides, places, images, rows, segments, axes, C)


@gluon.jit
def _store_lines(stage, turn, dst_ptr, strides, places, images, rows, segments, axes, C: gl.constexpr):
    """Store what waits in shared memory: neighbouring threads write neighbouring channels of a pixel."""
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    COPY: gl.constexpr = wide_layout(C)
    block, part, dst_total = places
    image, row, wb = strip_lines(block, rows, segments, axes, gl.SliceLayout(1, COPY), 1, C)
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    channel_in = channel // 8 < dst_total // 8
    first = along(image, strides[0], C) + along(wb * SPAN, strides[5], C)
    for q in gl.static_range(OUT):
        dh = row + (turn * OUT + q)
        here = (image < images) & within(dh, axes[1][0])
        to = dst_ptr + ((first + along(dh, strides[4], C))[:, None] + channel[None, :])
        for j in gl.static_range(SPAN):
            inside = here & (wb * SPAN + j < axes[2][0])
            x = stage[q * SPAN + j].load(COPY)
            gl.store(to + j * as_index(strides[5], C.wide), x, mask=inside[:, None] & channel_in[None, :])


@gluon.jit
def strip_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, dst_strides, images, groups, parts, src_total, dst_total,
    rows, segments, turns, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)); `rows` of each of `segments` of the image, `rows_out` of them per turn."""
    COPY: gl.constexpr = wide_layout(C)
    PRODUCT: gl.constexpr = product_layout(C)
    A: gl.constexpr = gl.DotOperandLayout(0, PRODUCT, 2)
    LOW: gl.constexpr = C.low
    WIDTH: gl.constexpr = C.high - C.low
    NEED: gl.constexpr = C.need
    IN: gl.constexpr = C.rows_in
    AHEAD: gl.constexpr = C.ahead
    LAST: gl.constexpr = C.need + C.rows_in * (C.ahead - 1)
    part = gl.program_id(0) % parts
    block = gl.program_id(0) // parts
    image, row, wb = strip_lines(block, rows, segments, axes, gl.SliceLayout(1, COPY), 1, C)
    here = image < images
    sh, sw = source_origin(row, wb, axes, C)
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    channel_in = channel // 8 < src_total // 8
    at = along(image, src_strides[0], C) + along(sh, src_strides[4], C) + along(sw, src_strides[5], C)
    at = src_ptr + (at[:, None] + channel[None, :])
    rings = new_rings(WIDTH, C.ring, src_ptr.dtype.element_ty, C)
    height, width = axes[1][1], axes[2][1]
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    filters = filter_rows(wgt_ptr, part, groups, C)
    for k in gl.static_range(NEED):
        fetch_pixels(rings, k, k, at, sh, sw, here, channel_in, src_strides, height, width, LOW, WIDTH, C)
    async_copy.commit_group()
    for t in gl.static_range(1, AHEAD):
        for i in gl.static_range(IN):
            fetch_pixels(rings, NEED + IN * (t - 1) + i, NEED + IN * (t - 1) + i, at, sh, sw, here, channel_in,
                         src_strides, height, width, LOW, WIDTH, C)  # fmt: skip
        async_copy.commit_group()
    taps = diagonal_operands(filters, gl.DotOperandLayout(1, PRODUCT, 2), C)
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    FW: gl.constexpr = C.fw
    stage = ()
    for _ in gl.static_range(OUT * SPAN):
        stage = stage + (gl.allocate_shared_memory(C.out, [C.lines, C.width], row_tile_layout(C)),)  # noqa: RUF005
    lines = strip_lines(block, rows, segments, axes, gl.SliceLayout(1, store_layout(C)), 1, C)
    stored = channels_of(part, store_layout(C), C)
    bias = row_operands(stored, stored < dst_total, epilogue, C)
    first = 0
    for turn in range(turns):
        async_copy.wait_group(AHEAD - 1)
        more = here & (turn + AHEAD < turns)
        for i in gl.static_range(IN):
            fetch_pixels(rings, ring_slot(first + (LAST + i), C), IN * turn + (LAST + i), at, sh, sw, more, channel_in,
                         src_strides, height, width, LOW, WIDTH, C)  # fmt: skip
        async_copy.commit_group()
        accs = ()
        for _ in gl.static_range(OUT * SPAN):
            accs = accs + (gl.full([C.blocks, C.lines, C.block], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
        for k in gl.static_range(NEED):
            slot = ring_slot(first + k, C)
            pixels = ()
            for b in gl.static_range(WIDTH):
                pixels = pixels + (pixels_of(rings[b], slot, C).load(A),)  # noqa: RUF005
            for o in gl.static_range(FW):
                accs = _meet_taps(accs, pixels, taps, k, o, C)
        _store_turn(accs, turn, stage, dst_ptr, dst_strides, lines, (block, part, dst_total), bias, images, rows,
                    segments, axes, epilogue, C)  # fmt: skip
        first = ring_slot(first + IN, C)
