"""Gradients of the weights by strips that run down the image: input and gradient come from memory once.

New input rows meet the last rows of the gradient, which wait in a ring in shared memory; the sums of all taps stay in
registers until the program has seen its share of the strips. `finish_weight` adds the shares. C is a `StripConfig`.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, replaced
from .strip import pixels_of
from .strip_copy import fetch_pixels, new_rings, powers, wide_layout
from .strip_depthwise import piece_layout, read_pixels, zeros
from .weight import hand_in
from .window import column


@triton.constexpr_function
def gradient_tap(i, m, fw, C):
    """The tap by which the i-th new input row meets the gradient's row m turns ago; -1 where none."""
    f = C.stride * m + i
    return f * C.fw + fw if f < C.fh else -1


@triton.constexpr_function
def pair_sum(i, m, b, j, C):
    """The sum of the product of input column b with the pair of the gradient's columns j and j + 1; -1 where none.

    Sum d of a filter row takes filter column d with the first column and d - stride with the second.
    """
    row, d = C.stride * m + i, b - j * C.stride
    met = 0 <= d < C.fw or 0 <= d - C.stride < C.fw
    return row * (C.fw + C.stride) + d if row < C.fh and met else -1


@triton.constexpr_function
def turned_half(C):
    """The half of a left operand that one of two columns gives: [blocks, 8 channels, lines]."""
    held = [[0, 0, 1], *([0, 0, n] for n in powers(C.lines // 8, 8))]
    lanes = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]]
    return gl.DistributedLinearLayout(held, lanes, [[n, 0, 0] for n in powers(C.blocks, 1)], [], [C.blocks, 8, C.lines])


@gluon.jit
def _fetch_gradient(rings, slot, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, C: gl.constexpr):
    """Start to copy the gradient's row of a turn (zero past the end of the piece)."""
    _, col, _, at, here = strips
    fetch_pixels(rings, slot, turn, ptr + (at[:, None] + channel[None, :]), row, col, here & (turn < turns), channel_in,
                 strides, axes[1][0], axes[2][0], 0, C.span, C)  # fmt: skip


@gluon.jit
def _fetch_turn(x_rings, g_rings, x_slot, g_slot, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes,
                C: gl.constexpr):  # fmt: skip
    """Start to copy what a turn of a piece adds: input rows, and one row of the gradient."""
    IN: gl.constexpr = C.rows_in
    LOW: gl.constexpr = C.low
    sw, _, at, _, here = strips
    sh = row * C.stride - axes[1][5]
    for i in gl.static_range(IN):
        fetch_pixels(x_rings, x_slot + i, turn * IN + i, ptrs[0] + (at[:, None] + channel[None, :]), sh, sw, here,
                     channel_in, strides[0], axes[1][1], axes[2][1], LOW, C.high - C.low, C)  # fmt: skip
    _fetch_gradient(g_rings, g_slot, turn, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes, C)
    async_copy.commit_group()


@gluon.jit
def add_product(accs, left, x, AT: gl.constexpr, J: gl.constexpr, C: gl.constexpr):
    """The sums after left[J] * x was added to sum AT; where one of them is -1, the two do not meet."""
    if AT >= 0 and J >= 0:
        if C.dot:
            accs = replaced(accs, AT, mma_v2(left[J], x, accs[AT]))
        else:
            accs = replaced(accs, AT, accs[AT] + left[J] * x)
    return accs


@gluon.jit
def slot_before(slot, turns: gl.constexpr, C: gl.constexpr):
    """The place in the gradient's ring of what came some turns before that of `slot`."""
    return gl.where(slot >= turns, slot - turns, slot + (C.g_slots - turns))


@gluon.jit
def _read_row(rings, slot, COUNT: gl.constexpr, LAYOUT: gl.constexpr, TURNED: gl.constexpr, C: gl.constexpr):
    """The pixels of a row in registers."""
    if not C.dot:
        pixels = read_pixels(rings, slot, COUNT, LAYOUT, C)
    else:
        pixels = ()
        for b in gl.static_range(COUNT):
            x = pixels_of(rings[b], slot, C)
            if TURNED:
                x = x.permute([0, 2, 1])
            pixels = pixels + (x.load(LAYOUT),)  # noqa: RUF005
    return pixels


@gluon.jit
def _gradient_pairs(rings, slot, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The gradient's pixels of a row, two columns to a left operand."""
    PAIRS: gl.constexpr = C.span // 2
    pairs = ()
    for j in gl.static_range(PAIRS):
        first = pixels_of(rings[2 * j], slot, C).permute([0, 2, 1]).load(turned_half(C))
        second = pixels_of(rings[2 * j + 1], slot, C).permute([0, 2, 1]).load(turned_half(C))
        both = gl.join(first, second).permute([0, 3, 1, 2]).reshape([C.blocks, 16, C.lines])
        pairs = pairs + (gl.convert_layout(both, LAYOUT, assert_trivial=True),)  # noqa: RUF005
    return pairs


@gluon.jit
def _read_turn(x_rings, g_rings, x_slot, g_slot, XL: gl.constexpr, GL: gl.constexpr, C: gl.constexpr):
    """(rows of the input, rows of the gradient) that meet in a turn, in registers."""
    IN: gl.constexpr = C.rows_in
    DEPTH: gl.constexpr = C.depth
    rows = ()
    for i in gl.static_range(IN):
        rows = rows + (_read_row(x_rings, x_slot + i, C.high - C.low, XL, False, C),)  # noqa: RUF005
    grads = ()
    for m in gl.static_range(DEPTH):
        slot = slot_before(g_slot, m, C)
        if C.pair > 1:
            grads = grads + (_gradient_pairs(g_rings, slot, GL, C),)  # noqa: RUF005
        else:
            grads = grads + (_read_row(g_rings, slot, C.span, GL, True, C),)  # noqa: RUF005
    return rows, grads


@gluon.jit
def _meet_pairs(accs, rows, grads, C: gl.constexpr):
    """`_meet_turn` for pairs of the gradient's columns."""
    IN: gl.constexpr = C.rows_in
    DEPTH: gl.constexpr = C.depth
    WIDTH: gl.constexpr = C.high - C.low
    PAIRS: gl.constexpr = C.span // 2
    for i in gl.static_range(IN):
        for m in gl.static_range(DEPTH):
            for b in gl.static_range(WIDTH):
                for j in gl.static_range(PAIRS):
                    accs = add_product(accs, grads[m], rows[i][b], pair_sum(i, m, b, 2 * j, C), j, C)
    return accs


@gluon.jit
def _meet_columns(accs, rows, grads, C: gl.constexpr):
    """`_meet_turn` for single columns."""
    IN: gl.constexpr = C.rows_in
    DEPTH: gl.constexpr = C.depth
    FW: gl.constexpr = C.fw
    LOW: gl.constexpr = C.low
    HIGH: gl.constexpr = C.high
    for i in gl.static_range(IN):
        for m in gl.static_range(DEPTH):
            for b in gl.static_range(LOW, HIGH):
                for fw in gl.static_range(FW):
                    accs = add_product(accs, grads[m], rows[i][b - LOW], gradient_tap(i, m, fw, C),
                                       column(b, fw, C), C)  # fmt: skip
    return accs


@gluon.jit
def _meet_turn(accs, rows, grads, C: gl.constexpr):
    """The sums after the new input rows met the rows of the gradient."""
    if C.pair > 1:
        accs = _meet_pairs(accs, rows, grads, C)
    else:
        accs = _meet_columns(accs, rows, grads, C)
    return accs


@gluon.jit
def turns_of_share(share, each, height, strips, C: gl.constexpr):
    """(first, one past the last) of the turns of a share, which are counted through all blocks of strips."""
    blocks = (strips + C.lines - 1) // C.lines
    begin = share * each
    return begin, min(begin + each, blocks * height)


@gluon.jit
def piece_of_share(block, begin, end, height):
    """(first turn, number of turns) that a share has of a block."""
    row = max(begin - block * height, 0)
    return row, max(min(end - block * height, height) - row, 0)


@gluon.jit
def _strips_of(block, row, turns, strides, images, axes, LINES: gl.constexpr, C: gl.constexpr):
    """(input's column, gradient's column, offsets in both, whether there is such a strip) of a block's lines."""
    across = (axes[2][0] + C.span - 1) // C.span
    line = gl.arange(0, C.lines * C.pack, LINES)
    strip = block * C.lines + line % C.lines
    image = strip // across
    col = strip % across * C.span
    sw = col * C.stride - axes[2][5]
    if C.pack > 1:
        sw += line // C.lines
        col += line // C.lines
    x_at = pixel_at(image, row * C.stride - axes[1][5], sw, strides[0], C)
    return sw, col, x_at, pixel_at(image, row, col, strides[1], C), (image < images) & (turns > 0)


@gluon.jit
def pixel_at(image, row, col, strides, C: gl.constexpr):
    """The offset of a pixel."""
    return along(image, strides[0], C) + along(row, strides[4], C) + along(col, strides[5], C)


@gluon.jit
def _next_turn(turn, turns, row, block, strips, begin, end, height, strides, images, axes, LINES: gl.constexpr,
               C: gl.constexpr):  # fmt: skip
    """Where copies go on: with the next turn of the piece, or with the next block."""
    sw, col, x_at, g_at, here = strips
    turn += 1
    if turn >= turns + (C.depth - 1):
        block += 1
        turn = 0
        row, turns = piece_of_share(block, begin, end, height)
        sw, col, x_at, g_at, here = _strips_of(block, row, turns, strides, images, axes, LINES, C)
    return turn, turns, row, block, (sw, col, x_at, g_at, here)


@gluon.jit
def _sum_strips(accs, x_rings, g_rings, ptrs, strides, channel, channel_in, share, images, course, axes,
                LINES: gl.constexpr, XL: gl.constexpr, GL: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """The sums over the turns of a share; `course` is (turns of a share, turns of a strip, first, last).

    Copies are some turns ahead: they go on to the next block of strips while the last turns of one are multiplied.
    """
    each, height, first, last = course
    IN: gl.constexpr = C.rows_in
    UNDER_WAY: gl.constexpr = C.under_way
    DEPTH: gl.constexpr = C.depth
    RING: gl.constexpr = C.g_slots
    begin, end = turns_of_share(share, each, height, images * ((axes[2][0] + C.span - 1) // C.span), C)
    block = begin // height
    now = begin - block * height
    total = end - begin + ((end + height - 1) // height - block) * (DEPTH - 1)
    row, turns = piece_of_share(block, begin, end, height)
    strips = _strips_of(block, row, turns, strides, images, axes, LINES, C)
    turn = 0
    if C.pdl:
        gdc_wait()  # so far nothing was read
    for m in gl.static_range(1, DEPTH):
        # Rows above the strip: past the end, so zero.
        _fetch_gradient(g_rings, RING - m, turns, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes, C)
    for t in gl.static_range(UNDER_WAY):
        _fetch_turn(x_rings, g_rings, t * IN, t, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes, C)
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, LINES, C)  # fmt: skip
    x_slot = 0
    g_slot = 0
    for _ in range(total):
        async_copy.wait_group(UNDER_WAY - 1)
        if C.late:
            # What was read makes room; addresses are computed while the matrix units multiply.
            rows, grads = _read_turn(x_rings, g_rings, x_slot, g_slot, XL, GL, C)
            _fetch_turn(x_rings, g_rings, x_slot, slot_before(g_slot, DEPTH - 1, C), turn, turns, row, strips, ptrs,
                        channel, channel_in, strides, axes, C)  # fmt: skip
            accs = _meet_turn(accs, rows, grads, C)
        else:
            filled = gl.where(x_slot == 0, (C.x_slots - 1) * IN, x_slot - IN)
            _fetch_turn(x_rings, g_rings, filled, slot_before(g_slot, DEPTH, C), turn, turns, row, strips, ptrs,
                        channel, channel_in, strides, axes, C)  # fmt: skip
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, LINES, C)  # fmt: skip
        # Products are cheap; on the vector units it pays to leave out rows of zeros.
        if not C.late and C.dot:  # noqa: SIM114 (a constant, then a value)
            rows, grads = _read_turn(x_rings, g_rings, x_slot, g_slot, XL, GL, C)
            accs = _meet_turn(accs, rows, grads, C)
        elif not C.dot and (now >= first) & (now < last):
            rows, grads = _read_turn(x_rings, g_rings, x_slot, g_slot, XL, GL, C)
            accs = _meet_turn(accs, rows, grads, C)
        now = gl.where(now == height + (DEPTH - 2), 0, now + 1)
        x_slot = gl.where(x_slot == (C.x_slots - 1) * IN, 0, x_slot + IN)
        g_slot = gl.where(g_slot == RING - 1, 0, g_slot + 1)
    return accs


@gluon.jit
def strip_weight(
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, groups, parts, src_total, each, turns, first, last,
    axes, C: gl.constexpr,
):  # fmt: skip
    """A share of the gradient of few channels per group: block-diagonal products over 16 channels."""
    COPY: gl.constexpr = wide_layout(C)
    PRODUCT: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [C.blocks, 1, 1], [1, 16, 8])
    TAPS: gl.constexpr = C.fh * C.fw
    SUMS: gl.constexpr = C.sums_of_taps
    part = gl.program_id(0) % parts
    share = gl.program_id(0) // parts
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    x_rings = new_rings(C.high - C.low, C.rows_in * C.x_slots, src_ptr.dtype.element_ty, C)
    g_rings = new_rings(C.span, C.g_slots, src_ptr.dtype.element_ty, C)
    accs = ()
    for _ in gl.static_range(SUMS):
        accs = accs + (gl.full([C.blocks, 16, C.block], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
    if C.pdl:
        gdc_launch_dependents()
    accs = _sum_strips(accs, x_rings, g_rings, (src_ptr, grad_ptr), (src_strides, grad_strides), channel,
                       channel // 8 < src_total // 8, share, images, (each, turns, first, last), axes,
                       gl.SliceLayout(1, COPY), gl.DotOperandLayout(1, PRODUCT, 2), gl.DotOperandLayout(0, PRODUCT, 2),
                       C)  # fmt: skip
    for t in gl.static_range(TAPS):
        _hand_in_tap(accs, shares, share, part, src_total, t, PRODUCT, C)


@gluon.jit
def _hand_in_tap(accs, shares, share, part, src_total, t: gl.constexpr, PRODUCT: gl.constexpr, C: gl.constexpr):
    """Hand in what lies on the diagonal of one tap's sum: the products of the channels of a group."""
    TAPS: gl.constexpr = C.fh * C.fw
    if C.pair == 1:
        acc = accs[t]
    else:
        first, _ = _two_columns(accs[t // C.fw * (C.fw + C.stride) + t % C.fw], C)
        _, second = _two_columns(accs[t // C.fw * (C.fw + C.stride) + t % C.fw + C.stride], C)
        acc = first + second
    LAYOUT: gl.constexpr = acc.type.layout
    block = part * C.blocks + gl.arange(0, C.blocks, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None]
    k = gl.arange(0, C.block, gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))[None, :, None]
    c = gl.arange(0, C.block, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :]
    inside = (k // C.channels == c // C.channels) & (block * C.block + k < src_total)
    to = share.to(gl.int64) * src_total * (TAPS * C.channels)
    channel = block * C.block + k
    # One tap of all channels after the other, so that neighbours are written together.
    hand_in(shares + (to + (t * src_total + channel) * C.channels + c % C.channels), acc, inside, C)


@gluon.jit
def _two_columns(acc, C: gl.constexpr):
    """The sums of the first and of the second column of pairs; nothing moves."""
    return gl.split(acc.reshape([C.blocks, 2, 8, 8]).permute([0, 2, 3, 1]))


@gluon.jit
def strip_depthwise_weight(
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, parts, src_total, each, turns, first, last, axes,
    C: gl.constexpr,
):  # fmt: skip
    """A share of the gradient of one channel per group."""
    COPY: gl.constexpr = wide_layout(C)
    PIECE: gl.constexpr = piece_layout(C)
    WIDTH: gl.constexpr = C.high - C.low
    TAPS: gl.constexpr = C.fh * C.fw
    part = gl.program_id(0) % parts
    share = gl.program_id(0) // parts
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    x_rings = new_rings(WIDTH, C.rows_in * C.x_slots, src_ptr.dtype.element_ty, C)
    g_rings = new_rings(C.span, C.g_slots, src_ptr.dtype.element_ty, C)
    accs = zeros(TAPS, PIECE, C)
    if C.pdl:
        gdc_launch_dependents()
    accs = _sum_strips(accs, x_rings, g_rings, (src_ptr, grad_ptr), (src_strides, grad_strides), channel,
                       channel // C.piece < src_total // C.piece, share, images, (each, turns, first, last), axes,
                       gl.SliceLayout(1, COPY), PIECE, PIECE,
                       C)  # fmt: skip
    mine = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, PIECE))
    to = share.to(gl.int64) * src_total * TAPS
    for t in gl.static_range(TAPS):
        hand_in(shares + (to + mine * TAPS + t), gl.sum(accs[t], 0), mine < src_total, C)
