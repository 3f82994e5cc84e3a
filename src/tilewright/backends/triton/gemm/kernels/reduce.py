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
    # AT_ONCE shares are loaded together, so that their latencies overlap; the order of the sum is always the same.
    AT_ONCE: tl.constexpr = 8
    inside = p * (C.bm * C.part) + first * C.part + tl.arange(0, C.rows * C.part)
    which = tl.arange(0, AT_ONCE)
    share = partials + tile.to(tl.int64) * splits * (C.bm * C.width)
    x = tl.full((C.rows * C.part,), 0, C.acc)
    for begin in range(0, splits, AT_ONCE):
        at = (begin + which).to(tl.int64)[:, None] * (C.bm * C.width) + inside[None, :]
        x += tl.sum(tl.load(share + at, mask=(begin + which < splits)[:, None], other=0), 0)
    x = tl.reshape(x, (C.rows, C.part))
    rows = m * C.bm + first + tl.arange(0, C.rows)
    cols = n * C.width + p * C.part + tl.arange(0, C.part)
    y = finish(x, rows, cols, batch, M, N, epilogue, C).to(C.out)
    there = (rows < M)[:, None] & (cols < N)[None, :]
    at = rows.to(tl.int64)[:, None] * out_strides[1] + cols.to(tl.int64)[None, :] * out_strides[2]
    tl.store(out_ptr + batch.to(tl.int64) * out_strides[0] + at, y, mask=there)
