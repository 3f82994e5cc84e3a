"""Appending keys and values to a cache, and turning queries and keys by their angles, in one launch.

C is an `FmhaConfig` throughout; C.bm rows (token x head) are one program's.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .place import clamp, load_rows, row_at, store_rows


@triton.jit
def _turned(x, at, there, position, cos, sin, half, HDIM: tl.constexpr, D: tl.constexpr, C: tl.constexpr):
    """The [rows, D] tile whose rows begin at `at`, each turned by the angles of its position."""
    d = tl.arange(0, D)
    mask = there[:, None] & (d < HDIM)[None, :]
    tile = tl.load(x + at[:, None] + d[None, :], mask=mask, other=0.0)
    if C.rope == "none":
        return tile
    else:
        turning = d < 2 * half
        if C.rope == "interleaved":
            angle, partner, second = d // 2, d ^ 1, d % 2 == 1
        else:
            angle, partner, second = d % half, tl.where(d < half, d + half, d - half), d >= half
        mask = there[:, None] & turning[None, :]
        other = tl.load(x + at[:, None] + partner[None, :], mask=mask, other=0.0).to(tl.float32)
        angles = position.to(tl.int64)[:, None] * half + angle[None, :]
        c = tl.load(cos + angles, mask=mask, other=1.0).to(tl.float32)
        s = tl.load(sin + angles, mask=mask, other=0.0).to(tl.float32)
        turned = tile.to(tl.float32) * c + tl.where(second[None, :], other, -other) * s
        return tl.where(turning[None, :], turned, tile.to(tl.float32)).to(tile.dtype)


@triton.jit
def _cache_rows(position, b, there, strides, page_table, table_stride, page_indptr, limits, C: tl.constexpr):
    """Offsets of the cache rows of some positions; strides are (batch or page, row, head, column)."""
    if C.lookup == "none":
        return b.to(tl.int64) * strides[0] + position.to(tl.int64) * strides[1]
    else:
        at = position // C.page_size
        if C.lookup == "sglang":
            at = clamp(at + clamp(tl.load(page_indptr + b), 0, limits[3], C), 0, limits[3] - 1, C)
        else:
            page_table += b.to(tl.int64) * table_stride
        page = clamp(tl.load(page_table + at, mask=there, other=0), 0, limits[2] - 1, C)
        return page.to(tl.int64) * strides[0] + (position % C.page_size).to(tl.int64) * strides[1]


@triton.jit
def append_rows(
    q, k, v, out, k_new, v_new, cos, sin, seqlens_k, page_table, page_indptr, table_stride, q_strides, k_strides,
    v_strides, out_strides, k_new_strides, v_new_strides, heads_q, heads_kv, seqlen_q, seqlen_k, limits, seqlen_new,
    half, step, blocks, q_blocks, C: tl.constexpr,
):  # fmt: skip
    """Programs are (block of new keys, then of values, then of queries; sequence). `step` is 1 where the queries stand
    one after another, 0 where all stand where the cache ends. `limits`: see `query_place`."""
    block, b = tl.program_id(0), tl.program_id(1)
    length = clamp(tl.load(seqlens_k + b), 0, seqlen_k - seqlen_new, C)
    far = b.to(tl.int64)
    if block < 2 * blocks:
        r = block % blocks * C.bm + tl.arange(0, C.bm)
        token, head = r // heads_kv, (r % heads_kv).to(tl.int64)
        there, position = token < seqlen_new, length + token
        if block < blocks:
            at = row_at(k_new_strides, far, token, head)
            k_tile = _turned(k_new, at, there, position, cos, sin, half, C.hdim_q, C.dq, C)
            to = _cache_rows(position, b, there, k_strides, page_table, table_stride, page_indptr, limits, C)
            store_rows(k, to + head * k_strides[2], there, k_tile, C.hdim_q, C.dq)
        else:
            at = row_at(v_new_strides, far, token, head)
            v_tile = load_rows(v_new, at, there, C.hdim_v, C.dv)
            to = _cache_rows(position, b, there, v_strides, page_table, table_stride, page_indptr, limits, C)
            store_rows(v, to + head * v_strides[2], there, v_tile, C.hdim_v, C.dv)
    else:
        if C.rope != "none":
            r = (block - 2 * blocks) * C.bm + tl.arange(0, C.bm)
            token, head = r // heads_q, (r % heads_q).to(tl.int64)
            there = token < seqlen_q
            at = row_at(q_strides, far, token, head)
            tile = _turned(q, at, there, length + token * step, cos, sin, half, C.hdim_q, C.dq, C)
            to = row_at(out_strides, far, token, head)
            tl.debug_barrier()  # queries may be turned in place: every partner is read before any is written
            store_rows(out, to, there, tile, C.hdim_q, C.dq)
