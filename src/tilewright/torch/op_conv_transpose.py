"""`conv_transpose`: the transposed convolution, computed by the kernels of a convolution's gradient."""

from __future__ import annotations

from typing import Any

import torch

from ..errors import TensorError
from ..frontends import conv as _conv
from . import op_conv as plain
from .op_conv import GEOMETRY, is_last, like, lists, to_format
from .registration import operator
from .ways import RECORDED, autocast_dtype, cast_all, once, recorder, way_of

Tensor = torch.Tensor


def conv_transpose(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Return what `torch.nn.functional.conv_transpose2d` returns, in one to three dimensions, with gradients.

    >>> conv_transpose(torch.ones(1, 1, 2), torch.ones(1, 1, 2), torch.ones(1), stride=2).tolist()
    [[[2.0, 2.0, 2.0, 2.0]]]
    """
    way = way_of(input, weight, bias)
    stride, padding, dilation, more = lists(input, stride, padding, dilation, output_padding)
    size = [
        (extent - 1) * s - 2 * p + d * (f - 1) + m + 1
        for extent, f, s, p, d, m in zip(
            input.shape[2:], weight.shape[2:], stride, padding, dilation, more, strict=True
        )
    ]
    if way > RECORDED:
        traced: Tensor = CONV_TRANSPOSE(input, weight, bias, size, stride, padding, dilation, groups)
        return traced
    dtype = autocast_dtype(input)
    if dtype is not None:
        input, weight, bias = cast_all(dtype, (input, weight, bias))
    if way:
        recorded: Tensor = _record(input, weight, bias, size, stride, padding, dilation, groups)
        return recorded
    return _forward(input, weight, bias, size, stride, padding, dilation, groups)


def _forward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> Tensor:
    if input.shape[1] != weight.shape[0]:
        raise TensorError(f"input is {tuple(input.shape)}, weight {tuple(weight.shape)}: channels differ")
    found: Tensor = _conv.conv_backward_data(
        to_format(input, is_last(input)), like(weight, input), size, d=bias, stride=stride, padding=padding,
        dilation=dilation, groups=groups,
    )  # fmt: skip
    return found


class _ConvTranspose(torch.autograd.Function):
    """`conv_transpose` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        """Return the transposed convolution."""
        found = _forward(*inputs)
        plain.keep_operands(ctx, inputs, found)
        return found

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of input, weight and bias."""
        return plain.gradients(
            ctx, grad,
            lambda x, w, g: plain.forward(g, w, None, *ctx.geometry),
            lambda x, w, g: plain.weight_gradient(g, x, w.shape[2:], *ctx.geometry),
        )  # fmt: skip


_record = recorder(_ConvTranspose)


def _shape(input: Tensor, weight: Tensor, bias: Tensor | None, size: list[int], *geometry: Any) -> Tensor:
    groups = geometry[-1]
    return to_format(input.new_empty((input.shape[0], weight.shape[1] * groups, *size)), is_last(input))


@once
def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return plain.gradients(
        ctx, grad,
        lambda x, w, g: plain.CONV(g, w, None, *ctx.geometry),
        lambda x, w, g: plain.CONV_BACKWARD_WEIGHT(g, x, list(w.shape[2:]), *ctx.geometry),
    )  # fmt: skip


CONV_TRANSPOSE = operator(
    f"conv_transpose(Tensor input, Tensor weight, Tensor? bias, SymInt[] size, {GEOMETRY}) -> Tensor",
    _forward,
    _shape,
    backward=_gradient,
    keep=plain.keep_operands,
)
