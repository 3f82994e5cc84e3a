"""Adds the shares of tiles that were split along K, always in the same order, and finishes the tiles.

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
    """out = epilogue(sum of shares); one program per (tile, block of C.cols columns, block of C.rows rows)."""
    tiles_m = tl.cdiv(M, C.bm)
    tiles_n = tl.cdiv(N, C.width)
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    program = tl.program_id(0)
    across = C.width // C.cols
    down = C.bm // C.rows
    tile = program // (across * down)
    col = ((program % (across * down)) // down) * C.cols
    row = (program % down) * C.rows
    batch, m, n = place(tile, tiles_m, tiles_n, C.group)
    # AT_ONCE shares are loaded together, so that their latencies overlap; the order of the sum is always the same.
    AT_ONCE: tl.constexpr = 8
    which = tl.arange(0, AT_ONCE)
    r = row + tl.arange(0, C.rows)
    c = col + tl.arange(0, C.cols)
    # A share is kept in column blocks of C.part columns.
    inside = (col // C.part) * (C.bm * C.part) + r[:, None] * C.part + (c % C.part)[None, :]
    share = partials + tile.to(tl.int64) * splits * (C.bm * C.width)
    x = tl.full((C.rows, C.cols), 0, C.acc)
    for begin in range(0, splits, AT_ONCE):
        at = (begin + which).to(tl.int64)[:, None, None] * (C.bm * C.width) + inside[None, :, :]
        x += tl.sum(tl.load(share + at, mask=(begin + which < splits)[:, None, None], other=0), 0)
    rows = m * C.bm + r
    cols = n * C.width + c
    y = finish(x, rows, cols, batch, M, N, epilogue, C).to(C.out)
    there = (rows < M)[:, None] & (cols < N)[None, :]
    to = rows.to(tl.int64)[:, None] * out_strides[1] + cols.to(tl.int64)[None, :] * out_strides[2]
    tl.store(out_ptr + batch.to(tl.int64) * out_strides[0] + to, y, mask=there)
