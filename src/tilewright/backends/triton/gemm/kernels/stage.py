"""Copies operands into aligned buffers with K contiguous, so that a TMA kernel can take what it could not read well."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def _copy(src, dst, src_strides, line, rows, cols, block, batch, BR: tl.constexpr, BC: tl.constexpr):
    """dst[batch, r, c] = src[batch, r, c] for one block of rows and columns; dst has `line` elements per row.

    The padding up to `line` is written too (with zeros), so that every write is a whole vector.
    """
    across = tl.cdiv(cols, BC)
    r = (block // across) * BR + tl.arange(0, BR)
    c = (block % across) * BC + tl.arange(0, BC)
    inside = (r < rows)[:, None] & (c < cols)[None, :]
    from_at = r.to(tl.int64)[:, None] * src_strides[1] + c.to(tl.int64)[None, :] * src_strides[2]
    to_at = (batch.to(tl.int64) * rows + r)[:, None] * line + c[None, :]
    x = tl.load(src + batch.to(tl.int64) * src_strides[0] + from_at, mask=inside, other=0)
    tl.store(dst + to_at, x, mask=(r < rows)[:, None] & (c < line)[None, :])


@triton.jit
def stage_operands(
    a_src, a_dst, a_strides, a_line, a_rows, a_batches, b_src, b_dst, b_strides, b_line, b_rows, b_batches, cols,
    PDL: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """Both operands, rows on M or N and columns on K; programs are (block of A, then of B; batch).

    An operand with 0 rows is left alone.
    """
    if PDL:
        gdc_launch_dependents()
        gdc_wait()
    block = tl.program_id(0)
    batch = tl.program_id(1)
    blocks_a = tl.cdiv(a_rows, BR) * tl.cdiv(cols, BC)
    if block < blocks_a:
        if batch < a_batches:
            _copy(a_src, a_dst, a_strides, a_line, a_rows, cols, block, batch, BR, BC)
    elif batch < b_batches:
        _copy(b_src, b_dst, b_strides, b_line, b_rows, cols, block - blocks_a, batch, BR, BC)
