"""Attention forward: one pass over the keys with running maximum and sum. Also its parts, and their combination.

One kernel serves every forward family: batches, ragged batches, pages, packed heads and splits are constants of it.
C is an `FmhaConfig` throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from .logits import LOG2_E, biased, capped, keep_tile, lse_of, natural, powers, safe_maximum, visible
from .place import diagonal, first_page, key_place, load_keys, load_rows, look_up, query_place, row_at, store_rows


@triton.jit
def _walk(
    acc, total, top, q_tile, sq, k, v, k_strides, v_strides, pages, limits, lo, hi, row, head, b, q_start, rows, keys,
    shift, window, scale, cap, bias, bias_strides, dropout, heads_q, scales, MASKED: tl.constexpr, C: tl.constexpr,
):  # fmt: skip
    """(accumulator, sum, maximum) after the blocks of keys from lo to hi; MASKED where not every key is seen."""
    page = look_up(pages, lo, keys, limits, C)
    for n in tl.range(lo, hi, C.bn):
        k_tile = load_keys(k, k_strides, page, n, keys, C.hdim_q, C.dq, MASKED, C)
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision=C.precision)
        key = (n + tl.arange(0, C.bn))[None, :]
        unit = scale
        if C.qscale == "blockscale":
            s = s * sq[:, None] * tl.load(scales[3] + tl.minimum(key, keys - 1) // scales[1])
        elif C.plain and C.qscale == "pertensor":
            s = s * scale  # before any key is hidden: the scales of tensors may be 0 or negative
            unit = 1.0
        if not C.plain:
            s, _ = capped(s * scale, cap, C)
            s = biased(s, row[:, None], key, b, head[:, None], q_start, rows, keys, shift, bias, bias_strides, C)
        if MASKED:
            s = tl.where(visible(row[:, None], key, rows, keys, shift, window, C), s, float("-inf"))
        p, top, shrink = powers(s, top, unit, C)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        if C.dropout:
            p = tl.where(keep_tile(dropout[0], dropout[1], (b * heads_q + head)[:, None], row[:, None], n, C), p, 0.0)
        v_tile = load_keys(v, v_strides, page, n, keys, C.hdim_v, C.dv, MASKED, C)
        if C.qscale == "blockscale":  # as shares of the largest one: fp16 has no room for more
            sv = tl.load(scales[4] + tl.minimum(key, keys - 1) // scales[1])
            largest = tl.max(tl.abs(sv))
            p = p * (sv / tl.where(largest > 0.0, largest, 1.0))
            acc += tl.dot(p.to(C.operand), v_tile.to(C.operand), input_precision=C.precision) * largest
        else:
            acc = tl.dot(p.to(C.operand), v_tile.to(C.operand), acc, input_precision=C.precision)
        page = look_up(pages, n + C.bn, keys, limits, C)  # a block ahead, so that loads of keys wait for no other load
    return acc, total, top


@triton.jit
def _bounds(first, last, keys, shift, window, C: tl.constexpr):
    """(low, full_low, full_high, high) of a block of rows: keys from low to high are seen by some row, those from
    full_low to full_high by all of them. All but high are multiples of bn."""
    low = tl.full((), 0, tl.int32)
    full_low = low
    high = keys
    full_high = keys
    if C.left:
        low = tl.maximum(first + shift - window[0], 0) // C.bn * C.bn
        full_low = tl.cdiv(tl.maximum(last + shift - window[0], 0), C.bn) * C.bn
    if C.right:
        high = tl.maximum(tl.minimum(keys, last + shift + window[1] + 1), 0)
        full_high = tl.maximum(tl.minimum(keys, first + shift + window[1] + 1), 0)
    return low, full_low, full_high // C.bn * C.bn, high


@triton.jit
def attention_forward(
    q, k, v, out, lse, bias, cu_seqlens_q, index, dropout, scales, partial, q_strides, k_strides, v_strides,
    out_strides, lse_strides, bias_strides, heads_q, group, seqlen_q, seqlen_k, limits, window, scale, cap,
    keep_factor, splits, chunk, blocks, lanes, partial_rows, C: tl.constexpr,
):  # fmt: skip
    """One program: a block of rows of one head (or of all heads of a group), over all keys or one split of them.

    Strides are (batch, row, head, column) of rows in elements, (batch, head, row) of lse. `index`, `limits`: see
    `key_place`.
    `scales`: (block_q, block_k, q, k, v). `dropout`: (rng, threshold). `partial`: outputs, maxima and sums of splits.
    `chunk`: the keys of a split, whatever the number of splits, the last of which has the rest; 0: all as many.
    """
    if C.split and C.pdl:
        gdc_wait()
        gdc_launch_dependents()
    program = tl.program_id(0)
    m = program % blocks
    if C.right:
        m = blocks - 1 - m  # the rows that see most keys first
    lane = program // blocks
    split = tl.full((), 0, tl.int32)
    if C.split:
        split = lane % splits
        lane = lane // splits
    b = lane // lanes
    q_start, rows = query_place(cu_seqlens_q, b, seqlen_q, limits, C)
    r = m * C.bm + tl.arange(0, C.bm)
    if m * C.bm >= (rows * group if C.pack else rows):
        return
    if C.pack:
        row, kv = r // group, lane % lanes
        head = kv * group + r % group
        first, last = m * C.bm // group, tl.minimum((m * C.bm + C.bm - 1) // group, rows - 1)
    else:
        row, head = r, lane % lanes + r * 0
        kv = lane % lanes // group
        first, last = m * C.bm, tl.minimum(m * C.bm + C.bm, rows) - 1
    k_start, keys = key_place(index, b, seqlen_k, limits, C)
    pages = first_page(index, b, limits, C)
    there = row < rows
    far = b.to(tl.int64)
    at = row_at(q_strides, far, q_start + row, head)
    q_tile = load_rows(q, at, there, C.hdim_q, C.dq)
    if C.tma:
        k_strides = (b, kv)
        v_strides = (b, kv)
    else:
        k += kv.to(tl.int64) * k_strides[2]
        v += kv.to(tl.int64) * v_strides[2]
        if C.lookup == "none":
            k += far * k_strides[0] + k_start.to(tl.int64) * k_strides[1]
            v += far * v_strides[0] + k_start.to(tl.int64) * v_strides[1]
    sq = None
    if C.qscale == "pertensor":
        scale *= tl.load(scales[2]) * tl.load(scales[3])
    elif C.qscale == "blockscale":
        q_blocks, k_blocks = tl.cdiv(seqlen_q, scales[0]), tl.cdiv(seqlen_k, scales[1])
        sq = tl.load(scales[2] + (b * heads_q + head) * q_blocks + row // scales[0], mask=there, other=0.0)
        here = (b * (heads_q // group) + kv) * k_blocks
        scales = (scales[0], scales[1], scales[2], scales[3] + here, scales[4] + here)
    shift = diagonal(rows, keys, C)
    low, full_low, full_high, high = _bounds(first, last, keys, shift, window, C)
    lo, hi = low, high
    if C.split:
        even = tl.cdiv(tl.cdiv(tl.maximum(high - low, 0), C.bn), splits) * C.bn
        share = tl.where(chunk > 0, chunk, even)
        lo = low + split * share
        hi = tl.where(split == splits - 1, high, tl.minimum(high, lo + share))
    end = tl.cdiv(hi, C.bn) * C.bn
    full_low = tl.minimum(tl.maximum(full_low, lo), tl.maximum(end, lo))
    full_high = tl.maximum(tl.minimum(full_high, hi // C.bn * C.bn), full_low)
    acc = tl.full((C.bm, C.dv), 0.0, tl.float32)
    total = tl.full([C.bm], 0.0, tl.float32)
    top = tl.full([C.bm], float("-inf"), tl.float32)
    if C.sink:
        sink_end = tl.where(split == 0, tl.minimum(tl.minimum(window[2], low), high), 0)
        acc, total, top = _walk(
            acc, total, top, q_tile, sq, k, v, k_strides, v_strides, pages, limits, 0, sink_end, row, head, b, q_start,
            rows, keys, shift, window, scale, cap, bias, bias_strides, dropout, heads_q, scales, True, C,
        )  # fmt: skip
    if C.left:
        acc, total, top = _walk(
            acc, total, top, q_tile, sq, k, v, k_strides, v_strides, pages, limits, lo, tl.minimum(full_low, hi), row,
            head, b, q_start, rows, keys, shift, window, scale, cap, bias, bias_strides, dropout, heads_q, scales,
            True, C,
        )  # fmt: skip
    acc, total, top = _walk(
        acc, total, top, q_tile, sq, k, v, k_strides, v_strides, pages, limits, full_low, full_high, row, head, b,
        q_start, rows, keys, shift, window, scale, cap, bias, bias_strides, dropout, heads_q, scales, False, C,
    )  # fmt: skip
    acc, total, top = _walk(
        acc, total, top, q_tile, sq, k, v, k_strides, v_strides, pages, limits, full_high, hi, row, head, b, q_start,
        rows, keys, shift, window, scale, cap, bias, bias_strides, dropout, heads_q, scales, True, C,
    )  # fmt: skip
    nothing = total == 0.0
    factor = keep_factor
    if C.qscale == "pertensor":
        factor = factor * tl.load(scales[4])
    acc = acc * (factor / tl.where(nothing, 1.0, total))[:, None]
    if C.split:
        start = b * seqlen_q
        if C.varlen:
            start = q_start
        at = (split * partial_rows + start + row).to(tl.int64) * heads_q + head
        store_rows(partial[0], at * C.dv, there, acc, C.dv, C.dv)
        # Not their LSE: that of huge negative logits has no room for the logarithm of the sum.
        tl.store(partial[1] + at, natural(top, C), mask=there)
        tl.store(partial[2] + at, total, mask=there)
    else:
        at = row_at(out_strides, far, q_start + row, head)
        store_rows(out, at, there, acc, C.hdim_v, C.dv)
        if C.lse:
            at = far * lse_strides[0] + head.to(tl.int64) * lse_strides[1]
            log_sum = lse_of(natural(top, C), total)
            tl.store(lse + at + (q_start + row).to(tl.int64) * lse_strides[2], log_sum, mask=there)


@triton.jit
def combine_splits(
    partial, out, lse, out_strides, lse_strides, heads_q, seqlen_q, splits, partial_rows, C: tl.constexpr
):
    """out = sum of the splits' outputs weighted by their share of the sum; one program per row and head.

    In group mode rows count over all sequences, and `seqlen_q` is their total.
    """
    if C.pdl:
        gdc_launch_dependents()
        gdc_wait()
    program = tl.program_id(0)
    head, row = program % heads_q, program // heads_q
    b = (row // seqlen_q).to(tl.int64)
    d = tl.arange(0, C.dv)
    top = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    acc = tl.full([C.dv], 0.0, tl.float32)
    AT_ONCE: tl.constexpr = 16
    which = tl.arange(0, AT_ONCE)
    for begin in range(0, splits, AT_ONCE):
        at = ((begin + which) * partial_rows + row).to(tl.int64) * heads_q + head
        there = begin + which < splits
        tops = tl.load(partial[1] + at, mask=there, other=float("-inf"))
        sums = tl.load(partial[2] + at, mask=there, other=0.0)
        x = tl.load(partial[0] + at[:, None] * C.dv + d[None, :], mask=there[:, None], other=0.0)
        x = tl.where((sums > 0.0)[:, None], x, 0.0)  # a split without keys; its output is read, not to wait for sums
        new = tl.maximum(top, tl.max(tops, 0))
        safe = safe_maximum(new)
        weight = tl.exp2((tops - safe) * LOG2_E) * sums
        shrink = tl.exp2((top - safe) * LOG2_E)
        acc = acc * shrink + tl.sum(x * weight[:, None], 0)
        total = total * shrink + tl.sum(weight, 0)
        top = new
    nothing = total == 0.0
    acc = acc / tl.where(nothing, 1.0, total)
    far, inside = b, (row % seqlen_q).to(tl.int64)
    at = row_at(out_strides, far, inside, head)
    tl.store(out + at + d, acc.to(out.dtype.element_ty), mask=d < C.hdim_v)
    if C.lse:
        log_sum = lse_of(top, total)
        tl.store(lse + far * lse_strides[0] + head.to(tl.int64) * lse_strides[1] + inside * lse_strides[2], log_sum)
