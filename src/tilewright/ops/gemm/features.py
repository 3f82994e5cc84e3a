"""The numbers of a GEMM problem that selection models read.

Adding a number, or changing one for problems that models were trained on, changes `VERSION`. Bytes and alignments of D
operands, scales, matrices of a batch and pointers were made exact within version 1: no training problem has any that
matters, so the models in use read what they learned from (a test compares them on the shipped data).
"""

from __future__ import annotations

from ...model.dtype import get_dtype
from .problem import GemmProblem

VERSION = 1
ALIAS_BYTES = 4096  # rows this far apart fall into the same cache sets
# What differs only in these fields is the same problem to a judge: it must not be on both sides of a split.
BATCH_FIELDS = ("batch",)


def numbers(problem: GemmProblem) -> dict[str, float]:
    """Return the problem as numbers, by name.

    >>> p = GemmProblem.from_dict({"m": 4, "n": 8, "k": 2, "dtype": "fp16"})
    >>> numbers(p)["flops"], numbers(p)["b_col"]
    (128.0, 1.0)
    """
    p, layout = problem, problem.layout
    size_a, size_b = get_dtype(p.dtype_a).bytes, get_dtype(p.dtype_b).bytes
    size_out = get_dtype(p.dtype_out).bytes
    (far_a, row_a, col_a), (far_b, row_b, col_b) = (
        p.stride("a"),
        p.stride("b") if p.b_format == "plain" else (0, p.n, 1),
    )
    line_a, line_b = max(abs(row_a), abs(col_a)) * size_a, max(abs(row_b), abs(col_b)) * size_b
    return {
        "m": 1.0 * p.rows_each,  # groups are taken for a batch of equal ones
        "n": 1.0 * p.n,
        "k": 1.0 * p.k,
        "batch": 1.0 * p.products,
        "flops": 2.0 * p.m * p.n * p.k * p.batch,
        "bytes": 1.0 * p.bytes
        if p.d or p.groups or p.scale_a != "none" or p.scale_b != "none" or p.has_prologue
        else (p.batch * (p.m * p.k * size_a + p.k * p.n * size_b + p.m * p.n * size_out)),
        "size_a": size_a,
        "size_b": size_b,
        "size_out": size_out,
        "a_col": float(layout[0] == "c"),
        "b_col": float(layout[1] == "c"),
        "out_col": float(layout[2] == "c"),
        "packed_b": float(p.b_format != "plain"),
        "alias_a": float(line_a % ALIAS_BYTES == 0),
        "alias_b": float(line_b % ALIAS_BYTES == 0),
        "line_a": float(line_a),
        "line_b": float(line_b),
        "align_a": _alignment(line_a, far_a * size_a if p.batch > 1 else 0, p.alignment.get("a", 16)),
        "align_b": _alignment(line_b, far_b * size_b if p.products > 1 else 0, p.alignment.get("b", 16)),
        "extra": float(len(p.d)),
        "activation": float(p.epilogue.activation != "none"),
        "scaled": float(p.scale_a != "none") + float(p.scale_b != "none"),
    }


def _alignment(line: float, far: float, pointer: int) -> float:
    """Return the alignment of lines in bytes, at most 128; less than 16 if matrices or the first one have less."""
    found = min(128, _factor(line))
    return float(found if far % 16 == 0 and pointer >= 16 else min(found, _factor(far), pointer))


def _factor(size: float) -> int:
    """Return the largest power of two that divides a size; 128 if it is 0."""
    return int(size) & -int(size) or 128
