"""The persistent TMA kernel in plain Triton: the compiler pipelines it; kept beside the Gluon kernel as its yardstick.

C is a `PortableConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .epilogue import finish
from .schedule import place


@triton.jit
def _load_a(desc, batch, m, k, C: tl.constexpr):
    if C.a_k:
        return desc.load([batch, m, k]).reshape(C.bm, C.bk)
    else:
        return desc.load([batch, k, m]).reshape(C.bk, C.bm).T


@triton.jit
def _load_b(desc, batch, n, k, C: tl.constexpr):
    if C.b_k:
        return desc.load([batch, n, k]).reshape(C.bn, C.bk).T
    else:
        return desc.load([batch, k, n]).reshape(C.bk, C.bn)


@triton.jit
def _store(desc, x, batch, row, col, C: tl.constexpr):
    if C.out_row:
        desc.store([batch, row, col], x[None, :, :])
    else:
        desc.store([batch, col, row], x.T[None, :, :])


@triton.jit
def tma_gemm(a_desc, b_desc, out_desc, M, N, K, batches, a_batch, b_batch, epilogue, C: tl.constexpr):
    """out = epilogue(A * B) through descriptors; each program walks every num_programs-th tile."""
    tiles_m = tl.cdiv(M, C.bm)
    tiles_n = tl.cdiv(N, C.bn)
    steps = tl.cdiv(K, C.bk)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n * batches, tl.num_programs(0), flatten=C.persistent):
        batch, m, n = place(tile, tiles_m, tiles_n, C.group)
        acc = tl.full((C.bm, C.bn), 0, C.acc)
        for step in range(steps):
            a = _load_a(a_desc, batch * a_batch, m * C.bm, step * C.bk, C)
            b = _load_b(b_desc, batch * b_batch, n * C.bn, step * C.bk, C)
            acc = tl.dot(a, b, acc, input_precision=C.precision, out_dtype=C.acc)
        rows = m * C.bm + tl.arange(0, C.bm)
        HALF: tl.constexpr = C.bn // 2
        # Two column blocks: half the shared memory for the store.
        left, right = tl.split(tl.permute(tl.reshape(acc, (C.bm, 2, HALF)), (0, 2, 1)))
        cols = n * C.bn + tl.arange(0, HALF)
        _store(out_desc, finish(left, rows, cols, batch, M, N, epilogue, C).to(C.out), batch, m * C.bm, n * C.bn, C)
        right = finish(right, rows, cols + HALF, batch, M, N, epilogue, C).to(C.out)
        _store(out_desc, right, batch, m * C.bm, n * C.bn + HALF, C)
