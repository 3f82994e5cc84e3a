"""Turns a filter around for backward data, with zeros where a pixel of a block does not meet a tap."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def spread_filter(
    src_ptr, dst_ptr, strides, total, channels, read, depth, across, axes, BLOCK: tl.constexpr
):  # fmt: skip
    """dst[row of the block, column of the block, channel, tap d, h, w, channel that is read] = src or zero.

    `strides` are those of the filter along (channel that is read, channel, d, h, w). An axis is (taps, first, stride,
    filter): pixel z of a block meets tap t through filter position z + first - t * stride. `depth` >= `read` channels
    are written.
    """
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = e % depth
    tap = e // depth
    tw = tap % axes[2][0]
    th = (tap // axes[2][0]) % axes[1][0]
    td = (tap // (axes[2][0] * axes[1][0])) % axes[0][0]
    col = tap // (axes[2][0] * axes[1][0] * axes[0][0])
    channel = col % channels
    pixel = col // channels
    fd = axes[0][1] - td * axes[0][2]
    fh = pixel // across + axes[1][1] - th * axes[1][2]
    fw = pixel % across + axes[2][1] - tw * axes[2][2]
    there = (e < total) & (k < read) & (fd >= 0) & (fd < axes[0][3]) & (fh >= 0) & (fh < axes[1][3])
    there = there & (fw >= 0) & (fw < axes[2][3])
    at = k.to(tl.int64) * strides[0] + channel.to(tl.int64) * strides[1] + fd.to(tl.int64) * strides[2]
    at += fh.to(tl.int64) * strides[3] + fw.to(tl.int64) * strides[4]
    x = tl.load(src_ptr + at, mask=there, other=0.0)
    tl.store(dst_ptr + e, x, mask=e < total)
