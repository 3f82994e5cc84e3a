"""Attention backward: dot(dO, O), then dK and dV, then dQ, each by programs that own what they write.

Nothing is added atomically, so results are the same in every run, and every gradient is written in its own dtype: no
sum has to be converted afterwards. Probabilities are recomputed from the LSE. C is an `FmhaConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .logits import LN_2, LOG2_E, biased, capped, keep_tile, powers, safe_lse, visible
from .place import diagonal, key_place, load_keys, load_rows, query_place, row_at, store_rows

FAR = tl.constexpr(1024.0)


@triton.jit
def _dots(out, dout, out_strides, dout_strides, far, at, head, there, C: tl.constexpr):
    """dot(dO, O) of rows, in fp32."""
    x = load_rows(out, row_at(out_strides, far, at, head), there, C.hdim_v, C.dv)
    y = load_rows(dout, row_at(dout_strides, far, at, head), there, C.hdim_v, C.dv)
    return tl.sum(x.to(tl.float32) * y.to(tl.float32), 1)


@triton.jit
def row_dots(
    out, dout, delta, cu_seqlens_q, out_strides, dout_strides, delta_strides, heads_q, seqlen_q, limits,
    blocks, C: tl.constexpr,
):  # fmt: skip
    """delta = sum over a head's columns of dO * O, in fp32; one program per block of rows of one head."""
    program = tl.program_id(0)
    m, lane = program % blocks, program // blocks
    head, b = (lane % heads_q).to(tl.int64), lane // heads_q
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    row = m * C.bm + tl.arange(0, C.bm)
    far, there, at = b.to(tl.int64), row < rows, (q_start + row).to(tl.int64)
    dots = _dots(out, dout, out_strides, dout_strides, far, at, head, there, C)
    tl.store(delta + far * delta_strides[0] + head * delta_strides[1] + at * delta_strides[2], dots, mask=there)


@triton.jit
def prepare_rows(
    out, dout, lse, factor, stats, dq_sum, key_sums, cu_seqlens_q, out_strides, dout_strides, lse_strides, heads_q,
    seqlen_q, limits, keep_factor, turns, row_blocks, blocks, zeros, C: tl.constexpr,
):  # fmt: skip
    """What `hopper_gradients` reads of a block of rows: the LSE in units of log 2, then dot(dO, O); and zero sums.

    The LSE of rows that are not there, or that see no key, is infinite: their probabilities come out as zero. Every
    head has `blocks` blocks; where sequences lie one after another, each of them begins a block of its own.

    With a bias for each element `lse` and `factor` are the natural numbers that `row_origins` left, and blocks have
    room for four numbers of a row. With dropout dots are divided by `keep_factor`, by which gradients are multiplied.
    `turns`, if given, counts the shares of a block of rows. `key_sums`, if given, has `zeros` tiles of sums of dK, dV.
    """
    program = tl.program_id(0)
    each = tl.arange(0, C.bm * C.dq)
    if key_sums is not None:
        for tile in range(program, zeros, tl.num_programs(0)):
            tl.store(key_sums + tl.cast(tile, tl.int64) * (C.bm * C.dq) + each, tl.zeros((C.bm * C.dq,), tl.float32))
    m, lane = program % row_blocks, program // row_blocks
    h, b = lane % heads_q, lane // heads_q
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    if m * C.bm >= rows:
        return
    block = lane * blocks + m
    if C.varlen:
        block = h * blocks + q_start // C.bm + b + m
    inside = tl.arange(0, C.bm)
    row = m * C.bm + inside
    there, at, head, far = row < rows, (q_start + row).to(tl.int64), h.to(tl.int64), b.to(tl.int64)
    dots = _dots(out, dout, out_strides, dout_strides, far, at, head, there, C)
    lse += far * lse_strides[0] + head * lse_strides[1]
    log_sum = tl.load(lse + at * lse_strides[2], mask=there, other=float("inf"))
    if C.dropout:
        dots = dots / keep_factor
    if C.bias == "elementwise":
        factor += far * lse_strides[0] + head * lse_strides[1]
        share = tl.load(factor + at * lse_strides[2], mask=there, other=0.0)
        stats += block.to(tl.int64) * (4 * C.bm)
        tl.store(stats + inside, safe_lse(log_sum))
        tl.store(stats + 2 * C.bm + inside, share)
    else:
        stats += block.to(tl.int64) * (2 * C.bm)
        tl.store(stats + inside, safe_lse(log_sum) * LOG2_E)
    tl.store(stats + C.bm + inside, dots)
    if turns is not None:
        tl.store(turns + block, 0)
    tl.store(dq_sum + block.to(tl.int64) * (C.bm * C.dq) + each, tl.zeros((C.bm * C.dq,), tl.float32))


