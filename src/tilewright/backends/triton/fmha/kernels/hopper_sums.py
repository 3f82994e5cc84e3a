"""Sums of the Hopper backward pass in memory, to which several programs add: of dQ, and of dK and dV of shared walks.

The sums of a block of rows lie in the order of the accumulators' registers (`to_fragments`): neither shared memory nor
the additions meet strides. C is a `HopperBackwardConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import _core
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

from ...ring import wait_empty, wait_full
from .hopper_walks import bounds, count_items, first_block, lengths, next_rows, place_of_item, walk
from .place import diagonal, place_of

# Memory += four numbers that lie in neighbouring registers. An assembly statement has to give something back.
ADD_FOUR = gl.constexpr("red.relaxed.gpu.global.add.v4.f32 [$4], {$8, $9, $10, $11};" + "".join(
    f" mov.b32 ${i}, 0;" for i in range(4)))  # fmt: skip


@_core.builtin
def _add_shared_to_global(desc, coord, source, _semantic=None):
    """TMA's reduction: memory += a tile of shared memory, element by element and atomically."""
    from triton._C.libtriton import ir

    coord = _semantic._convert_to_ir_values(coord, require_i64=False)
    _semantic.builder.create_async_tma_reduce(ir.DESCRIPTOR_REDUCE_KIND.ADD, desc.handle, coord, source.handle)


@gluon.jit
def _add_registers(at, x):
    """Memory += a tile, by four neighbouring registers at a time; `at` must have them as neighbours."""
    gl.inline_asm_elementwise(
        ADD_FOUR, "=r,=r,=r,=r,l,l,l,l,f,f,f,f", [at.to(gl.int64), x], dtype=gl.int32, is_pure=False, pack=4
    )


