"""`grouped_gemm`: rows in groups, each multiplied by a matrix of its own, as the experts of a model are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import TensorError
from ..jit.arrays import view_at
from ..jit.launcher import array_over
from ..model.dtype import DTypeLike, dtype_name
from ..model.summation import asked_summation
from ..ops.gemm import OP, Epilogue
from ..ops.gemm.groups import end_mistakes, ranges_of
from ..ops.gemm.tensors import problem_of
from .call import Result, maker, run
from .gemm import GEMM, NO_OPTIONS, gemm


def grouped_gemm(
    a: Any,
    b: Any,
    ends: Any,
    *,
    out: Any = None,
    activation: str = "none",
    alpha: float = 1.0,
    out_dtype: DTypeLike | None = None,
    invariant: bool = False,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return activation(alpha * (a[rows of g] @ b[g])) for each group g of consecutive rows, in `out` if given.

    `a` is [m, k], `b` is [groups, k, n]; group g has the rows from `ends[g - 1]` (0 for the first) to `ends[g]`, which
    is not one of them. `ends` is int32 [groups], as `offs` of torch's `grouped_mm`, and does not fall; a group may have
    no rows. Rows after the last end belong to no group: what the result has there is not defined.

    On a GPU `ends` stays there: one kernel reads it, and the host does not wait. Ends that fall or are larger than m
    are refused where they can be read (on the CPU, the emulator, and in strict mode), else cut to the rows of `a`. On
    the CPU each group is a product of its own, by the best kernel for its number of rows. The other arguments are those
    of `gemm`.

    >>> import numpy as np
    >>> a, b = np.ones((3, 2), np.float32), np.stack([np.eye(2), 2 * np.eye(2)]).astype(np.float32)
    >>> grouped_gemm(a, b, np.array([1, 3], np.int32)).tolist()
    [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
    """
    place = None if device is None else str(device)
    if view_at(a, "a", place).device == "cpu":
        return _one_by_one(a, b, ends, out, Epilogue("add", activation, alpha, 1.0), out_dtype, invariant, dispatcher)
    asked = {"activation": activation, "alpha": alpha, "out_dtype": out_dtype, "invariant": invariant}
    choices = tuple({**NO_OPTIONS, **asked}.values())
    given = {"a": a, "b": b, "out": out, "ends": ends}
    return run(GROUPED, given, choices, dispatcher, device)["out"]


def _one_by_one(
    a: Any, b: Any, ends: Any, out: Any, epilogue: Epilogue, out_dtype: Any, invariant: bool, dispatcher: Any
) -> Any:
    """Multiply each group on the CPU."""
    given = {"a": a, "b": b, "ends": ends, **({} if out is None else {"out": out})}
    views = {role: view_at(tensor, role, None) for role, tensor in given.items()}
    dtype = None if out_dtype is None else dtype_name(out_dtype)
    problem = problem_of(views, epilogue=epilogue, out_dtype=dtype, summation=asked_summation(invariant))
    if out is None:
        out = maker(a, Result((problem.m, problem.n), problem.dtype_out))()
        views["out"] = view_at(out, "out", None)
        problem = OP.fitted(problem, views)
    arrays = {role: array_over(view) for role, view in views.items()}
    mistakes = OP.mismatches(problem, views) or end_mistakes(problem, arrays["ends"])
    if mistakes:
        raise TensorError.of(f"tensors of {problem.label()}", mistakes)
    for g, start, stop in ranges_of(problem, arrays["ends"].tolist()):
        gemm(
            arrays["a"][start:stop], arrays["b"][g], out=arrays["out"][start:stop], activation=epilogue.activation,
            alpha=epilogue.alpha, invariant=invariant, dispatcher=dispatcher,
        )  # fmt: skip
    return out


GROUPED = replace(GEMM, places=None)  # the grid depends on the groups, so calls of other sizes are new
