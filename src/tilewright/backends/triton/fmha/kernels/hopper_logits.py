"""Probabilities of a tile in the Hopper backward pass: soft cap, bias, masks, and what dropout keeps.

A tile is [keys, rows], in the layout of an accumulator of eight warps: a warp has 16 keys, a thread the keys g and
g + 8 of them and the rows 8 * j + 2 * c + (0, 1), where g is its lane // 4 and c its lane % 4. C is a
`HopperBackwardConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

from ...ring import wait_full
from .logits import LOG2_E

# Bytes of four lanes whose numbers differ in bits 2 and 3: byte t of lane u becomes byte u of lane t.
TRANSPOSE = gl.constexpr(
    "{ .reg .b32 a, b; shfl.sync.bfly.b32 a, $1, 8, 31, -1; prmt.b32 b, $1, a, $2;"
    " shfl.sync.bfly.b32 a, b, 4, 31, -1; prmt.b32 $0, b, a, $3; }"
)
# 1 / (2**x + 1) of four numbers, by one reciprocal of a product: the special function units are the limit. 2**31 stands
# for anything above it. min drops NaN, so that none spreads to the other three; the last products bring it back.
HALVES = gl.constexpr(
    "{ .reg .f32 a, b, c, d, ab, cd, r;"
    + "".join(
        f" min.f32 {x}, ${i}, 0f41F80000; ex2.approx.ftz.f32 {x}, {x}; add.f32 {x}, {x}, 0f3F800000;"
        for x, i in zip("abcd", range(4, 8), strict=True)
    )
    + " mul.f32 ab, a, b; mul.f32 cd, c, d; mul.f32 r, ab, cd; rcp.approx.ftz.f32 r, r;"
    " mul.f32 cd, r, cd; mul.f32 ab, r, ab; mul.f32 b, cd, b; mul.f32 a, cd, a; mul.f32 d, ab, d; mul.f32 c, ab, c;"
    " fma.rn.f32 $0, $4, 0f00000000, b; fma.rn.f32 $1, $5, 0f00000000, a;"
    " fma.rn.f32 $2, $6, 0f00000000, d; fma.rn.f32 $3, $7, 0f00000000, c; }"
)

# (p, q) where a bit is set, else zeros. A choice that the compiler sees goes behind the rounding to 16 bits, where it
# takes halves of registers apart.
KEEP = gl.constexpr(
    "{ .reg .pred k; setp.ne.s32 k, $4, 0; selp.f32 $0, $2, 0f00000000, k; selp.f32 $1, $3, 0f00000000, k; }"
)
# $1 plus $4 if the lower half of the word $2 is no less than the upper half of $3, plus $5 if the upper half is.
COUNT_HALVES = gl.constexpr(
    "{ .reg .pred k; .reg .b32 low; mov.b32 $0, $1; shl.b32 low, $2, 16; setp.ge.u32 k, low, $3;"
    " @k add.s32 $0, $0, $4; setp.ge.u32 k, $2, $3; @k add.s32 $0, $0, $5; }"
)


@gluon.jit
def stat(stats, which: gl.constexpr, C: gl.constexpr):
    """[1, rows]: what to subtract from the logits of a row, dot(dO, O), or what its powers are multiplied by."""
    if C.bias:
        return stats.slice(which, 1, dim=0).load(C.s_layout)
    else:
        return stats.slice(which * C.bm, C.bm, dim=1).load(C.s_layout)


@gluon.jit
def _seen(m, n, keys, shift, window, C: gl.constexpr):
    """Whether the rows of block m see the keys from n on."""
    key = n + gl.arange(0, C.bn, gl.SliceLayout(1, C.s_layout))[:, None]
    row = m * C.bm + gl.arange(0, C.bm, gl.SliceLayout(0, C.s_layout))[None, :]
    seen = (key < keys) & (row >= 0)
    if C.right:
        seen = seen & (key <= row + (shift + window[1]))
    if C.left:
        inside = key >= row + (shift - window[0])
        if C.sink:
            inside = inside | (key < window[2])
        seen = seen & inside
    return seen


@gluon.jit
def _halved(s, scale):
    """1 / (exp(2 x) + 1) of x = score / cap, where `scale` brings scores to 2 x in units of log 2; tanh(x) is 1 - 2 of
    it, and the slope of tanh is 4 of it times 1 - it."""
    return gl.inline_asm_elementwise(HALVES, "=f,=f,=f,=f,f,f,f,f", [s * scale], dtype=gl.float32, is_pure=True, pack=4)


@gluon.jit
def _added(s, biases, read, m, n, keys, shift, window, C: gl.constexpr):
    """Logits plus a block of the bias; -inf where a row does not see a key."""
    slot = wait_full(biases[1], read, C.bias_stages)
    x = biases[0].index(slot).reshape([C.bm, C.bn]).permute([1, 0]).load(C.s_layout)
    mbarrier.arrive(biases[2].index(slot))
    s = s + x.to(gl.float32)
    if C.left or C.right or n + C.bn > keys:
        s = gl.where(_seen(m, n, keys, shift, window, C), s, float("-inf"))
    return s


@gluon.jit
def powers(s, stats, biases, read, m, n, masked, keys, shift, window, scale, cap, C: gl.constexpr):
    """(probabilities, the same times the slope of the soft cap) of a block of scores.

    Logits are in units of log 2, but natural ones with a bias, and only differences are multiplied: see `logits.powers`
    and `backward.row_origins`. With a bias `masked` says that it changes something.
    """
    log_sum = stat(stats, 0, C)
    if C.soft_cap:
        half = _halved(s, scale)
    if C.bias:
        if C.soft_cap:
            s = cap - (2.0 * cap) * half
        else:
            s = s * scale
        if masked:
            s = _added(s, biases, read, m, n, keys, shift, window, C)
        # No more than 0 but for rounding, which is large where a bias hides all keys of a row.
        p = gl.exp2(gl.minimum(s - log_sum, 0.0) * LOG2_E) * stat(stats, 2, C)
    else:
        if C.soft_cap:
            p = gl.exp2((cap - log_sum) - (2.0 * cap) * half)
        else:
            p = gl.exp2(s * scale - log_sum)
        if masked:
            p = gl.where(_seen(m, n, keys, shift, window, C), p, 0.0)
    if C.soft_cap:
        slope = 4.0 * half
        return p, p * (slope - slope * half)
    else:
        return p, p


@gluon.jit
def _philox(c0, c1, c2, c3, k0, k1):
    """Philox4x32 with 7 rounds. Both halves of a product come from one instruction, which Triton's own does not use."""
    for _ in gl.static_range(7):
        a, b = c0.to(gl.uint64) * 0xD2511F53, c2.to(gl.uint64) * 0xCD9E8D57
        c0, c2 = (b >> 32).to(gl.uint32) ^ c1 ^ k0, (a >> 32).to(gl.uint32) ^ c3 ^ k1
        c1, c3 = b.to(gl.uint32), a.to(gl.uint32)
        k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85
    return c0, c1, c2, c3


