"""The tiles of the Hopper forward pass: which one a program takes next, and the blocks of keys that its rows see.

C is a `HopperForwardConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

from ...ring import wait_empty, wait_full


@gluon.jit
def draw(counter, tiles):
    """The next tile that no program has taken. The last draw leaves the counter as it was found, at 0."""
    drawn = gl.atomic_add(counter, 1, sem="relaxed")
    if drawn == tiles - 1:
        gl.store(counter, 0)
    return drawn + gl.num_programs(0)


@gluon.jit
def announce(tile, drawn, done):
    """The producer's part of handing a tile number to the consumers."""
    smem, full, empty = drawn
    slot = wait_empty(empty, done, 2)
    smem.index(slot).store(gl.full([1], 0, gl.int32, gl.BlockedLayout([1], [32], [1], [0])) + tile)
    mbarrier.arrive(full.index(slot))


@gluon.jit
def following(tile, drawn, done, C: gl.constexpr):
    """The consumers' next tile."""
    if C.dynamic:
        smem, full, empty = drawn
        slot = wait_full(full, done, 2)
        tile = gl.max(smem.index(slot).load(gl.BlockedLayout([1], [32], [4], [0])), 0)
        mbarrier.arrive(empty.index(slot))
        return tile
    else:
        return tile + gl.num_programs(0)


@gluon.jit
def place_of_tile(tile, blocks, lanes, section):
    """(block of rows, lane): `section` lanes are walked together, their last blocks of rows first."""
    per_section = section * blocks
    first = tile // per_section * section
    size = gl.minimum(section, lanes - first)
    inside = tile % per_section
    return blocks - 1 - inside // size, first + inside % size


@gluon.jit
def key_range(m, rows, keys, shift, window, C: gl.constexpr):
    """(low, full_low, full_high, high) in blocks of keys: from low to high some row of the tile sees a key, from
    full_low to full_high every row sees all. At least one block, also where no row sees any key."""
    first = m * C.bm
    last = gl.minimum(first + C.bm, rows) - 1
    low = first * 0
    full_low = low
    high = keys
    full_high = keys
    if C.left:
        low = gl.maximum(first + shift - window[0], 0) // C.bn
        full_low = (gl.maximum(last + shift - window[0], 0) + C.bn - 1) // C.bn
    if C.right:
        high = gl.maximum(gl.minimum(keys, last + shift + window[1] + 1), 0)
        full_high = gl.maximum(gl.minimum(keys, first + shift + window[1] + 1), 0)
    high = (high + C.bn - 1) // C.bn
    low = gl.maximum(gl.minimum(low, high - 1), 0)
    high = gl.maximum(high, low + 1)
    full_high = gl.maximum(gl.minimum(full_high // C.bn, high), low)
    full_low = gl.maximum(gl.minimum(full_low, full_high), low)
    return low, full_low, full_high, high
