"""The backward pass on sm_90: dK, dV and dQ in one walk, five products for each block of rows by keys.

A program owns a block of bn keys of one head, in shared memory, and sums its dK and dV in registers while it walks over
the rows of all query heads that it serves. One warp reads blocks of rows through TMA; two groups of warps multiply.
Tiles lie as [keys, rows]: then probabilities and their gradients are left operands of the products that end in dV and
dK as they come, without leaving registers. dQ is a sum over programs: every program adds its share to fp32 sums in
memory, in the order in which they happen to arrive, so the last bits of dQ differ from run to run.

The sums of a block of rows lie in the order of the accumulators' registers (`to_fragments`): neither shared memory nor
the additions meet strides. C is a `HopperBackwardConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import _core
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)


@_core.builtin
def _add_shared_to_global(desc, coord, source, _semantic=None):
    """TMA's reduction: memory += a tile of shared memory, element by element and atomically."""
    from triton._C.libtriton import ir

    coord = _semantic._convert_to_ir_values(coord, require_i64=False)
    _semantic.builder.create_async_tma_reduce(ir.DESCRIPTOR_REDUCE_KIND.ADD, desc.handle, coord, source.handle)


@gluon.jit
def _bounds(n, seqlen_q, seqlen_k, shift, window, C: gl.constexpr):
    """(first block of rows, first one that sees all of these keys, one past the last) for the keys from n on."""
    blocks = (seqlen_q + C.bm - 1) // C.bm
    low = blocks * 0
    whole = low
    high = blocks
    if C.right:
        low = gl.minimum(gl.maximum(n - shift - window[1], 0) // C.bm, blocks)
        whole = gl.maximum(n + C.bn - 1 - shift - window[1] + C.bm - 1, 0) // C.bm
    if C.left:
        high = gl.minimum(blocks, gl.maximum(n + C.bn - shift + window[0] + C.bm - 1, 0) // C.bm)
        whole = blocks
    if n + C.bn > seqlen_k:
        whole = blocks
    return low, gl.minimum(gl.maximum(whole, low), high), high


@gluon.jit
def _produce(
    q_desc, k_desc, v_desc, dout_desc, stats_desc, q_smem, k_smem, v_smem, dout_smem, stats_smem, full, empty, resident,
    b, kv, n, heads_q, group, seqlen_q, seqlen_k, shift, window, C: gl.constexpr,
):  # fmt: skip
    mbarrier.expect(resident, k_desc.block_type.nbytes + v_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(k_desc, [b, kv, n, 0], resident, k_smem)
    tma.async_copy_global_to_shared(v_desc, [b, kv, n, 0], resident, v_smem)
    low, _, high = _bounds(n, seqlen_q, seqlen_k, shift, window, C)
    blocks = (seqlen_q + C.bm - 1) // C.bm
    position = 0
    for member in range(group):
        head = kv * group + member
        block = (b * heads_q + head) * blocks
        for m in range(low, high):
            stage = position % C.stages
            mbarrier.wait(empty.index(stage), ((position // C.stages) & 1) ^ 1)
            ready = full.index(stage)
            mbarrier.expect(
                ready, q_desc.block_type.nbytes + dout_desc.block_type.nbytes + stats_desc.block_type.nbytes
            )
            tma.async_copy_global_to_shared(q_desc, [b, head, m * C.bm, 0], ready, q_smem.index(stage))
            tma.async_copy_global_to_shared(stats_desc, [block + m, 0], ready, stats_smem.index(stage))
            tma.async_copy_global_to_shared(dout_desc, [b, head, m * C.bm, 0], ready, dout_smem.index(stage))
            position += 1


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
def _add_queries(dq, sums, dq_smem, block, C: gl.constexpr):
    """Adds a share to the sums of a block of rows."""
    tma.store_wait(0)
    dq_smem.store(to_fragments(dq, C))
    fence_async_shared()
    _add_shared_to_global(sums, [block * (C.bm * C.d // C.line), 0], dq_smem)


@gluon.jit
def _step(
    q_smem, k, v, dout_smem, stats_smem, ds_smem, dq_smem, full, empty, sums, dk, dv, position, block, m, n,
    masked, seqlen_k, shift, window, scale, C: gl.constexpr,
):  # fmt: skip
    """One block of rows: (dk, dv) with its shares."""
    stage = position % C.stages
    mbarrier.wait(full.index(stage), (position // C.stages) & 1)
    q, dout = q_smem.index(stage).reshape([C.bm, C.d]), dout_smem.index(stage).reshape([C.bm, C.d])
    stats = stats_smem.index(stage)
    zero = gl.full([C.bn, C.bm], 0, gl.float32, C.s_layout)
    s = warpgroup_mma(k, q.permute([1, 0]), zero, use_acc=False, is_async=True)
    dp = warpgroup_mma(v, dout.permute([1, 0]), zero, use_acc=False, is_async=True)
    s = warpgroup_mma_wait(1, deps=(s,))
    log_sum = stats.slice(0, C.bm, dim=1).load(C.s_layout)
    p = gl.exp2(s * scale - log_sum)
    if masked:
        key = n + gl.arange(0, C.bn, gl.SliceLayout(1, C.s_layout))[:, None]
        row = m * C.bm + gl.arange(0, C.bm, gl.SliceLayout(0, C.s_layout))[None, :]
        seen = (key < seqlen_k) & (row >= 0)
        if C.right:
            seen = seen & (key <= row + (shift + window[1]))
        if C.left:
            seen = seen & (key >= row + (shift - window[0]))
        p = gl.where(seen, p, 0.0)
    weights = gl.convert_layout(p.to(C.operand), C.left_layout)
    dp = warpgroup_mma_wait(0, deps=(dp,))
    dots = stats.slice(C.bm, C.bm, dim=1).load(C.s_layout)
    ds = (p * (dp - dots)).to(C.operand)
    dv = warpgroup_mma(weights, dout, dv, is_async=True)
    ds_smem.store(ds)
    fence_async_shared()
    none = gl.full([C.bm, C.d], 0, gl.float32, C.dq_layout)
    dq = warpgroup_mma(ds_smem.permute([1, 0]), k, none, use_acc=False, is_async=True)
    dk = warpgroup_mma(gl.convert_layout(ds, C.left_layout), q, dk, is_async=True)
    dv, dq, dk = warpgroup_mma_wait(1, deps=(dv, dq, dk))
    _add_queries(dq, sums, dq_smem, block + m, C)
    dk = warpgroup_mma_wait(0, deps=(dk,))
    mbarrier.arrive(empty.index(stage))
    return dk, dv


@gluon.jit
def _consume(
    q_smem, k_smem, v_smem, dout_smem, stats_smem, ds_smem, dq_smem, full, empty, resident, sums, dk_desc, dv_desc, b,
    kv, n, heads_q, group, seqlen_q, seqlen_k, shift, window, scale, out_scale, C: gl.constexpr,
):  # fmt: skip
    k, v = k_smem.reshape([C.bn, C.d]), v_smem.reshape([C.bn, C.d])
    dk = gl.full([C.bn, C.d], 0, gl.float32, C.out_layout)
    dv = gl.full([C.bn, C.d], 0, gl.float32, C.out_layout)
    low, whole, high = _bounds(n, seqlen_q, seqlen_k, shift, window, C)
    blocks = (seqlen_q + C.bm - 1) // C.bm
    mbarrier.wait(resident, 0)
    lane = b * heads_q + kv * group
    span = high - low
    for position in range(group * span):
        member = position // span
        m = low + position - member * span
        dk, dv = _step(
            q_smem, k, v, dout_smem, stats_smem, ds_smem, dq_smem, full, empty, sums, dk, dv, position,
            (lane + member) * blocks, m, n, m < whole, seqlen_k, shift, window, scale, C,
        )  # fmt: skip
    dk = warpgroup_mma_wait(0, deps=(dk,))
    v.store(dv.to(C.operand))
    k.store((dk * out_scale).to(C.operand))
    fence_async_shared()
    tma.async_copy_shared_to_global(dv_desc, [b, kv, n, 0], v_smem)
    tma.async_copy_shared_to_global(dk_desc, [b, kv, n, 0], k_smem)
    tma.store_wait(0)


@gluon.jit
def hopper_gradients(
    q, k, v, dout, stats, sums, dk, dv, heads_q, group, seqlen_q,
    seqlen_k, shift, window, scale, out_scale, key_blocks, C: gl.constexpr,
):  # fmt: skip
    """dK and dV of one block of keys, and its shares of dQ; see the module's text."""
    program = gl.program_id(0)
    lane = program // key_blocks
    heads_kv = heads_q // group
    n, kv, b = program % key_blocks * C.bn, lane % heads_kv, lane // heads_kv
    q_smem = gl.allocate_shared_memory(q.dtype, [C.stages] + q.block_type.shape, q.layout)  # noqa: RUF005
    dout_smem = gl.allocate_shared_memory(q.dtype, [C.stages] + q.block_type.shape, q.layout)  # noqa: RUF005
    STATS: gl.constexpr = [C.stages] + stats.block_type.shape  # noqa: RUF005
    stats_smem = gl.allocate_shared_memory(gl.float32, STATS, stats.layout)
    k_smem = gl.allocate_shared_memory(k.dtype, k.block_type.shape, k.layout)
    v_smem = gl.allocate_shared_memory(v.dtype, v.block_type.shape, v.layout)
    ds_smem = gl.allocate_shared_memory(q.dtype, [C.bn, C.bm], C.ds_shared)
    dq_smem = gl.allocate_shared_memory(gl.float32, sums.block_type.shape, sums.layout)
    full = gl.allocate_shared_memory(gl.int64, [C.stages, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [C.stages, 1], mbarrier.MBarrierLayout())
    resident = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    STAGES: gl.constexpr = C.stages
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    mbarrier.init(resident, count=1)
    gl.warp_specialize(
        [
            (_consume, (q_smem, k_smem, v_smem, dout_smem, stats_smem, ds_smem, dq_smem, full, empty, resident, sums,
                        dk, dv, b, kv, n, heads_q, group, seqlen_q, seqlen_k, shift, window, scale,
                        out_scale, C)),
            (_produce, (q, k, v, dout, stats, q_smem, k_smem, v_smem, dout_smem, stats_smem,
                        full, empty, resident, b, kv, n, heads_q, group, seqlen_q, seqlen_k, shift, window, C)),
        ],
        [1],
        [24],
    )  # fmt: skip


@gluon.jit
def convert_sums(dq_sum, dq, dq_strides, heads_q, seqlen_q, blocks, out_scale, C: gl.constexpr):
    """dQ of one block of rows of one head: its sums, scaled, in the gradient's dtype."""
    program = gl.program_id(0)
    m, lane = program % blocks, program // blocks
    head, b = lane % heads_q, lane // heads_q
    x = to_fragments(gl.full([C.bm, C.d], 0, gl.float32, C.dq_layout), C)
    x = gl.load(dq_sum + program.to(gl.int64) * (C.bm * C.d) + _fragment_places(x, C))
    x = gl.convert_layout((from_fragments(x, C) * out_scale).to(C.operand), C.store_layout)
    row = m * C.bm + gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout))
    column = gl.arange(0, C.d, gl.SliceLayout(0, C.store_layout))
    dq += b.to(gl.int64) * dq_strides[0] + head.to(gl.int64) * dq_strides[2]
    at = row.to(gl.int64)[:, None] * dq_strides[1] + column[None, :]
    gl.store(dq + at, x, mask=(row < seqlen_q)[:, None] & (column < C.hdim)[None, :])
