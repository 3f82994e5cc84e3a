"""Adds the shares of tiles that were split along K, in their order, and finishes the tiles.

C is a `ReduceConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .epilogue import finish
from .schedule import place


@triton.jit
def reduce_shares(partials, out_ptr, out_strides, M, N, splits, epilogue, C: tl.constexpr):
    """out = epilogue(sum of shares); one program per (tile, column block, block of C.rows rows)."""
    tiles_m = tl.cdiv(M, C.bm)
    tiles_n = tl.cdiv(N, C.width)
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    program = tl.program_id(0)
    per_tile = (C.width // C.part) * (C.bm // C.rows)
    tile = program // per_tile
    p = (program % per_tile) // (C.bm // C.rows)
    first = (program % (C.bm // C.rows)) * C.rows
    batch, m, n = place(tile, tiles_m, tiles_n, C.group)
    inside = (first + tl.arange(0, C.rows))[:, None] * C.part + tl.arange(0, C.part)[None, :] + p * (C.bm * C.part)
    share = partials + tile.to(tl.int64) * splits * (C.bm * C.width)
    x = tl.full((C.rows, C.part), 0, C.acc)
    # Unrolled, so that several loads are in flight; the order of the sum stays.
    for _ in tl.range(0, splits, loop_unroll_factor=8):
        x += tl.load(share + inside)
        share += C.bm * C.width
    rows = m * C.bm + first + tl.arange(0, C.rows)
    cols = n * C.width + p * C.part + tl.arange(0, C.part)
    y = finish(x, rows, cols, batch, M, N, epilogue, C).to(C.out)
    there = (rows < M)[:, None] & (cols < N)[None, :]
    at = rows.to(tl.int64)[:, None] * out_strides[1] + cols.to(tl.int64)[None, :] * out_strides[2]
    tl.store(out_ptr + batch.to(tl.int64) * out_strides[0] + at, y, mask=there)
