"""Gradients of the weights: sums over all pixels, in shares that `finish_weight` adds.

Shares are kept in fp32 as [share, group, out channel, tap, in channel]; with `atomic` all programs add into one.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .common import along, as_index, filled, group_channels, replaced, split_off, tap_place, within
from .window import column


@triton.jit
def hand_in(to, x, inside, C: tl.constexpr):
    """Put a share into the workspace."""
    if C.atomic:
        tl.atomic_add(to, x, mask=inside, sem="relaxed")
    else:
        tl.store(to, x, mask=inside)


@triton.jit
def implicit_weight(
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, groups, cin, cout, merged, src_block, dst_block,
    src_total, dst_total, splits, axes, C: tl.constexpr,
):  # fmt: skip
    """Share of the gradient: rows are out channels, columns in channels of one tap, reduced over pixels in steps of bk.

    C is an `ImplicitConfig`; axes are (output, input, filter, stride, ...).
    """
    ci, co = group_channels(cin, cout, C)
    taps = axes[0][2] * axes[1][2] * axes[2][2]
    tiles_m = 1 if C.merge else tl.cdiv(cout, C.bm)
    tiles_n = 1 if C.merge else tl.cdiv(cin, C.bn)
    parts = tl.cdiv(groups, merged)
    program = tl.program_id(0)
    m = program % tiles_m
    n = (program // tiles_m) % tiles_n
    tap = (program // (tiles_m * tiles_n)) % taps
    part = (program // (tiles_m * tiles_n * taps)) % parts
    share = program // (tiles_m * tiles_n * taps * parts)
    fd, fh, fw = tap_place(tap, axes)
    rows = m * C.bm + tl.arange(0, C.bm)
    cols = n * C.bn + tl.arange(0, C.bn)
    if C.merge:
        row_in = (rows < dst_block) & (rows < dst_total - part * dst_block)
        col_in = (cols < src_block) & (cols < src_total - part * src_block)
        src_base = part.to(tl.int64) * src_block
        grad_base = part.to(tl.int64) * dst_block
    else:
        row_in = rows < cout
        col_in = cols < cin
        src_base = part.to(tl.int64) * src_strides[1]
        grad_base = part.to(tl.int64) * grad_strides[1]
    row_at = grad_ptr + grad_base + along(rows, grad_strides[2], C)
    col_at = src_ptr + src_base + along(cols, src_strides[2], C)
    ow = axes[2][0]
    oh = axes[1][0]
    od = axes[0][0]
    pixels = images * od * oh * ow
    acc = tl.full((C.bm, C.bn), 0.0, tl.float32)
    for low in tl.range(share * C.bk, pixels, splits * C.bk):
        p = low + tl.arange(0, C.bk)
        here = p < pixels
        line, w = split_off(p, ow, axes[2][8:])
        image, h = split_off(line, oh, axes[1][8:])
        sw = w * axes[2][3] + (fw * axes[2][4] - axes[2][5])
        sh = h * axes[1][3] + (fh * axes[1][4] - axes[1][5])
        valid = here & within(sh, axes[1][1])
        if not C.fold:
            valid = valid & within(sw, axes[2][1])
        if C.dims == 3:
            image, d = split_off(image, od, axes[0][8:])
            sd = d * axes[0][3] + (fd * axes[0][4] - axes[0][5])
            valid = valid & within(sd, axes[0][1])
        g_at = along(image, grad_strides[0], C) + along(w, grad_strides[5], C) + along(h, grad_strides[4], C)
        x_at = along(image, src_strides[0], C) + along(sw, src_strides[5], C) + along(sh, src_strides[4], C)
        if C.dims == 3:
            g_at += along(d, grad_strides[3], C)
            x_at += along(sd, src_strides[3], C)
        g = tl.load(row_at[None, :] + g_at[:, None], mask=valid[:, None] & row_in[None, :], other=0.0)
        there = valid[:, None] & col_in[None, :]
        if C.fold:
            there = there & within((sw * src_block)[:, None] + cols[None, :], axes[2][1] * src_block)
        x = tl.load(col_at[None, :] + x_at[:, None], mask=there, other=0.0)
        acc = tl.dot(tl.trans(g), x, acc, input_precision=C.precision)
    if C.merge:
        own = rows // co
        inside = row_in[:, None] & col_in[None, :] & (own[:, None] == (cols // ci)[None, :])
        row = part * merged * co + rows
        to = (row * taps + tap).to(tl.int64)[:, None] * ci + (cols % ci)[None, :]
    else:
        inside = row_in[:, None] & col_in[None, :]
        row = part * cout + rows
        to = (row * taps + tap).to(tl.int64)[:, None] * cin + cols[None, :]
    total = groups.to(tl.int64) * cout * cin * taps
    if not C.atomic:
        to += share * total
    hand_in(shares + to, acc, inside, C)


@triton.jit
def _meet(accs, grads, x, fh: tl.constexpr, b: tl.constexpr, f: tl.constexpr, C: tl.constexpr):
    """The sums after source pixel `b` met the gradient that filter position (fh, f) brings it to."""
    J: tl.constexpr = column(b, f, C)
    T: tl.constexpr = fh * C.fw + f
    if J >= 0:
        if C.dot:
            accs = replaced(accs, T, tl.dot(grads[J], x, accs[T], input_precision=C.precision))
        else:
            accs = replaced(accs, T, accs[T] + grads[J] * x)
    return accs


@triton.jit
def _meet_row(accs, grads, pixels, fh: tl.constexpr, C: tl.constexpr):
    """The sums after the pixels of a filter row met the gradients."""
    LOW: tl.constexpr = C.low
    HIGH: tl.constexpr = C.high
    FW: tl.constexpr = C.fw
    for b in tl.static_range(LOW, HIGH):
        x = pixels[b - LOW]
        if not C.dot:
            x = x.to(tl.float32)
        for f in tl.static_range(FW):
            accs = _meet(accs, grads, x, fh, b, f, C)
    return accs


@triton.jit
def window_weight(
    src_ptr, grad_ptr, shares, src_strides, grad_strides, images, groups, cin, cout, merged, src_block, dst_block,
    src_total, dst_total, splits, axes, C: tl.constexpr,
):  # fmt: skip
    """Share of the gradient for few channels: all taps of a filter plane at once, so pixels are read once.

    C is a `WindowConfig`. With `dot` a program sums products of merged groups, else one channel per group.
    """
    ci, co = group_channels(cin, cout, C)
    parts = tl.cdiv(groups, merged)
    part = tl.program_id(0) % parts
    fd = (tl.program_id(0) // parts) % axes[0][2]
    share = tl.program_id(0) // (parts * axes[0][2])
    across = tl.cdiv(axes[2][0], C.span)
    oh = axes[1][0]
    od = axes[0][0]
    count = images * od * oh * across
    depth = tl.arange(0, C.bc)
    cols = tl.arange(0, C.bn)
    group = part * merged
    chan_in = (depth < src_block) & (depth < src_total - part * src_block)
    col_in = (cols < dst_block) & (cols < dst_total - part * dst_block)
    grad_base = grad_ptr + part.to(tl.int64) * dst_block
    src_base = src_ptr + part.to(tl.int64) * src_block
    TAPS: tl.constexpr = C.fh * C.fw
    LOW: tl.constexpr = C.low
    HIGH: tl.constexpr = C.high
    FH: tl.constexpr = C.fh
    SPAN: tl.constexpr = C.span
    if C.dot:
        accs = filled(TAPS, C.bn, C.bc)
    else:
        accs = filled(TAPS, C.bl, C.bc)
    for low in tl.range(share * C.bl, count, splits * C.bl):
        lines = low + tl.arange(0, C.bl)
        here = lines < count
        line, wb = split_off(lines, across, axes[2][8:])
        image, h = split_off(line, oh, axes[1][8:])
        image, d = split_off(image, od, axes[0][8:])
        sw = wb * C.advance - axes[2][5]
        sh = h * axes[1][3] - axes[1][5]
        g_at = along(image, grad_strides[0], C) + along(h, grad_strides[4], C) + along(wb * C.span, grad_strides[5], C)
        x_at = along(image, src_strides[0], C) + along(sh, src_strides[4], C) + along(sw, src_strides[5], C)
        plane = here
        if C.dims == 3:
            sd = d * axes[0][3] + (fd * axes[0][4] - axes[0][5])
            plane = plane & within(sd, axes[0][1])
            g_at += along(d, grad_strides[3], C)
            x_at += along(sd, src_strides[3], C)
        grads = ()
        for j in tl.static_range(SPAN):
            there = (plane & (wb * C.span + j < axes[2][0]))[:, None] & col_in[None, :]
            at = g_at[:, None] + cols[None, :] + j * as_index(grad_strides[5], C.wide)
            g = tl.load(grad_base + at, mask=there, other=0.0)
            if C.dot:
                g = tl.trans(g)
            else:
                g = g.to(tl.float32)
            grads = grads + (g,)  # noqa: RUF005
        for fh in tl.static_range(FH):
            row_in = plane & within(sh + fh * axes[1][4], axes[1][1])
            move = (fh * axes[1][4]) * as_index(src_strides[4], C.wide)
            pixels = ()
            for b in tl.static_range(LOW, HIGH):
                there = (row_in & within(sw + b, axes[2][1]))[:, None] & chan_in[None, :]
                at = x_at[:, None] + depth[None, :] + (move + b * as_index(src_strides[5], C.wide))
                pixels = pixels + (tl.load(src_base + at, mask=there, other=0.0),)  # noqa: RUF005
            accs = _meet_row(accs, grads, pixels, fh, C)
    taps = axes[0][2] * TAPS
    total = groups.to(tl.int64) * cout * cin * taps
    to_share = shares
    if not C.atomic:
        to_share += share * total
    for t in tl.static_range(TAPS):
        tap = fd * TAPS + t
        if C.dot:
            to = ((group * co + cols) * taps + tap).to(tl.int64)[:, None] * ci + (depth % ci)[None, :]
            inside = col_in[:, None] & chan_in[None, :] & ((cols // co)[:, None] == (depth // ci)[None, :])
            hand_in(to_share + to, accs[t], inside, C)
        else:
            to = (group + depth).to(tl.int64) * taps + tap
            hand_in(to_share + to, tl.sum(accs[t], 0), chan_in, C)


@triton.jit
def finish_weight(
    shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, C: tl.constexpr
):  # fmt: skip
    """dst = alpha * (sum of shares) + beta * D0 + D1 ...; always summed in the same order. C is a `FinishConfig`.

    With C.fold the shares hold filter rows of `run` channels, `width` for each of their pixels; with C.taps_first they
    hold one tap of all channels after the other.
    """
    if C.pdl:
        gdc_launch_dependents()
    if len(C.tiles) == 1:  # noqa: SIM114 (a constant, then a value)
        _finish(shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, 0, C)
    elif splits <= C.most(0):
        _finish(shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, 0, C)
    elif splits <= C.most(1):
        _finish(shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, 1, C)
    else:
        _finish(shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, 2, C)


@triton.jit
def _finish(shares, dst_ptr, dst_strides, groups, cin, cout, splits, axes, epilogue, run, width, TILE: tl.constexpr,
            C: tl.constexpr):  # fmt: skip
    """`finish_weight` for one of its tiles."""
    BLOCK: tl.constexpr = C.tiles[TILE][0]
    AT_ONCE: tl.constexpr = C.tiles[TILE][1]
    taps = axes[0][2] * axes[1][2] * axes[2][2]
    EVEN: tl.constexpr = C.even
    total = tl.multiple_of(groups.to(tl.int64) * cout * cin * taps, EVEN)
    e = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = e // EVEN < total // EVEN
    which = tl.arange(0, AT_ONCE)
    from_at = e
    share = total
    if C.fold:
        pixel = e // cin
        from_at = (pixel // axes[2][2]) * run + (pixel % axes[2][2]) * width + e % cin
        share = groups.to(tl.int64) * cout * axes[0][2] * axes[1][2] * run
    chan = e % cin
    if C.taps_first:
        tap = e // (groups.to(tl.int64) * cout * cin)
        row = (e // cin) % (groups * cout)
    else:
        tap = (e // cin) % taps
        row = e // (cin * taps)
    col = row % cout
    group = row // cout
    fd, fh, fw = tap_place(tap, axes)
    to = group * dst_strides[0] + col * dst_strides[1] + chan * dst_strides[2]
    to += fd * dst_strides[3] + fh * dst_strides[4] + fw * dst_strides[5]
    if C.pdl:
        gdc_wait()
    x = tl.full((AT_ONCE, BLOCK), 0.0, tl.float32)
    for begin in range(0, splits, AT_ONCE):
        at = (begin + which).to(tl.int64)[:, None] * share + from_at[None, :]
        x += tl.load(shares + at, mask=(begin + which < splits)[:, None] & inside[None, :], other=0.0)
    x = tl.sum(x, 0)
    if C.clear:
        tl.debug_barrier()  # other threads may not have read these elements yet
        tl.store(shares + e, tl.full((BLOCK,), 0.0, tl.float32), mask=inside)
    y = x * epilogue[0]
    COUNT: tl.constexpr = len(C.epilogue.d)
    for i in tl.static_range(COUNT):
        s = epilogue[3][i]
        at = group * s[0] + col * s[1] + chan * s[2] + fd * s[3] + fh * s[4] + fw * s[5]
        extra = tl.load(epilogue[2][i] + at, mask=inside, other=0.0).to(tl.float32)
        y += extra * epilogue[1] if i == 0 else extra
    tl.store(dst_ptr + to, y.to(C.out), mask=inside)
