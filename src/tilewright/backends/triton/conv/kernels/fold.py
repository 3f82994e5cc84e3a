"""Copies pixels of few channels into lines with room for padding, so that a filter row becomes one run of channels."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def fold_pixels(
    src_ptr, dst_ptr, strides, second, third, pixel, channel, pixels, before, channels, bits, line,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Programs are (block of a line, line of an outer index, outer index); what no pixel fills is zero.

    A pixel has 1 << `bits` elements in the copy, `channels` of which are the source's.
    """
    outer = tl.program_id(2).to(tl.int64)
    row = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = at >> bits
    chan = at & ((1 << bits) - 1)
    base = outer * strides[0] + (row // third).to(tl.int64) * strides[1] + (row % third).to(tl.int64) * strides[2]
    there = (place >= before) & (place < before + pixels) & (chan < channels)
    offset = (place - before).to(tl.int64) * pixel + chan.to(tl.int64) * channel
    x = tl.load(src_ptr + base + offset, mask=there, other=0.0)
    to = (outer * (second * third) + row) * line
    tl.store(dst_ptr + to + at, x, mask=at < line)
