"""The Hopper kernel: one warp feeds shared memory through TMA, one or two groups of warps multiply with wgmma.

consumers = 1: all consumer warps share a tile ("cooperative"). consumers = 2: two groups take turns, so that one
group's epilogue runs while the other multiplies ("ping-pong"). The ring of stages is filled in tile order; a group
looks at the ring only in its turn.

With `stream`, tiles may be split along K (see `schedule`); the program that arrives last adds the partial sums in the
order of the programs, so the result does not depend on who was last.

A tile is bm rows by bn + rest columns: block shapes are powers of two, and `rest` (a second, narrower block of B) makes
tiles of 96, 160 or 192 columns. After the products, a tile is a tuple of column blocks of `part` columns each.

Programs of a cluster work on tiles above each other, which need the same tiles of B: each of them copies its share into
the shared memory of all. What that takes in the machine code, Gluon cannot say: see `cluster.py` of this backend.

A residual, a D operand like the output, has a ring of its own, which the same warp fills: column blocks of the tiles in
their order. Read through pointers it would come in pieces of 4 bytes, after the products.

C is a `HopperConfig` throughout.
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

from ...ring import begin, specialize, stage_barriers, stages_of, wait_full
from .epilogue import block_factors, block_scaled, finish
from .hopper_split import hand_in, sum_part
from .schedule import item, item_count, place, program_number


@gluon.jit
def _row(m, C: gl.constexpr):
    """The first row of the program's tile, where its cluster works on row `m` of the tiles of clusters."""
    if C.cluster > 1:
        m = m * C.cluster + gl.program_id(0) % C.cluster
    return m * C.bm


@gluon.jit
def _load(desc, barrier, smem, batch, mn, step, K_MAJOR: gl.constexpr, BLOCKED: gl.constexpr, C: gl.constexpr):
    k = step * C.bk
    if BLOCKED:
        tma.async_copy_global_to_shared(desc, [step, mn, 0], barrier, smem)
    elif K_MAJOR:
        tma.async_copy_global_to_shared(desc, [batch, mn, k], barrier, smem)
    else:
        tma.async_copy_global_to_shared(desc, [batch, k, mn], barrier, smem)


