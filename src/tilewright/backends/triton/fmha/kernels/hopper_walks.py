"""The walks of the Hopper backward pass: which block of keys a program takes, and the blocks of rows that see it.

C is a `HopperBackwardConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from .place import place_of


@gluon.jit
def lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C: gl.constexpr):
    """(first row, rows, first key, keys) of sequence b; `limits` are the rows and keys of all sequences."""
    if C.varlen:
        q_start, rows = place_of(cu_seqlens_q, b, limits[0], seqlen_q, C)
        k_start, keys = place_of(cu_seqlens_k, b, limits[1], seqlen_k, C)
        return q_start, rows, k_start, keys
    else:
        return b * 0, seqlen_q + b * 0, b * 0, seqlen_k + b * 0


@gluon.jit
def first_block(b, head, q_start, heads_q, blocks, C: gl.constexpr):
    """The number of the first block of rows of one head of a sequence; `blocks` is what each head has.

    Where sequences lie one after another, each begins a block of its own.
    """
    if C.varlen:
        return head * blocks + q_start // C.bm + b
    else:
        return (b * heads_q + head) * blocks


@gluon.jit
def bounds(n, rows, keys, shift, window, C: gl.constexpr):
    """(first block of rows, first one that sees all of these keys, one past the last) for the keys from n on."""
    blocks = (rows + C.bm - 1) // C.bm
    low = blocks * 0
    whole = low
    high = blocks
    if C.right:
        low = gl.minimum(gl.maximum(n - shift - window[1], 0) // C.bm, blocks)
        whole = gl.maximum(n + C.bn - 1 - shift - window[1] + C.bm - 1, 0) // C.bm
    if C.left:
        high = gl.minimum(blocks, gl.maximum(n + C.bn - shift + window[0] + C.bm - 1, 0) // C.bm)
        whole = blocks
    if n + C.bn > keys:
        whole = blocks
    return low, gl.minimum(gl.maximum(whole, low), high), high


@gluon.jit
def count_items(items, C: gl.constexpr):
    """How many blocks of keys, or parts of their walks, this program takes."""
    return (items - gl.program_id(0) + gl.num_programs(0) - 1) // gl.num_programs(0) * C.blocks_per_item


@gluon.jit
def place_of_item(i, items, heads_kv, key_blocks, shares, order, C: gl.constexpr):
    """(batch, key head, first key, whether there is one, part, parts) of this program's i-th block of keys.

    Where rows see a part of the keys, blocks come in pairs, the first with the last, so that items are alike. `shares`
    is (items of a key head whose walks are shared, by how many programs). Programs that take turns come with those of
    other key heads between them, so that few of them wait for one another at a time; `order`: see `walk`.
    """
    item = gl.program_id(0) + i // C.blocks_per_item * gl.num_programs(0)
    per_lane = (key_blocks + C.blocks_per_item - 1) // C.blocks_per_item
    part, parts = item * 0, item * 0 + 1
    if C.shares:
        per_lane += shares[0] * (shares[1] - 1)
    lane, n = item // per_lane, item % per_lane
    if C.shares:
        is_shared = n < shares[0] * shares[1]
        part = gl.where(is_shared, n % shares[1], 0)
        parts = gl.where(is_shared, shares[1], 1)
        n = gl.where(is_shared, n // shares[1], n - shares[0] * (shares[1] - 1))
    if C.ordered:
        per_section = order[0] * key_blocks
        begin = item // per_section * order[0]
        size = gl.minimum(order[0], items // key_blocks - begin)
        lane, n = begin + item % per_section % size, item % per_section // size
        n = gl.where(order[1] != 0, n, key_blocks - 1 - n)
    there = n >= 0
    if C.blocks_per_item == 2:
        last = key_blocks - 1 - n
        there = (i % 2 == 0) | (last != n)
        n = gl.where(i % 2 == 0, n, last)
    return lane // heads_kv, lane % heads_kv, n * C.bn, there, part, parts


@gluon.jit
def walk(there, part, parts, group, low, high, order, C: gl.constexpr):
    """(steps, head of the group, block of rows) of a part of the walk over blocks low to high of every head.

    `order` is (key heads whose programs come in turn, whether walks begin at the last rows). If they take turns and do,
    the first keys come first, whose walks are the longest under a causal mask, and heads change at each step: so all
    walks of a key head are at the same rows. Else the last keys come first, which are the first to reach a block.
    """
    span = gl.where(there, high - low, 0)
    first, end = part * (group * span) // parts, (part + 1) * (group * span) // parts
    each = gl.maximum(span, 1)
    m = low + first % each
    if C.ordered:
        m = gl.where(order[1] != 0, high - 1, m)
    return end - first, first // each, m


@gluon.jit
def next_rows(member, m, low, high, group, order, C: gl.constexpr):
    """(head of the group, block of rows) after this one: the next of this head, or the first of the next head."""
    more = m + 1 < high
    if C.ordered:
        same = member + 1 < group
        next_member = gl.where(order[1] != 0, gl.where(same, member + 1, 0), gl.where(more, member, member + 1))
        return next_member, gl.where(order[1] != 0, gl.where(same, m, m - 1), gl.where(more, m + 1, low))
    else:
        return gl.where(more, member, member + 1), gl.where(more, m + 1, low)
