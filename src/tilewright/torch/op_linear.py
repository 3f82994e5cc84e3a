"""`matmul` and `linear`: products by tilewright's choice of kernel, with gradients; operators for tracing.

Below are the products of a layer without a torch operation around them: rows of any rank, and transposes, are read as
views. `forward` is x @ weight.T + bias, `data_gradient` grad @ weight, `weight_gradient` grad.T @ x; x and grad are
[..., columns].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import torch
from torch.nn import functional

from ..errors import TensorError, check_known
from ..frontends import default
from ..frontends.call import Description, Result, Tensors, Views, plain_view, run
from ..frontends.call_template import Place
from ..frontends.gemm import gemm
from ..model.summation import asked_summation
from ..model.tensor import TensorView
from ..ops.gemm import Epilogue, GemmProblem
from ..ops.gemm.epilogue import ACTIVATIONS
from ..ops.gemm.on_device import activated
from ..ops.gemm.tensors import problem_of
from .fitness import why_no_kernel
from .leaving import gradient_or_torchs, ours_or_torchs
from .registration import operator, result_dtype
from .ways import DIRECT, RECORDED, autocast_dtype, can_use_memo, cast_all, once, recorder, way_of

Tensor = torch.Tensor


def matmul(a: Tensor, b: Tensor, *, invariant: bool = False) -> Tensor:
    """Return `torch.matmul(a, b)`, with gradients: vectors, matrices and stacks of them, whose batches broadcast.

    Products of int8 are int32, and those of fp8 are fp16. What no kernel computes is left to torch (`left_calls`); with
    `invariant`, which is that of `tilewright.gemm`, it is an error. Gradients are not invariant.

    >>> matmul(torch.ones(2, 3), torch.ones(3, 4, requires_grad=True)).sum().backward()
    >>> matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 2)).shape, matmul(torch.ones(3), torch.ones(3)).item()
    (torch.Size([5, 4, 2, 2]), 3.0)
    """
    if invariant:
        return matmul_by_kernel(a, b, True)
    found: Tensor = ours_or_torchs("matmul", why_no_kernel(a), matmul_by_kernel, torch.matmul, a, b)
    return found


def matmul_by_kernel(a: Tensor, b: Tensor, invariant: bool = False) -> Tensor:
    """Return `matmul` by a kernel, or raise an error. A vector is a matrix with one row, or one column."""
    if not a.dim() or not b.dim():
        raise TensorError(f"a has shape {tuple(a.shape)}, b {tuple(b.shape)}; both need at least one dimension")
    found = _stacked(a if a.dim() > 1 else a[None], b if b.dim() > 1 else b[:, None], invariant)
    if b.dim() == 1:
        found = found.squeeze(-1)
    return found.squeeze(-2 if b.dim() > 1 else -1) if a.dim() == 1 else found


def _stacked(a: Tensor, b: Tensor, invariant: bool) -> Tensor:
    """Return the product of matrices and stacks. A shared right matrix multiplies the rows of all left ones at once."""
    if a.dim() == 2 and b.dim() <= 3:
        return _product(a, b, invariant)
    if prod(b.shape[:-2]) == 1 and a.dim() >= b.dim() and (a.dim() != 3 or a.is_contiguous()):
        rows = _product(a.reshape(prod(a.shape[:-1]), a.shape[-1]), b.reshape(b.shape[-2:]), invariant)
        return rows.reshape(*a.shape[:-1], b.shape[-1])
    if a.dim() == 3 and (b.dim() == 2 or a.shape[0] == b.shape[0]) and b.dim() <= 3:
        return _product(a, b, invariant)
    try:
        lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]
    except RuntimeError:
        raise TensorError(f"a has shape {tuple(a.shape)}, b {tuple(b.shape)}: their batches do not fit") from None
    left, right = (t.expand(*lead, *t.shape[-2:]).reshape(prod(lead), *t.shape[-2:]) for t in (a, b))
    return _product(left, right, invariant).reshape(*lead, a.shape[-2], b.shape[-1])


def _product(a: Tensor, b: Tensor, invariant: bool) -> Tensor:
    """Return the product of matrices, or of stacks of one size, by a kernel."""
    way = way_of(a, b)
    if way != DIRECT:
        result: Tensor = MATMUL(a, b, invariant)
        return result
    dtype = autocast_dtype(a)
    if dtype is not None:
        a, b = cast_all(dtype, (a, b))
    found: Tensor = gemm(a, b, invariant=invariant)
    return found


def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none", *, invariant: bool = False
) -> Tensor:
    """Return activation(x @ weight.T + bias) in one kernel; `x` is [..., k], `weight` [n, k] as in `torch.nn.Linear`.

    A backward pass recomputes the input of the activation. `activation` is one of `tilewright.Epilogue`. What no kernel
    computes is left to torch (`left_calls`); with `invariant`, which is that of `tilewright.gemm`, it is an error.
    Gradients are not invariant.

    >>> linear(torch.ones(2, 3), torch.ones(4, 3), torch.full((4,), -3.5), "relu").tolist()[0]
    [0.0, 0.0, 0.0, 0.0]
    """
    if activation == "none" and can_use_memo():
        known: Tensor | None = recalled(x, weight, bias, bool(invariant))
        if known is not None:
            return known
    if invariant:
        return _any_linear(x, weight, bias, activation, True)
    values = (x, weight, bias, activation)
    found: Tensor = ours_or_torchs("linear", why_no_kernel(x), _any_linear, _torchs_linear, *values)
    return found


def _torchs_linear(x: Tensor, weight: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    found: Tensor = activated(functional.linear(x, weight, bias), activation)
    return found


def _any_linear(x: Tensor, weight: Tensor, bias: Tensor | None, activation: str, invariant: bool = False) -> Tensor:
    """Return the layer with any weight and bias that torch takes: one row of weights, a bias that broadcasts."""
    if weight.dim() == 2 and (bias is None or bias.shape == weight.shape[:1]):
        return linear_by_kernel(x, weight, bias, activation, invariant)
    found = linear_by_kernel(x, weight if weight.dim() > 1 else weight[None], invariant=invariant)
    found = found if weight.dim() > 1 else found.squeeze(-1)
    done: Tensor = activated(found if bias is None else found + bias.expand(found.shape), activation)
    return done


def linear_by_kernel(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none", invariant: bool = False
) -> Tensor:
    """Return `linear` by a kernel, or raise an error."""
    way = way_of(x, weight, bias)
    if way > RECORDED:
        traced: Tensor = LINEAR(x, weight, bias, activation, invariant)
        return traced
    dtype = autocast_dtype(x)
    if dtype is not None:
        x, weight, bias = cast_all(dtype, (x, weight, bias))
    if way:
        recorded: Tensor = _record(x, weight, bias, activation, invariant)
        return recorded
    return _linear(x, weight, bias, activation, invariant)


def _linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none", invariant: bool = False
) -> Tensor:
    if activation != "none":
        check_known("activation", activation, ACTIVATIONS)
    if weight.dim() != 2 or x.shape[-1:] != weight.shape[-1:]:
        raise TensorError(_misfit(x, weight))
    found: Tensor = forward(x, weight, bias, activation, invariant)
    return found


def _misfit(x: Tensor, weight: Tensor) -> str:
    got = f"x has shape {tuple(x.shape)}, the weight {tuple(weight.shape)}"
    return f"linear: {got}; x is [..., in_features], the weight [out_features, in_features]"


class _Linear(torch.autograd.Function):
    """`linear` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, activation: str, invariant: bool) -> Tensor:
        """Return the layer's result."""
        ctx.activation = activation
        recomputes, wants = activation != "none", ctx.needs_input_grad
        kept = x if recomputes or wants[1] else None, weight if recomputes or wants[0] else None
        ctx.save_for_backward(*kept, bias if recomputes else None)
        return _linear(x, weight, bias, activation, invariant)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of x, weight and bias."""
        x, weight, bias = ctx.saved_tensors
        if ctx.activation != "none":
            grad = _before(grad, _linear(x, weight, bias), ctx.activation)
        wants = ctx.needs_input_grad
        grad_x = _gradient(data_gradient, torch.matmul, grad, weight) if wants[0] else None
        grad_weight = _gradient(weight_gradient, _torchs_weight_gradient, grad, x) if wants[1] else None
        grad_bias = (grad if grad.dim() == 2 else _as_matrix(grad)).sum(0) if wants[2] else None
        return grad_x, grad_weight, grad_bias, None, None


_record = recorder(_Linear)
_gradient = partial(gradient_or_torchs, "linear")


def _torchs_weight_gradient(grad: Tensor, x: Tensor) -> Tensor:
    return _as_matrix(grad).mT @ _as_matrix(x)


def _as_matrix(x: Tensor) -> Tensor:
    """Return all rows of `x` as one matrix: with -1, torch does not know how many rows without columns there are."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _before(grad: Tensor, before: Tensor, activation: str) -> Tensor:
    """Return the gradient of the input `before` of an activation."""
    with torch.enable_grad():
        before = before.detach().requires_grad_()
        (found,) = torch.autograd.grad(activated(before, activation), before, grad)
    return found


