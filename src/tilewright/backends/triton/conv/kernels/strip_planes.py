"""Gradients of depthwise weights by strips on the matrix units, each channel on its own. C is a `StripConfig`.

A product multiplies 16 pixels of the input (2 rows of 8 columns) with 8 pixels of the gradient, summed over 16 strips;
what a tap gets lies along its diagonals, which are added up at the end. New input rows meet the gradient's last rows,
which wait in shared memory: 2 rows of 4 columns to a product, or fewer columns of several turns side by side where 8
columns of the input do not hold all that 4 meet. `finish_weight` adds the shares.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import as_index, within
from .strip_copy import powers, wide_layout
from .strip_weight import add_product, piece_of_share, pixel_at, slot_before, turns_of_share
from .weight import hand_in


@triton.constexpr_function
def plane_layout(pixels, channels, width):
    """Shared memory of pixels whose channels lie together; `pixels` and `channels` name what each bit counts.

    The first three bits of a pixel are those of the lanes that read 16 bytes at a time: pieces of a pixel are so
    swizzled that they meet all banks once.
    """
    pieces = (width // 8).bit_length() - 1
    bases = list(channels)
    for i, base in enumerate(pixels):
        other = i - (3 - pieces)
        mixed = channels[3 + other] if 0 <= other < pieces and i < 3 else [0] * len(base)
        bases.append([a + b for a, b in zip(base, mixed, strict=True)])
    return gl.SharedLinearLayout(bases)


@triton.constexpr_function
def copied_layout(pixels, C):
    """[pixels, channels] as copies fill it."""
    return plane_layout([[n, 0] for n in powers(pixels, 1)], [[0, n] for n in powers(C.width, 1)], C.width)


@triton.constexpr_function
def batch_bits(C):
    """What a bit of the channel counts in the products of all warps: those of a warp lie together."""
    each = C.width // C.warps
    return [C.warps * n for n in powers(each, 1)] + powers(C.warps, 1)


@triton.constexpr_function
def input_layout(C):
    """[channels, 16 pixels, strips] of a product's left operand."""
    strips = [[0, 0, n] for n in (2, 4, 1, 8)]
    pixels = [*strips[:2], [0, 1, 0], *strips[2:], [0, 2, 0], [0, 4, 0], [0, 8, 0]]
    return plane_layout(pixels, [[n, 0, 0] for n in batch_bits(C)], C.width)


@triton.constexpr_function
def gradient_layout(C):
    """[channels, strips, 8 pixels] of a product's right operand."""
    strips = [[0, n, 0] for n in (2, 4, 1, 8)]
    pixels = [*strips[:2], [0, 0, 1], *strips[2:], [0, 0, 2], [0, 0, 4]]
    return plane_layout(pixels, [[n, 0, 0] for n in batch_bits(C)], C.width)


@triton.constexpr_function
def plane_sum(step, j, C):
    """The sum of a turn's product of input rows `step` with the gradient j products ago; -1 where none."""
    return C.plane_sums.index((step, j)) if (step, j) in C.plane_sums else -1


@gluon.jit
def _pixels(COLUMNS: gl.constexpr, C: gl.constexpr):
    """(strip, row, column) of the pixels of two rows in the order of memory."""
    p = gl.arange(0, 32 * COLUMNS, gl.SliceLayout(1, wide_layout(C)))
    return p % 4 + p // 8 % 4 * 4, p // 4 % 2, p // 32


@gluon.jit
def _strips_of(block, row, turns, strides, images, axes, C: gl.constexpr):
    """((offset, whether it lies in the image's width) of the pixels of each copy) of the input's rows and of the
    gradient's of a block."""
    CHUNKS: gl.constexpr = C.x_chunks
    PARTS: gl.constexpr = C.g_parts
    COLUMNS: gl.constexpr = C.g_units // C.g_parts * C.plane_w
    across = (axes[2][0] + C.span - 1) // C.span
    line, at_row, col = _pixels(COLUMNS, C)
    strip = block * C.lines + line
    image = strip // across
    here = (image < images) & (turns > 0)
    grads = ()
    for i in gl.static_range(PARTS):
        to = strip % across * C.span + (col + i * COLUMNS)
        inside = here & (col + i * COLUMNS < C.span) & (to < axes[2][0])
        grads = grads + ((pixel_at(image, row * C.plane_h + at_row, to, strides[1], C), inside),)  # noqa: RUF005
    inputs = ()
    for i in gl.static_range(len(CHUNKS)):
        line, at_row, col = _pixels(CHUNKS[i][1], C)
        strip = block * C.lines + line
        image = strip // across
        inside = (image < images) & (turns > 0) & (col + CHUNKS[i][0] < C.high - C.low)
        col += strip % across * (C.span * C.stride) - axes[2][5] + CHUNKS[i][0]
        at = pixel_at(image, row * C.rows_in - axes[1][5] + at_row, col, strides[0], C)
        inputs = inputs + ((at, inside & within(col, axes[2][1])),)  # noqa: RUF005
    return inputs, grads


