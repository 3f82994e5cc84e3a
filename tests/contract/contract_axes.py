"""Whether the list tells indices apart: each axis of each operand that is read at wrong indices makes a case wrong.

The reference computes a case from an operand whose first index along one axis stands for all others, as if its stride
were 0. If the result still verifies, the case cannot notice a kernel with that mistake. Every axis of an operand that a
target computes with more than one index needs a case that does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from contract_data import tensors_of
from contract_run import Case, all_cases
from contract_targets import SPACES, Target

from tilewright.ops import get_op

Axis = tuple[str, str, int]  # family or direction, the operand and its kind, the axis counted from the last
SUMS = ("cu_seqlens_q", "cu_seqlens_k", "page_indptr", "ends")  # these hold running sums: the lengths take turns


def kind_of(problem: Any, role: str) -> str:
    """Return an operand with what decides the meaning of its axes."""
    if role.startswith("scale"):
        return f"{role} {problem.qscale if problem.op == 'fmha' else getattr(problem, role)}"
    if problem.op == "fmha":
        pages = f" {problem.lookup}" if "page" in role else ""
        return f"{role} {problem.bias}" if role == "bias" else f"{role} {problem.mode}{pages}"
    if role[0] == "d" and role[1:].isdigit():
        return f"d {problem.d[int(role[1:])].broadcast}"
    return f"{role} in groups" if problem.op == "gemm" and problem.groups else role


def operands(case: Case) -> tuple[Any, dict[str, Any]]:
    """Return the problem and the tensors of a case."""
    problem = SPACES[case.op].problem_of(case.choice)
    with np.errstate(all="ignore"):
        return problem, tensors_of(problem, case.choice, case.number)


def axes(case: Case) -> dict[Axis, tuple[str, int]]:
    """Return the axes with more than one index of what a case reads: role and number of each."""
    problem = SPACES[case.op].problem_of(case.choice)
    part = getattr(problem, "family", getattr(problem, "direction", ""))
    alike = ("rng", *(("last_page_lens",) if case.choice.get("page_size") == 1 else ()))  # pages of one token are full
    read = [r for r in problem.roles if r not in get_op(problem.op).out_roles(problem) and r not in alike]
    shapes = {r: problem.shape(r) for r in read} if case.op == "fmha" else _shapes(case)
    return {
        (part, kind_of(problem, role), axis - len(shapes[role])): (role, axis)
        for role in read
        for axis, count in enumerate(shapes[role])
        if count > 1
    }


def _shapes(case: Case) -> dict[str, tuple[int, ...]]:
    return {role: x.shape for role, x in operands(case)[1].items()}


def misread(role: str, x: Any, axis: int) -> Any:
    """Return an operand in which index 0 of an axis stands for all; of running sums, with lengths that take turns."""
    if role not in SUMS:
        return np.ascontiguousarray(np.broadcast_to(np.take(x, [0], axis), x.shape))
    start = np.zeros(1, x.dtype) if role == "ends" else x[:1]
    lengths = np.roll(np.diff(np.concatenate([start, x]) if role == "ends" else x), 1)
    return np.concatenate([start, start + np.cumsum(lengths)]).astype(x.dtype)[-len(x) :]


def notices(case: Case, role: str, axis: int) -> bool:
    """Return whether the results of a case are wrong if one operand is misread."""
    problem, tensors = operands(case)
    op, wrong = get_op(problem.op), misread(role, tensors[role], axis)
    if wrong.tobytes() == np.ascontiguousarray(tensors[role]).tobytes():
        return False
    with np.errstate(all="ignore"):
        try:
            found = _results(problem, {**tensors, role: wrong})
        except (ValueError, IndexError):  # lengths and pages that do not exist: a kernel reads elsewhere
            return True
        got = {r: value.astype(tensors[r].dtype) for r, value in found.items()}
        return not op.verify(problem, {**tensors, **got}, got[op.out_roles(problem)[0]]).ok


def _results(problem: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    if problem.op != "fmha":
        op = get_op(problem.op)
        return {op.out_roles(problem)[0]: op.expected(problem, tensors).value}
    from tilewright.ops.fmha.reference import all_expected

    return {role: found.value for role, found in all_expected(problem, tensors).items()}


def unnoticed(op: str, targets: Sequence[Target], asked: Callable[[Axis], bool] = bool) -> dict[str, list[Axis]]:
    """Return for each target the axes that no case tells apart which the target computes; small cases are tried first.

    `asked` chooses among the axes.
    """
    cases = sorted((c for c in all_cases() if c.op == op), key=lambda c: SPACES[op].problem_of(c.choice).flops)
    computed = [(c, [t for t in targets if t.computes(SPACES[op], c.choice)]) for c in cases]
    left: dict[Axis, set[str]] = defaultdict(set)
    reaching: dict[Axis, list[tuple[Case, list[Target], str, int]]] = defaultdict(list)
    for case, takers in computed:
        for axis, (role, number) in axes(case).items() if takers else ():
            if asked(axis):
                left[axis].update(t.name for t in takers)
                reaching[axis].append((case, takers, role, number))
    for axis, places in reaching.items():
        for case, takers, role, number in places:
            if left[axis] & {t.name for t in takers} and notices(case, role, number):
                left[axis] -= {t.name for t in takers}
    return {t.name: sorted(axis for axis, names in left.items() if t.name in names) for t in targets}
