"""Attention forward for Hopper: one warp feeds shared memory through TMA, two or three groups of warps work on 64 rows
each.

A group multiplies Q by the next block of keys while the previous block's probabilities, which stay in registers, are
multiplied by their values; between the two it takes the exponentials of the block that has arrived. With `turns` the
groups issue their products one after another, so that one computes exponentials while the others multiply.

Programs walk over tiles (blocks of rows of one head); blocks of keys go from the last to the first, so that those with
a mask come first. With a bias the blocks come from a list that `bias_blocks` has made: those that no row sees are not
in it, and the bias is read only where it changes something. C is a `HopperForwardConfig` throughout.

Accumulators are tuples: of heads of 129 to 192 columns, which lie in tiles of 256, the first 128 and the next 64
columns are multiplied one after another.
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

from ...ring import barriers, begin, specialize, stages_of, wait_full
from .bias_blocks import bias_of, list_of
from .hopper_tiles import announce, draw, following, key_range, place_of_tile
from .logits import LN_2, LOG2_E, safe_maximum
from .place import diagonal

ROWS = gl.constexpr(64)  # of one group of warps
HUGE = gl.constexpr(2.0**126)  # a quarter of the largest number of fp32 and bf16


@gluon.jit
def _fetch_bias(bias, ring, position, b, head, row, n, C: gl.constexpr):
    """A block of the bias, for each group its rows."""
    smem, full, empty = ring
    CONSUMERS: gl.constexpr = C.consumers
    slot, ready = begin(full, empty, position, CONSUMERS * bias.block_type.nbytes, C.bias_stages)
    for g in gl.static_range(CONSUMERS):
        at = [b, head, row + g * ROWS, n * C.bn]
        tma.async_copy_global_to_shared(bias, at, ready, smem.index(slot * CONSUMERS + g))


@gluon.jit
def _fetch(desc, ring, position, b, head, row, C: gl.constexpr):
    """Wait until the ring's place `position` is empty, then fill it."""
    smem, full, empty = ring
    stage, ready = begin(full, empty, position, desc.block_type.nbytes, C.stages)
    tma.async_copy_global_to_shared(desc, [b, head, row, 0], ready, smem.index(stage))


@gluon.jit
def _produce(
    q, k, v, bias, queries, keys, values, biases, drawn, counter, listed, heads_q, group, seqlen_q, seqlen_k, window,
    walk, C: gl.constexpr,
):  # fmt: skip
    q_smem, q_full, q_empty = queries
    tiles, blocks, lanes, section = walk
    CONSUMERS: gl.constexpr = C.consumers
    shift = diagonal(seqlen_q, seqlen_k, C)
    position = 0
    read = 0  # blocks of the bias
    done = 0
    tile = gl.program_id(0)
    while tile < tiles:
        m, lane = place_of_tile(tile, blocks, lanes, section)
        head, b = lane % heads_q, lane // heads_q
        kv = head // group
        low, _, _, high = key_range(m, seqlen_q, seqlen_k, shift, window, C)
        slot, ready = begin(q_full, q_empty, done, CONSUMERS * q.block_type.nbytes, C.q_stages)
        for g in gl.static_range(CONSUMERS):
            tma.async_copy_global_to_shared(
                q, [b, head, m * C.bm + g * ROWS, 0], ready, q_smem.index(slot * CONSUMERS + g)
            )
        # A group wants the next block of keys before the values of this one.
        if C.bias:
            here = list_of(b, head, m, blocks, listed)
            bias_b, bias_head = bias_of(b, head, listed)
            count = gl.load(here)
            before = 0
            for j in range(count):
                entry = gl.load(here + 1 + j)
                n = entry // 2
                _fetch(k, keys, position + j, b, kv, n * C.bn, C)
                if j > 0:
                    _fetch(v, values, position + j - 1, b, kv, before * C.bn, C)
                if entry % 2 != 0:
                    _fetch_bias(bias, biases, read, bias_b, bias_head, m * C.bm, n, C)
                    read += 1
                before = n
            position += count
            _fetch(v, values, position - 1, b, kv, before * C.bn, C)
        else:
            _fetch(k, keys, position, b, kv, (high - 1) * C.bn, C)
            for j in range(1, high - low):
                _fetch(k, keys, position + j, b, kv, (high - 1 - j) * C.bn, C)
                _fetch(v, values, position + j - 1, b, kv, (high - j) * C.bn, C)
            position += high - low
            _fetch(v, values, position - 1, b, kv, low * C.bn, C)
        if C.dynamic:  # now, while the groups still have blocks to work on: a draw takes a while
            tile = draw(counter, tiles)
            announce(tile, drawn, done)
        else:
            tile += gl.num_programs(0)
        done += 1