@gluon.jit
def _next_turn(turn, turns, row, block, strips, begin, end, height, strides, images, axes, C: gl.constexpr):
    """Where copies go on: with the next turn of the piece, or with the next block."""
    turn += 1
    if turn >= turns + (C.depth - 1):
        block += 1
        turn = 0
        row, turns = piece_of_share(block, begin, end, height)
        strips = _strips_of(block, row, turns, strides, images, axes, C)
    return turn, turns, row, block, strips


@gluon.jit
def _fetch(ring, unit, at, row, here, channel_in, height, COLUMNS: gl.constexpr, C: gl.constexpr):
    """Start to copy two rows of columns; what lies outside of the image becomes zero."""
    _, at_row, _ = _pixels(COLUMNS, C)
    to = ring.index(unit)._reinterpret(ring.dtype, [32 * COLUMNS, C.width], copied_layout(32 * COLUMNS, C))
    mask = (here & within(row + at_row, height))[:, None] & channel_in[None, :]
    async_copy.async_copy_global_to_shared(to, at, mask=mask)


@gluon.jit
def _fetch_gradient(rings, slot, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, C: gl.constexpr):
    """Start to copy the gradient's rows of a turn (zero past the end of the piece)."""
    _fetch_place(rings, slot, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, C)
    if C.plane_turns > 1:  # noqa: SIM102 (a constant, then a value)
        if slot < C.plane_turns - 1:
            _fetch_place(rings, slot + C.g_slots, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, C)