@triton.jit
def row_origins(
    q, k, lse, origin, factor, bias, cu_seqlens_q, index, q_strides, k_strides, lse_strides, delta_strides,
    bias_strides, heads_q, group, seqlen_q, seqlen_k, limits, window, scale, cap, blocks, C: tl.constexpr,
):  # fmt: skip
    """What to subtract from the logits of a row, and what the powers are multiplied by: the LSE, and 1.

    An LSE of -1e9 has no room for the logarithm of a sum: for rows whose LSE is far from 0, as masks make them that
    hide every key by a large number, these are the maximum and one over the sum, which are computed once more.
    """
    program = tl.program_id(0)
    m, lane = program % blocks * C.bm, program // blocks
    head, b = lane % heads_q, lane // heads_q
    far, h = b.to(tl.int64), (head // group).to(tl.int64)
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    k_start, keys = key_place(index, b, seqlen_k, limits, C)
    if m >= rows:
        return
    row = m + tl.arange(0, C.bm)
    there, at = row < rows, (q_start + row).to(tl.int64)
    lse += far * lse_strides[0] + head.to(tl.int64) * lse_strides[1]
    log_sum = tl.load(lse + at * lse_strides[2], mask=there, other=0.0)
    is_far = (tl.abs(log_sum) > FAR) & (tl.abs(log_sum) < float("inf"))
    top = tl.full((C.bm,), float("-inf"), tl.float32)
    total = tl.full((C.bm,), 0.0, tl.float32)
    if tl.max(is_far.to(tl.int32), 0) > 0:
        k += row_at(k_strides, far, k_start, h)
        q_tile = load_rows(q, row_at(q_strides, far, at, head.to(tl.int64)), there, C.hdim_q, C.dq)
        shift = diagonal(rows, keys, C)
        for n in tl.range(0, keys, C.bn):
            key = (n + tl.arange(0, C.bn))[None, :]
            k_tile = load_keys(k, k_strides, None, n, keys, C.hdim_q, C.dq, True, C)
            s = tl.dot(q_tile, tl.trans(k_tile), input_precision=C.precision)
            s, _ = capped(s * scale, cap, C)
            s = biased(s, row[:, None], key, b, head, q_start, rows, keys, shift, bias, bias_strides, C)
            s = tl.where(visible(row[:, None], key, rows, keys, shift, window, C), s, float("-inf"))
            p, top, shrink = powers(s, top, scale, C)
            total = total * shrink + tl.sum(p, 1)
    at = far * delta_strides[0] + head.to(tl.int64) * delta_strides[1] + at * delta_strides[2]
    tl.store(origin + at, tl.where(is_far, top, log_sum), mask=there)
    tl.store(factor + at, tl.where(is_far, 1.0 / tl.where(is_far, total, 1.0), 1.0), mask=there)


@triton.jit
def _score_gradient(
    s, dp, keep, row, key, b, head, q_start, rows, keys, shift, window, scale, cap, bias, bias_strides, log_sum, share,
    dots, keep_factor, C: tl.constexpr,
):  # fmt: skip
    """(weights that multiply V, gradient of the logits, gradient of the scaled scores) of one tile, either way round.

    The gradient of the logits is the gradient of the bias; the soft cap is between the scores and the logits.

    `row` and `key` broadcast to the tile, as do `log_sum`, `share` (see `row_origins`) and `dots`; `keep` is None
    without dropout.
    """
    s, slope = capped(s * scale, cap, C)
    s = biased(s, row, key, b, head, q_start, rows, keys, shift, bias, bias_strides, C)
    p = tl.exp2((s - safe_lse(log_sum)) * LOG2_E)
    if C.bias == "elementwise":
        p = p * share
    p = tl.where(visible(row, key, rows, keys, shift, window, C), p, 0.0)
    weights = p
    if C.dropout:
        weights = tl.where(keep, p * keep_factor, 0.0)
        dp = tl.where(keep, dp * keep_factor, 0.0)
    ds = p * (dp - dots)
    return weights, ds, ds * slope


@triton.jit
def _row_tiles(
    q, dout, lse, factor, delta, q_strides, dout_strides, lse_strides, delta_strides, far, head, q_start, m, rows,
    C: tl.constexpr,
):  # fmt: skip
    """(q, dO, lse, share, dots) of the rows m .. m + bm of one head. Only the base has 64 bits: registers are few."""
    inside = tl.arange(0, C.bm)
    there, at, h = m + inside < rows, tl.cast(q_start + m, tl.int64), head.to(tl.int64)
    q += row_at(q_strides, far, at, h)
    q_tile = load_rows(q, inside * tl.cast(q_strides[1], tl.int32), there, C.hdim_q, C.dq)
    dout += row_at(dout_strides, far, at, h)
    dout_tile = load_rows(dout, inside * tl.cast(dout_strides[1], tl.int32), there, C.hdim_v, C.dv)
    lse += far * lse_strides[0] + h * lse_strides[1] + at * lse_strides[2]
    delta += far * delta_strides[0] + h * delta_strides[1] + at * delta_strides[2]
    log_sum = tl.load(lse + inside * tl.cast(lse_strides[2], tl.int32), mask=there, other=0.0)
    share = log_sum
    if C.bias == "elementwise":
        factor += far * delta_strides[0] + h * delta_strides[1] + at * delta_strides[2]
        share = tl.load(factor + inside, mask=there, other=0.0)
    return q_tile, dout_tile, log_sum, share, tl.load(delta + inside, mask=there, other=0.0)


@triton.jit
def key_gradients(
    q, k, v, dout, lse, factor, delta, dk, dv, bias, cu_seqlens_q, index, dropout, q_strides, k_strides, v_strides,
    dout_strides, lse_strides, delta_strides, dk_strides, dv_strides, bias_strides, heads_q, group, seqlen_q, seqlen_k,
    limits, window, scale, cap, keep_factor, blocks, C: tl.constexpr,
):  # fmt: skip
    """dK and dV of one block of keys of one head: a walk over the rows of all query heads that it serves.

    Tiles lie as [keys, rows]: then both products that end in dK and dV take them as their left operand.
    """
    program = tl.program_id(0)
    lane, heads_kv = program // blocks, heads_q // group
    n, kv, b = program % blocks * C.bn, lane % heads_kv, lane // heads_kv
    far, h = b.to(tl.int64), kv.to(tl.int64)
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    k_start, keys = key_place(index, b, seqlen_k, limits, C)
    if n >= keys:
        return
    k += row_at(k_strides, far, k_start, h)
    v += row_at(v_strides, far, k_start, h)
    k_tile = load_keys(k, k_strides, None, n, keys, C.hdim_q, C.dq, True, C)
    v_tile = load_keys(v, v_strides, None, n, keys, C.hdim_v, C.dv, True, C)
    key = n + tl.arange(0, C.bn)
    shift = diagonal(rows, keys, C)
    low = tl.full((), 0, tl.int32)
    high = rows
    if C.right:
        low = tl.maximum(n - shift - window[1], 0) // C.bm * C.bm
    if C.left:
        bound = n + C.bn - shift + window[0]
        if C.sink:
            bound = tl.where(n < window[2], rows, bound)
        high = tl.maximum(tl.minimum(rows, bound), 0)
    dk_tile = tl.full((C.bn, C.dq), 0.0, tl.float32)
    dv_tile = tl.full((C.bn, C.dv), 0.0, tl.float32)
    for member in range(group):
        head = kv * group + member
        for m in tl.range(low, high, C.bm):
            row = m + tl.arange(0, C.bm)
            q_tile, dout_tile, log_sum, share, dots = _row_tiles(
                q, dout, lse, factor, delta, q_strides, dout_strides, lse_strides, delta_strides, far, head, q_start, m,
                rows, C,
            )  # fmt: skip
            s = tl.dot(k_tile, tl.trans(q_tile), input_precision=C.precision)
            dp = tl.dot(v_tile, tl.trans(dout_tile), input_precision=C.precision)
            keep = None
            if C.dropout:
                keep = tl.trans(keep_tile(dropout[0], dropout[1], b * heads_q + head, row[:, None], n, C))
            weights, _, ds = _score_gradient(
                s, dp, keep, row[None, :], key[:, None], b, head, q_start, rows, keys, shift, window, scale, cap,
                bias, bias_strides, log_sum[None, :], share[None, :], dots[None, :], keep_factor, C,
            )  # fmt: skip
            dv_tile = tl.dot(weights.to(C.operand), dout_tile, dv_tile, input_precision=C.precision)
            dk_tile = tl.dot(ds.to(C.operand), q_tile, dk_tile, input_precision=C.precision)
    there, at = key < keys, (k_start + key).to(tl.int64)
    store_rows(dk, row_at(dk_strides, far, at, h), there, dk_tile * scale, C.hdim_q, C.dq)
    store_rows(dv, row_at(dv_strides, far, at, h), there, dv_tile, C.hdim_v, C.dv)


@triton.jit
def query_gradients(
    q, k, v, dout, lse, factor, delta, dq, bias, cu_seqlens_q, index, dropout, q_strides, k_strides, v_strides,
    dout_strides, lse_strides, delta_strides, dq_strides, bias_strides, heads_q, group, seqlen_q, seqlen_k, limits,
    window, scale, cap, keep_factor, blocks, C: tl.constexpr,
):  # fmt: skip
    """dQ of one block of rows of one head: a walk over the keys that it sees."""
    program = tl.program_id(0)
    m, lane = program % blocks * C.bm, program // blocks
    head, b = lane % heads_q, lane // heads_q
    far, h = b.to(tl.int64), (head // group).to(tl.int64)
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    k_start, keys = key_place(index, b, seqlen_k, limits, C)
    if m >= rows:
        return
    k += row_at(k_strides, far, k_start, h)
    v += row_at(v_strides, far, k_start, h)
    row = m + tl.arange(0, C.bm)
    q_tile, dout_tile, log_sum, share, dots = _row_tiles(
        q, dout, lse, factor, delta, q_strides, dout_strides, lse_strides, delta_strides, far, head, q_start, m, rows, C
    )
    shift = diagonal(rows, keys, C)
    low = tl.full((), 0, tl.int32)
    high = keys
    if C.right:
        high = tl.maximum(tl.minimum(keys, m + C.bm + shift + window[1]), 0)
    if C.left and not C.sink:
        low = tl.maximum(m + shift - window[0], 0) // C.bn * C.bn
    dq_tile = tl.full((C.bm, C.dq), 0.0, tl.float32)
    for n in tl.range(low, high, C.bn):
        k_tile = load_keys(k, k_strides, None, n, keys, C.hdim_q, C.dq, True, C)
        v_tile = load_keys(v, v_strides, None, n, keys, C.hdim_v, C.dv, True, C)
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision=C.precision)
        dp = tl.dot(dout_tile, tl.trans(v_tile), input_precision=C.precision)
        keep = None
        if C.dropout:
            keep = keep_tile(dropout[0], dropout[1], b * heads_q + head, row[:, None], n, C)
        key = n + tl.arange(0, C.bn)
        _, _, ds = _score_gradient(
            s, dp, keep, row[:, None], key[None, :], b, head, q_start, rows, keys, shift, window, scale, cap, bias,
            bias_strides, log_sum[:, None], share[:, None], dots[:, None], keep_factor, C,
        )  # fmt: skip
        dq_tile = tl.dot(ds.to(C.operand), k_tile, dq_tile, input_precision=C.precision)
    at = row_at(dq_strides, far, q_start + row, head)
    store_rows(dq, at, row < rows, dq_tile * scale, C.hdim_q, C.dq)


@triton.jit
def bias_gradients(
    q, k, v, dout, lse, factor, delta, dbias, bias, cu_seqlens_q, index, dropout, q_strides, k_strides, v_strides,
    dout_strides, lse_strides, delta_strides, bias_strides, dbias_strides, heads_q, group, seqlen_q, seqlen_k, limits,
    window, scale, cap, keep_factor, blocks, key_blocks, bias_heads, sequences, C: tl.constexpr,
):  # fmt: skip
    """The gradient of one tile of an elementwise bias: the sum over the heads and sequences that share it.

    `sequences` is how many share it: all of them, or 1. Every element is written, also those that no row sees.
    """
    program = tl.program_id(0)
    n, rest = program % key_blocks * C.bn, program // key_blocks
    m, lane = rest % blocks * C.bm, rest // blocks
    head_0, b_0 = lane % bias_heads, lane // bias_heads
    row, key = m + tl.arange(0, C.bm), n + tl.arange(0, C.bn)
    total = tl.full((C.bm, C.bn), 0.0, tl.float32)
    q_first, rows_0 = query_place(cu_seqlens_q, b_0, seqlen_q, limits, C)
    if m >= rows_0:
        return
    for i in range(sequences * (heads_q // bias_heads)):
        b, head = b_0 + i % sequences, head_0 + i // sequences
        far, h = b.to(tl.int64), (head // group).to(tl.int64)
        q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
        k_start, keys = key_place(index, b, seqlen_k, limits, C)
        shift = diagonal(rows, keys, C)
        k_at = k + row_at(k_strides, far, k_start, h)
        v_at = v + row_at(v_strides, far, k_start, h)
        k_tile = load_keys(k_at, k_strides, None, n, keys, C.hdim_q, C.dq, True, C)
        v_tile = load_keys(v_at, v_strides, None, n, keys, C.hdim_v, C.dv, True, C)
        q_tile, dout_tile, log_sum, share, dots = _row_tiles(
            q, dout, lse, factor, delta, q_strides, dout_strides, lse_strides, delta_strides, far, head, q_start, m,
            rows, C,
        )  # fmt: skip
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision=C.precision)
        dp = tl.dot(dout_tile, tl.trans(v_tile), input_precision=C.precision)
        keep = None
        if C.dropout:
            keep = keep_tile(dropout[0], dropout[1], b * heads_q + head, row[:, None], n, C)
        _, ds, _ = _score_gradient(
            s, dp, keep, row[:, None], key[None, :], b, head, q_start, rows, keys, shift, window, scale, cap, bias,
            bias_strides, log_sum[:, None], share[:, None], dots[:, None], keep_factor, C,
        )  # fmt: skip
        total += ds
    at = b_0.to(tl.int64) * dbias_strides[0] + head_0.to(tl.int64) * dbias_strides[1]
    at = at + (q_first + row).to(tl.int64)[:, None] * dbias_strides[2] + key[None, :] * dbias_strides[3]
    tl.store(dbias + at, total.to(dbias.dtype.element_ty), mask=(row < rows_0)[:, None] & (key < seqlen_k)[None, :])


@triton.jit
def sink_gradients(
    q, k, v, dout, stats, dq_sum, sink_sums, cu_seqlens_q, index, dropout, q_strides, k_strides, v_strides,
    dout_strides, heads_q, group, seqlen_q, seqlen_k, limits, window, scale, cap, row_blocks, blocks, span,
    C: tl.constexpr,
):  # fmt: skip
    """What sink tokens and `span` blocks of rows of one head, whose windows do not have them, give to each other.

    A block of keys with sink tokens would be multiplied with all rows for the few keys that most of them see. So
    `hopper_gradients` walks over windows only, and this kernel runs before it, with blocks of 16 keys: it begins the
    sums of dQ of its rows, and adds what these give to dK and dV to sums with which `hopper_gradients` begins.

    `stats`, `dq_sum`, `blocks`: as `prepare_rows` left them. `sink_sums` is (dK or dV, keys, columns) of every key
    head, in fp32; neither these nor dQ are scaled.
    """
    program, spans = tl.program_id(0), tl.cdiv(row_blocks, span)
    begin, lane = program % spans * span, program // spans
    head, b = lane % heads_q, lane // heads_q
    far, h = b.to(tl.int64), (head // group).to(tl.int64)
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    k_start, keys = key_place(index, b, seqlen_k, limits, C)
    shift = diagonal(rows, keys, C)
    low = tl.maximum(begin, tl.maximum(window[0] + 1 - shift, 0) // C.bm)  # earlier rows have them in their windows
    high = tl.minimum(begin + span, tl.cdiv(rows, C.bm))
    if low >= high:
        return
    first = lane * blocks
    if C.varlen:
        first = head * blocks + q_start // C.bm + b
    k += row_at(k_strides, far, k_start, h)
    v += row_at(v_strides, far, k_start, h)
    inside, column, each = tl.arange(0, C.bm), tl.arange(0, C.dq)[None, :], tl.arange(0, C.bm * C.dq)
    padded = tl.cdiv(window[2], C.bn) * C.bn
    sink_sums += (b * (heads_q // group) + head // group).to(tl.int64) * (2 * padded * C.dq)
    for n in tl.range(0, tl.minimum(window[2], keys), C.bn):
        k_tile = load_keys(k, k_strides, None, n, keys, C.hdim_q, C.dq, True, C)
        v_tile = load_keys(v, v_strides, None, n, keys, C.hdim_v, C.dv, True, C)
        key = n + tl.arange(0, C.bn)
        dk = tl.full((C.bn, C.dq), 0.0, tl.float32)
        dv = tl.full((C.bn, C.dv), 0.0, tl.float32)
        for m in tl.range(low, high):
            row = m * C.bm + inside
            there, at, block = row < rows, tl.cast(q_start + m * C.bm, tl.int64), tl.cast(first + m, tl.int64)
            q_at, dout_at = q + row_at(q_strides, far, at, head), dout + row_at(dout_strides, far, at, head)
            q_tile = load_rows(q_at, inside * tl.cast(q_strides[1], tl.int32), there, C.hdim_q, C.dq)
            dout_tile = load_rows(dout_at, inside * tl.cast(dout_strides[1], tl.int32), there, C.hdim_v, C.dv)
            stats_at = stats + block * (2 * C.bm)
            log_sum, dots = tl.load(stats_at + inside) * LN_2, tl.load(stats_at + C.bm + inside)
            s = tl.dot(q_tile, tl.trans(k_tile))
            dp = tl.dot(dout_tile, tl.trans(v_tile))
            keep = None
            if C.dropout:
                keep = keep_tile(dropout[0], dropout[1], b * heads_q + head, row[:, None], n, C)
            weights, _, ds = _score_gradient(
                s, dp, keep, row[:, None], key[None, :], b, head, q_start, rows, keys, shift, window, scale, cap, None,
                None, log_sum[:, None], None, dots[:, None], 1.0, C,
            )  # fmt: skip
            only = (key < window[2])[None, :] & (key[None, :] < (row + shift - window[0])[:, None])
            weights = tl.where(only, weights, 0.0).to(C.operand)
            ds = tl.where(only, ds, 0.0).to(C.operand)
            dv = tl.dot(tl.trans(weights), dout_tile, dv)
            dk = tl.dot(tl.trans(ds), q_tile, dk)
            dq = tl.dot(ds, k_tile).reshape(C.bm // 16, 2, 8, C.dq // 8, 4, 2)
            dq = dq.permute(0, 3, 2, 4, 1, 5).reshape(C.bm * C.dq)  # `hopper_sums.to_fragments`
            sums = dq_sum + block * (C.bm * C.dq) + each
            tl.store(sums, tl.load(sums, mask=(n > 0) & (each >= 0), other=0.0) + dq)
        at = sink_sums + key[:, None] * C.dq + column
        tl.atomic_add(at, dk, sem="relaxed")
        tl.atomic_add(at + padded * C.dq, dv, sem="relaxed")
