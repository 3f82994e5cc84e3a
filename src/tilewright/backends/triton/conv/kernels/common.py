"""What the convolution kernels share: the geometry of an axis, channels of merged groups, the epilogue.

An axis is the tuple (dst, src, filter, stride, dilation, pad, step, inverse, factor, shift): extents of the written and
of the read tensor, then the convolution; step = stride / gcd(stride, dilation) and inverse is that of dilation / gcd
modulo step. `factor` and `shift` divide by the number of places along the axis, see `split_off`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ...gemm.kernels.epilogue import activate, combined


@triton.jit
def axis_class(r, axis, FORWARD: tl.constexpr):
    """(first, every, count, taps, tap, tap_step, start, along, per_tap) of residue class `r` along an axis.

    Destination position j of the class is first + j * every. Its i-th tap is filter position tap + i * tap_step and
    reads source position start + j * along + i * per_tap. Forward has one class; backward data has one per residue of
    the position modulo the stride, so that no tap meets a zero between strided outputs.
    """
    dst = axis[0]
    filters = axis[2]
    stride = axis[3]
    dilation = axis[4]
    pad = axis[5]
    if FORWARD:
        return 0, 1, dst, filters, 0, 1, -pad, stride, dilation
    else:
        step = axis[6]
        common = stride // step
        at = r + pad
        tap = ((at // common) * axis[7]) % step
        taps = tl.where(at % common == 0, max((filters - tap + step - 1) // step, 0), 0)
        count = max((dst - r + stride - 1) // stride, 0)
        return r, stride, count, taps, tap, step, (at - tap * dilation) // stride, 1, -(dilation // common)


@triton.jit
def class_axes(cls, axes, FORWARD: tl.constexpr):
    """What `axis_class` says of every axis (d, h, w), where classes count along w first."""
    w = axis_class(cls % axes[2][3], axes[2], FORWARD)
    h = axis_class((cls // axes[2][3]) % axes[1][3], axes[1], FORWARD)
    return axis_class(cls // (axes[2][3] * axes[1][3]), axes[0], FORWARD), h, w


@triton.jit
def tap_place(tap, axes):
    """The position (d, h, w) of a tap in the filter."""
    w = tap % axes[2][2]
    h = (tap // axes[2][2]) % axes[1][2]
    return tap // (axes[2][2] * axes[1][2]), h, w


@triton.jit
def group_channels(cin, cout, C: tl.constexpr):
    """(channels read, channels written) of a group: constants where the kernel knows them."""
    if C.channels > 0:
        return C.channels, C.channels
    else:
        return cin, cout


@triton.jit
def within(p, extent):
    """0 <= p < extent, in one comparison: a negative number is a large one without sign."""
    return p.to(tl.uint32) < extent.to(tl.uint32)


@triton.jit
def split_off(x, places, division):
    """(x // places, x % places) for 0 <= x < 2**31 by a multiplication: a division takes ten times the instructions.

    `division` is (factor, shift): the factor is 2**(32 + shift) / places, rounded up; 0 stands for one place.
    """
    factor, shift = division
    quotient = tl.where(factor == 0, x, (tl.umulhi(x.to(tl.uint32), factor.to(tl.uint32)) >> shift).to(tl.int32))
    return quotient, x - quotient * places


@triton.jit
def widened(x, WIDE: tl.constexpr):
    """An index or a stride in the width in which offsets are computed."""
    if WIDE:
        return x.to(tl.int64)
    else:
        return x.to(tl.int32)


@triton.jit
def as_index(x, WIDE: tl.constexpr):
    """A stride (perhaps a constant) in the width in which offsets are computed."""
    if WIDE:
        return tl.cast(x, tl.int64)
    else:
        return tl.cast(x, tl.int32)


@triton.jit
def along(x, stride, C: tl.constexpr):
    """The offset of index x along a dimension."""
    return widened(x, C.wide) * as_index(stride, C.wide)


@triton.jit
def replaced(values, AT: tl.constexpr, value):
    """The tuple `values` with one element exchanged."""
    return values[:AT] + (value,) + values[AT + 1 :]  # noqa: RUF005 (Triton has no unpacking)


@triton.jit
def filled(COUNT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A tuple of zero blocks."""
    values = ()
    for _ in tl.static_range(COUNT):
        values = values + (tl.full((ROWS, COLS), 0.0, tl.float32),)  # noqa: RUF005
    return values


@triton.jit
def row_operands(channel, channel_in, args, C: tl.constexpr):
    """The D operands with one number for each channel, in fp32; 0 in the place of others. `args` as in `finish`.

    Kernels that finish many tiles of the same channels read them once.
    """
    values = ()
    for i in tl.static_range(len(C.epilogue.d)):
        if C.epilogue.d[i] == "row":
            at = args[2][i] + channel.to(tl.int64) * args[3][i][1]
            values = values + (tl.load(at, mask=channel_in, other=0.0).to(tl.float32),)  # noqa: RUF005
        else:
            values = values + (0.0,)  # noqa: RUF005
    return values


@triton.jit
def finish(acc, image, d, h, w, channel, inside, rows, args, C: tl.constexpr, residual=None):
    """activation(alpha * acc  combine  beta * D0  combine  D1 ...) in fp32.

    `args` is (alpha, beta, d pointers, d strides along (image, channel, d, h, w)). image, d, h, w are the positions of
    the tile's rows, `channel` its columns (over all groups); `inside` masks reads. `rows` are the `row_operands` of
    these channels, `residual` is the tile of a D operand that TMA brought.
    """
    x = acc * args[0]
    for i in tl.static_range(len(C.epilogue.d)):
        if C.epilogue.d[i] == "row":
            y = rows[i][None, :]
        elif i == C.epilogue.residual:
            y = residual.to(tl.float32)
        else:
            strides = args[3][i]
            at = image.to(tl.int64) * strides[0] + d * strides[2] + h * strides[3] + w * strides[4]
            at = at[:, None] + (channel.to(tl.int64) * strides[1])[None, :]
            y = tl.load(args[2][i] + at, mask=inside, other=0.0).to(tl.float32)
        x = combined(x, y, i, args[1], C)
    return activate(x, C)
