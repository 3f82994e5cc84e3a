"""Implicit matrix products of forward and backward data: pixels x channels, reduced over taps and channels.

One kernel serves both directions: each gathers source pixels per filter tap (see `axis_class`). A program computes one
tile; its loop runs over taps, then over blocks of channels. C is an `ImplicitConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ...gemm.kernels.schedule import place
from .common import along, as_index, class_axes, finish, group_channels, row_operands, widened, within


@triton.jit
def implicit_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, wgt_strides, dst_strides, images, groups, cin, cout, merged, src_block,
    dst_block, src_total, dst_total, tiles_m, axes, epilogue, C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)); strides are (image, group, channel, d, h, w) and (group, out, in, d, h, w).

    `merged` groups share a tile; `src_block` and `dst_block` are their channels, `src_total` and `dst_total` those of
    all groups.
    """
    ci, co = group_channels(cin, cout, C)
    per_group = tl.cdiv(cout, C.bn)
    tiles_n = tl.cdiv(groups, merged) if C.merge else per_group * groups
    cls, m, n = place(tl.program_id(0), tiles_m, tiles_n, C.group)
    d, h, w = class_axes(cls, axes, C.forward)
    count = images * d[2] * h[2] * w[2]
    if m * C.bm >= count:
        return
    rows = m * C.bm + tl.arange(0, C.bm)
    line = rows // w[2]
    jw = rows % w[2]
    jh = line % h[2]
    jd = (line // h[2]) % d[2]
    image = line // (h[2] * d[2])
    here = rows < count
    sw = w[6] + jw * w[7]
    sh = h[6] + jh * h[7]
    sd = d[6] + jd * d[7]
    cols = tl.arange(0, C.bn)
    depth = tl.arange(0, C.bk)
    if C.merge:
        group = n * merged
        own = cols // co
        col = cols % co
        of = depth // ci
        chan = depth % ci
        col_in = (cols < dst_block) & (cols < dst_total - n * dst_block)
        chan_in = (depth < src_block) & (depth < src_total - n * src_block)
        src_base = n.to(tl.int64) * src_block
        wgt_at = (group + of).to(tl.int64)[:, None] * wgt_strides[0] + (chan * as_index(wgt_strides[2], C.wide))[
            :, None
        ]
        wgt_at += (col * as_index(wgt_strides[1], C.wide))[None, :]
        wgt_in = chan_in[:, None] & col_in[None, :] & (of[:, None] == own[None, :])
        steps = 1
    else:
        group = n // per_group
        col = (n % per_group) * C.bn + cols
        col_in = col < cout
        chan_in = depth < cin
        src_base = group.to(tl.int64) * src_strides[1]
        wgt_at = (
            group.to(tl.int64) * wgt_strides[0] + (widened(depth, C.wide) * as_index(wgt_strides[2], C.wide))[:, None]
        )
        wgt_at += (widened(col, C.wide) * as_index(wgt_strides[1], C.wide))[None, :]
        wgt_in = chan_in[:, None] & col_in[None, :]
        steps = tl.cdiv(cin, C.bk)
    at = along(image, src_strides[0], C) + along(sw, src_strides[5], C) + along(sh, src_strides[4], C)
    if C.dims == 3:
        at += along(sd, src_strides[3], C)
    src_at = src_ptr + src_base + (at[:, None] + (depth * as_index(src_strides[2], C.wide))[None, :])
    wgt_at = wgt_ptr + wgt_at
    acc = tl.full((C.bm, C.bn), 0.0, tl.float32)
    taps = d[3] * h[3] * w[3]
    for step in tl.range(0, taps * steps):
        tap = step // steps
        low = (step % steps) * C.bk
        tw = tap % w[3]
        th = (tap // w[3]) % h[3]
        valid = here & within(sh + th * h[8], axes[1][1])
        if not C.fold:
            valid = valid & within(sw + tw * w[8], axes[2][1])
        move = (tw * w[8]).to(tl.int64) * src_strides[5] + (th * h[8]).to(tl.int64) * src_strides[4]
        filt = (w[4] + tw * w[5]).to(tl.int64) * wgt_strides[5] + (h[4] + th * h[5]).to(tl.int64) * wgt_strides[4]
        if C.dims == 3:
            td = tap // (w[3] * h[3])
            valid = valid & within(sd + td * d[8], axes[0][1])
            move += (td * d[8]).to(tl.int64) * src_strides[3]
            filt += (d[4] + td * d[5]).to(tl.int64) * wgt_strides[3]
        if not C.merge:
            move += low.to(tl.int64) * src_strides[2]
            filt += low.to(tl.int64) * wgt_strides[2]
        if C.fold:
            # The run may begin or end outside of the image's row.
            inside_row = within((sw * src_block)[:, None] + (low + depth)[None, :], axes[2][1] * src_block)
            left = depth < cin - low
            a = tl.load(src_at + move, mask=valid[:, None] & inside_row & left[None, :], other=0.0)
            b = tl.load(wgt_at + filt, mask=left[:, None] & col_in[None, :], other=0.0)
        elif C.even_k:
            a = tl.load(src_at + move, mask=valid[:, None], other=0.0)
            b = tl.load(wgt_at + filt, mask=col_in[None, :], other=0.0)
        elif C.merge:
            a = tl.load(src_at + move, mask=valid[:, None] & chan_in[None, :], other=0.0)
            b = tl.load(wgt_at + filt, mask=wgt_in, other=0.0)
        else:
            left = depth < cin - low
            a = tl.load(src_at + move, mask=valid[:, None] & left[None, :], other=0.0)
            b = tl.load(wgt_at + filt, mask=left[:, None] & col_in[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=C.precision)
    dw = w[0] + jw * w[1]
    dh = h[0] + jh * h[1]
    dd = d[0] + jd * d[1]
    inside = here[:, None] & col_in[None, :]
    if C.merge:
        place_col = n.to(tl.int64) * dst_block + cols
        channel = n * merged * co + cols
    else:
        place_col = group.to(tl.int64) * dst_strides[1] + col.to(tl.int64) * dst_strides[2]
        channel = group * cout + col
    bias = row_operands(channel, col_in, epilogue, C)
    x = finish(acc, image, dd, dh, dw, channel, inside, bias, epilogue, C).to(C.out)
    to = image.to(tl.int64) * dst_strides[0] + dw.to(tl.int64) * dst_strides[5] + dh.to(tl.int64) * dst_strides[4]
    to += dd.to(tl.int64) * dst_strides[3]
    tl.store(dst_ptr + (to[:, None] + place_col[None, :]), x, mask=inside)
