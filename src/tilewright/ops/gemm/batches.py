"""Products that differ only in rows and batch: an invariant order of summation serves all of them."""

from __future__ import annotations

from dataclasses import replace

from ...model.tensor import VECTOR
from .problem import GemmProblem, is_list

ROWS = ((1, 1), (16, 1), (256, 1), (4096, 1), (16, 2))  # rows, batch
ODD = 4097  # rows of a column in memory


def batches(problem: GemmProblem) -> tuple[GemmProblem, ...]:
    """Return the product with few and many rows, alone and in a batch: the same for every batch of the problem.

    Rows are as well aligned as those of the problem. Where M lies along memory, the batch decides how columns are
    aligned: here they are not.

    >>> from tilewright.ops import problem_from_dict
    >>> found = [batches(problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"})) for m in (3, 700)]
    >>> found[0] == found[1], [p.m for p in found[0]]
    (True, [1, 16, 256, 4096, 16])
    """
    made = [r for r in problem.roles if r[0] != "b" and not is_list(r) and not problem.repeats(r)]
    kept = {r: s for r, s in problem.strides.items() if r not in made}
    found = []
    for rows, batch in ROWS:
        if batch > 1 and problem.groups:
            continue
        dense = replace(problem, m=rows, batch=batch, strides=kept)
        own = {role: _strides(problem, dense, role) for role in made}
        found.append(replace(dense, strides={**kept, **{r: s for r, s in own.items() if s is not None}}))
    return tuple(found)


def _strides(problem: GemmProblem, dense: GemmProblem, role: str) -> tuple[int, int, int] | None:
    """Return the strides of a role in a product of other sizes; None if it is dense there."""
    if 1 not in problem.stride(role)[1:]:
        return problem.stride(role)
    batch, row, col = dense.stride(role)
    if _letter(problem, role) == "c":
        return (ODD * dense.shape(role)[1], 1, ODD)
    off = problem.leading_alignment(role) < VECTOR <= dense.leading_alignment(role)
    return (batch, row + 1, col) if off else None


def _letter(problem: GemmProblem, role: str) -> str:
    if role[0] in "ao":
        return problem.layout[0 if role[0] == "a" else 2]
    return problem.layout[3] if len(problem.layout) == 4 else problem.layout[2]
