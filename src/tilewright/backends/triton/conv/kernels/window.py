"""Windows of pixels for few channels per group: each source pixel is read once per filter row, not once per tap.

A program holds `span` neighbouring destination pixels along w in registers, for `bl` lines and a block of channels. A
source pixel is loaded once and meets every filter column that it belongs to. With `dot` the channels of several groups
form a block-diagonal product on the matrix units; else each group has one channel, and the vector units do it.
C is a `WindowConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .common import as_index, axis_class, filled, finish, replaced, widened, within


@triton.jit
def _weights(wgt_at, filt, wgt_in, wgt_strides, C: tl.constexpr):
    """The filter columns of one filter row."""
    values = ()
    FW: tl.constexpr = C.fw
    for f in tl.static_range(FW):
        x = tl.load(wgt_at + (filt + f * wgt_strides[5]), mask=wgt_in, other=0.0)
        if not C.dot:
            x = x.to(tl.float32)
        values = values + (x,)
    return values


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
            accs = replaced(accs, J, accs[J] + x * weight[None, :])
    return accs


@triton.jit
def window_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, wgt_strides, dst_strides, images, groups, cin, cout, merged, src_block,
    dst_block, src_total, dst_total, blocks, axes, epilogue, C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `implicit_conv`; `blocks` of lines per residue class."""
    if C.channels > 0:
        ci = C.channels
        co = C.channels
    else:
        ci = cin
        co = cout
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
        wgt_at = (group + of).to(tl.int64)[:, None] * wgt_strides[0]
        wgt_at += ((depth % ci) * as_index(wgt_strides[2], C.wide))[:, None]
        wgt_at += ((cols % co) * as_index(wgt_strides[1], C.wide))[None, :]
        wgt_at = wgt_ptr + wgt_at
        wgt_in = chan_in[:, None] & (of[:, None] == own[None, :]) & col_in[None, :]
    else:
        wgt_at = wgt_ptr + (group + depth).to(tl.int64) * wgt_strides[0]
        wgt_in = chan_in
    at = widened(image, C.wide) * as_index(src_strides[0], C.wide) + widened(sw, C.wide) * as_index(
        src_strides[5], C.wide
    )
    at += widened(sh, C.wide) * as_index(src_strides[4], C.wide)
    if C.dims == 3:
        at += widened(sd, C.wide) * as_index(src_strides[3], C.wide)
    src_at = src_ptr + n.to(tl.int64) * src_block + (at[:, None] + depth[None, :])
    LOW: tl.constexpr = C.low
    HIGH: tl.constexpr = C.high
    FW: tl.constexpr = C.fw
    SPAN: tl.constexpr = C.span
    accs = filled(SPAN, C.bl, C.bn)
    taps = d[3] * h[3]
    for tap in tl.range(0, taps):
        th = tap % h[3]
        row_in = here & within(sh + th * h[8], axes[1][1])
        move = (th * h[8]).to(tl.int64) * src_strides[4]
        filt = (h[4] + th * h[5]).to(tl.int64) * wgt_strides[4]
        if C.dims == 3:
            td = tap // h[3]
            row_in = row_in & within(sd + td * d[8], axes[0][1])
            move += (td * d[8]).to(tl.int64) * src_strides[3]
            filt += (d[4] + td * d[5]).to(tl.int64) * wgt_strides[3]
        weights = _weights(wgt_at, filt, wgt_in, wgt_strides, C)
        for b in tl.static_range(LOW, HIGH):
            valid = row_in & within(sw + b, axes[2][1])
            x = tl.load(src_at + (move + b * src_strides[5]), mask=valid[:, None] & chan_in[None, :], other=0.0)
            if not C.dot:
                x = x.to(tl.float32)
            for f in tl.static_range(FW):
                accs = _meet(accs, x, weights[f], b, f, C)
    dh = h[0] + jh * h[1]
    dd = d[0] + jd * d[1]
    to = image.to(tl.int64) * dst_strides[0] + dh.to(tl.int64) * dst_strides[4] + dd.to(tl.int64) * dst_strides[3]
    dst_at = dst_ptr + n.to(tl.int64) * dst_block + (to[:, None] + cols[None, :])
    for j in tl.static_range(SPAN):
        dw = wb * C.span + j
        inside = (here & (dw < axes[2][0]))[:, None] & col_in[None, :]
        x = finish(accs[j], image, dd, dh, dw, n * merged * co + cols, inside, epilogue, C).to(C.out)
        tl.store(dst_at + (dw.to(tl.int64) * dst_strides[5])[:, None], x, mask=inside)
