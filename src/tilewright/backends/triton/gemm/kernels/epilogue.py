"""The epilogue of every GEMM kernel: scales, alpha, D operands, activation. One source for Triton and for Gluon.

Gluon compiles a Triton function that it calls as its own. The functions work on any register layout: the caller passes
row and column indices in the layout of the accumulator.
"""

from __future__ import annotations

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)  # powers of two need no instructions for denormal numbers


@triton.jit
def tanh(x):
    """tanh by powers of two: no library that only one vendor has. Near 0, where digits would cancel, by its series."""
    y = x * x
    near = x + x * y * (y * (2.0 / 15.0) - 1.0 / 3.0)
    return tl.where(y < 1.0 / 64.0, near, 1.0 - 2.0 / (tl.exp2(x * (2.0 * LOG2_E)) + 1.0))


@triton.jit
def normal_tail(z):
    """The normal distribution function of -z, for z >= 0; |error| < 6e-8.

    Its logarithm is nearly a parabola: a polynomial takes half the instructions of a division, and no registers.
    """
    p = -2.096458956657443e-06 * z + 3.066123099415563e-05
    p = p * z - 0.00014548757462762296
    p = p * z - 0.00023314706049859524
    p = p * z + 0.007185841910541058
    p = p * z - 0.052578236907720566
    p = p * z - 0.4591820240020752
    p = p * z - 1.1511082649230957
    return tl.exp2(p * z - 0.9999999403953552)


@triton.jit
def tanh_tail(z):
    """0.5 * (1 - tanh(0.7978845608 * (z + 0.044715 z^3))), for z >= 0, in the same way; |error| < 2e-7."""
    p = -4.574227205011994e-06 * z + 3.497549187159166e-05
    p = p * z + 9.74621300216287e-05
    p = p * z - 0.0014046543510630727
    p = p * z + 0.0019470465676486492
    p = p * z + 0.005691871978342533
    p = p * z - 0.05044775828719139
    p = p * z - 0.4594780504703522
    p = p * z - 1.151080846786499
    return tl.exp2(p * z - 1.0000003576278687)


@triton.jit
def activate(x, C: tl.constexpr):
    """`x` (fp32) after the activation of the config."""
    KIND: tl.constexpr = C.epilogue.activation
    if KIND == "relu":
        # Written so that NaN stays NaN.
        x = tl.where(x < 0, 0.0, x)
    elif KIND == "gelu_tanh":
        tail = tanh_tail(tl.abs(x))
        x = x * tl.where(x < 0, tail, 1.0 - tail)
    elif KIND == "gelu_erf":
        tail = normal_tail(tl.abs(x))
        x = x * tl.where(x < 0, tail, 1.0 - tail)
    elif KIND == "sigmoid":
        x = 1.0 / (1.0 + tl.exp2(-LOG2_E * x))
    elif KIND == "silu":
        x = x / (1.0 + tl.exp2(-LOG2_E * x))
    elif KIND == "tanh":
        x = tanh(x)
    elif KIND == "relu6":
        x = tl.where(x < 0, 0.0, tl.where(x > 6, 6.0, x))
    elif KIND == "hard_swish":
        x = x * tl.where(x < -3, 0.0, tl.where(x > 3, 6.0, x + 3.0)) * 0.16666666666666666
    return x


@triton.jit
def gone_back(gradient, x, C: tl.constexpr):
    """The gradient (fp32) of the activation's input `x` for that of its result; where it is flat, 0 for any."""
    KIND: tl.constexpr = C.epilogue.activation
    if KIND == "relu":
        y = tl.where(x <= 0, 0.0, gradient)
    elif KIND == "gelu_tanh":
        z = tl.abs(x)
        z = tl.where(z > 10, 10.0, z)  # the activation is a line there, and z * z might overflow
        tail = tanh_tail(z)
        tail = tail - tail * (1.0 - tail) * (z * (1.5957691216057308 + 0.2140644488 * z * z))
        y = gradient * tl.where(x < 0, tail, 1.0 - tail)
    elif KIND == "gelu_erf":
        tail = normal_tail(tl.abs(x))
        density = 0.3989422804014327 * tl.exp2(-0.7213475204444817 * x * x)
        y = gradient * (tl.where(x < 0, tail, 1.0 - tail) + x * density)
    elif KIND == "sigmoid":
        s = 1.0 / (1.0 + tl.exp2(-LOG2_E * tl.abs(x)))
        y = gradient * (s * (1.0 - s))
    elif KIND == "silu":
        s = 1.0 / (1.0 + tl.exp2(-LOG2_E * x))
        y = gradient * (s * (1.0 + x * (1.0 - s)))
    elif KIND == "tanh":
        s = tanh(x)
        y = gradient * (1.0 - s * s)
    elif KIND == "relu6":
        y = tl.where((x <= 0) | (x >= 6), 0.0, gradient)
    else:
        tl.static_assert(KIND == "hard_swish")
        y = tl.where(x <= -3, 0.0, gradient * tl.where(x < 3, x * 0.3333333333333333 + 0.5, 1.0))
    return y


