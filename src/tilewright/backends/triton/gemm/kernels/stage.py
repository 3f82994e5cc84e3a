"""Copies an operand into an aligned buffer with K contiguous, so that a TMA kernel can take what it could not read."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def stage_operand(src, dst, src_strides, dst_strides, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    """dst[b, r, c] = src[b, r, c] for program (column block, row block, b); strides are (batch, row, col)."""
    batch = tl.program_id(2).to(tl.int64)
    r = tl.program_id(1) * BR + tl.arange(0, BR)
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    inside = (r < rows)[:, None] & (c < cols)[None, :]
    from_at = r.to(tl.int64)[:, None] * src_strides[1] + c.to(tl.int64)[None, :] * src_strides[2]
    to_at = r.to(tl.int64)[:, None] * dst_strides[1] + c.to(tl.int64)[None, :] * dst_strides[2]
    x = tl.load(src + batch * src_strides[0] + from_at, mask=inside)
    tl.store(dst + batch * dst_strides[0] + to_at, x, mask=inside)
