"""The backward pass on sm_90: dK, dV and dQ in one walk, five products for each block of rows by keys.

A program takes blocks of bn keys in turn: it holds one in shared memory and sums its dK and dV in registers while it
walks over the rows of all query heads that it serves. One warp reads through TMA, and goes on to the next block while
the last one is stored; two groups of warps multiply. Tiles lie as [keys, rows]: then probabilities and their gradients
are left operands of the products that end in dV and dK as they come, without leaving registers. If heads are wide
(C.wide) registers hold dK and dV of 64 keys only: the groups of warps share them, and these operands lie in shared
memory. dQ is a sum over programs: each adds its share to fp32 sums in memory, in the order in which they happen to
arrive, so the last bits of dQ differ from run to run. If they must not (C.ordered), programs take turns at each block
of rows, in the order in which they reach it (`hopper_walks.walk`); a warp of its own waits for the turn, adds and
passes it on.

Several programs may share the walk of a block of keys: the first `shared` items of a key head have `parts` parts each.
Then dK and dV are sums in memory too (`add_keys`), which `convert_key_sums` turns into the gradients.

With a bias the blocks of rows come from lists (`bias_blocks`): those that see none of the keys are not in them, and the
bias is read only where it changes something.

Which program walks where is in `hopper_walks`, how it adds in `hopper_sums`. C is a `HopperBackwardConfig` throughout.
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

from ...ring import begin, stage_barriers, stages_of, wait_empty, wait_full
from .bias_blocks import bias_of, list_of
from .hopper_logits import keep_bits, kept, powers, stat
from .hopper_sums import add_in_turn, add_keys, add_queries
from .hopper_walks import bounds, count_items, first_block, lengths, next_rows, place_of_item, walk
from .place import diagonal


@_core.builtin
def _specialize(consume, taken, produce, given, add, added, ordered, _semantic=None, _generator=None):
    """Run `consume` in the warps of the kernel beside `produce`, and `add` if it is `ordered`, in one warp each."""
    groups = [(consume, taken), (produce, given)]
    if _core._unwrap_if_constexpr(ordered):
        groups.append((add, added))
    others = len(groups) - 1
    _semantic.warp_specialize(groups, [1] * others, [24] * others, _generator)


@gluon.jit
def _fetch_rows(maps, rings, position, b, first_head, member, q_start, m, first, blocks, C: gl.constexpr):
    """Block m of the rows of a head, into a position of the ring. `maps` and `rings`: of Q, statistics, dO."""
    q_desc, stats_desc, dout_desc = maps
    q_smem, stats_smem, dout_smem, full, empty = rings
    BYTES: gl.constexpr = q_desc.block_type.nbytes + dout_desc.block_type.nbytes + stats_desc.block_type.nbytes
    stage, ready = begin(full, empty, position, BYTES, C.stages)
    head, row = first_head + member, q_start + m * C.bm
    tma.async_copy_global_to_shared(q_desc, [b, head, row, 0], ready, q_smem.index(stage))
    block = first + member * blocks + m
    if C.bias:
        block = 4 * block
    tma.async_copy_global_to_shared(stats_desc, [block, 0], ready, stats_smem.index(stage))
    tma.async_copy_global_to_shared(dout_desc, [b, head, row, 0], ready, dout_smem.index(stage))


@gluon.jit
def _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, key):
    """A block of keys and values, once those before it are done with."""
    mbarrier.wait(released, (taken & 1) ^ 1)
    mbarrier.expect(resident, k_desc.block_type.nbytes + v_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(k_desc, [b, kv, key, 0], resident, k_smem)
    tma.async_copy_global_to_shared(v_desc, [b, kv, key, 0], resident, v_smem)


@gluon.jit
def _produce(
    q_desc, k_desc, v_desc, dout_desc, stats_desc, bias, q_smem, k_smem, v_smem, dout_smem, stats_smem, biases, full,
    empty, resident, released, listed, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits, window,
    items, key_blocks, blocks, shares, order, C: gl.constexpr,
):  # fmt: skip
    maps, rings = (q_desc, stats_desc, dout_desc), (q_smem, stats_smem, dout_smem, full, empty)
    position = 0
    taken = 0
    read = 0  # blocks of the bias
    for i in range(count_items(items, C)):
        b, kv, n, there, part, parts = place_of_item(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, k_start, keys = lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        low, _, high = bounds(n, rows, keys, diagonal(rows, keys, C), window, C)
        first = first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
        if C.bias:
            if there:
                begun = 0
                for member in range(group):
                    head = kv * group + member
                    here = list_of(b, head, n // C.bn, key_blocks, listed)
                    bias_b, bias_head = bias_of(b, head, listed)
                    for j in range(gl.load(here)):
                        entry = gl.load(here + 1 + j)
                        m = entry // 2
                        _fetch_rows(maps, rings, position, b, kv * group, member, q_start, m, first, blocks, C)
                        position += 1
                        if begun == 0:
                            _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, n)
                        begun = 1
                        if entry % 2 != 0:
                            slot, ready = begin(biases[1], biases[2], read, bias.block_type.nbytes, C.bias_stages)
                            at = [bias_b, bias_head, m * C.bm, n]
                            tma.async_copy_global_to_shared(bias, at, ready, biases[0].index(slot))
                            read += 1
                taken += begun
        else:
            if C.varlen:
                b = b * 0
            there = there & (n < keys)
            steps, member, m = walk(there, part, parts, group, low, high, order, C)
            if C.direct and there:  # also if no row sees them: their gradients will take their place
                _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, k_start + n)
                taken += 1
            for step in range(steps):
                _fetch_rows(maps, rings, position, b, kv * group, member, q_start, m, first, blocks, C)
                position += 1
                member, m = next_rows(member, m, low, high, group, order, C)
                if not C.direct and step == 0:  # rows need not wait until the keys before these are done with
                    _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, k_start + n)
                    taken += 1


@gluon.jit
def _products(x, y, C: gl.constexpr):
    """[keys, rows]: products of keys or values with rows, under way."""
    zero = gl.full([C.bn, C.bm], 0, gl.float32, C.s_layout)
    if C.narrow:
        y = y.permute([1, 0])
        first = warpgroup_mma(x.slice(0, 128, 1), y.slice(0, 128), zero, use_acc=False, is_async=True)
        return warpgroup_mma(x.slice(128, 64, 1), y.slice(128, 64), first, is_async=True)
    else:
        return warpgroup_mma(x, y.permute([1, 0]), zero, use_acc=False, is_async=True)


@gluon.jit
def _step(
    q_smem, k, v, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, sums, share, dk, dv, position, read,
    block, lane, m, n, masked, keys, shift, window, random, scale, cap, C: gl.constexpr,
):  # fmt: skip
    """One block of rows: (dk, dv) with its shares. `tiles` are in shared memory: gradients of scores, and if C.wide
    probabilities; `lane`: batch * heads + head; the rest is as in `powers`."""
    stage = wait_full(full, position, C.stages)
    q, dout = q_smem.index(stage).reshape([C.bm, C.d]), dout_smem.index(stage).reshape([C.bm, C.d])
    stats = stats_smem.index(stage)
    s, dp = _products(k, q, C), _products(v, dout, C)
    if C.dropout:
        bits = keep_bits(random, lane, m, n, C)
    s = warpgroup_mma_wait(2 if C.narrow else 1, deps=(s,))
    p, sloped = powers(s, stats, biases, read, m, n, masked, keys, shift, window, scale, cap, C)
    if C.dropout:
        dp = warpgroup_mma_wait(0, deps=(dp,))
        p, dp = kept(p, dp, bits, C)
    if C.wide:
        tiles[1].store(p.to(C.operand))
        weights = tiles[1]
    else:
        weights = gl.convert_layout(p.to(C.operand), C.left_layout)
    if not C.dropout:
        dp = warpgroup_mma_wait(0, deps=(dp,))
    dots = stat(stats, 1, C)
    ds = (sloped * (dp - dots)).to(C.operand)
    if C.wide:
        tiles[0].store(ds)
        fence_async_shared()
    dv = warpgroup_mma(weights, dout, dv, is_async=True)
    if C.wide:
        slopes = tiles[0]
    else:
        tiles[0].store(ds)
        fence_async_shared()
        slopes = gl.convert_layout(ds, C.left_layout)
    none = gl.full([C.bm, C.d], 0, gl.float32, C.dq_layout)
    dq = warpgroup_mma(tiles[0].permute([1, 0]), k, none, use_acc=False, is_async=True)
    dk = warpgroup_mma(slopes, q, dk, is_async=True)
    dv, dq, dk = warpgroup_mma_wait(1, deps=(dv, dq, dk))
    add_queries(dq, sums, dq_smem, share, position, block, C)
    dk = warpgroup_mma_wait(0, deps=(dk,))
    mbarrier.arrive(empty.index(stage))
    return dk, dv


@gluon.jit
def _store_keys(x, out, staging, b, kv, first, n, keys, HDIM: gl.constexpr, C: gl.constexpr):
    """Stores a [bn, d] gradient, of HDIM columns, of the keys from n on of a sequence whose first key is `first`.

    `out` is (tensor map, pointer, strides); the pointer is for the last block of a sequence that others follow.
    """
    if C.varlen and n + C.bn > keys:
        key = n + gl.arange(0, C.bn, gl.SliceLayout(1, C.out_layout))
        column = gl.arange(0, C.d, gl.SliceLayout(0, C.out_layout))
        at = (first + key).to(gl.int64)[:, None] * out[2][1] + (kv.to(gl.int64) * out[2][2] + column)[None, :]
        gl.store(out[1] + at, x.to(C.operand), mask=(key < keys)[:, None] & (column < HDIM)[None, :])
    else:
        buffer = staging._reinterpret(C.operand, out[0].block_type.shape, out[0].layout)
        tma.store_wait(0)  # the copy before this one has been read
        buffer.reshape([C.bn, C.d]).store(x.to(C.operand))
        fence_async_shared()
        tma.async_copy_shared_to_global(out[0], [b, kv, first + n, 0], buffer)


@gluon.jit
def _sink_sums(sink_sums, lane, n, sinks, C: gl.constexpr):
    """(dk, dv) of the keys from n on with which the walk begins: what `sink_gradients` summed."""
    padded = (sinks + (C.sink_block - 1)) // C.sink_block * C.sink_block
    key = n + gl.arange(0, C.bn, gl.SliceLayout(1, C.out_layout))[:, None]
    column = gl.arange(0, C.d, gl.SliceLayout(0, C.out_layout))[None, :]
    at = sink_sums + lane.to(gl.int64) * (2 * padded * C.d) + key * C.d + column
    there = (key < padded) & (column >= 0)
    return gl.load(at, mask=there, other=0.0), gl.load(at + padded * C.d, mask=there, other=0.0)


@gluon.jit
def _listed_walk(
    q_smem, k, v, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, resident, sums, share, dk, dv, position,
    read, taken, first, lane, b, kv, n, there, listed, group, keys, shift, window, random, scale, cap, key_blocks,
    blocks, C: gl.constexpr,
):  # fmt: skip
    """(dk, dv, position, blocks of the bias that were read, whether there were blocks of rows) of a block of keys."""
    begun = 0
    for member in range(group):
        here = list_of(b, kv * group + member, n // C.bn, key_blocks, listed)
        for j in range(gl.where(there, gl.load(here), 0)):
            if begun == 0:
                mbarrier.wait(resident, taken & 1)
            begun = 1
            entry = gl.load(here + 1 + j)
            m = entry // 2
            dk, dv = _step(
                q_smem, k, v, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, sums, share, dk, dv,
                position, read, first + member * blocks + m, lane + member, m, n, entry % 2 != 0, keys, shift,
                window, random, scale, cap, C,
            )  # fmt: skip
            position += 1
            read += entry % 2
    return dk, dv, position, read, begun


@gluon.jit
def _consume(
    q_smem, k_smem, v_smem, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, resident, released, sums,
    share, dk_out, dv_out, listed, dropout, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits,
    window, scale, cap, out_scale, keep_factor, items, key_blocks, blocks, shares, order, key_sums, sink_sums,
    C: gl.constexpr,
):  # fmt: skip
    k, v = k_smem.reshape([C.bn, C.d]), v_smem.reshape([C.bn, C.d])
    random = window
    if C.dropout:
        random = (gl.load(dropout[0]), gl.load(dropout[0] + 1), gl.load(dropout[0] + 2), dropout[1])
    position = 0
    taken = 0
    read = 0
    for i in range(count_items(items, C)):
        b, kv, n, there, part, parts = place_of_item(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, k_start, keys = lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        there = there & (n < keys)
        shift = diagonal(rows, keys, C)
        low, whole, high = bounds(n, rows, keys, shift, window, C)
        steps, member, m = walk(there, part, parts, group, low, high, order, C)
        first = first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
        lane = (b * heads_kv + kv) * group
        dk = gl.full([C.bn, C.d], 0, gl.float32, C.out_layout)
        dv = gl.full([C.bn, C.d], 0, gl.float32, C.out_layout)
        begun = steps > 0
        if C.sink_rows and there & (n < window[2]) & (part == 0):
            dk, dv = _sink_sums(sink_sums, b * heads_kv + kv, n, window[2], C)
            begun = there
        if C.bias:
            dk, dv, position, read, steps = _listed_walk(
                q_smem, k, v, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, resident, sums, share, dk,
                dv, position, read, taken, first, lane, b, kv, n, there, listed, group, keys, shift, window, random,
                scale, cap, key_blocks, blocks, C,
            )  # fmt: skip
        else:
            if there if C.direct else steps > 0:
                mbarrier.wait(resident, taken & 1)
            for _ in range(steps):
                dk, dv = _step(
                    q_smem, k, v, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, sums, share, dk, dv,
                    position, read, first + member * blocks + m, lane + member, m, n, m < whole, keys, shift, window,
                    random, scale, cap, C,
                )  # fmt: skip
                position += 1
                member, m = next_rows(member, m, low, high, group, order, C)
        if not C.direct and steps > 0:
            mbarrier.arrive(released)
            taken += 1
        staging = dq_smem
        if C.ordered and not C.direct:  # the gradients take the place of a share that has been read
            staging = dq_smem.index(wait_empty(share[1], position, C.shares_in_flight))
        if C.dropout:
            dv = dv * keep_factor
        if C.shares and (parts > 1) & begun:
            add_keys(dk * out_scale, dv, key_sums, b * heads_kv + kv, n, shares[2], C)
        if there & (parts == 1):
            if C.varlen:
                b = b * 0
            _store_keys(dv, dv_out, v_smem if C.direct else staging, b, kv, k_start, n, keys, C.hdim_v, C)
            scaled = dk * out_scale
            _store_keys(scaled, dk_out, k_smem if C.direct else staging, b, kv, k_start, n, keys, C.hdim, C)
        if C.direct and there:
            tma.store_wait(0)
            gl.thread_barrier()
            mbarrier.arrive(released)
            taken += 1
    tma.store_wait(0)


@gluon.jit
def hopper_gradients(
    q, k, v, dout, stats, sums, turns, bias, dk, dv, dk_end, dv_end, dk_strides, dv_strides, listed, dropout,
    cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits, window, scale, cap, out_scale,
    keep_factor, items, key_blocks, blocks, shares, order, key_sums, sink_sums,
    C: gl.constexpr,
):  # fmt: skip
    """dK and dV of blocks of keys, and their shares of dQ; see the module's text.

    q, k, v, dout, bias, dk and dv are tensor maps; `dk_end` and `dv_end` point to the same gradients. `stats`, `sums`
    and `blocks`: see `prepare_rows`; `listed`: see `list_of`. `dropout` is (generator's state, threshold); `turns`
    counts the shares that were added to each block of rows. `shares` is (items of a key head whose walks are shared,
    programs that share one, blocks of keys of these items), and `key_sums` has their sums. `sink_sums`: see
    `sink_gradients`.
    """
    q_smem = stages_of(q, C.stages)
    dout_smem = stages_of(dout, C.stages)
    stats_smem = stages_of(stats, C.stages)
    k_smem = gl.allocate_shared_memory(k.dtype, k.block_type.shape, k.layout)
    v_smem = gl.allocate_shared_memory(v.dtype, v.block_type.shape, v.layout)
    ds_smem = gl.allocate_shared_memory(q.dtype, [C.bn, C.bm], C.ds_shared)
    tiles = (ds_smem,)
    if C.wide:
        tiles = (ds_smem, gl.allocate_shared_memory(q.dtype, [C.bn, C.bm], C.ds_shared))
    dq_smem = ds_smem
    if C.ordered and not C.direct:
        IN_FLIGHT: gl.constexpr = C.shares_in_flight
        dq_smem = stages_of(sums, IN_FLIGHT)
    elif not C.direct:
        dq_smem = gl.allocate_shared_memory(gl.float32, sums.block_type.shape, sums.layout)
    full, empty = stage_barriers(C.stages, 1)
    resident = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    released = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(resident, count=1)
    mbarrier.init(released, count=1)
    biases = (stats_smem, full, empty)
    if C.bias:
        BIAS_STAGES: gl.constexpr = C.bias_stages
        bias_full, bias_empty = stage_barriers(BIAS_STAGES, 1)
        biases = (stages_of(bias, BIAS_STAGES), bias_full, bias_empty)
    share = (resident, released)
    if C.ordered:
        share = stage_barriers(C.shares_in_flight, 1)
    _specialize(
        _consume, (q_smem, k_smem, v_smem, dout_smem, stats_smem, biases, tiles, dq_smem, full, empty, resident,
                   released, sums, share, (dk, dk_end, dk_strides), (dv, dv_end, dv_strides), listed, dropout,
                   cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits, window, scale, cap,
                   out_scale, keep_factor, items, key_blocks, blocks, shares, order, key_sums, sink_sums, C),
        _produce, (q, k, v, dout, stats, bias, q_smem, k_smem, v_smem, dout_smem, stats_smem, biases, full, empty,
                   resident, released, listed, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits,
                   window, items, key_blocks, blocks, shares, order, C),
        add_in_turn, (sums, dq_smem, share, turns, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k,
                       limits, window, items, key_blocks, blocks, shares, order, C),
        C.ordered,
    )  # fmt: skip
