"""Gradients of depthwise weights by strips on the matrix units, each channel on its own. C is a `StripConfig`.

A product multiplies 16 pixels of the input (2 rows of 8 columns) with 8 pixels of the gradient, summed over 16 strips;
what a tap gets lies along its diagonals, which are added up at the end. New input rows meet the gradient's last rows,
which wait in shared memory. `finish_weight` adds the shares.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import as_index, replaced, within
from .strip_copy import powers, wide_layout
from .strip_weight import piece_of_share, pixel_at, turns_of_share
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
def plane_sum(pair, m, C):
    """The sum of the product of the turn's input rows 2 * pair and 2 * pair + 1 with the gradient m turns ago."""
    return C.plane_sums.index((pair, m)) if (pair, m) in C.plane_sums else -1


@gluon.jit
def _pixels(COUNT: gl.constexpr, LINES: gl.constexpr):
    """(strip, row of two, the rest) of a slot's pixels in the order of memory."""
    p = gl.arange(0, COUNT, LINES)
    return p % 4 + p // 8 % 4 * 4, p // 4 % 2, p // 32


@gluon.jit
def _strips_of(block, row, turns, strides, images, axes, places, C: gl.constexpr):
    """(offsets of the input, whether its pixels lie in the image's width, the same of the gradient) of a block."""
    x_line, x_row, x_col, g_line, g_row, g_col = places
    across = (axes[2][0] + C.span - 1) // C.span
    strip = block * C.lines + x_line
    image = strip // across
    sw = strip % across * (C.span * C.stride) - axes[2][5] + x_col
    sh = row * C.rows_in - axes[1][5] + x_row
    x_here = (image < images) & (turns > 0) & within(sw, axes[2][1]) & (x_col < C.high - C.low)
    x_at = pixel_at(image, sh, sw, strides[0], C)
    strip = block * C.lines + g_line
    image = strip // across
    col = strip % across * C.span + g_col
    g_here = (image < images) & (turns > 0) & (col < axes[2][0]) & (g_col < C.span)
    return x_at, x_here, pixel_at(image, row * C.plane_h + g_row, col, strides[1], C), g_here


@gluon.jit
def _next_turn(turn, turns, row, block, strips, begin, end, height, strides, images, axes, places, C: gl.constexpr):
    """Where copies go on: with the next turn of the piece, or with the next block."""
    x_at, x_here, g_at, g_here = strips
    turn += 1
    if turn >= turns + (C.depth - 1):
        block += 1
        turn = 0
        row, turns = piece_of_share(block, begin, end, height)
        x_at, x_here, g_at, g_here = _strips_of(block, row, turns, strides, images, axes, places, C)
    return turn, turns, row, block, (x_at, x_here, g_at, g_here)


