"""Strips of one channel per group on the matrix units, each channel on its own. C is a `StripConfig` with `pair` 16.

A product takes two groups of source pixels and writes a window of destination pixels, for 16 windows at a time: the
filter stands in its right operand once per destination pixel, shifted. Groups and windows are 4 columns of 2 rows, or 8
columns of one row where the filter is wide. Windows lie side by side in the strips, and shared memory holds their
columns once. A turn's new rows meet the last destination rows, whose sums are carried from turn to turn. Programs may
take several blocks of strips, one after the other.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import as_index, finish, replaced, row_operands, widened, within
from .strip import source_origin
from .strip_copy import channels_of, powers, wide_layout
from .strip_planes import batch_bits, copied_layout, plane_layout
from .strip_weight import pixel_at


@triton.constexpr_function
def group_layout(C):
    """A group of pixels of every window in shared memory, [channels, windows x lines, pixels].

    The first bit of a pixel counts rows (or steps of 4 columns), the others columns.
    """
    lines, windows = ([[0, n, 0] for n in powers(*x)] for x in ((C.lines, 1), (C.windows, C.lines)))
    pixels = [[0, 0, 2], [0, 0, 4], *lines, [0, 0, 1], *windows]
    return plane_layout(pixels, [[n, 0, 0] for n in batch_bits(C)], C.width)


@triton.constexpr_function
def half_layout(C):
    """The half of a left operand that a group of pixels gives."""
    held = [[0, 0, 1], [0, 8, 0], *([n, 0, 0] for n in powers(C.width // C.warps, C.warps))]
    lanes = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]]
    return gl.DistributedLinearLayout(held, lanes, [[n, 0, 0] for n in powers(C.warps, 1)], [], [C.width, 16, 8])


@triton.constexpr_function
def pixel_layout(C):
    """Finished sums as [pixels, channels], all channels of a warp in each thread."""
    each = C.width // C.warps
    held = [[64, 0], [32, 0], *([0, n] for n in powers(each, 1))]
    lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
    return gl.DistributedLinearLayout(held, lanes, [[0, n] for n in powers(C.warps, each)], [], [128, C.width])


@gluon.jit
def _strip(line, block, rows, segments, axes, C: gl.constexpr):
    """(image, first turn's destination row, block of columns) of a block's strips."""
    at = block * C.lines + line
    across = (axes[2][0] + C.span - 1) // C.span
    rest = at // across
    return rest // segments, (rest % segments) * rows, at % across


@gluon.jit
def _source(GROUP: gl.constexpr, COUNT: gl.constexpr, block, rows, segments, images, strides, axes,
            LINES: gl.constexpr, C: gl.constexpr):  # fmt: skip
    """(offsets, rows, whether the columns lie in the image) of COUNT groups of pixels, for the first turn."""
    p = gl.arange(0, COUNT * 8 * C.lines, LINES)
    image, row, wb = _strip(p // 4 % C.lines, block, rows, segments, axes, C)
    sh, sw = source_origin(row, wb, axes, C)
    sw += (p // (8 * C.lines) + GROUP) * C.window + p % 4 + C.low
    if C.plane_h == 2:
        sh += p // (4 * C.lines) % 2
    else:
        sw += p // (4 * C.lines) % 2 * 4
    return pixel_at(image, sh, sw, strides, C), sh, (image < images) & within(sw, axes[2][1])


@gluon.jit
def _sources(block, rows, segments, images, strides, axes, LINES: gl.constexpr, C: gl.constexpr):
    """`_source` of a group per window, and of the one past the last window."""
    first = _source(0, C.windows, block, rows, segments, images, strides, axes, LINES, C)
    return first, _source(C.windows, 1, block, rows, segments, images, strides, axes, LINES, C)


@gluon.jit
def _fetch(ring, at, source, turn, here, ptr, channel, channel_in, strides, height, C: gl.constexpr):
    """Start to copy a turn's rows of some groups of pixels; what lies outside of the image becomes zero."""
    offset, sh, inside = source
    COUNT: gl.constexpr = offset.shape[0]
    to = ring.index(at)._reinterpret(ring.dtype, [COUNT, C.width], copied_layout(COUNT, C))
    mask = (inside & here & within(sh + turn * C.plane_h, height))[:, None] & channel_in[None, :]
    offset += turn * (C.plane_h * as_index(strides[4], C.wide))
    async_copy.async_copy_global_to_shared(to, ptr + (offset[:, None] + channel[None, :]), mask=mask)


@gluon.jit
def _fetch_turn(ring, slot, turn, here, sources, ptr, channel, channel_in, strides, height, C: gl.constexpr):
    """Start to copy what a turn adds."""
    at = slot * C.units
    _fetch(ring, at, sources[0], turn, here, ptr, channel, channel_in, strides, height, C)
    _fetch(ring, at + C.windows, sources[1], turn, here, ptr, channel, channel_in, strides, height, C)
    async_copy.commit_group()


@gluon.jit
def _next_turn(turn, block, sources, course, images, strides, axes, LINES: gl.constexpr, C: gl.constexpr):
    """Where copies go on: with the next turn, or with the next block."""
    first, stop, rows, segments = course
    turn += 1
    if turn == stop:
        turn = first
        block += 1
        sources = _sources(block, rows, segments, images, strides, axes, LINES, C)
    return turn, block, sources


@gluon.jit
def _right_operand(wgt_ptr, part, groups, M: gl.constexpr, LAYOUT: gl.constexpr, C: gl.constexpr):
    """The filter by which two groups of pixels meet destination rows M turns ago, [channels, 16, 8] pixels."""
    b = gl.arange(0, C.width, gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))[:, None, None]
    k = gl.arange(0, 16, gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))[None, :, None]
    n = gl.arange(0, 8, gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))[None, None, :]
    TAPS: gl.constexpr = C.fh * C.fw
    SIGN: gl.constexpr = 1 if C.forward else -1
    STEP: gl.constexpr = C.fw if C.plane_h == 2 else 4  # taps from one value of a pixel's first bit to the other
    fh = C.plane_h * M + (k % 2 - n % 2) * (C.plane_h - 1)
    fw = k // 8 * C.window + k % 8 // 2 - n // 2 + (k % 2 - n % 2) * (4 * (2 - C.plane_h))
    first = part * C.width + b % C.warps * (C.width // C.warps)
    inside = (fh >= 0) & (fh < C.fh) & (fw >= 0) & (fw < C.fw) & (first + b // C.warps < groups)
    # What differs between threads, then what differs between the registers of each: the latter is part of the address.
    thread = k % 8 // 2 - n // 2 - STEP * (n % 2)
    held = C.plane_h * M * C.fw + k // 8 * C.window + STEP * (k % 2)
    at = wgt_ptr + widened(first * TAPS + SIGN * thread, C.wide)
    at += b // C.warps * TAPS + SIGN * held + (0 if C.forward else TAPS - 1)
    return gl.load(at, mask=inside, other=0.0)


@gluon.jit
def _filter(wgt_ptr, part, groups, LAYOUT: gl.constexpr, C: gl.constexpr):
    """Every right operand, for the destination rows that a turn meets."""
    DEPTH: gl.constexpr = C.depth
    taps = ()
    for m in gl.static_range(DEPTH):
        taps = taps + (_right_operand(wgt_ptr, part, groups, m, LAYOUT, C),)  # noqa: RUF005 (Triton has no unpacking)
    return taps


@gluon.jit
def _pixels(ring, at, C: gl.constexpr):
    """Half of a left operand: a group of pixels of every window."""
    view = ring.index(at)._reinterpret(ring.dtype, [C.width, 16, 8], group_layout(C))
    return view.load(half_layout(C))


@gluon.jit
def _meet_turn(accs, ring, slot, taps, PRODUCT: gl.constexpr, C: gl.constexpr):
    """The sums after a turn's new rows met them."""
    DEPTH: gl.constexpr = C.depth
    both = gl.join(_pixels(ring, slot * C.units, C), _pixels(ring, slot * C.units + 1, C))
    both = both.permute([0, 1, 3, 2]).reshape([C.width, 16, 16])
    both = gl.convert_layout(both, gl.DotOperandLayout(0, PRODUCT, 2), assert_trivial=True)
    for m in gl.static_range(DEPTH - 1, -1, -1):  # the oldest first: the next may take its registers
        accs = replaced(accs, m, mma_v2(both, taps[m], accs[m]))
    return accs


@gluon.jit
def _places(block, rows, segments, axes, LINES: gl.constexpr, C: gl.constexpr):
    """(image, row of the first turn, column) of the 128 destination pixels of a turn."""
    p = gl.arange(0, 128, LINES)
    m = p // 4 % 16
    image, row, wb = _strip(m % C.lines, block, rows, segments, axes, C)
    dw = wb * C.span + m // C.lines * C.window + p % 4
    if C.plane_h == 2:
        row += p // 64
    else:
        dw += p // 64 * 4
    return image, row, dw


@gluon.jit
def _targets(block, rows, segments, images, strides, axes, C: gl.constexpr):
    """(offsets, rows, whether the columns lie in the image) of a block's first turn, as pixels are stored."""
    image, dh, dw = _places(block, rows, segments, axes, gl.SliceLayout(1, wide_layout(C)), C)
    return pixel_at(image, dh, dw, strides, C), dh, (image < images) & (dw < axes[2][0])


@gluon.jit
def _finish_turn(acc, stage, turn, places, bias, images, rows, segments, axes, epilogue, C: gl.constexpr):
    """Finish the destination rows of a turn; they wait in shared memory."""
    PIXELS: gl.constexpr = pixel_layout(C)
    block, part, total = places
    acc = acc.reshape([C.width // C.warps, C.warps, 16, 4, 2]).permute([4, 2, 3, 1, 0]).reshape([128, C.width])
    acc = gl.convert_layout(acc, PIXELS, assert_trivial=True)
    image, dh, dw = _places(block, rows, segments, axes, gl.SliceLayout(1, PIXELS), C)
    dh += turn * C.plane_h
    channel = channels_of(part, pixel_layout(C), C)
    mask = ((image < images) & within(dh, axes[1][0]) & (dw < axes[2][0]))[:, None] & (channel < total)[None, :]
    stage.store(finish(acc, image, 0, dh, dw, channel, mask, bias, epilogue, C).to(C.out))


@gluon.jit
def _store_turn(stage, turn, targets, dst_ptr, strides, channel, channel_in, height, C: gl.constexpr):
    """Store what waits in shared memory, neighbouring threads neighbouring channels."""
    offset, dh, inside = targets
    offset += turn * (C.plane_h * as_index(strides[4], C.wide))
    mask = (inside & within(dh + turn * C.plane_h, height))[:, None] & channel_in[None, :]
    gl.store(dst_ptr + (offset[:, None] + channel[None, :]), stage.load(wide_layout(C)), mask=mask)


@gluon.jit
def _zeros(PRODUCT: gl.constexpr, C: gl.constexpr):
    COUNT: gl.constexpr = C.depth
    accs = ()
    for _ in gl.static_range(COUNT):
        accs = accs + (gl.full([C.width, 16, 8], 0.0, gl.float32, PRODUCT),)  # noqa: RUF005
    return accs


@gluon.jit
def strip_channels(
    src_ptr, wgt_ptr, dst_ptr, src_strides, dst_strides, images, groups, parts, src_total, dst_total,
    rows, segments, turns, first, last, blocks, each, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `strip_conv`; a program takes `each` of the blocks of strips.

    Turns before `first` and from `last` on would meet rows above and below the image only.
    """
    COPY: gl.constexpr = wide_layout(C)
    LINES: gl.constexpr = gl.SliceLayout(1, COPY)
    PRODUCT: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [C.warps, 1, 1], [1, 16, 8])
    UNIT: gl.constexpr = 8 * C.lines
    AHEAD: gl.constexpr = C.ahead
    LAG: gl.constexpr = C.lag
    part = gl.program_id(0) % parts
    block = gl.program_id(0) // parts * each
    end = gl.minimum(block + each, blocks)
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    channel_in = channel // 8 < src_total // 8
    course = (first, turns + LAG, rows, segments)
    sources = _sources(block, rows, segments, images, src_strides, axes, LINES, C)
    ring = gl.allocate_shared_memory(src_ptr.dtype.element_ty, [(AHEAD + 1) * C.units, UNIT, C.width],
                                     copied_layout(UNIT, C))  # fmt: skip
    stage = gl.allocate_shared_memory(C.out, [128, C.width], copied_layout(128, C))
    height = axes[1][1]
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    next_turn = first
    next_block = block
    for t in gl.static_range(AHEAD):
        _fetch_turn(ring, t, next_turn, (next_turn < last) & (next_block < end), sources, src_ptr, channel, channel_in,
                    src_strides, height, C)  # fmt: skip
        next_turn, next_block, sources = _next_turn(next_turn, next_block, sources, course, images, src_strides, axes,
                                                    LINES, C)  # fmt: skip
    taps = _filter(wgt_ptr, part, groups, gl.DotOperandLayout(1, PRODUCT, 2), C)
    stored = channels_of(part, pixel_layout(C), C)
    bias = row_operands(stored, stored < dst_total, epilogue, C)
    accs = _zeros(PRODUCT, C)
    targets = _targets(block, rows, segments, images, dst_strides, axes, C)
    slot = 0
    turn = first
    for _ in range((end - block) * (turns + LAG - first)):
        async_copy.wait_group(AHEAD - 1)
        filled = gl.where(slot == 0, AHEAD, slot - 1)
        _fetch_turn(ring, filled, next_turn, (next_turn < last) & (next_block < end), sources, src_ptr, channel,
                    channel_in, src_strides, height, C)  # fmt: skip
        next_turn, next_block, sources = _next_turn(next_turn, next_block, sources, course, images, src_strides, axes,
                                                    LINES, C)  # fmt: skip
        accs = _meet_turn(accs, ring, slot, taps, PRODUCT, C)
        if turn >= LAG:
            _finish_turn(accs[LAG], stage, turn - LAG, (block, part, dst_total), bias, images, rows, segments, axes,
                         epilogue, C)  # fmt: skip
            _store_turn(stage, turn - LAG, targets, dst_ptr, dst_strides, channel, channel_in, axes[1][0], C)
        accs = (gl.full([C.width, 16, 8], 0.0, gl.float32, PRODUCT),) + accs[:LAG]  # noqa: RUF005
        slot = gl.where(slot == AHEAD, 0, slot + 1)
        turn += 1
        if turn == turns + LAG:
            turn = first
            block += 1
            accs = _zeros(PRODUCT, C)
            targets = _targets(block, rows, segments, images, dst_strides, axes, C)
