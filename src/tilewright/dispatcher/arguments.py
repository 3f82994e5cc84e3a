"""The tensors of a call by role, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TensorError
from ..model.problem import Problem
from ..model.tensor import PackedTensor
from ..ops import get_op
from ..plan import index_arrays


def packed_mistakes(problem: Problem, tensors: Mapping[str, Any]) -> list[str]:
    """Return where packed tensors differ from what the problem says about them."""
    wanted, found = get_op(problem.op).packed(problem), []
    for role, t in tensors.items():
        if isinstance(t, PackedTensor) and wanted.get(role) != (t.format, t.dtype, t.shape):
            needs = "packed as {}: {} of {}".format(*wanted[role]) if role in wanted else "plain"
            found.append(f"{role} is packed as {t.format}: {t.dtype} of {t.shape}; the problem needs it {needs}")
    return found


def by_role(problem: Problem, positional: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return all tensors of a call by role; positional ones are in the order of the op's roles."""
    roles = get_op(problem.op).roles(problem)
    mistakes = [
        f"{role} is given twice, by its place and by its name" for role in roles[: len(positional)] if role in named
    ]
    if len(positional) > len(roles):
        mistakes.append(f"{len(positional)} tensors without a name were given; there are {len(roles)} roles")
    if mistakes:
        order = ", ".join((*roles, "problem"))
        raise TensorError.of(f"tensors of {problem.label()}", mistakes, remedy=f"the order is ({order})")
    return {**named, **dict(zip(roles, positional, strict=False))}


def checked_views(problem: Problem, tensors: Mapping[str, Any], strict: bool) -> dict[str, Any]:
    """Return views of the tensors, or raise `TensorError` with every mismatch.

    Lengths and tables in host memory are read; with `strict`, those of a GPU too.
    """
    from ..jit.arrays import view_of

    plain = {r: t.storage if isinstance(t, PackedTensor) else t for r, t in tensors.items() if t is not None}
    views = {role: view_of(t, role) for role, t in plain.items()}
    mistakes = get_op(problem.op).mismatches(problem, views) + packed_mistakes(problem, tensors)
    if not mistakes:
        indices = index_arrays(problem, views)
        if indices:
            mistakes = get_op(problem.op).content_mistakes(problem, indices)
        elif strict:
            mistakes = content_mistakes(problem, {role: view.owner for role, view in views.items()})
    if mistakes:
        raise TensorError.of(f"tensors of {problem.label()}", mistakes)
    return views


def content_mistakes(problem: Problem, tensors: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the lengths and tables in tensors, for ops that have any. Copies from a GPU."""
    from ..jit.arrays import as_numpy

    op = get_op(problem.op)
    held = {role: as_numpy(tensors[role]) for role in op.index_roles if tensors.get(role) is not None}
    return op.content_mistakes(problem, held) if held else []
