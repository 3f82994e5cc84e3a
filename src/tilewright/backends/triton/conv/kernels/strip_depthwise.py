"""Strips that run down the image, for one channel per group: vector units, one piece of channels per thread.

A source pixel is read from shared memory and widened once, and meets every tap: the sums of all destination rows that
it belongs to are kept in registers, as a ring that moves on by one turn's rows. C is a `StripConfig`.
"""

from __future__ import annotations

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, finish, replaced, row_operands, widened, within
from .strip import source_origin, strip_lines
from .strip_copy import fetch_pixels, new_rings, wide_layout
from .window import column


@triton.constexpr_function
def ring_tap(i, q, fw, C):
    """The tap by which the i-th new source row meets row q of the ring of sums; -1 where none."""
    f = C.stride * (C.depth - 1 - q) + i if C.forward else q
    return f * C.fw + fw if 0 <= f < C.fh else -1


@triton.constexpr_function
def piece_layout(C):
    """`vector` channels per thread, then lines."""
    across = C.width // C.vector
    return gl.BlockedLayout([1, C.vector], [32 // across, across], [C.warps, 1], [1, 0])


@gluon.jit
def read_pixels(rings, slot, COUNT: gl.constexpr, LAYOUT: gl.constexpr, C: gl.constexpr):
    """A row of pixels in fp32."""
    pixels = ()
    for b in gl.static_range(COUNT):
        x = rings[b // C.pack].index(slot).slice((b % C.pack) * C.lines, C.lines).load(LAYOUT)
        pixels = pixels + (x.to(gl.float32),)  # noqa: RUF005
    return pixels


@gluon.jit
def _add(accs, x, weight, AT: gl.constexpr, J: gl.constexpr):
    if J >= 0:
        accs = replaced(accs, AT + J, accs[AT + J] + x * weight)
    return accs


@gluon.jit
def _tap(taps, T: gl.constexpr, PIECE: gl.constexpr, C: gl.constexpr):
    """The weights of one tap, from registers or from shared memory."""
    if C.hold:
        return taps[T]
    else:
        return taps[T].load(gl.SliceLayout(0, PIECE))[None, :]


@gluon.jit
def _meet_tap(accs, pixels, taps, T: gl.constexpr, q: gl.constexpr, fw: gl.constexpr, PIECE: gl.constexpr,
              C: gl.constexpr):  # fmt: skip
    """The sums after a row of pixels met one tap."""
    LOW: gl.constexpr = C.low
    HIGH: gl.constexpr = C.high
    if T >= 0:
        weight = _tap(taps, T, PIECE, C)
        for b in gl.static_range(LOW, HIGH):
            accs = _add(accs, pixels[b - LOW], weight, q * C.span, column(b, fw, C))
    return accs


@gluon.jit
def _meet_turn(accs, rings, slot, taps, PIECE: gl.constexpr, C: gl.constexpr):
    """The sums after the new source rows of a turn met every tap."""
    IN: gl.constexpr = C.rows_in
    DEPTH: gl.constexpr = C.depth
    FW: gl.constexpr = C.fw
    WIDTH: gl.constexpr = C.high - C.low
    for i in gl.static_range(IN):
        pixels = read_pixels(rings, slot + i, WIDTH, PIECE, C)
        for q in gl.static_range(DEPTH):
            for fw in gl.static_range(FW):
                accs = _meet_tap(accs, pixels, taps, ring_tap(i, q, fw, C), q, fw, PIECE, C)
    return accs


@gluon.jit
def _load_taps(wgt_ptr, channel, channel_in, alpha, C: gl.constexpr):
    """The filter times alpha in fp32: [1, channels] tensors, or one piece of shared memory each."""
    TAPS: gl.constexpr = C.fh * C.fw
    at = wgt_ptr + widened(channel * TAPS, C.wide)
    found = ()
    for t in gl.static_range(TAPS):
        found = found + (gl.load(at + t, mask=channel_in, other=0.0).to(gl.float32) * alpha,)  # noqa: RUF005
    taps = ()
    for t in gl.static_range(TAPS):
        if C.hold:
            one = found[t][None, :]
        else:
            one = gl.allocate_shared_memory(gl.float32, [C.width], gl.SwizzledSharedLayout(1, 1, 1, [0]), found[t])
        taps = taps + (one,)  # noqa: RUF005
    return taps


@gluon.jit
def zeros(COUNT: gl.constexpr, LAYOUT: gl.constexpr, C: gl.constexpr):
    """A tuple of sums that begin."""
    values = ()
    for _ in gl.static_range(COUNT):
        values = values + (gl.full([C.lines, C.width], 0.0, gl.float32, LAYOUT),)  # noqa: RUF005
    return values


@gluon.jit
def _store_pixel(acc, dst_ptr, strides, image, dh, dw, inside, channel, channel_in, bias, epilogue, C: gl.constexpr):
    """Finish and store one pixel of every strip."""
    mask = inside[:, None] & channel_in[None, :]
    x = finish(acc, image, 0, dh, dw, channel, mask, bias, epilogue, C).to(C.out)
    to = along(image, strides[0], C) + along(dh, strides[4], C) + along(dw, strides[5], C)
    gl.store(dst_ptr + (to[:, None] + channel[None, :]), x, mask=mask)


@gluon.jit
def _store_turn(accs, turn, dst_ptr, strides, places, axes, bias, epilogue, C: gl.constexpr):
    """Store the destination rows that a turn completes."""
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    images, image, row, wb, channel, channel_in = places
    for q in gl.static_range(OUT):
        dh = row + ((turn - C.lag) * OUT + q)
        row_in = (image < images) & within(dh, axes[1][0]) & (turn >= C.lag)
        for j in gl.static_range(SPAN):
            dw = wb * SPAN + j
            _store_pixel(accs[q * SPAN + j], dst_ptr, strides, image, dh, dw, row_in & (dw < axes[2][0]), channel,
                         channel_in, bias, epilogue, C)  # fmt: skip


@gluon.jit
def strip_depthwise(
    src_ptr, wgt_ptr, dst_ptr, src_strides, dst_strides, images, parts, src_total, rows, segments, turns,
    first, last, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `strip_conv`.

    Turns before `first` and from `last` on would meet rows above and below the image only.
    """
    COPY: gl.constexpr = wide_layout(C)
    PIECE: gl.constexpr = piece_layout(C)
    LOW: gl.constexpr = C.low
    WIDTH: gl.constexpr = C.high - C.low
    IN: gl.constexpr = C.rows_in
    OUT: gl.constexpr = C.rows_out
    SPAN: gl.constexpr = C.span
    AHEAD: gl.constexpr = C.ahead
    DEPTH: gl.constexpr = C.depth
    LAG: gl.constexpr = C.lag
    SLOTS: gl.constexpr = IN * (AHEAD + 1)
    part = gl.program_id(0) % parts
    block = gl.program_id(0) // parts
    image, row, wb = strip_lines(block, rows, segments, axes, gl.SliceLayout(1, COPY), C.pack, C)
    here = image < images
    sh, sw = source_origin(row, wb, axes, C)
    sw += gl.arange(0, C.lines * C.pack, gl.SliceLayout(1, COPY)) // C.lines
    channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, COPY))
    channel_in = channel // C.piece < src_total // C.piece
    at = along(image, src_strides[0], C) + along(sh, src_strides[4], C) + along(sw, src_strides[5], C)
    at = src_ptr + (at[:, None] + channel[None, :])
    height, width = axes[1][1], axes[2][1]
    rings = new_rings(WIDTH, SLOTS, src_ptr.dtype.element_ty, C)
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    for t in gl.static_range(AHEAD):
        for i in gl.static_range(IN):
            fetch_pixels(rings, t * IN + i, (first + t) * IN + i, at, sh, sw, here, channel_in, src_strides, height,
                         width, LOW, WIDTH, C)  # fmt: skip
        async_copy.commit_group()
    to_image, to_row, to_wb = strip_lines(block, rows, segments, axes, gl.SliceLayout(1, PIECE), 1, C)
    to_channel = part * C.width + gl.arange(0, C.width, gl.SliceLayout(0, PIECE))
    to_in = to_channel // C.vector < src_total // C.vector
    places = (images, to_image, to_row, to_wb, to_channel, to_in)
    taps = _load_taps(wgt_ptr, to_channel, to_in, epilogue[0], C)
    bias = row_operands(to_channel, to_in, epilogue, C)
    epilogue = (1.0,) + epilogue[1:]  # noqa: RUF005 (Triton has no unpacking)
    accs = zeros(DEPTH * SPAN, PIECE, C)
    slot = 0
    for turn in range(first, last):
        async_copy.wait_group(AHEAD - 1)
        more = here & (turn + AHEAD < last)
        filled = gl.where(slot == 0, AHEAD * IN, slot - IN)
        for i in gl.static_range(IN):
            fetch_pixels(rings, filled + i, (turn + AHEAD) * IN + i, at, sh, sw, more, channel_in, src_strides, height,
                         width, LOW, WIDTH, C)  # fmt: skip
        async_copy.commit_group()
        accs = _meet_turn(accs, rings, slot, taps, PIECE, C)
        _store_turn(accs, turn, dst_ptr, dst_strides, places, axes, bias, epilogue, C)
        accs = accs[OUT * SPAN :] + zeros(OUT * SPAN, PIECE, C)
        slot = gl.where(slot == AHEAD * IN, 0, slot + IN)
    for turn in range(last, turns + LAG):
        _store_turn(accs, turn, dst_ptr, dst_strides, places, axes, bias, epilogue, C)
        accs = accs[OUT * SPAN :] + zeros(OUT * SPAN, PIECE, C)
