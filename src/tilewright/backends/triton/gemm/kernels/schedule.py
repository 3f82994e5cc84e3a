"""Which tiles, and which part of K, each program works on. Shared by the Triton and the Gluon kernels.

A *stream* schedule cuts the k-steps of the last tiles evenly over all programs: a tile may then be computed by several
programs, whose partial sums meet in a workspace. Split-K is the stream schedule with programs = tiles * splits, except
that the shares of a tile are interleaved: share s takes k-steps s, s + splits, ... so that programs that run side by
side read neighbouring memory.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def place(index, tiles_m, tiles_n, GROUP: tl.constexpr):
    """(batch, m, n) of tile `index`: GROUP rows of tiles are walked together, so that their operands stay in L2."""
    per_batch = tiles_m * tiles_n
    batch = index // per_batch
    index = index % per_batch
    per_group = GROUP * tiles_n
    first = (index // per_group) * GROUP
    height = min(tiles_m - first, GROUP)
    inside = index % per_group
    return batch, first + inside % height, inside // height


@triton.jit
def program_number(tiles, splits, TILES_FIRST: tl.constexpr):
    """The program's number in the order of the schedule, in which the shares of a tile follow each other.

    With TILES_FIRST programs that run side by side work on different tiles of the same part of K instead: they read the
    same operands at the same time, which the L2 cache answers once.
    """
    program = tl.program_id(0)
    if TILES_FIRST:  # noqa: SIM102 (the first is decided at compile time)
        if splits > 1:
            program = (program % tiles) * splits + program // tiles
    return program


@triton.jit
def stream_begin(program, programs, total):
    """The first of the `total` streamed k-steps that belong to `program`."""
    return (program.to(tl.int64) * total // programs).to(tl.int32)


@triton.jit
def stream_owner(step, programs, total):
    """The program that computes streamed k-step `step`."""
    return (((step + 1).to(tl.int64) * programs - 1) // total).to(tl.int32)


@triton.jit
def item_count(program, programs, tiles, whole, steps, splits, STREAM: tl.constexpr):
    """How many work items `program` has: streamed ones first, then every `programs`-th of the `whole` tiles."""
    count = max((whole - program + programs - 1) // programs, 0)
    if STREAM:
        if splits > 1:
            count = 1
        else:
            total = (tiles - whole) * steps
            begin = stream_begin(program, programs, total)
            end = stream_begin(program + 1, programs, total)
            if end > begin:
                count += (end - 1) // steps - begin // steps + 1
    return count


@triton.jit
def item(index, program, programs, tiles, whole, steps, splits, STREAM: tl.constexpr):
    """(tile, first k-step, number of k-steps) of work item `index`; the k-steps are `splits` apart."""
    tile = program + index * programs
    low = 0
    count = steps
    if STREAM:
        if splits > 1:
            tile = program // splits
            low = program % splits
            count = (steps - low + splits - 1) // splits
        else:
            total = (tiles - whole) * steps
            begin = stream_begin(program, programs, total)
            end = stream_begin(program + 1, programs, total)
            first = begin // steps
            streamed = 0
            if end > begin:
                streamed = (end - 1) // steps - first + 1
            if index < streamed:
                base = (first + index) * steps
                tile = whole + first + index
                low = max(begin - base, 0)
                count = min(end - base, steps) - low
            else:
                tile = program + (index - streamed) * programs
    return tile, low, count