@gluon.jit
def _scores(q, keys, position, C: gl.constexpr):
    """The products of a group's rows with a block of keys, under way."""
    stage = wait_full(keys[1], position, C.stages)
    zero = gl.full([ROWS, C.bn], 0, gl.float32, C.score_layout)
    k = keys[0].index(stage).reshape([C.bn, C.dq])
    if C.narrow_q:
        s = warpgroup_mma(q.slice(0, 128, 1), k.slice(0, 128, 1).permute([1, 0]), zero, use_acc=False, is_async=True)
        return warpgroup_mma(q.slice(128, 64, 1), k.slice(128, 64, 1).permute([1, 0]), s, is_async=True)
    else:
        return warpgroup_mma(q, k.permute([1, 0]), zero, use_acc=False, is_async=True)


@gluon.jit
def _weigh(p, values, acc, position, C: gl.constexpr):
    """The accumulator plus probabilities times values, under way."""
    stage = wait_full(values[1], position, C.stages)
    v = values[0].index(stage).reshape([C.bn, C.dv])
    if C.narrow_v:
        rest = gl.convert_layout(p, gl.DotOperandLayout(0, C.rest_layout, 2), assert_trivial=True)
        first = warpgroup_mma(p, v.slice(0, 128, 1), acc[0], is_async=True)
        return first, warpgroup_mma(rest, v.slice(128, 64, 1), acc[1], is_async=True)
    else:
        return (warpgroup_mma(p, v, acc[0], is_async=True),)


@gluon.jit
def _nothing(C: gl.constexpr):
    """An accumulator of zeros."""
    if C.narrow_v:
        first = gl.full([ROWS, 128], 0, gl.float32, C.out_layout)
        return first, gl.full([ROWS, 64], 0, gl.float32, C.rest_layout)
    else:
        return (gl.full([ROWS, C.dv], 0, gl.float32, C.out_layout),)


@gluon.jit
def _times(acc, factor, C: gl.constexpr):
    """An accumulator times a number of each row."""
    first = acc[0] * gl.convert_layout(factor, gl.SliceLayout(1, C.out_layout))[:, None]
    if C.narrow_v:
        return first, acc[1] * gl.convert_layout(factor, gl.SliceLayout(1, C.rest_layout))[:, None]
    else:
        return (first,)


@gluon.jit
def _masked(s, row, n, seqlen_k, shift, window, C: gl.constexpr):
    """Scores with a block of keys, -inf where a row does not see a key. Rows past the last one are never stored."""
    key = (n * C.bn + gl.arange(0, C.bn, gl.SliceLayout(0, C.score_layout)))[None, :]
    last = row * 0 + (seqlen_k - 1)
    if C.right:
        last = gl.minimum(row + (shift + window[1]), seqlen_k - 1)
    seen = key <= last[:, None]
    if C.left:
        seen = seen & (key >= (row + (shift - window[0]))[:, None])
    return gl.where(seen, s, float("-inf"))


