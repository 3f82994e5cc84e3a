"""Which blocks of keys a bias leaves to each block of rows: masks that come as tensors hide most of them, and change
nothing in most others.

The list of a block of rows is `list_step` numbers: how many blocks of keys some row sees; for each of them, the last
first, twice its number, plus 1 where bias or mask must be looked at; then what `look_at_bias` found, for every block.
With C.by_keys, which a backward pass wants, rows and keys change places. C is an `FmhaConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .logits import visible
from .place import diagonal

LOOK_ROWS = tl.constexpr(32)  # rows that are looked at together
LIST_BLOCKS = tl.constexpr(64)  # blocks that are listed together


@triton.jit
def look_at_bias(
    bias, bias_strides, block_list, list_step, bias_heads, seqlen_q, seqlen_k, window, key_blocks, blocks,
    C: tl.constexpr,
):  # fmt: skip
    """One program: a block of rows by keys. 0: no row sees a key; 1: every row sees every key, and the bias is 0; 2."""
    program = tl.program_id(0)
    n, which = program % key_blocks, program // key_blocks
    m, lane = which % blocks, which // blocks
    at = (lane // bias_heads).to(tl.int64) * bias_strides[0] + (lane % bias_heads).to(tl.int64) * bias_strides[1]
    bias += at + (m * C.bm).to(tl.int64) * bias_strides[2] + n * C.bn
    shift = diagonal(seqlen_q, seqlen_k, C)
    if ((m + 1) * C.bm <= seqlen_q) & ((n + 1) * C.bn <= seqlen_k):
        state = _looked(bias, bias_strides, m, n, seqlen_q, seqlen_k, shift, window, True, C)
    else:
        state = _looked(bias, bias_strides, m, n, seqlen_q, seqlen_k, shift, window, False, C)
    if C.by_keys:
        found = block_list + (lane * key_blocks + n).to(tl.int64) * list_step + 1 + blocks + m
    else:
        found = block_list + which.to(tl.int64) * list_step + 1 + key_blocks + n
    tl.store(found, state)


@triton.jit
def _looked(bias, bias_strides, m, n, seqlen_q, seqlen_k, shift, window, WHOLE: tl.constexpr, C: tl.constexpr):
    """What `look_at_bias` finds in a block. Without masks, in a WHOLE block, reads are wide."""
    column = tl.arange(0, C.bn)[None, :]
    key = n * C.bn + column
    states = tl.full([LOOK_ROWS, C.bn], 0, tl.int32)  # 1: a row sees the key, 2: one does not, or its bias is not 0
    for first in range(0, C.bm, LOOK_ROWS):
        inside = first + tl.arange(0, LOOK_ROWS)[:, None]
        row = m * C.bm + inside
        place = bias + inside * tl.cast(bias_strides[2], tl.int32) + column
        if WHOLE:
            x = tl.load(place)
        else:
            x = tl.load(place, mask=(row < seqlen_q) & (key < seqlen_k), other=float("-inf"))
        seen = visible(row, key, seqlen_q, seqlen_k, shift, window, C) & (x != float("-inf"))
        changed = (row < seqlen_q) & ~(seen & (x == 0.0))
        states |= tl.where(seen, 1, 0) | tl.where(changed, 2, 0)
    return tl.max(tl.max(states & 1, 1), 0) * (1 + tl.max(tl.max(states >> 1, 1), 0))


@triton.jit
def list_blocks(block_list, list_step, key_blocks, C: tl.constexpr):
    """One program: a block of rows. At least one block of keys is listed, also where no row sees any.

    With C.by_keys: a block of keys, for which `key_blocks` counts blocks of rows; its list may be empty.
    """
    here = block_list + tl.program_id(0).to(tl.int64) * list_step
    count = tl.full((), 0, tl.int32)
    for done in range(0, key_blocks, LIST_BLOCKS):
        n = key_blocks - 1 - done - tl.arange(0, LIST_BLOCKS)
        found = tl.load(here + 1 + key_blocks + n, mask=n >= 0, other=0)
        listed = (found > 0).to(tl.int32)
        tl.store(here + count + tl.cumsum(listed, 0), 2 * n + (found > 1).to(tl.int32), mask=found > 0)
        count += tl.sum(listed, 0)
    if C.by_keys:
        tl.store(here, count)
    else:
        tl.store(here + 1, 1, mask=count == 0)
        tl.store(here, tl.maximum(count, 1))


@triton.jit
def bias_of(b, head, listed):
    """(sequence, head) of the bias, which sequences or heads may share. `listed`: see `list_of`."""
    return tl.minimum(b, listed[1] - 1), tl.minimum(head, listed[2] - 1)


@triton.jit
def list_of(b, head, block, blocks, listed):
    """Where the list of a block begins, one of `blocks`. `listed` is (lists, their sequences and heads, numbers of each
    list)."""
    b, head = bias_of(b, head, listed)
    return listed[0] + ((b * listed[2] + head) * blocks + block).to(tl.int64) * listed[3]