@gluon.jit
def _fetch(ring, slot, at, row, here, channel_in, height, COUNT: gl.constexpr, C: gl.constexpr):
    """Start to copy a turn's rows; what lies outside of the image becomes zero."""
    LAYOUT: gl.constexpr = copied_layout(COUNT, C)
    to = ring.index(slot * (COUNT // (32 * C.plane_w)))._reinterpret(ring.dtype, [COUNT, C.width], LAYOUT)
    mask = (here & within(row, height))[:, None] & channel_in[None, :]
    async_copy.async_copy_global_to_shared(to, at, mask=mask)


@gluon.jit
def _fetch_gradient(ring, slot, turn, turns, row, strips, ptr, channel, channel_in, strides, axes, places,
                    C: gl.constexpr):  # fmt: skip
    """Start to copy the gradient's rows of a turn (zero past the end of the piece)."""
    COUNT: gl.constexpr = 32 * C.plane_w * C.g_units
    _, _, at, here = strips
    at += turn * (C.plane_h * as_index(strides[4], C.wide))
    at_row = (row + turn) * C.plane_h + places[4]
    _fetch(ring, slot, ptr + (at[:, None] + channel[None, :]), at_row, here & (turn < turns), channel_in, axes[1][0],
           COUNT, C)  # fmt: skip


@gluon.jit
def _fetch_turn(x_ring, g_ring, x_slot, g_slot, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes,
                places, C: gl.constexpr):  # fmt: skip
    """Start to copy what a turn of a piece adds."""
    COUNT: gl.constexpr = 32 * C.plane_w * C.x_units
    at, here, _, _ = strips
    at += turn * (C.rows_in * as_index(strides[0][4], C.wide))
    at_row = (row + turn) * C.rows_in - axes[1][5] + places[1]
    _fetch(x_ring, x_slot, ptrs[0] + (at[:, None] + channel[None, :]), at_row, here, channel_in, axes[1][1], COUNT, C)
    _fetch_gradient(g_ring, g_slot, turn, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes, places, C)
    async_copy.commit_group()


@gluon.jit
def _meet_turn(accs, x_ring, g_ring, x_slot, g_slot, PRODUCT: gl.constexpr, C: gl.constexpr):
    """The sums after a turn's input rows met the rows of the gradient."""
    X: gl.constexpr = gl.DotOperandLayout(0, PRODUCT, 2)
    G: gl.constexpr = gl.DotOperandLayout(1, PRODUCT, 2)
    XV: gl.constexpr = input_layout(C)
    GV: gl.constexpr = gradient_layout(C)
    DEPTH: gl.constexpr = C.depth
    RING: gl.constexpr = C.depth + C.ahead
    WINDOWS: gl.constexpr = C.span // C.plane_w
    PAIRS: gl.constexpr = C.rows_in // 2
    for w in gl.static_range(WINDOWS):
        grads = ()
        for m in gl.static_range(DEPTH):
            slot = gl.where(g_slot >= m, g_slot - m, g_slot + (RING - m))
            view = g_ring.index(slot * C.g_units + w)._reinterpret(g_ring.dtype, [C.width, 16, 8], GV)
            grads = grads + (view.load(G),)  # noqa: RUF005
        for pair in gl.static_range(PAIRS):
            first = pair * (C.x_units // PAIRS) + w * C.stride
            view = x_ring.index(x_slot * C.x_units + first)
            x = view._reinterpret(x_ring.dtype, [C.width, 16, 16], XV).load(X)
            for m in gl.static_range(DEPTH):
                accs = _multiply(accs, x, grads[m], plane_sum(pair, m, C))
    return accs


@gluon.jit
def _multiply(accs, x, g, AT: gl.constexpr):
    if AT >= 0:
        accs = replaced(accs, AT, mma_v2(x, g, accs[AT]))
    return accs


@gluon.jit
def _sum_strips(accs, x_ring, g_ring, ptrs, strides, channel, channel_in, share, images, course, axes,
                LINES: gl.constexpr, PRODUCT: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """The sums over the turns of a share; `course` is (turns of a share, turns of a strip).

    Copies are some turns ahead: they go on to the next block of strips while the last turns of one are multiplied.
    """
    each, height = course
    AHEAD: gl.constexpr = C.ahead
    DEPTH: gl.constexpr = C.depth
    RING: gl.constexpr = C.depth + C.ahead
    x_line, x_row, x_rest = _pixels(32 * C.plane_w * C.x_units, LINES)
    g_line, g_row, g_col = _pixels(32 * C.plane_w * C.g_units, LINES)
    places = (x_line, x_row + x_rest // C.x_columns * 2, x_rest % C.x_columns, g_line, g_row, g_col)
    begin, end = turns_of_share(share, each, height, images * ((axes[2][0] + C.span - 1) // C.span), C)
    block = begin // height
    total = end - begin + ((end + height - 1) // height - block) * (DEPTH - 1)
    row, turns = piece_of_share(block, begin, end, height)
    strips = _strips_of(block, row, turns, strides, images, axes, places, C)
    turn = 0
    if C.pdl:
        gdc_wait()  # so far nothing was read
    for m in gl.static_range(1, DEPTH):
        # Rows above the strip: past the end, so zero.
        _fetch_gradient(g_ring, RING - m, turns, turns, row, strips, ptrs[1], channel, channel_in, strides[1], axes,
                        places, C)  # fmt: skip
    for t in gl.static_range(AHEAD):
        _fetch_turn(x_ring, g_ring, t, t, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes, places, C)
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, places, C)  # fmt: skip
    x_slot = 0
    g_slot = 0
    for _ in range(total):
        async_copy.wait_group(AHEAD - 1)
        filled = gl.where(x_slot == 0, AHEAD, x_slot - 1)
        next_g = gl.where(g_slot >= RING - AHEAD, g_slot - (RING - AHEAD), g_slot + AHEAD)
        _fetch_turn(x_ring, g_ring, filled, next_g, turn, turns, row, strips, ptrs, channel, channel_in, strides, axes,
                    places, C)  # fmt: skip
        turn, turns, row, block, strips = _next_turn(turn, turns, row, block, strips, begin, end, height, strides,
                                                     images, axes, places, C)  # fmt: skip
        accs = _meet_turn(accs, x_ring, g_ring, x_slot, g_slot, PRODUCT, C)
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
    PAIRS: gl.constexpr = C.rows_in // 2
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
    at = gl.full([COUNT * PLACES], 0, gl.int32, gl.SliceLayout(1, LAYOUT))
    for p in gl.static_range(PAIRS):
        for d in gl.static_range(DEPTH):
            at = gl.where((row // 2 == d * PAIRS + p), plane_sum(p, d, C), at)
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
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, parts, src_total, each, turns, axes,
    C: gl.constexpr,
):  # fmt: skip
    """A share of the gradient of one channel per group."""
    COPY: gl.constexpr = wide_layout(C)
    PRODUCT: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [C.warps, 1, 1], [1, 16, 8])
    DTYPE: gl.constexpr = src_ptr.dtype.element_ty
    XP: gl.constexpr = 32 * C.plane_w
    SUMS: gl.constexpr = len(C.plane_sums)
    part = gl.program_id(0) % parts
    share = gl.program_id(0) // parts
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    x_ring = gl.allocate_shared_memory(DTYPE, [(C.ahead + 1) * C.x_units, XP, C.width],
                                       copied_layout(XP, C))  # fmt: skip
    g_ring = gl.allocate_shared_memory(DTYPE, [(C.depth + C.ahead) * C.g_units + C.g_slack, XP, C.width],
                                       copied_layout(XP, C))  # fmt: skip
    accs = ()
    for _ in gl.static_range(SUMS):
        accs = accs + (gl.full([C.width, 16, 8], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
    if C.pdl:
        gdc_launch_dependents()
    accs = _sum_strips(accs, x_ring, g_ring, (src_ptr, grad_ptr), (src_strides, grad_strides), channel,
                       channel // 8 < src_total // 8, share, images, (each, turns), axes,
                       gl.SliceLayout(1, COPY), PRODUCT, C)  # fmt: skip
    _hand_in_taps(accs, shares, share, part, src_total, C)