@gluon.jit
def _fetch_place(rings, place, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, C: gl.constexpr):
    """Start to copy the gradient's rows of a turn into a place of its rings."""
    PARTS: gl.constexpr = C.g_parts
    for i in gl.static_range(PARTS):
        at, here = strips[1][i]
        at += turn * (C.plane_h * as_index(strides[4], C.wide))
        _fetch(rings[i], place * (C.g_units // PARTS), ptr + (at[:, None] + channel[None, :]), (row + turn) * C.plane_h,
               here & (turn < turns), channel_in, axes[1][0], C.g_units // PARTS * C.plane_w, C)  # fmt: skip


@gluon.jit
def _fetch_turn(x_rings, g_rings, x_slot, g_slot, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes,
                C: gl.constexpr):  # fmt: skip
    """Start to copy what a turn of a piece adds."""
    CHUNKS: gl.constexpr = C.x_chunks
    STEPS: gl.constexpr = C.plane_steps
    move = as_index(strides[0][4], C.wide)
    for step in gl.static_range(STEPS):
        for i in gl.static_range(len(CHUNKS)):
            at, here = strips[0][i]
            at += (turn * C.rows_in + step * C.plane_h) * move
            _fetch(x_rings[step], x_slot * C.x_units + CHUNKS[i][0] // C.plane_w,
                   ptrs[0] + (at[:, None] + channel[None, :]),
                   (row + turn) * C.rows_in - axes[1][5] + step * C.plane_h, here, channel_in, axes[1][1],
                   CHUNKS[i][1], C)  # fmt: skip
    _fetch_gradient(g_rings, g_slot, turn, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes, C)
    async_copy.commit_group()


@gluon.jit
def _meet_turn(accs, x_rings, g_rings, x_slot, g_slot, PRODUCT: gl.constexpr, C: gl.constexpr):
    """The sums after a turn's input rows met the rows of the gradient."""
    X: gl.constexpr = gl.DotOperandLayout(0, PRODUCT, 2)
    G: gl.constexpr = gl.DotOperandLayout(1, PRODUCT, 2)
    XV: gl.constexpr = input_layout(C)
    GV: gl.constexpr = gradient_layout(C)
    WINDOWS: gl.constexpr = C.span // C.plane_w
    STEPS: gl.constexpr = C.plane_steps
    TURNS: gl.constexpr = C.plane_turns
    PRODUCTS: gl.constexpr = (C.depth + TURNS - 1) // TURNS
    for w in gl.static_range(WINDOWS):
        grads = ()
        for j in gl.static_range(PRODUCTS):
            slot = slot_before(g_slot, TURNS * (j + 1) - 1, C)
            view = g_rings[w].index(slot) if TURNS > 1 else g_rings[0].index(slot * C.g_units + w)
            grads = grads + (view._reinterpret(view.dtype, [C.width, 16, 8], GV).load(G),)  # noqa: RUF005
        for step in gl.static_range(STEPS):
            view = x_rings[step].index(x_slot * C.x_units + w * C.stride)
            x = view._reinterpret(view.dtype, [C.width, 16, 16], XV).load(X)
            for j in gl.static_range(PRODUCTS):
                accs = add_product(accs, (x,), grads[j], plane_sum(step, j, C), 0, C)
    return accs


@gluon.jit
def _sum_strips(accs, x_rings, g_rings, ptrs, strides, channel, channel_in, share, images, course, axes,
                PRODUCT: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """The sums over the turns of a share; `course` is (turns of a share, turns of a strip, first, last).

    Copies are some turns ahead: they go on to the next block of strips while the last turns of one are multiplied.
    """
    each, height, first, last = course
    AHEAD: gl.constexpr = C.ahead
    DEPTH: gl.constexpr = C.depth
    RING: gl.constexpr = C.g_slots
    WAIT: gl.constexpr = C.g_slots - C.ahead
    begin, end = turns_of_share(share, each, height, images * ((axes[2][0] + C.span - 1) // C.span), C)
    block = begin // height
    now = begin - block * height
    total = end - begin + ((end + height - 1) // height - block) * (DEPTH - 1)
    row, turns = piece_of_share(block, begin, end, height)
    strips = _strips_of(block, row, turns, strides, images, axes, C)
    turn = 0
    if C.pdl:
        gdc_wait()  # so far nothing was read
    for m in gl.static_range(1, WAIT):
        # Rows above the strip: past the end, so zero.
        _fetch_gradient(g_rings, RING - m, turns, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes,
                        C)  # fmt: skip
    for t in gl.static_range(AHEAD):
        _fetch_turn(x_rings, g_rings, t, t, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes, C)
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, C)  # fmt: skip
    x_slot = 0
    g_slot = 0
    for _ in range(total):
        async_copy.wait_group(AHEAD - 1)
        filled = gl.where(x_slot == 0, AHEAD, x_slot - 1)
        _fetch_turn(x_rings, g_rings, filled, slot_before(g_slot, WAIT, C), turn, turns, row, strips, ptrs, channel,
                    channel_in, strides, axes, C)  # fmt: skip
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, C)  # fmt: skip
        if (now >= first) & (now < last):  # else the input's rows are zero
            accs = _meet_turn(accs, x_rings, g_rings, x_slot, g_slot, PRODUCT, C)
        now = gl.where(now == height + (DEPTH - 2), 0, now + 1)
        x_slot = gl.where(x_slot == AHEAD, 0, x_slot + 1)
        g_slot = gl.where(g_slot == RING - 1, 0, g_slot + 1)
    return accs


@triton.constexpr_function
def power_of_two(n):
    """The least one that is not below n."""
    return 1 << (n - 1).bit_length()


@gluon.jit
def _hand_in_taps(accs, shares, share, part, src_total, C: gl.constexpr):
    """Add up the diagonals of the sums and put them into the workspace."""
    TAPS: gl.constexpr = C.fh * C.fw
    PLACES: gl.constexpr = power_of_two(TAPS)
    STEPS: gl.constexpr = C.plane_steps
    DEPTH: gl.constexpr = C.depth
    # Lanes along the taps, and other channels than those of the products: what is gathered lies in shared memory.
    LAYOUT: gl.constexpr = gl.BlockedLayout([1, C.width // C.warps], [32, 1], [1, C.warps], [0, 1])
    COUNT: gl.constexpr = 2 * C.plane_w
    which = gl.arange(0, COUNT * PLACES, gl.SliceLayout(1, LAYOUT))
    tap = which % PLACES
    n = which // PLACES
    # Row and column of the input that the tap brings to pixel n of the gradient.
    row = tap // C.fw + n % 2 * C.stride
    m = (tap % C.fw + n // 2 * C.stride) * 2 + row % 2
    # A product's gradient is of several turns, the oldest first.
    n += (C.plane_turns - 1 - row // (2 * STEPS) % C.plane_turns) * COUNT
    at = gl.full([COUNT * PLACES], 0, gl.int32, gl.SliceLayout(1, LAYOUT))
    for p in gl.static_range(STEPS):
        for d in gl.static_range(DEPTH):
            at = gl.where(row // 2 == d * STEPS + p, plane_sum(p, d // C.plane_turns, C), at)
    at = at * 128 + n % 2 * 64 + m // 8 * 32 + n // 2 * 8 + m % 8
    index = gl.full([1, C.width], 0, gl.int32, LAYOUT) + gl.where(tap < TAPS, at, 0)[:, None]
    x = gl.gather(_in_planes(accs, C), index, 0)
    x = gl.sum(x.reshape([COUNT, PLACES, C.width]), 0)
    LINES: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [C.warps, 1], [1, 0])
    x = gl.convert_layout(x, LINES)
    b = gl.arange(0, C.width, gl.SliceLayout(0, LINES))
    channel = part * C.width + b % C.warps * (C.width // C.warps) + b // C.warps
    tap = gl.arange(0, PLACES, gl.SliceLayout(1, LINES))
    to = share.to(gl.int64) * src_total * TAPS + (tap[:, None] * src_total + channel[None, :])
    hand_in(shares + to, x, (tap < TAPS)[:, None] & (channel < src_total)[None, :], C)


@gluon.jit
def _in_planes(accs, C: gl.constexpr):
    """[sum * pixels of both, channels]; the lanes of a product's sums lie side by side. Nothing moves."""
    COUNT: gl.constexpr = power_of_two(len(accs))
    LAST: gl.constexpr = len(accs) - 1
    parts = ()
    for i in gl.static_range(COUNT):
        one = accs[i if i < LAST else LAST].reshape([C.width, 2, 8, 4, 2])
        parts = parts + (one.permute([4, 1, 3, 2, 0]).reshape([128, C.width]),)  # noqa: RUF005
    if COUNT == 1:
        x = parts[0]
    elif COUNT == 2:
        x = gl.join(parts[0], parts[1]).permute([2, 0, 1])
    elif COUNT == 4:
        x = gl.join(gl.join(parts[0], parts[2]), gl.join(parts[1], parts[3])).permute([2, 3, 0, 1])
    else:
        first = gl.join(gl.join(parts[0], parts[4]), gl.join(parts[2], parts[6]))
        second = gl.join(gl.join(parts[1], parts[5]), gl.join(parts[3], parts[7]))
        x = gl.join(first, second).permute([2, 3, 4, 0, 1])
    return x.reshape([COUNT * 128, C.width])


@gluon.jit
def strip_planes(
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, parts, src_total, each, turns, first, last, axes,
    C: gl.constexpr,
):  # fmt: skip
    """A share of the gradient of one channel per group."""
    COPY: gl.constexpr = wide_layout(C)
    PRODUCT: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [C.warps, 1, 1], [1, 16, 8])
    DTYPE: gl.constexpr = src_ptr.dtype.element_ty
    XP: gl.constexpr = C.unit
    SUMS: gl.constexpr = len(C.plane_sums)
    STEPS: gl.constexpr = C.plane_steps
    PARTS: gl.constexpr = C.g_parts
    part = gl.program_id(0) % parts
    share = gl.program_id(0) // parts
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    x_rings = ()
    for _ in gl.static_range(STEPS):
        # Copies into parts of one ring would wait for each other.
        one = gl.allocate_shared_memory(DTYPE, [C.x_slots * C.x_units, XP, C.width], copied_layout(XP, C))
        x_rings = x_rings + (one,)  # noqa: RUF005
    g_rings = ()
    for _ in gl.static_range(PARTS):
        one = gl.allocate_shared_memory(DTYPE, [C.g_places * (C.g_units // PARTS), XP, C.width], copied_layout(XP, C))
        g_rings = g_rings + (one,)  # noqa: RUF005
    accs = ()
    for _ in gl.static_range(SUMS):
        accs = accs + (gl.full([C.width, 16, 8], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
    if C.pdl:
        gdc_launch_dependents()
    accs = _sum_strips(accs, x_rings, g_rings, (src_ptr, grad_ptr), (src_strides, grad_strides), channel,
                       channel // 8 < src_total // 8, share, images, (each, turns, first, last), axes,
                       PRODUCT, C)  # fmt: skip
    _hand_in_taps(accs, shares, share, part, src_total, C)
