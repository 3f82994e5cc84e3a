"""Products whose rows are in groups: group g of A is multiplied by B[g] and ends before row `ends[g]`.

Ends do not fall. Rows after the last one belong to no group: what they hold in the output is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import TensorError
from ...model.tensor import Tensors, TensorView
from .problem import GemmProblem


def groups_of(a: Sequence[int], b: Sequence[int], ends: TensorView) -> int:
    """Return the number of groups of these tensors; raise `TensorError` with every mismatch."""
    found = []
    if len(a) != 2:
        found.append(f"a has shape {tuple(a)}; with ends it is one matrix, [m, k]")
    if len(b) != 3:
        found.append(f"b has shape {tuple(b)}; with ends it has a matrix for each group, [groups, k, n]")
    elif ends.shape != (b[0],):
        found.append(f"ends has shape {ends.shape}; b has {b[0]} groups")
    if ends.dtype != "int32":
        found.append(f"ends has dtype {ends.dtype}; it must be int32")
    if len(b) == 3 and b[0] == 0:
        found.append("b has no group")
    if found:
        raise TensorError.of("gemm tensors", found)
    return b[0]


def end_mistakes(problem: GemmProblem, ends: Any) -> list[str]:
    """Return what is wrong with the ends of groups.

    >>> p = GemmProblem.from_dict({"m": 4, "n": 8, "k": 2, "dtype": "fp16", "groups": 2})
    >>> end_mistakes(p, [3, 1]), end_mistakes(p, [0, 5]), end_mistakes(p, [4, 4])
    (['ends: group 1 ends at row 1, before the one before it, at row 3'], ['ends: the last is 5; a has 4 rows'], [])
    """
    before, found = 0, []
    for g, end in enumerate(np.asarray(ends).tolist()):
        if end < before:
            what = "before the one before it" if g else "before the first row"
            found.append(f"ends: group {g} ends at row {end}, {what}, at row {before}")
            break
        before = end
    return found if found or before <= problem.m else [f"ends: the last is {before}; a has {problem.m} rows"]


def ranges_of(problem: GemmProblem, ends: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield (group, first row, row after the last) of each group that has rows; ends are cut to the rows of A."""
    start = 0
    for g, end in enumerate(ends):
        stop = min(max(int(end), start), problem.m)
        if stop > start:
            yield g, start, stop
        start = stop


def in_groups(
    problem: GemmProblem, tensors: Tensors, a: Any, b: Any, multiply: Callable[[Any, Any], tuple[Any, ...]]
) -> tuple[Any, ...]:
    """Return the results of `multiply` for A and B, or for the rows of each group and its B; 0 in rows of no group."""
    if not problem.groups:
        return multiply(a, b)
    found = tuple(np.zeros((problem.m, problem.n)) for _ in multiply(a[:0], b[0]))
    for g, start, stop in ranges_of(problem, np.asarray(tensors["ends"]).tolist()):
        for whole, part in zip(found, multiply(a[start:stop], b[g]), strict=True):
            whole[start:stop] = part
    return found


def random_ends(problem: GemmProblem, rng: np.random.Generator) -> Any:
    """Return ends of groups of any length, also none, that hold all rows.

    >>> p = GemmProblem.from_dict({"m": 9, "n": 8, "k": 2, "dtype": "fp16", "groups": 4})
    >>> random_ends(p, np.random.default_rng(0))[-1], end_mistakes(p, random_ends(p, np.random.default_rng(1)))
    (np.int32(9), [])
    """
    ends = np.sort(rng.integers(0, problem.m + 1, problem.groups)).astype(np.int32)
    ends[-1] = problem.m
    return ends
