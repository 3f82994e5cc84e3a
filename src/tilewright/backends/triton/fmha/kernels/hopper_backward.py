"""The backward pass on sm_90: dK, dV and dQ in one walk, five products for each block of rows by keys.

A program takes blocks of bn keys in turn: it holds one in shared memory and sums its dK and dV in registers while it
walks over the rows of all query heads that it serves. One warp reads through TMA, and goes on to the next block while
the last one is stored; two groups of warps multiply. Tiles lie as [keys, rows]: then probabilities and their gradients
are left operands of the products that end in dV and dK as they come, without leaving registers. If heads are wide
(C.wide) registers hold dK and dV of 64 keys only: the groups of warps share them, and these operands lie in shared
memory. dQ is a sum over programs: each adds its share to fp32 sums in memory, in the order in which they happen to
arrive, so the last bits of dQ differ from run to run. If they must not (C.ordered), programs take turns at each block
of rows, in the order in which they reach it (`_walk`); a warp of its own waits for the turn, adds and passes it on.

Several programs may share the walk of a block of keys: the first `shared` items of a key head have `parts` parts each.
Then dK and dV are sums in memory too (`_add_keys`), which `convert_key_sums` turns into the gradients.

With a bias the blocks of rows come from lists (`bias_blocks`): those that see none of the keys are not in them, and the
bias is read only where it changes something.

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

from ...ring import begin, stage_barriers, stages_of, wait_empty, wait_full
from .bias_blocks import bias_of, list_of
from .hopper_logits import keep_bits, kept, powers, stat
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


@_core.builtin
def _specialize(consume, taken, produce, given, add, added, ordered, _semantic=None, _generator=None):
    """Run `consume` in the warps of the kernel beside `produce`, and `add` if it is `ordered`, in one warp each."""
    groups = [(consume, taken), (produce, given)]
    if _core._unwrap_if_constexpr(ordered):
        groups.append((add, added))
    others = len(groups) - 1
    _semantic.warp_specialize(groups, [1] * others, [24] * others, _generator)


@gluon.jit
def _add_registers(at, x):
    """Memory += a tile, by four neighbouring registers at a time; `at` must have them as neighbours."""
    gl.inline_asm_elementwise(
        ADD_FOUR, "=r,=r,=r,=r,l,l,l,l,f,f,f,f", [at.to(gl.int64), x], dtype=gl.int32, is_pure=False, pack=4
    )


@gluon.jit
def _lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C: gl.constexpr):
    """(first row, rows, first key, keys) of sequence b; `limits` are the rows and keys of all sequences."""
    if C.varlen:
        q_start, rows = place_of(cu_seqlens_q, b, limits[0], seqlen_q, C)
        k_start, keys = place_of(cu_seqlens_k, b, limits[1], seqlen_k, C)
        return q_start, rows, k_start, keys
    else:
        return b * 0, seqlen_q + b * 0, b * 0, seqlen_k + b * 0


@gluon.jit
def _first_block(b, head, q_start, heads_q, blocks, C: gl.constexpr):
    """The number of the first block of rows of one head of a sequence; `blocks` is what each head has.

    Where sequences lie one after another, each begins a block of its own.
    """
    if C.varlen:
        return head * blocks + q_start // C.bm + b
    else:
        return (b * heads_q + head) * blocks


@gluon.jit
def _bounds(n, rows, keys, shift, window, C: gl.constexpr):
    """(first block of rows, first one that sees all of these keys, one past the last) for the keys from n on."""
    blocks = (rows + C.bm - 1) // C.bm
    low = blocks * 0
    whole = low
    high = blocks
    if C.right:
        low = gl.minimum(gl.maximum(n - shift - window[1], 0) // C.bm, blocks)
        whole = gl.maximum(n + C.bn - 1 - shift - window[1] + C.bm - 1, 0) // C.bm
    if C.left:
        high = gl.minimum(blocks, gl.maximum(n + C.bn - shift + window[0] + C.bm - 1, 0) // C.bm)
        whole = blocks
    if n + C.bn > keys:
        whole = blocks
    return low, gl.minimum(gl.maximum(whole, low), high), high


@gluon.jit
def _count(items, C: gl.constexpr):
    """How many blocks of keys, or parts of their walks, this program takes."""
    return (items - gl.program_id(0) + gl.num_programs(0) - 1) // gl.num_programs(0) * C.blocks_per_item


@gluon.jit
def _place(i, items, heads_kv, key_blocks, shares, order, C: gl.constexpr):
    """(batch, key head, first key, whether there is one, part, parts) of this program's i-th block of keys.

    Where rows see a part of the keys, blocks come in pairs, the first with the last, so that items are alike. `shares`
    is (items of a key head whose walks are shared, by how many programs). Programs that take turns come with those of
    other key heads between them, so that few of them wait for one another at a time; `order`: see `_walk`.
    """
    item = gl.program_id(0) + i // C.blocks_per_item * gl.num_programs(0)
    per_lane = (key_blocks + C.blocks_per_item - 1) // C.blocks_per_item
    part, parts = item * 0, item * 0 + 1
    if C.shares:
        per_lane += shares[0] * (shares[1] - 1)
    lane, n = item // per_lane, item % per_lane
    if C.shares:
        is_shared = n < shares[0] * shares[1]
        part = gl.where(is_shared, n % shares[1], 0)
        parts = gl.where(is_shared, shares[1], 1)
        n = gl.where(is_shared, n // shares[1], n - shares[0] * (shares[1] - 1))
    if C.ordered:
        per_section = order[0] * key_blocks
        begin = item // per_section * order[0]
        size = gl.minimum(order[0], items // key_blocks - begin)
        lane, n = begin + item % per_section % size, item % per_section // size
        n = gl.where(order[1] != 0, n, key_blocks - 1 - n)
    there = n >= 0
    if C.blocks_per_item == 2:
        last = key_blocks - 1 - n
        there = (i % 2 == 0) | (last != n)
        n = gl.where(i % 2 == 0, n, last)
    return lane // heads_kv, lane % heads_kv, n * C.bn, there, part, parts


@gluon.jit
def _walk(there, part, parts, group, low, high, order, C: gl.constexpr):
    """(steps, head of the group, block of rows) of a part of the walk over blocks low to high of every head.

    `order` is (key heads whose programs come in turn, whether walks begin at the last rows). If they take turns and do,
    the first keys come first, whose walks are the longest under a causal mask, and heads change at each step: so all
    walks of a key head are at the same rows. Else the last keys come first, which are the first to reach a block.
    """
    span = gl.where(there, high - low, 0)
    first, end = part * (group * span) // parts, (part + 1) * (group * span) // parts
    each = gl.maximum(span, 1)
    m = low + first % each
    if C.ordered:
        m = gl.where(order[1] != 0, high - 1, m)
    return end - first, first // each, m


@gluon.jit
def _next_rows(member, m, low, high, group, order, C: gl.constexpr):
    """(head of the group, block of rows) after this one: the next of this head, or the first of the next head."""
    more = m + 1 < high
    if C.ordered:
        same = member + 1 < group
        next_member = gl.where(order[1] != 0, gl.where(same, member + 1, 0), gl.where(more, member, member + 1))
        return next_member, gl.where(order[1] != 0, gl.where(same, m, m - 1), gl.where(more, m + 1, low))
    else:
        return gl.where(more, member, member + 1), gl.where(more, m + 1, low)


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
    for i in range(_count(items, C)):
        b, kv, n, there, part, parts = _place(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, k_start, keys = _lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        low, _, high = _bounds(n, rows, keys, diagonal(rows, keys, C), window, C)
        first = _first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
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
            steps, member, m = _walk(there, part, parts, group, low, high, order, C)
            if C.direct and there:  # also if no row sees them: their gradients will take their place
                _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, k_start + n)
                taken += 1
            for step in range(steps):
                _fetch_rows(maps, rings, position, b, kv * group, member, q_start, m, first, blocks, C)
                position += 1
                member, m = _next_rows(member, m, low, high, group, order, C)
                if not C.direct and step == 0:  # rows need not wait until the keys before these are done with
                    _fetch_keys(k_desc, v_desc, k_smem, v_smem, resident, released, taken, b, kv, k_start + n)
                    taken += 1


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
    """Wait until those before have added their shares of block m of rows, which is number `block`: see `_walk`."""
    before = (keys - 1) // C.bn - n // C.bn
    if C.right:  # see `_bounds`
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
def _add_in_turn(
    sums, dq_smem, share, turns, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k, limits, window, items,
    key_blocks, blocks, shares, order, C: gl.constexpr,
):  # fmt: skip
    """Add each share of dQ when its turn has come. `share` is the (full, empty) barriers of its ring; nothing
    of the way to memory and back is on the way of the warps that multiply. With C.direct those add, and `share` is the
    barriers of (their turn, what they added)."""
    count = 0
    for i in range(_count(items, C)):
        b, kv, n, there, part, parts = _place(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, _, keys = _lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        shift = diagonal(rows, keys, C)
        low, _, high = _bounds(n, rows, keys, shift, window, C)
        first = _first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
        steps, member, m = _walk(there & (n < keys), part, parts, group, low, high, order, C)
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
            member, m = _next_rows(member, m, low, high, group, order, C)


@gluon.jit
def _add_queries(dq, sums, dq_smem, share, position, block, C: gl.constexpr):
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
    _add_queries(dq, sums, dq_smem, share, position, block, C)
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
def _add_keys(dk, dv, key_sums, lane, n, blocks, C: gl.constexpr):
    """Add a part's gradients of the keys from n on; of each key head, `blocks` blocks of keys have sums."""
    at = key_sums + (lane * blocks + n // C.bn).to(gl.int64) * (2 * C.bn * C.d) + _key_fragments(C)
    _add_registers(at, dk)
    _add_registers(at + C.bn * C.d, dv)


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
    for i in range(_count(items, C)):
        b, kv, n, there, part, parts = _place(i, items, heads_kv, key_blocks, shares, order, C)
        q_start, rows, k_start, keys = _lengths(cu_seqlens_q, cu_seqlens_k, b, seqlen_q, seqlen_k, limits, C)
        there = there & (n < keys)
        shift = diagonal(rows, keys, C)
        low, whole, high = _bounds(n, rows, keys, shift, window, C)
        steps, member, m = _walk(there, part, parts, group, low, high, order, C)
        first = _first_block(b, kv * group, q_start, heads_kv * group, blocks, C)
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
                member, m = _next_rows(member, m, low, high, group, order, C)
        if not C.direct and steps > 0:
            mbarrier.arrive(released)
            taken += 1
        staging = dq_smem
        if C.ordered and not C.direct:  # the gradients take the place of a share that has been read
            staging = dq_smem.index(wait_empty(share[1], position, C.shares_in_flight))
        if C.dropout:
            dv = dv * keep_factor
        if C.shares and (parts > 1) & begun:
            _add_keys(dk * out_scale, dv, key_sums, b * heads_kv + kv, n, shares[2], C)
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
        _add_in_turn, (sums, dq_smem, share, turns, cu_seqlens_q, cu_seqlens_k, heads_kv, group, seqlen_q, seqlen_k,
                       limits, window, items, key_blocks, blocks, shares, order, C),
        C.ordered,
    )  # fmt: skip


@gluon.jit
def convert_sums(
    dq_sum, dq, dq_strides, cu_seqlens_q, heads_q, seqlen_q, limits, row_blocks, blocks, out_scale, C: gl.constexpr
):
    """dQ of one block of rows of one head: its sums, scaled, in the gradient's dtype."""
    program = gl.program_id(0)
    m, lane = program % row_blocks, program // row_blocks
    head, b = lane % heads_q, lane // heads_q
    q_start, rows, _, _ = _lengths(cu_seqlens_q, cu_seqlens_q, b, seqlen_q, seqlen_q, limits, C)
    if m * C.bm >= rows:
        return
    x = to_fragments(gl.full([C.bm, C.d], 0, gl.float32, C.dq_layout), C)
    block = _first_block(b, head, q_start, heads_q, blocks, C) + m
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
