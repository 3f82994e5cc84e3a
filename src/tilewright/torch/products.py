"""Products of a layer without a torch operation around them: rows of any rank, and transposes, are read as views.

`forward` is x @ weight.T + bias, `data_gradient` grad @ weight, `weight_gradient` grad.T @ x; x and grad are
[..., columns].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

from ..frontends import default
from ..frontends.call import Description, Result, Tensors, Views, plain_view, run
from ..frontends.call_template import Place
from ..model.summation import asked_summation
from ..model.tensor import TensorView
from ..ops.gemm import Epilogue, GemmProblem
from ..ops.gemm.tensors import problem_of

NO_EPILOGUE = ("none",)


def forward(x: Any, weight: Any, bias: Any, activation: str = "none", invariant: bool = False) -> Any:
    """Return activation(x @ weight.T + bias); `invariant` is that of `tilewright.gemm`.

    >>> import torch
    >>> forward(torch.ones(2, 3, 4), torch.ones(5, 4), torch.ones(5))[0, 0].tolist()
    [5.0, 5.0, 5.0, 5.0, 5.0]
    """
    given = {"a": foldable(x), "b": weight, "out": None, "d0": bias}
    return run(FORWARD, given, (activation, invariant))["out"]


def recalled(x: Any, weight: Any, bias: Any, invariant: bool = False) -> Any:
    """Return `forward` of tensors that look like those of an earlier call; None if there was none."""
    in_c = None if default.made is None else default.made.calls.in_c
    if in_c is None:
        return None
    given = {"a": x, "b": weight, "out": None, "d0": bias}
    return given["out"] if in_c.run(ASKED[invariant], given) else None


def keep_for(calls: Any, x: Any, weight: Any, bias: Any, invariant: bool = False) -> None:
    """Let the memo in C know a call of `recalled` as one of a layer, whose calls have the name `calls`."""
    in_c = None if default.made is None else default.made.calls.in_c
    if in_c is not None:
        in_c.keep_as(ASKED[invariant], calls, {"a": x, "b": weight, "out": None, "d0": bias})


def data_gradient(grad: Any, weight: Any) -> Any:
    """Return grad @ weight.

    >>> import torch
    >>> data_gradient(torch.ones(2, 3, 5), torch.ones(5, 4)).shape
    torch.Size([2, 3, 4])
    """
    return run(DATA, {"a": foldable(grad), "b": weight, "out": None}, NO_EPILOGUE)["out"]


def weight_gradient(grad: Any, x: Any) -> Any:
    """Return grad.T @ x, summed over all rows.

    >>> import torch
    >>> weight_gradient(torch.ones(2, 3, 5), torch.ones(2, 3, 4))[0].tolist()
    [6.0, 6.0, 6.0, 6.0]
    """
    return run(WEIGHT, {"a": foldable(grad), "b": foldable(x), "out": None}, NO_EPILOGUE)["out"]


def foldable(x: Any) -> Any:
    """Return `x`, copied if its leading dimensions cannot be read as one, or if it is an expanded number or row.

    The gradient of a sum is an expanded number. As dense memory it poses the problem of any other gradient, for which
    `warm_up` has built a kernel.

    >>> import torch
    >>> foldable(torch.ones(4, 2, 3).transpose(0, 1)).stride()
    (12, 3, 1)
    >>> foldable(torch.ones(()).expand(4, 3)).stride()
    (3, 1)
    """
    if x.dim() == 2:
        return x.contiguous() if 0 in x.stride() else x
    return x if x.is_contiguous() else x.contiguous()


def _rows(view: TensorView) -> TensorView:
    """Return dense [..., columns] as [rows, columns]. Dimensions of one element may have any stride: none is read."""
    if len(view.shape) == 2:
        return view
    columns = view.shape[-1]
    return replace(view, shape=(prod(view.shape[:-1]), columns), strides=(columns, 1))


def _transposed(view: TensorView) -> TensorView:
    return replace(view, shape=view.shape[::-1], strides=view.strides[::-1])


def _read(folded: tuple[str, ...], transposed: str) -> Any:
    """Return a function that makes the views of a kind of call."""

    def view(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
        seen = plain_view(tensor, role, place, choices)
        if role in folded:
            seen = _rows(seen)
        return _transposed(seen) if role == transposed else seen

    return view


def _pose(given: Tensors, views: Views, *, activation: str, invariant: bool = False) -> GemmProblem:
    return problem_of(views, epilogue=Epilogue(activation=activation), summation=asked_summation(invariant))


def _like_rows(problem: GemmProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    """Return a result with the leading dimensions of `a`, of which the last may have another size."""
    *outer, rows = views["a"].owner.shape[:-1] or (None,)
    if rows is None:
        return Result((problem.n,), problem.dtype_out)
    return Result((*outer, problem.m // prod(outer) if 0 not in outer else rows, problem.n), problem.dtype_out)


def _matrix(problem: GemmProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    return Result((problem.m, problem.n), problem.dtype_out)


ROWS = {role: Place(-2, -2, "m", folded=True) for role in ("a", "out")}
FORWARD = Description(
    "gemm", ("activation", "invariant"), _pose, _like_rows, _read(("a", "out"), "b"), places=lambda choices: ROWS
)
ASKED = tuple((FORWARD, (*NO_EPILOGUE, invariant), None) for invariant in (False, True))
DATA = Description("gemm", ("activation",), _pose, _like_rows, _read(("a", "out"), ""), places=lambda choices: ROWS)
WEIGHT = Description("gemm", ("activation",), _pose, _matrix, _read(("a", "b"), "a"))
