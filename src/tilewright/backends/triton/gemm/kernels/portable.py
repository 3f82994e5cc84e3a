"""The portable kernel: plain pointers and `tl.dot`, for every GPU that Triton compiles for and for unaligned operands.

One program computes one tile, or one share of its K range. Rows and columns past the edge are read from inside the
matrix (index modulo size) and never stored, so only K needs a mask, and only where it is no multiple of the tile.

C is a `PortableConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .epilogue import block_factors, block_scaled, finish
from .schedule import place


@triton.jit
def _offsets(rows, cols, row_stride, col_stride, C: tl.constexpr):
    if C.wide:
        return rows.to(tl.int64)[:, None] * row_stride + cols.to(tl.int64)[None, :] * col_stride
    else:
        return rows[:, None] * tl.cast(row_stride, tl.int32) + cols[None, :] * tl.cast(col_stride, tl.int32)


@triton.jit
def _step_stride(stride, rows, BLOCKED: tl.constexpr, C: tl.constexpr):
    """Elements from one k-step of an operand to the next."""
    if BLOCKED:
        return rows.to(tl.int64) * C.bk
    else:
        return tl.cast(C.bk * stride, tl.int64)


@triton.jit
def _multiply(a_ptr, b_ptr, a_strides, b_strides, m, n, low, count, stride, M, N, K, epilogue, C: tl.constexpr):
    """The accumulator of `count` k-steps of tile (m, n) from `low` on, `stride` apart."""
    rows = (m * C.bm + tl.arange(0, C.bm)) % M
    cols = (n * C.bn + tl.arange(0, C.bn)) % N
    depth = tl.arange(0, C.bk)
    a_step = _step_stride(a_strides[2], M, C.a_blocked, C)
    b_step = _step_stride(b_strides[1], N, C.b_blocked, C)
    a_ptr += low * a_step
    b_ptr += low * b_step
    a_at = a_ptr + _offsets(rows, depth, a_strides[1], a_strides[2], C)
    b_at = b_ptr + _offsets(depth, cols, b_strides[1], b_strides[2], C)
    acc = tl.full((C.bm, C.bn), 0, C.acc)
    for step in tl.range(0, count):
        if C.even_k:
            a = tl.load(a_at)
            b = tl.load(b_at)
        else:
            left = K - (low + step * stride) * C.bk
            a = tl.load(a_at, mask=(depth < left)[None, :], other=C.zero)
            b = tl.load(b_at, mask=(depth < left)[:, None], other=C.zero)
        if C.scales.rows > 0 or C.scales.cols > 0:
            of_rows, of_cols = block_factors(rows, cols, n * C.bn, low + step * stride, M, N, epilogue, C)
            acc += block_scaled(tl.dot(a, b, out_dtype=C.acc), of_rows, of_cols, C)
        elif C.imprecise:
            acc = tl.dot(a, b, acc, input_precision=C.precision, out_dtype=C.acc)
        else:
            acc = tl.dot(a, b, acc, input_precision=C.precision, out_dtype=C.acc, max_num_imprecise_acc=0)
        a_at += stride * a_step
        b_at += stride * b_step
    return acc


@triton.jit
def _meet(acc, tile, splits, partials, counters, C: tl.constexpr):
    """(sum, last): hands in a share of a split tile; the last program adds all shares in their order."""
    inside = tl.arange(0, C.bm)[:, None] * C.bn + tl.arange(0, C.bn)[None, :]
    tl.store(partials + tl.program_id(0).to(tl.int64) * (C.bm * C.bn) + inside, acc)
    tl.debug_barrier()
    last = tl.atomic_add(counters + tile, 1, sem="acq_rel", scope="gpu") == splits - 1
    if last:
        # Left at zero for the next launch.
        tl.store(counters + tile, 0)
        acc = tl.full((C.bm, C.bn), 0, C.acc)
        for share in range(splits):
            slot = (tile * splits + share).to(tl.int64) * (C.bm * C.bn)
            acc += tl.load(partials + slot + inside, cache_modifier=".cg")
    return acc, last


@triton.jit
def portable_gemm(
    a_ptr, b_ptr, out_ptr, a_strides, b_strides, out_strides, M, N, K, batches, epilogue, partials, counters, splits,
    C: tl.constexpr,
):  # fmt: skip
    """out = epilogue(A * B); strides are (batch, row, col) in elements, of A[M, K], B[K, N] and out[M, N]."""
    tiles_m = tl.cdiv(M, C.bm)
    tiles_n = tl.cdiv(N, C.bn)
    steps = tl.cdiv(K, C.bk)
    if C.stream:
        tile = tl.program_id(0) // splits
        low = tl.program_id(0) % splits
        count = (steps - low + splits - 1) // splits
        stride = splits
    else:
        tile, low, count, stride = tl.program_id(0), tl.full((), 0, tl.int32), steps, 1
    batch, m, n = place(tile, tiles_m, tiles_n, C.group)
    far = batch.to(tl.int64)
    acc = _multiply(a_ptr + far * a_strides[0], b_ptr + far * b_strides[0], a_strides, b_strides, m, n, low, count,
                    stride, M, N, K, epilogue, C)  # fmt: skip
    last = tile >= 0
    if C.stream:  # noqa: SIM102 (the first is decided at compile time)
        if splits > 1:
            acc, last = _meet(acc, tile, splits, partials, counters, C)
    if last:
        rows = m * C.bm + tl.arange(0, C.bm)
        cols = n * C.bn + tl.arange(0, C.bn)
        x = finish(acc, rows, cols, batch, M, N, epilogue, C).to(C.out)
        inside = (rows < M)[:, None] & (cols < N)[None, :]
        at = rows.to(tl.int64)[:, None] * out_strides[1] + cols.to(tl.int64)[None, :] * out_strides[2]
        tl.store(out_ptr + far * out_strides[0] + at, x, mask=inside)
