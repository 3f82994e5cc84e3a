"""`torch.ops.tilewright.conv`: grouped convolution in one to three dimensions, with shapes for tracing and gradients.

The weight (and, in the backward pass, the gradient) is converted to the memory format of the input if it differs.
"""

from __future__ import annotations

from typing import Any

import torch

from ..ops.conv.parse import per_dim
from . import conv as _conv

FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


@torch.library.custom_op("tilewright::conv", mutates_args=())
def conv(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    """Return `input` convolved with `weight` by tilewright's choice of kernel; lists have one entry per dimension."""
    result: torch.Tensor = _conv.conv(
        input, _like(weight, input), bias=bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return result


@conv.register_fake
def _shape(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    torch._check(  # type: ignore[no-untyped-call]
        input.shape[1] == weight.shape[1] * groups,
        lambda: f"input is {tuple(input.shape)}, weight {tuple(weight.shape)}, groups {groups}: channels differ",
    )
    spatial = [
        (size + 2 * p - d * (f - 1) - 1) // s + 1
        for size, f, s, p, d in zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    ]
    out = input.new_empty((input.shape[0], weight.shape[0], *spatial))
    return _to_format(out, _last(input))


@torch.library.custom_op("tilewright::conv_backward_data", mutates_args=())
def conv_backward_data(
    grad: torch.Tensor,
    weight: torch.Tensor,
    input_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    """Return the gradient of the input; `input_size` is its spatial size or its whole shape."""
    result: torch.Tensor = _conv.conv_backward_data(
        grad, _like(weight, grad), input_size, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return result


@conv_backward_data.register_fake
def _data_shape(
    grad: torch.Tensor,
    weight: torch.Tensor,
    input_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    spatial = input_size[2 - grad.dim() :]
    return _to_format(grad.new_empty((grad.shape[0], weight.shape[1] * groups, *spatial)), _last(grad))


@torch.library.custom_op("tilewright::conv_backward_weight", mutates_args=())
def conv_backward_weight(
    input: torch.Tensor,
    grad: torch.Tensor,
    filter_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    """Return the gradient of the weight; `filter_size` is its spatial size or its whole shape."""
    result: torch.Tensor = _conv.conv_backward_weight(
        input, _like(grad, input), filter_size, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return result


@conv_backward_weight.register_fake
def _weight_shape(
    input: torch.Tensor,
    grad: torch.Tensor,
    filter_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    spatial = filter_size[2 - input.dim() :]
    return _to_format(input.new_empty((grad.shape[1], input.shape[1] // groups, *spatial)), _last(input))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    input, weight, bias, *geometry = inputs
    ctx.save_for_backward(input, weight)
    ctx.geometry, ctx.has_bias = geometry, bias is not None


def _gradient(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    input, weight = ctx.saved_tensors
    grad = _like(grad, input)
    wants = ctx.needs_input_grad
    data = conv_backward_data(grad, weight, list(input.shape[2:]), *ctx.geometry) if wants[0] else None
    weights = conv_backward_weight(input, grad, list(weight.shape[2:]), *ctx.geometry) if wants[1] else None
    bias = grad.sum((0, *range(2, grad.dim()))) if ctx.has_bias and wants[2] else None
    return (data, weights, bias, None, None, None, None)


conv.register_autograd(_gradient, setup_context=_keep)


def grouped_conv(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> torch.Tensor:
    """Return the convolution as `torch.nn.functional.conv2d` does, with gradients; a number counts for all dimensions.

    If nothing but the kernel has to see the tensors, the operator's own overhead is left out.
    """
    if is_plain(input, weight, bias):
        found: torch.Tensor = _conv.conv(
            input, _like(weight, input), bias=bias, stride=stride, padding=padding, dilation=dilation, groups=groups
        )
        return found
    dims = input.dim() - 2
    lists = [list(per_dim(value, dims)) for value in (stride, padding, dilation)]
    result: torch.Tensor = conv(input, weight, bias, *lists, groups)
    return result


def is_plain(*tensors: torch.Tensor | None) -> bool:
    """Return whether a kernel may run on these tensors at once: no gradient, trace, mode or transform wants to see it.

    >>> x = torch.ones(2)
    >>> is_plain(x, None), is_plain(x.requires_grad_())
    (True, False)
    """
    if torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack():
        return False
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return False
    given = [t for t in tensors if t is not None]
    if torch.is_grad_enabled() and any(t.requires_grad for t in given):
        return False
    return all(type(t) in (torch.Tensor, torch.nn.Parameter) for t in given)


def _last(x: torch.Tensor) -> bool:
    return x.dim() in FORMATS and x.is_contiguous(memory_format=FORMATS[x.dim()]) and not x.is_contiguous()


def _to_format(x: torch.Tensor, last: bool) -> torch.Tensor:
    return x.contiguous(memory_format=FORMATS[x.dim()]) if last and x.dim() in FORMATS else x.contiguous()


def _like(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return `x` in the memory format of `other`."""
    return _to_format(x, _last(other))