@gluon.jit
def _produce(
    a_desc, b_desc, rest_desc, a_smem, b_smem, rest_smem, full, empty, residual, a_batch, b_batch, tiles_m, tiles_n,
    tiles, whole, steps, splits, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    program = program_number(tiles, splits, C.tiles_first) // C.cluster
    programs = gl.num_programs(0) // C.cluster
    REST_BYTES: gl.constexpr = rest_desc.block_type.nbytes if C.rest > 0 else 0
    BYTES: gl.constexpr = a_desc.block_type.nbytes + C.cluster * (b_desc.block_type.nbytes + REST_BYTES)
    share = gl.program_id(0) % C.cluster
    if C.cluster > 1:
        b_smem = _shares(b_smem, b_desc, C)
        if C.rest > 0:
            rest_smem = _shares(rest_smem, rest_desc, C)
    position = 0
    for i in range(item_count(program, programs, tiles, whole, steps, splits, C.stream)):
        tile, low, count = item(i, program, programs, tiles, whole, steps, splits, C.stream)
        batch, m, n = place(tile, tiles_m, tiles_n, C.group)
        row = _row(m, C)
        col = n * (C.bn + C.rest)
        b_col = col + share * (C.bn // C.cluster)
        rest_col = col + C.bn + share * (C.rest // C.cluster)
        for j in range(count):
            step = low + j * splits
            stage, ready = begin(full, empty, position, BYTES, C.stages)
            _load(a_desc, ready, a_smem.index(stage), batch * a_batch, row, step, C.a_k, C.a_blocked, C)
            stage = stage * C.cluster + share
            _load(b_desc, ready, b_smem.index(stage), batch * b_batch, b_col, step, C.b_k, C.b_blocked, C)
            if C.rest > 0:
                _load(rest_desc, ready, rest_smem.index(stage), batch * b_batch, rest_col, step, C.b_k, C.b_blocked, C)
            position += 1
        load_residual(residual, i, batch, row, col, C)


@gluon.jit
def residual_ring(desc, batch, C: gl.constexpr):
    """(tensor map, what a batch counts, ring, its barriers) of the residual; nothing without one."""
    if C.epilogue.residual >= 0:
        full, empty = stage_barriers(C.residual_parts, 1)
        return desc, batch, stages_of(desc, C.residual_parts), full, empty
    else:
        return ()


@gluon.jit
def load_residual(residual, i, batch, row, col, C: gl.constexpr):
    """Fill the ring with the column blocks of work item `i`."""
    if C.epilogue.residual >= 0:
        PARTS: gl.constexpr = (C.bn + C.rest) // C.part
        BYTES: gl.constexpr = residual[0].block_type.nbytes
        batch = batch * residual[1]
        for p in gl.static_range(PARTS):
            stage, ready = begin(residual[3], residual[4], i * PARTS + p, BYTES, C.residual_parts)
            if C.out_row:
                tma.async_copy_global_to_shared(
                    residual[0], [batch, row, col + p * C.part], ready, residual[2].index(stage)
                )
            else:
                tma.async_copy_global_to_shared(
                    residual[0], [batch, col + p * C.part, row], ready, residual[2].index(stage)
                )


@gluon.jit
def residual_part(residual, i, p: gl.constexpr, C: gl.constexpr):
    """Column block `p` of the residual of work item `i`, in the layout of a part; None without one."""
    if C.epilogue.residual >= 0:
        stage = wait_full(residual[3], i * ((C.bn + C.rest) // C.part) + p, C.residual_parts)
        block = residual[2].index(stage)
        if C.out_row:
            y = block.reshape([C.bm, C.part]).load(C.part_layout)
        else:
            y = block.reshape([C.part, C.bm]).permute([1, 0]).load(C.part_layout)
    else:
        y = None
    return y


@gluon.jit
def release_residual(residual, i, p: gl.constexpr, C: gl.constexpr):
    """The stage of a column block may be filled again: all warps of the group have stored what they made of it."""
    if C.epilogue.residual >= 0:
        stage = (i * ((C.bn + C.rest) // C.part) + p) % C.residual_parts
        mbarrier.arrive(residual[4].index(stage), count=1)


@gluon.jit
def _shares(smem, desc, C: gl.constexpr):
    """The ring of a shared operand, one entry for the share of each program."""
    return smem._reinterpret(desc.dtype, [C.stages * C.cluster] + desc.block_type.shape, desc.layout)  # noqa: RUF005


@gluon.jit
def _operand_a(smem, stage, C: gl.constexpr):
    if C.a_k:
        return smem.index(stage).reshape([C.bm, C.bk])
    else:
        return smem.index(stage).reshape([C.bk, C.bm]).permute([1, 0])


@gluon.jit
def _operand_b(smem, stage, WIDTH: gl.constexpr, C: gl.constexpr):
    if C.b_k:
        return smem.index(stage).reshape([WIDTH, C.bk]).permute([1, 0])
    else:
        return smem.index(stage).reshape([C.bk, WIDTH])


@gluon.jit
def _release(empty, position, pred, C: gl.constexpr):
    """A stage may be filled again; a cluster waits until all its programs have said so."""
    mbarrier.arrive(empty.index(position % C.stages), count=C.cluster, pred=pred)


@gluon.jit
def take_turn(turns, i, which: gl.constexpr, C: gl.constexpr):
    """The barrier at which group `which` ends its turn with work item `i`, after the other group has ended its own."""
    if C.consumers == 2:
        # Group 0 begins; its first wait is for a turn that nobody has to give.
        mbarrier.wait(turns.index(which), ((i // 2) & 1) ^ (1 - which))
    return turns.index(C.consumers - 1 - which)


@gluon.jit
def multiply(a_smem, b_smem, rest_smem, full, empty, turn, position, count, C: gl.constexpr):
    """The column blocks of one work item: `count` k-steps of the ring from `position`; then the other group's turn."""
    acc = gl.full([C.bm, C.bn], 0, C.acc, C.layout)
    if C.rest > 0:
        rest = gl.full([C.bm, C.rest], 0, C.acc, C.rest_layout)
    for step in range(count):
        stage = wait_full(full, position, C.stages)
        a = _operand_a(a_smem, stage, C)
        acc = warpgroup_mma(a, _operand_b(b_smem, stage, C.bn, C), acc, is_async=True)
        # The products of one step stay in flight; those before are done, so their stage may be filled again.
        if C.rest > 0:
            rest = warpgroup_mma(a, _operand_b(rest_smem, stage, C.rest, C), rest, is_async=True)
            acc, rest = warpgroup_mma_wait(2, deps=(acc, rest))
        else:
            acc = warpgroup_mma_wait(1, deps=(acc,))
        _release(empty, position + C.stages - 1, step > 0, C)
        position += 1
    if C.consumers == 2:
        mbarrier.arrive(turn)
    if C.rest > 0:
        acc, rest = warpgroup_mma_wait(0, deps=(acc, rest))
    else:
        acc = warpgroup_mma_wait(0, deps=(acc,))
    _release(empty, position + C.stages - 1, count > 0, C)
    if C.rest > 0:
        return split_columns(acc, C.bn // C.part) + split_columns(rest, C.rest // C.part)
    else:
        return split_columns(acc, C.bn // C.part)


@gluon.jit
def _multiply_promoted(
    a_smem, b_smem, full, empty, turn, position, low, count, splits, row, col, M, N, epilogue, C: gl.constexpr
):
    """As `multiply`, each k-step added in fp32: fp8 products are summed with about 14 bits inside the tensor core.

    This is also where factors that belong to blocks of K are applied.
    """
    total = gl.full([C.bm, C.bn], 0, C.acc, C.layout)
    rows = row + gl.arange(0, C.bm, gl.SliceLayout(1, C.layout))
    cols = col + gl.arange(0, C.bn, gl.SliceLayout(0, C.layout))
    for step in range(count):
        stage = wait_full(full, position, C.stages)
        zero = gl.full([C.bm, C.bn], 0, C.acc, C.layout)
        a, b = _operand_a(a_smem, stage, C), _operand_b(b_smem, stage, C.bn, C)
        part = warpgroup_mma(a, b, zero, use_acc=False, is_async=True)
        if C.scales.rows > 0 or C.scales.cols > 0:
            # Read while the products are under way.
            of_rows, of_cols = block_factors(rows, cols, col, low + step * splits, M, N, epilogue, C)
        part = warpgroup_mma_wait(0, deps=(part,))
        _release(empty, position, True, C)
        if C.scales.rows > 0 or C.scales.cols > 0:
            part = block_scaled(part, of_rows, of_cols, C)
        total += part
        position += 1
    if C.consumers == 2:
        mbarrier.arrive(turn)
    return split_columns(total, C.bn // C.part)


@gluon.jit
def split_columns(x, PARTS: gl.constexpr):
    """`x` cut into PARTS blocks of neighbouring columns, without moving data between threads."""
    xs = (x,)
    for _ in gl.static_range(PARTS.bit_length() - 1):
        halves = ()
        for j in gl.static_range(len(xs)):
            y = xs[j]
            halves = halves + y.reshape((y.shape[0], 2, y.shape[1] // 2)).permute((0, 2, 1)).split()
        xs = halves
    return xs


@gluon.jit
def free_buffer(out_smem, p: gl.constexpr, which: gl.constexpr, C: gl.constexpr):
    """The staging buffer of column block `p`, after the copy that used it has been read.

    The buffers take turns. At the head of a tile that copy is one of the tile before, and where the buffers do not
    divide the parts, fewer copies were begun since then.
    """
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    SINCE: gl.constexpr = PARTS - 1 - (PARTS - 1 - p) // C.out_buffers * C.out_buffers
    PENDING: gl.constexpr = C.out_buffers - 1 if p >= C.out_buffers else min(C.out_buffers - 1, SINCE)
    tma.store_wait(PENDING)
    return out_smem.index(which * C.out_buffers + p % C.out_buffers)


@gluon.jit
def _store_part(
    x, y, p: gl.constexpr, which: gl.constexpr, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
    epilogue, C: gl.constexpr,
):  # fmt: skip
    """Finishes column block `p` of a tile, whose residual is `y`, and stores it."""
    col += p * C.part
    rows = row + gl.arange(0, C.bm, gl.SliceLayout(1, C.part_layout))
    cols = col + gl.arange(0, C.part, gl.SliceLayout(0, C.part_layout))
    x = finish(x, rows, cols, batch, M, N, epilogue, C, y).to(C.out)
    if C.tma_store:
        buffer = free_buffer(out_smem, p, which, C)
        if C.out_row:
            buffer.reshape([C.bm, C.part]).store(x)
            fence_async_shared()
            tma.async_copy_shared_to_global(out_desc, [batch, row, col], buffer)
        else:
            buffer.reshape([C.part, C.bm]).permute([1, 0]).store(x)
            fence_async_shared()
            tma.async_copy_shared_to_global(out_desc, [batch, col, row], buffer)
    else:
        # A layout in which neighbouring threads write neighbouring elements.
        x = gl.convert_layout(x, C.store_layout)
        rows = row + gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout))
        cols = col + gl.arange(0, C.part, gl.SliceLayout(0, C.store_layout))
        inside = (rows < M)[:, None] & (cols < N)[None, :]
        base = out_ptr + batch.to(gl.int64) * out_strides[0]
        offsets = rows.to(gl.int64)[:, None] * out_strides[1] + cols.to(gl.int64)[None, :] * out_strides[2]
        gl.store(base + offsets, x, mask=inside)


@gluon.jit
def _consume(
    which: gl.constexpr, a_smem, b_smem, rest_smem, out_smem, full, empty, turns, residual, out_desc, out_ptr,
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
        tile, low, count = item(i, program, programs, tiles, whole, steps, splits, C.stream)
        batch, m, n = place(tile, tiles_m, tiles_n, C.group)
        row = _row(m, C)
        col = n * (C.bn + C.rest)
        if C.consumers == 1 or i % C.consumers == which:
            turn = take_turn(turns, i, which, C)
            if C.promote:
                xs = _multiply_promoted(a_smem, b_smem, full, empty, turn, position, low, count, splits, row, col, M, N,
                                        epilogue, C)  # fmt: skip
            else:
                xs = multiply(a_smem, b_smem, rest_smem, full, empty, turn, position, count, C)
            if C.stream and (C.reduce_after or count < steps):
                if hand_in(xs, tile, partials, counters, program, programs, tiles, whole, steps, slots, C):
                    for p in gl.static_range(PARTS):
                        x = sum_part(tile, p, partials, programs, tiles, whole, steps, slots, C)
                        _store_part(x, None, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                                    epilogue, C)  # fmt: skip
            else:
                for p in gl.static_range(PARTS):
                    x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                    y = residual_part(residual, i, p, C)
                    _store_part(x, y, p, which, batch, row, col, out_desc, out_ptr, out_smem, M, N, out_strides,
                                epilogue, C)  # fmt: skip
                    release_residual(residual, i, p, C)
        position += count
    if C.tma_store:
        tma.store_wait(0)


@gluon.constexpr_function
def _whole(share, C):
    """The shape of a ring of whole tiles, of which `share` is what one program copies (rows first: K is contiguous)."""
    return [C.stages, 1, share[1] * C.cluster, share[2]]


@gluon.jit
def ring_barriers(C: gl.constexpr):
    """(full, empty, turns): the barriers of every stage of the ring, and those of groups that take turns."""
    full, empty = stage_barriers(C.stages, C.cluster)
    turns = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    if C.consumers == 2:
        mbarrier.init(turns.index(0), count=1)
        mbarrier.init(turns.index(1), count=1)
    return full, empty, turns


@gluon.jit
def hopper_gemm(
    a_desc, b_desc, rest_desc, out_desc, residual_desc, out_ptr, out_strides, M, N, K, batches, a_batch, b_batch,
    residual_batch, epilogue, partials, counters, whole, slots, splits, C: gl.constexpr,
):  # fmt: skip
    """out = epilogue(A * B) on sm_90; see the module's text."""
    tiles_m = (M + C.bm * C.cluster - 1) // (C.bm * C.cluster)
    tiles_n = (N + C.bn + C.rest - 1) // (C.bn + C.rest)
    tiles = tiles_m * tiles_n * batches
    steps = (K + C.bk - 1) // C.bk
    if not C.stream:
        whole = tiles
        splits = 1
    a_smem = stages_of(a_desc, C.stages)
    b_smem = gl.allocate_shared_memory(b_desc.dtype, _whole(b_desc.block_type.shape, C), C.b_smem)
    rest_smem = b_smem
    if C.rest > 0:
        rest_smem = gl.allocate_shared_memory(rest_desc.dtype, _whole(rest_desc.block_type.shape, C), C.rest_smem)
    out_smem = a_smem
    if C.tma_store:
        out_smem = stages_of(out_desc, C.consumers * C.out_buffers)
    full, empty, turns = ring_barriers(C)
    residual = residual_ring(residual_desc, residual_batch, C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (a_desc, b_desc, rest_desc, a_smem, b_smem, rest_smem, full, empty, residual, a_batch, b_batch, tiles_m,
         tiles_n, tiles, whole, steps, splits, C),
        _consume,
        (a_smem, b_smem, rest_smem, out_smem, full, empty, turns, residual, out_desc, out_ptr, out_strides, M, N,
         epilogue, partials, counters, slots, tiles_m, tiles_n, tiles, whole, steps, splits, C),
        C.consumers, 24,
    )  # fmt: skip
