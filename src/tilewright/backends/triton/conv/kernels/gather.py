"""Forward convolutions of few channels: the channels of all taps are one run, whose elements are gathered one by one.

A step takes `bk` elements of that run, in the order (d, h, w, channel) in which a dense filter holds them: nothing is
copied first, and few channels leave no part of a step empty. An element costs as many instructions as its address and
its bounds take, so the bounds of all axes are tested at once: positions are packed into one number (`_packed`).
C is an `ImplicitConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ...gemm.kernels.schedule import place
from .common import along, as_index, finish, row_operands, split_off


@triton.jit
def _packed(d, h, w, C: tl.constexpr):
    """Positions along all axes in one number, 10 bits for d and 11 for h and w, or 15 for h and w without d."""
    if C.dims == 3:
        return (d << 22) + (h << 11) + w
    else:
        return (h << 15) + w


@triton.jit
def _inverse(y):
    """What `_quotient` divides by y with."""
    return (1 << 20) // y + 1


@triton.jit
def _quotient(x, inverse):
    """x // y for x < 4096 and x * y < 2**20, where `inverse` is that of y."""
    return ((x.to(tl.uint32) * inverse.to(tl.uint32)) >> 20).to(tl.int32)


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
    # A position is inside if neither it nor its distance to the last one is negative: the bits above both stay set.
    UP: tl.constexpr = 10 if C.dims == 3 else 14
    SIGNS: tl.constexpr = -(1 << 31) + (1 << 21) + (1 << 10) if C.dims == 3 else (1 << 29) + (1 << 14)
    low_side = tl.where(here, _packed(sd + 512, sh + (1 << UP), sw + (1 << UP), C), 0)
    high_side = _packed(axes[0][1] - 1 - sd + 512, axes[1][1] - 1 - sh + (1 << UP), axes[2][1] - 1 - sw + (1 << UP), C)
    col = n * C.bn + tl.arange(0, C.bn)
    col_in = col < cout
    wgt_at = wgt_ptr + col.to(tl.int64)[None, :] * wgt_strides[1]
    run = axes[0][2] * axes[1][2] * axes[2][2] * cin
    per_tap = _inverse(cin)
    per_line = _inverse(axes[2][2])
    per_plane = _inverse(axes[1][2])
    acc = tl.full((C.bm, C.bn), 0.0, tl.float32)
    for low in tl.range(0, run, C.bk):
        e = low + tl.arange(0, C.bk)
        tap = _quotient(e, per_tap)
        filter_line = _quotient(tap, per_line)
        filter_plane = _quotient(filter_line, per_plane)
        fw = (tap - filter_line * axes[2][2]) * axes[2][4]
        fh = (filter_line - filter_plane * axes[1][2]) * axes[1][4]
        fd = filter_plane * axes[0][4]
        move = e - tap * cin + fw * as_index(src_strides[5], C.wide) + fh * as_index(src_strides[4], C.wide)
        if C.dims == 3:
            move += fd * as_index(src_strides[3], C.wide)
        step = tl.where(e < run, _packed(fd, fh, fw, C), -SIGNS)
        valid = ((low_side[:, None] + step[None, :]) & (high_side[:, None] - step[None, :]) & SIGNS) == SIGNS
        a = tl.load(src_ptr + (at[:, None] + move[None, :]), mask=valid, other=0.0)
        b = tl.load(wgt_at + e[:, None], mask=(e < run)[:, None] & col_in[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=C.precision)
    inside = here[:, None] & col_in[None, :]
    bias = row_operands(col, col_in, epilogue, C)
    x = finish(acc, image, jd, jh, jw, col, inside, bias, epilogue, C).to(C.out)
    to = image.to(tl.int64) * dst_strides[0] + jw.to(tl.int64) * dst_strides[5] + jh.to(tl.int64) * dst_strides[4]
    to += jd.to(tl.int64) * dst_strides[3]
    tl.store(dst_ptr + (to[:, None] + col[None, :]), x, mask=inside)
