"""The kernel of `layer_norm`, in Triton. Imported only where a GPU runs it."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def normalise(x, weight, bias, out, rows, columns, eps, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Normalise ROWS rows of dense `columns` <= COLUMNS numbers in each program, in fp32."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    inside = column < columns
    at = row[:, None] * columns + column[None, :]
    there = (row < rows)[:, None] & inside[None, :]
    value = tl.load(x + at, there, 0.0).to(tl.float32)
    away = tl.where(there, value - (tl.sum(value, 1) / columns)[:, None], 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(away * away, 1) / columns + eps)
    factor = tl.load(weight + column, inside, 0.0).to(tl.float32)
    summand = tl.load(bias + column, inside, 0.0).to(tl.float32)
    found = away * scale[:, None] * factor[None, :] + summand[None, :]
    tl.store(out + at, found.to(out.dtype.element_ty), there)
