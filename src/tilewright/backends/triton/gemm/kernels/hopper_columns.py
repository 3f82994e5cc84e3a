"""The Hopper kernel for tiles of any multiple of 8 columns, such as 112 or 136. See `hopper` for how it works.

Shapes in Gluon are powers of two. So sums have C.bn columns, of which -C.rest at the end are left out: `columns.py` of
this backend makes one matrix instruction of C.bn + C.rest columns out of that of C.bn, and the compiler's assembler
drops the sums that nothing reads. Shared memory and copies have the columns of the tile only: a stage of B is so many
slabs of 8 columns, of which each program of a cluster copies its share.

C is a `HopperConfig` throughout; K is contiguous in B, 128 bytes per step.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...ring import begin, specialize, stages_of, wait_full
from .epilogue import finish
from .hopper import (
    _load,
    _operand_a,
    _release,
    _row,
    _store_part,
    load_residual,
    release_residual,
    residual_part,
    residual_ring,
    ring_barriers,
    split_columns,
    take_turn,
)
from .hopper_split import hand_in, sum_part
from .schedule import item, item_count, place, program_number


@gluon.jit
def _columns(b_smem, stage, share, ROWS: gl.constexpr, b_desc, C: gl.constexpr):
    """What a stage holds from a share of its tile of B on, seen as ROWS columns; some may belong to what follows."""
    SLABS: gl.constexpr = (C.bn + C.rest) // 8
    slab = b_smem.index(stage * SLABS + share * (SLABS // C.cluster))
    return slab._reinterpret(b_desc.dtype, [1, ROWS, C.bk], b_desc.layout)


@gluon.jit
def _produce(
    a_desc, b_desc, a_smem, b_smem, full, empty, residual, a_batch, b_batch, tiles_m, tiles_n, tiles, whole, steps,
    splits, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    program = program_number(tiles, splits, C.tiles_first) // C.cluster
    programs = gl.num_programs(0) // C.cluster
    B_BYTES: gl.constexpr = b_desc.block_type.nbytes * C.cluster // C.bn * (C.bn + C.rest)
    BYTES: gl.constexpr = a_desc.block_type.nbytes + B_BYTES
    share = gl.program_id(0) % C.cluster
    position = 0
    for i in range(item_count(program, programs, tiles, whole, steps, splits, C.stream)):
        tile, low, count = item(i, program, programs, tiles, whole, steps, splits, C.stream)
        batch, m, n = place(tile, tiles_m, tiles_n, C.group)
        row = _row(m, C)
        col = n * (C.bn + C.rest)
        b_col = col + share * ((C.bn + C.rest) // C.cluster)
        for j in range(count):
            step = low + j * splits
            stage, ready = begin(full, empty, position, BYTES, C.stages)
            _load(a_desc, ready, a_smem.index(stage), batch * a_batch, row, step, C.a_k, C.a_blocked, C)
            b = _columns(b_smem, stage, share, C.bn // C.cluster, b_desc, C)
            _load(b_desc, ready, b, batch * b_batch, b_col, step, C.b_k, C.b_blocked, C)
            position += 1
        load_residual(residual, i, batch, row, col, C)


@gluon.jit
def _multiply(a_smem, b_smem, b_desc, full, empty, turn, position, count, C: gl.constexpr):
    """As `hopper.multiply`, with one block of columns."""
    acc = gl.full([C.bm, C.bn], 0, C.acc, C.layout)
    for step in range(count):
        stage = wait_full(full, position, C.stages)
        b = _columns(b_smem, stage, 0, C.bn, b_desc, C).reshape([C.bn, C.bk]).permute([1, 0])
        acc = warpgroup_mma(_operand_a(a_smem, stage, C), b, acc, is_async=True)
        acc = warpgroup_mma_wait(1, deps=(acc,))
        _release(empty, position + C.stages - 1, step > 0, C)
        position += 1
    if C.consumers == 2:
        mbarrier.arrive(turn)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    _release(empty, position + C.stages - 1, count > 0, C)
    return split_columns(acc, C.bn // C.part)


@gluon.jit
def _keep_part(
    x, y, p: gl.constexpr, which: gl.constexpr, batch, row, col, out_desc, out_smem, M, N, epilogue, C: gl.constexpr
):
    """Finishes column block `p` of a tile; several blocks, which may be narrow, are copied to memory together.

    Two groups of buffers take turns, if there are two. A group is filled again when its copies have been read.
    """
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    TOGETHER: gl.constexpr = max(1, (64 if C.bm <= 128 else 32) // C.part)
    GROUPS: gl.constexpr = (PARTS + TOGETHER - 1) // TOGETHER
    LAST: gl.constexpr = PARTS - (GROUPS - 1) * TOGETHER
    if p % TOGETHER == 0:
        if C.out_buffers == TOGETHER or (p == 0 and GROUPS % 2 == 1):
            tma.store_wait(0)
        else:
            tma.store_wait(TOGETHER if p > 0 else LAST)
    rows = row + gl.arange(0, C.bm, gl.SliceLayout(1, C.part_layout))
    cols = col + p * C.part + gl.arange(0, C.part, gl.SliceLayout(0, C.part_layout))
    x = finish(x, rows, cols, batch, M, N, epilogue, C, y).to(C.out)
    buffer = out_smem.index(which * C.out_buffers + p % C.out_buffers)
    if C.out_row:
        buffer.reshape([C.bm, C.part]).store(x)
    else:
        buffer.reshape([C.part, C.bm]).permute([1, 0]).store(x)
    if p % TOGETHER == TOGETHER - 1 or p == PARTS - 1:
        fence_async_shared()
        for q in gl.static_range(p - p % TOGETHER, p + 1):
            kept = out_smem.index(which * C.out_buffers + q % C.out_buffers)
            if C.out_row:
                tma.async_copy_shared_to_global(out_desc, [batch, row, col + q * C.part], kept)
            else:
                tma.async_copy_shared_to_global(out_desc, [batch, col + q * C.part, row], kept)


@gluon.jit
def _store(
    x, y, p: gl.constexpr, which: gl.constexpr, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
    epilogue, C: gl.constexpr,
):  # fmt: skip
    if C.tma_store:
        _keep_part(x, y, p, which, batch, row, col, out_desc, out_smem, M, N, epilogue, C)
    else:
        _store_part(x, y, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides, epilogue, C)


@gluon.jit
def _consume(
    which: gl.constexpr, a_smem, b_smem, b_desc, out_smem, full, empty, turns, residual, out_desc, out_ptr,
    out_strides, M, N, epilogue, partials, counters, slots, tiles_m, tiles_n, tiles, whole, steps, splits,
    C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    program = program_number(tiles, splits, C.tiles_first) // C.cluster
    programs = gl.num_programs(0) // C.cluster
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    position = 0
    for i in range(item_count(program, programs, tiles, whole, steps, splits, C.stream)):
        tile, _, count = item(i, program, programs, tiles, whole, steps, splits, C.stream)
        batch, m, n = place(tile, tiles_m, tiles_n, C.group)
        row = _row(m, C)
        col = n * (C.bn + C.rest)
        if C.consumers == 1 or i % C.consumers == which:
            turn = take_turn(turns, i, which, C)
            xs = _multiply(a_smem, b_smem, b_desc, full, empty, turn, position, count, C)
            if C.stream and (C.reduce_after or count < steps):
                if hand_in(xs, tile, partials, counters, program, programs, tiles, whole, steps, slots, C):
                    for p in gl.static_range(PARTS):
                        x = sum_part(tile, p, partials, programs, tiles, whole, steps, slots, C)
                        _store(x, None, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                               epilogue, C)  # fmt: skip
            else:
                for p in gl.static_range(PARTS):
                    x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                    y = residual_part(residual, i, p, C)
                    _store(x, y, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                           epilogue, C)  # fmt: skip
                    release_residual(residual, i, p, C)
        position += count
    if C.tma_store:
        tma.store_wait(0)


@gluon.jit
def hopper_columns(
    a_desc, b_desc, out_desc, residual_desc, out_ptr, out_strides, M, N, K, batches, a_batch, b_batch, residual_batch,
    epilogue, partials, counters, whole, slots, splits, C: gl.constexpr,
):  # fmt: skip
    """out = epilogue(A * B) on sm_90; see the module's text."""
    WIDTH: gl.constexpr = C.bn + C.rest
    tiles_m = (M + C.bm * C.cluster - 1) // (C.bm * C.cluster)
    tiles_n = (N + WIDTH - 1) // WIDTH
    tiles = tiles_m * tiles_n * batches
    steps = (K + C.bk - 1) // C.bk
    if not C.stream:
        whole = tiles
        splits = 1
    a_smem = stages_of(a_desc, C.stages)
    b_smem = gl.allocate_shared_memory(b_desc.dtype, [C.stages * (WIDTH // 8), 1, 8, C.bk], C.b_smem)
    out_smem = a_smem
    if C.tma_store:
        out_smem = stages_of(out_desc, C.consumers * C.out_buffers)
    full, empty, turns = ring_barriers(C)
    residual = residual_ring(residual_desc, residual_batch, C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (a_desc, b_desc, a_smem, b_smem, full, empty, residual, a_batch, b_batch, tiles_m, tiles_n, tiles, whole, steps,
         splits, C),
        _consume,
        (a_smem, b_smem, b_desc, out_smem, full, empty, turns, residual, out_desc, out_ptr, out_strides, M, N, epilogue,
         partials, counters, slots, tiles_m, tiles_n, tiles, whole, steps, splits, C),
        C.consumers, 24,
    )  # fmt: skip
