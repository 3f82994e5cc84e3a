"""The Hopper kernel for tiles that programs share along K while their neighbours read the same rows of A.

Each program stays in one column of tiles. The k-steps of a column's tiles are cut evenly over the programs of the
column (stream-K, see `schedule`), and programs side by side are at the same k-steps of the same rows in neighbouring
columns: A comes from device memory once. Shares are handed in as in `hopper_split`; the last program adds whole tiles,
always in the order of the programs. See `hopper_columns` for tiles of any multiple of 8 columns.

C is a `HopperConfig` throughout; K is contiguous in B, 128 bytes per step.
"""

# ruff: noqa: B007 (the names of loops are part of measured builds)

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...ring import begin, specialize, stages_of, wait_full
from .hopper import _load, _operand_a, _release, ring_barriers, split_columns, take_turn
from .hopper_columns import _columns, _multiply, _store
from .hopper_split import _part_indices, _slot, hand_in
from .schedule import item, item_count, stream_owner


@gluon.jit
def _lane(tiles_n):
    """(column of tiles, program within it, programs of a column)."""
    return gl.program_id(0) % tiles_n, gl.program_id(0) // tiles_n, gl.num_programs(0) // tiles_n


@gluon.jit
def _produce(
    a_desc, b_desc, a_smem, b_smem, full, empty, a_batch, b_batch, tiles_m, tiles_n, tiles, whole, steps,
    C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    n, program, programs = _lane(tiles_n)
    BYTES: gl.constexpr = a_desc.block_type.nbytes + b_desc.block_type.nbytes // C.bn * (C.bn + C.rest)
    position = 0
    for i in range(item_count(program, programs, tiles, whole, steps, 1, True)):
        tile, low, count = item(i, program, programs, tiles, whole, steps, 1, True)
        batch = tile // tiles_m
        row = (tile % tiles_m) * C.bm
        for j in range(count):
            stage, ready = begin(full, empty, position, BYTES, C.stages)
            _load(a_desc, ready, a_smem.index(stage), batch * a_batch, row, low + j, C.a_k, C.a_blocked, C)
            b = _columns(b_smem, stage, 0, C.bn, b_desc, C)
            _load(b_desc, ready, b, batch * b_batch, n * (C.bn + C.rest), low + j, C.b_k, C.b_blocked, C)
            position += 1


@gluon.jit
def _multiply_early(a_smem, b_smem, b_desc, full, empty, turn, position, count, C: gl.constexpr):
    """As `_multiply`, but a stage is handed back at once: the other group of warps multiplies meanwhile.

    Kernels with `group` = 1 do this; programs abreast walk through tiles in their own order, so it says nothing else.
    """
    acc = gl.full([C.bm, C.bn], 0, C.acc, C.layout)
    for step in range(count):
        stage = wait_full(full, position, C.stages)
        b = _columns(b_smem, stage, 0, C.bn, b_desc, C).reshape([C.bn, C.bk]).permute([1, 0])
        acc = warpgroup_mma(_operand_a(a_smem, stage, C), b, acc, is_async=True)
        acc = warpgroup_mma_wait(0, deps=(acc,))
        _release(empty, position, True, C)
        position += 1
    if C.consumers == 2:
        mbarrier.arrive(turn)
    return split_columns(acc, C.bn // C.part)


@gluon.jit
def _sums(tile, partials, programs, tiles, whole, steps, slots, C: gl.constexpr):
    """All column blocks of a split tile: the shares of its programs, added in their order, one share at a time."""
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    total = (tiles - whole) * steps
    base = (tile - whole) * steps
    first = stream_owner(base, programs, total)
    share = partials + _slot(first, programs, base, total, slots, C)
    xs = ()
    for p in gl.static_range(PARTS):
        xs = xs + (gl.load(share + _part_indices(p, C), cache_modifier=".cg"),)  # noqa: RUF005
    for other in range(first + 1, stream_owner(base + steps - 1, programs, total) + 1):
        share = partials + _slot(other, programs, base, total, slots, C)
        ys = ()
        for p in gl.static_range(PARTS):
            ys = ys + (xs[p] + gl.load(share + _part_indices(p, C), cache_modifier=".cg"),)  # noqa: RUF005
        xs = ys
    return xs


@gluon.jit
def _consume(
    which: gl.constexpr, a_smem, b_smem, b_desc, out_smem, full, empty, turns, out_desc, out_ptr, out_strides,
    M, N, epilogue, partials, counters, slots, tiles_m, tiles_n, tiles, whole, steps, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    n, program, programs = _lane(tiles_n)
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    partials += (n * programs * slots).to(gl.int64) * (C.bm * (C.bn + C.rest))
    counters += n * (tiles - whole)
    col = n * (C.bn + C.rest)
    position = 0
    for i in range(item_count(program, programs, tiles, whole, steps, 1, True)):
        tile, _, count = item(i, program, programs, tiles, whole, steps, 1, True)
        batch = tile // tiles_m
        row = (tile % tiles_m) * C.bm
        if C.consumers == 1 or i % C.consumers == which:
            turn = take_turn(turns, i, which, C)
            if C.group == 1:
                xs = _multiply_early(a_smem, b_smem, b_desc, full, empty, turn, position, count, C)
            else:
                xs = _multiply(a_smem, b_smem, b_desc, full, empty, turn, position, count, C)
            if count < steps:
                if hand_in(xs, tile, partials, counters, program, programs, tiles, whole, steps, slots, C):
                    ys = _sums(tile, partials, programs, tiles, whole, steps, slots, C)
                    for p in gl.static_range(PARTS):
                        _store(ys[p], None, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                               epilogue, C)  # fmt: skip
            else:
                for p in gl.static_range(PARTS):
                    x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                    _store(x, None, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                           epilogue, C)  # fmt: skip
        position += count
    if C.tma_store:
        tma.store_wait(0)


@gluon.jit
def hopper_abreast(
    a_desc, b_desc, out_desc, out_ptr, out_strides, M, N, K, batches, a_batch, b_batch, epilogue, partials, counters,
    whole, slots, splits, C: gl.constexpr,
):  # fmt: skip
    """out = epilogue(A * B) on sm_90; see the module's text. `whole` counts tiles of one column, `splits` is 1."""
    WIDTH: gl.constexpr = C.bn + C.rest
    tiles_m = (M + C.bm - 1) // C.bm
    tiles_n = (N + WIDTH - 1) // WIDTH
    tiles = tiles_m * batches
    steps = (K + C.bk - 1) // C.bk
    a_smem = stages_of(a_desc, C.stages)
    b_smem = gl.allocate_shared_memory(b_desc.dtype, [C.stages * (WIDTH // 8), 1, 8, C.bk], C.b_smem)
    out_smem = a_smem
    if C.tma_store:
        out_smem = stages_of(out_desc, C.consumers * C.out_buffers)
    full, empty, turns = ring_barriers(C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (a_desc, b_desc, a_smem, b_smem, full, empty, a_batch, b_batch, tiles_m, tiles_n, tiles, whole, steps, C),
        _consume,
        (a_smem, b_smem, b_desc, out_smem, full, empty, turns, out_desc, out_ptr, out_strides, M, N, epilogue,
         partials, counters, slots, tiles_m, tiles_n, tiles, whole, steps, C),
        C.consumers, 24,
    )  # fmt: skip