@triton.jit
def block_factors(rows, cols, first_col, step, M, N, args, C: tl.constexpr):
    """(factor of each row, of each column) of a k-step's block; `args` as in `finish`, strides of the factors last.

    Where the whole tile has one factor, or none, it is a single number.
    """
    strides = args[6]
    block = step // C.scales.steps
    of_rows = 1.0
    of_cols = 1.0
    if C.scales.rows > 0:
        at = (rows // C.scales.rows).to(tl.int64) * strides[0][0] + block * strides[0][1]
        of_rows = tl.load(args[2] + at, mask=rows < M, other=0.0)
    if C.scales.cols == 0:
        pass
    elif C.scales.cols % C.bn == 0:
        # The whole tile lies in one block of columns.
        of_cols = tl.load(args[3] + (first_col // C.scales.cols).to(tl.int64) * strides[1][0] + block * strides[1][1])
    else:
        at = (cols // C.scales.cols).to(tl.int64) * strides[1][0] + block * strides[1][1]
        of_cols = tl.load(args[3] + at, mask=cols < N, other=0.0)
    return of_rows, of_cols


@triton.jit
def block_scaled(x, of_rows, of_cols, C: tl.constexpr):
    """A k-step's products times the factors of its block."""
    if C.scales.rows > 0 and C.scales.cols % C.bn == 0:
        x = x * (of_rows * of_cols)[:, None]
    elif C.scales.rows > 0:
        x = x * of_rows[:, None]
    if C.scales.cols % C.bn != 0:
        x = x * of_cols[None, :]
    elif C.scales.rows == 0:
        x = x * of_cols
    return x


@triton.jit
def combined(x, y, i: tl.constexpr, beta, C: tl.constexpr):
    """x with the i-th D operand, of which the first counts `beta` times."""
    if i == 0:
        y = y * beta
    if C.epilogue.combine == "multiply":
        return x * y
    else:
        return x + y


@triton.jit
def finish(acc, rows, cols, batch, M, N, args, C: tl.constexpr, residual=None):
    """The finished tile: activation(alpha * scales * acc  combine  beta * D0  combine  D1 ...), in fp32.

    With "gradient" as `combine`, the sum of all but D0 goes back through the activation, which was applied to D0.
    `args` is (alpha, beta, scale_a, scale_b, d pointers, d strides, ...); C is a kernel config. Factors of blocks were
    applied step by step (`block_scaled`). `rows` and `cols` are
    indices into the whole matrix; reads outside of it are masked. `residual`: the tile of a D operand that TMA brought.
    """
    if C.epilogue.exact_int:
        return acc
    else:
        return _finish_float(acc, rows, cols, batch, M, N, args, C, residual)


@triton.jit
def _finish_float(acc, rows, cols, batch, M, N, args, C: tl.constexpr, residual):
    # Factors of the whole tensor are multiplied first, so that an element meets as few of them as can be.
    factor = args[0]
    if C.epilogue.scale_a == "tensor":
        factor = factor * tl.load(args[2])
    if C.epilogue.scale_b == "tensor":
        factor = factor * tl.load(args[3])
    x = acc.to(tl.float32)
    if C.epilogue.scale_a == "row":
        x = x * (tl.load(args[2] + rows, mask=rows < M, other=0.0) * factor)[:, None]
    else:
        x = x * factor
    if C.epilogue.scale_b == "row":
        x = x * tl.load(args[3] + cols, mask=cols < N, other=0.0)[None, :]
    COUNT: tl.constexpr = len(C.epilogue.d)
    for i in tl.static_range(COUNT):
        strides = args[5][i]
        base = args[4][i] + batch.to(tl.int64) * strides[0]
        if C.epilogue.d[i] == "row":
            y = tl.load(base + cols * strides[2], mask=cols < N, other=0.0).to(tl.float32)[None, :]
        elif C.epilogue.d[i] == "col":
            y = tl.load(base + rows * strides[1], mask=rows < M, other=0.0).to(tl.float32)[:, None]
        elif i == C.epilogue.residual:
            y = residual.to(tl.float32)
        else:
            inside = (rows < M)[:, None] & (cols < N)[None, :]
            offsets = rows.to(tl.int64)[:, None] * strides[1] + cols.to(tl.int64)[None, :] * strides[2]
            y = tl.load(base + offsets, mask=inside, other=0.0).to(tl.float32)
        if C.epilogue.combine == "gradient" and i == 0:
            at = y
        else:
            x = combined(x, y, i, args[1], C)
    if C.epilogue.combine == "gradient":
        return gone_back(x, at, C)
    else:
        return activate(x, C)
