"""Rows in groups: group g of A is multiplied by B[g] and ends before row `ends[g]`.

Programs stay and walk through the tiles of all groups in turn. The ends are read here, so the host need not know how
long the groups are. C is a `PortableConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .epilogue import finish
from .portable import _multiply
from .schedule import place


@triton.jit
def grouped_gemm(
    a_ptr, b_ptr, out_ptr, ends, a_strides, b_strides, out_strides, M, N, K, groups, epilogue, C: tl.constexpr
):
    """out = epilogue(A[rows of g] * B[g]); strides are (group, row, col) in elements."""
    tiles_n = tl.cdiv(N, C.bn)
    steps = tl.cdiv(K, C.bk)
    tile = tl.program_id(0)
    start = tl.full((), 0, tl.int32)
    for g in range(groups):
        # Whatever the ends are, no row outside of the matrices is touched.
        end = tl.minimum(tl.maximum(tl.load(ends + g), start), M)
        rows_of_group = end - start
        tiles_m = tl.cdiv(rows_of_group, C.bm)
        tiles = tiles_m * tiles_n
        first = start.to(tl.int64)
        while tile < tiles:
            _, m, n = place(tile, tiles_m, tiles_n, C.group)
            low = tl.full((), 0, tl.int32)
            acc = _multiply(a_ptr + first * a_strides[1], b_ptr + g.to(tl.int64) * b_strides[0], a_strides, b_strides,
                            m, n, low, steps, 1, rows_of_group, N, K, epilogue, C)  # fmt: skip
            rows = m * C.bm + tl.arange(0, C.bm)
            cols = n * C.bn + tl.arange(0, C.bn)
            x = finish(acc, rows, cols, low, rows_of_group, N, epilogue, C).to(C.out)
            inside = (rows < rows_of_group)[:, None] & (cols < N)[None, :]
            at = (first + rows)[:, None] * out_strides[1] + cols.to(tl.int64)[None, :] * out_strides[2]
            tl.store(out_ptr + at, x, mask=inside)
            tile += tl.num_programs(0)
        tile -= tiles
        start = end
