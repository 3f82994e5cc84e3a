"""`matmul` and `linear`: products by tilewright's choice of kernel, with gradients; operators for tracing."""

from __future__ import annotations

from typing import Any

import torch

from ..errors import UnknownNameError
from ..frontends.gemm import gemm
from ..ops.gemm.epilogue import ACTIVATIONS
from ..ops.gemm.on_device import activated
from . import products
from .registration import operator
from .ways import DIRECT, RECORDED, autocast_dtype, cast_all, is_quiet, once, recorder, way_of

Tensor = torch.Tensor


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """Return `a @ b`; [m, k] or [batch, m, k] times [k, n] or [batch, k, n].

    >>> matmul(torch.ones(2, 3), torch.ones(3, 4, requires_grad=True)).sum().backward()
    """
    way = way_of(a, b)
    if way != DIRECT:
        result: Tensor = MATMUL(a, b)
        return result
    dtype = autocast_dtype(a)
    if dtype is not None:
        a, b = cast_all(dtype, (a, b))
    found: Tensor = gemm(a, b)
    return found


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    """Return activation(x @ weight.T + bias) in one kernel; `x` is [..., k], `weight` [n, k] as in `torch.nn.Linear`.

    A backward pass recomputes the input of the activation. `activation` is one of `tilewright.Epilogue`.

    >>> linear(torch.ones(2, 3), torch.ones(4, 3), torch.full((4,), -3.5), "relu").tolist()[0]
    [0.0, 0.0, 0.0, 0.0]
    """
    if activation == "none" and is_quiet():
        recalled: Tensor | None = products.recalled(x, weight, bias)
        if recalled is not None:
            return recalled
    way = way_of(x, weight, bias)
    if way > RECORDED:
        traced: Tensor = LINEAR(x, weight, bias, activation)
        return traced
    dtype = autocast_dtype(x)
    if dtype is not None:
        x, weight, bias = cast_all(dtype, (x, weight, bias))
    if way:
        recorded: Tensor = _record(x, weight, bias, activation)
        return recorded
    return _linear(x, weight, bias, activation)


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    if activation not in ACTIVATIONS:
        raise UnknownNameError("activation", activation, ACTIVATIONS)
    found: Tensor = products.forward(x, weight, bias, activation)
    return found


class _Linear(torch.autograd.Function):
    """`linear` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, activation: str) -> Tensor:
        """Return the layer's result."""
        ctx.activation = activation
        ctx.save_for_backward(x, weight, None if activation == "none" else bias)
        return _linear(x, weight, bias, activation)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of x, weight and bias."""
        x, weight, bias = ctx.saved_tensors
        if ctx.activation != "none":
            grad = _before(grad, _linear(x, weight, bias), ctx.activation)
        wants = ctx.needs_input_grad
        grad_x = products.data_gradient(grad, weight) if wants[0] else None
        grad_weight = products.weight_gradient(grad, x) if wants[1] else None
        grad_bias = (grad if grad.dim() == 2 else grad.reshape(-1, grad.shape[-1])).sum(0) if wants[2] else None
        return grad_x, grad_weight, grad_bias, None


_record = recorder(_Linear)


def _before(grad: Tensor, before: Tensor, activation: str) -> Tensor:
    """Return the gradient of the input `before` of an activation."""
    with torch.enable_grad():
        before = before.detach().requires_grad_()
        (found,) = torch.autograd.grad(activated(before, activation), before, grad)
    return found


def _out_dtype(a: Tensor) -> torch.dtype:
    if a.dtype == torch.int8:
        return torch.int32
    return torch.float16 if a.dtype in (torch.float8_e4m3fn, torch.float8_e5m2) else a.dtype


def _matmul_shape(a: Tensor, b: Tensor) -> Tensor:
    torch._check(  # type: ignore[no-untyped-call]
        a.shape[-1] == b.shape[-2], lambda: f"a is {tuple(a.shape)}, b is {tuple(b.shape)}: k differs"
    )
    lead = a.shape[:-2] if a.dim() >= b.dim() else b.shape[:-2]
    return a.new_empty((*lead, a.shape[-2], b.shape[-1]), dtype=_out_dtype(a))


def _keep_operands(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


@once
def _matmul_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    grad = products.foldable(grad)
    grad_a = MATMUL(grad, b.mT) if ctx.needs_input_grad[0] else None
    grad_b = MATMUL(a.mT, grad) if ctx.needs_input_grad[1] else None
    return _summed_to(grad_a, a), _summed_to(grad_b, b)


def _summed_to(grad: Tensor | None, operand: Tensor) -> Tensor | None:
    """Sum the gradient of an operand that a batch shares over that batch."""
    if grad is None or grad.shape == operand.shape:
        return grad
    return grad.sum_to_size(operand.shape)


def _linear_shape(x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=_out_dtype(x))


def _keep_layer(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, bias, ctx.activation = inputs
    ctx.save_for_backward(x, weight, bias)


@once
def _linear_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, weight, bias = ctx.saved_tensors
    if ctx.activation != "none":
        grad = _before(grad, LINEAR(x.detach(), weight.detach(), bias if bias is None else bias.detach(), "none"),
                       ctx.activation)  # fmt: skip
    flat = grad.reshape(-1, grad.shape[-1])
    wants = ctx.needs_input_grad
    grad_x = MATMUL(flat, weight).reshape(x.shape) if wants[0] else None
    grad_weight = MATMUL(flat.mT, x.reshape(-1, x.shape[-1])) if wants[1] else None
    return grad_x, grad_weight, flat.sum(0) if bias is not None and wants[2] else None, None


MATMUL = operator(
    "matmul(Tensor a, Tensor b) -> Tensor",
    lambda a, b: gemm(a, b),
    _matmul_shape,
    backward=_matmul_gradient,
    keep=_keep_operands,
)
LINEAR = operator(
    "linear(Tensor x, Tensor weight, Tensor? bias=None, str activation='none') -> Tensor",
    _linear,
    _linear_shape,
    backward=_linear_gradient,
    keep=_keep_layer,
)
