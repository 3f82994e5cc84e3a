"""Forward convolutions of few channels: the channels of all taps are one run, whose elements are gathered one by one.

A step takes `bk` elements of that run, in the order (d, h, w, channel) in which a dense filter holds them: nothing is
copied first, and few channels leave no part of a step empty. C is an `ImplicitConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ...gemm.kernels.schedule import place
from .common import along, as_index, finish, split_off, within


@triton.jit
def gather_conv(
    src_ptr, wgt_ptr, dst_ptr, src_strides, wgt_strides, dst_strides, images, cin, cout, tiles_m, axes, epilogue,
    C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)), arguments as in `implicit_conv`; one group, a dense filter."""
    _, m, n = place(tl.program_id(0), tiles_m, tl.cdiv(cout, C.bn), C.group)
    rows = m * C.bm + tl.arange(0, C.bm)
    line, jw = split_off(rows, axes[2][0], axes[2][8:])
    plane, jh = split_off(line, axes[1][0], axes[1][8:])
    image, jd = split_off(plane, axes[0][0], axes[0][8:])
    here = image < images
    sw = jw * axes[2][3] - axes[2][5]
    sh = jh * axes[1][3] - axes[1][5]
    sd = jd * axes[0][3] - axes[0][5]
    at = along(image, src_strides[0], C) + along(sw, src_strides[5], C) + along(sh, src_strides[4], C)
    if C.dims == 3:
        at += along(sd, src_strides[3], C)
    col = n * C.bn + tl.arange(0, C.bn)
    col_in = col < cout
    wgt_at = wgt_ptr + col.to(tl.int64)[None, :] * wgt_strides[1]
    run = axes[0][2] * axes[1][2] * axes[2][2] * cin
    acc = tl.full((C.bm, C.bn), 0.0, tl.float32)
    for low in tl.range(0, run, C.bk):
        e = low + tl.arange(0, C.bk)
        tap = e // cin
        fw = (tap % axes[2][2]) * axes[2][4]
        fh = ((tap // axes[2][2]) % axes[1][2]) * axes[1][4]
        move = (e % cin) + fw * as_index(src_strides[5], C.wide) + fh * as_index(src_strides[4], C.wide)
        valid = here[:, None] & (e < run)[None, :]
        valid = valid & within(sw[:, None] + fw[None, :], axes[2][1]) & within(sh[:, None] + fh[None, :], axes[1][1])
        if C.dims == 3:
            fd = (tap // (axes[2][2] * axes[1][2])) * axes[0][4]
            move += fd * as_index(src_strides[3], C.wide)
            valid = valid & within(sd[:, None] + fd[None, :], axes[0][1])
        a = tl.load(src_ptr + (at[:, None] + move[None, :]), mask=valid, other=0.0)
        b = tl.load(wgt_at + e[:, None], mask=(e < run)[:, None] & col_in[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=C.precision)
    inside = here[:, None] & col_in[None, :]
    x = finish(acc, image, jd, jh, jw, col, inside, epilogue, C, col_in).to(C.out)
    to = image.to(tl.int64) * dst_strides[0] + jw.to(tl.int64) * dst_strides[5] + jh.to(tl.int64) * dst_strides[4]
    to += jd.to(tl.int64) * dst_strides[3]
    tl.store(dst_ptr + (to[:, None] + col[None, :]), x, mask=inside)
