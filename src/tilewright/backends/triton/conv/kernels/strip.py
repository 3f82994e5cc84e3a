"""Strips that run down the image, for few channels per group: each source pixel comes from memory once.

A program holds `lines` strips of `span` destination columns and a block of channels. It walks down the rows of its
strips; source rows wait in a ring in shared memory, which copies fill ahead of the products. The channels of several
groups form block-diagonal products on the matrix units: 16 channels by 16, or 8 channels of a pair of columns by 8.
C is a `StripConfig`.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, as_index, finish, replaced, widened, within


@triton.constexpr_function
def filter_row(k, q, C):
    """The filter row by which the k-th source row of a turn meets the q-th destination row; -1 where none."""
    f = k if C.forward else q + C.stride * (C.need - 1 - k)
    return f if 0 <= f < C.fh else -1


@triton.constexpr_function
def filter_columns(g, j, C):
    """The filter columns by which the g-th group of `pair` source columns meets destination column j; -1 where none."""
    found = []
    for b in range(C.low + g * C.pair, C.low + (g + 1) * C.pair):
        f = b - j * C.stride if C.forward else j + C.phase - b * C.stride
        found.append(f if 0 <= f < C.fw else -1)
    return tuple(found)


@triton.constexpr_function
def meetings(j, C):
    """The groups of source columns that destination column j meets."""
    return [g for g in range(C.groups_of_columns) if max(filter_columns(g, j, C)) >= 0]


@triton.constexpr_function
def most_meetings(C):
    """Groups of source columns that a destination column meets, at most."""
    return max(len(meetings(j, C)) for j in range(C.span))


@triton.constexpr_function
def meeting(j, o, C):
    """The o-th group of columns that destination column j meets; -1 where there are fewer."""
    return meetings(j, C)[o] if o < len(meetings(j, C)) else -1


@triton.constexpr_function
def operands(C):
    """Every combination of filter columns that one product needs."""
    found = {filter_columns(g, j, C) for g in range(C.groups_of_columns) for j in range(C.span)}
    return tuple(sorted(x for x in found if max(x) >= 0))


@triton.constexpr_function
def in_operand(i, at, C):
    """One of the filter columns of the i-th operand."""
    return operands(C)[i][at]


@triton.constexpr_function
def operand_of(k, q, g, j, C):
    """The number of the operand for source row k and columns g, destination row q and column j; -1 where none."""
    if g < 0:
        return -1
    row, columns = filter_row(k, q, C), filter_columns(g, j, C)
    return row * len(operands(C)) + operands(C).index(columns) if row >= 0 and max(columns) >= 0 else -1


@triton.constexpr_function
def copy_layout(C):
    """One piece of 8 channels per thread; the 8 threads that write a bank's width lie together in shared memory."""
    return gl.BlockedLayout([1, 1, 8], [C.blocks, 16 // C.blocks, 2], [1, C.warps, 1], [2, 1, 0])


@triton.constexpr_function
def product_layout(C):
    """One warp per 16 channels and 16 lines."""
    return gl.NVMMADistributedLayout([2, 0], [C.blocks, C.warps // C.blocks, 1], [1, 16, 8])


@triton.constexpr_function
def tile_layout(C):
    """Rows of 16 channels, so swizzled that eight of them meet all banks once."""
    return gl.SwizzledSharedLayout(8, 4, 2, [2, 1, 0])


@triton.constexpr_function
def store_layout(C):
    """The layout of `arranged` products."""
    lines = [[16 << i, 0] for i in range((C.lines // 16).bit_length() - 1)]
    blocks = [[0, C.block << i] for i in range(C.blocks.bit_length() - 1)]
    if C.pair == 1:
        held, quad = [[0, 1], [0, 2], [8, 0]], [[0, 4], [0, 8]]
    else:
        held, quad = [[0, 1], [8, 0]], [[0, 2], [0, 4]]
    rows = [[1, 0], [2, 0], [4, 0]]
    return gl.DistributedLinearLayout(held, [*quad, *rows], [*lines, *blocks], [], [C.lines, C.width])


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
        return (row + axes[1][5]) // C.stride - (C.need - 1), wb * C.advance + (axes[2][5] - C.phase) // C.stride


@gluon.jit
def channels_of(part, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The channels of a [blocks, lines, 16] tile."""
    block = gl.arange(0, C.blocks, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None]
    k = gl.arange(0, 16, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :]
    return part * C.width + block * C.block + k % C.block


@gluon.jit
def columns_of(first, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The columns of a [blocks, lines, 16] tile whose lines begin at column `first`."""
    first = first[None, :, None]
    if C.pair > 1:
        first = first + gl.arange(0, 16, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :] // C.block
    return first


@gluon.jit
def tile_rings(COUNT: gl.constexpr, SLOTS: gl.constexpr, DTYPE: gl.constexpr, C: gl.constexpr):
    """A ring of rows per tile of columns: copies into parts of one ring would wait for each other."""
    rings = ()
    for _ in gl.static_range(COUNT):
        one = gl.allocate_shared_memory(DTYPE, [SLOTS, C.blocks, C.lines, 16], tile_layout(C))
        rings = rings + (one,)  # noqa: RUF005 (Triton has no unpacking)
    return rings


@gluon.jit
def fetch_row(rings, slot, row, at, sh, columns, here, channel_in, strides, height, width, LOW: gl.constexpr,
              C: gl.constexpr):  # fmt: skip
    """Start to copy one row of the strips into the rings; what lies outside of the image becomes zero."""
    row_in = (here & within(sh + row, height))[None, :, None] & channel_in
    COUNT: gl.constexpr = len(rings)
    for g in gl.static_range(COUNT):
        mask = gl.max_constancy(row_in & within(columns + (g * C.pair + LOW), width), [1, 1, 8])
        move = row * as_index(strides[4], C.wide) + (g * C.pair + LOW) * as_index(strides[5], C.wide)
        async_copy.async_copy_global_to_shared(rings[g].index(slot), at + move, mask=mask)


@gluon.jit
def _operand(at, inside, half, row: gl.constexpr, left: gl.constexpr, right: gl.constexpr, C: gl.constexpr):
    """The filter taps of one product: filter column `left`, and `right` in the second half of a pair."""
    column = left
    if C.pair > 1:
        column = gl.where(half == 0, left, right)
        inside = inside & (column >= 0)
    return gl.load(at + (row * C.fw + column) * C.channels, mask=inside, other=0.0)


@gluon.jit
def block_diagonal(wgt_ptr, part, groups, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The filter, one [blocks, 16, channels written] operand for each of `operands` and each filter row.

    Written channels are in the order that gives each thread neighbours to store. Weights are packed: [group, out
    channel, tap, in channel].
    """
    block = gl.arange(0, C.blocks, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None] * C.block
    k = gl.arange(0, 16, gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))[None, :, None]
    n = gl.arange(0, C.block, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :]
    read = k % C.block
    written = n
    if C.pair == 1:
        written = (n % 8) // 2 * 4 + n // 8 * 2 + n % 2
    group = (part * C.width + block + read) // C.channels
    if C.forward:
        row = written % C.channels
        col = read % C.channels
    else:
        row = read % C.channels
        col = written % C.channels
    TAPS: gl.constexpr = C.fh * C.fw
    at = wgt_ptr + widened((group * C.channels + row) * TAPS * C.channels + col, C.wide)
    inside = (read // C.channels == written // C.channels) & (group < groups)
    FH: gl.constexpr = C.fh
    EACH: gl.constexpr = len(operands(C))
    taps = ()
    for fh in gl.static_range(FH):
        for i in gl.static_range(EACH):
            taps = taps + (_operand(at, inside, k // C.block, fh, in_operand(i, 0, C), in_operand(i, -1, C), C),)  # noqa: RUF005
    return taps


@gluon.jit
def _meet(accs, pixels, taps, G: gl.constexpr, T: gl.constexpr, AT: gl.constexpr):
    """The sums after the pixels of columns G met one operand."""
    if T >= 0:
        accs = replaced(accs, AT, mma_v2(pixels[G], taps[T], accs[AT]))
    return accs


@gluon.jit
def _meet_taps(accs, pixels, taps, k: gl.constexpr, o: gl.constexpr, C: gl.constexpr):
    """The sums after every destination pixel met the o-th group of columns of source row k: sums are used in turn."""
    SPAN: gl.constexpr = C.span
    OUT: gl.constexpr = C.rows_out
    for q in gl.static_range(OUT):
        for j in gl.static_range(SPAN):
            accs = _meet(accs, pixels, taps, meeting(j, o, C), operand_of(k, q, meeting(j, o, C), j, C), q * SPAN + j)
    return accs


@gluon.jit
def arranged(acc, C: gl.constexpr):
    """A product as [lines, channels], neighbouring channels per thread; nothing moves."""
    if C.pair == 1:
        acc = acc.reshape([C.blocks, C.lines, 2, 4, 2]).permute([1, 0, 3, 2, 4])
    else:
        acc = acc.permute([1, 0, 2])
    return gl.convert_layout(acc.reshape([C.lines, C.width]), store_layout(C), assert_trivial=True)


@gluon.jit
def store_pixel(acc, dst_ptr, strides, image, dh, dw, inside, channel, channel_in, epilogue, C: gl.constexpr):
    """Finish and store one pixel of every strip."""
    mask = inside[:, None] & channel_in[None, :]
    x = finish(acc, image, 0, dh, dw, channel, mask, epilogue, C).to(C.out)
    to = along(image, strides[0], C) + along(dh, strides[4], C) + along(dw, strides[5], C)
    gl.store(dst_ptr + (to[:, None] + channel[None, :]), x, mask=mask)


@gluon.jit
def strip_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, dst_strides, images, groups, parts, src_total, dst_total,
    rows, segments, turns, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)); `rows` of each of `segments` of the image, `rows_out` of them per turn."""
    COPY: gl.constexpr = copy_layout(C)
    PRODUCT: gl.constexpr = product_layout(C)
    LINES: gl.constexpr = gl.SliceLayout(0, gl.SliceLayout(2, COPY))
    A: gl.constexpr = gl.DotOperandLayout(0, PRODUCT, 2)
    LOW: gl.constexpr = C.low
    WIDTH: gl.constexpr = C.groups_of_columns
    NEED: gl.constexpr = C.need
    IN: gl.constexpr = C.rows_in
    AHEAD: gl.constexpr = C.ahead
    RING: gl.constexpr = C.ring
    part = gl.program_id(0) % parts
    image, row, wb = strip_lines(gl.program_id(0) // parts, rows, segments, axes, LINES, 1, C)
    here = image < images
    sh, sw = source_origin(row, wb, axes, C)
    columns = columns_of(sw, COPY, C)
    channel = channels_of(part, COPY, C)
    channel_in = channel // 8 < src_total // 8
    at = along(image, src_strides[0], C) + along(sh, src_strides[4], C)
    at = at[None, :, None] + along(columns, src_strides[5], C)
    # Eight channels lie together, which the compiler does not see through the pairs of columns.
    at = src_ptr + gl.max_contiguous(gl.multiple_of(at + channel, [1, 1, 8]), [1, 1, 8])
    rings = tile_rings(WIDTH, RING, src_ptr.dtype.element_ty, C)
    height, width = axes[1][1], axes[2][1]
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    for k in gl.static_range(NEED):
        fetch_row(rings, k, k, at, sh, columns, here, channel_in, src_strides, height, width, LOW, C)
    async_copy.commit_group()
    for t in gl.static_range(1, AHEAD):
        for i in gl.static_range(IN):
            fetch_row(rings, NEED + IN * (t - 1) + i, NEED + IN * (t - 1) + i, at, sh, columns, here, channel_in,
                      src_strides, height, width, LOW, C)  # fmt: skip
        async_copy.commit_group()
    taps = block_diagonal(wgt_ptr, part, groups, gl.DotOperandLayout(1, PRODUCT, 2), C)
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    STORE: gl.constexpr = store_layout(C)
    to_image, to_row, to_wb = strip_lines(
        gl.program_id(0) // parts, rows, segments, axes, gl.SliceLayout(1, STORE), 1, C
    )
    to_channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, STORE))
    first = 0
    for turn in range(turns):
        async_copy.wait_group(AHEAD - 1)
        more = here & (turn + AHEAD < turns)
        for i in gl.static_range(IN):
            slot = first + (NEED + IN * (AHEAD - 1) + i)
            slot = gl.where(slot >= RING, slot - RING, slot)
            fetch_row(rings, slot, IN * turn + (NEED + IN * (AHEAD - 1) + i), at, sh, columns, more, channel_in,
                      src_strides, height, width, LOW, C)  # fmt: skip
        async_copy.commit_group()
        accs = ()
        for _ in gl.static_range(OUT * SPAN):
            accs = accs + (gl.full([C.blocks, C.lines, C.block], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
        for k in gl.static_range(NEED):
            slot = first + k
            slot = gl.where(slot >= RING, slot - RING, slot)
            pixels = ()
            for g in gl.static_range(WIDTH):
                pixels = pixels + (rings[g].index(slot).load(A),)  # noqa: RUF005
            for o in gl.static_range(most_meetings(C)):
                accs = _meet_taps(accs, pixels, taps, k, o, C)
        for q in gl.static_range(OUT):
            dh = to_row + (turn * OUT + q)
            for j in gl.static_range(SPAN):
                dw = to_wb * SPAN + j
                inside = (to_image < images) & within(dh, axes[1][0]) & (dw < axes[2][0])
                store_pixel(arranged(accs[q * SPAN + j], C), dst_ptr, dst_strides, to_image, dh, dw, inside, to_channel,
                            to_channel < dst_total, epilogue, C)  # fmt: skip
        first += IN
        first = gl.where(first >= RING, first - RING, first)
