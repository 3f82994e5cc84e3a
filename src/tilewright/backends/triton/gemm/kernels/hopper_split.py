"""Tiles that several programs of the Hopper kernel share along K: each hands in its share, the last one adds them.

A share is kept block of columns by block of columns, each bm x part, so that any part can be added on its own. With
`reduce_after` a later kernel (`reduce`) adds the shares instead. C is a `HopperConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from .schedule import stream_begin, stream_owner


@gluon.jit
def _part_indices(p: gl.constexpr, C: gl.constexpr):
    """Offsets of column block `p` into a share."""
    rows = gl.arange(0, C.bm, gl.SliceLayout(1, C.part_layout))
    cols = gl.arange(0, C.part, gl.SliceLayout(0, C.part_layout))
    return p * (C.bm * C.part) + rows[:, None] * C.part + cols[None, :]


@gluon.jit
def _slot(program, programs, base, total, slots, C: gl.constexpr):
    """Where a program keeps its share of the tile that starts at k-step `base`.

    A program has at most two split tiles: the one it starts in (slot 0) and a later one that it ends in (slot 1).
    """
    slot = program * slots
    if stream_begin(program, programs, total) < base:
        slot += slots - 1
    return slot.to(gl.int64) * (C.bm * (C.bn + C.rest))


@gluon.jit
def hand_in(xs, tile, partials, counters, program, programs, tiles, whole, steps, slots, C: gl.constexpr):
    """Stores a share of a split tile; true for the program that arrives last and has to add them all."""
    total = (tiles - whole) * steps
    base = (tile - whole) * steps
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    share = partials + _slot(program, programs, base, total, slots, C)
    for p in gl.static_range(PARTS):
        gl.store(share + _part_indices(p, C), gl.convert_layout(xs[p], C.part_layout, assert_trivial=True))
    if C.reduce_after:
        return tile < 0
    else:
        gl.thread_barrier()
        arrived = gl.atomic_add(counters + (tile - whole), 1, sem="acq_rel", scope="gpu")
        last = arrived == stream_owner(base + steps - 1, programs, total) - stream_owner(base, programs, total)
        if last:
            # Left at zero for the next launch.
            gl.store(counters + (tile - whole), 0)
        gl.thread_barrier()
        return last


@gluon.jit
def sum_part(tile, p: gl.constexpr, partials, programs, tiles, whole, steps, slots, C: gl.constexpr):
    """Column block `p` of a split tile: the shares of all its programs, added in their order."""
    total = (tiles - whole) * steps
    base = (tile - whole) * steps
    x = gl.full([C.bm, C.part], 0, C.acc, C.part_layout)
    for other in range(stream_owner(base, programs, total), stream_owner(base + steps - 1, programs, total) + 1):
        share = partials + _slot(other, programs, base, total, slots, C)
        x += gl.load(share + _part_indices(p, C), cache_modifier=".cg")
    return x