@gluon.jit
def to_fragments(x, C: gl.constexpr):
    """A [bm, d] accumulator as one line, in which the four numbers that lie in neighbouring registers are neighbours.

    Rows are (warp, half, lane row), columns (warp, register, lane column, 2). Nothing moves between threads.
    """
    ROWS: gl.constexpr = C.bm // 16
    COLUMNS: gl.constexpr = C.d // 8
    x = x.reshape((ROWS, 2, 8, COLUMNS, 4, 2)).permute((0, 3, 2, 4, 1, 5))
    return x.reshape((C.bm * C.d // C.line, C.line))


@gluon.jit
def from_fragments(x, C: gl.constexpr):
    """The [bm, d] tile of which `to_fragments` made `x`."""
    x = x.reshape((C.bm // 16, C.d // 8, 8, 4, 2, 2)).permute((0, 4, 2, 1, 3, 5))
    return x.reshape((C.bm, C.d))


@gluon.jit
def _fragment_places(x, C: gl.constexpr):
    """Where the elements of a tile of fragments lie in the sums of its block of rows."""
    LAYOUT: gl.constexpr = x.type.layout
    row = gl.arange(0, C.bm * C.d // C.line, gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C.line, gl.SliceLayout(0, LAYOUT))
    return (row * C.line)[:, None] + column[None, :]


@gluon.jit
def _await_turn(turns, block, m, n, keys, shift, window, order, C: gl.constexpr):
    """Wait until those before have added their shares of block m of rows, which is number `block`: see `walk`."""
    before = (keys - 1) // C.bn - n // C.bn
    if C.right:  # see `bounds`
        before = gl.minimum(before, (m * C.bm + (C.bm - 1) + shift + window[1]) // C.bn - n // C.bn)
    before = gl.where(order[1] != 0, n // C.bn, before)
    while gl.load(turns + block, volatile=True) < before:
        pass


@gluon.jit
def _added():
    """Wait until memory has what this warp added."""
    lane = gl.arange(0, 32, gl.BlockedLayout([1], [32], [1], [0]))
    gl.inline_asm_elementwise(
        "cp.async.bulk.wait_group 0; mov.b32 $0, $1;", "=r,r", [lane], dtype=gl.int32, is_pure=False, pack=1
    )
    gl.thread_barrier()


@gluon.jit
def add_in_turn(
    sums, dq_smem, share, turns, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits, window, items,
    key_blocks, blocks, shares, order, C: gl.constexpr,
):  # fmt: skip
    """Add each share of dQ when its turn has come. `share` is the (full, empty) barriers of its ring; nothing
    of the way to memory and back is on the way of the warps that multiply. With C.direct those add, and `share` is the
    barriers of (their turn, what they added)."""
    count = 0
    for i in range(count_items(items, C)):
        b, kv, n, there, part, parts = place_of_item(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, _, keys = lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        shift = diagonal(rows, keys, C)
        low, _, high = bounds(n, rows, keys, shift, window, C)
        first = first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
        steps, member, m = walk(there & (n < keys), part, parts, group, low, high, order, C)
        for _ in range(steps):
            block = first + member * blocks + m
            _await_turn(turns, block, m, n, keys, shift, window, order, C)
            if C.direct:
                mbarrier.arrive(share[0].index(0))
                wait_full(share[1], count, 1)
            else:
                slot = wait_full(share[0], count, C.shares_in_flight)
                _add_shared_to_global(sums, [block * (C.bm * C.d // C.line), 0], dq_smem.index(slot))
                tma.store_wait(0)
                mbarrier.arrive(share[1].index(slot))
                _added()
            gl.atomic_add(turns + block, 1, sem="release")
            count += 1
            member, m = next_rows(member, m, low, high, group, order, C)


@gluon.jit
def add_queries(dq, sums, dq_smem, share, position, block, C: gl.constexpr):
    """Adds a share to the sums of a block of rows, or hands it to the warp that does. C.direct: from registers."""
    if C.direct:
        x = to_fragments(dq, C)
        if C.ordered:
            wait_full(share[0], position, 1)
        _add_registers(sums + block.to(gl.int64) * (C.bm * C.d) + _fragment_places(x, C), x)
        if C.ordered:
            gl.thread_barrier()
            mbarrier.arrive(share[1].index(0))
    else:
        tma.store_wait(0)
        if C.ordered:
            slot = wait_empty(share[1], position, C.shares_in_flight)
            dq_smem.index(slot).store(to_fragments(dq, C))
            fence_async_shared()
            gl.thread_barrier()
            mbarrier.arrive(share[0].index(slot))
        else:
            dq_smem.store(to_fragments(dq, C))
            fence_async_shared()
            _add_shared_to_global(sums, [block * (C.bm * C.d // C.line), 0], dq_smem)


@gluon.jit
def _key_fragments(C: gl.constexpr):
    """Where the elements of a [bn, d] gradient lie in its sums: four neighbouring registers are neighbours, and what a
    warp adds at a time is one piece of memory."""
    key = gl.arange(0, C.bn, gl.SliceLayout(1, C.out_layout))[:, None]
    # Opaque, else the compiler keeps these numbers in registers while the products run.
    key = gl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [key], dtype=gl.int32, is_pure=False, pack=1)
    column = gl.arange(0, C.d, gl.SliceLayout(0, C.out_layout))[None, :]
    inside = key % 8 * 16 + column % 8 // 2 * 4 + key // 8 % 2 * 2 + column % 2
    return (key // 16 * (C.d // 8) + column // 8) * 128 + inside


@gluon.jit
def add_keys(dk, dv, key_sums, lane, n, blocks, C: gl.constexpr):
    """Add a part's gradients of the keys from n on; of each key head, `blocks` blocks of keys have sums."""
    at = key_sums + (lane * blocks + n // C.bn).to(gl.int64) * (2 * C.bn * C.d) + _key_fragments(C)
    _add_registers(at, dk)
    _add_registers(at + C.bn * C.d, dv)


@gluon.jit
def convert_sums(
    dq_sum, dq, dq_strides, cu_seqlens_q, heads_q, seqlen_q, limits, row_blocks, blocks, out_scale, C: gl.constexpr
):
    """dQ of one block of rows of one head: its sums, scaled, in the gradient's dtype."""
    program = gl.program_id(0)
    m, lane = program % row_blocks, program // row_blocks
    head, b = lane % heads_q, lane // heads_q
    q_start, rows, _, _ = lengths(cu_seqlens_q, cu_seqlens_q, b, seqlen_q, seqlen_q, limits, C)
    if m * C.bm >= rows:
        return
    x = to_fragments(gl.full([C.bm, C.d], 0, gl.float32, C.dq_layout), C)
    block = first_block(b, head, q_start, heads_q, blocks, C) + m
    x = gl.load(dq_sum + block.to(gl.int64) * (C.bm * C.d) + _fragment_places(x, C))
    x = gl.convert_layout((from_fragments(x, C) * out_scale).to(C.operand), C.store_layout)
    row = m * C.bm + gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout))
    column = gl.arange(0, C.d, gl.SliceLayout(0, C.store_layout))
    dq += b.to(gl.int64) * dq_strides[0] + head.to(gl.int64) * dq_strides[2]
    at = (q_start + row).to(gl.int64)[:, None] * dq_strides[1] + column[None, :]
    gl.store(dq + at, x, mask=(row < rows)[:, None] & (column < C.hdim)[None, :])


@gluon.jit
def convert_key_sums(
    key_sums, dk, dv, dk_strides, dv_strides, cu_seqlens_k, heads_kv, seqlen_k, limits, shared_blocks, C: gl.constexpr
):
    """dK or dV of a block of keys whose walk was shared: the sum of its parts, in the gradient's dtype."""
    program = gl.program_id(0)
    block, is_value = program // 2, program % 2 == 1
    lane, n = block // shared_blocks, block % shared_blocks * C.bn
    kv, b = (lane % heads_kv).to(gl.int64), lane // heads_kv
    k_start, keys = b * 0, seqlen_k + b * 0
    if C.varlen:
        k_start, keys = place_of(cu_seqlens_k, b, limits[1], seqlen_k, C)
        b = b * 0
    if n >= keys:
        return
    x = gl.load(key_sums + program.to(gl.int64) * (C.bn * C.d) + _key_fragments(C))
    x = gl.convert_layout(x.to(C.operand), C.store_layout)
    key = n + gl.arange(0, C.bn, gl.SliceLayout(1, C.store_layout))
    column = gl.arange(0, C.d, gl.SliceLayout(0, C.store_layout))
    there = (key < keys)[:, None] & (column < gl.where(is_value, C.hdim_v, C.hdim))[None, :]
    row = (k_start + key).to(gl.int64)[:, None]
    if is_value:
        at = b.to(gl.int64) * dv_strides[0] + kv * dv_strides[2]
        gl.store(dv + at + row * dv_strides[1] + column[None, :], x, mask=there)
    else:
        at = b.to(gl.int64) * dk_strides[0] + kv * dk_strides[2]
        gl.store(dk + at + row * dk_strides[1] + column[None, :], x, mask=there)
