"""`contract`: a contraction over several dimensions, as one batched product of the same memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import ProblemError, TensorError
from ..jit.arrays import view_at
from ..model.dtype import DTypeLike
from ..model.fields import shown
from ..model.tensor import TensorView
from ..ops.gemm import GemmProblem
from . import gemm as product
from .call import Asked, Description, Result, Views, public
from .gemm import operands_of

SPEC = re.compile(r"([A-Za-z]+),([A-Za-z]+)->([A-Za-z]*)")
GROUPS = {"a": "gmk", "b": "gkn", "out": "gmn"}  # the three dimensions of each matrix


@public
def contract(
    spec: str,
    a: Any,
    b: Any,
    *,
    out: Any = None,
    d: Sequence[Any] | Any = None,
    combine: str = "add",
    activation: str = "none",
    alpha: float = 1.0,
    beta: float = 1.0,
    out_dtype: DTypeLike | None = None,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the contraction of `a` and `b` as `einsum` writes it, such as "gxyk,gnk->gxyn": one batched product.

    A letter of both tensors and the result numbers products, one of both tensors alone is summed over, one of a single
    tensor and the result is a row or a column. Letters of one kind must lie together in memory, as if they were one
    dimension: nothing is copied, and an error says which do not. A new result lies as the tensors do; its dimensions
    come in the order of the letters. `d` operands have the letters of the result, or are one vector for all rows. Other
    options are those of `gemm`.

    >>> import numpy as np
    >>> a, b = np.ones((2, 3, 4), np.float32), np.ones((4, 5), np.float32)
    >>> contract("xyk,kn->xny", a, b).shape
    (2, 5, 3)
    """
    if not isinstance(spec, str):
        raise ProblemError(f"contraction {shown(spec)}", remedy='write letters such as "gmk,gkn->gmn"')
    views = [view_at(x, role, None if device is None else str(device)) for role, x in (("a", a), ("b", b))]
    folding = _folding(spec, *((v.shape, v.strides) for v in views))
    given = {"a": a, "b": b, "out": out, "scale_a": None, "scale_b": None, **operands_of(d)}
    choices = (combine, activation, alpha, beta, out_dtype, folding)
    return Asked(CONTRACT, given, choices, dispatcher, device, "out")


@dataclass(frozen=True)
class Folding:
    """The letters of each tensor; the letters of each group (products, rows, columns, sum), outermost first."""

    letters: tuple[tuple[str, str], ...]  # by role
    groups: tuple[tuple[str, str], ...]
    sizes: tuple[tuple[str, int], ...]

    def folded(self, view: TensorView, role: str) -> TensorView:
        """Return the view with one dimension for each group; without that of the products if there are none."""
        letters, groups, sizes = dict(self.letters)[role], dict(self.groups), dict(self.sizes)
        want = tuple(sizes[x] for x in letters)
        if view.shape != want:
            raise TensorError(f"{role} has shape {view.shape}; its letters {letters!r} say {want}")
        steps = dict(zip(letters, view.strides, strict=True))
        pairs = [_one(role, groups[g], sizes, steps) for g in GROUPS[role] if g != "g" or groups["g"]]
        return replace(view, shape=tuple(n for n, _ in pairs), strides=tuple(s for _, s in pairs))

    def result(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shape and strides of a new result: products, then rows, then columns in memory."""
        groups, sizes, steps, step = dict(self.groups), dict(self.sizes), dict[str, int](), 1
        for letter in reversed("".join(groups[g] for g in GROUPS["out"])):
            steps[letter], step = step, step * max(1, sizes[letter])
        letters = dict(self.letters)["out"]
        return tuple(sizes[x] for x in letters), tuple(steps[x] for x in letters)


def _one(role: str, letters: str, sizes: Mapping[str, int], steps: Mapping[str, int]) -> tuple[int, int]:
    """Return the extent and stride of dimensions that lie together as one."""
    wide = [x for x in letters if sizes[x] != 1]
    count = prod(sizes[x] for x in wide)
    for x, y in pairwise(wide):
        if count and steps[x] != sizes[y] * steps[y]:
            raise TensorError(
                f"{role}: {x!r} (stride {steps[x]}) and {y!r} ({sizes[y]} elements of stride {steps[y]}) are no one "
                "dimension in memory",
                remedy=f"pass a copy of {role} in which {''.join(letters)!r} lie together, in this order",
            )
    return count, steps[wide[-1]] if wide else 1


@lru_cache(maxsize=256)
def _folding(spec: str, *tensors: tuple[tuple[int, ...], tuple[int, ...]]) -> Folding:
    """Return how a contraction folds. Letters of a group are ordered as they lie in A, columns as in B."""
    found = SPEC.fullmatch(spec.replace(" ", ""))
    if found is None:
        raise ProblemError(f"contraction {shown(spec)}", remedy='write letters such as "gmk,gkn->gmn"')
    a, b, out = found.groups()
    for role, letters in zip(GROUPS, (a, b, out), strict=True):
        if len(set(letters)) != len(letters):
            raise ProblemError(f"{role} has a letter twice: {letters!r}", remedy="take the diagonal first")
    sizes: dict[str, int] = {}
    for role, letters, (shape, _) in zip("ab", (a, b), tensors, strict=True):
        if len(letters) != len(shape):
            raise TensorError(f"{role} has {len(shape)} dimensions and the letters {letters!r}")
        for letter, n in zip(letters, shape, strict=True):
            if sizes.setdefault(letter, n) != n:
                raise TensorError(f"{letter!r} is {sizes[letter]} in a and {n} in b")
    lone = [x for x in sizes if (x in a) + (x in b) + (x in out) < 2] + [x for x in out if x not in sizes]
    if lone:
        raise ProblemError(f"{lone[0]!r} is in one tensor only", remedy="sum over it, or expand it, beforehand")
    steps = {"a": dict(zip(a, tensors[0][1], strict=True)), "b": dict(zip(b, tensors[1][1], strict=True))}
    kinds = {"g": (a, b, out), "m": (a, out), "n": (b, out), "k": (a, b)}
    groups = []
    for kind, members in kinds.items():
        letters = [
            x for x in sizes if all(x in y for y in members) and sum(x in y for y in (a, b, out)) == len(members)
        ]
        of = steps["b" if kind == "n" else "a"]
        groups.append((kind, "".join(sorted(letters, key=lambda x: -abs(of[x])))))
    roles = tuple(zip(GROUPS, (a, b, out), strict=True))
    return Folding(roles, tuple(groups), tuple(sizes.items()))


def _view(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
    folding: Folding = choices["folding"]
    view = view_at(tensor, role, place)
    if role[0] == "d" and len(view.shape) == 1 < len(dict(folding.letters)["out"]):
        return view  # one value for each column
    return folding.folded(view, "out" if role[0] == "d" else role)


def _pose(given: Any, views: Views, *, folding: Folding, **options: Any) -> GemmProblem:
    return product.GEMM.pose(given, views, **{**product.NO_OPTIONS, **options})


def _result(problem: GemmProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    shape, strides = choices["folding"].result()
    return Result(shape, problem.dtype_out, strides)


CONTRACT = Description(
    "gemm", ("combine", "activation", "alpha", "beta", "out_dtype", "folding"), _pose, _result, _view
)
