"""Windows of pixels for few channels per group: each source pixel is read once per filter row, not once per tap.

A program holds `span` neighbouring destination pixels along w in registers, for `bl` lines and a block of channels. A
source pixel is loaded once and meets every filter column that it belongs to. With `dot` the channels of several groups
form a block-diagonal product on the matrix units; else each group has one channel, and the vector units do it.
C is a `WindowConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .common import along, as_index, axis_class, filled, finish, group_channels, replaced, row_operands, within


@triton.jit
def _filter_row(wgt_ptr, wgt_at, tap, h, d, wgt_in, wgt_strides, C: tl.constexpr):
    """The filter columns of one filter row."""
    at = (h[4] + (tap % h[3]) * h[5]) * as_index(wgt_strides[4], C.wide)
    if C.dims == 3:
        at += (d[4] + (tap // h[3]) * d[5]) * as_index(wgt_strides[3], C.wide)
    values = ()
    FW: tl.constexpr = C.fw
    for f in tl.static_range(FW):
        x = tl.load(wgt_ptr + (wgt_at + (at + f * as_index(wgt_strides[5], C.wide))), mask=wgt_in, other=0.0)
        values = values + (x,)  # noqa: RUF005 (Triton has no unpacking)
    return values


@triton.jit
def _pixel_row(src_ptr, src_at, tap, h, d, sh, sd, sw, here, chan_in, src_strides, axes, C: tl.constexpr):
    """The source pixels of one filter row: all loads before the first use, so that their latencies overlap."""
    th = tap % h[3]
    row_in = here & within(sh + th * h[8], axes[1][1])
    move = (th * h[8]) * as_index(src_strides[4], C.wide)
    if C.dims == 3:
        td = tap // h[3]
        row_in = row_in & within(sd + td * d[8], axes[0][1])
        move += (td * d[8]) * as_index(src_strides[3], C.wide)
    values = ()
    LOW: tl.constexpr = C.low
    HIGH: tl.constexpr = C.high
    for b in tl.static_range(LOW, HIGH):
        valid = row_in & within(sw + b, axes[2][1])
        at = src_at + (move + b * as_index(src_strides[5], C.wide))
        x = tl.load(src_ptr + at, mask=valid[:, None] & chan_in[None, :], other=0.0)
        values = values + (x,)  # noqa: RUF005 (Triton has no unpacking)
    return values


@triton.jit
def _meet_row(accs, pixels, weights, C: tl.constexpr):
    """The sums after the source pixels of a filter row met its filter columns."""
    LOW: tl.constexpr = C.low
    HIGH: tl.constexpr = C.high
    FW: tl.constexpr = C.fw
    for b in tl.static_range(LOW, HIGH):
        x = pixels[b - LOW]
        if not C.dot:
            x = x.to(tl.float32)
        for f in tl.static_range(FW):
            accs = _meet(accs, x, weights[f], b, f, C)
    return accs


@triton.constexpr_function
def column(b, f, C):
    """The destination pixel of the window that meets source pixel `b` through filter column `f`; -1 where none does."""
    if not C.forward:
        j = b * C.stride + f - C.phase
        return j if 0 <= j < C.span else -1
    j, rest = divmod(b - f, C.stride)
    return j if rest == 0 and 0 <= j < C.span else -1


@triton.jit
def _meet(accs, x, weight, b: tl.constexpr, f: tl.constexpr, C: tl.constexpr):
    """The sums after source pixel `b` met filter column `f`."""
    J: tl.constexpr = column(b, f, C)
    if J >= 0:
        if C.dot:
            accs = replaced(accs, J, tl.dot(x, weight, accs[J], input_precision=C.precision))
        else:
            accs = replaced(accs, J, accs[J] + x * weight.to(tl.float32)[None, :])
    return accs


@triton.jit
def window_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, wgt_strides, dst_strides, images, groups, cin, cout, merged, src_block,
    dst_block, src_total, dst_total, blocks, axes, epilogue, C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `implicit_conv`; `blocks` of lines per residue class."""
    ci, co = group_channels(cin, cout, C)
    parts = tl.cdiv(groups, merged)
    n = tl.program_id(0) % parts
    block = (tl.program_id(0) // parts) % blocks
    cls = tl.program_id(0) // (parts * blocks)
    h = axis_class(cls % axes[1][3], axes[1], C.forward)
    d = axis_class(cls // axes[1][3], axes[0], C.forward)
    across = tl.cdiv(axes[2][0], C.span)
    count = images * d[2] * h[2] * across
    if block * C.bl >= count:
        return
    lines = block * C.bl + tl.arange(0, C.bl)
    here = lines < count
    wb = lines % across
    line = lines // across
    jh = line % h[2]
    jd = (line // h[2]) % d[2]
    image = line // (h[2] * d[2])
    if C.forward:
        sw = wb * C.advance - axes[2][5]
    else:
        sw = wb * C.advance + (axes[2][5] - C.phase) // C.stride
    sh = h[6] + jh * h[7]
    sd = d[6] + jd * d[7]
    depth = tl.arange(0, C.bc)
    cols = tl.arange(0, C.bn)
    of = depth // ci
    own = cols // co
    group = n * merged
    # Compared as channels, whose divisors are known, so that neighbours are read and written together.
    chan_in = (depth < src_block) & (depth < src_total - n * src_block)
    col_in = (cols < dst_block) & (cols < dst_total - n * dst_block)
    if C.dot:
        wgt_at = along(group + of, wgt_strides[0], C)[:, None]
        wgt_at += ((depth % ci) * as_index(wgt_strides[2], C.wide))[:, None]
        wgt_at += ((cols % co) * as_index(wgt_strides[1], C.wide))[None, :]
        wgt_in = chan_in[:, None] & (of[:, None] == own[None, :]) & col_in[None, :]
    else:
        wgt_at = along(group + depth, wgt_strides[0], C)
        wgt_in = chan_in
    at = along(image, src_strides[0], C) + along(sw, src_strides[5], C) + along(sh, src_strides[4], C)
    if C.dims == 3:
        at += along(sd, src_strides[3], C)
    src_at = at[:, None] + depth[None, :]
    src_base = src_ptr + n.to(tl.int64) * src_block
    SPAN: tl.constexpr = C.span
    accs = filled(SPAN, C.bl, C.bn)
    taps = d[3] * h[3]
    if C.dot:
        # The next filter row is on its way while this one is multiplied; past the last one nothing is read.
        pixels = _pixel_row(src_base, src_at, 0, h, d, sh, sd, sw, here & (taps > 0), chan_in, src_strides, axes, C)
        for tap in tl.range(0, taps):
            weights = _filter_row(wgt_ptr, wgt_at, tap, h, d, wgt_in, wgt_strides, C)
            more = here & (tap + 1 < taps)
            coming = _pixel_row(src_base, src_at, tap + 1, h, d, sh, sd, sw, more, chan_in, src_strides, axes, C)
            accs = _meet_row(accs, pixels, weights, C)
            pixels = coming
    else:
        for tap in tl.range(0, taps):
            weights = _filter_row(wgt_ptr, wgt_at, tap, h, d, wgt_in, wgt_strides, C)
            pixels = _pixel_row(src_base, src_at, tap, h, d, sh, sd, sw, here, chan_in, src_strides, axes, C)
            accs = _meet_row(accs, pixels, weights, C)
    dh = h[0] + jh * h[1]
    dd = d[0] + jd * d[1]
    to = along(image, dst_strides[0], C) + along(dh, dst_strides[4], C)
    if C.dims == 3:
        to += along(dd, dst_strides[3], C)
    dst_base = dst_ptr + n.to(tl.int64) * dst_block
    channel = n * merged * co + cols
    bias = row_operands(channel, col_in, epilogue, C)
    for j in tl.static_range(SPAN):
        dw = wb * C.span + j
        inside = (here & (dw < axes[2][0]))[:, None] & col_in[None, :]
        x = finish(accs[j], image, dd, dh, dw, channel, inside, bias, epilogue, C).to(C.out)
        at = to + along(dw, dst_strides[5], C)
        tl.store(dst_base + (at[:, None] + cols[None, :]), x, mask=inside)
