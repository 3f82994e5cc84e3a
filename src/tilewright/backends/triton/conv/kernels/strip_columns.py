"""Strips of one or two channels per group on the matrix units: products over eight columns of two channels.

A product sums over 8 source columns x 2 channels and writes 4 destination columns x 2 channels: the filter stands in
its right operand once per destination column, shifted. Columns come in groups of 4, of which a product takes two. Warps
hold 16 strips and 8 channels, in four pairs. C is a `StripConfig` with `pair` 8.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, as_index, finish, replaced, row_operands, widened, within
from .strip import filter_row, product_layout, source_origin
from .strip_copy import channels_of, fetch_pixels, new_rings, powers, ring_slot, row_tile_layout, wide_layout

GROUP = 4  # columns of a group: lanes that share a line of a product's operand


@triton.constexpr_function
def group_of(window, half, part, C):
    """The group of source columns that is half `half` of the `part`-th product of a window of destinations."""
    return C.first_group(window) + 2 * part + half


@triton.constexpr_function
def read_group(window, half, part, C):
    """`group_of`, or the last group where that is past it: the filter is zero there."""
    return min(group_of(window, half, part, C), C.groups_of_columns - 1)


@triton.constexpr_function
def operand_at(row, part, window, C):
    """Where the right operands of a filter row, product and window begin among all of them."""
    return 4 * ((row * C.products_of_window + part) * C.window_classes + window % C.window_classes)


@triton.constexpr_function
def filter_column(window, part, half, C):
    """The filter column by which column c of a group meets destination d of a window, as `constant + c * a + d * b`."""
    start = C.low + GROUP * group_of(window, half, part, C)
    if C.forward:
        return start - window * GROUP * C.stride, 1, -C.stride
    return window * GROUP + C.phase - start * C.stride, -C.stride, 1


@triton.constexpr_function
def column_layout(C):
    """A group of columns as [blocks, lines, columns, pairs, 2 channels]: 8 channels per thread, columns along lanes."""
    held = [[0, 0, 0, 0, 1], [0, 0, 0, 1, 0], [0, 0, 0, 2, 0], [0, 8, 0, 0, 0]]
    lanes = [[0, 0, 1, 0, 0], [0, 0, 2, 0, 0], [0, 1, 0, 0, 0], [0, 2, 0, 0, 0], [0, 4, 0, 0, 0]]
    warps = [*([0, n, 0, 0, 0] for n in powers(C.lines // 16, 16)), *([n, 0, 0, 0, 0] for n in powers(C.blocks, 1))]
    return gl.DistributedLinearLayout(held, lanes, warps, [], [C.blocks, C.lines, GROUP, 4, 2])


@triton.constexpr_function
def pixel_layout(C):
    """Finished sums as [lines x columns, channels]: 8 channels per thread; nothing moves from `column_layout`."""
    held = [[0, 1], [0, 2], [0, 4], [32, 0]]
    lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
    warps = [*([n * GROUP, 0] for n in powers(C.lines // 16, 16)), *([0, 8 * n] for n in powers(C.blocks, 1))]
    return gl.DistributedLinearLayout(held, lanes, warps, [], [C.lines * GROUP, C.width])


@triton.constexpr_function
def half_layout(C):
    """The half of a left operand that a group of columns gives: [blocks, lines, 4 columns x 2 channels]."""
    lines = [[0, n, 0] for n in powers(C.lines // 16, 16)]
    blocks = [[n, 0, 0] for n in powers(C.blocks, 1)]
    lanes = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]]
    return gl.DistributedLinearLayout([[0, 0, 1], [0, 8, 0]], lanes, [*lines, *blocks], [], [C.blocks, C.lines, 8])


@gluon.jit
def _halves(ring, slot, C: gl.constexpr):
    """A group of columns as four halves of left operands [blocks, lines, 4 columns x 2 channels], a pair each."""
    tile = ring.index(slot).reshape([C.lines, 4, C.blocks, 4, 2]).permute([2, 0, 1, 3, 4])
    x = tile.load(column_layout(C)).reshape([C.blocks, C.lines, 4, 2, 2, 2]).permute([0, 1, 2, 5, 3, 4])
    even, odd = gl.split(x)
    first, third = gl.split(even)
    second, fourth = gl.split(odd)
    HALF: gl.constexpr = half_layout(C)
    return (
        gl.convert_layout(first.reshape([C.blocks, C.lines, 8]), HALF, assert_trivial=True),
        gl.convert_layout(second.reshape([C.blocks, C.lines, 8]), HALF, assert_trivial=True),
        gl.convert_layout(third.reshape([C.blocks, C.lines, 8]), HALF, assert_trivial=True),
        gl.convert_layout(fourth.reshape([C.blocks, C.lines, 8]), HALF, assert_trivial=True),
    )


@gluon.jit
def _right_operand(wgt_ptr, part, groups, fh: gl.constexpr, PART: gl.constexpr, WINDOW: gl.constexpr,
                   PAIR: gl.constexpr, LAYOUT: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """The filter of one row and pair of channels, [blocks, 2 halves x 4 columns x 2, 4 destinations x 2]."""
    block = gl.arange(0, C.blocks, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None] * 8
    k = gl.arange(0, 16, gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))[None, :, None]
    n = gl.arange(0, 8, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :]
    FIRST: gl.constexpr = filter_column(WINDOW, PART, 0, C)
    SECOND: gl.constexpr = filter_column(WINDOW, PART, 1, C)
    begin = gl.where(k < 8, FIRST[0], SECOND[0])
    fw = begin + (k % 8) // 2 * FIRST[1] + n // 2 * FIRST[2]
    read = part * C.width + block + 2 * PAIR + k % 2
    if C.forward:
        row = n % 2 % C.channels
        col = read % C.channels
    else:
        row = read % C.channels
        col = n % 2 % C.channels
    inside = (k % 2 // C.channels == n % 2 // C.channels) & (fw >= 0) & (fw < C.fw) & (read // C.channels < groups)
    TAPS: gl.constexpr = C.fh * C.fw
    at = ((read // C.channels * C.channels + row) * TAPS + (fh * C.fw + fw)) * C.channels + col
    return gl.load(wgt_ptr + widened(at, C.wide), mask=inside, other=0.0)


@gluon.jit
def _filter(wgt_ptr, part, groups, LAYOUT: gl.constexpr, C: gl.constexpr):
    """Every right operand: filter rows, products of a window, classes of windows, pairs of channels."""
    FH: gl.constexpr = C.fh
    PARTS: gl.constexpr = C.products_of_window
    CLASSES: gl.constexpr = C.window_classes
    taps = ()
    for fh in gl.static_range(FH):
        for s in gl.static_range(PARTS):
            for w in gl.static_range(CLASSES):
                for pair in gl.static_range(4):
                    taps = taps + (_right_operand(wgt_ptr, part, groups, fh, s, w, pair, LAYOUT, C),)  # noqa: RUF005
    return taps


@gluon.jit
def _multiply(accs, left, right, taps, AT: gl.constexpr, T: gl.constexpr, A: gl.constexpr, C: gl.constexpr):
    """The sums of the four pairs of a window after one product each."""
    for pair in gl.static_range(4):
        both = gl.join(left[pair], right[pair]).permute([0, 1, 3, 2]).reshape([C.blocks, C.lines, 16])
        both = gl.convert_layout(both, A, assert_trivial=True)
        accs = replaced(accs, AT + pair, mma_v2(both, taps[T + pair], accs[AT + pair]))
    return accs


@gluon.jit
def _meet_row(accs, columns, taps, k: gl.constexpr, A: gl.constexpr, C: gl.constexpr):
    """The sums after every window met source row k."""
    OUT: gl.constexpr = C.rows_out
    WINDOWS: gl.constexpr = C.span // 4
    PARTS: gl.constexpr = C.products_of_window
    for q in gl.static_range(OUT):
        if filter_row(k, q, C) >= 0:
            for w in gl.static_range(WINDOWS):
                for s in gl.static_range(PARTS):
                    accs = _multiply(accs, columns[read_group(w, 0, s, C)], columns[read_group(w, 1, s, C)], taps,
                                     4 * (q * WINDOWS + w), operand_at(filter_row(k, q, C), s, w, C), A, C)  # fmt: skip
    return accs


@gluon.jit
def _arranged(accs, C: gl.constexpr):
    """The first four sums, pairs of channels of a window, as [lines x columns, channels]; nothing moves."""
    x = gl.join(gl.join(accs[0], accs[2]), gl.join(accs[1], accs[3]))
    x = x.reshape([C.blocks, C.lines, 4, 2, 2, 2]).permute([1, 2, 0, 4, 5, 3]).reshape([C.lines * 4, C.width])
    return gl.convert_layout(x, pixel_layout(C), assert_trivial=True)


@gluon.jit
def _group_lines(block, rows, segments, axes, LAYOUT: gl.constexpr, C: gl.constexpr):
    """(image, first turn's row, block of columns, column in its group) of a program's strips, each 4 times over."""
    place = gl.arange(0, C.lines * 4, LAYOUT)
    at = block * C.lines + place // 4
    across = (axes[2][0] + C.span - 1) // C.span
    rest = at // across
    return rest // segments, (rest % segments) * rows - C.phase, at % across, place % 4


@gluon.jit
def _store_turn(accs, stage, turn, dst_ptr, strides, places, bias, images, rows, segments, axes, epilogue,
                C: gl.constexpr):  # fmt: skip
    """Finish and store the destination rows of a turn, neighbouring threads neighbouring channels."""
    OUT: gl.constexpr = C.rows_out
    WINDOWS: gl.constexpr = C.span // 4
    COPY: gl.constexpr = wide_layout(C)
    PIXELS: gl.constexpr = pixel_layout(C)
    block, part, total = places
    image, row, wb, column = _group_lines(block, rows, segments, axes, gl.SliceLayout(1, PIXELS), C)
    channel = channels_of(part, pixel_layout(C), C)
    for q in gl.static_range(OUT):
        dh = row + (turn * OUT + q)
        for w in gl.static_range(WINDOWS):
            dw = wb * C.span + (w * 4) + column
            mask = ((image < images) & within(dh, axes[1][0]) & (dw < axes[2][0]))[:, None] & (channel < total)[None, :]
            acc = _arranged(accs[4 * (q * WINDOWS + w) :], C)
            stage[q * WINDOWS + w].store(finish(acc, image, 0, dh, dw, channel, mask, bias, epilogue, C).to(C.out))
    image, row, wb, column = _group_lines(block, rows, segments, axes, gl.SliceLayout(1, COPY), C)
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    for q in gl.static_range(OUT):
        dh = row + (turn * OUT + q)
        row_in = (image < images) & within(dh, axes[1][0])
        to = along(image, strides[0], C) + along(dh, strides[4], C) + along(wb * C.span + column, strides[5], C)
        to = dst_ptr + (to[:, None] + channel[None, :])
        for w in gl.static_range(WINDOWS):
            inside = row_in & (wb * C.span + (w * 4) + column < axes[2][0])
            mask = inside[:, None] & (channel // C.piece < total // C.piece)[None, :]
            gl.store(to + (w * 4) * as_index(strides[5], C.wide), stage[q * WINDOWS + w].load(COPY), mask=mask)


@gluon.jit
def strip_columns(
    src_ptr, wgt_ptr, dst_ptr, src_strides, dst_strides, images, groups, parts, src_total, dst_total,
    rows, segments, turns, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `strip_conv`."""
    COPY: gl.constexpr = wide_layout(C)
    PRODUCT: gl.constexpr = product_layout(C)
    A: gl.constexpr = gl.DotOperandLayout(0, PRODUCT, 2)
    GROUPS: gl.constexpr = C.groups_of_columns
    NEED: gl.constexpr = C.need
    IN: gl.constexpr = C.rows_in
    OUT: gl.constexpr = C.rows_out
    AHEAD: gl.constexpr = C.ahead
    LAST: gl.constexpr = C.need + C.rows_in * (C.ahead - 1)
    LOW: gl.constexpr = C.low
    WIDTH: gl.constexpr = 4 * C.groups_of_columns
    WINDOWS: gl.constexpr = C.span // 4
    part = gl.program_id(0) % parts
    block = gl.program_id(0) // parts
    image, row, wb, column = _group_lines(block, rows, segments, axes, gl.SliceLayout(1, COPY), C)
    here = image < images
    sh, sw = source_origin(row, wb, axes, C)
    sw += column
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    channel_in = channel // C.piece < src_total // C.piece
    at = along(image, src_strides[0], C) + along(sh, src_strides[4], C) + along(sw, src_strides[5], C)
    at = src_ptr + (at[:, None] + channel[None, :])
    rings = new_rings(WIDTH, C.ring, src_ptr.dtype.element_ty, C)
    stage = ()
    for _ in gl.static_range(OUT * WINDOWS):
        stage = stage + (gl.allocate_shared_memory(C.out, [C.lines * 4, C.width], row_tile_layout(C)),)  # noqa: RUF005
    height, width = axes[1][1], axes[2][1]
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    for k in gl.static_range(NEED):
        fetch_pixels(rings, k, k, at, sh, sw, here, channel_in, src_strides, height, width, LOW, WIDTH, C)
    async_copy.commit_group()
    for t in gl.static_range(1, AHEAD):
        for i in gl.static_range(IN):
            fetch_pixels(rings, NEED + IN * (t - 1) + i, NEED + IN * (t - 1) + i, at, sh, sw, here, channel_in,
                         src_strides, height, width, LOW, WIDTH, C)  # fmt: skip
        async_copy.commit_group()
    taps = _filter(wgt_ptr, part, groups, gl.DotOperandLayout(1, PRODUCT, 2), C)
    stored = channels_of(part, pixel_layout(C), C)
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
        for _ in gl.static_range(OUT * WINDOWS * 4):
            accs = accs + (gl.full([C.blocks, C.lines, 8], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
        for k in gl.static_range(NEED):
            slot = ring_slot(first + k, C)
            columns = ()
            for g in gl.static_range(GROUPS):
                columns = columns + (_halves(rings[g], slot, C),)  # noqa: RUF005
            accs = _meet_row(accs, columns, taps, k, A, C)
        _store_turn(accs, stage, turn, dst_ptr, dst_strides, (block, part, dst_total), bias, images, rows, segments,
                    axes, epilogue, C)  # fmt: skip
        first = ring_slot(first + IN, C)
