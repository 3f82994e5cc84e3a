"""torch operators `torch.ops.tilewright.matmul`, `.linear` and `.conv`, with shapes for tracing and gradients.

Importing this module registers them, so that `torch.compile` and `torch.export` see one operator each:

    import torch, tilewright.frontends.torch
    y = torch.ops.tilewright.matmul(a, b)
"""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError, UnknownNameError
from ..ops.gemm.epilogue import ACTIVATIONS
from ..ops.gemm.on_device import activated
from .gemm import gemm

try:
    import torch
except ImportError:
    raise MissingExtraError("torch", extra="torch", why="to register torch operators") from None

from .torch_conv import conv, conv_backward_data, conv_backward_weight, grouped_conv

__all__ = ["conv", "conv_backward_data", "conv_backward_weight", "grouped_conv", "linear", "matmul"]


@torch.library.custom_op("tilewright::matmul", mutates_args=())
def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return `a @ b` by tilewright's choice of kernel; [m, k] or [batch, m, k] times [k, n] or [batch, k, n]."""
    result: torch.Tensor = gemm(a, b)
    return result


@matmul.register_fake
def _matmul_shape(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    torch._check(  # type: ignore[no-untyped-call]
        a.shape[-1] == b.shape[-2], lambda: f"a is {tuple(a.shape)}, b is {tuple(b.shape)}: k differs"
    )
    lead = a.shape[:-2] if a.dim() >= b.dim() else b.shape[:-2]
    return a.new_empty((*lead, a.shape[-2], b.shape[-1]), dtype=_out_dtype(a))


def _out_dtype(a: torch.Tensor) -> torch.dtype:
    if a.dtype == torch.int8:
        return torch.int32
    return torch.float16 if a.dtype in (torch.float8_e4m3fn, torch.float8_e5m2) else a.dtype


def _keep_operands(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _matmul_gradient(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    a, b = ctx.saved_tensors
    grad_a = matmul(grad, b.mT) if ctx.needs_input_grad[0] else None
    grad_b = matmul(a.mT, grad) if ctx.needs_input_grad[1] else None
    return _summed_to(grad_a, a), _summed_to(grad_b, b)


def _summed_to(grad: torch.Tensor | None, operand: torch.Tensor) -> torch.Tensor | None:
    """Sum the gradient of an operand that a batch shares over that batch."""
    if grad is None or grad.shape == operand.shape:
        return grad
    return grad.sum_to_size(operand.shape)


matmul.register_autograd(_matmul_gradient, setup_context=_keep_operands)


@torch.library.custom_op("tilewright::linear", mutates_args=())
def linear(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, activation: str = "none"
) -> torch.Tensor:
    """Return activation(x @ weight.T + bias) in one kernel; `x` is [m, k] or [batch, m, k], `weight` [n, k] as in
    `torch.nn.Linear`. A backward pass recomputes the input of the activation.
    """
    if activation not in ACTIVATIONS:
        raise UnknownNameError("activation", activation, ACTIVATIONS)
    result: torch.Tensor = gemm(x, weight.T, d=None if bias is None else [bias], activation=activation)
    return result


@linear.register_fake
def _linear_shape(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, activation: str = "none"
) -> torch.Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=_out_dtype(x))


def _keep_layer(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, weight, bias, ctx.activation = inputs
    ctx.save_for_backward(x, weight, bias)


def _linear_gradient(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    x, weight, bias = ctx.saved_tensors
    if ctx.activation != "none":
        with torch.enable_grad():
            before = linear(x.detach(), weight.detach(), None if bias is None else bias.detach()).requires_grad_()
            (grad,) = torch.autograd.grad(activated(before, ctx.activation), before, grad)
    flat = grad.reshape(-1, grad.shape[-1])
    wants = ctx.needs_input_grad
    grad_x = matmul(grad, weight) if wants[0] else None
    grad_weight = matmul(flat.mT, x.reshape(-1, x.shape[-1])) if wants[1] else None
    grad_bias = flat.sum(0) if bias is not None and wants[2] else None
    return grad_x, grad_weight, grad_bias, None


linear.register_autograd(_linear_gradient, setup_context=_keep_layer)