@gluon.jit
def _row_sums(p, C: gl.constexpr):
    """What each thread holds of its rows' sums: [rows, threads of a row]."""
    return gl.sum(gl.sum(p.reshape([ROWS, C.bn // 8, 4, 2]), 3), 1)


@gluon.jit
def _row_max(s, C: gl.constexpr):
    """The largest score of each row, by a tree inside each thread: its depth is waited for."""
    x = gl.max(gl.max(s.reshape([ROWS, C.bn // 32, 4, 4, 2]), 4), 2)
    return gl.convert_layout(gl.max(gl.max(x, 1), 1), gl.SliceLayout(1, C.score_layout))


@gluon.jit
def _powers(s, top, scale, C: gl.constexpr):
    """(probabilities relative to the new maximum, that maximum, what earlier results shrink by)."""
    new = gl.maximum(top, _row_max(s, C) * scale)
    safe = safe_maximum(new)
    return gl.exp2(s * scale - safe[:, None]), new, gl.exp2(top - safe)


@gluon.jit
def _biased(s, biases, read, which: gl.constexpr, row, n, seqlen_k, shift, window, scale, C: gl.constexpr):
    """Logits with a block of keys in units of log 2.

    Products with log2(e) of the most negative numbers of bf16 would be -inf, which they are not: among them only the
    order counts, and the other line, which is the higher one there, is exact.
    """
    slot = wait_full(biases[1], read, C.bias_stages)
    x = biases[0].index(slot * C.consumers + which).reshape([ROWS, C.bn]).load(C.score_layout).to(gl.float32)
    mbarrier.arrive(biases[2].index(slot))
    if C.operand == gl.bfloat16:
        x = gl.maximum(x * LOG2_E, 0.5 * x - HUGE)
    else:
        x = x * LOG2_E
    s = s * scale + x
    if C.left or C.right or (n + 1) * C.bn > seqlen_k:
        s = _masked(s, row, n, seqlen_k, shift, window, C)
    return s


@gluon.jit
def _natural(top, C: gl.constexpr):
    """A maximum in units of log 2 as a natural logarithm; undoes what `_biased` does to the most negative numbers."""
    if C.bias:
        return gl.minimum(top * LN_2, 2.0 * (top + HUGE))
    else:
        return top * LN_2


@gluon.jit
def _listed_powers(
    s, top, entry, biases, read, which: gl.constexpr, row, seqlen_k, shift, window, scale, C: gl.constexpr
):
    """`_powers` of a block from a list, and how many blocks of the bias have been read."""
    if entry % 2 != 0:
        x = _biased(s, biases, read, which, row, entry // 2, seqlen_k, shift, window, scale, C)
        x, new, shrink = _powers(x, top, 1.0, C)
        read += 1
    else:
        x, new, shrink = _powers(s, top, scale, C)
    return x, new, shrink, read


@gluon.jit
def _listed_walk(
    q, keys, values, biases, turns, row, here, position, read, which: gl.constexpr, seqlen_k, shift, window, scale,
    C: gl.constexpr,
):  # fmt: skip
    """`_walk` over the blocks of a list; also how many blocks of the bias have been read."""
    count = gl.load(here)
    entry = gl.load(here + 1)
    _wait_turn(turns, position, which, C)
    s = _scores(q, keys, position, C)
    _pass_turn(turns, which, C)
    s = warpgroup_mma_wait(0, deps=(s,))
    mbarrier.arrive(keys[2].index(position % C.stages))
    position += 1
    top = gl.full([ROWS], float("-inf"), gl.float32, gl.SliceLayout(1, C.score_layout))
    x, top, _, read = _listed_powers(s, top, entry, biases, read, which, row, seqlen_k, shift, window, scale, C)
    total = _row_sums(x, C)
    p = gl.convert_layout(x.to(C.operand), C.p_layout)
    acc = _nothing(C)
    for j in range(1, count):
        entry = gl.load(here + 1 + j)
        _wait_turn(turns, position, which, C)
        s = _scores(q, keys, position, C)
        acc = _weigh(p, values, acc, position - 1, C)
        _pass_turn(turns, which, C)
        s = warpgroup_mma_wait(2 if C.narrow_v else 1, deps=(s,))
        mbarrier.arrive(keys[2].index(position % C.stages))
        x, top, shrink, read = _listed_powers(
            s, top, entry, biases, read, which, row, seqlen_k, shift, window, scale, C
        )
        total, acc, p = _weighed(total, acc, p, x, shrink, values, position, C)
        position += 1
    return acc, total, top, p, position, read


@gluon.jit
def _weighed(total, acc, p, x, shrink, values, position, C: gl.constexpr):
    """(sums, accumulator, probabilities) once the products with the block before are done."""
    total = total * gl.convert_layout(shrink, gl.SliceLayout(1, total.type.layout))[:, None] + _row_sums(x, C)
    # These values are here already. Waiting once more ends a basic block: the compiler of the assembly would else
    # move the wait for the products before the exponentials, which are to run meanwhile.
    stage = wait_full(values[1], position - 1, C.stages)
    if C.narrow_v:
        first, rest, p, x = warpgroup_mma_wait(0, deps=(acc[0], acc[1], p, x))
        acc = (first, rest)
    else:
        first, p, x = warpgroup_mma_wait(0, deps=(acc[0], p, x))
        acc = (first,)
    mbarrier.arrive(values[2].index(stage))
    acc = _times(acc, shrink, C)
    return total, acc, gl.convert_layout(x.to(C.operand), C.p_layout)


@gluon.jit
def _steps(
    acc, total, top, p, n, count, position, which: gl.constexpr, q, keys, values, turns, row, seqlen_k,
    shift, window, scale, MASKED: gl.constexpr, C: gl.constexpr,
):  # fmt: skip
    """`count` blocks of keys downward from n; p belongs to the block before the first of them."""
    for j in range(count):
        _wait_turn(turns, position, which, C)
        s = _scores(q, keys, position, C)
        acc = _weigh(p, values, acc, position - 1, C)
        _pass_turn(turns, which, C)
        s = warpgroup_mma_wait(2 if C.narrow_v else 1, deps=(s,))
        mbarrier.arrive(keys[2].index(position % C.stages))
        if MASKED:
            s = _masked(s, row, n - j, seqlen_k, shift, window, C)
        x, top, shrink = _powers(s, top, scale, C)
        total, acc, p = _weighed(total, acc, p, x, shrink, values, position, C)
        position += 1
    return acc, total, top, p, position


@gluon.jit
def _finish(
    acc, total, top, m, lane, which: gl.constexpr, out, out_smem, lse, lse_strides, heads_q, seqlen_q, C: gl.constexpr
):
    """Divide by the sums, and store a group's rows and their LSE."""
    sums = gl.sum(total, 1)
    sums = gl.convert_layout(sums, gl.SliceLayout(1, C.out_layout))
    nothing = sums == 0.0
    acc = _times(acc, 1.0 / gl.where(nothing, 1.0, sums), C)
    head, b = lane % heads_q, lane // heads_q
    first = m * C.bm + which * ROWS
    tma.store_wait(0)  # the buffer's last copy has been read
    rows = out_smem.index(which).reshape([ROWS, C.dv])
    if C.narrow_v:
        rows.slice(0, 128, 1).store(acc[0].to(C.out))
        rows.slice(128, 64, 1).store(acc[1].to(C.out))
    else:
        rows.store(acc[0].to(C.out))
    fence_async_shared()
    tma.async_copy_shared_to_global(out, [b, head, first, 0], out_smem.index(which))
    if C.lse:
        top = gl.convert_layout(top, gl.SliceLayout(1, C.out_layout))
        log_sum = gl.where(nothing, float("-inf"), _natural(top, C) + gl.log2(gl.where(nothing, 1.0, sums)) * LN_2)
        row = first + gl.arange(0, ROWS, gl.SliceLayout(1, C.out_layout))
        at = b.to(gl.int64) * lse_strides[0] + head.to(gl.int64) * lse_strides[1]
        gl.store(lse + at + row.to(gl.int64) * lse_strides[2], log_sum, mask=row < seqlen_q)


@gluon.jit
def _wait_turn(turns, position, which: gl.constexpr, C: gl.constexpr):
    """Wait until the group before has issued its products; the first group's first wait is for nobody."""
    if C.turns:
        mbarrier.wait(turns.index(which), (position & 1) ^ (1 if which == 0 else 0))


@gluon.jit
def _pass_turn(turns, which: gl.constexpr, C: gl.constexpr):
    if C.turns:
        mbarrier.arrive(turns.index((which + 1) % C.consumers))


@gluon.jit
def _walk(
    q, keys, values, turns, row, bounds, position, which: gl.constexpr, seqlen_k, shift, window, scale, C: gl.constexpr
):
    """(accumulator, sum, maximum, probabilities of the last block, position) of a tile. The products with the values of
    its last block are still to be done."""
    low, full_low, full_high, high = bounds
    _wait_turn(turns, position, which, C)
    s = _scores(q, keys, position, C)
    _pass_turn(turns, which, C)
    s = warpgroup_mma_wait(0, deps=(s,))
    mbarrier.arrive(keys[2].index(position % C.stages))
    position += 1
    if (high > full_high) | (full_low >= high):
        s = _masked(s, row, high - 1, seqlen_k, shift, window, C)
    top = gl.full([ROWS], float("-inf"), gl.float32, gl.SliceLayout(1, C.score_layout))
    x, top, _ = _powers(s, top, scale, C)
    total = _row_sums(x, C)
    p = gl.convert_layout(x.to(C.operand), C.p_layout)
    acc = _nothing(C)
    n = high - 2
    if C.right:
        count = gl.maximum(n + 1 - gl.maximum(full_high, low), 0)
        acc, total, top, p, position = _steps(
            acc, total, top, p, n, count, position, which, q, keys, values, turns, row, seqlen_k, shift, window, scale,
            True, C,
        )  # fmt: skip
        n -= count
    count = gl.maximum(n + 1 - full_low, 0)
    acc, total, top, p, position = _steps(
        acc, total, top, p, n, count, position, which, q, keys, values, turns, row, seqlen_k, shift, window, scale,
        False, C,
    )  # fmt: skip
    if C.left:
        n -= count
        acc, total, top, p, position = _steps(
            acc, total, top, p, n, gl.maximum(n + 1 - low, 0), position, which, q, keys, values, turns, row, seqlen_k,
            shift, window, scale, True, C,
        )  # fmt: skip
    return acc, total, top, p, position


@gluon.jit
def _consume(
    which: gl.constexpr, queries, keys, values, biases, turns, drawn, out_smem, out, lse, lse_strides, listed, heads_q,
    seqlen_q, seqlen_k, window, scale, walk, C: gl.constexpr,
):  # fmt: skip
    tiles, blocks, lanes, section = walk
    shift = diagonal(seqlen_q, seqlen_k, C)
    position = 0
    read = 0
    done = 0
    tile = gl.program_id(0)
    while tile < tiles:
        m, lane = place_of_tile(tile, blocks, lanes, section)
        bounds = key_range(m, seqlen_q, seqlen_k, shift, window, C)
        row = m * C.bm + which * ROWS + gl.arange(0, ROWS, gl.SliceLayout(1, C.score_layout))
        slot = wait_full(queries[1], done, C.q_stages)
        q = queries[0].index(slot * C.consumers + which).reshape([ROWS, C.dq])
        if C.bias:
            here = list_of(lane // heads_q, lane % heads_q, m, blocks, listed)
            acc, total, top, p, position, read = _listed_walk(
                q, keys, values, biases, turns, row, here, position, read, which, seqlen_k, shift, window, scale, C
            )
        else:
            acc, total, top, p, position = _walk(
                q, keys, values, turns, row, bounds, position, which, seqlen_k, shift, window, scale, C
            )
        if not C.replace:
            mbarrier.arrive(queries[2].index(slot))
        acc = _weigh(p, values, acc, position - 1, C)
        tile = following(tile, drawn, done, C)
        if C.narrow_v:
            first, rest, p = warpgroup_mma_wait(0, deps=(acc[0], acc[1], p))
            acc = (first, rest)
        else:
            first, p = warpgroup_mma_wait(0, deps=(acc[0], p))
            acc = (first,)
        mbarrier.arrive(values[2].index((position - 1) % C.stages))
        _finish(acc, total, top, m, lane, which, out, out_smem, lse, lse_strides, heads_q, seqlen_q, C)
        if C.replace:
            tma.store_wait(0)
            mbarrier.arrive(queries[2].index(slot))
        done += 1
    tma.store_wait(0)


@gluon.jit
def hopper_forward(
    q, k, v, out, bias, lse, lse_strides, listed, counter, heads_q, group, seqlen_q, seqlen_k, window,
    scale, tiles, blocks, lanes, section, C: gl.constexpr,
):  # fmt: skip
    """Tensor maps q, k, v and out are [batch, head, row, column], that of the bias [batch, head, row, key]; lse strides
    are (batch, head, row). `listed`: see `list_of`."""
    STAGES: gl.constexpr = C.stages
    CONSUMERS: gl.constexpr = C.consumers
    Q_STAGES: gl.constexpr = C.q_stages
    q_smem = stages_of(q, Q_STAGES * CONSUMERS)
    k_smem = stages_of(k, STAGES)
    v_smem = stages_of(v, STAGES)
    out_smem = q_smem
    if not C.replace:
        out_smem = stages_of(out, CONSUMERS)
    queries = (q_smem, barriers(Q_STAGES, 1), barriers(Q_STAGES, CONSUMERS))
    keys = (k_smem, barriers(STAGES, 1), barriers(STAGES, CONSUMERS))
    values = (v_smem, barriers(STAGES, 1), barriers(STAGES, CONSUMERS))
    turns = barriers(CONSUMERS, 1)
    biases = values
    if C.bias:
        BIAS_STAGES: gl.constexpr = C.bias_stages
        biases = (stages_of(bias, BIAS_STAGES * CONSUMERS), barriers(BIAS_STAGES, 1), barriers(BIAS_STAGES, CONSUMERS))
    drawn = (turns, turns, turns)
    if C.dynamic:
        tile_smem = gl.allocate_shared_memory(gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        drawn = (tile_smem, barriers(2, 1), barriers(2, CONSUMERS))
    walk = (tiles, blocks, lanes, section)
    specialize(
        _produce,
        (q, k, v, bias, queries, keys, values, biases, drawn, counter, listed, heads_q, group, seqlen_q, seqlen_k,
         window, walk, C),
        _consume,
        (queries, keys, values, biases, turns, drawn, out_smem, out, lse, lse_strides, listed, heads_q, seqlen_q,
         seqlen_k, window, scale, walk, C),
        C.consumers, 24,
    )  # fmt: skip
