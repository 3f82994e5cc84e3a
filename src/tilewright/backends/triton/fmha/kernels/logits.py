"""From products to logits and probabilities: soft cap, bias, masks, safe exponentials, and what dropout keeps.

A logit is cap(scale * q k) + bias, or -inf if a row does not see the key. A bias may also be -inf, or the most negative
number of its dtype, anywhere: no kernel may rely on a finite maximum. So a maximum or an LSE is subtracted only through
`safe_maximum` and `safe_lse`. `row` and `key` are index tensors that broadcast to the tile. C is an `FmhaConfig`
throughout.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.random import philox_impl

from ...gemm.kernels.epilogue import LOG2_E, tanh

LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def visible(row, key, rows, keys, shift, window, C: tl.constexpr):
    """Whether a row sees a key; `window` is (left, right, sink tokens)."""
    seen = (key < keys) & (row < rows)
    if C.right:
        seen = seen & (key <= row + shift + window[1])
    if C.left:
        inside = key >= row + shift - window[0]
        if C.sink:
            inside = inside | (key < window[2])
        seen = seen & inside
    return seen


@triton.jit
def biased(s, row, key, b, head, q_start, rows, keys, shift, bias, bias_strides, C: tl.constexpr):
    """Capped scores s plus the bias."""
    if C.bias == "alibi":
        slope = tl.load(bias + b.to(tl.int64) * bias_strides[0] + head * bias_strides[1])
        return s - slope * tl.abs(row + shift - key).to(tl.float32)
    elif C.bias == "elementwise":
        at = b.to(tl.int64) * bias_strides[0] + head.to(tl.int64) * bias_strides[1]
        at = at + (q_start + row).to(tl.int64) * bias_strides[2] + key * bias_strides[3]
        return s + tl.load(bias + at, mask=(row < rows) & (key < keys), other=0.0).to(tl.float32)
    else:
        return s


@triton.jit
def capped(s, cap, C: tl.constexpr):
    """(capped scores, slope): the soft cap of scaled scores and its derivative."""
    if C.soft_cap:
        t = tanh(s * (1.0 / cap))
        return cap * t, 1.0 - t * t
    else:
        return s, tl.full((1, 1), 1.0, tl.float32)


@triton.jit
def safe_maximum(top):
    """What to subtract from logits whose maximum is `top`: 0 for rows that have seen no key, as -inf minus -inf is NaN.
    Their powers are 0 then."""
    return tl.where(top == float("-inf"), 0.0, top)


@triton.jit
def safe_lse(log_sum):
    """What to subtract from logits in the backward pass: +inf for rows that see no key. Their probabilities are 0
    then."""
    return tl.where(log_sum == float("-inf"), float("inf"), log_sum)


@triton.jit
def powers(s, top, scale, C: tl.constexpr):
    """(exp(logits - new maximum), new maximum, what earlier results shrink by) of a tile.

    Plain scores become logits in units of log 2 by `scale`, in the same instruction that subtracts the maximum. Other
    logits are natural, and only differences are multiplied: the most negative number of a dtype would become -inf.
    """
    if C.plain:
        new = tl.maximum(top, tl.max(s, 1) * scale)
        safe = safe_maximum(new)
        return tl.exp2(s * scale - safe[:, None]), new, tl.exp2(top - safe)
    else:
        new = tl.maximum(top, tl.max(s, 1))
        safe = safe_maximum(new)
        return tl.exp2((s - safe[:, None]) * LOG2_E), new, tl.exp2((top - safe) * LOG2_E)


@triton.jit
def natural(top, C: tl.constexpr):
    """A maximum that `powers` left, in natural units."""
    if C.plain:
        return top * LN_2
    else:
        return top


@triton.jit
def lse_of(top, total):
    """The LSE of rows with these natural maxima and sums; -inf if a row saw no key."""
    nothing = total == 0.0
    return tl.where(nothing, float("-inf"), top + tl.log2(tl.where(nothing, 1.0, total)) * LN_2)


@triton.jit
def keep_tile(rng, threshold, lane, row, n, C: tl.constexpr):
    """[rows, bn]: what dropout keeps of keys n .. n + bn. `lane` is batch * heads + head, [rows, 1] or a number.

    One evaluation of Philox gives the words of four neighbouring keys: their halves belong to two rows.
    """
    QUARTER: tl.constexpr = C.bn // 4
    c0 = ((n // 4 + tl.arange(0, QUARTER))[None, :] + row * 0).to(tl.uint32)
    c1 = (row // 2 + c0.to(tl.int32) * 0).to(tl.uint32)
    c2 = (lane + c0.to(tl.int32) * 0).to(tl.uint32)
    c3 = (tl.load(rng + 2) + c0.to(tl.int32) * 0).to(tl.uint32, bitcast=True)
    k0 = (tl.load(rng) + c0.to(tl.int32) * 0).to(tl.uint32, bitcast=True)
    k1 = (tl.load(rng + 1) + c0.to(tl.int32) * 0).to(tl.uint32, bitcast=True)
    w0, w1, w2, w3 = philox_impl(c0, c1, c2, c3, k0, k1, 7)
    words = tl.reshape(tl.join(tl.join(w0, w2), tl.join(w1, w3)), (row.shape[0], C.bn))
    words = words << ((row + 1) % 2 * 16).to(tl.uint32)
    return words >= tl.cast(threshold, tl.uint32, bitcast=True)