@gluon.jit
def keep_bits(random, lane, m, n, C: gl.constexpr):
    """What dropout keeps of a tile, as [threads, rows / 64] words: bit 8 * u + 2 * i + r is the row 8 * j + 2 * c + r,
    j = 2 * i + u % 2, and the key g + 8 * (u // 2) of this thread.

    One evaluation of Philox gives words for four neighbouring keys, which belong to four threads, and two rows of each:
    each of these evaluates a quarter, and they exchange the results. `random` is (key, key, offset, threshold); see
    `logits.keep_tile`.
    """
    CALLS: gl.constexpr = C.bm // 16
    LAYOUT: gl.constexpr = gl.BlockedLayout([1, CALLS], [32, 1], [8, 1], [1, 0])
    thread = gl.arange(0, 256, gl.SliceLayout(1, LAYOUT))[:, None]
    i = gl.arange(0, CALLS, gl.SliceLayout(0, LAYOUT))[None, :]
    u = thread // 4 % 4
    zero = thread * 0 + i * 0
    c0 = (n // 4 + thread // 32 * 4 + thread // 16 % 2 + u // 2 * 2 + zero).to(gl.uint32)
    c1 = (m * (C.bm // 2) + 4 * (2 * i + u % 2) + thread % 4).to(gl.uint32)
    k0 = (zero + random[0]).to(gl.uint32, bitcast=True)
    k1 = (zero + random[1]).to(gl.uint32, bitcast=True)
    c3 = (zero + random[2]).to(gl.uint32, bitcast=True)
    words = _philox(c0, c1, (lane + zero).to(gl.uint32), c3, k0, k1)
    packed = zero
    for t in gl.static_range(4):
        even = zero + (1 << (2 * (i % 4) + 8 * t))
        packed = gl.inline_asm_elementwise(
            COUNT_HALVES, "=&r,r,r,r,r,r", [packed, words[t], zero + random[3], even, 2 * even], dtype=gl.int32,
            is_pure=True, pack=1,
        )  # fmt: skip
    packed = gl.reduce_or(packed.reshape([256, C.bm // 64, 4]), 2)
    at = gl.arange(0, 256, gl.SliceLayout(1, packed.type.layout))[:, None] + packed * 0
    first = gl.where(at // 8 % 2 == 0, 0x5410, 0x3276)
    second = gl.where(at // 4 % 2 == 0, 0x6240, 0x3715)
    return gl.inline_asm_elementwise(
        TRANSPOSE, "=r,r,r,r", [packed, first, second], dtype=gl.int32, is_pure=False, pack=1
    )


@gluon.jit
def kept(p, dp, bits, C: gl.constexpr):
    """[keys, rows] twice: p and dp where an element is kept, else zeros, by the words of `keep_bits`."""
    BLOCKS: gl.constexpr = C.bm // 64
    tile = gl.full([C.bn, C.bm], 0, gl.int32, C.s_layout)
    apart = tile.reshape([8, 2, 8, BLOCKS, 8, 4, 2])
    WORDS: gl.constexpr = gl.SliceLayout(1, gl.SliceLayout(4, gl.SliceLayout(6, apart.type.layout)))
    bits = gl.convert_layout(bits.reshape([8, 8, 4, BLOCKS]).permute([0, 1, 3, 2]), WORDS, assert_trivial=True)
    bits = gl.expand_dims(gl.expand_dims(gl.expand_dims(bits, 1), 4), 6) | apart
    bits = gl.convert_layout(bits.reshape([C.bn, C.bm]), C.s_layout, assert_trivial=True)
    key = gl.arange(0, C.bn, gl.SliceLayout(1, C.s_layout))[:, None]
    row = gl.arange(0, C.bm, gl.SliceLayout(0, C.s_layout))[None, :]
    bit = bits & (1 << (key // 8 % 2 * 16 + row // 8 % 2 * 8 + row // 16 % 4 * 2 + row % 2))
    return gl.inline_asm_elementwise(
        KEEP, "=f,=f,f,f,r", [p, dp, bit], dtype=(gl.float32, gl.float32), is_pure=True, pack=1
    )
