"""Where the rows of a sequence lie: lengths, offsets, pages. C is an `FmhaConfig` throughout."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def clamp(x, low, high, C: tl.constexpr):
    """x between low and high. Nobody has checked indices in GPU memory: this keeps accesses inside of the tensors, and
    leaves legal indices as they are."""
    if C.clamp:
        return tl.minimum(tl.maximum(x, low), high)
    else:
        return x


@triton.jit
def place_of(offsets, b, total, longest, C: tl.constexpr):
    """(first, number) of what sequence b has of `total` rows, keys or pages, by the offsets of all sequences."""
    start = clamp(tl.load(offsets + b), 0, total, C)
    end = clamp(tl.load(offsets + b + 1), start, total, C)
    return start, clamp(end - start, 0, longest, C)


@triton.jit
def query_place(cu_seqlens_q, b, seqlen_q, limits, C: tl.constexpr):
    """(first row, number of rows) of sequence b; in batch mode its first row is 0. `limits` is (rows of all sequences,
    keys of all sequences, pages, entries of a list of pages)."""
    if C.varlen:
        return place_of(cu_seqlens_q, b, limits[0], seqlen_q, C)
    else:
        return tl.full((), 0, tl.int32), tl.full((), 0, tl.int32) + seqlen_q


@triton.jit
def key_place(index, b, seqlen_k, limits, C: tl.constexpr):
    """(first key, number of keys) of sequence b. `index` is (cu_seqlens_k, seqlens_k, whether there are lengths,
    page_table, its row stride, page_indptr, last_page_lens); `limits`: see `query_place`."""
    zero = tl.full((), 0, tl.int32)
    if C.lookup == "sglang":
        _, pages = place_of(index[5], b, limits[3], tl.cdiv(seqlen_k, C.page_size), C)
        last = clamp(tl.load(index[6] + b), 0, C.page_size, C)
        return zero, clamp(tl.where(pages > 0, (pages - 1) * C.page_size + last, 0), 0, seqlen_k, C)
    elif C.varlen and C.lookup == "none":
        return place_of(index[0], b, limits[1], seqlen_k, C)
    else:
        return zero, clamp(tl.load(index[1] + b, mask=index[2] != 0, other=seqlen_k), 0, seqlen_k, C)


@triton.jit
def diagonal(rows, keys, C: tl.constexpr):
    """How far to the right of a row's own number the diagonal of a mask lies."""
    if C.top_left:
        return rows * 0
    else:
        return keys - rows


@triton.jit
def row_at(strides, b, row, head):
    """The offset of a row of one head."""
    return b.to(tl.int64) * strides[0] + row.to(tl.int64) * strides[1] + head.to(tl.int64) * strides[2]


@triton.jit
def first_page(index, b, limits, C: tl.constexpr):
    """Where the page numbers of sequence b begin."""
    if C.lookup == "sglang":
        return index[3] + clamp(tl.load(index[5] + b), 0, limits[3], C)
    else:
        return index[3] + b.to(tl.int64) * index[4]


@triton.jit
def look_up(pages, n, keys, limits, C: tl.constexpr):
    """The pages of keys n .. n + bn: one number where a block lies inside of a page, else one for each key."""
    if C.lookup == "none":
        return tl.full((), 0, tl.int32)
    elif C.whole_pages:  # what depends on n is one number, so that threads keep few addresses
        at = n // C.page_size + tl.arange(0, C.bn) // C.page_size
        there = at < tl.cdiv(keys, C.page_size)
        return clamp(tl.load(pages + at, mask=there, other=0), 0, limits[2] - 1, C)
    else:
        at = n
        if C.page_size % C.bn != 0:
            at = n + tl.arange(0, C.bn)
        return clamp(tl.load(pages + at // C.page_size, mask=at < keys, other=0), 0, limits[2] - 1, C)


@triton.jit
def key_rows(x, strides, page, n, C: tl.constexpr):
    """(base pointer, [bn] offsets) of the keys n .. n + bn; strides are (batch or page, row, head, column)."""
    inside = tl.arange(0, C.bn)
    if C.lookup == "none":
        return x + tl.cast(n, tl.int64) * strides[1], inside * tl.cast(strides[1], tl.int32)
    elif C.page_size % C.bn == 0:
        base = x + page.to(tl.int64) * strides[0] + tl.cast(n % C.page_size, tl.int64) * strides[1]
        return base, inside * tl.cast(strides[1], tl.int32)
    elif C.whole_pages:
        within = inside % C.page_size * tl.cast(strides[1], tl.int32)
        return x, page.to(tl.int64) * tl.cast(strides[0], tl.int32) + within  # a product of 32 bits
    else:
        return x, page.to(tl.int64) * strides[0] + ((n + inside) % C.page_size).to(tl.int64) * strides[1]


@triton.jit
def load_keys(x, strides, page, n, keys, HDIM: tl.constexpr, D: tl.constexpr, MASKED: tl.constexpr, C: tl.constexpr):
    """The [bn, D] tile of keys n .. n + bn; zeros past the last key and past the head. `page`: see `look_up`.

    With C.tma, x is a tensor map over (batch, key, head, column) and `strides` holds the batch and the head: what lies
    outside of the tensor comes as zeros.
    """
    if C.tma:
        return x.load([strides[0], n, strides[1], 0]).reshape(C.bn, D)
    else:
        return _load_tile(x, strides, page, n, keys, HDIM, D, MASKED, C)


@triton.jit
def _load_tile(x, strides, page, n, keys, HDIM: tl.constexpr, D: tl.constexpr, MASKED: tl.constexpr, C: tl.constexpr):
    """The same through pointers."""
    base, rows = key_rows(x, strides, page, n, C)
    d = tl.arange(0, D)
    if C.whole_pages:
        at = (base + d * tl.cast(strides[3], tl.int32))[None, :] + rows[:, None]
    else:
        at = base + rows[:, None] + (d * tl.cast(strides[3], tl.int32))[None, :]
    if MASKED:
        there = (n + tl.arange(0, C.bn) < keys)[:, None]
        if HDIM < D:
            there = there & (d < HDIM)[None, :]
        return tl.load(at, mask=there, other=0.0)
    elif HDIM < D:
        return tl.load(at, mask=(d < HDIM)[None, :], other=0.0)
    else:
        return tl.load(at)


@triton.jit
def load_rows(x, at, there, HDIM: tl.constexpr, D: tl.constexpr):
    """The [rows, D] tile whose rows begin at offsets `at`; zeros where a row is not there and past the head."""
    d = tl.arange(0, D)
    mask = there[:, None]
    if HDIM < D:
        mask = mask & (d < HDIM)[None, :]
    return tl.load(x + at[:, None] + d[None, :], mask=mask, other=0.0)


@triton.jit
def store_rows(x, at, there, tile, HDIM: tl.constexpr, D: tl.constexpr):
    """Write a [rows, D] tile whose rows begin at offsets `at`."""
    d = tl.arange(0, D)
    mask = there[:, None]
    if HDIM < D:
        mask = mask & (d < HDIM)[None, :]
    tl.store(x + at[:, None] + d[None, :], tile.to(x.dtype.element_ty), mask=mask)
