"""The epilogue of every GEMM kernel: scales, alpha, D operands, activation. One source for Triton and for Gluon.

Gluon compiles a Triton function that it calls as its own. The functions work on any register layout: the caller passes
row and column indices in the layout of the accumulator.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def activate(x, C: tl.constexpr):
    """`x` (fp32) after the activation of the config."""
    KIND: tl.constexpr = C.epilogue.activation
    if KIND == "relu":
        # Written so that NaN stays NaN.
        x = tl.where(x < 0, 0.0, x)
    elif KIND == "gelu_tanh":
        # 0.5 * (1 + tanh(u)) == sigmoid(2u): one exponential, and no cancellation for small u.
        x = x / (1.0 + tl.exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))
    elif KIND == "gelu_erf":
        # x * Phi(x) by the five-term approximation of the error function (Abramowitz and Stegun 7.1.26, |error| <
        # 1.5e-7): a fraction of the instructions of the library's erf, and no cancellation for negative x.
        z = tl.abs(x) * 0.7071067811865476
        t = 1.0 / (1.0 + 0.3275911 * z)
        p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        tail = 0.5 * p * tl.exp(-z * z)
        x = x * tl.where(x < 0, tail, 1.0 - tail)
    elif KIND == "sigmoid":
        x = 1.0 / (1.0 + tl.exp(-x))
    elif KIND == "silu":
        x = x / (1.0 + tl.exp(-x))
    elif KIND == "tanh":
        x = libdevice.tanh(x)
    elif KIND == "relu6":
        x = tl.where(x < 0, 0.0, tl.where(x > 6, 6.0, x))
    elif KIND == "hard_swish":
        x = x * tl.where(x < -3, 0.0, tl.where(x > 3, 6.0, x + 3.0)) * 0.16666666666666666
    return x


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
        x = combined(x, y, i, args[1], C)
    return activate(x, C)