def _matmul_shape(a: Tensor, b: Tensor, invariant: bool = False) -> Tensor:
    fits = {a.dim(), b.dim()} <= {2, 3} and a.shape[-1] == b.shape[-2]
    torch._check(  # type: ignore[no-untyped-call]
        fits, lambda: f"a is {tuple(a.shape)}, b is {tuple(b.shape)}; they are [.., m, k] and [.., k, n]"
    )
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]
    return a.new_empty((*lead, a.shape[-2], b.shape[-1]), dtype=result_dtype(a))


def _multiplied(a: Tensor, b: Tensor, invariant: bool = False) -> Tensor:
    found: Tensor = gemm(a, b, invariant=invariant)
    return found


def _keep_operands(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    (a, b), wants = inputs[:2], ctx.needs_input_grad
    ctx.save_for_backward(a if wants[1] else None, b if wants[0] else None)
    ctx.shapes = a.shape, b.shape


@once
def _matmul_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    a, b = ctx.saved_tensors
    grad = foldable(grad)
    grad_a = gradient_or_torchs("matmul", MATMUL, torch.matmul, grad, b.mT) if ctx.needs_input_grad[0] else None
    grad_b = gradient_or_torchs("matmul", MATMUL, torch.matmul, a.mT, grad) if ctx.needs_input_grad[1] else None
    return _summed_to(grad_a, ctx.shapes[0]), _summed_to(grad_b, ctx.shapes[1]), None


def _summed_to(grad: Tensor | None, shape: Any) -> Tensor | None:
    """Sum the gradient of an operand that a batch shares over that batch."""
    if grad is None or grad.shape == shape:
        return grad
    return grad.sum_to_size(shape)


def _linear_shape(x: Tensor, weight: Tensor, *rest: Any) -> Tensor:
    torch._check(  # type: ignore[no-untyped-call]
        weight.dim() == 2 and x.shape[-1] == weight.shape[-1], lambda: _misfit(x, weight)
    )
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=result_dtype(x))


def _keep_layer(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, bias, ctx.activation, _ = inputs
    ctx.save_for_backward(x, weight, bias)


@once
def _linear_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, weight, bias = ctx.saved_tensors
    if ctx.activation != "none":
        grad = _before(grad, LINEAR(x.detach(), weight.detach(), bias if bias is None else bias.detach(), "none"),
                       ctx.activation)  # fmt: skip
    flat = _as_matrix(grad)
    wants = ctx.needs_input_grad
    grad_x = MATMUL(flat, weight).reshape(x.shape) if wants[0] else None
    grad_weight = MATMUL(flat.mT, _as_matrix(x)) if wants[1] else None
    return grad_x, grad_weight, flat.sum(0) if bias is not None and wants[2] else None, None, None


MATMUL = operator(
    "matmul(Tensor a, Tensor b, bool invariant=False) -> Tensor",
    _multiplied,
    _matmul_shape,
    backward=_matmul_gradient,
    keep=_keep_operands,
)
LINEAR = operator(
    "linear(Tensor x, Tensor weight, Tensor? bias=None, str activation='none', bool invariant=False) -> Tensor",
    _linear,
    _linear_shape,
    backward=_linear_gradient,
    keep=_keep_layer,
)

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
