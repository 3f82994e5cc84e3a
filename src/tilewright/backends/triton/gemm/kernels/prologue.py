"""The pointer kernel with prologues: tiles of A and B go through steps between memory and the product.

Steps are computed in fp32 and rounded to the dtype of the operand at their end. C is a `PrologueConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .epilogue import activate, finish
from .portable import _meet, _offsets, _step_stride
from .schedule import place


@triton.jit
def _stepped(x, rows, cols, row_count, col_count, batch, pointers, strides, S: tl.constexpr):
    """x after one step; its tensor is read at (rows, cols), and as 0 from the counts on."""
    if S.tensor < 0:
        return activate(x, S)
    else:
        by = strides[S.tensor]
        base = pointers[S.tensor] + batch.to(tl.int64) * by[0]
        if S.broadcast == "row":
            at = cols.to(tl.int64) * by[2]
            y = tl.load(base + at, mask=cols < col_count, other=0.0).to(tl.float32)[None, :]
        elif S.broadcast == "col":
            at = rows.to(tl.int64) * by[1]
            y = tl.load(base + at, mask=rows < row_count, other=0.0).to(tl.float32)[:, None]
        else:
            inside = (rows < row_count)[:, None] & (cols < col_count)[None, :]
            at = rows.to(tl.int64)[:, None] * by[1] + cols.to(tl.int64)[None, :] * by[2]
            y = tl.load(base + at, mask=inside, other=0.0).to(tl.float32)
        return x * y if S.multiplies else x + y


@triton.jit
def _multiply(
    a_ptr, b_ptr, a_strides, b_strides, batch, m, n, low, count, stride, M, N, K, prologue, C: tl.constexpr,
):  # fmt: skip
    """As in `portable`, of operands after their prologues."""
    rows = (m * C.bm + tl.arange(0, C.bm)) % M
    cols = (n * C.bn + tl.arange(0, C.bn)) % N
    depth = tl.arange(0, C.bk)
    a_step = _step_stride(a_strides[2], M, C.a_blocked, C)
    b_step = _step_stride(b_strides[1], N, C.b_blocked, C)
    a_at = a_ptr + low * a_step + _offsets(rows, depth, a_strides[1], a_strides[2], C)
    b_at = b_ptr + low * b_step + _offsets(depth, cols, b_strides[1], b_strides[2], C)
    acc = tl.full((C.bm, C.bn), 0, C.acc)
    STEPS_A: tl.constexpr = len(C.before_a)
    STEPS_B: tl.constexpr = len(C.before_b)
    for step in tl.range(0, count):
        k = (low + step * stride) * C.bk + depth
        if C.even_k:
            a = tl.load(a_at)
            b = tl.load(b_at)
        else:
            a = tl.load(a_at, mask=(k < K)[None, :], other=0.0)
            b = tl.load(b_at, mask=(k < K)[:, None], other=0.0)
        if STEPS_A > 0:
            x = a.to(tl.float32)
            for i in tl.static_range(STEPS_A):
                x = _stepped(x, rows, k, M, K, batch, prologue[0], prologue[1], tl.constexpr(C.before_a[i]))
            # What lies past the last k may have become anything.
            a = (x if C.even_k else tl.where((k < K)[None, :], x, 0.0)).to(a.dtype)
        if STEPS_B > 0:
            x = b.to(tl.float32)
            for i in tl.static_range(STEPS_B):
                x = _stepped(x, k, cols, K, N, batch, prologue[2], prologue[3], tl.constexpr(C.before_b[i]))
            b = (x if C.even_k else tl.where((k < K)[:, None], x, 0.0)).to(b.dtype)
        acc = tl.dot(a, b, acc, input_precision=C.precision, out_dtype=C.acc)
        a_at += stride * a_step
        b_at += stride * b_step
    return acc


@triton.jit
def prologue_gemm(
    a_ptr, b_ptr, out_ptr, a_strides, b_strides, out_strides, M, N, K, batches, epilogue, prologue, partials, counters,
    splits, C: tl.constexpr,
):  # fmt: skip
    """out = epilogue(prologue(A) * prologue(B)); `prologue` is (pointers, strides) of the tensors of A, then of B."""
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
    acc = _multiply(a_ptr + far * a_strides[0], b_ptr + far * b_strides[0], a_strides, b_strides, batch, m, n, low,
                    count, stride, M, N, K, prologue, C)  # fmt: skip
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
