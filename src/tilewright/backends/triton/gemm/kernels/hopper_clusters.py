"""The Hopper kernel for tiles that are shared along K by clusters of programs, which share copies of B as well.

A cluster takes tiles above each other at the same k-steps, so that each tile of B comes from L2 once for all of them:
tiles that are shared along K are at many places of K at a time, and L2 would have to deliver them again and again.
Every program hands its share in, and a later kernel (`reduce`) adds them. See `hopper_columns` for the tiles.

C is a `HopperConfig` throughout; K is contiguous in B, 128 bytes per step.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...ring import begin, specialize, stages_of
from .hopper import _load, ring_barriers
from .hopper_columns import _columns, _multiply
from .hopper_split import _part_indices
from .schedule import item, place


@gluon.jit
def _work(tiles_m, tiles_n, tiles, steps, splits, C: gl.constexpr):
    """(batch, row of tiles, column of tiles, share, k-steps) of a program; clusters side by side are at one share."""
    cluster = gl.program_id(0) // C.cluster
    tile, share, count = item(0, (cluster % tiles) * splits + cluster // tiles, tiles * splits, tiles, 0, steps, splits,
                              True)  # fmt: skip
    batch, m, n = place(tile, tiles_m, tiles_n, C.group)
    return batch, m * C.cluster + gl.program_id(0) % C.cluster, n, share, count


@gluon.jit
def _produce(
    a_desc, b_desc, a_smem, b_smem, full, empty, a_batch, b_batch, tiles_m, tiles_n, tiles, steps, splits,
    C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    batch, m, n, share, count = _work(tiles_m, tiles_n, tiles, steps, splits, C)
    B_BYTES: gl.constexpr = b_desc.block_type.nbytes * C.cluster // C.bn * (C.bn + C.rest)
    BYTES: gl.constexpr = a_desc.block_type.nbytes + B_BYTES
    rank = gl.program_id(0) % C.cluster
    col = n * (C.bn + C.rest) + rank * ((C.bn + C.rest) // C.cluster)
    for j in range(count):
        step = share + j * splits
        stage, ready = begin(full, empty, j, BYTES, C.stages)
        _load(a_desc, ready, a_smem.index(stage), batch * a_batch, m * C.bm, step, C.a_k, C.a_blocked, C)
        b = _columns(b_smem, stage, rank, C.bn // C.cluster, b_desc, C)
        _load(b_desc, ready, b, batch * b_batch, col, step, C.b_k, C.b_blocked, C)


@gluon.jit
def _consume(
    which: gl.constexpr, a_smem, b_smem, b_desc, full, empty, turns, M, partials, tiles_m, tiles_n, tiles, steps,
    splits, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    batch, m, n, share, count = _work(tiles_m, tiles_n, tiles, steps, splits, C)
    xs = _multiply(a_smem, b_smem, b_desc, full, empty, turns.index(0), 0 * count, count, C)
    rows = (M + C.bm - 1) // C.bm
    if m < rows:
        # The tile's place in the order of `reduce`, which knows nothing of clusters.
        first = m // C.group * C.group
        tile = (batch * rows + first) * tiles_n + n * min(rows - first, C.group) + m - first
        to = partials + (tile * splits + share).to(gl.int64) * (C.bm * (C.bn + C.rest))
        for p in gl.static_range((C.bn + C.rest) // C.part):
            gl.store(to + _part_indices(p, C), gl.convert_layout(xs[p], C.part_layout, assert_trivial=True))


@gluon.jit
def hopper_clusters(
    a_desc, b_desc, out_desc, M, N, K, batches, a_batch, b_batch, epilogue, partials, counters, whole, slots, splits,
    C: gl.constexpr,
):  # fmt: skip
    """The shares of A * B on sm_90; see the module's text."""
    WIDTH: gl.constexpr = C.bn + C.rest
    tiles_m = (M + C.bm * C.cluster - 1) // (C.bm * C.cluster)
    tiles_n = (N + WIDTH - 1) // WIDTH
    tiles = tiles_m * tiles_n * batches
    steps = (K + C.bk - 1) // C.bk
    a_smem = stages_of(a_desc, C.stages)
    b_smem = gl.allocate_shared_memory(b_desc.dtype, [C.stages * (WIDTH // 8), 1, 8, C.bk], C.b_smem)
    full, empty, turns = ring_barriers(C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (a_desc, b_desc, a_smem, b_smem, full, empty, a_batch, b_batch, tiles_m, tiles_n, tiles, steps, splits, C),
        _consume,
        (a_smem, b_smem, b_desc, full, empty, turns, M, partials, tiles_m, tiles_n, tiles, steps, splits, C),
        C.consumers, 24,
    )  # fmt: skip
